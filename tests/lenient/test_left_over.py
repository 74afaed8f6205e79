"""Test text next to calls, texts that are cut anywhere, and values as written."""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from lton import DecodeError, ToolSet, decode, decode_lenient
from lton.errors import RepairCode
from lton.lenient import LenientResult
from lton.lenient.syntaxes import syntaxes_in_template
from tests.cases import loop_over, sizes, undoubted_calls
from tests.lenient import scoreboard
from tests.lenient.scoreboard import Verdict
from tests.lenient.test_scoreboard import read_in_pieces

TOOLS = ToolSet.from_tools(
    [
        {
            "name": name,
            "parameters": {
                "type": "object",
                "properties": {"söker": {"type": "string"}, "limit": {"type": "integer"}},
            },
        }
        for name in ("remove_all", "Rakna", "mcp__notes__find-it")
    ]
)
NAMES = [tool.name for tool in TOOLS]
OBJECT = '{"söker": "grönt te", "limit": 34}'
BESIDE = [
    "{0}\nsöker: te",
    "{0}\n- söker: te",
    "{0}\n1. **Söker**: te",
    "{0}\nlimit = 5",
    "{0}\n<limit>5</limit>",
    "{0}()\nlimit: 5",
    "{0}\nParámetros: te",
    "{0}\n参数\uff1ate",
    "{0}\n```toml\nlimit = 5\n```",
    '{0}\n["te"]',
    f"{{0}}\nwith these arguments:\n{OBJECT}",
    f"{OBJECT}\n{{0}}",
    "limit: 5\n{0}",
    "<tool_call>\n{0}\n\nlimit: 5\n</tool_call>",
    "<tool_call>\n{0} \nlimit 5\n</tool_call>",
    f"<tool_call>{{0}}</tool_call>\n{OBJECT}",
    "Action: {0}\nAction Input: te",
    "Action: {0}\nAction Input: limit=5",
    "{0}\r\nsöker: te\r\n",
]
"""Texts in which something stands beside a name that may be its arguments."""
READ = [
    "Action: {0}\nAction Input: %s",
    "Thought: so.\nAction: {0}\r\nAction Input: %s\r\n",
    "**Tool:** {0}\n**Tool Input:**\n```json\n%s\n```",
    "{0}\n%s",
    "{0}()\n%s",
    "{0}\nArguments: %s",
    "<tool_call>\n{0}\n%s\n</tool_call>",
    "<tool_call>\n{0}\n<arguments>\n%s\n</arguments>\n</tool_call>",
    "<|channel|>commentary to=functions.{0} python<|message|>%s<|call|>",
    "<|start|>assistant<|channel|>commentary to={0} <|constrain|>json<|message|>%s<|call|>",
    "analysiscommentary to=functions.{0} json%s",
    "<{0}>\n%s\n</{0}>",
    '<function="{0}">%s</function>',
    "<function={0}%s</function>",
]
"""Texts whose arguments can be read in one way only."""


@pytest.mark.parametrize("text", BESIDE)
@pytest.mark.parametrize("name", NAMES)
def test_no_call_is_made_without_what_stands_beside_it(name: str, text: str) -> None:
    """A call without the arguments next to it is an error, for any tool and language."""
    result = decode_lenient(text.replace("{0}", name), TOOLS, safe=False)
    assert [dict(call.arguments) for call in result.calls if not call.arguments] == []
    assert result.errors


@pytest.mark.parametrize("text", READ)
@pytest.mark.parametrize("name", ["remove_all", "mcp__notes__find-it"])
def test_arguments_are_read_where_they_can_be(name: str, text: str) -> None:
    """Arguments are read from an object at the end of the text or before other text."""
    whole = text.replace("{0}", name).replace("%s", OBJECT)
    for one in (whole, f"Let me look.\n\n{whole}", f"{whole}\n\nThat is all."):
        calls = undoubted_calls(decode_lenient(one, TOOLS))
        assert [(call.name, dict(call.arguments)) for call in calls] == [
            (name, json.loads(OBJECT))
        ], one


def certain(text: str, tools: ToolSet, ended: bool | None = None) -> list[str]:
    """Return the certain calls as strings."""
    return scoreboard.spelled(decode_lenient(text, tools, ended=ended).calls)


def is_strict(text: str) -> bool:
    """Return whether a text can be read strictly."""
    try:
        decode(text, TOOLS)
    except DecodeError:
        return False
    return True


WHOLE = [
    *(text.replace("{0}", "remove_all").replace("%s", OBJECT) for text in READ),
    f'{{"name": "remove_all", "arguments": {OBJECT}}}',
    f'<tool_call>{{"name": "remove_all", "arguments": {OBJECT}}}</tool_call>',
    f"[TOOL_CALLS]remove_all[ARGS]{OBJECT}",
    "[remove_all(limit=34)]",
    "So:\nremove_all(limit=34)",
    "<|tool_call>call:remove_all{limit:34}<tool_call|>",
    "<remove_all><limit>34</limit></remove_all>",
]


@pytest.mark.parametrize("text", WHOLE)
def test_a_cut_changes_no_value(text: str) -> None:
    """Wherever a text is cut, no certain call has another value or empty arguments."""
    (call,) = undoubted_calls(decode_lenient(text, TOOLS))
    for end in range(len(text)):
        if is_strict(text[:end]):  # R-1001
            continue
        for part in undoubted_calls(decode_lenient(text[:end], TOOLS)):
            assert part.arguments
            assert part.arguments.items() <= call.arguments.items(), text[:end]


