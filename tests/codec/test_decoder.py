"""Test that a decoder reports certain events, keeps little text, and stays at its error."""

import json
import pickle
from contextlib import suppress
from typing import Any

import pytest

from lton import (
    Call,
    DecodeError,
    Decoder,
    EncodeError,
    IncompleteError,
    Result,
    ToolSet,
    decode,
    encode,
    events,
)
from lton.errors import Code
from spec.conformance.python_codec import answer
from spec.conformance.run import Question, compare, questions
from tests.cases import (
    ANYTHING,
    F_STR,
    FREE_ARGS,
    STR,
    UNIT,
    WEATHER,
    loop_over,
    taking,
    tool,
    tools_of,
)

STREAMS = [question for question in questions() if question.kind == "stream"]


def fed(*chunks: str, tools: ToolSet | None = WEATHER, **options: Any) -> Decoder:
    """Return a decoder that was fed some text."""
    decoder = Decoder(tools, **options)
    for chunk in chunks:
        decoder.feed(chunk)
    return decoder


def failure(decoder: Decoder) -> DecodeError:
    """Return the error that a decoder raises."""
    with pytest.raises(DecodeError) as caught:
        list(decoder)
    return caught.value


@loop_over(STREAMS)
def test_the_cases_of_the_suite(question: Question) -> None:
    """Each text in chunks of the conformance suite gives the events or the error of its case."""
    assert compare(question, json.loads(json.dumps(answer(question.request)))) is None


# --- events -------------------------------------------------------------------------------------


def test_events_come_as_soon_as_they_are_certain() -> None:
    """Each certain event is reported when it is requested, in the order of the text."""
    decoder = fed("weather.v1 Par")
    assert list(decoder) == [events.CallStart("weather.v1")]
    decoder.feed("is 7")
    assert decoder.next_event() == events.Argument("city", "Paris")
    assert decoder.next_event() is None
    decoder.feed("\nsto")
    call = Call("weather.v1", {"city": "Paris", "days": 7})
    assert list(decoder) == [events.Argument("days", 7), events.CallEnd(call)]
    decoder.feed("p")
    decoder.close()
    assert list(decoder) == [events.CallStart("stop"), events.CallEnd(Call("stop", {}))]


def test_chunks_wait_until_they_are_asked_for() -> None:
    """Several chunks may be fed before the first event is requested, and no event is lost."""
    decoder = fed("st", "op\nst", "op\n")
    assert decoder.next_event() == events.CallStart("stop")
    decoder.feed("stop\n")
    assert [type(event) for event in decoder] == [
        events.CallEnd,
        events.CallStart,
        events.CallEnd,
        events.CallStart,
        events.CallEnd,
    ]


def test_the_end_is_told_again_and_again() -> None:
    """After the end there are no events, however often they are requested."""
    decoder = fed("stop")
    decoder.close()
    decoder.close()
    assert len(list(decoder)) == 2
    assert [decoder.next_event(), decoder.next_event(), *decoder] == [None, None]


def test_an_empty_text_has_no_events() -> None:
    """An empty text, or a text of empty chunks, has no events."""
    decoder = fed("", "")
    assert decoder.next_event() is None
    decoder.close()
    assert decoder.next_event() is None


def test_text_behind_the_end_is_the_callers_mistake() -> None:
    """Feeding a closed decoder raises an error of the program, not of the text."""
    decoder = fed("stop")
    decoder.close()
    with pytest.raises(ValueError, match="after the end") as caught:
        decoder.feed("\n")
    assert not isinstance(caught.value, DecodeError)
    assert len(list(decoder)) == 2


def test_answers_are_events() -> None:
    """Results and errors of calls are read with their values, also without tools (R-426)."""
    text = "!result stop {a [1 2.0]}\n!error stop 'too late'\n"
    expected = [
        events.Answer(Result("stop", {"a": [1, 2.0]})),
        events.Answer(Result("stop", "too late", is_error=True)),
    ]
    assert list(fed(text)) == expected
    assert list(fed(text, tools=None)) == expected


def test_prose_is_handed_on() -> None:
    """Lines without a sigil are reported unchanged, with their line ends, and contain no calls
    (R-429).
    """
    text = "I look.\r\nstop\n\n& 1\n!call stop\n\nDone. !call stop"
    decoder = fed(text, prose=True)
    decoder.close()
    event_list = list(decoder)
    lines = [event.text for event in event_list if isinstance(event, events.Prose)]
    assert lines == ["I look.\r\n", "stop\n", "\n", "& 1\n", "\n", "Done. !call stop"]
    assert event_list[4:6] == [events.CallStart("stop"), events.CallEnd(Call("stop", {}))]


