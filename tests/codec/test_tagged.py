"""Test the tagged form."""

import pytest

from lton import Call, DecodeError, Decoder, ToolSet, decode, encode
from lton._syntax import MAX_DIGITS
from lton.errors import Code
from lton.events import CallEnd
from tests.cases import GOOD, INT, UNIT, Good, exact, loop_over, outcome, params, tool, tools_of


@pytest.mark.deep
@pytest.mark.parametrize("case", params(GOOD))
def test_tagged_without_tools_is_read_without_and_with_them(case: Good) -> None:
    """A text that was written without tools gives the same calls with and without tools (R-501)."""
    text = encode(case.calls, form="tagged")
    assert exact(decode(text)) == exact(decode(text, case.tools)) == exact(case.calls)


@loop_over(GOOD)
def test_tagged_positions_need_tools(case: Good) -> None:
    """Without tools, a group of positional arguments is refused, and everything else is read
    (R-501).
    """
    result = outcome(case.tagged, None)
    if isinstance(result, DecodeError):
        assert result.code == Code.SCHEMALESS
        assert case.tagged[result.pos - 2 : result.pos] == "\n("
    else:
        assert exact(result) == exact(case.calls)


@pytest.mark.parametrize(
    ("key", "group"),
    [
        ("n", '("n" n)'),
        ("_", '("_" n)'),
        ("s3", "(s3 n)"),
        ("s3:x", '("s3:x" n)'),
        ("[", '("[" n)'),
        ("", '("" n)'),
        ("nn", "(nn n)"),
        ("a\n'\"", "(```\na\n'\"\n``` n)"),
    ],
)
def test_keys_do_not_look_like_values(key: str, group: str) -> None:
    """A key that would be read as a value is quoted (R-504)."""
    call = Call("f", {key: None})
    assert encode(call, form="tagged") == f"!call f\n{group}"
    assert decode(encode(call, form="tagged")) == [call]


def test_members_that_are_not_declared_have_the_tags_of_their_type() -> None:
    """With tools, the tag of a label is `e`, also for an undeclared member (R-502)."""
    labels = {"type": "object", "additionalProperties": UNIT}
    tools = tools_of(tool("f", {"x": labels}, additionalProperties=UNIT))
    call = Call("f", {"x": {"a": "C"}, "y": "F"})
    text = encode(call, tools, form="tagged")
    assert text == "!call f\n({a e1:C})\n(y e1:F)"
    assert decode(text, tools) == [call]


@pytest.mark.parametrize(
    ("letter", "payload"),
    [
        ("u", "9" * MAX_DIGITS),
        ("u", "9" * (MAX_DIGITS - 1)),
        ("f", "4.".ljust(400, "0")),
        ("f", "-0.".ljust(400, "1")),
        ("f", "1e".ljust(400, "0")),
    ],
    ids=["most-digits", "one-less", "fraction", "negative", "exponent"],
)
def test_long_numbers_can_come_in_chunks(letter: str, payload: str) -> None:
    """A long number in chunks is not refused before it has ended (R-1102, R-803)."""
    text = f"!call f\n(x {letter}{len(payload)}:{payload})"
    decoder = Decoder()
    for char in text:
        decoder.feed(char)
        list(decoder)
    decoder.close()
    assert [event.call for event in decoder if isinstance(event, CallEnd)] == decode(text)


def test_members_have_the_tags_of_their_type() -> None:
    """With tools, the tag of a label is `e`, also with a key and inside an object (R-502)."""
    inner = {"type": "object", "properties": {"k": UNIT}}
    tools = tools_of(tool("f", {"a": INT, "b": INT, "u": UNIT, "o": inner}))
    by_key, within = Call("f", {"u": "C"}), Call("f", {"o": {"k": "C"}})
    assert encode(by_key, tools, form="tagged") == "!call f\n(u e1:C)"
    assert encode(within, tools, form="tagged") == "!call f\n(o {k e1:C})"


def test_a_comma_may_stand_behind_null() -> None:
    """`n` followed by a comma is null, as `n` followed by a space is (R-504)."""
    tools = tools_of(tool("f", {"x": {"type": ["string", "null"]}, "y": INT}, ["x", "y"]))
    assert decode("!call f\n(n, u1:1)", tools) == [Call("f", {"x": None, "y": 1})]


@pytest.mark.parametrize(
    ("value", "code", "pos"), [("sss", Code.SYNTAX, 11), ("s", Code.INCOMPLETE, 12)]
)
def test_a_cut_tag_is_incomplete(value: str, code: Code, pos: int) -> None:
    """A word that is not a tag is an error at its beginning, also at the end of the text."""
    with pytest.raises(DecodeError) as caught:
        decode(f"!call f\n(a {value}", ToolSet.from_prompt("f(a)"))
    assert (caught.value.code, caught.value.pos) == (code, pos)


@pytest.mark.parametrize("letters", ["su", "if", "fbe"])
def test_letters_that_begin_no_atom_are_wrong_at_the_first(letters: str) -> None:
    with pytest.raises(DecodeError) as raised:
        decode(f"!call f\n(x {letters}")
    assert (raised.value.code, raised.value.pos) == ("E101", 11)
