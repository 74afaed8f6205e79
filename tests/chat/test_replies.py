"""Test reading a model's content, thoughts and calls, in any chunks."""

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Call, ToolSet, decode_lenient
from lton._syntax import FORMS
from lton.chat import (
    ArgumentsDelta,
    ContentDelta,
    Delta,
    Finish,
    ImitatedAnswer,
    Message,
    Reader,
    RepeatedCall,
    Reply,
    Text,
    Thought,
    ThoughtDelta,
    ToolCall,
    ToolCallEnd,
    ToolCallStart,
    new_call_id,
    read,
)
from lton.chat.writing import Writer
from lton.errors import Code, DecodeError
from lton.schema.jsonschema.keyword_checks import key_of
from tests.cases import loop_over, sizes
from tests.steps import GROWTH, growth, steps
from tests.strategies import NASTY_TEXTS, examples

TOOLS = ToolSet.from_prompt(
    "look(city days?:int near?:[str])\nstop()\nwrite_file(path text)\nget-it(what:(a b:int))"
)
REPLIES = [
    "",
    "Hi.",
    'Sure.\n\n!call look(city="Oslo", days=5)\n!call stop()\nDone.\n',
    'look(city="Oslo", near=["a", "b"])\nstop()\n\n',
    "<think>\n I could !call stop()\n!call stop()\n</think>\n\n!call stop()",
    "<think>half",
    "<think>half</thi",
    "<thi",
    "Well.\n<think>\nor !call stop()\n!call stop()\n</think>\n\n!call stop()\n<think>x",
    "<think>a</think>\n<think>b</think> c <think>d</think>",
    '!call write_file(path="a", text=```\n</think>\n!call stop()\n!result stop 1\n```)\nthere',
    '!call write_file(path="a", text="half',
    '!call write_file(path="a"',
    "!call look(city=5)\nmore",
    "!call wether(city=5)",
    "!call look\n(city s4:Oslo)\nmore",
    '!result stop "x\n!call stop()\n"\n!call stop()\nok',
    "!cal",
    "\n\nIndented:\n    !call me\n",
    "- first\n- look(city='Oslo')\n\nSo far.",
    'Text.\nTO=functions.look {}\n{"name": "look", "arguments": {"city": "a"}}\nbye',
    "For example:\n```\nstop()\n```\n",
    '```json\n{"name": "look", "arguments": {"city": "a"}}\n```',
    "Look! to the\nto to=x < y [1] {2}\n\n \n1. a\n2. b\nwrite file",
    'get-it(what=(a="x", b=1))',
    'Get_It: {"what": {"a": "x", "b": 1}}',
    "w" * 300 + " x",
    '!call look(city="Oslo", days=5)\n!call look(days=5, city="Oslo")\n!call look(city="Os")',
    '!call look(city="Oslo")\n!call stop()\n!result=4\n!call look(city="Oslo"',
    "!result stop {a b}\n \n !error: x\n!result\n!res",
    "!error it failed\nwell",
    "!resulting\n!result stop 5\nx",
    " \n!call stop()\n  \n !errors",
    "write_file a s4:b\n\r\n\n\r\n",
    "write_file a s4:\n\n\n\n\n\nstop()\n\n",
    "write_file a s4:b\n",
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"prose": False},
    {"lenient": True},
    {"in_thought": True},
    {"thoughts": None},
]


def numbered() -> Callable[[], str]:
    return map("call_{}".format, itertools.count()).__next__


def streamed(
    text: str, cuts: Sequence[int], reason: str = "stop", **options: Any
) -> tuple[list[Delta], Reply]:
    """Return the deltas of a string in the given chunks, and the reply."""
    reader = Reader(TOOLS, call_id=numbered(), **options)
    places = [0, *sorted(cuts), len(text)]
    pieces = [text[start:end] for start, end in itertools.pairwise(places)]
    deltas = [delta for piece in pieces for delta in reader.feed(piece)]
    return [*deltas, *reader.close(reason)], reader.reply


