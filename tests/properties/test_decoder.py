"""Any way to cut a text tells the same, agrees with `decode`, and no error is late or too early."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import DecodeError, Decoder, IncompleteError, ToolSet, decode, encode, events
from lton._syntax import SIGILS, spell_name
from lton.errors import Code
from tests import strategies as own
from tests.cases import BAD, GOOD, INT, NUM, READ, STR, exact, outcome, taking, tool, tools_of
from tests.properties.test_round_trip import FORMS, calls_of_tools

Told = tuple[list[events.Event], dict[str, Any] | None]
"""The events, and what there is to know about the error."""


def told(chunks: Iterable[str], tools: ToolSet | None, **options: Any) -> Told:
    """Get all that a decoder tells of a text in chunks, asked after each."""
    decoder = Decoder(tools, **options)
    found: list[events.Event] = []
    try:
        for chunk in chunks:
            decoder.feed(chunk)
            found += decoder
        decoder.close()
        found += decoder
    except DecodeError as error:
        members = ("code", "pos", "path", "start", "doc", "line", "column")
        return found, {name: getattr(error, name) for name in members}
    return found, None


def cut(text: str, places: Sequence[int]) -> list[str]:
    """Get the text in pieces, cut at these places."""
    ends = [*sorted(place for place in places if place < len(text)), len(text)]
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def is_exact(one: Told, other: Told) -> bool:
    """Say whether two tell the same, and 1 is not 1.0."""
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
    """Get a text of the cases, or random text, whole or mangled, with sigils or answers here and
    there.
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
    """R-801: whole, character by character, and cut anywhere: what is told is the same."""
    whole = told([text], tools, **options)
    assert is_exact(told(text, tools, **options), whole)
    assert is_exact(told(cut(text, places), tools, **options), whole)
    return whole


def check_agreement(text: str, tools: ToolSet | None, found: Told) -> None:
    """The calls are those of `decode`, or both refuse; and R-803: which error it is."""
    happened, error = found
    result = outcome(text, tools)
    if any(isinstance(event, events.Answer) for event in happened):
        assert isinstance(result, DecodeError)
    elif error is None:
        assert isinstance(result, list)
        calls = [event.call for event in happened if isinstance(event, events.CallEnd)]
        assert exact(calls) == exact(result)
    else:
        assert isinstance(result, DecodeError)
        assert error["pos"] <= len(text)
        end = error["start"] + len(error["doc"])
        assert text[error["start"] : end] == error["doc"]
        strict = outcome(text[:end], tools)
        assert isinstance(strict, DecodeError)
        if error["code"] == Code.CALL_SIZE:
            assert re.search(r"[se]\d{8,15}:$", text[:end])
        elif error["code"] == Code.INCOMPLETE:
            assert end == len(text)
        elif isinstance(strict, IncompleteError):
            assert (error["code"], error["pos"]) == (Code.SYNTAX, end - 1)
        elif strict.code != Code.FRAME:
            place = {name: getattr(strict, name) for name in ("code", "pos", "path", "line")}
            assert place == {name: error[name] for name in place}


@own.examples(300)
@given(sources(), st.lists(st.integers(0, 100), max_size=6))
def test_cuts_do_not_matter(source: tuple[str, ToolSet | None], places: list[int]) -> None:
    """However a text is cut, what is told is the same, and agrees with reading it at once."""
    check_agreement(*source, check_cuts(*source, places))


@own.examples(150)
@given(sources(), st.lists(st.integers(0, 100), max_size=6))
def test_cuts_do_not_matter_in_prose(source: tuple[str, ToolSet | None], places: list[int]) -> None:
    """The same holds where calls and prose share a text; nothing of either is lost."""
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
    """The same holds with a small limit for a call, which refuses nothing but longer ones."""
    text, tools = source
    happened, error = check_cuts(text, tools, places, max_call=max_call)
    free, free_error = told([text], tools)
    if error != free_error:
        assert error is not None
        assert error["code"] == Code.CALL_SIZE
        assert error["pos"] >= error["start"]
        assert len(error["doc"]) <= max_call + 1
    assert happened == free[: len(happened)]


