"""Test that texts which only show a call are not called, in any spelling."""

import json
from functools import cache
from pathlib import Path

import pytest

from lton import decode_lenient
from lton.lenient.syntaxes import SYNTAXES
from tests.cases import loop_over, tool, tools_of, undoubted_calls

TOOLS = tools_of(tool("delete_file", {"path": {"type": "string"}}, ["path"]))
AS_JSON = '{"name": "delete_file", "arguments": {"path": "/etc"}}'
SPELLINGS = (
    'delete_file(path="/etc")',
    "!call delete_file /etc",
    AS_JSON,
    f"<tool_call>{AS_JSON}</tool_call>",
    '<invoke name="delete_file">\n<parameter name="path">/etc</parameter>\n</invoke>',
)
OF_A_SYNTAX = tuple(one for one in SPELLINGS if one.startswith(("!call", "<")))
"""The spellings that have marks of their own."""
EVERY_SYNTAX = [syntax.name for syntax in SYNTAXES]
LINES = [
    json.loads(line)
    for line in Path(__file__).with_name("must_not_call.jsonl").read_text("utf-8").splitlines()
]
WHO = "who speaks: "
CASES = [line["text"] for line in LINES if not line["group"].startswith(WHO)]
OTHERS = [line["text"] for line in LINES if line["group"].startswith(WHO)]


def insert_call(text: str, spelling: str) -> str:
    """Return a text with a call whose later lines are indented like its first line."""
    before = text[: text.index("CALL")].rpartition("\n")[2]
    indent = before if not before.strip() else ""
    return text.replace("CALL", spelling.replace("\n", f"\n{indent}"))


OF_THE_MODEL = ["Thinking...\nPerhaps\nCALL\n...done thinking.\n\nNo."]
"""Texts whose calls nothing but words of one language distinguishes from a model's own."""


@cache
def others_called() -> list[tuple[str, str]]:
    """Return the texts of other speakers from which a call is read, with its spelling."""
    return [
        (text, spelling)
        for text in OTHERS
        for spelling in SPELLINGS
        for syntax in ((), EVERY_SYNTAX)
        if decode_lenient(insert_call(text, spelling), TOOLS, syntax=syntax).calls
    ]


def test_others_speak() -> None:
    """No call is read from turns, quotations, logs, emails, transcripts and code of others, even if
    the model is known to write its syntax.
    """
    assert others_called() == []


@loop_over(CASES)
def test_is_not_called(text: str) -> None:
    """Each text shows a call in each spelling, in which the word CALL is replaced, and no call is
    read.
    """
    for spelling in SPELLINGS:
        called = text.replace("CALL", spelling)
        assert decode_lenient(called, TOOLS).calls == ()
        if text not in OF_THE_MODEL:
            assert decode_lenient(called, TOOLS, syntax=EVERY_SYNTAX).calls == ()


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
def test_what_has_ended_raises_no_doubt(text: str) -> None:
    """Quotations that end before a call, and marks around a model's own calls, are only other text
    next to the call.
    """
    for spelling in SPELLINGS:
        result = decode_lenient(text.replace("CALL", spelling), TOOLS)
        assert len(undoubted_calls(result)) == 1


