"""Test that events do not depend on the chunks, and agree with `decode`."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lton import DecodeError, Decoder, ToolSet, decode, events
from lton.errors import Code
from tests import strategies as own
from tests.cases import BAD, GOOD, READ, exact, outcome
from tests.properties.test_round_trip import FORMS, calls_of_tools

PLACE = ("code", "pos", "path", "line", "column")
Told = tuple[list[events.Event], dict[str, Any] | None]
"""The events, and what there is to know about the error."""


def read_chunks(chunks: Iterable[str], tools: ToolSet | None, **options: Any) -> Told:
    """Return all events of a text in chunks, requested after each chunk."""
    decoder = Decoder(tools, **options)
    event_list: list[events.Event] = []
    try:
        for chunk in chunks:
            decoder.feed(chunk)
            event_list += decoder
        decoder.close()
        event_list += decoder
    except DecodeError as error:
        members = (*PLACE, "start", "msg")
        return event_list, {name: getattr(error, name) for name in members}
    return event_list, None


def cut(text: str, places: Sequence[int]) -> list[str]:
    """Return the text in pieces, cut at the given places."""
    ends = [*sorted(index for index in places if index < len(text)), len(text)]
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def is_exact(one: Told, other: Told) -> bool:
    """Return whether two lists of events are equal, where 1 and 1.0 differ."""
    return one == other and repr(one) == repr(other)


# --- the texts ----------------------------------------------------------------------------------

SOURCES: list[tuple[str, ToolSet | None]] = [
    *((text, case.tools) for case in GOOD for text in (case.wire, case.keyed, case.tagged)),
    *((case.punctuated, case.tools) for case in GOOD),
    *((case.text, case.tools) for case in READ),
    *((case.text, case.tools) for case in BAD if len(case.text) < 500),
]
ALPHABET = "fgxanst1_ ,=()[]{}\"'`:\n!&#-0.eu"


@st.composite
def sources(draw: st.DrawFn) -> tuple[str, ToolSet | None]:
    """Return a text of the cases or a random text, whole or damaged, with some sigils or
    answers.
    """
    text, tools = draw(st.sampled_from(SOURCES))
    sigil = draw(st.sampled_from(["", "", "!call ", "!result ", "so\n!call ", "!error f 1\n"]))
    text = sigil + text
    if draw(st.booleans()):
        text = draw(own.mangled(text))
    elif draw(st.integers(0, 3)) == 0:
        text = text[: draw(st.integers(0, 12))] + draw(st.text(ALPHABET, max_size=12))
    return text, tools


def check_cuts(text: str, tools: ToolSet | None, places: Sequence[int], **options: Any) -> Told:
    """Check that the events are the same whole, by character, and cut anywhere (R-801)."""
    whole = read_chunks([text], tools, **options)
    assert is_exact(read_chunks(text, tools, **options), whole)
    assert is_exact(read_chunks(cut(text, places), tools, **options), whole)
    return whole


def check_agreement(text: str, tools: ToolSet | None, happening: Told) -> None:
    """Check that the calls, or the error, are those of `decode` (R-803)."""
    happened, error = happening
    result = outcome(text, tools)
    calls = [event.call for event in happened if isinstance(event, events.CallEnd)]
    if any(isinstance(event, events.Answer) for event in happened):
        assert isinstance(result, DecodeError)
    elif error is None:
        assert isinstance(result, list)
        assert exact(calls) == exact(result)
    else:
        assert isinstance(result, DecodeError)
        assert exact(calls) == exact(decode(text[: error["start"]], tools))
        if error["code"] == Code.CALL_SIZE:
            assert re.search(r"[se]\d{8,15}:", text[error["start"] :])
        elif result.code != Code.FRAME:
            place_of_error = {name: getattr(result, name) for name in PLACE}
            assert place_of_error == {name: error[name] for name in PLACE}


@own.examples(300)
@given(sources(), st.lists(st.integers(0, 100), max_size=6))
def test_cuts_do_not_matter(source: tuple[str, ToolSet | None], places: list[int]) -> None:
    """The events do not depend on where a text is cut, and agree with reading the whole text."""
    check_agreement(*source, check_cuts(*source, places))


@own.examples(150)
@given(sources(), st.lists(st.integers(0, 100), max_size=6))
def test_cuts_do_not_matter_in_prose(source: tuple[str, ToolSet | None], places: list[int]) -> None:
    """The same holds for texts of calls and prose, of which no part is lost."""
    text, tools = source
    happened, error = check_cuts(text, tools, places, prose=True)
    if not any(line.startswith("!") for line in text.split("\n")):
        assert error is None
        assert "".join(event.text for event in happened) == text  # type: ignore[union-attr]


@own.examples(200)
@given(sources(), st.lists(st.integers(0, 100), max_size=6), st.integers(1, 40))
def test_cuts_do_not_matter_for_limits(
    source: tuple[str, ToolSet | None], places: list[int], max_call: int
) -> None:
    """The same holds with a small limit for a call, which refuses only longer calls."""
    text, tools = source
    happened, error = check_cuts(text, tools, places, max_call=max_call)
    free, free_error = read_chunks([text], tools)
    if error != free_error:
        assert error is not None
        assert error["code"] == Code.CALL_SIZE
        assert error["pos"] >= error["start"]
    assert happened == free[: len(happened)]


Pieces = dict[tuple[str | int, ...], str]


def strings(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Return the strings in a value that are not empty, in order, with their paths."""
    if isinstance(value, str) and value:
        yield path, value
    elif isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for step, inner in items:
            yield from strings(inner, (*path, step))