Pieces = dict[tuple[str | int, ...], str]


def strings(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Get the strings in a value that are not empty, in order, each with where it is."""
    if isinstance(value, str) and value:
        yield path, value
    elif isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for step, inner in items:
            yield from strings(inner, (*path, step))


def check_deltas(told_with: Told, told_without: Told) -> list[Pieces]:
    """All pieces of a string are told before its argument, in order, and nothing else changes."""
    happened, error = told_with
    others: list[events.Event] = []
    for event in happened:
        match event, others:
            case events.Prose(text), [*_, events.Prose(before)] if not before.endswith("\n"):
                others[-1] = events.Prose(before + text)  # prose comes in pieces too
            case events.ArgumentDelta(), _:
                pass
            case _:
                others.append(event)
    assert is_exact((others, error), told_without)
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
                given = {path: text for path, text in calls[-1].items() if path[0] == name}
                assert list(given.items()) == list(strings(value, (name,)))
            case events.CallEnd():
                assert list(calls[-1].items()) == list(complete.items())
    return calls


@own.examples(300)
@given(sources(), st.lists(st.integers(0, 100), max_size=6), st.booleans())
def test_pieces_of_strings(
    source: tuple[str, ToolSet | None], places: list[int], prose: bool
) -> None:
    """Pieces make up the strings that arguments hold, however the text is cut."""
    text, tools = source
    plain = told([text], tools, prose=prose)
    for chunks in ([text], cut(text, places), list(text)):
        check_deltas(told(chunks, tools, prose=prose, deltas=True), plain)


@own.examples(100)
@given(sources(), st.data())
def test_pieces_depend_on_the_text_alone(
    source: tuple[str, ToolSet | None], data: st.DataObject
) -> None:
    """However a beginning of a text is cut, the same part of each string has been told."""
    text, tools = source
    text = text[: data.draw(st.integers(0, len(text)))]
    places = data.draw(st.lists(st.integers(0, len(text)), max_size=6))
    found = []
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
        found.append(pieces)
    assert found[0] == found[1] == found[2]


@own.examples(40)
@given(calls_of_tools(), st.sampled_from(sorted(FORMS)), st.data())
def test_what_is_written_is_read_in_pieces(made: Any, form: str, data: st.DataObject) -> None:
    """Texts of made-up tools, as they are and mangled."""
    tools, calls = made
    text = FORMS[form](calls, tools)
    places = data.draw(st.lists(st.integers(0, 100), max_size=4))
    check_agreement(text, tools, check_cuts(text, tools, places))
    edited = data.draw(own.mangled(text))
    check_agreement(edited, tools, check_cuts(edited, tools, places))


@own.examples(200)
@given(st.sampled_from([*GOOD, *READ]), st.data())
def test_no_error_comes_too_early(case: Any, data: st.DataObject) -> None:
    """The beginning of a text that is right is never refused."""
    text = case.text if case in READ else getattr(case, data.draw(st.sampled_from(FORMS_OF_CASES)))
    decoder = Decoder(case.tools)
    decoder.feed(text[: data.draw(st.integers(0, len(text)))])
    assert len(list(decoder)) <= len(told([text], case.tools)[0])


FORMS_OF_CASES = ["wire", "keyed", "punctuated", "tagged"]


# --- no error comes late: each beginning that is not refused can go on ---------------------------

RECORD = {"type": "object", "properties": {"a": INT, "b": {"enum": ["x"]}}, "required": ["a"]}
NULL = {"type": "null"}
TOOLS_OF_ODD_NAMES = tools_of(tool("a b"), tool("a"), tool("c'd"), tool("_"))
FINGERPRINT = TOOLS_OF_ODD_NAMES.fingerprint_of(TOOLS_OF_ODD_NAMES.by_name["_"])
BOOLEAN = {"type": "boolean"}

TINY: dict[str, tuple[ToolSet, list[str], str]] = {
    "labels": (
        taking({"enum": ["C", "Fa", "C d"]}),
        ["f C", "f x=Fa", "f 'C d'", "f s3:C d", "f(C)", "!call f\n(e1:C)", "!call f\n(x s2:Fa)"],
        "CFad0123s:e'=x",
    ),
    "odd-labels": (
        taking({"enum": ["a'b", "c d", "c\ne", 'q"', "123456789012"]}),
        [
            'f "a\'b"',
            "f s3:c\ne",
            "f 'q\"'",
            "f s12:123456789012",
            'f "123456789012"',
            "f '123456789012'",
            "!call f\n(e3:a'b)",
            "!call f\n(e12:123456789012)",
        ],
        "a'b\"c dq\ns3012",
    ),
    "integer": (
        taking(INT),
        ["f 1", "f x=-0.0", "f 1e-999", "f(1)", "!call f\n(u2:10)", "!call f\n(x i2:-1)"],
        "-01.eE+x=_ui:n",
    ),
    "number": (
        taking(NUM),
        ["f 1e308", "f 0e999", "f(-1.5)", "!call f\n(f5:1e308)", "!call f\n(x f3:1.5)"],
        "1e9308.-+_",
    ),
    "keys": (
        tools_of(tool("f", {"a b": INT, "c'": INT, "n": INT, "_": INT, "s1": INT, "nn": INT})),
        ["f 1", "f 'a b'=1", 'f "c\'"=1', "f n=1", "f s1=1", "!call f\n('a b' u1:1)\n(_ u1:1)"],
        "a b'c\"n_s1=:,u",
    ),
    "tools": (
        TOOLS_OF_ODD_NAMES,
        [
            "'a b'",
            "a",
            f"_#{FINGERPRINT}",
            '"c\'d"',
            "a\n&",
            "!call _\n()",
            "!result a n",
            "!error _ [1]",
        ],
        "a b'c_&\"!d\n",
    ),
    "two": (
        tools_of(tool("f", {"a": INT, "ab": {"enum": ["x", "y", None]}}, ["a"])),
        [
            "f 1 x",
            "f ab=null a=1",
            "f(1, ab=y)",
            "!call f\n(u1:1 n)",
            "f ab=s1:x a=1",
            "!call f\n(ab n)\n(a u1:1)",
        ],
        "a1b= ,xyn_)us:",
    ),
    "skips": (
        tools_of(tool("f", {"a": {"enum": [True]}, "b": {"type": ["integer", "null"]}, "n": NULL})),
        ["f _ 1", "f true 1 null", "f(b=1, a=true)", "!call f\n(_ u1:1)", "!call f\n('n' n)"],
        "_t1 ,=bn)4",
    ),
    "record": (
        taking(RECORD),
        [
            "f (1 x)",
            "f (b=x, a=1)",
            "f((b=x, a=1))",
            "f x=(b=x a=1)",
            "!call f\n({b e1:x a u1:1})",
            "!call f\n({a u1:1, b e1:x})",
            "f((1))",
            "!call f\n({a u1:1})",
            "!call f\n(x {b e1:x a u1:1})",
        ],
        "(a1=bx ,)_{}s:u",
    ),
    "array": (
        taking({"items": {"enum": ["ab", "c"]}}),
        ["f []", "f [ab, c]", "f x=[c]", "f ['ab' s2:ab]", "!call f\n([e2:ab s1:c])"],
        "[]abc ,'s12:e",
    ),
    "map": (
        taking({"type": "object", "additionalProperties": BOOLEAN}),
        ["f {}", "f {a true b false}", "f({'a' true})", "!call f\n(x {a b5:false, c b4:true})"],
        "{}a't ,4:f",
    ),
    "open": (
        tools_of(tool("f", {"a": BOOLEAN}, ["a"], additionalProperties=NULL)),
        [
            "f true b=null",
            "f z=null a=true",
            "!call f\n(b4:true)\n(z n)",
            "!call f\n(z n)\n(a b4:true)",
        ],
        "atb=n z_'",
    ),
    "strings": (
        tools_of(tool("f", {"x": STR, "y": {"type": ["string", "null", "integer"]}}, ["x"])),
        ["f a", "f 'a'", "f s1:a", "f(a, 1)", "f '=' null", "!call f\n(y u1:1)\n(x s1:a)"],
        "ans1_:'= ,xy0)",
    ),
}
"""Toolsets, texts that they read, and the characters that are tried behind each of their parts.

No number in them is listed or bounded, and no integer is tried as `f`: R-803 excepts those.
"""

LENGTH = re.compile(r"(?<=[uif])[1-9]\d{0,3}$")
LEXEMES = ["null", "true", "false", "b4:true", "n", "f", "'", '"', ":", " ", "=", "1", "e0"]


def is_alive(text: str, tools: ToolSet) -> bool:
    decoder = Decoder(tools)
    decoder.feed(text)
    try:
        deque(decoder, maxlen=0)
    except DecodeError:
        return False
    return True


def is_right(text: str, tools: ToolSet) -> bool:
    return told([text], tools)[1] is None


def suffixes(texts: Iterable[str]) -> list[str]:
    return sorted({text[start:] for text in texts for start in range(len(text) + 1)}, key=len)


class Search:
    """Looks for texts that go on from a beginning, and are right."""

    def __init__(self, tools: ToolSet, texts: list[str], alphabet: str) -> None:
        self.tools = tools
        self.alphabet = alphabet
        self.known = {text[:end] for text in texts for end in range(len(text) + 1)}
        name = next(iter(tools)).name
        answers = [f"{sigil}{spell_name(name)} n" for sigil in SIGILS[1:]]
        calls = (text for text in texts if not text.startswith(SIGILS[1:]))
        maps = [encode(decode(text, tools)) for text in calls]  # no parts of these: R-804
        self.endings = suffixes([*texts, *maps, *answers])
        names = [param.name for tool in tools for param in tool.args.params]
        keys = [f"{name}=" for name in names]
        self.pieces = [*dict.fromkeys([*suffixes([*LEXEMES, *names, *keys])[1:], *alphabet, ")"])]

    def right(self, text: str, bound: int = 20_000) -> str | None:
        """Get a right text that begins so; None if none is found in so many attempts."""
        queue = deque([text])
        attempts = 0
        while queue and attempts < bound:
            begun = queue.popleft()
            attempts += len(self.endings) + len(self.pieces)
            firsts = {ending[:1] for ending in self.endings}
            alive = {char for char in firsts if is_alive(begun + char, self.tools)}
            for ending in self.endings:
                if ending[:1] in alive and is_right(begun + ending, self.tools):
                    return begun + ending
            count = LENGTH.search(begun)
            pieces = [":" + "1" * int(count[0])] if count else self.pieces
            more = (begun + piece for piece in [*pieces, *self.pieces])
            queue.extend(text for text in more if is_alive(text, self.tools))
        return None

    def late(self, text: str, depth: int) -> Iterator[str]:
        """Get the shortest texts, up to so many characters longer, that are alive in vain."""
        if depth:
            alive = [text + char for char in self.alphabet if is_alive(text + char, self.tools)]
            for longer in alive:
                yield from self.late(longer, depth - 1)
        elif text not in self.known:
            right = self.right(text)
            if right is None:
                yield text
            else:
                self.known.update(right[:end] for end in range(len(right) + 1))


@pytest.mark.untraced
@pytest.mark.parametrize("name", TINY)
def test_no_error_comes_late(name: str) -> None:
    """Behind each part of a right text, each character that is not refused can be gone on from."""
    tools, texts, alphabet = TINY[name]
    search = Search(tools, texts, alphabet)
    parts = {text[:end] for text in texts for end in range(len(text) + 1)}
    for part in sorted(parts, key=len):
        assert is_alive(part, tools)
        assert list(search.late(part, 1)) == []
