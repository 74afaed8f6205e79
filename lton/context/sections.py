"""Define layouts, their sections, and the decision about each section."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Literal, TypeAlias

from lton.errors import SectionError
from lton.tokens.counting import TokenCounter

Strategy: TypeAlias = Callable[[str, int, TokenCounter], str]
"""A pure function that shortens a string to a number of tokens, as a counter counts them."""
Units: TypeAlias = Literal["tokens", "bytes"]
Action: TypeAlias = Literal["kept", "compressed", "cut", "dropped", "grown"]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a context, with the rules for shortening it.

    A section with `shrink=0` is critical: it is shown byte for byte. Other sections are shortened
    if the budget requires it: lowest `priority` first, and among equals greatest `shrink` first.
    First the `strategy` is applied (it may drop a section without `min`), and then the end is cut
    off, but never below `min` units of the layout. Text that is itself shorter than `min` is
    shown completely or dropped. If room is left, sections with `grow` show more of `full` (a longer
    version of `text`), in proportion to `grow`.

    Invalid values raise `SectionError` (E703, a ValueError).

    >>> Section("rules", "Be brief.").critical
    True
    >>> Section("notes", "It rained.", shrink=float("nan"))
    Traceback (most recent call last):
    lton.errors.SectionError: section 'notes': expected a finite shrink >= 0, found nan [E703]
    """

    name: str
    text: str
    _: KW_ONLY
    priority: int = 500
    min: int = 0
    grow: float = 0.0
    shrink: float = 0.0
    strategy: Strategy | None = None
    full: str | None = None

    def __post_init__(self) -> None:
        for fault in self._iterate_faults():
            raise SectionError(f"section {self.name!r}: expected {fault}")

    def _iterate_faults(self) -> Iterator[str]:
        texts = [("a name", self.name), ("a text", self.text), ("a full text", self.full or "")]
        for noun, text in texts:
            if not isinstance(text, str):
                yield f"{noun} that is a string, found {text!r}"
        if type(self.priority) is not int:
            yield f"an integer as priority, found {self.priority!r}"
        if type(self.min) is not int or self.min < 0:
            yield f"an integer >= 0 as min, found {self.min!r}"
        for noun, weight in (("grow", self.grow), ("shrink", self.shrink)):
            if type(weight) not in (int, float) or not 0 <= weight < math.inf:
                yield f"a finite {noun} >= 0, found {weight!r}"
        if self.full is not None and self.critical:
            yield "no full text: a critical section stays as it is"

    @property
    def critical(self) -> bool:
        return self.shrink == 0


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about a section: its action, its size before and after, and the reason.

    The section is between `start` and `end` in the layout's text, in code points. These offsets do
    not depend on the content of a section.
    """

    section: str
    action: Action
    before: int
    after: int
    start: int
    end: int
    reason: str

    def __str__(self) -> str:
        return f"{self.section}: {self.action}, {self.before:,} -> {self.after:,} ({self.reason})"


@dataclass(frozen=True, slots=True)
class Layout:
    """A context that fits its budget: the text, its size, and a decision about each section.

    `tokens` is the count of the whole text in `units`, by the counter with the id `counter`.
    `exact` means that the model's own count is the same. The sizes in `decisions` do not add up to
    `tokens`, because a token may span two sections.
    """

    text: str
    tokens: int
    decisions: tuple[Decision, ...]
    budget: int
    units: Units
    counter: str
    exact: bool
    separator: str
    passes: str

    def report(self) -> str:
        """Describe the layout in one line, and then each section in one line."""
        total = f"{self.tokens:,} of {self.budget:,} {self.units} ({self.counter})"
        return "\n".join([total, *map(str, self.decisions)])


def join_sections(texts: Iterable[str], separator: str) -> str:
    r"""Join strings with a separator, unless a string already ends with it.

    >>> join_sections(["a", "", "b\n", "c"], "\n")
    'a\nb\nc'
    """
    visible = [text for text in texts if text]
    before = (text if text.endswith(separator) else text + separator for text in visible[:-1])
    return "".join([*before, *visible[-1:]])
