"""What of a text casts doubt on a call, one thing at a time."""

import pytest

from lton import decode_lenient
from tests.cases import INT, tool, tools_of

TOOLS = tools_of(tool("wait", {"minutes": INT}, ["minutes"]))
CALL = '{"name": "wait", "arguments": {"minutes": 5}}'


@pytest.mark.parametrize(
    ("text", "called", "uncertain"),
    [
        ('He wrote "see\nwait 5', [], [(5, "L124")]),
        ('He wrote "see" here.\nwait 5', [5], []),
        ('5" wide\nwait 5', [5], []),
        ('"see\nwait 5', [], [(5, "L124")]),
        ("(“see\nwait 5", [], [(5, "L124")]),
        ("“see” x\nwait 5", [5], []),
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
        ("Use ```x``` now\nwait 5", [5], []),
        ("Use ```x now\nwait 5", [], [(5, "L124")]),
        ("Use ``` a ``` b ``` c\nwait 5", [], [(5, "L124")]),
        ("~~~\nwait 5\n~~~", [5], []),
        ("Well.\n~~~\nwait 5\n~~~", [], [(5, "L122")]),
        ("Action:\n```\nwait 5\n```\nDone.", [5], []),
        ("Well.\nAction:\n```\nwait 5\n```\nDone.", [5], []),
        ("Well.\n\n```\nwait 5\n```\nDone.", [], [(5, "L122")]),
        ("Well:\n```\nwait 5\n```\nDone.", [], [(5, "L122")]),
        ("```\nwait 5```\nwait 6", [], [(5, "L122"), (6, "L124")]),
        ("```\nwait(5)```\nwait(6)", [], [(5, "L122"), (6, "L124")]),
        ("Text ```\nwait 5\n```\n", [], [(5, "L122")]),
        ("Text ```python\nx\n```\nwait 5", [5], []),
        ("Then ```\nx\n```\nwait 5", [5], []),
        ("wait(5))\nwait 6", [6], []),
        (f"It is: '{CALL}", [], [(5, "L123")]),
        (f'It is: "{CALL}', [], [(5, "L123")]),
        (f"It is: `{CALL}", [], [(5, "L123")]),
        (f"It is: “{CALL}", [], [(5, "L123")]),
        (f"It is: \u2018{CALL}", [], [(5, "L123")]),
        (f"It is: {CALL}", [5], []),
        (f"It is {CALL}", [], [(5, "L123")]),
        (f"It, {CALL}", [], [(5, "L123")]),
        (f", {CALL}", [5], []),
    ],
)
def test_what_casts_doubt(text: str, called: list[int], uncertain: list[tuple[int, str]]) -> None:
    """Quotations and fences that are open, tags and brackets that are left over, sentences."""
    result = decode_lenient(text, TOOLS)
    assert [call.arguments["minutes"] for call in result.calls] == called
    doubts = [(one.call.arguments["minutes"], one.code) for one in result.uncertain]
    assert doubts == uncertain
