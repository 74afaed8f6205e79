"""Find out what Word shows in front of a paragraph: the level of a heading, the number of an item.

Neither is text of the document. A list has a number in `numbering.xml`, whose levels say where they
start and how they are written, and Word counts. A style may be a heading or belong to a list.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lton.documents.archives import attribute, child_of, val_of_child
from lton.documents.layout import BULLET, write_number
from lton.documents.office_parts import OfficeParts

_HEADING = "heading "
_LEVELS = 9
_UNSEEN = ("del", "moveFrom", "vanish")
"""Properties of the end of a paragraph that is deleted or hidden, so that it has no number."""


@dataclass(frozen=True)
class _Level:
    start: int
    form: str  # a name such as `decimal` or `bullet`
    text: str  # such as `%1.%2.`, in which `%1` is the number of the first level


class WordStyles:
    """Knows the headings and the lists of a document, and counts the items."""

    def __init__(self, parts: OfficeParts, main: str) -> None:
        self._headings: dict[str, int] = {}
        self._listed: dict[str, tuple[str, int]] = {}  # the list and the level of a style
        for part in parts.find_related_parts(main, "styles"):
            for style in parts.parse_root(part).iter("{*}style"):
                self._learn_style(style)
        self._lists: dict[str, str] = {}  # the definition of a list
        self._levels: dict[str, dict[int, _Level]] = {}  # of a definition
        self._changed: dict[str, dict[int, _Level]] = {}  # of a list
        self._starts: dict[str, dict[int, int]] = {}  # of a list, used once
        for part in parts.find_related_parts(main, "numbering"):
            self._learn_lists(parts.parse_root(part))
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)  # of a definition

    def _learn_style(self, style: Any) -> None:
        """Remember a style. A style has the list and the level of the style that it is based on."""
        name = val_of_child(style, "name").lower()
        level = name.removeprefix(_HEADING)
        identifier = attribute(style, "styleId")
        base = val_of_child(style, "basedOn")
        if name.startswith(_HEADING) and level.isdigit():
            self._headings[identifier] = int(level)
        numbers = child_of(child_of(style, "pPr"), "numPr")
        inherited, inherited_level = self._listed.get(base, ("", 0))
        listed = val_of_child(numbers, "numId") or inherited
        own_level = val_of_child(numbers, "ilvl")
        if listed:
            self._listed[identifier] = listed, _to_int(own_level) if own_level else inherited_level

    def _learn_lists(self, root: Any) -> None:
        for definition in root.iter("{*}abstractNum"):
            name = attribute(definition, "abstractNumId")
            self._levels[name] = _levels_of(definition)
        for numbered in root.iter("{*}num"):
            name = attribute(numbered, "numId")
            self._lists[name] = val_of_child(numbered, "abstractNumId")
            changes = list(numbered.iter("{*}lvlOverride"))
            self._changed[name] = {
                level: definition_of_level
                for change in changes
                for level, definition_of_level in _levels_of(change).items()
            }
            self._starts[name] = {
                _to_int(attribute(change, "ilvl")): _to_int(val_of_child(change, "startOverride"))
                for change in changes
                if val_of_child(change, "startOverride")
            }

    def prefix_of(self, paragraph: Any) -> str:
        """Return what Word shows in front of a paragraph, and count the paragraph."""
        properties = child_of(paragraph, "pPr")
        end = child_of(properties, "rPr")
        if child_of(end, *_UNSEEN) != ():
            return ""
        style = val_of_child(properties, "pStyle")
        numbers = child_of(properties, "numPr")
        usual, usual_level = self._listed.get(style, ("", 0))
        name = val_of_child(numbers, "numId") or usual
        level = val_of_child(numbers, "ilvl")
        label = self._number_item(name, _to_int(level) if level else usual_level)
        heading = "#" * self._headings.get(style, 0)
        return "".join(f"{part} " for part in (heading, label) if part)

    def _number_item(self, name: str, level: int) -> str:
        definition = self._lists.get(name)
        if definition is None:
            return ""
        levels = {**self._levels.get(definition, {}), **self._changed[name]}
        level_definition = levels.get(level)
        if level_definition is None:
            return ""
        counts = self._counts[definition]
        start = self._starts[name].pop(level, None)
        if start is not None:
            counts[level] = start
        else:
            counts[level] = counts[level] + 1 if level in counts else level_definition.start
        for deeper in range(level + 1, _LEVELS):
            counts.pop(deeper, None)
        if level_definition.form == "bullet":
            return BULLET
        return _write_label(level_definition.text, levels, counts)


def _levels_of(definition: Any) -> dict[int, _Level]:
    return {
        _to_int(attribute(level, "ilvl")): _Level(
            start=_to_int(val_of_child(level, "start")),
            form=val_of_child(level, "numFmt") or "decimal",
            text=val_of_child(level, "lvlText"),
        )
        for level in definition.iter("{*}lvl")
    }


def _write_label(text: str, levels: Mapping[int, _Level], counts: Mapping[int, int]) -> str:
    for level, definition in levels.items():
        number = counts.get(level, definition.start)
        text = text.replace(f"%{level + 1}", write_number(number, definition.form))
    return text.strip()


def _to_int(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
