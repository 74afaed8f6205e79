"""Test each reason for doubt about a call separately."""

import pytest

from lton import decode_lenient
from lton.errors import RepairCode
from tests.cases import INT, tool, tools_of, undoubted_calls

TOOLS = tools_of(tool("wait", {"minutes": INT}, ["minutes"]))
CALL = '{"name": "wait", "arguments": {"minutes": 5}}'


@pytest.mark.parametrize(
    ("text", "called", "uncertain"),
    [
        ('He wrote "see\nwait 5', [], [(5, "L124")]),
        ('He wrote "see" here.\nwait 5', [], [(5, "L129")]),
        ('5" wide\nwait 5', [], [(5, "L129")]),
        ('"see\nwait 5', [], [(5, "L124")]),
        ("(“see\nwait 5", [], [(5, "L124")]),
        ("“see” x\nwait 5", [], [(5, "L129")]),
        ('a "b" "c\nwait 5', [], [(5, "L124")]),
        ('wide" x\nwait 5', [], [(5, "L124")]),
        ("see “b\nwait 5", [], [(5, "L124")]),
        ("b” see\nwait 5", [], [(5, "L124")]),
        ("say (b\nwait 5", [], [(5, "L124")]),
        ("</tool_call>\nwait 5", [], [(5, "L124")]),
        ("<tool_call>\nwait 5\n</tool_call>\nwait 6", [5, 6], []),
        ("<tool_call>\nwait 5\n</tool_call></tool_call>\nwait 6", [5], [(6, "L124")]),
        ("<tool_call><tool_call>wait 5</tool_call>\nwait 6", [5, 6], []),
        (
            "<tool_call><tool_call>wait 5</tool_call></tool_call></tool_call>\nwait 6",
            [5],
            [(6, "L124")],
        ),
        ("Use ```x``` now\nwait 5", [], [(5, "L129")]),
        ("Use ```x now\nwait 5", [], [(5, "L124")]),
        ("Use ``` a ``` b ``` c\nwait 5", [], [(5, "L124")]),
        ("~~~\nwait 5\n~~~", [], [(5, "L129")]),
        ("Well.\n~~~\nwait 5\n~~~", [], [(5, "L122")]),
        ("Action:\n```\nwait 5\n```\nDone.", [], [(5, "L129")]),
        ("Well.\nAction:\n```\nwait 5\n```\nDone.", [], [(5, "L129")]),
        ("Well.\n\n```\nwait 5\n```\nDone.", [], [(5, "L122")]),
        ("Well:\n```\nwait 5\n```\nDone.", [], [(5, "L122")]),
        ("```\nwait 5```\nwait 6", [], [(5, "L122"), (6, "L124")]),
        ("```\nwait(5)```\nwait(6)", [], [(5, "L122"), (6, "L124")]),
        ("Text ```\nwait 5\n```\n", [], [(5, "L122")]),
        ("Text ```python\nx\n```\nwait 5", [], [(5, "L129")]),
        ("Then ```\nx\n```\nwait 5", [], [(5, "L129")]),
        ("wait(5))\nwait 6", [6], []),
        (f"It is: '{CALL}", [], [(5, "L123")]),
        (f'It is: "{CALL}', [], [(5, "L123")]),
        (f"It is: `{CALL}", [], [(5, "L123")]),
        (f"It is: “{CALL}", [], [(5, "L123")]),
        (f"It is: \u2018{CALL}", [], [(5, "L123")]),
        (f"It is: {CALL}", [], [(5, "L129")]),
        (f"It is {CALL}", [], [(5, "L123")]),
        (f"It, {CALL}", [], [(5, "L123")]),
        (f", {CALL}", [5], []),
    ],
)
def test_what_casts_doubt(text: str, called: list[int], uncertain: list[tuple[int, str]]) -> None:
    """A call is uncertain after open quotations and fences, leftover tags and brackets, and in
    sentences.
    """
    result = decode_lenient(text, TOOLS)
    assert [call.arguments["minutes"] for call in result.calls] == called
    doubts = [(one.call.arguments["minutes"], one.code) for one in result.uncertain]
    assert doubts == uncertain


STRING = {"type": "string"}
WRITE = tools_of(tool("write_it", {"path": STRING, "text": STRING}, ["path", "text"]))


@pytest.mark.parametrize(
    ("text", "is_own"),
    [
        ("write_it path: a\ntext: b", False),
        ("So:\nwrite_it path:a text:b", False),
        ("So:\nwrite_it a text:b", False),
        ('So:\nwrite_it "path:a" "text: b"', True),
        ("So:\nwrite_it path=text:b text=b", True),
        ("So:\nwrite_it page:a tent:b", True),
    ],
)
def test_a_bare_key_with_a_colon_is_doubted(text: str, *, is_own: bool) -> None:
    """A bare string that begins with a parameter's name and a colon makes the call uncertain."""
    (one,) = decode_lenient(text, WRITE).uncertain
    assert one.code is (RepairCode.BESIDE if is_own else RepairCode.DAMAGE)


@pytest.mark.parametrize(
    "text",
    [
        "Here's a call: [wait(minutes=5)]",
        "Look [wait(minutes=5), wait(minutes=6)].",
        "[a] [wait(minutes=5)](link)",
    ],
)
def test_a_python_list_inside_of_a_line_is_uncertain(text: str) -> None:
    """A Python list inside a line may be meant or only mentioned, so its calls are uncertain."""
    result = decode_lenient(text, TOOLS)
    assert result.calls == ()
    assert {one.code for one in result.uncertain} == {RepairCode.SENTENCE}
    assert len(result.uncertain) == text.count("wait")


def test_an_index_in_a_line_is_no_list_of_calls() -> None:
    """Only a list that begins with a call of a known tool is a list of calls."""
    result = decode_lenient("It is rows[first(1)].\nwait 5", TOOLS)
    assert (len(undoubted_calls(result)), result.errors) == (1, ())
