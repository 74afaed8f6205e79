"""Test that thoughts are reported in any chunks, and never read as calls."""

import random
import re
from itertools import pairwise
from typing import Any

import pytest

from lton import Call, DecodeError, Decoder, ToolSet, decode
from lton.codec._thoughts import first_thought
from lton.errors import Code
from lton.events import ArgumentDelta, CallEnd, Event, Prose, Thinking
from tests.cases import sizes

TOOLS = ToolSet.from_prompt("f(a?)\nwait(n:int)")
PIECES = [
    *["<think>", "</think>", "<", "</thi", "<th", "think>", "\n", " ", "f a", "wait 5", "x"],
    *["!call f", "!call wait 5", "\n", "<<", "</", ">", "\t", "`", "\0"],
]
MARKS: list[Any] = [True, ("", "</think>"), ("<think>", "</think>"), ("<", "</"), False]


def read_chunks(chunks: list[str], **options: Any) -> tuple[list[Event], Any]:
    """Return the events of a text in chunks, and the error that ends it."""
    decoder, event_list = Decoder(TOOLS, **options), list[Event]()
    try:
        for chunk in [*chunks, None]:
            decoder.close() if chunk is None else decoder.feed(chunk)
            while (event := decoder.next_event()) is not None:
                event_list.append(event)
    except DecodeError as error:
        check_place(error, "".join(chunks))
        return event_list, (str(error), error.pos)
    return event_list, None


def check_place(error: DecodeError, text: str) -> None:
    """Check that line and column of an error count from the beginning of the whole text."""
    before = text[: error.pos]
    assert error.line == before.count("\n") + 1
    assert error.column == len(before) - before.rfind("\n")
    assert error.picture().endswith("^")


def cut(text: str, *at: int) -> list[str]:
    return [text[start:end] for start, end in pairwise([0, *sorted(at), len(text)])]


def join_events(events: list[Event]) -> list[Event]:
    """Return the events, with thoughts and prose in one piece and without pieces of strings."""
    joined: list[Event] = []
    for event in events:
        last = joined[-1] if joined else None
        if isinstance(event, Thinking) and isinstance(last, Thinking) and not last.complete:
            joined[-1] = Thinking(last.text + event.text, event.complete)
        elif isinstance(event, Prose) and isinstance(last, Prose):
            joined[-1] = Prose(last.text + event.text)
        elif not isinstance(event, ArgumentDelta):
            joined.append(event)
    return [one for one in joined if not isinstance(one, Thinking) or one.complete]


@pytest.mark.untraced
@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("prose", [False, True])
@pytest.mark.parametrize("count", sizes(100, 300))
def test_where_the_text_is_cut_is_no_matter(marks: Any, prose: bool, count: int) -> None:
    """The events and errors do not depend on the cuts; with deltas only the pieces differ."""
    chance = random.Random(str((marks, prose)))
    thoughts = 0
    for _ in range(count):
        text = "".join(chance.choices(PIECES, k=chance.randint(0, 9)))
        options = {"thoughts": marks, "prose": prose}
        whole = read_chunks([text], **options)
        some = cut(text, *(chance.randint(0, len(text)) for _ in range(3)))
        assert read_chunks(list(text), **options) == read_chunks(some, **options) == whole, text
        for chunks in ([text], list(text)):
            events, error = read_chunks(chunks, **options, deltas=True)
            assert (join_events(events), error) == (join_events(whole[0]), whole[1]), text
        thoughts += any(isinstance(event, Thinking) for event in whole[0])
    assert bool(thoughts) == bool(marks)


@pytest.mark.parametrize(
    ("text", "marks", "thought"),
    [
        ("<think>f a\n!call f b</think>\n\nf c", True, "f a\n!call f b"),
        ("\n <think></think>f c", True, ""),
        ("so\n</think> f c", ("", "</think>"), "so\n"),
        ("[[a]b[/[/]f c", ("[[", "[/]"), "a]b[/"),
        ("f c", True, None),
        ("f c", False, None),
    ],
)
def test_a_thought_comes_before_the_calls(text: str, marks: Any, thought: str | None) -> None:
    """Thoughts before calls are also read in complete texts."""
    assert decode(text, TOOLS, thoughts=marks) == [Call("f", {"a": "c"})]
    assert decode(text, TOOLS.with_aliases(), thoughts=marks) == [Call("f", {"a": "c"})]
    events = join_events(read_chunks([text], thoughts=marks)[0])
    assert [event.text for event in events if isinstance(event, Thinking)] == [
        one for one in [thought] if one is not None
    ]