# --- errors -------------------------------------------------------------------------------------


def test_an_error_is_final() -> None:
    """After an error, each request raises the same error, and later chunks change nothing."""
    decoder = fed("stop\nstab ")
    assert decoder.next_event() == events.CallStart("stop")
    assert isinstance(decoder.next_event(), events.CallEnd)
    error = failure(decoder)
    decoder.feed("\nstop\n")
    assert failure(decoder) is error
    decoder.close()
    assert failure(decoder) is error


def test_an_error_comes_when_what_is_wrong_has_ended() -> None:
    """The error comes when the wrong value ends, wherever the text was cut; `doc` is the received
    part of the frame (R-803).
    """
    for chunks in (["stop\nstab 12\nstop"], ["stop\nst", "ab", " 12"], [*"stop\nstab 12"]):
        error = failure(fed(*chunks))
        assert (error.code, error.pos, error.start) == (Code.TOOL, 5, 5)
        assert error.msg == "no tool 'stab'"
        assert error.doc.startswith("stab ")


def test_an_error_knows_its_line_in_the_whole_text() -> None:
    """Positions, lines and columns count from the beginning of the whole text."""
    decoder = Decoder(WEATHER)
    chunks = ["stop\n", "weather.v1 s3:a\nb 7\n!call weather.v1\n(city s1:a)", "\n(days x1:7)"]
    for chunk in chunks[:-1]:
        decoder.feed(chunk)
        assert list(decoder)
    decoder.feed(chunks[-1])
    error = failure(decoder)
    assert (error.code, error.line, error.column) == (Code.SYNTAX, 6, 7)
    assert error.start == 25


def test_the_picture_of_an_error_shows_its_line() -> None:
    """The caret picture shows the received part of the line."""
    decoder = fed("stop\n")
    assert len(list(decoder)) == 2
    decoder.feed("weather.v1 Rome ")
    assert len(list(decoder)) == 2
    decoder.feed("seven\nstop\n")
    error = failure(decoder)
    assert (error.code, error.pos, error.path) == (Code.TYPE, 21, "/days")
    assert (error.start, error.line, error.column) == (5, 2, 17)
    assert error.picture() == "weather.v1 Rome seven\n                ^"
    assert "line 2, column 17, at /days" in str(error)


def test_a_cut_text_is_incomplete() -> None:
    """At the end of the text, the error equals that of `decode`, including `IncompleteError`."""
    decoder = fed("stop\nweather.v1 'Par")
    assert len(list(decoder)) == 3
    decoder.close()
    error = failure(decoder)
    assert isinstance(error, IncompleteError)
    assert (error.code, error.pos, error.path) == (Code.INCOMPLETE, 20, "/city")


@pytest.mark.parametrize(
    ("text", "code", "msg"),
    [
        ("f 'F h'\n", Code.LABEL, "expected one of 'C', 'F g', found \"'F h'\""),
        ("f s3:Fxy\n", Code.LABEL, "expected one of 'C', 'F g', found 's3:Fxy'"),
        ("f [Cx]\n", Code.TYPE, "expected one of 'C', 'F g', found '['"),
        ("f C surplus+2\n", Code.SURPLUS, "expected at most 1 arguments, found 'surplus+2'"),
        ("f C 'surplus'\n", Code.SURPLUS, "expected at most 1 arguments, found \"'surplus'\""),
        ("!call f\n('q' n)", Code.PARAMETER, "no parameter 'q'"),
        ("'g' C", Code.TOOL, "no tool 'g'"),
    ],
)
def test_an_error_says_the_same_however_the_text_was_cut(text: str, code: Code, msg: str) -> None:
    """The message quotes a complete value, or the first character of an incomplete value."""
    for size in (1, 2, 100):
        decoder = Decoder(taking({"enum": ["C", "F g"]}))
        error = None
        for start in range(0, len(text), size):
            decoder.feed(text[start : start + size])
            try:
                list(decoder)  # asked for each chunk: those that wait are read together
            except DecodeError as caught_error:
                error = caught_error
        assert error is not None
        assert (error.code, error.msg) == (code, msg)


