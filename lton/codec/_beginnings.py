"""What may come (R-803): which beginnings of a lexeme some value of a type goes on from.

This is asked only where a text that is still being written runs out.
"""

import re
from bisect import bisect_left
from collections.abc import Container, Iterable
from functools import cached_property
from itertools import islice
from math import isfinite

from lton._syntax import (
    ATOM_LETTERS,
    BARE,
    BOOLEANS,
    COUNTED_HEAD,
    MAX_DIGITS,
    NULL_ATOM,
    NUMBER,
    may_be_length,
    may_be_number,
)
from lton.schema.types import ANY, Type

Pattern = re.Pattern[str]


class Texts:
    """Texts that are looked up by how they begin."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.ordered = sorted(texts)

    def begin(self, part: str, spelling: Pattern | None = None, given: Container[str] = ()) -> bool:
        """Say whether a text that is not given, and matches the pattern, begins so."""
        for text in islice(self.ordered, bisect_left(self.ordered, part), None):
            if not text.startswith(part):
                break
            if text not in given and (spelling is None or spelling.fullmatch(text)):
                return True
        return False


class Beginnings:
    """What values of a type begin with. What it looks up is sorted when it is first asked."""

    def __init__(self, node: Type) -> None:
        self.node = node
        self.labels = node.string.values if node.string else None
        self.is_open = node.string is not None and self.labels is None

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self.labels or ())

    @cached_property
    def _bare(self) -> Texts:
        words = (label for label in self.labels or () if BARE.fullmatch(label))
        return Texts(filter(self.node.takes_bare, words))

    @cached_property
    def _by_length(self) -> dict[int, Texts]:
        labels = self.labels or ()
        sizes = set(map(len, labels))
        return {size: Texts(label for label in labels if len(label) == size) for size in sizes}

    def bare(self, part: str, _: Pattern | None = None) -> bool:
        """Say whether some bare word, or counted text, begins so."""
        if self.is_open and BARE.fullmatch(part):
            return True
        node = self.node
        counted = COUNTED_HEAD.fullmatch(part)
        return (
            (node.null and "null".startswith(part))
            or any(str(value).lower().startswith(part) for value in node.booleans)
            or (node.number is not None and may_be_number(part))
            or (counted is not None and self.count(counted[1]))
            or self._bare.begin(part)
        )

    def is_word(self, part: str) -> bool:
        """Say whether all words that begin so are strings that are allowed here."""
        return self.is_open and part != "s" and BARE.fullmatch(part) is not None

    def text(self, part: str, spelling: Pattern | None = None) -> bool:
        """Say whether some string begins so, and can be so spelled."""
        return self.is_open or self._texts.begin(part, spelling)

    def count(self, digits: str) -> bool:
        """Say whether the length of some string begins so."""
        if self.is_open:
            return may_be_length(digits)
        return any(str(size).startswith(digits) for size in self._by_length)

    def payload(self, letter: str, size: int, part: str) -> bool:
        """Say whether a payload of this length, of which more is to come, begins so."""
        if letter in "se":
            texts = self._by_length.get(size)
            return self.is_open or (texts is not None and texts.begin(part))
        if letter == "b":
            return any(len(word) == size and word.startswith(part) for word in self._booleans)
        if letter != "f":
            return _INTEGER_HEAD[letter].fullmatch(part) is not None
        left = size - len(part)
        zeros = "0" * left
        endings = (zeros, "9" * left, *(f"{head}{zeros}"[:left] for head in ("0.", ".", "e")))
        return any(_is_double(part + end) for end in (*endings, f"e-{'9' * left}"[:left]))

    def tag(self, part: str, _: Pattern | None = None) -> bool:
        """Say whether an atom begins with this letter, and digits."""
        if not part or (self.node.null and part == NULL_ATOM):
            return True
        match = _TAG.fullmatch(part)
        if match is None or not takes(self.node, match[1]):
            return False
        letter, digits = match.groups()
        if letter in "se":
            return self.count(digits)
        if letter == "b":
            return any(str(len(word)).startswith(digits) for word in self._booleans)
        return _NUMBER_SIZE.fullmatch(digits) is not None and int(digits or 1) <= MAX_DIGITS

    @property
    def _booleans(self) -> list[str]:
        return [word for word, value in BOOLEANS.items() if value in self.node.booleans]


def takes(node: Type, letter: str) -> bool:
    """R-502, R-503: say whether a value of the type may have this tag."""
    if letter == "s":
        return node.string is not None
    if letter == "b":
        return bool(node.booleans)
    if letter == "e":
        return node.has_labels or node == ANY
    return node.number is not None


def _is_double(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None and isfinite(float(text))


_TAG = re.compile(f"([{ATOM_LETTERS}])([0-9]*)")
_NUMBER_SIZE = re.compile(f"([1-9][0-9]{{,{len(str(MAX_DIGITS)) - 1}}})?")
_INTEGER_HEAD = {"u": re.compile("(?:[1-9][0-9]*)?"), "i": re.compile("-?(?:[1-9][0-9]*)?")}
