"""Texts that show a call and do not make it: none of them may run it, however it is spelled."""

import json
from pathlib import Path

import pytest

from lton import decode_lenient
from tests.cases import each, tool, tools_of

TOOLS = tools_of(tool("delete_file", {"path": {"type": "string"}}, ["path"]))
AS_JSON = '{"name": "delete_file", "arguments": {"path": "/etc"}}'
SPELLINGS = (
    'delete_file(path="/etc")',
    "!call delete_file /etc",
    AS_JSON,
    f"<tool_call>{AS_JSON}</tool_call>",
)
CASES = [
    json.loads(line)["text"]
    for line in Path(__file__).with_name("must_not_call.jsonl").read_text("utf-8").splitlines()
]


@each(CASES)
def test_is_not_called(text: str) -> None:
    """The word CALL stands for the call, in each of the spellings."""
    for spelling in SPELLINGS:
        assert decode_lenient(text.replace("CALL", spelling), TOOLS).calls == ()


@pytest.mark.parametrize(
    "text",
    [
        "<answer>\nCALL\n</answer>",
        "<b>x</b>\nCALL",
        "----\nx\n----\nCALL",
        "</article>\nCALL",
        "He said «yes».\nCALL",
        "/* x */\nCALL",
        "One<br>\n<hr>\nCALL",
        "In <city>:\nCALL",
        "It\u2019s what I\u2019ll do.\nCALL",
        "'tis the dogs bowl.\nCALL",
        "The dogs' bowl, the cats' bowl.\nCALL",
        "A 'quick' look, ``quoted'' or ``code``.\nCALL",
        "\u2018Yes\u2019, he\u2019s said.\nCALL",
        "Thought: I must look.\nAction: CALL",
        "Thinking...\nHm.\n...done thinking.\n\nCALL",
        "note: |\n  text\nCALL",
    ],
)
def test_is_called_after_what_has_ended(text: str) -> None:
    """What ends before a call, and what models put around their own, does not hold it back."""
    for spelling in SPELLINGS:
        assert len(decode_lenient(text.replace("CALL", spelling), TOOLS).calls) == 1
