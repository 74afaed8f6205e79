"""The events of a decoder in the order of the text, reported as soon as they are certain (§8)."""

from typing import NamedTuple, TypeAlias

from lton.schema.types import JSON, Call, Result


class CallStart(NamedTuple):
    """The start of a call: its name is complete and its tool is known."""

    name: str


class Argument(NamedTuple):
    """A complete argument: its value fits the schema, and its end has been read."""

    name: str
    value: JSON


class ArgumentDelta(NamedTuple):
    """A new piece of a string in an argument, which belongs to the string if the call is correct.

    `path` leads from the arguments to the string: first a name, then names and indexes. All pieces
    with the same path together are the string. Where they are cut depends on how the text arrived.
    A later limit, the schema or the rest of the text may still refuse the call.
    """

    path: tuple[str | int, ...]
    text: str


class CallEnd(NamedTuple):
    """The end of a call, which nothing that follows can change."""

    call: Call


class Answer(NamedTuple):
    """A complete `!result` or `!error` frame."""

    result: Result


class Prose(NamedTuple):
    """A line of prose with its line end (only if prose is allowed).

    With deltas, the text may be a part of a line.
    """

    text: str


class Thinking(NamedTuple):
    """A line of a thought with its line end, or the part of a line before the closing mark.

    `complete` is true for the last piece of a thought. (Only if thoughts are allowed.)
    """

    text: str
    complete: bool


Event: TypeAlias = CallStart | ArgumentDelta | Argument | CallEnd | Answer | Prose | Thinking
