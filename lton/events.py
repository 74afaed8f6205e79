"""Define the events of a decoder, which are reported as soon as they are certain (§8)."""

from typing import NamedTuple, TypeAlias

from lton.schema.types import JSON, Call, Result


class CallStart(NamedTuple):
    """The start of a call, with the complete name of a known tool."""

    name: str


class Argument(NamedTuple):
    """A complete argument that fits the schema."""

    name: str
    value: JSON


class ArgumentDelta(NamedTuple):
    """Another piece of a string in an argument.

    `path` leads from the arguments to the string: first a name, then names and indexes. The string
    is all pieces with the same path, joined. The cuts between pieces depend on the chunks that
    arrived. The call may still be refused because of a limit, the schema or the rest of the text.
    """

    path: tuple[str | int, ...]
    text: str


class CallEnd(NamedTuple):
    """The end of a call, which can no longer change."""

    call: Call


class Answer(NamedTuple):
    """A complete result or error of a call."""

    result: Result


class Prose(NamedTuple):
    """A line of prose with its line end or, with `deltas`, a part of the line."""

    text: str


class Thinking(NamedTuple):
    """A line of a thought with its line end, or the part before the closing mark.

    Only decoders with `thoughts` report it. `complete` is true for the last piece of a thought.
    """

    text: str
    complete: bool


Event: TypeAlias = CallStart | ArgumentDelta | Argument | CallEnd | Answer | Prose | Thinking
