"""Test three rules for the end of a fence, on texts of models."""

import pytest

from lton import Call, LTONError
from lton.codec import decode
from lton_bench.study.fence_ends import (
    NOW,
    RULES,
    TOOLS,
    cases,
    grammars,
    markdown,
    outcomes,
    read,
    within,
)

FIRST = RULES[1].name
LINES = "def f():\n    return 1"
WRITTEN = [  # what is written, and what each rule reads
    (f"```\n{LINES}\n```", (LINES, LINES, LINES)),
    (f"```+\n{LINES}\n```", (f"{LINES}\n", f"{LINES}\n", f"{LINES}\n")),
    ("```\n```", ("", "", "")),
    ("```\nx\n``` y", (None, None, None)),
    (f"```\n{LINES}```", (None, LINES, LINES)),
    ("```\n# ```f()```\nx\n```", ("# ```f()```\nx", None, "# ```f()```\nx")),
    ("```\n# ```f() + 1``` is\nx\n```", ("# ```f() + 1``` is\nx", None, "# ```f() + 1``` is\nx")),
    ("```\n```sh\nls\n```\nEnd.\n```", (None, None, "```sh\nls\n```\nEnd.")),
    ("```\nx ```", (None, "x ", "x ")),
    ('"x"', ("x", "x", "x")),
]


@pytest.mark.parametrize(("text", "expected"), WRITTEN)
def test_each_rule_reads_its_own_fences(text: str, expected: tuple[str | None, ...]) -> None:
    """The rules differ only for texts with three backticks."""
    written = f'write(path="a.py", content={text})'
    for rule, value in zip(RULES, expected, strict=True):
        call = None if value is None else Call("write", {"path": "a.py", "content": value})
        assert read(written, rule) == call
        assert within(f"{written}\nDone.", rule) == (written if call else None)


@pytest.mark.parametrize("text", [text for text, _ in WRITTEN])
def test_the_rule_of_today_is_that_of_the_decoder(text: str) -> None:
    """With the current rule, a call is read as the decoder reads it, or not at all."""
    written = f'write(path="a.py", content={text})'
    try:
        [expected] = decode(written, TOOLS["write"])
    except LTONError:
        assert read(written, NOW) is None
    else:
        assert read(written, NOW) == expected


def test_a_rule_is_one_part_of_the_grammar() -> None:
    """The grammars differ only in the fence."""
    for tools in TOOLS.values():
        found = grammars(tools)
        assert len(found) == len(set(found.values())) == len(RULES)
        assert len({text.partition(' | "```"')[0] for text in found.values()}) == 1
        assert len({text.partition("\n")[2].partition("\n")[2] for text in found.values()}) == 1


def test_cases_are_the_same_each_time() -> None:
    """Cases are the same each time, and the expected call contains the text of the question."""
    found = list(cases(5, 3))
    assert [each.kind for each in found[:2]] == ["messages", "files"]
    assert found == list(cases(5, 3))
    assert all(each.question.endswith(each.text) for each in found)
    assert [each.text.count("```") for each in found] == [0] * 10 + [2] * 3


def test_the_page_counts_what_is_cut() -> None:
    """The page counts files that the rule of the first backticks cuts at their own backticks."""
    [case] = cases(0, 1)
    begin = f'write(path="{case.call.arguments["path"]}", content=```\n'
    whole, cut = f"{begin}{case.text}\n```)", f"{begin}{case.text.partition('```')[0]}```)"
    answers = {"no grammar": whole, **{rule.name: whole for rule in RULES}, FIRST: cut}
    assert outcomes(case, answers, "grammar")[FIRST] == "cut"
    assert outcomes(case, answers, "no grammar")[FIRST] == "unread"
    assert outcomes(case, answers, "grammar")[NOW.name] == "right"
    page = markdown({"a model": [{"kind": case.kind, "wanted": case.text, "answers": answers}]})
    begin = f"| {case.kind} | grammar | {FIRST} | 1 | 0.000 [0.000, 0.793] |"
    assert f"{begin} -1.000 [-1.000, -1.000] | 1 | 0 |" in page