def whole(deltas: Sequence[Delta]) -> list[Any]:
    """Join the pieces of each string, and replace errors with their messages."""
    joined: list[Any] = []
    for delta in deltas:
        match delta, joined[-1:]:
            case ContentDelta(text), [("content", before)]:
                joined[-1] = ("content", before + text)
            case ThoughtDelta(text), [("thought", before)]:
                joined[-1] = ("thought", before + text)
            case ArgumentsDelta(index, piece), [(int(same), before)] if index == same:
                joined[-1] = (index, before + piece)
            case ContentDelta(text), _:
                joined.append(("content", text))
            case ThoughtDelta(text), _:
                joined.append(("thought", text))
            case ArgumentsDelta(index, piece), _:
                joined.append((index, piece))
            case Finish(reason, error), _:
                joined.append((reason, str(error)))
            case other, _:
                joined.append(other)
    return joined


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("step", sizes(3, 1))
@loop_over(REPLIES, OPTIONS, ["stop", "length"])
@pytest.mark.untraced
def test_a_reply_is_the_same_however_it_is_cut(
    text: str, options: dict[str, Any], reason: str, step: int
) -> None:
    """A reply is the same in one piece, in single characters, and cut at any one place."""
    deltas, reply = streamed(text, [], reason, **options)
    for cuts in [range(len(text)), *([at] for at in range(0, len(text), step))]:
        others, other = streamed(text, cuts, reason, **options)
        assert whole(others) == whole(deltas)
        assert (other.calls, other.cut, other.rest) == (reply.calls, reply.cut, reply.rest)


WRITTEN = [
    "look Oslo 5\nlook days=5 city=Oslo\n& Oslo\nstop\n",
    "<think>\n a \n</think>\n\nlook Oslo\n\r\n",
    " \n<think>a</think>stop\n!call stop()\nwrite_file a s2:\n\n\n\n",
    "<think>a</think><think>b</think>stop",
    'get-it(what=(a=x, b=1))\nget-it(what=(b=1, a="x"))\nlook [',
    "!call look\n(s4:Oslo u1:5 [s1:a])",
    "look{city Zürich near [a 'b c']}\n",
    "look Oslo\n\nstop",
]


@loop_over([*REPLIES, *WRITTEN], OPTIONS)
def test_a_complete_answer_is_read_as_chunks_are(text: str, options: dict[str, Any]) -> None:
    """`read` returns the reply that a `Reader` returns, for each finish reason."""
    for reason in ("stop", "length", "content_filter", None):
        for repeat_calls in (False, True):
            settings: dict[str, Any] = {**options, "repeat_calls": repeat_calls}
            reader = Reader(TOOLS, call_id=numbered(), **settings)
            for character in text:
                reader.feed(character)
            reader.close(reason)
            reply = read(text, TOOLS, reason=reason, call_id=numbered(), **settings)
            expected = reader.reply
            assert repr(reply.found) == repr(expected.found)
            assert str(reply.error) == str(expected.error)
            without = [replace(one, error=None, found=None) for one in (reply, expected)]
            assert without[0] == without[1]


