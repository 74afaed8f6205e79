"""Find out what OpenDocument shows in front of the items of a list: numbers or bullets.

A style of lists has up to ten levels, which say where they start and how they are written. The
program that shows a document counts the items.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lton.documents.archives import attribute, local_name
from lton.documents.layout import BULLET, write_number

_FORMS = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
}
_NUMBERED = "list-level-style-number"
_BULLETS = frozenset(["list-level-style-bullet", "list-level-style-image"])


@dataclass(frozen=True)
class _Level:
    form: str  # a name such as `decimal` or `bullet`
    before: str
    after: str
    start: int
    numbers_shown: int  # the number of levels whose numbers are shown, such as 2 for `1.2`


@dataclass
class _List:
    style: str
    counts: dict[int, int] = field(default_factory=dict)  # the last number of each level


class ListLabels:
    """Knows the styles of lists of a document, and counts the items."""

    def __init__(self, roots: Iterable[Any]) -> None:
        self._styles = {
            attribute(style, "name"): _levels_of(style)
            for root in roots
            for style in root.iter("{*}list-style")
        }
        self._open: list[_List] = []  # the lists around the current element
        self._by_name: dict[str, _List] = {}
        self._last: dict[str, _List] = {}  # the last list of each style

    def open_list(self, element: Any) -> None:
        """Begin a list, which may continue an earlier list."""
        outer = self._open[-1] if self._open else None
        style = attribute(element, "style-name") or (outer.style if outer else "")
        if outer is not None:
            is_continued = attribute(element, "continue-numbering") == "true"
            if not is_continued:
                outer.counts.pop(len(self._open) + 1, None)
            opened = _List(style, outer.counts)
        else:
            opened = self._find_continued_list(element, style) or _List(style)
            self._last[style] = opened
        if name := attribute(element, "id"):
            self._by_name[name] = opened
        self._open.append(opened)

    def close_list(self) -> None:
        """End the current list."""
        self._open.pop()

    def label_of(self, item: Any) -> str:
        """Count an item, and return its label, or an empty string."""
        current = self._open[-1]
        levels = self._styles.get(current.style, {})
        level = len(self._open)
        definition = levels.get(level)
        if definition is None:
            return ""
        start = attribute(item, "start-value")
        counts = current.counts
        if start.isascii() and start.isdigit():
            counts[level] = int(start)
        else:
            counts[level] = counts[level] + 1 if level in counts else definition.start
        for deeper in [number for number in counts if number > level]:
            del counts[deeper]
        return BULLET if definition.form == "bullet" else _write_label(level, levels, counts)

    def _find_continued_list(self, element: Any, style: str) -> _List | None:
        name = attribute(element, "continue-list")
        if name:
            return self._by_name.get(name)
        if attribute(element, "continue-numbering") == "true":
            return self._last.get(style)
        return None


def _levels_of(style: Any) -> dict[int, _Level]:
    levels: dict[int, _Level] = {}
    for element in style:
        name = local_name(element)
        if name != _NUMBERED and name not in _BULLETS:
            continue
        form = _FORMS.get(attribute(element, "num-format"), "none")
        level = _to_int(attribute(element, "level"))
        levels[level] = _Level(
            form="bullet" if name in _BULLETS else form,
            before=attribute(element, "num-prefix"),
            after=attribute(element, "num-suffix"),
            start=_to_int(attribute(element, "start-value")),
            numbers_shown=min(level, _to_int(attribute(element, "display-levels"))),
        )
    return levels


def _write_label(level: int, levels: Mapping[int, _Level], counts: Mapping[int, int]) -> str:
    definition = levels[level]
    numbers = [
        write_number(counts.get(number, levels[number].start), levels[number].form)
        for number in range(level - definition.numbers_shown + 1, level + 1)
        if number in levels and levels[number].form not in ("bullet", "none")
    ]
    return f"{definition.before}{'.'.join(numbers)}{definition.after}".strip() if numbers else ""


def _to_int(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 1
