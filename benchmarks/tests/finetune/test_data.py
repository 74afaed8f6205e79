"""Test that no case of the study is used for training, and that all forms have the same content."""

import json
import re
from hashlib import sha256
from itertools import product, starmap

import pytest

from lton import LTONError, ToolSet
from lton_bench import bfcl
from lton_bench.finetune import data
from lton_bench.finetune.data import JSON, PYTHON, Tokens, examples
from lton_bench.finetune.train import packs
from lton_bench.study import tasks
from lton_bench.study.judge import judge
from lton_bench.study.tasks import Case

STUDY = [
    case
    for part in (tasks.reported(), tasks.development())
    for cases in part.values()
    for case in cases
]
WAIT = ToolSet.from_prompt("wait(minutes:int why?)")


@pytest.fixture(scope="module")
def trained() -> list[Case]:
    cases = {case.id: case for name in data.TRAINED for case in bfcl.entries(name)}
    return [cases[example.id] for example in examples()]


def test_the_examples_are_fixed() -> None:
    """The examples stay the same, because a change would change every figure; new examples need a
    new seed.
    """
    ids = "\n".join(example.id for example in examples())
    assert len(examples()) == 667
    assert sha256(ids.encode()).hexdigest()[:16] == "fa68cd8de8f980d6"


def test_no_example_is_a_case_of_the_study(trained: list[Case]) -> None:
    study_words, taught = ([asks(case) for case in cases] for cases in (STUDY, trained))
    assert {case.id for case in STUDY}.isdisjoint(case.id for case in trained)
    assert len(set(taught)) == len(taught)
    nearest = max(starmap(overlap, product(set(map(words, study_words)), list(map(words, taught)))))
    assert 0.4 < nearest < 0.5


def test_no_example_has_a_tool_of_the_study(trained: list[Case]) -> None:
    for part in ("name", "description"):
        study_names, taught = (
            {
                re.sub(r"\W|_", "", tool["function"][part]).casefold()
                for c in cases
                for tool in c.tools
            }
            for cases in (STUDY, trained)
        )
        assert study_names.isdisjoint(taught)


def test_what_is_asked_is_reported() -> None:
    for name, cases in data.asked(5).items():
        assert cases == tasks.reported()[name][:5]
        assert all(len(case.answers) == 1 for case in cases)


@pytest.mark.parametrize(
    ("question", "name", "description"),
    [
        ("Tell me a joke.", "triangle.area_calculate", "?"),
        ("Tell me a joke.", "calculateTriangleArea", "?"),
        ("Find the area of a triangle with a base of 7 units and height of 2 units!", "f", "?"),
        ("Tell me a joke.", "f", "Calculate the area of some triangle, given its base and height."),
    ],
)
def test_what_is_near_is_left_out(question: str, name: str, description: str) -> None:
    """Examples that are like a development case, such as `simple_python_0` (the area of a
    triangle), are left out.
    """
    near = data._Near()
    assert near(question, [{"function": {"name": name, "description": description}}])
    assert not near("Tell me a joke.", [{"function": {"name": "f", "description": "?"}}])


@pytest.mark.parametrize("form", data.FORMS)
def test_completions_are_right(form: data.Written, trained: list[Case]) -> None:
    for example, case in zip(examples(), trained, strict=True):
        text = example.completions[form]
        call = data.read(text, example.tools, form)
        assert judge(case, [call]) is None
        assert data.write(call, example.tools, form) == text or form == JSON


def test_prompts_do_not_tell_the_form() -> None:
    example = examples()[0]
    prompts = [data.prompt(example.tools, example.question, form) for form in data.FORMS]
    assert prompts == [prompts[0]] * len(data.FORMS)
    shot = data.prompt(WAIT, "?", "wire", [example.shot])
    assert shot[2] == {"role": "assistant", "content": example.completions["wire"]}


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (JSON, ""),
        (JSON, "Five minutes."),
        (JSON, "[" * 100_000),
        (JSON, '{"name":"wait"}'),
        (JSON, '["wait"]'),
        (JSON, '{"name":"wait","arguments":[]}'),
        (JSON, '{"name":"wait","arguments":{"minutes":"5"}}'),
        (JSON, '{"name":["wait"],"arguments":{"minutes":5}}'),
        (JSON, '{"name":"wait","arguments":{"minutes":5}}' * 2),
        (PYTHON, ""),
        (PYTHON, "wait 5"),
        (PYTHON, "wait(5)"),
        (PYTHON, "wait(minutes=five)"),
        (PYTHON, 'wait(minutes="5")'),
        (PYTHON, "wait(minutes=5)\nwait(minutes=6)"),
        ("wire", ""),
        ("wire", "wait five"),
        ("wire", "wait 5\nwait 6"),
        ("wire", "I wait 5 minutes."),
    ],
)
def test_what_is_not_one_call_is_an_error(form: data.Written, text: str) -> None:
    with pytest.raises(LTONError):
        data.read(text, WAIT, form)


def test_examples_with_the_same_tools_are_packed() -> None:
    rows = [Tokens(tools, (number,), ()) for number, tools in enumerate("abacaaa")]
    numbers = [[number for row in pack for number in row.prompt] for pack in packs(rows, 2)]
    assert numbers == [[0, 2], [4, 5], [6], [1], [3]]


def test_calls_are_read() -> None:
    texts: dict[data.Written, str] = {
        JSON: json.dumps({"name": "wait", "arguments": {"minutes": 5}}),
        PYTHON: "wait(minutes=5)",
        "wire": "wait 5",
    }
    for form, text in texts.items():
        call = data.read(text, WAIT, form)
        assert (call.name, call.arguments) == ("wait", {"minutes": 5})


def asks(case: Case) -> str:
    return case.messages[-1]["content"].casefold()


def words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d]+", text))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one else 0.0