def test_a_complete_answer_has_the_limits_of_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that may contain a call above the maximum size is read by the stream reader."""
    at_once = steps(lambda: read("stop\n", TOOLS, prose=False))
    monkeypatch.setattr("lton.chat.whole_replies.MAX_CALL", 4)
    assert steps(lambda: read("stop\n", TOOLS, prose=False)) > 2 * at_once


texts = st.lists(
    st.sampled_from([*REPLIES, *NASTY_TEXTS, "\n", "!call ", "look(", "city=", '"', "stop()"])
).map("".join)


@examples(300)
@given(texts, st.sampled_from(OPTIONS), st.sampled_from(["stop", "length"]), st.data())
def test_any_text_is_the_same_however_it_is_cut(
    text: str, options: dict[str, Any], reason: str, data: st.DataObject
) -> None:
    deltas, _ = streamed(text, [], reason, **options)
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=30))
    assert whole(streamed(text, cuts, reason, **options)[0]) == whole(deltas)


@examples(300)
@given(texts, st.sampled_from(OPTIONS), st.sampled_from(["stop", "length"]))
def test_deltas_are_in_order_and_say_what_the_reply_says(
    text: str, options: dict[str, Any], reason: str
) -> None:
    deltas, reply = streamed(text, range(0, len(text), 3), reason, **options)
    items = whole(deltas)
    contents = [delta.text for delta in deltas if isinstance(delta, ContentDelta)]
    thought = [delta.text for delta in deltas if isinstance(delta, ThoughtDelta)]
    assert ("".join(contents), "".join(thought)) == (reply.content, reply.thoughts)
    assert all([*contents, *thought])
    starts = [delta for delta in deltas if isinstance(delta, ToolCallStart)]
    ends = [delta for delta in deltas if isinstance(delta, ToolCallEnd)]
    assert [start.index for start in starts] == list(range(len(starts)))
    assert tuple(end.call for end in ends) == reply.calls
    # A cut call that may be the copy of another has never begun.
    assert len(starts) - len(ends) in {0, int(reply.cut is not None)}
    pieces = [one for one in items if isinstance(one, tuple) and isinstance(one[0], int)]
    arguments = [text for _, text in pieces]
    assert [index for index, _ in pieces] == [start.index for start in starts]
    assert arguments[: len(ends)] == [call.given for call in reply.calls]
    assert all(is_json(text) for text in arguments[: len(ends)])
    assert reply.cut is None or not is_json(str(reply.cut.given))
    assert isinstance(deltas[-1], Finish)
    assert (deltas[-1].reason, deltas[-1].cut) == (reply.finish_reason, reply.cut)
    assert len({(call.name, key_of(call.arguments)) for call in reply.calls}) == len(reply.calls)
    left_out = [delta for delta in deltas if isinstance(delta, RepeatedCall | ImitatedAnswer)]
    assert tuple(left_out) == reply.left_out


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lenient", [False, True])
def test_what_is_written_reads_as_what_was_said(form: Any, lenient: bool) -> None:
    calls = [
        Call("look", {"city": "Oslo", "near": ["a b", 'say "hi"', 'it\'s "x"']}),
        Call("look", {"city": "true", "days": 5}),
        Call("write_file", {"path": "x", "text": "a\n!call stop()\n```\n'\"\n"}),
        Call("stop"),
    ]
    prose = "- first\n\nLet me see." if lenient else "Let me see.\n\n- first"
    text = Writer(TOOLS, form).write_turn(prose, calls)
    reply = read(text, TOOLS, lenient=lenient)
    assert reply.content == prose
    assert [call.call for call in reply.calls] == calls
    assert reply.finish_reason == "tool_calls"
    assert reply.error is None


def test_arguments_come_while_they_are_written() -> None:
    reader = Reader(TOOLS, call_id=lambda: "1")
    assert reader.feed('!call write_file(path="a", text="one') == [
        ToolCallStart(0, "1", "write_file"),
        ArgumentsDelta(0, "{"),
        ArgumentsDelta(0, '"path":"a'),
        ArgumentsDelta(0, '"'),
        ArgumentsDelta(0, ',"text":"one'),
    ]
    assert reader.feed(" \\two") == [ArgumentsDelta(0, " \\\\two")]


def test_content_comes_as_soon_as_it_can_be_no_call() -> None:
    for reader in (Reader(TOOLS), Reader(TOOLS, lenient=True)):
        deltas = [reader.feed(piece) for piece in ("Let me ", "see, ", "which")]
        assert deltas == [[ContentDelta(piece)] for piece in ("Let me ", "see, ", "which")]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('!call stop()\n!call look(city="Oslo", days=5', 1),
        ('!call stop()\n!call look(city="Oslo")', 1),
        ("!call stop()\n!call look city=Oslo days=5", 1),
        ('!call stop()\n!call look(city="Oslo")\n', 2),
        ("!call stop()\n!call lo", 1),
    ],
)
def test_a_call_that_a_limit_cut_is_never_complete(text: str, calls: int) -> None:
    reply = read(text, TOOLS, reason="length")
    assert (len(reply.calls), reply.finish_reason, reply.error) == (calls, "length", None)
    assert reply.cut is None or not is_json(reply.cut.written)
    assert reply.to_message().calls == reply.calls


def test_a_line_end_completes_a_call_though_a_limit_cut_the_rest() -> None:
    assert len(read("stop()\n", TOOLS, prose=False, reason="length").calls) == 1
    assert len(read("stop()", TOOLS, prose=False, reason="length").calls) == 0


def test_a_line_end_in_a_counted_string_does_not_complete_a_call_that_a_limit_cut() -> None:
    """The last characters of a counted string are data, even if they are line ends."""
    call_text = "write_file a s3:x\n\n"
    assert len(read(call_text, TOOLS, prose=False, reason="length").calls) == 0
    assert len(read(f"{call_text}\n", TOOLS, prose=False, reason="length").calls) == 1


@pytest.mark.parametrize(
    "text",
    [
        'stop()\nlook(city="Oslo", days=5',
        '<think>ok</think>\n{"name": "look", "arguments": {"city": "a"}}',
        "stop()",
    ],
)
def test_lenient_reading_repairs_nothing_that_a_limit_cut(text: str) -> None:
    reply = read(text, TOOLS, lenient=True, reason="length")
    assert [call.name for call in reply.calls] == ["stop"] * text.startswith("stop()\n")
    assert reply.finish_reason == "length"
    assert "look" not in reply.content


def test_a_reason_of_the_server_stays_unless_a_call_says_another() -> None:
    assert read("Hi", TOOLS, reason="tool_calls").finish_reason == "stop"
    assert read("Hi", TOOLS, reason=None).finish_reason == "stop"
    assert read("!call stop()", TOOLS, reason="function_call").finish_reason == "tool_calls"
    assert read("!call stop()", TOOLS, reason="content_filter").finish_reason == "content_filter"


def test_what_cannot_be_read_is_an_error_and_what_was_complete_stays() -> None:
    reader = Reader(TOOLS)
    reader.feed("Well.\n!call stop()\n!call wether(")
    assert isinstance(reader.error, DecodeError)
    reader.feed("city=1)\nmore")
    reader.close()
    reply = reader.reply
    assert (reply.content, len(reply.calls)) == ("Well.", 1)
    assert reply.rest == "!call wether(city=1)\nmore"
    assert reply.error is not None
    assert reply.error.msg == "no tool 'wether'"
    assert reply.finish_reason == "tool_calls"


def test_what_is_broken_when_it_has_begun_is_no_json() -> None:
    reply = read('!call look(city="Oslo", days="five")', TOOLS)
    assert reply.cut is not None
    assert (reply.cut.name, reply.cut.given) == ("look", '{"city":"Oslo"')
    assert reply.error is not None
    assert reply.error.code == Code.TYPE


@pytest.mark.parametrize(
    ("before", "after", "content"),
    [
        ("<tool_call>\n", "\n</tool_call>", ""),
        ("<tool_call>\n", "\n</tool_call>\n</tool_call>", ""),
        ("Well.\n<tool_call>\n", "\n</tool_call>\nDone </b>", "Well.\n\nDone </b>"),
        ("", "\n</tool_call>", ""),
        ("```json\n", "\n```", ""),
    ],
)
def test_marks_around_a_call_are_no_content(before: str, after: str, content: str) -> None:
    """In lenient reading, marks around a call are not content, even if the closing mark is
    repeated.
    """
    text = f'{before}{{"name": "look", "arguments": {{"city": "Oslo"}}}}{after}'
    reply = read(text, TOOLS, lenient=True, syntax="tool_call")
    assert (reply.content, len(reply.calls)) == (content, 1)


DEEPSEEK = (
    "<\uff5ctool\u2581call\u2581begin\uff5c>function<\uff5ctool\u2581sep\uff5c>{}\n"
    "```json\n{}\n```<\uff5ctool\u2581call\u2581end\uff5c>"
)


@pytest.mark.parametrize(
    ("syntax", "text"),
    [
        (
            "deepseek",
            "<\uff5ctool\u2581calls\u2581begin\uff5c>"
            + DEEPSEEK.format("look", '{"city": "Oslo"}')
            + "\n"
            + DEEPSEEK.format("stop", "{}")
            + "<\uff5ctool\u2581calls\u2581end\uff5c>",
        ),
        (
            "harmony",
            "<|channel|>commentary to=functions.look <|constrain|>json<|message|>"
            '{"city": "Oslo"}<|call|><|start|>assistant<|channel|>commentary to=functions.stop '
            "<|constrain|>json<|message|>{}<|call|>",
        ),
        (
            "python_tag",
            '<|python_tag|>{"name": "look", "parameters": {"city": "Oslo"}}; '
            '{"name": "stop", "parameters": {}}<|eom_id|>',
        ),
        (
            "kimi_k3",
            '<|open|>tools<|sep|><|open|>call tool="look"<|sep|><|open|>argument key="city"<|sep|>'
            "Oslo<|close|>argument<|sep|><|close|>call<|sep|>"
            '<|open|>call tool="stop"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
        ),
    ],
)
def test_marks_of_a_syntax_are_no_content(syntax: str, text: str) -> None:
    """In lenient reading, all marks of several calls are no content, in any chunks."""
    for before in ("", "I look.\n"):
        reply = read(before + text, TOOLS, lenient=True, syntax=syntax)
        assert (reply.content, len(reply.calls)) == (before.strip(), 2)
        reader = Reader(TOOLS, lenient=True, syntax=syntax)
        for character in before + text:
            reader.feed(character)
        reader.close()
        assert (reader.reply.content, len(reader.reply.calls)) == (before.strip(), 2)


def test_lenient_reading_reports_what_it_found() -> None:
    text = "Hm.\n!call look(city='Oslo')\nwether(x=1)\n!call wether(x=1)"
    reply = read(text, TOOLS, lenient=True)
    result = decode_lenient(text, TOOLS, syntax="lton")
    assert reply.found is not None
    assert (reply.found.calls, reply.found.repairs) == (result.calls, result.repairs)
    assert [call.call for call in reply.calls] == [Call("look", {"city": "Oslo"})]
    assert reply.content == "Hm.\nwether(x=1)"
    assert reply.error is not None
    assert reply.error.code == Code.TOOL


def test_thoughts_are_no_content_and_hold_no_calls() -> None:
    text = "<think>\nmaybe\n!call stop()\n</think>\n\nNo."
    reply = read(text, TOOLS)
    assert (reply.thoughts, reply.content, reply.calls) == ("maybe\n!call stop()", "No.", ())
    assert reply.to_message() == Message("assistant", (Thought("maybe\n!call stop()"), Text("No.")))
    assert read(text.removeprefix("<think>"), TOOLS, in_thought=True) == reply
    assert read("[T]a[/T]b", TOOLS, thoughts=("[T]", "[/T]")).thoughts == "a"
    with pytest.raises(ValueError, match="marks of thoughts"):
        read("", TOOLS, thoughts=("<t>", "\n"))


def test_thoughts_between_lines_of_prose_are_thoughts_too() -> None:
    text = "<think>one</think>So.\n<think>\n!call look(city=1)\n</think>\n!call stop()\n<think>en"
    reply = read(text, TOOLS)
    assert (reply.content, reply.thoughts) == ("So.", "one\n!call look(city=1)\nen")
    assert [call.name for call in reply.calls] == ["stop"]
    assert (reply.error, reply.finish_reason) == (None, "tool_calls")


def test_a_thought_without_an_end_lasts_to_the_end() -> None:
    for lenient in (False, True):
        for text in ("<think>a\n!call stop()</thin", "a\n!call stop()</thin"):
            reply = read(text, TOOLS, lenient=lenient, in_thought=not text.startswith("<"))
            assert (reply.thoughts, reply.content) == ("a\n!call stop()</thin", "")
            assert (reply.calls, reply.error, reply.rest) == ((), None, "")


def test_ids_are_random_and_long() -> None:
    assert len({new_call_id() for _ in range(1000)}) == 1000
    reply = read("!call stop()\n!call stop()", TOOLS, repeat_calls=True)
    assert reply.calls[0].id != reply.calls[1].id


def test_without_tools_calls_are_in_the_tagged_form() -> None:
    reply = read("Hi\n!call any\n(x u1:5)\n", None)
    assert [call.call for call in reply.calls] == [Call("any", {"x": 5})]
    assert read("Hi there", None, lenient=True).content == "Hi there"


@pytest.mark.parametrize("lenient", [False, True])
def test_a_call_is_given_once(lenient: bool) -> None:
    """A call with the same values as an earlier call, in any order, is dropped; 1 and true
    differ.
    """
    texts = [
        'look(city="Oslo", days=5)',
        'look(days=5, city="Oslo")',
        'look(city="Oslo")',
        "stop()",
        "stop()",
        "get-it(what=(a=x, b=1))",
        "get-it(what=(b=1, a=x))",
    ]
    text = "\n".join(f"!call {text}" for text in texts)
    reply = read(text, TOOLS, lenient=lenient)
    assert [call.name for call in reply.calls] == ["look", "look", "stop", "get-it"]
    repeated = [omission.call for omission in reply.left_out if isinstance(omission, RepeatedCall)]
    assert [call.name for call in repeated] == ["look", "stop", "get-it"]
    assert repeated[0].arguments == {"days": 5, "city": "Oslo"}
    assert reply.error is None
    every = read(text, TOOLS, lenient=lenient, repeat_calls=True)
    assert (len(every.calls), every.left_out) == (7, ())


def test_a_call_of_a_tool_that_was_called_waits_for_its_end_and_no_other_does() -> None:
    reader = Reader(TOOLS, call_id=lambda: "1")
    reader.feed('!call look(city="Oslo", days=5)\n!call stop()\n')
    assert reader.feed("!call write_file(") == [
        ToolCallStart(2, "1", "write_file"),
        ArgumentsDelta(2, "{"),
    ]
    reader.feed('path="a", text="b")\n')
    assert reader.feed('!call look(city="Ost", days=') == []
    assert [type(delta) for delta in reader.feed("5)\n")] == [
        ToolCallStart,
        *[ArgumentsDelta] * 5,
        ToolCallEnd,
    ]
    assert reader.feed('!call look(city="Oslo")') == []
    first, *_, end, _ = reader.close()
    assert (type(first), type(end)) == (ToolCallStart, ToolCallEnd)


def test_a_call_that_may_be_a_copy_and_is_cut_is_not_begun() -> None:
    reader = Reader(TOOLS, call_id=lambda: "1")
    reader.feed('!call look(city="Oslo")\n!call look(city="Os')
    assert [type(delta) for delta in reader.close("length")] == [Finish]
    assert reader.reply.cut is not None


def test_the_copy_of_a_call_that_a_limit_cut_is_not_begun() -> None:
    deltas, reply = streamed('!call look(city="Oslo")\n!call look(city="Os', [], "length")
    assert sum(isinstance(delta, ToolCallStart) for delta in deltas) == 1
    assert reply.cut is not None
    assert (reply.cut.name, reply.cut.given) == ("look", '{"city":"Os')


@pytest.mark.untraced
def test_many_different_calls_of_a_tool_are_read_in_linear_time() -> None:

    def work(n: int) -> None:
        calls = [f'!call look(city="{"x" * 50}{number}")' for number in range(n)]
        reply = read("\n".join([*calls, *calls]), TOOLS)
        assert (len(reply.calls), len(reply.left_out)) == (n, n)

    assert growth(work, 1_000) < GROWTH


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    ("text", "content", "imitated"),
    [
        ("!result stop {sky snow}\nIt snows.", "It snows.", ["!result stop {sky snow}"]),
        ("!result=4", "", ["!result=4"]),
        ("!error\n!result: 4\nFour.", "Four.", ["!error", "!result: 4"]),
        ("!error it failed", "", ["!error it failed"]),
        ("Four.\n!result=4", "Four.\n!result=4", []),
        ("!resulting", "!resulting", []),
        ("Four.\n!result stop 5\nwell", "Four.\nwell", ["!result stop 5"]),
    ],
)
def test_an_answer_that_a_model_imitates_is_no_content(
    lenient: bool, text: str, content: str, imitated: list[str]
) -> None:
    reply = read(text, TOOLS, lenient=lenient)
    assert reply.content == content
    assert [
        omission.text for omission in reply.left_out if isinstance(omission, ImitatedAnswer)
    ] == imitated
    assert (reply.calls, reply.rest) == ((), "")


def test_an_answer_that_is_imitated_after_a_call_is_no_content() -> None:
    reply = read("!call stop()\n!result=4\nDone.\n!error=5", TOOLS)
    assert (reply.content, reply.left_out) == ("Done.\n!error=5", (ImitatedAnswer("!result=4"),))


def test_names_are_the_tools_own() -> None:
    tools = ToolSet.from_prompt("weather=get_weather(city)")
    for lenient in (False, True):
        (call,) = read('!call weather(city="Oslo")', tools, lenient=lenient).calls
        assert call == ToolCall("get_weather", '{"city":"Oslo"}', call.id)


def test_after_the_end_comes_nothing() -> None:
    reader = Reader(TOOLS)
    with pytest.raises(ValueError, match="expected the end of the text first"):
        _ = reader.reply
    reader.close()
    with pytest.raises(ValueError, match="found a chunk"):
        reader.feed("x")
    with pytest.raises(ValueError, match="already been closed"):
        reader.close()


@pytest.mark.deep
@pytest.mark.parametrize(
    "unit", ["\n", " ", "x", "x\n", "- ", "<", "to", "<think>", "</think", "!call stop()\n", "1.2"]
)
@pytest.mark.parametrize("options", OPTIONS[:4], ids=str)
def test_it_takes_linear_time(unit: str, options: dict[str, Any]) -> None:
    """Twice as many chunks take twice as many steps, also within a thought."""

    def work(n: int) -> None:
        for begin in ("", "<think>", "x"):
            reader = Reader(TOOLS, **options)
            reader.feed(begin)
            for _ in range(n):
                reader.feed(unit)
            reader.close()

    assert growth(work, 3_000) < GROWTH


@pytest.mark.parametrize(
    ("text", "name", "text_written"),
    [
        ('Hi.\n!call weather(city="Os', "", '!call weather(city="Os'),
        ("Hi.\n!call stop()", "stop", "!call stop()"),
        (
            'Hi.\n<tool_call>{"name": "stop", "arguments": {}}',
            "stop",
            '<tool_call>{"name": "stop", "arguments": {',
        ),
        ("Hi.", None, None),
    ],
)
def test_a_call_that_a_limit_cut_is_seen_in_lenient_reading(
    text: str, name: str | None, text_written: str | None
) -> None:
    tools = ToolSet.from_tools([{"name": "stop"}])
    reader = Reader(tools, lenient=True, syntax=["lton", "tool_call"])
    reader.feed(text)
    reader.close("length")
    reply = reader.reply
    assert (reply.content, reply.calls, reply.finish_reason) == ("Hi.", (), "length")
    cut = (reply.cut.name, reply.cut.written) if reply.cut else (None, None)
    assert cut == (name, text_written)
