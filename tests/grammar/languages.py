"""List the texts of the cases that grammars allow, and the texts that they exclude on purpose
(§13).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import copysign
from typing import Any

from lton import Call, DecodeError, Decoder, ToolSet
from lton._syntax import (
    ATOM_LETTERS,
    BARE,
    LITERALS,
    NAME,
    NUMBER,
    WORD,
    Form,
    spell_number,
    try_write_quoted,
    write_fenced,
)
from lton.errors import Code
from lton.events import CallStart
from lton.grammar.lexemes import Bounded
from lton.grammar.patterns import find_pattern, find_shape_of_pattern
from lton.grammar.values import MAX_ITEMS, list_groups
from lton.schema.types import ANY, FREE, JSON, Array, Number, Object, String, Type
from tests.cases import GOOD, Bad, exact

FORMS = ["wire", "keyed", "punctuated", "tagged"]
BEYOND = {
    "double-as-integer": "§13: no doubles where integers are expected",
    "long-integer": "§13: integers of up to 40 digits",
    "fence-in-text": "§13: fences of three backticks",
    "long-fence-in-text": "§13: fences of three backticks",
    "fence-in-a-line-of-text": "§13: fences of three backticks",
    **{case.name: "§13: no tables" for case in GOOD if case.name.startswith("table")},
}
"""Cases with a form that is not in the language, and why."""

BEYOND_GRAMMARS = {
    Code.BOUNDS,
    Code.CONSTRAINT,
    Code.DUPLICATE,
    Code.DEPTH,
    Code.DIGITS,
    Code.NUMBER,
    Code.PAYLOAD,
    Code.TYPE,
    Code.LABEL,
}
"""§13: the errors that a text in the language may have."""


BEYOND_ERRORS = {
    "refused-fence-in-call-spaced-end": "§13: a fenced text that may hold a call's end"
}
"""Cases of other errors that a text in the language may have, and why."""


def options(form: str) -> dict[str, Any]:
    """Return the options of a grammar for all texts that the encoder writes in a form."""
    if form == "punctuated":
        return {"form": "punctuated", "parallel": True}
    longest = 999 if form == "tagged" else 9
    return {"form": form, "parallel": True, "counted": longest, "bare": True}


def in_no_language(case: Bad) -> bool:
    """Return whether the text of a case has a grammar that must refuse it."""
    if case.tools is None or not case.tools.tools or len(case.text) > 1000:
        return False
    if any("\ud800" <= char <= "\udfff" for char in case.text):
        return False
    never = any(param.type == Type() for tool in case.tools for param in tool.args.params)
    is_beyond = case.code in BEYOND_GRAMMARS or case.name in BEYOND_ERRORS
    return not is_beyond and not never


@dataclass(frozen=True, slots=True)
class Limits:
    """The options of a grammar, and so the texts that its language lacks or has in addition
    (§13).
    """

    form: Form
    parallel: bool
    counted: int
    bounded: Bounded

    # --- too much -------------------------------------------------------------------------------

    def is_beyond(self, error: DecodeError, tools: ToolSet) -> bool:
        """Return whether a text of the language may have this error.

        If an object accepts undeclared members, any listed error is possible, because a declared
        key may be generated as an undeclared key.
        """
        if error.code is Code.FENCE:
            return error.msg.endswith("right after a fence")
        if error.code not in BEYOND_GRAMMARS or is_open(tools):
            return error.code in BEYOND_GRAMMARS
        node = _type_at(error, tools)
        match = WORD.match(error.doc, error.pos)
        word = match[0] if match else ""
        is_other = self._has_words(node) and bool(word in LITERALS or NUMBER.fullmatch(word))
        match error.code:
            case Code.TYPE | Code.LABEL:
                return is_other
            case Code.BOUNDS:
                is_word = (
                    self.bounded in ("quoted", "schema") and bool(word) and self._has_words(node)
                )
                unlimited = ("'", "`") if self.form == "punctuated" else ("```",)
                is_fence = error.doc.startswith(unlimited, error.pos)
                is_double = node.number is not None and not node.number.integer and bool(word)
                array = node.array or Array(items=ANY)
                is_long = max(array.min_items, array.max_items or 0) > MAX_ITEMS
                is_shaped = node.string is not None and _pattern(node.string) is not None
                return any(
                    (not self.bounded, is_word, is_other, is_fence, is_double, is_long, is_shaped)
                )
            case Code.NUMBER:
                return word != "-0"
            case Code.PAYLOAD:
                return self.form == "tagged"
        return True

    def _has_words(self, node: Type) -> bool:
        """Return whether a bare word may be a string that is not a label."""
        return self.form in ("wire", "keyed") and bool(node.string) and not node.has_labels

    # --- too little -----------------------------------------------------------------------------

    def left_out(self, calls: Sequence[Call], tools: ToolSet) -> set[str]:
        """Return the reasons why the canonical text of some calls is not in the language.

        If the tools are open (see below), the text may be in the language in spite of a reason.
        """
        reasons = set() if len(calls) == 1 or (calls and self.parallel) else {"the number of calls"}
        for call in calls:
            reasons |= set(
                self._members(call.arguments, tools.by_name[call.name].args, is_top=True)
            )
        return reasons

    def _members(
        self, values: Mapping[str, JSON], members: Object, *, is_top: bool = False
    ) -> Iterator[str]:
        for key, value in values.items():
            if key not in members.by_name:
                if self.form == "tagged":
                    may_be_atom = is_top and _ATOM_HEAD.match(key)
                else:
                    may_be_atom = (is_top or not members.is_map) and _COUNTED_HEAD.match(key)
                if may_be_atom and NAME.fullmatch(key):
                    yield "a key that is not declared and begins like a counted string, or an atom"
                if try_write_quoted(key) is None and write_fenced(key).startswith("````"):
                    yield "a fence of four backticks"
            yield from self._value(value, members.find_type(key) or ANY)

    def _value(self, value: JSON, node: Type) -> Iterator[str]:
        group = node.object if isinstance(value, dict) else node.array
        if isinstance(value, dict | list) and group and (values := list_groups(group, node)):
            text, *texts = [exact([Call("", {"x": spelling})]) for spelling in (value, *values)]
            if text not in texts:
                yield "a listed array or object in another spelling"
            return
        match value:
            case dict():
                yield from self._members(value, node.object or FREE)
            case list():
                for item in value:
                    yield from self._value(item, node.item_type)
            case str() if node.string and not node.has_labels:
                yield from self._string(value, node, node.string)
            case int() | float() if not isinstance(value, bool) and node.number:
                yield from self._number(value, node, node.number)

    def _string(self, value: str, node: Type, string: String) -> Iterator[str]:
        pattern = _pattern(string)
        text_shape = pattern and find_shape_of_pattern(pattern)
        is_bare = self._has_words(node) and node.takes_bare(value) and BARE.fullmatch(value)
        if (
            pattern
            and text_shape
            and (self.form != "tagged" or text_shape.size[0] == text_shape.size[1])
        ):
            fits = re.search(pattern, value, re.ASCII) and not re.search('["\n\r]', value)
            is_any_word = not text_shape.is_bare or node != Type(string=string)
            if not fits and not (is_bare and is_any_word and not text_shape.is_quoted):
                yield "a string of a pattern in another spelling"
        elif self.form == "tagged" or (
            self.form != "punctuated" and try_write_quoted(value) is None
        ):
            if len(value) > self.counted:
                yield "a counted string"
        elif try_write_quoted(value) is None and write_fenced(value).startswith("`````"):
            yield "a fence of five backticks"

    def _number(self, value: float, node: Type, number: Number) -> Iterator[str]:
        pattern = node.string and _pattern(node.string)
        text_shape = find_shape_of_pattern(pattern) if pattern else None
        if self._has_words(node) and not (text_shape and text_shape.is_quoted):
            return  # it is there as a word
        if number.values is not None:
            # 2.0 has two spellings, 2 has one.
            doubles = [one for one in number.values if isinstance(one, float) and abs(one) < 1e16]
            is_spelled = spell_number(value) in map(spell_number, number.values)
            if not is_spelled and not (isinstance(value, int) and value in doubles):
                yield "a listed number in another spelling"
        elif isinstance(value, int):
            if abs(value) >= 10**40 and (self.bounded or self.form == "tagged"):
                yield "an integer of more than 40 digits"
        elif number.integer:
            yield "a double where integers are expected"
        elif value == 0 and copysign(1, value) < 0 and self.form != "tagged":
            lows = [low for low in (number.minimum, number.exclusive_minimum) if low is not None]
            if max(lows, default=-1) >= 0:
                yield "-0.0 where no number is negative"


def _pattern(string: String) -> str | None:
    """Return the pattern, or the pattern of the format, if a grammar enforces it."""
    pattern = find_pattern(string)
    return pattern if pattern is not None and find_shape_of_pattern(pattern) else None


_COUNTED_HEAD = re.compile("s[0-9]")
_ATOM_HEAD = re.compile(f"[{ATOM_LETTERS}][0-9]")


def is_open(tools: ToolSet) -> bool:
    """Return whether an object of some tool accepts undeclared members."""
    return any(_is_open(Type(object=tool.args)) for tool in tools)


def _is_open(node: Type) -> bool:
    if node == ANY:
        return False
    parts = [node.array.items] if node.array else []
    if node.object:
        parts += [param.type for param in node.object.params]
        if node.object.is_map and node.object.extra:
            parts.append(node.object.extra)
        elif node.object.extra:
            return True
    return any(map(_is_open, parts))


def _type_at(error: DecodeError, tools: ToolSet) -> Type:
    """Return the type of the value at the path of an error."""
    decoder = Decoder(tools)
    decoder.feed(error.doc[: error.pos])
    events = iter(decoder.next_event, None)
    *_, name = (event.name for event in events if isinstance(event, CallStart))
    node = Type(object=tools.by_name[name].args)
    for step in error.path.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        node = (node.object or FREE).find_type(key) or ANY if node.object else node.item_type
    return node