def without_pieces(happened: list[events.Event]) -> list[events.Event]:
    """Return the events with adjacent prose in one piece, and without pieces of strings."""
    whole: list[events.Event] = []
    for event in happened:
        match event, whole:
            case events.Prose(text), [*_, events.Prose(before)]:
                whole[-1] = events.Prose(before + text)
            case events.ArgumentDelta(), _:
                pass
            case _:
                whole.append(event)
    return whole


def check_deltas(told_with: Told, told_without: Told) -> list[Pieces]:
    """Check that all pieces of a string come before its argument, in order, and nothing else
    changes.
    """
    happened, error = told_with
    expected, expected_error = told_without
    whole = without_pieces(happened), error
    assert is_exact(whole, (without_pieces(expected), expected_error))
    calls: list[Pieces] = []
    for event in happened:
        match event:
            case events.CallStart():
                calls.append({})
                complete: Pieces = {}
            case events.ArgumentDelta(path, text):
                assert text
                assert path not in complete
                calls[-1][path] = calls[-1].get(path, "") + text
            case events.Argument(name, value):
                complete |= strings(value, (name,))
                texts = {path: text for path, text in calls[-1].items() if path[0] == name}
                assert list(texts.items()) == list(strings(value, (name,)))
            case events.CallEnd():
                assert list(calls[-1].items()) == list(complete.items())
    return calls


@own.examples(300)
@given(sources(), st.lists(st.integers(0, 100), max_size=6), st.booleans())
def test_pieces_of_strings(
    source: tuple[str, ToolSet | None], places: list[int], prose: bool
) -> None:
    """The pieces form the strings of the arguments, however the text is cut."""
    text, tools = source
    plain = read_chunks([text], tools, prose=prose)
    for chunks in ([text], cut(text, places), list(text)):
        check_deltas(read_chunks(chunks, tools, prose=prose, deltas=True), plain)


@own.examples(100)
@given(sources(), st.data())
def test_pieces_depend_on_the_text_alone(
    source: tuple[str, ToolSet | None], data: st.DataObject
) -> None:
    """However the beginning of a text is cut, the same part of each string has been reported."""
    text, tools = source
    text = text[: data.draw(st.integers(0, len(text)))]
    places = data.draw(st.lists(st.integers(0, len(text)), max_size=6))
    piece_lists = []
    for chunks in ([text], cut(text, places), list(text)):
        decoder = Decoder(tools, deltas=True)
        pieces: list[Any] = []
        try:
            for chunk in chunks:
                decoder.feed(chunk)
                for event in decoder:
                    match event:
                        case events.CallStart(name):
                            pieces.append((name, {}))
                        case events.ArgumentDelta(path, piece):
                            pieces[-1][1][path] = pieces[-1][1].get(path, "") + piece
        except DecodeError:
            return  # how much is told before an error depends on where it was cut
        piece_lists.append(pieces)
    assert piece_lists[0] == piece_lists[1] == piece_lists[2]


@own.examples(40)
@given(calls_of_tools(), st.sampled_from(sorted(FORMS)), st.data())
def test_what_is_written_is_read_in_pieces(
    tools_and_calls: Any, form: str, data: st.DataObject
) -> None:
    """The pieces are right for texts of generated tools, unchanged and damaged."""
    tools, calls = tools_and_calls
    text = FORMS[form](calls, tools)
    places = data.draw(st.lists(st.integers(0, 100), max_size=4))
    check_agreement(text, tools, check_cuts(text, tools, places))
    edited = data.draw(own.mangled(text))
    check_agreement(edited, tools, check_cuts(edited, tools, places))


@own.examples(200)
@given(st.sampled_from([*GOOD, *READ]), st.data())
def test_no_error_comes_too_early(case: Any, data: st.DataObject) -> None:
    """No beginning of a valid text is refused."""
    text = case.text if case in READ else getattr(case, data.draw(st.sampled_from(FORMS_OF_CASES)))
    decoder = Decoder(case.tools)
    decoder.feed(text[: data.draw(st.integers(0, len(text)))])
    assert len(list(decoder)) <= len(read_chunks([text], case.tools)[0])


FORMS_OF_CASES = ["wire", "keyed", "punctuated", "tagged"]
