"""What a reader tells, in the order of the text, as soon as it is certain (§8)."""

from typing import NamedTuple, TypeAlias

from lton.schema.types import JSON, Call, Result


class CallStart(NamedTuple):
    """A call begins: its tool is known and the name has ended."""

    name: str


class Argument(NamedTuple):
    """An argument is complete: its value fits the schema and what follows it has been seen."""

    name: str
    value: JSON


class CallEnd(NamedTuple):
    """A call is complete, and nothing that follows can change it."""

    call: Call


class Answer(NamedTuple):
    """A `!result` or an `!error` frame is complete."""

    result: Result


class Prose(NamedTuple):
    """A line that is no frame, with its line end (only in texts that mix calls and prose)."""

    text: str


Event: TypeAlias = CallStart | Argument | CallEnd | Answer | Prose
