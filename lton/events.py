"""The events of a decoder in the order of the text, reported as soon as they are certain (§8)."""

from typing import NamedTuple, TypeAlias

from lton.schema.types import JSON, Call, Result


class CallStart(NamedTuple):
    """The start of a call. The name is complete, and a tool with this name exists."""

    name: str


class Argument(NamedTuple):
    """A complete argument. Its end has been read, and its value fits the schema."""

    name: str
    value: JSON


class ArgumentDelta(NamedTuple):
    """A new piece of a string in an argument. It is part of the string if the call is valid.

    `path` leads from the arguments to the string: first a name, then names and indexes. The string
    is all pieces with the same path, joined. The cuts between pieces depend on the chunks that
    arrived. The call may still be refused because of a limit, the schema or the rest of the text.
    """

    path: tuple[str | int, ...]
    text: str


class CallEnd(NamedTuple):
    """The end of a call. No later text can change the call."""

    call: Call


class Answer(NamedTuple):
    """A complete `!result` or `!error` frame."""

    result: Result


class Prose(NamedTuple):
    """A line of prose with its line end, or with `deltas` a part of the line. Needs `prose`."""

    text: str


class Thinking(NamedTuple):
    """A line of a thought with its line end, or the part of a line before the closing mark.

    Only decoders with `thoughts` report it. `complete` is true for the last piece of a thought.
    """

    text: str
    complete: bool


Event: TypeAlias = CallStart | ArgumentDelta | Argument | CallEnd | Answer | Prose | Thinking