@pytest.mark.parametrize("text", WHOLE)
def test_of_a_text_that_was_cut_no_call_at_its_end_is_made(text: str) -> None:
    """If the text was cut off, a call at its end is uncertain, even if it looks complete."""
    assert certain(text, TOOLS, ended=False) == []
    assert certain(text, TOOLS, ended=True) == certain(text, TOOLS)


def test_the_beginning_of_another_name_is_no_call() -> None:
    """A name at the very end may begin another tool's name, unless a line end follows."""
    tools = ToolSet.from_tools([{"name": name, "parameters": {}} for name in ("list", "list_all")])
    result = decode_lenient("So:\nlist", tools)
    assert [one.code for one in result.uncertain] == [RepairCode.CUT]
    for text in ("list\n", "list_all"):
        (call,) = undoubted_calls(decode_lenient(f"So:\n{text}", tools))
        assert call.name == text.strip()


NEW = [*scoreboard.by_tags(), *scoreboard.reported()]


@pytest.mark.parametrize("step", sizes(25, 5))
@loop_over(NEW)
@pytest.mark.untraced
def test_cut_everywhere_in_two(verdict: Verdict, step: int) -> None:
    """A text in two pieces gives the calls and the prose of the whole, wherever it is cut.

    Each text is cut at every fifth place, or in the daily tier at every 25th, and texts of
    different lengths at different places.
    """
    size = len(verdict.text)
    whole = read_in_pieces(verdict, size)
    for cut in range(1 + size % step, size, step):
        assert read_in_pieces(verdict, cut) == whole


# --- values, and the text that they come from ---------------------------------------------------

_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL)
_CHANGES = {
    *(RepairCode.NAME, RepairCode.LABEL, RepairCode.ESCAPE, RepairCode.QUOTES),
    *(RepairCode.KIND, RepairCode.BACKSLASH),
}
"""Repairs that may make another string of what is written."""


def strings(value: Any) -> Iterator[str]:
    """Yield the strings in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)


def find_quoted_strings(text: str) -> set[str]:
    """Return the quoted strings of a text, decoded as JSON or else as Python."""
    strings = set()
    for match in _QUOTED.finditer(text):
        for read in (json.loads, ast.literal_eval):
            try:
                strings.add(read(match[0]))
                break
            except (ValueError, SyntaxError):
                continue
    return strings


def changed(text: str, result: LenientResult) -> list[str]:
    """Return the strings of calls that differ from the text without a repair."""
    known_strings = find_quoted_strings(text)
    changes = []
    for index, call in enumerate(result.calls):
        codes = {repair.code for repair in result.repairs if repair.call == index}
        for value in strings(dict(call.arguments)):
            is_written = value in known_strings or value in text or json.dumps(value)[1:-1] in text
            if not (is_written or codes & _CHANGES):
                changes.append(value)
    return changes


@loop_over(scoreboard.everything())
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
@pytest.mark.untraced
def test_what_changes_a_value_has_a_code(verdict: Verdict) -> None:
    """A string equals the JSON string or the text itself, unless a repair reports a change."""
    result = decode_lenient(verdict.text, verdict.tools, safe=False)
    assert changed(verdict.text, result) == []


@pytest.mark.parametrize(
    ("text", "value", "code"),
    [
        (r'"C:\Users\new\table"', "C:\\Users\\new\\table", RepairCode.BACKSLASH),
        (r'"\d+\.\w{2}"', r"\d+\.\w{2}", RepairCode.BACKSLASH),
        (r'"a \"b\" \d\n"', r'a "b" \d\n', RepairCode.BACKSLASH),
        (r'"C:\\Users\\new"', r"C:\Users\new", None),
        (r'"a\tb"', "a\tb", None),
        (r'"\\d+\n"', "\\d+\n", None),
    ],
)
@pytest.mark.parametrize(
    "around",
    [
        '{{"name": "remove_all", "arguments": {{"söker": {0}}}}}',
        "<tool_call>\n{{'name': 'remove_all', 'arguments': {{'söker': {0}}}}}\n</tool_call>",
        "[remove_all({0})]",
    ],
)
def test_backslashes(around: str, text: str, value: str, code: RepairCode | None) -> None:
    """Windows paths and regular expressions are read as written, in JSON and in Python."""
    result = decode_lenient(around.format(text), TOOLS)
    assert [dict(call.arguments) for call in result.calls] == [{"söker": value}]
    codes = {repair.code for repair in result.repairs}
    assert (RepairCode.BACKSLASH in codes) is (code is RepairCode.BACKSLASH)


@pytest.mark.parametrize("text", [r'"C:\\Users\me"', r'"it\'s"', r'"caf\u00e9 \d"'])
def test_a_string_that_is_half_escaped_is_an_error(text: str) -> None:
    """A string in which only some backslashes are escaped has two readings, and is an error."""
    around = '{{"name": "remove_all", "arguments": {{"söker": {0}}}}}'
    result = decode_lenient(around.format(text), TOOLS)
    assert not result.calls
    assert [error.code for error in result.errors] == ["E101"]


@pytest.mark.untraced
def test_reports_fell_for_what_is_left_over() -> None:
    """Damaged texts from reports give no call, and all others are read."""
    for verdict in scoreboard.reported():
        syntax = syntaxes_in_template(verdict.text)
        result = decode_lenient(verdict.text, verdict.tools, syntax=syntax)
        expected = [] if verdict.calls is None else verdict.calls
        assert scoreboard.spelled(undoubted_calls(result)) == scoreboard.spelled(expected)
