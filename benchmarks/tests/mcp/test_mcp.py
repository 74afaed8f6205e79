"""Test the figures of which tools a search shows, and which tool a model calls."""

from pathlib import Path

import pytest

from lton._json import minified
from lton.results import short_result
from lton.tokens import counter
from lton_bench.mcp.calls import GROUPS, Told, called, kept, table
from lton_bench.mcp.data import as_one, joined, questions
from lton_bench.mcp.proxy import results_by_tool
from lton_bench.mcp.recall import Way, ways
from lton_bench.tokens.datasets import answers_nested, answers_rows


def test_questions_are_about_recorded_tools() -> None:
    """There are at least two hundred different questions, each with an existing tool."""
    question_list = questions()
    names = {tool["name"] for tool in as_one()}
    assert len({question.text for question in question_list}) == len(question_list) >= 200
    assert [
        question for question in question_list if not names.issuperset(map(joined, question.tools))
    ] == []


@pytest.fixture(scope="module")
def ways_by_name() -> dict[str, Way]:
    return {way.name: way for way in ways(GROUPS[0])}


def test_what_lists_all_tools_has_the_right_one(ways_by_name: dict[str, Way]) -> None:
    """Modes that list all tools always show the right tool; searches miss it for some questions."""
    listed, every = ways_by_name["`line --show names`"], ways_by_name["JSON, and `pass`"]
    assert all(listed.hits)
    assert all(every.hits)
    assert listed.shown < every.shown / 5
    for name in ("`search`", "tool search, BM25", "tool search, regular expression"):
        assert 0 < sum(ways_by_name[name].hits) < len(ways_by_name[name].hits)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ('call", "arguments": {"line": "git_log repo"}', "git_log"),
        ('call", "arguments": {"line": "!call git_log(repo', "git_log"),
        ('git_log", "arguments": {', "git_log"),
        ("no tool", "no tool"),
    ],
)
def test_called(line: str, name: str) -> None:
    """The called tool is the tool in the line, or the tool that is called directly."""
    assert called(line) == name


def test_table() -> None:
    """Right tools, questions with any tool, and unknown names are counted separately."""
    some_questions = questions(GROUPS[0])[:4]
    right = [joined(question.tools[0]) for question in some_questions]
    answers = [
        Told("m", "JSON, and `pass`", question.text, f'{right[0]}"', 9)
        for question in some_questions
    ]
    names = (right[0], "describe", "rm", "time_convert_time")
    for question, name in zip(some_questions, names, strict=True):
        answers.append(Told("m", "`line`", question.text, f'{name}"', 3))
    assert list(table(answers))[-1] == (
        "| m | `line` | 3 | 0.33 | 4 | 0.25 [0.05, 0.70] | +0.00 [+0.00, +0.00] | 1 | 1 |"
    )


def test_the_published_table_is_that_of_the_answers() -> None:
    published = Path("benchmarks/results/mcp-calls.md").read_text("utf-8")
    assert "\n".join(table(kept(Path("benchmarks/results")))) in published


def test_a_result_never_has_more_tokens() -> None:
    """No result of made-up answers, rows or nested records gets more tokens, and the totals show
    the savings by tool.
    """
    tokens = counter("o200k")
    texts = [
        minified(unit.value) for part in (answers_rows, answers_nested) for unit in part.load()
    ]
    shorter = [short_result(text) for text in texts]
    pairs = zip(tokens.count_all(texts), tokens.count_all(shorter), strict=True)
    assert all(short.tokens <= whole.tokens for whole, short in pairs)
    rows = results_by_tool()
    assert {name for name, (whole, short, *_) in rows.items() if short < whole * 0.75} == {
        "list_employees",
        "read_log",
        "forecast",
    }
    shares = [short / indented for _, short, indented, _ in rows.values()]
    assert (round(min(shares), 2), round(max(shares), 2)) == (0.36, 0.67)
