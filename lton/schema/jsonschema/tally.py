"""Collect notes and count positions while a schema is compiled."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from lton.errors import Code, SchemaError
from lton.schema.types import CHARACTERS_A_POSITION, MAX_POSITIONS, Type


class Handling(StrEnum):
    """The way in which LTON handles a keyword that types do not express."""

    CHECKED = "checked when the arguments have been read"
    ZONELESS = "checked when the arguments have been read, except the zone of a time"
    ANYTHING = "accepted as any value, and checked when the arguments have been read"
    UNCHECKED = "not checked"
    NEVER = "takes no value"
    OF_ITEMS = "read as the labels of the items"
    BY_NAME = "read as parameters by their names"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A keyword that types do not express, and how the keyword is handled.

    If a whole definition is left out, `keyword` is "tool", and `value` is the reason.
    """

    pointer: str
    keyword: str
    handling: Handling
    value: str = ""  # the name of a format

    def __str__(self) -> str:
        if self.handling is Handling.LEFT_OUT:
            return f"a {self.keyword} is left out: {self.value}"
        named = f"{self.keyword} {self.value!r}" if self.value else self.keyword
        return f"{named}: {self.handling}"

    @property
    def is_checked(self) -> bool:
        return self.handling in (Handling.CHECKED, Handling.ZONELESS, Handling.ANYTHING)


class Laid(NamedTuple):
    """The compiled target of a reference, and its size."""

    type: Type
    positions: int
    texts: int
    mentioned: dict[str, list[Type]]


class PositionTally:
    """Collects the notes on a schema, and counts its positions."""

    def __init__(self, root: str) -> None:
        self.notes: list[Note] = []
        self.positions = 0
        self.texts = 0  # characters of labels, defaults and descriptions, including repetitions
        self._root = root
        self._repeated = 0  # those of these characters that references repeat

    def note_keyword(self, pointer: str, keyword: str, handling: Handling, value: str = "") -> None:
        self.notes.append(Note(pointer=pointer, keyword=keyword, handling=handling, value=value))

    def count_positions(self, positions: int) -> None:
        """Count positions and raise an error above the limit (R-1105)."""
        self.positions += positions
        if self.positions + self._repeated // CHARACTERS_A_POSITION > MAX_POSITIONS:
            msg = f"a schema of more than {MAX_POSITIONS} positions"
            raise SchemaError(Code.SCHEMA_SIZE, msg, pointer=self._root)

    def count_texts(self, characters: int, *, repeated: bool) -> None:
        """Count the characters of strings and raise an error above the limit (R-1105)."""
        self.texts += characters
        self._repeated += characters if repeated else 0
        self.count_positions(0)