@pytest.mark.parametrize(
    ("schema", "text", "msg"),
    [
        (
            {"properties": {"a": {}}},
            '{"a":1}',
            "expected an object in parentheses, found '{\"a\":1'",
        ),
        ({"additionalProperties": {}}, "(a:1)", "expected an object in braces, found '(a:1'"),
        ({"properties": {"a": {}}}, "[1]", "expected an object, found '[1'"),
    ],
)
def test_an_object_in_other_brackets_is_told_which(
    schema: dict[str, object], text: str, msg: str
) -> None:
    """JSON's braces are for objects with any keys, and parentheses for the declared members."""
    tools = taking({"type": "object", **schema})
    with pytest.raises(DecodeError) as caught:
        decode(f"f {text}", tools)
    assert (caught.value.code, caught.value.msg) == (Code.TYPE, msg)


@pytest.mark.parametrize(
    ("text", "msg"),
    [
        ("[]", "expected an array of at least 1 item, found an array of 0 items"),
        ("[1 2 3]", "expected an array of at most 2 items, found an array of 3 items"),
    ],
)
def test_a_wrong_number_of_items_is_counted(text: str, msg: str) -> None:
    """Both directions name the number of items that are allowed and found."""
    tools = taking({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2})
    with pytest.raises(DecodeError) as caught:
        decode(f"f {text}", tools)
    assert (caught.value.code, caught.value.msg) == (Code.BOUNDS, msg)
    with pytest.raises(EncodeError) as refused:
        encode(Call("f", {"x": json.loads(text.replace(" ", ","))}), tools)
    assert (refused.value.code, refused.value.msg) == (Code.BOUNDS, msg)


@pytest.mark.parametrize("text", ["f ", "f(", "f\n", "'f' ", "f#0123abcd ", "!call f ", "&"])
def test_without_tools_a_map_comes_after_a_name(text: str) -> None:
    """Without tools, a line that cannot become a frame is refused after its name (R-433)."""
    error = failure(fed(f"{text}a 1", tools=None))
    assert error.code == (Code.REPEAT if text == "&" else Code.SCHEMALESS)
    assert (error.pos, error.doc) == (0, f"{text}a 1")


def test_an_error_can_be_sent_home() -> None:
    """An error of a decoder can be pickled with all its attributes."""
    decoder = fed("stop\n")
    list(decoder)
    decoder.feed("stab ")
    error = failure(decoder)
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.start, copy.line, str(copy)) == (error.start, error.line, str(error))


# --- limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_call_of_the_limit_is_read_and_a_longer_one_is_not(size: int) -> None:
    """A call may have `max_call` characters including its line end, and not one more (R-1104)."""
    for count, fits in ((5, True), (6, False)):
        text = "f 1\nf '" + "a" * count + "'\nf 2\n"
        decoder = Decoder(F_STR, max_call=10)
        event_list: list[events.Event] = []
        error = None
        try:
            for start in range(0, len(text), size):
                decoder.feed(text[start : start + size])
                event_list += decoder
        except DecodeError as caught:
            error = caught
        calls = [
            event.call.arguments["x"] for event in event_list if isinstance(event, events.CallEnd)
        ]
        assert calls == (["1", "aaaaa", "2"] if fits else ["1"])
        if not fits:
            assert error is not None
            assert (error.code, error.pos, error.path) == (Code.CALL_SIZE, 4, "")
            assert (error.line, error.column, len(error.doc)) == (2, 1, 11)


def test_a_counted_text_may_end_where_its_call_must() -> None:
    """If a counted string just fits into the limit of its call, the decoder waits for its end."""
    decoder = Decoder(F_STR, max_call=8)
    decoder.feed("f s3:abc")
    decoder.close()
    assert len(list(decoder)) == 3


def test_an_error_in_an_argument_has_its_path() -> None:
    """An error in an argument has its path, even if its place is in a chunk that was already
    dropped.
    """
    error = failure(fed("f [C, s9:", "no labels]", tools=taking({"type": "array", "items": UNIT})))
    assert (error.code, error.pos, error.path) == (Code.LABEL, 6, "/x/1")


def test_a_length_that_no_call_has_room_for_is_refused_at_once() -> None:
    """A counted string that cannot fit is refused at once (R-1104, R-805)."""
    error = failure(fed("f s999999999:a", tools=F_STR))
    assert (error.code, error.pos, error.path, error.doc) == (
        Code.CALL_SIZE,
        0,
        "",
        "f s999999999:a",
    )


