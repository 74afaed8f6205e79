"""Test that lenient reading does little work for each character of a run."""

import pytest

from lton import ToolSet, decode_lenient
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
    found = decode_lenient(text, TOOLS)
    assert [call.name for call in found.calls or [one.call for one in found.uncertain]] == ["wait"]
    assert steps(lambda: decode_lenient(text, TOOLS)) < 4 * SIZE


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
    found = decode_lenient(text, TOOLS, ended=True)
    calls = [*found.calls, *(one.call for one in found.uncertain)]
    assert [call.arguments.get("minutes") for call in calls] == (
        [] if minutes is None else [minutes]
    )
