"""Define the events that a decoder reports, each as soon as it is certain (§8)."""

from typing import NamedTuple, TypeAlias

from lton.schema.types import JSON, Call, Result


class CallStart(NamedTuple):
    """The start of a call to a known tool, with the tool's complete name."""

    name: str


class Argument(NamedTuple):
    """A complete argument that the schema allows."""

    name: str
    value: JSON


class ArgumentDelta(NamedTuple):
    """The next piece of a string in an argument.

    `path` leads from the arguments to the string: first a name, then names and indexes. The string
    is all pieces with the same path, joined. The cuts between pieces depend on the chunks that
    arrived. The call may still be refused because of a limit, the schema or the rest of the text.
    """

    path: tuple[str | int, ...]
    text: str


class CallEnd(NamedTuple):
    """The end of a call. From here on, the call cannot change."""

    call: Call


class Answer(NamedTuple):
    """The complete result of a call, or the complete error."""

    result: Result


class Prose(NamedTuple):
    """A line of prose, including its line end; with `deltas`, a piece of prose of any length."""

    text: str


class Thinking(NamedTuple):
    """A line of a thought, including its line end, or the part of the line before the closing mark.

    With `deltas`, this is a piece of any length. Only decoders with `thoughts` report it.
    `complete` is true for the last piece of a thought.
    """

    text: str
    complete: bool


Event: TypeAlias = CallStart | ArgumentDelta | Argument | CallEnd | Answer | Prose | Thinking
