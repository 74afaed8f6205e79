"""Find calls that only repeat a text that the model was given.

A result of a tool, a page or a user may contain a call, and a model that repeats it does not mean
it. A call is an *echo* of a text if its name and all its values stand together in the text, in any
order and notation. A name that is an ordinary word (`search`) also occurs in sentences. It counts
only next to a sign that surrounds names in code, such as a quote or a bracket.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from lton._patterns import compiled_when_used
from lton.schema.types import JSON, Call

_WINDOW = 400  # characters around a name, in addition to the length of the values
_MOST_NAMES = 100  # occurrences of a name that are examined; with more, each call is an echo
_UNUSUAL = compiled_when_used(r"[._/0-9-]|[a-z][A-Z]")  # in a name that is not an ordinary word
_BEFORE_NAME = frozenset("\"'`(=<.!/@")
_AFTER_NAME = compiled_when_used(r"[\"'`(\[{=>#]|[ \t]*[(\[{\"'`]")
_SPACES = compiled_when_used(r"(?:\\[nrt]|\s)+")
_BACKSLASHES = compiled_when_used(r"\\(?=[\"'\\/])")


class SeenTexts:
    """Texts that a model was given, which are searched for the calls of its answer.

    The positions of each tool's name are found once.

    >>> seen = SeenTexts(['It says: {"name": "delete_file", "arguments": {"path": "/tmp/a"}}'])
    >>> seen.has_call(Call("delete_file", {"path": "/tmp/a"}))
    True
    >>> seen.has_call(Call("delete_file", {"path": "/tmp/b"}))
    False
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts = tuple(texts)
        self._places: dict[str, list[_NamePlace]] = {}

    def has_call(self, call: Call) -> bool:
        """Return whether the name and all values of a call stand together in one of the texts."""
        if not self._texts:
            return False
        if call.name not in self._places:
            self._places[call.name] = list(
                islice(self._iterate_places_of_name(call.name), _MOST_NAMES)
            )
        places = self._places[call.name]
        if len(places) == _MOST_NAMES:
            return True
        values = [_normalize_text(value) for value in _iterate_scalars(dict(call.arguments))]
        reach = _WINDOW + 2 * sum(map(len, values))
        # A call without values has only its name, so the name must be written as in a call.
        needs_sign = not values or _UNUSUAL.search(call.name) is None
        for occurrence in places:
            if occurrence.is_code or not needs_sign:
                window = _normalize_text(
                    occurrence.text[max(0, occurrence.start - reach) : occurrence.end + reach]
                )
                if all(_has_word(window, value) for value in values):
                    return True
        return False

    def _iterate_places_of_name(self, name: str) -> Iterator["_NamePlace"]:
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        for text in self._texts:
            for match in pattern.finditer(text):
                is_code = _is_written_as_code(text, match)
                yield _NamePlace(text, match.start(), match.end(), is_code)


@dataclass(frozen=True, slots=True)
class _NamePlace:
    """The place of a tool's name in a text, and whether signs of code are around the name."""

    text: str
    start: int
    end: int
    is_code: bool


def _is_written_as_code(text: str, match: re.Match[str]) -> bool:
    before = text[match.start() - 1 : match.start()]
    return (before != "" and before in _BEFORE_NAME) or _AFTER_NAME.match(
        text, match.end()
    ) is not None


def _has_word(text: str, value: str) -> bool:
    pos = text.find(value)
    while pos >= 0:
        end = pos + len(value)
        joins_before = text[pos - 1 : pos].isalnum() and value[:1].isalnum()
        joins_after = text[end : end + 1].isalnum() and value[-1:].isalnum()
        if not (joins_before or joins_after):
            return True
        pos = text.find(value, pos + 1)
    return False


def _normalize_text(text: str) -> str:
    """Return a text without escapes, and with one space for each run of white space."""
    return _SPACES.sub(" ", _BACKSLASHES.sub("", text)).strip()


def _iterate_scalars(value: JSON) -> Iterator[str]:
    """Yield the spelling of each string and number in a value, except empty strings."""
    if isinstance(value, dict):
        for item in value.values():
            yield from _iterate_scalars(item)
    elif isinstance(value, list):
        for item in value:
            yield from _iterate_scalars(item)
    elif isinstance(value, str):
        if value.strip():
            yield value
    elif value is not None and not isinstance(value, bool):
        yield repr(value)