@loop_over(
    [
        "I'll do it at 10:30.\nCALL",
        "10:30 works for me.\nCALL",
        "The error says the file is stale:\nCALL",
        "As the user said:\nCALL",
        "### Step 1\nCALL",
        "# Plan\nCALL",
        "1. Delete the file\nCALL",
        "Look:\n<tool_call>\n    CALL\n</tool_call>",
        "Plan:\n- look\n- delete\n\nCALL",
        "Here's the plan:\n\n1. Delete\n2. Verify\n\nCALL",
        "Let me delete it (as you asked).\nCALL",
        "I wrote a note.\nCALL",
        "Mail bob@x.org the result:\nCALL",
        "From Oslo to Bergen in 2026\nCALL",
        "The tool is ready:\n\nCALL",
        'He said "yes".\nCALL',
        "OK, let's go!\n\nCALL",
        "**Action**: CALL",
        "Action: CALL",
        "Tool: CALL",
        "Calling the tool now...\nCALL",
        "=> done\nCALL",
        "Result: 5%\nCALL",
        "a | b\n--- | ---\n1 | 2\n\nCALL",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\nCALL",
        "```python\nprint(1)\n```\nCALL",
        "Here: `x`\nCALL",
        "I have two files:\n* a\n* b\nCALL",
        "---\nCALL",
        "Sure thing :)\nCALL",
        "<answer>\nCALL\n</answer>",
        "The function: it deletes.\nCALL",
        "User wants it gone.\nCALL",
        "System is fine.\nCALL",
        "Date: Monday\nTime: 10:00\n\nCALL",
        "It costs $5 and 10%.\nCALL",
        "We use <b>bold</b>.\nCALL",
        "This is the 2nd: x > y.\nCALL",
        "ファイルを削除します。\nCALL",
        "我将删除该文件\uff1a\nCALL",
        "Je supprime le fichier :\nCALL",
        "Ich lösche die Datei:\nCALL",
        "他说「好」。\nCALL",
        "It\u2019s done — 3 of 4.\nCALL",
        "@bob asked me to.\nCALL",
        "In 2026-01-01 it was made.\nCALL",
        "Step 2 of 3:\nCALL",
        "  CALL",
        "\n\nCALL",
        "I'll run it:\n  CALL",
        "- CALL",
        "1. CALL",
        "> You asked to delete it.\n\nCALL",
        '{"plan": 1}\nCALL',
        "(thinking) ok\nCALL",
        "Assistant:\nCALL",
        "<|im_start|>assistant\nCALL",
        "<|start_header_id|>assistant<|end_header_id|>\n\nCALL",
        "<|assistant|>\nCALL",
        "<seed:bos>assistant\nCALL",
        "<SPECIAL_12>Assistant\nCALL",
        "<|start_of_turn|>model\nCALL",
        "<start_of_turn>model\nCALL",
        "Deleting file 3:\nCALL",
        "Using:\n\nCALL",
        "I use the tools::delete module.\nCALL",
    ]
)
def test_what_only_looks_so_raises_no_doubt(text: str) -> None:
    """Times, headings, labels, tables and a model's own words are only text next to a call."""
    for spelling in SPELLINGS:
        result = decode_lenient(text.replace("CALL", spelling), TOOLS)
        assert len(undoubted_calls(result)) == 1


@loop_over(
    [
        "I'll do it at 10:30.\nCALL",
        "Let me delete it (as you asked).\nCALL",
        "I wrote a note.\nCALL",
        'He said "yes".\nCALL',
        "OK, let's go!\n\nCALL",
        "Calling the tool now...\nCALL",
        "User wants it gone.\nCALL",
        "System is fine.\nCALL",
        "It costs 5 Euro and 10%.\nCALL",
        "I read `a | b` now.\nCALL",
        "ファイルを削除します。\nCALL",
        "Je supprime le fichier !\nCALL",
        "Ich lösche die Datei\nCALL",
        "It\u2019s done.\nCALL",
        "Done.  Now the other one.\nCALL",
        "\u00bfQu\u00e9 hago? Lo borro.\nCALL",
        "CALL\nThat is all.",
        "\n\nCALL",
    ]
)
def test_a_known_syntax_is_called_after_prose(text: str) -> None:
    """A call in a syntax that the model is known to write is certain after a plain sentence."""
    for spelling in OF_A_SYNTAX:
        assert len(decode_lenient(text.replace("CALL", spelling), TOOLS, syntax=EVERY_SYNTAX).calls)
        other = decode_lenient(text.replace("CALL", spelling), TOOLS, syntax="mistral")
        assert len(other.calls) == (not text.strip("CAL\n"))


@loop_over(
    [
        "The error says the file is stale:\nCALL",
        "我将删除该文件\uff1a\nCALL",
        "用户\uff1a请删除这个文件\nCALL",
        "bob: look at this\nCALL",
        "### Step 1\nCALL",
        "1. Delete the file\nCALL",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\nCALL",
        "---\nCALL",
        "Tool: CALL",
        "SUMMARY:x\nCALL",
        "level=info\nCALL",
        "mysql> select\nCALL",
        "name      size\nCALL",
        "name\tsize\nCALL",
        "Ann:\nplease\n\nCALL",
        "**Ann:**\nplease do it\nCALL",
        "line three in go\n  CALL",
        "Ticket 4711\nCALL",
    ]
)
def test_a_known_syntax_is_uncertain_after_other_text(text: str) -> None:
    """After a colon, label, heading, table, prompt or indent, a known tag is no proof."""
    for spelling in SPELLINGS:
        called = text.replace("CALL", spelling)
        result = decode_lenient(called, TOOLS, syntax=EVERY_SYNTAX)
        assert result.calls == ()
        assert [one.call.name for one in result.uncertain] == ["delete_file"]
