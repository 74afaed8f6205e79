"""Test which calls are certain by the ladder of evidence."""

import pytest

from lton import ToolSet, decode_lenient
from lton.errors import RepairCode

TOOLS = ToolSet.from_prompt("wait(minutes:int)")
CALL = '<tool_call>{"name": "wait", "arguments": {"minutes": 5}}</tool_call>'


def codes(text: str, syntax: str | tuple[str, ...] = ()) -> list[RepairCode]:
    """Return the reasons for doubt about the calls of a text."""
    return [one.code for one in decode_lenient(text, TOOLS, syntax=syntax).uncertain]


@pytest.mark.parametrize(
    "text",
    [CALL, f"{CALL}\n{CALL}", f"<think>Hm.</think>{CALL}", f"{CALL}</tool_call>", f"{CALL};\n"],
)
def test_a_whole_answer_is_certain(text: str) -> None:
    """Calls, their marks and thoughts are a whole answer."""
    assert codes(text) == []


@pytest.mark.parametrize("around", ["I wait.\n{}", "{}\nDone.", "- {}", "Action: {}", "\u3002{}"])
def test_other_text_makes_a_call_uncertain(around: str) -> None:
    """Any text next to a call makes it uncertain, unless its syntax is the model's."""
    assert codes(around.format(CALL)) == [RepairCode.BESIDE]


def test_the_first_call_decides_for_the_next() -> None:
    """If only marks are between calls, the evidence for the first holds for all."""
    assert codes(f"I wait.\n{CALL}\n{CALL}", "tool_call") == []
    assert codes(f"They say:\n{CALL}\n{CALL}", "tool_call") == [RepairCode.BESIDE] * 2
    assert codes(f"They say:\n{CALL}\nI wait.\n{CALL}", "tool_call") == [RepairCode.BESIDE]


def test_a_call_that_cannot_be_read_has_no_doubt() -> None:
    """An error next to text is not prose, so it is not shown as content."""
    text = "Now.\n!call wait five\nDone."
    result = decode_lenient(text, TOOLS)
    assert len(result.errors) == 1
    assert [text[start:end].strip() for start, end in result.called] == ["!call wait five"]


def test_a_strict_text_that_is_not_found_by_searching_keeps_its_calls() -> None:
    """A template in the map form is uncertain, and not lost, although searching cannot find it."""
    text = "f{a nullx b '5' g s3:str}"
    result = decode_lenient(text)
    assert [one.code for one in result.uncertain] == [RepairCode.EXAMPLE]
    accepted = decode_lenient(text, safe=False)
    assert [call.name for call in accepted.calls] == ["f"]
    assert [repair.code for repair in accepted.repairs] == [RepairCode.EXAMPLE]
