"""The events of a decoder in the order of the text, each as soon as it is certain (§8)."""

from typing import NamedTuple, TypeAlias

from lton.schema.types import JSON, Call, Result


class CallStart(NamedTuple):
    """A call begins: its tool is known and the name has ended."""

    name: str


class Argument(NamedTuple):
    """An argument is complete: its value fits the schema, and its end has been seen."""

    name: str
    value: JSON


class ArgumentDelta(NamedTuple):
    """A new piece of a string in an argument; it stays part of the string if the call is right.

    `path` leads from the arguments to the string: a name, then names and indexes inside the
    argument. All pieces of a path add up to the string; where they are cut depends on how the text
    arrived. A bound, the schema or the text that follows may still refuse the call.
    """

    path: tuple[str | int, ...]
    text: str


class CallEnd(NamedTuple):
    """A call is complete; nothing that follows can change it."""

    call: Call


class Answer(NamedTuple):
    """A `!result` or `!error` frame is complete."""

    result: Result


class Prose(NamedTuple):
    """A line that is not a frame, with its line end (only if prose is allowed).

    With deltas, it may be a piece of a line.
    """

    text: str


class Thinking(NamedTuple):
    """A line of a thought, with its line end, or the part of a line before the closing mark.

    `complete` is set for the last piece. (Only if thoughts are allowed.)
    """

    text: str
    complete: bool


Event: TypeAlias = CallStart | ArgumentDelta | Argument | CallEnd | Answer | Prose | Thinking