def count_kept_characters(decoder: Decoder) -> int:
    """Return the number of characters that a decoder keeps."""
    buffer = decoder._buffer
    pieces = (buffer.text, *buffer.chunks, *buffer.rest, *buffer.aside, *buffer.before)
    return sum(map(len, pieces))


@pytest.mark.parametrize("prose", [False, True])
def test_what_is_complete_is_forgotten(prose: bool) -> None:
    """After two thousand calls, the decoder keeps no more text than after a few (R-805)."""
    calls = [Call("m", {"n": number, "text": "x" * 20}) for number in range(2_000)]
    lines = encode(calls, FREE_ARGS).replace("&", "!call m").split("\n")
    text = "\n".join(f"{line}\nso" if prose else line for line in lines)
    decoder = Decoder(FREE_ARGS, prose=prose)
    most = count = 0
    for start in range(0, len(text), 256):
        decoder.feed(text[start : start + 256])
        count += sum(isinstance(event, events.CallEnd) for event in decoder)
        most = max(most, count_kept_characters(decoder))
    assert count >= 1_999
    assert most < 1000


def test_a_call_that_never_ends_is_given_up() -> None:
    """If a call never ends, the decoder keeps no more text than its limit (R-805)."""
    decoder = fed("f '", tools=F_STR, max_call=1000)
    most = 0
    for _ in range(19):
        decoder.feed("a" * 50)
        list(decoder)
        most = max(most, count_kept_characters(decoder))
    decoder.feed("a" * 50)
    assert failure(decoder).code == Code.CALL_SIZE
    assert most <= 2 * 1000


def test_long_values_take_linear_time() -> None:
    """A long string in small chunks is read in linear time."""
    text = "f '" + "a" * 200_000 + "'"
    decoder = Decoder(F_STR)
    for start in range(0, len(text), 16):
        decoder.feed(text[start : start + 16])
        list(decoder)
    decoder.close()
    assert [event.call for event in decoder if isinstance(event, events.CallEnd)] == decode(
        text, F_STR
    )


def test_repeats_follow_the_call_above() -> None:
    """`&` calls the tool of the last call, even if answers or long texts lie between."""
    decoder = fed("f 1\n", tools=tools_of(tool("f", {"x": {"type": "integer"}}), tool("g")))
    assert len(list(decoder)) == 3
    decoder.feed("!result f 1\n& 2\n& y\n")
    assert events.CallEnd(Call("f", {"x": 2})) in [next(iter(decoder)) for _ in range(4)]
    error = failure(decoder)
    assert (error.code, error.pos) == (Code.TYPE, 22)


# --- pieces of strings --------------------------------------------------------------------------

FILE = tools_of(tool("write", {"path": STR, "text": STR, "note": STR}, ["path"]), tool("stop"))
Piece = tuple[tuple[str | int, ...], str]


def pieces(decoder: Decoder) -> list[Piece]:
    """Return the certain pieces of strings, with their paths."""
    return [
        (event.path, event.text) for event in decoder if isinstance(event, events.ArgumentDelta)
    ]


def pieces_of(*chunks: str, tools: ToolSet = FILE) -> list[list[Piece]]:
    """Return the pieces of strings that each chunk gives."""
    decoder = Decoder(tools, deltas=True)
    piece_lists = []
    for chunk in chunks:
        decoder.feed(chunk)
        piece_lists.append(pieces(decoder))
    return piece_lists


def test_pieces_are_not_told_unless_asked_for() -> None:
    """Without the option, a string is reported only with its argument."""
    assert pieces(fed("write path='a", " b' ", tools=FILE)) == []


def test_a_string_is_told_as_it_comes() -> None:
    """Quoted, counted and fenced strings are reported in pieces, and a bare word when it has
    ended.
    """
    assert pieces_of("write path='a ", "b", "", "c' ") == [
        [(("path",), "a ")],
        [(("path",), "b")],
        [],
        [(("path",), "c")],
    ]
    assert pieces_of("write s5:a ", "b", "cd") == [
        [(("path",), "a ")],
        [(("path",), "b")],
        [(("path",), "cd")],
    ]
    assert pieces_of("write pa", "th text='", "'\nstop\n") == [[], [(("path",), "path")], []]
    assert pieces_of("write 'a b' note=c\n") == [[(("path",), "a b"), (("note",), "c")]]


