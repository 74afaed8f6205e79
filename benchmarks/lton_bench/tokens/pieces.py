"""The units of the benchmark (turns, answers, definitions), and pieces of output with roles."""

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
Role = Literal["name", "key", "type", "value", "punctuation"]


class Piece(NamedTuple):
    """A part of the output, and its role."""

    text: str
    role: Role


Pieces: TypeAlias = Iterator[Piece]


@dataclass(frozen=True, slots=True)
class Format:
    """A format of the benchmark: a function that writes the calls of a turn in pieces."""

    name: str
    group: Literal["LTON", "JSON", "rival", "binary", "floor"]
    write: Callable[[Sequence[Call], ToolSet], list[Piece]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """The calls that a model writes at once, and the definitions of its tools."""

    calls: tuple[Call, ...]
    tools: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a tool, and its schema."""

    tool: str
    value: JSON
    schema: Schema


@dataclass(frozen=True, slots=True)
class Shown:
    """The definitions of tools that a model is shown at once."""

    tools: tuple[Definition, ...]


name, key, kind, value, mark = (
    partial(Piece, role=role) for role in ("name", "key", "type", "value", "punctuation")
)


def text_of(pieces: Iterable[Piece]) -> str:
    """Return the pieces as one string."""
    return "".join(piece.text for piece in pieces)


def merged(pieces: Iterable[Piece]) -> list[Piece]:
    """Merge adjacent pieces of the same role.

    >>> merged([mark("("), mark(""), mark("'"), value("a")])
    [Piece(text="('", role='punctuation'), Piece(text='a', role='value')]
    """
    groups = groupby((piece for piece in pieces if piece.text), key=attrgetter("role"))
    return [Piece(text_of(group), role) for role, group in groups]


def between(separator: str, parts: Iterable[Iterable[Piece]]) -> Pieces:
    """Yield the pieces of several parts, separated by punctuation."""
    for index, part in enumerate(parts):
        if index:
            yield mark(separator)
        yield from part


def json_text(text: str) -> str:
    r"""Return a string in JSON without its quotes.

    >>> json_text('"')
    '\\"'
    """
    return dumps(text, ensure_ascii=False)[1:-1]


@dataclass(frozen=True, slots=True)
class JSONStyle:
    """A style of JSON or a similar notation: the separators of members and after keys."""

    comma: str = ","
    colon: str = ":"
    literals: tuple[str, str, str] = ("null", "true", "false")

    def quoted(self, text: str, role: Role = "value") -> Pieces:
        yield mark('"')
        yield Piece(json_text(text), role)
        yield mark('"')

    def write(self, whole: JSON) -> Pieces:
        """Yield the pieces of a value; keys of objects get the role of keys."""
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
        """Yield a call as an object with a name and arguments."""
        yield mark("{")
        yield from self.quoted(name_key, "key")
        yield mark(self.colon)
        yield from self.quoted(call.name, "name")
        yield mark(self.comma)
        yield from self._member(arguments_key, dict(call.arguments))
        yield mark("}")


MINIFIED = JSONStyle()
SPACED = JSONStyle(", ", ": ")
"""JSON as the chat templates of models print it."""
PYTHON = JSONStyle(", ", ": ", ("None", "True", "False"))
"""Python literals, whose strings have the escapes of JSON, except for lone surrogates."""


def listed(style: JSONStyle, parts: Sequence[Iterable[Piece]]) -> Pieces:
    """Yield one part as it is, and several parts as a JSON array."""
    if len(parts) == 1:
        yield from parts[0]
    else:
        yield mark("[")
        yield from between(style.comma, parts)
        yield mark("]")
