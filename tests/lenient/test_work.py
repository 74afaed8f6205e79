"""Test that lenient reading does little work for each character of a run."""

import pytest

from lton import ToolSet, decode_lenient
from lton.lenient._arguments import find_json_start
from lton.lenient._effort import Effort
from lton.lenient._strings import Extents, Strings
from tests.steps import steps

TOOLS = ToolSet.from_prompt("wait(minutes:int)")
SIZE = 4000


@pytest.mark.parametrize("mark", ['"', "'", "\u201d", "[", "{", "[ ", "{{"])
def test_a_run_of_marks_takes_a_few_steps_for_each(mark: str) -> None:
    """Marks after a tool's name that cannot begin a value are not examined one by one."""
    text = "wait(" + mark * (SIZE // len(mark))
    decode_lenient(text, TOOLS)
    assert steps(lambda: decode_lenient(text, TOOLS)) < 4 * SIZE


@pytest.mark.parametrize("line", ["\n", "\r\n", " \t\n"])
def test_a_blank_line_is_not_searched_for_calls(line: str) -> None:
    """Blank lines before a call take almost no steps."""
    text = "Sure." + line * SIZE + "wait(minutes=5)"
    result = decode_lenient(text, TOOLS)
    assert [call.name for call in result.calls or [one.call for one in result.uncertain]] == [
        "wait"
    ]
    assert steps(lambda: decode_lenient(text, TOOLS)) < 4 * SIZE


@pytest.mark.parametrize("line", ["Then we stop.", "x", "- a", "12. b", "  c", "# d", "1. "])
def test_a_line_that_can_begin_nothing_is_passed_over(line: str) -> None:
    """A line of prose, a heading or a list item takes fewer than 30 steps."""
    count = 500
    text = "Sure.\n" + f"{line}\n" * count + "wait(minutes=5)"
    result = decode_lenient(text, TOOLS)
    assert [one.call.name for one in result.uncertain] == ["wait"]
    assert steps(lambda: decode_lenient(text, TOOLS)) < 30 * count


@pytest.mark.parametrize("line", ["", "x", "--", '"a"'])
def test_the_end_of_an_open_call_is_searched_once(line: str) -> None:
    """All ways to read a call share one search for its end."""
    count = 500
    text = "wait(minutes=[" + f"{line}\n" * count
    extents = Extents(Strings(text), Effort(len(text)), lambda _: False)
    first = steps(lambda: extents.find_end(4))
    assert first > 5 * count
    assert steps(lambda: extents.find_end(4)) < 10


@pytest.mark.parametrize("mark", ["<|message|>", "<|channel|>commentary ", "<args>", ":1"])
def test_a_run_of_marks_after_a_name_is_not_read_to_its_end(mark: str) -> None:
    """At most 20 marks are looked at, because each of many names may be before such a run."""
    assert find_json_start(mark * 10 + '{"minutes": 5}', 0) == 10 * len(mark)
    assert find_json_start(mark * 21 + '{"minutes": 5}', 0) is None


def test_an_end_costs_the_same_effort_each_time() -> None:
    """The limit of effort does not depend on which ends are already known."""
    effort = Effort(100)
    extents = Extents(Strings("wait(5)\n"), effort, lambda _: False)
    before = effort.budget
    assert extents.find_end(4) == (7, True)
    work = before - effort.budget
    assert work > 0
    assert extents.find_end(4) == (7, True)
    assert before - effort.budget == 2 * work


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("Sure.\n\n \n\r\n\t\nwait(minutes=5)", 5),
        ("[[[ [[wait(minutes=5)]", 5),
        ('{{{ {"name": "wait", "arguments": {"minutes": 5}}', 5),
        ('wait(minutes="""5""")', 5),
        ('wait(minutes="""""5""")', None),
    ],
)
def test_a_call_after_a_run_of_marks_is_still_found(text: str, minutes: int | None) -> None:
    """A call that follows marks without meaning is found, certain or not."""
    result = decode_lenient(text, TOOLS, ended=True)
    calls = [*result.calls, *(one.call for one in result.uncertain)]
    assert [call.arguments.get("minutes") for call in calls] == (
        [] if minutes is None else [minutes]
    )