def test_what_may_close_a_fence_is_no_text() -> None:
    """A newline in a fence, and backticks after it, are held back until the next characters
    arrive.
    """
    assert pieces_of("write path=```\na", "\n", "``", "b\n``", "`", " note=x\n") == [
        [(("path",), "a")],
        [],
        [],
        [(("path",), "\n``b")],
        [],
        [(("note",), "x")],
    ]


def test_a_fence_that_closes_at_once_has_no_text() -> None:
    """Backticks in the first line of a fence are held back, too; the newline before the last fence
    may be text.
    """
    assert pieces_of("write path=```\n", "``", "` note=x\n") == [[], [], [(("note",), "x")]]
    assert pieces_of("write path=```\n", "``", "b") == [[], [], [(("path",), "``b")]]
    assert pieces_of("write path=```+\na", "\n", "``", "` note=x\n") == [
        [(("path",), "a")],
        [],
        [],
        [(("path",), "\n"), (("note",), "x")],
    ]


def test_what_may_be_a_key_is_no_text_yet() -> None:
    """A positional string is held back while it may be a key, and keys are never reported."""
    assert pieces_of("write 'te", "a", "m' ") == [[], [(("path",), "tea")], [(("path",), "m")]]
    assert pieces_of("write 'text", "'", "='x", "' path=y\n") == [
        [],
        [],
        [(("text",), "x")],
        [(("path",), "y")],
    ]
    assert pieces_of("write 'tex'", " ") == [[(("path",), "tex")], []]
    assert pieces_of("write ```\ntext\n", "more", tools=FILE) == [[], [(("path",), "text\nmore")]]
    open_tools = tools_of(tool("f", {"x": STR}, ["x"], additionalProperties=STR))
    assert pieces_of("f 'a", "b", "' ", tools=open_tools) == [[], [], [(("x",), "ab")]]


def test_pieces_inside_of_arguments_have_their_path() -> None:
    """A piece has a path of names and indexes; keys of maps and numbers have no pieces."""
    tools = tools_of(tool("f", {"x": ANYTHING}, ["x"]))
    assert pieces_of("f x=[1 'a", "b' {'k", "ey' s3:", "abc}]\n", tools=tools) == [
        [(("x", 1), "a")],
        [(("x", 1), "b")],
        [],
        [(("x", 2, "key"), "abc")],
    ]
    assert pieces_of("!call f\n(x [u1:1 s2:a", "b i2:", "-1])\n", tools=tools) == [
        [(("x", 1), "a")],
        [(("x", 1), "b")],
        [],
    ]


def test_answers_have_no_pieces() -> None:
    """Only arguments of calls are reported in pieces, not answers."""
    assert pieces_of("!result stop 'a", "b'\n") == [[], []]
    assert pieces_of("!result stop ['a", "b']\n") == [[], []]


def test_chunks_that_wait_keep_their_order() -> None:
    """A chunk that continues a string is not placed before an earlier chunk that is still
    waiting.
    """
    decoder = fed("f 'a", "b", tools=F_STR)
    assert decoder.next_event() == events.CallStart("f")
    decoder.feed("c")
    decoder.feed("'\n")
    assert list(decoder)[-1] == events.CallEnd(Call("f", {"x": "abc"}))


def test_after_an_error_no_chunk_is_kept() -> None:
    """A label is judged when it has ended, and later chunks are dropped (R-803)."""
    tools = tools_of(tool("f", {"x": {"enum": ["a label", "a list"]}}, ["x"]))
    decoder = fed("f 'a", " l", "a", "s", "t' ", tools=tools)
    error = failure(decoder)
    assert (error.code, error.pos, error.doc) == (Code.LABEL, 2, "f 'a last' ")
    decoder.feed("'")
    assert failure(decoder) is error


def test_a_decoder_says_how_many_characters_a_counted_string_needs() -> None:
    """`missing` counts down while a counted string arrives, and is 0 everywhere else."""
    decoder = Decoder(ToolSet.from_prompt("f(x:str y?:str)"), max_call=20)
    missing = []
    for chunk in ["", "f ", "s5", ":", "a", "\n\n", "bc", "\nf ", 'a"', "b"]:
        decoder.feed(chunk)
        with suppress(DecodeError):
            list(decoder)
        missing.append(decoder.missing)
    assert missing == [0, 0, 0, 5, 4, 2, 0, 0, 0, 0]
    decoder = Decoder(ToolSet.from_prompt("f(x:str)"), max_call=20)
    decoder.feed("f s15:a\x00")
    with pytest.raises(DecodeError):
        list(decoder)
    assert decoder.missing == 0
