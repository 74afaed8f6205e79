"""Classes that take a stream in pieces have the same two methods."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import lton
from lton.chat.deltas import WhitespaceTrimmer
from lton.chat.filters import Filter, feed_through
from lton.chat.repeats import DistinctCalls, ImitatedAnswer, Imitations, LeftOut, Repeats
from lton.chat.stops import StoppedEvents, StopTexts
from lton.codec._thoughts import FirstThought
from lton.events import CallEnd, CallStart, Event, Prose, Thinking
from lton.schema.types import Call

OTHER_NAMES = {"around", "end", "finish", "made", "of", "passed", "release", "rest"}
PASS_ON = ("Iterator", "Iterable", "Sequence", "list", "str")
"""The types of results that are passed on. Other classes with `feed` only count or detect."""
ENDED_BY = {
    "Reader": "`close` takes the server's finish reason and returns the end of the reply",
    "HeldDeltas": "the event `Generation` is the last one, and says whether a limit cut the call",
    "DeltaBuilder": "it holds nothing back",
    "SingleCall": "it holds nothing back",
    "Plain": "`decode_lenient` reads the text from the first possible call on",
}


def _classes() -> Iterator[tuple[ast.ClassDef, dict[str, ast.FunctionDef]]]:
    for path in sorted(Path(lton.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                functions = [
                    statement for statement in node.body if isinstance(statement, ast.FunctionDef)
                ]
                yield node, {function.name: function for function in functions}


def test_what_is_fed_is_flushed() -> None:
    """A class that passes pieces on has `flush`, and no other name for it or for `feed`."""
    checked = []
    for node, methods in _classes():
        if "feed" in methods and ast.unparse(methods["feed"].returns or node).startswith(PASS_ON):
            checked.append(node.name)
            assert ("flush" in methods) != (node.name in ENDED_BY), node.name
            assert not OTHER_NAMES & methods.keys(), node.name
    assert len(checked) > 15
    assert ENDED_BY.keys() <= {*checked}


def test_the_filters_of_a_reply_have_the_protocol() -> None:
    """Type checkers accept the filters of texts and of events as `Filter`."""
    texts: list[Filter[str, str]] = [StopTexts(()), WhitespaceTrimmer()]
    events: list[Filter[Event | LeftOut, Event | LeftOut]] = [
        StoppedEvents((), ends_lines=True),
        Imitations(),
        Repeats(repeat=False),
    ]
    calls: Filter[str, str] = DistinctCalls[str]()
    thought: Filter[str, Thinking | Prose] = FirstThought(("<t>", "</t>"))
    flushed = [[*filter_.flush()] for filter_ in texts], [[*filter_.flush()] for filter_ in events]
    assert flushed == ([[], []], [[], [], []])
    assert ([*calls.flush()], [*thought.flush()]) == ([], [])


def test_a_second_flush_returns_nothing() -> None:
    """What was held back is returned once, and later pieces begin anew."""
    stops = StopTexts(("STOP",))
    assert (stops.feed("a ST"), stops.flush(), stops.flush()) == ("a ", "ST", "")
    trimmer = WhitespaceTrimmer()
    assert (trimmer.feed(" a "), trimmer.flush(), trimmer.feed(" b")) == ("a", "", "\nb")
    calls = DistinctCalls[str]()
    assert (calls.begin_call("wait"), calls.begin_call("wait")) == (False, True)
    assert (calls.feed("a"), calls.flush(), calls.flush(), calls.feed("b")) == (
        [],
        ["a"],
        [],
        ["b"],
    )
    imitations = Imitations()
    assert [*imitations.feed(Prose("!resu"))] == []
    assert [*imitations.flush()] == [Prose("!resu")]
    assert [*imitations.flush()] == []


@pytest.mark.parametrize(
    ("chunks", "last"),
    [
        (["<t>ab", "c"], [Thinking("", complete=True)]),
        (["<t>ab<", "/"], [Thinking("</", complete=True)]),
        (["<"], [Prose("<")]),
        (["<t>a</t>b"], []),
    ],
)
def test_a_thought_is_flushed_once(chunks: list[str], last: list[Thinking | Prose]) -> None:
    """Text that may be a mark is held back; a thought without an end is complete at the end."""
    thought = FirstThought(("<t>", "</t>"))
    for chunk in chunks:
        thought.feed(chunk)
    assert thought.flush() == last
    assert thought.flush() == []
    assert thought.feed("more") == [Prose("more")]


def test_each_piece_goes_through_all_filters_before_the_next() -> None:
    """A repeated call is left out, and text after a stop sequence is not passed on."""
    call = Call("wait", {"minutes": 5})
    repeats = Repeats(repeat=False)
    stops = StoppedEvents(("STOP",), ends_lines=True)
    events: list[Event | LeftOut] = [
        Prose("a"),
        CallStart("wait"),
        CallEnd(call),
        CallStart("wait"),
        CallEnd(call),
        Prose("\n!result 5\nb STOP"),
        Prose("c"),
    ]
    deltas = [*feed_through(events, Imitations(), repeats, stops)]
    assert [type(delta).__name__ for delta in deltas] == [
        *["Prose", "CallStart", "CallEnd", "RepeatedCall", "ImitatedAnswer", "Prose"]
    ]
    assert deltas[-2:] == [ImitatedAnswer("!result 5"), Prose("b ")]
    assert stops.flush() == []
