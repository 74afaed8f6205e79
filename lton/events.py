"""What a reader reports, in the order of the text, as soon as it is certain (§8)."""

from typing import NamedTuple, TypeAlias

from lton.schema.types import JSON, Call, Result


class CallStart(NamedTuple):
    """A call begins: its tool is known and the name has ended."""

    name: str


class Argument(NamedTuple):
    """An argument is complete: its value fits the schema and what follows it has been seen."""

    name: str
    value: JSON


class ArgumentDelta(NamedTuple):
    """More of a string in an argument: text that is certain to be in it, if the call is right.

    `path` leads from the arguments to the string: a name, and for what is inside of an argument
    names and indexes below. All pieces of a path together are the string; where they are cut
    depends on how the text came. A bound, the schema or what follows may still refuse the call.
    """

    path: tuple[str | int, ...]
    text: str


class CallEnd(NamedTuple):
    """A call is complete, and nothing that follows can change it."""

    call: Call


class Answer(NamedTuple):
    """A `!result` or an `!error` frame is complete."""

    result: Result


class Prose(NamedTuple):
    """A line that is no frame, with its line end (only in texts that mix calls and prose).

    Or a piece of it, where the reader was asked for deltas.
    """

    text: str


class Thinking(NamedTuple):
    """A line of a thought, with its line end, or what of it comes before the mark that ends it.

    The thought is `complete` with that. (Only in texts that may hold thoughts.)
    """

    text: str
    complete: bool


Event: TypeAlias = CallStart | ArgumentDelta | Argument | CallEnd | Answer | Prose | Thinking