def test_a_text_without_thoughts_is_read_from_its_start() -> None:
    """A text without a thought is read from its start, even if thoughts are allowed."""
    assert first_thought("<think></think>f a", False) == ("", 0)
    assert first_thought("<thin", True) == ("", 0)


def test_a_thought_that_has_no_end_is_an_error() -> None:
    """A thought without an end is an error, and nothing in it is read."""
    with pytest.raises(DecodeError) as caught:
        decode("<think>\nf a\n", TOOLS, thoughts=True)
    assert (caught.value.code, caught.value.pos) == (Code.INCOMPLETE, 12)


def test_without_the_option_there_are_no_thoughts() -> None:
    """Without the option, the marks of thoughts are ordinary prose."""
    with pytest.raises(DecodeError):
        decode("<think></think>f a", TOOLS)
    events, _ = read_chunks(["<think>\n!call f\n</think>"], prose=True)
    assert [event for event in events if isinstance(event, Prose)] == [
        Prose("<think>\n"),
        Prose("</think>"),
    ]
    assert events[2] == CallEnd(Call("f"))


def test_positions_are_those_of_the_whole_text() -> None:
    """Positions count from the beginning of the whole text, also after a thought that ends within a
    line.
    """
    events, error = read_chunks(["<think>a\nb</think> wait x"], thoughts=True)
    assert "(line 2, column 16, at /n)" in str(error)
    assert len(join_events(events)) == 2


@pytest.mark.parametrize(
    "marks",
    [("<a\n", "</a>"), (" <", "</>"), ("!t", "</t>"), ("<", ">"), ("<", "<<"), ("\0", "</")],
)
def test_what_is_no_mark(marks: tuple[str, str]) -> None:
    """Marks that cannot be found, or that look like frames, are refused."""
    with pytest.raises(ValueError, match="expected the marks of thoughts"):
        Decoder(TOOLS, thoughts=marks)
    with pytest.raises(ValueError, match="expected the marks of thoughts"):
        decode("f", TOOLS, thoughts=marks)


def test_long_lines_of_thoughts_are_put_aside_unread() -> None:
    """A long line of a thought in many pieces is not read again for each piece, and its length is
    limited (R-1104).
    """
    decoder = Decoder(TOOLS, thoughts=True, max_call=100_006)
    decoder.feed("<think>")
    for _ in range(49_999):
        decoder.feed("<x")
        assert decoder.next_event() is None
    decoder.feed("")
    assert decoder.next_event() is None
    decoder.feed("</think>")
    assert decoder.next_event() == Thinking(49_999 * "<x", complete=True)
    _, error = read_chunks(["<think>", 9 * "x", "\n"], thoughts=True, max_call=8)
    assert "[E303]" in str(error)


class _Counted:
    """A pattern that counts the characters that it matches."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self.count = 0

    def match(self, text: str, pos: int) -> re.Match[str] | None:
        match = self.pattern.match(text, pos)
        self.count += len(match[0]) if match else 0
        return match


def test_blank_lines_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """White space is searched for a thought only where a thought may follow it."""
    space = _Counted(re.compile(r"[ \t\r\n]*"))
    monkeypatch.setattr("lton.codec._thoughts._SPACE", space)
    text = "\n\n<think>a</think>\n\nb" + "\n" * 1000 + "!call f"
    events, _ = read_chunks([text], thoughts=True, prose=True)
    assert len([event for event in events if isinstance(event, Prose)]) == 1000
    assert 4 <= space.count <= 6


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Sure.\n\n \nThen.\n!call f b", [Prose("Sure.\n\n \nThen.\n")]),
        ("Sure.\n<think>a\nb</think>c\nd", [Prose("Sure.\n"), Thinking("a\nb", complete=True)]),
        ("Sure.\n!ca", [Prose("Sure.\n")]),
        ("Sure.\n<th", [Prose("Sure.\n")]),
        ("Sure.\n<b>\n!cab", [Prose("Sure.\n<b>\n!cab")]),
    ],
)
def test_lines_of_prose_are_one_piece_with_deltas(text: str, pieces: list[Event]) -> None:
    """With deltas, lines that arrive together are one piece, up to a possible frame or thought."""
    decoder = Decoder(TOOLS, thoughts=True, prose=True, deltas=True)
    decoder.feed(text)
    assert list(decoder)[: len(pieces)] == pieces
