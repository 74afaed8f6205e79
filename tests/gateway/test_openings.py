"""Test the table of how calls begin, for lenient reading and for the rescue of native calls."""

import json

import pytest

from lton import ToolSet, decode_lenient
from lton.errors import RepairCode
from lton.gateway.native.call_prefix import TextOpening
from lton.gateway.native.rescues import MAX_TEXT, Allowed, TextReading, read_calls
from tests.cases import loop_over
from tests.lenient import test_must_not_call as quoted
from tests.lenient.scoreboard import by_tests, foreign, spelled, verdicts

WAIT = ToolSet.from_prompt("wait(minutes:int)\nstop")
JSON = '{"name": "wait", "arguments": {"minutes": 5}}'
DEEPSEEK = """<|tool_calls_begin|><|tool_call_begin|>function<|tool_sep|>wait
```json
{"minutes": 5}
```<|tool_call_end|><|tool_calls_end|>""".replace("|", "\uff5c").replace("_", "\u2581")
DOUBLED = f"{{{JSON}}}"
FORMATS = [
    JSON,
    DOUBLED,
    f"\n{DOUBLED}\n",
    f"[{JSON}]",
    f"```json\n{JSON}\n```",
    f"<tool_call>\n{JSON}\n</tool_call>",
    f"functools[{JSON}]",
    f"[TOOL_CALLS][{JSON}]",
    '[TOOL_CALLS]wait[ARGS]{"minutes": 5}',
    f"<|python_tag|>{JSON}",
    "<|python_start|>[wait(minutes=5)]<|python_end|>",
    "[wait(minutes=5)]",
    'to=functions.wait<|channel|>commentary json<|message|>{"minutes": 5}',
    '<|channel|>commentary to=functions.wait<|message|>{"minutes": 5}<|call|>',
    "<function=wait><parameter=minutes>5</parameter></function>",
    '<invoke name="wait"><parameter name="minutes">5</parameter></invoke>',
    "<tool_call>wait<arg_key>minutes</arg_key><arg_value>5</arg_value></tool_call>",
    "<tool_call>stop</tool_call>",
    '<|tools_prefix|>[{"wait": {"minutes": 5}}]<|tools_suffix|>',
    DEEPSEEK,
]

NOT_RESCUED = {
    "wait(minutes=5)": "how one writes such a call in a program",
    "!call wait 5": "a line of LTON, which nobody was taught",
    "wait 5": "a command",
    "`wait(minutes=5)`": "a mention",
    "- wait(minutes=5)": "an item of a list",
    f"Action:\n```json\n{JSON}\n```": "a label, which anybody may write",
    'wait\n{"minutes": 5}': "a word and an example",
    "~~~\nwait(minutes=5)\n~~~": "a listing",
    "```python\nwait(minutes=5)\n```": "a program",
    "```lton\nwait 5\n```": "LTON, which nobody was taught",
}
"""Texts that lenient reading takes for a call of `wait` and no gateway rescues, with the reason."""


CUT_OFF = '<|tools_prefix|>[{"forecast": {"place": "Sion"}'
"""A text that an engine reads before its end. In a complete answer, a bracket is missing."""


def allowed(tools: ToolSet, *syntaxes: str) -> Allowed:
    return Allowed(tools=tools, names=frozenset(tools.by_name), syntaxes=frozenset(syntaxes))


def test_text_after_a_long_call_in_doubled_braces_is_not_dropped() -> None:
    """A text above the limit is not examined, even if its beginning is a complete call."""
    call = DOUBLED[:-2].ljust(MAX_TEXT - 1) + "}}"
    assert read_calls(f"{call} No, do not wait.", allowed(WAIT)) == TextReading()


@loop_over(FORMATS)
def test_formats_of_calls_are_rescued(text: str) -> None:
    """In each format, text is held back while it may be a call, however it is cut."""
    rescue = read_calls(text, allowed(WAIT)).rescue
    assert rescue is not None
    assert len(rescue.calls) == 1
    opening = TextOpening()
    for char in text:
        opening.feed(char)
        assert opening.decide_if_call(WAIT.by_name) is not False, opening.text


def test_a_call_in_doubled_braces_is_the_whole_answer() -> None:
    """Qwen2.5-Coder writes such calls, because its template shows them so."""
    others = ("{{ name }}", f"So: {DOUBLED}", '{{"minutes": 5}}', '{{"name"}}', '{"a": {"b": 1}}')
    for text in others:
        assert read_calls(text, allowed(WAIT)).rescue is None, text


def test_a_label_is_a_mark_only_of_models_that_write_it() -> None:
    """A call after a label is rescued only if the model is known to write ReAct."""
    text = f"Action:\n```json\n{JSON}\n```"
    assert read_calls(text, allowed(WAIT)) == TextReading()
    assert read_calls(text, allowed(WAIT, "react")).rescue is not None


@loop_over(sorted(NOT_RESCUED))
def test_what_is_not_rescued_is_read_leniently(text: str) -> None:
    """The table gives the reason for each format that lenient reading accepts and a gateway does
    not rescue.
    """
    read = decode_lenient(text, WAIT)
    assert [*read.calls, *(reading.call for reading in read.uncertain)]
    assert read_calls(text, allowed(WAIT)).rescue is None
    assert NOT_RESCUED[text]


def test_what_engines_read_is_rescued() -> None:
    """Texts of other projects that are only a call are rescued as lenient reading reads them."""
    missed = []
    for verdict in (*verdicts(), *foreign(), *by_tests()):
        decoded = decode_lenient(verdict.text, verdict.tools)
        is_other = any(repair.code is RepairCode.PROSE for repair in decoded.repairs)
        if is_other or decoded.errors or decoded.uncertain or not decoded.calls:
            continue
        if verdict.calls and spelled(decoded.calls) == spelled(verdict.calls):
            missed += [verdict.text] * (
                read_calls(verdict.text, allowed(verdict.tools)).rescue is None
            )
    assert missed == [CUT_OFF, 'tick\n{"arg": 4}']


@pytest.mark.parametrize("spelling", quoted.SPELLINGS)
def test_what_must_not_be_called_is_not_rescued(spelling: str) -> None:
    """Texts that only show a call are not rescued."""
    for text in [line["text"] for line in quoted.LINES if "CALL" in line["text"]]:
        example = quoted.insert_call(text, spelling)
        assert read_calls(example, allowed(quoted.TOOLS)).rescue is None, text
        assert read_calls(json.dumps(text), allowed(quoted.TOOLS)).rescue is None
