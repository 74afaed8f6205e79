"""LTON texts, cut into pieces: written beside the encoder, and compared with what it writes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lton._syntax import (
    CLOSING,
    LETTERS,
    NULL_ATOM,
    REPEAT,
    SIGIL,
    SKIP,
    Form,
    spell_name,
    spell_number,
    spell_text,
)
from lton.codec import encode
from lton.codec.tagged import write_atom
from lton.errors import EncodeError
from lton.schema import Call, ToolSet
from lton.schema.types import ANY, FREE, JSON, Object, Type
from lton_bench.tokens.pieces import (
    MINIFIED,
    Piece,
    Pieces,
    Role,
    between,
    kind,
    mark,
    merged,
    text_of,
    value,
)


@dataclass(frozen=True, slots=True)
class Notation:
    """A form of LTON, and what is asked of the encoder."""

    form: Form = "wire"
    sigil: bool = False

    @property
    def punctuated(self) -> bool:
        return self.form == "punctuated"

    def row(self, words: Iterable[Iterable[Piece]]) -> Pieces:
        """Get values in a row: `lton._syntax.joined`, in pieces."""
        before = ""
        for word in map(list, words):
            text = text_of(word)
            is_closed = before[-1:] in CLOSING and text[0] not in LETTERS
            separator = ", " if self.punctuated else "," if is_closed else " "
            yield mark(separator if before else "")
            yield from word
            before = text

    def write(self, calls: Sequence[Call], tools: ToolSet) -> list[Piece]:
        r"""Get the text that `lton.encode` gives, in pieces.

        Calls that break their own schema are written in the tagged form, which needs none.

        >>> tools = ToolSet.from_prompt("wait(minutes:int why?)")
        >>> text_of(Notation().write([Call("wait", {"minutes": 5, "why": "tea time"})], tools))
        'wait 5 "tea time"'
        >>> text_of(Notation().write([Call("wait", {"minutes": "five"})], tools))
        '!call wait\n(minutes s4:five)'
        """
        calls = tuple(calls)
        try:
            text = encode(calls, tools, form=self.form, sigil=self.sigil)
        except EncodeError:
            return _checked(_tagged_calls(calls, None), encode(calls, form="tagged"))
        if tools.aliases:
            calls = tuple(replace(call, name=tools.aliases[call.name]) for call in calls)
            tools = tools.spoken
        is_tagged = self.form == "tagged"
        pieces = _tagged_calls(calls, tools) if is_tagged else self._calls(calls, tools)
        return _checked(pieces, text)

    def _calls(self, calls: Sequence[Call], tools: ToolSet) -> Pieces:
        above = None
        for index, call in enumerate(calls):
            yield mark("\n" if index else "")
            yield mark(SIGIL if self.sigil else "")
            repeats = self.form == "wire" and call.name == above
            yield from [mark(REPEAT)] if repeats else _named(call.name, "name")
            members = self._members(call.arguments, tools.by_name[call.name].args)
            if self.punctuated:
                yield from (mark("("), *self.row(members), mark(")"))
            else:
                yield mark(" " if members else "")
                yield from self.row(members)
            above = None if self.sigil else call.name

    def _members(self, values: Mapping[str, JSON], members: Object) -> list[list[Piece]]:
        row, keyed = members.arrange(values)
        if self.form in ("keyed", "punctuated"):
            row, keyed = [], members.in_order(values)
        words = [list(self._value(values[p.name], p.type)) if p else [mark(SKIP)] for p in row]
        for key in keyed:
            node = members.type_of(key) or ANY
            words.append([*_named(key, "key"), mark("="), *self._value(values[key], node)])
        return words

    def _value(self, whole: JSON, node: Type) -> Pieces:
        if isinstance(whole, str):
            bare = node.takes_bare(whole) and (node.has_labels or not self.punctuated)
            yield from _around(spell_text(whole, bare=bare, punctuated=self.punctuated), whole)
        elif isinstance(whole, list | tuple):
            items = (self._value(item, node.item_type) for item in whole)
            yield from (mark("["), *self.row(items), mark("]"))
        elif not isinstance(whole, dict):
            yield _scalar(whole)
        elif node.object and not node.object.is_map:
            members = self._members(whole, node.object)
            yield from (mark("("), *self.row(members), mark(")"))
        else:
            extra = (node.object or FREE).extra or ANY
            pairs = (
                [*_named(key, "key"), mark(" "), *self._value(whole[key], extra)]
                for key in sorted(whole)
            )
            yield from (mark("{"), *self.row(pairs), mark("}"))


def _checked(pieces: Pieces, text: str) -> list[Piece]:
    found = merged(pieces)
    if text_of(found) != text:
        raise AssertionError(f"the pieces are not those of {text!r}: {found}")
    return found


def _scalar(whole: JSON) -> Piece:
    if isinstance(whole, int | float) and not isinstance(whole, bool):
        return value(spell_number(whole))
    return next(MINIFIED.write(whole))


def _named(text: str, role: Role) -> Pieces:
    yield from _around(spell_name(text), text, role)


def _around(spelled: str, text: str, role: Role = "value") -> Pieces:
    """Get a spelling with what is around the text: quotes and fences, or a kind and a length."""
    surplus = len(spelled) - len(text)
    is_counted = surplus > 0 and spelled[0] not in "\"'`"
    head = surplus if is_counted else surplus // 2
    yield kind(spelled[:head]) if is_counted else mark(spelled[:head])
    yield Piece(text, role)
    yield mark(spelled[head + len(text) :])


# --- the tagged form ----------------------------------------------------------------------------


def _tagged_calls(calls: Sequence[Call], tools: ToolSet | None) -> Pieces:
    for index, call in enumerate(calls):
        yield mark("\n" if index else "")
        yield mark(SIGIL)
        yield from _named(call.name, "name")
        members = tools.by_name[call.name].args if tools else None
        row, keyed = members.arrange(call.arguments) if members else ([], sorted(call.arguments))
        atoms = [_atom(call.arguments[p.name], p.type) if p else [mark(SKIP)] for p in row]
        groups = [between(" ", atoms)] if row or not keyed else []
        groups += [_pair(key, call.arguments[key], members or FREE) for key in keyed]
        for group in groups:
            yield from (mark("\n("), *group, mark(")"))


def _pair(key: str, whole: JSON, members: Object) -> Pieces:
    if key in (NULL_ATOM, SKIP):
        yield from (mark('"'), Piece(key, "key"), mark('"'))
    else:
        yield from _named(key, "key")
    yield mark(" ")
    yield from _atom(whole, members.type_of(key) or ANY)


def _atom(whole: JSON, node: Type) -> Pieces:
    if isinstance(whole, dict):
        members = node.object or FREE
        pairs = (_pair(key, whole[key], members) for key in members.in_order(whole))
        yield from (mark("{"), *between(" ", pairs), mark("}"))
    elif isinstance(whole, list | tuple):
        items = (_atom(item, node.item_type) for item in whole)
        yield from (mark("["), *between(" ", items), mark("]"))
    elif whole is None:
        yield value(NULL_ATOM)
    else:
        head, colon, payload = write_atom(whole, node).partition(":")
        yield from (kind(head + colon), value(payload))
