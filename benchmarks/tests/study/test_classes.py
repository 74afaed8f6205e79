"""Test the study of classes: its questions, its judge and its table."""

from collections import Counter
from pathlib import Path

import pytest

import lton
from lton_bench.study.calls import classes
from lton_bench.study.calls.classes import is_right, main, record
from lton_bench.study.calls.classes_cases import KINDS, questions
from lton_bench.study.packed import content


def test_every_question_has_a_right_answer_that_can_be_written() -> None:
    """There are equally many of each kind, no question comes twice, and right answers are right."""
    question_list = questions()
    assert {*Counter(question.kind for question in question_list).items()} == {
        (kind, 20) for kind in KINDS
    }
    assert len({question.text for question in question_list}) == 60
    for question in question_list:
        instance = question.tool(**question.right)
        tools = lton.Toolbox(question.tool)
        call = tools.call_of(instance)
        assert call
        text = lton.encode(call, tools, form="punctuated")
        line = record(question, text, 7, "grammar")
        assert (line["valid"], line["right"], line["sampled"]) == (True, True, 7)
        assert record(question, instance.model_dump_json(), 7, "json")["right"]


def test_capitals_do_not_matter_and_everything_else_does() -> None:
    question = next(question for question in questions() if question.tool.__name__ == "Order")
    [first, *others] = question.right["lines"]
    upper = {**question.right, "customer": question.right["customer"].upper() + "."}
    assert is_right(question, question.tool(**upper))
    assert not is_right(question, question.tool(**{**question.right, "lines": others}))
    more = {**first, "count": first["count"] + 1}
    assert not is_right(question, question.tool(**{**question.right, "lines": [more, *others]}))


@pytest.mark.parametrize(("way", "text"), [("json", "{}"), ("json", "{"), ("grammar", "Order(")])
def test_what_is_no_instance_is_not_valid(way: classes.Way, text: str) -> None:
    line = record(questions()[0], text, 3, way)
    assert (line["valid"], line["right"]) == (False, False)


def test_recorded_answers_make_the_table_again(tmp_path: Path) -> None:
    """The table of the page is that of the recorded answers, which are not asked again."""
    lines = content(Path("benchmarks/results/study/classes.jsonl"))
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "classes.jsonl").write_bytes(lines)
    main(["--questions", "0", "--out", str(tmp_path)])
    page = (tmp_path / "classes.md").read_text("utf-8")
    assert page == Path("benchmarks/results/classes.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "model", "engine"),
    [
        ("llama-cpp-python", "qwen-0.5b", "in process"),
        ("llama-server", "qwen-0.5b", "server"),
        ("outlines", "smollm2", "Outlines"),
        ("vllm", "qwen-0.5b", "vLLM"),
    ],
)
def test_the_pages_have_the_figures_of_the_large_table(name: str, model: str, engine: str) -> None:
    """The small table on the page of an engine has the figures of the large one."""
    table = Path("benchmarks/results/classes.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    of_page = [row for row in rows if row[:2] == [model, engine]]
    assert len(of_page) >= 2
    page = Path(f"docs/guides/engines/{name}.md").read_text("utf-8")
    for row in of_page:
        valid, right, tokens = row[4], row[5], row[9]
        assert f"| {valid} | {right} | {tokens} |" in page
