"""The two rules of where a fence closes, on texts that models write."""

import pytest

from lton import Call
from lton_bench.study import fence_ends
from lton_bench.study.fence_ends import cases, grammars, markdown, read, read_by_line, within

LINES = "def f():\n    return 1"
BEFORE, NOW = "closes at a line", "closes at the first run"


@pytest.mark.parametrize(
    ("text", "before", "now"),
    [
        (f"```\n{LINES}\n```", LINES, LINES),
        (f"```+\n{LINES}\n```", f"{LINES}\n", f"{LINES}\n"),
        ("```\n```", "", ""),
        ("```\nx\n``` y", None, None),
        (f"```\n{LINES}```", None, LINES),
        ("```\n# ```f()```\nx\n```", "# ```f()```\nx", None),
        ("```\nx ```", None, "x "),
        ('"x"', "x", "x"),
    ],
)
def test_each_rule_reads_its_own_fences(text: str, before: str | None, now: str | None) -> None:
    """Only backticks inside a line tell the two rules apart."""
    written = f'write(path="a.py", content={text})'
    for rule, reader, expected in ((BEFORE, read_by_line, before), (NOW, read, now)):
        call = None if expected is None else Call("write", {"path": "a.py", "content": expected})
        assert reader(written) == call
        assert within(f"{written}\nDone.", rule) == (written if call else None)


def test_a_rule_is_one_part_of_the_grammar() -> None:
    """The grammars differ in one option of one rule."""
    for tools in fence_ends.TOOLS.values():
        before, now = (text.split(" | ") for text in grammars(tools).values())
        assert sum(one != other for one, other in zip(before, now, strict=False)) == 1


def test_cases_are_the_same_each_time() -> None:
    """The call of a case has the text of its question."""
    found = list(cases(5, 3))
    assert [each.kind for each in found[:2]] == ["messages", "files"]
    assert found == list(cases(5, 3))
    assert all(each.question.endswith(each.text) for each in found)
    assert [each.text.count("```") for each in found] == [0] * 10 + [2] * 3


def test_the_page_counts_what_is_cut() -> None:
    outcomes = {
        f"grammar, {BEFORE}": "right",
        f"grammar, {NOW}": "cut",
        f"no grammar, {BEFORE}": "right",
        f"no grammar, {NOW}": "unread",
    }
    page = markdown({"a model": [{"kind": "files", "outcomes": outcomes}]})
    assert "| files | grammar | 1 | 1.000 [0.207, 1.000] | 0.000 [0.000, 0.793] |" in page
    assert "| 1 before, 0 now | 0 | 1 | 0 | 0 |" in page
