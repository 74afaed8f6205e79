"""What the benchmark counts: turns, answers and definitions, and texts cut into pieces by role."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from json import dumps
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeAlias

from lton.schema import Call, ToolSet
from lton.schema.types import JSON

Definition: TypeAlias = Mapping[str, Any]
Schema: TypeAlias = Mapping[str, Any]
Role = Literal["name", "key", "type", "value", "punctuation", "special"]


class Piece(NamedTuple):
    """A part of a text, and what it is there for.

    One that is "special" counts as a single token, whatever the vocabulary: it is one in the
    vocabulary of the family whose syntax it belongs to.
    """

    text: str
    role: Role


Pieces: TypeAlias = Iterator[Piece]


@dataclass(frozen=True, slots=True)
class Format:
    """A row of the benchmark: how the calls of a turn are written, cut into pieces."""

    name: str
    group: Literal["LTON", "JSON", "rival", "native", "binary", "floor"]
    write: Callable[[Sequence[Call], ToolSet], list[Piece]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a model writes at once, and the definitions of the tools that it had."""

    calls: tuple[Call, ...]
    tools: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool gave back, and the schema of that."""

    tool: str
    value: JSON
    schema: Schema


@dataclass(frozen=True, slots=True)
class Shown:
    """The definitions of the tools that a model is shown at once."""

    tools: tuple[Definition, ...]


name, key, kind, value, mark, special = (
    partial(Piece, role=role) for role in ("name", "key", "type", "value", "punctuation", "special")
)


def text_of(pieces: Iterable[Piece]) -> str:
    """Return the whole text."""
    return "".join(piece.text for piece in pieces)


def merged(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the same text in fewest pieces; special ones stay alone.

    >>> merged([mark("("), mark(""), mark("'"), value("a")])
    [Piece(text="('", role='punctuation'), Piece(text='a', role='value')]
    """
    found: list[Piece] = []
    for role, group in groupby((p for p in pieces if p.text), key=attrgetter("role")):
        if role == "special":
            found += group
        else:
            found.append(Piece(text_of(group), role))
    return found


def between(separator: str, parts: Iterable[Iterable[Piece]]) -> Pieces:
    """Yield the pieces of several parts, with punctuation between them."""
    for index, part in enumerate(parts):
        if index:
            yield mark(separator)
        yield from part


def json_text(text: str) -> str:
    r"""Return a text as JSON has it between quotes.

    >>> json_text('"')
    '\\"'
    """
    return dumps(text, ensure_ascii=False)[1:-1]


@dataclass(frozen=True, slots=True)
class JSONStyle:
    """How JSON, and what looks like it, is written: what stands between members and behind keys."""

    comma: str = ","
    colon: str = ":"
    literals: tuple[str, str, str] = ("null", "true", "false")

    def quoted(self, text: str, role: Role = "value") -> Pieces:
        yield mark('"')
        yield Piece(json_text(text), role)
        yield mark('"')

    def write(self, whole: JSON) -> Pieces:
        """Yield the pieces of a value; keys of objects in it are keys."""
        if isinstance(whole, str):
            yield from self.quoted(whole)
        elif isinstance(whole, dict):
            yield mark("{")
            yield from self.members(whole)
            yield mark("}")
        elif isinstance(whole, list | tuple):
            yield mark("[")
            yield from between(self.comma, map(self.write, whole))
            yield mark("]")
        elif whole is None or isinstance(whole, bool):
            yield value(self.literals[0 if whole is None else 2 - whole])
        else:
            yield value(dumps(whole))

    def members(self, members: Mapping[str, JSON]) -> Pieces:
        yield from between(self.comma, (self._member(k, v) for k, v in members.items()))

    def _member(self, name: str, whole: JSON) -> Pieces:
        yield from self.quoted(name, "key")
        yield mark(self.colon)
        yield from self.write(whole)

    def call(self, call: Call, name_key: str = "name", arguments_key: str = "arguments") -> Pieces:
        """Yield a call as an object of its name and its arguments."""
        yield mark("{")
        yield from self.quoted(name_key, "key")
        yield mark(self.colon)
        yield from self.quoted(call.name, "name")
        yield mark(self.comma)
        yield from self._member(arguments_key, dict(call.arguments))
        yield mark("}")


MINIFIED = JSONStyle()
SPACED = JSONStyle(", ", ": ")
"""As the templates of models print it."""
PYTHON = JSONStyle(", ", ": ", ("None", "True", "False"))
"""Python's literals: its strings read JSON's escapes as JSON does, but for lone halves of pairs."""


def listed(style: JSONStyle, parts: Sequence[Iterable[Piece]]) -> Pieces:
    """Yield one part alone, and several as a JSON array."""
    if len(parts) == 1:
        yield from parts[0]
    else:
        yield mark("[")
        yield from between(style.comma, parts)
        yield mark("]")
