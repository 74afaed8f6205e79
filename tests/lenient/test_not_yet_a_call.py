"""Test that text of a stream which cannot be a call is reported at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import ToolSet, decode_lenient
from lton.lenient import Plain
from tests.strategies import NASTY_TEXTS, examples

TOOLS = ToolSet.from_prompt("wait(minutes:int why?)\nget_it()\nweather=get_weather(city)")


def read_prose(text: str, *, at_once: bool = True) -> str:
    plain = Plain(TOOLS)
    return plain.feed(text) if at_once else "".join(map(plain.feed, text))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Let me see, and wait 5 minutes.\n", "Let me see, and wait 5 minutes.\n"),
        ("Two lines,\n\n \nof text\n", "Two lines,\n\n \nof text\n"),
        ("- one\n2. two\n  three", "- one\n2. two\n"),
        ("Yes.\nwait 5", "Yes.\n"),
        ("Yes.\n- wait 5 minutes", "Yes.\n"),
        ("Get-It now", ""),
        ("weather is fine", ""),
        ("get_weather is fine", ""),
        ("Action: x", ""),
        ("call me", ""),
        ("functions.wait 5", ""),
        ("functions_wait_2 5", ""),
        ("functions are fine", "functions are fine"),
        ("/call wait 5", ""),
        ("/tool_result 5", ""),
        ("/usr/bin is a path", "/usr/bin is a path"),
        ("tool_call : wait 5", ""),
        ("other(x)", ""),
        ("Look [here]", "Look "),
        ("a < b", "a "),
        ("say {x}", "say "),
        ("see to=functions.wait", "see "),
        ("see to", "see "),
        ("see t", "see "),
        ("see too", "see too"),
        ("!call wait 5", ""),
        ("/result wait 5", ""),
        ("/tmp/a is", "/tmp/a is"),
        ("> quoted", "> quoted"),
        ("# Heading\n**bold**", "# Heading\n"),
        ("(in brackets) x", "(in brackets) x"),
        ("東京 is far", "東京 is far"),
        ("w" * 300 + " x", ""),
        ("", ""),
    ],
)
def test_what_is_told_of_a_text(text: str, plain: str) -> None:
    assert read_prose(text, at_once=False) == plain
    assert read_prose(text) in (plain, text)


def test_without_tools_anything_may_be_a_call() -> None:
    assert Plain(None).feed("Hello there") == ""


def test_behind_what_may_be_a_call_nothing_is_told() -> None:
    plain = Plain(TOOLS)
    assert [plain.feed(text) for text in ("Hi.\n", "wait ", "Hi.\n")] == ["Hi.\n", "", ""]


pieces = st.sampled_from(
    [
        *NASTY_TEXTS,
        *"wait |get_it|weather |wait(minutes=5)|wait 5|\n|- |1. | |`|```|```\n|<tool_call>".split(
            "|"
        ),
        *"</tool_call>|{}|[|!call |to=functions.|Action: |The |(|)|: |<think>|'|;".split("|"),
        '{"name": "wait", "arguments": {"minutes": 5}}',
        "<function=wait><parameter=minutes>5</parameter></function>",
    ]
)


@examples(1000)
@given(st.lists(pieces, max_size=12).map("".join))
def test_no_call_begins_in_what_was_told(text: str) -> None:
    result = decode_lenient(text, TOOLS, safe=False)
    plain = read_prose(text)
    assert text.startswith(plain)
    assert plain.startswith(read_prose(text, at_once=False))
    assert all(start >= len(plain) for start, _ in result.called)
    starts = [start for start, _ in result.called]
    ends = [end for _, end in result.called]
    assert all(end <= start for end, start in zip([0, *ends], [*starts, len(text)], strict=True))
    assert not result.calls or result.called
