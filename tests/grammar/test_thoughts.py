"""Test that grammars allow the same thoughts before calls as the decoder."""

import random
import re
from typing import Any

import pytest

from lton import DecodeError, Decoder, ToolSet
from lton.events import Answer
from lton.grammar import to_ebnf, to_gbnf, to_lark, to_regex, to_structural_tag
from lton.grammar.linting import lint
from tests.grammar.acceptors import gbnf_accepts, lark_accepts, llguidance_accepts

TOOLS = ToolSet.from_prompt("f(a:int)\ng()")
MARKS: list[tuple[str, str]] = [("<think>", "</think>"), ("", "[/]"), ("◁t▷", "◁/t▷"), ("#", "]^")]


def texts(marks: tuple[str, str]) -> list[str]:
    """Return texts with thoughts built from pieces of the marks, closed and open."""
    chance = random.Random(str(marks))
    opening, closing = marks
    pieces = [*closing, closing[:-1], "a", "\n", " ", "!call f 1\n", closing[0]]
    thought_texts = []
    for _ in range(40):
        inside = "".join(chance.choices(pieces, k=chance.randint(0, 6)))
        thought_texts.append(opening + inside + chance.choice([closing, closing, closing[1:]]))
    return [one + chance.choice(["f 1", "\nf 1", "\n\ng", "x", ""]) for one in thought_texts]


def is_read(text: str, **options: Any) -> bool:
    decoder = Decoder(TOOLS, **options)
    decoder.feed(text)
    decoder.close()
    try:
        event_list = list(decoder)
    except DecodeError:
        return False
    return not any(isinstance(event, Answer) for event in event_list)


@pytest.mark.parametrize("marks", MARKS)
def test_a_thought_may_come_before_a_call(marks: tuple[str, str]) -> None:
    """In every dialect, a thought may come before a call, up to the first closing mark."""
    options: Any = {"form": "wire", "thoughts": marks}
    lark, gbnf = to_lark(TOOLS, **options), to_gbnf(TOOLS, **options)
    expression = re.compile(to_regex(TOOLS, **options))
    accepted = 0
    for text in [*texts(marks), "f 1", "g", ""]:
        opening, closing = marks
        called = text.removeprefix(opening).partition(closing)[2].lstrip("\n")
        is_plain = bool(opening) and text in ("f 1", "g")
        expected = is_plain or (text.startswith(opening) and called in ("f 1", "g"))
        assert (expression.fullmatch(text) is not None) == expected, text
        assert llguidance_accepts(lark, text) == expected, text
        assert gbnf_accepts(gbnf, text) == expected, text
        assert lark_accepts(lark, text) in (expected, None), text
        assert not expected or is_read(text, thoughts=marks), text
        accepted += expected
    assert accepted > 5
    lint(to_ebnf(TOOLS, **options), "ebnf")
    assert ("thought? " in gbnf) == bool(marks[0])


@pytest.mark.parametrize("marks", MARKS)
def test_prose_does_not_begin_as_a_thought_does(marks: tuple[str, str]) -> None:
    """Prose does not begin like a thought, because it would be read as one (R-430)."""
    options: Any = {"tool_choice": "auto", "thoughts": marks, "form": "wire"}
    gbnf, lark = to_gbnf(TOOLS, **options), to_lark(TOOLS, **options)
    opening, closing = marks
    thought = f"{opening}so{closing}"
    for text in (thought, f"{thought}\nHm.\n!call f 1", f"{thought}!call g"):
        assert gbnf_accepts(gbnf, text)
        assert llguidance_accepts(lark, text)
        assert is_read(text, prose=True, thoughts=marks)
    if opening:
        assert not gbnf_accepts(gbnf, f"Hm.\n{opening}so")
        assert gbnf_accepts(gbnf, "Hm.\n!call g")


def test_other_texts_are_as_they_were() -> None:
    """Without the option nothing changes, and structural tags handle thoughts themselves."""
    assert to_gbnf(TOOLS, thoughts=False) == to_gbnf(TOOLS)
    assert to_gbnf(TOOLS, thoughts=True) == to_gbnf(TOOLS, thoughts=("<think>", "</think>"))
    with pytest.raises(ValueError, match="no structural tag with thoughts"):
        to_structural_tag(TOOLS, thoughts=True)
    with pytest.raises(ValueError, match="expected the marks of thoughts"):
        to_gbnf(TOOLS, thoughts=("<", "<<"))
