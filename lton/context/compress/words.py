"""Split text into terms for ranking: stems, parts of identifiers, and pairs of CJK characters."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from lton._patterns import compiled_when_used
from lton.context.cuts import WORDS

_WORD = compiled_when_used(r"\w+")
_PARTS = compiled_when_used(
    r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[぀-ヿ㐀-鿿가-힣]+|[^\W\d_A-Za-z぀-ヿ㐀-鿿가-힣]+"
)
_CJK = compiled_when_used(r"[぀-ヿ㐀-鿿가-힣]")
_SAYS_LITTLE = frozenset(WORDS["little"].split())
_IRREGULAR = dict(pair.split(":") for pair in WORDS["irregular"].split())
_ENDINGS = {"s": ("ies", "es", "s"), "g": ("ing",), "d": ("ed",), "e": ("e",), "y": ("y",)}
"""Common English endings, by last letter."""
NO_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_LONGEST = 64
_MOST_PARTS = 8
_TASKS = frozenset(WORDS["tasks"].split())
"""Words of an agent's plan that do not describe lines of the output."""
_NAME = compiled_when_used(r"\w[./_:-]\w|\d|[a-z][A-Z]|[A-Z]{2}")
_REMEMBERED = 1 << 12  # the maximum number of cached stems, for all documents


class Stems(dict[str, tuple[str, ...]]):
    """Caches the stems of words."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        stems = _stems(word[:_LONGEST])
        if word.isalpha():
            self[word] = stems
        return stems

    def stems_of(self, text: str) -> list[str]:
        """Return the stems of the words in a string, except stop words.

        >>> Stems().stems_of("When did the planes of get_fileName stop?")
        ['plan', 'get', 'fil', 'nam', 'stop']
        """
        return [stem for word in _WORD.findall(text) for stem in self[word]]


class WordLists:
    """Stores the stems of several strings compactly.

    >>> [*WordLists(Stems(), ["It rained.", "The sun shone."])]
    [['rain'], ['sun', 'shon']]
    """

    def __init__(self, stems: Stems, texts: Iterable[str]) -> None:
        self._words: list[str] = []
        self._ends = array("q", [0])
        for text in texts:
            self._words += stems.stems_of(text)
            self._ends.append(len(self._words))

    def __getitem__(self, at: int) -> list[str]:
        return self._words[self._ends[at] : self._ends[at + 1]]

    def __iter__(self) -> Iterator[list[str]]:
        for first, last in pairwise(self._ends):
            yield self._words[first:last]


def extract_question(query: str) -> str:
    """Remove words such as "run" and "read" from a query. Return "" if no other word is left.

    >>> extract_question("Let me run the tests of cart.py."), extract_question("Run the tests.")
    ('me the of cart.py.', '')
    """
    topic = " ".join(
        word for word in query.split() if word.strip(".,:;!?'\"").lower() not in _TASKS
    )
    return topic if Stems().stems_of(topic) else ""


def has_name_of(query: str, texts: Sequence[str]) -> bool:
    """Return whether an identifier, path or code in a query also occurs in one of the strings.

    >>> has_name_of("Lint cart.py.", ["cart.py:3: E1"]), has_name_of("Why?", ["Why?"])
    (True, False)
    """
    names = [word.strip(".,:;!?'\"()") for word in query.split()]
    return any(_NAME.search(name) and any(name in text for text in texts) for name in names)


def are_alike(lines: Sequence[str]) -> bool:
    """Return whether lines differ only in their numbers.

    >>> are_alike(["GET /1 200", "GET /2 404"]), are_alike(["GET /1", "PUT /1"])
    (True, False)
    """
    patterns = (line.strip().translate(NO_DIGITS) for line in lines)
    first = next(patterns, None)
    return first is not None and all(pattern == first for pattern in patterns)


@lru_cache(_REMEMBERED)
def _stems(word: str) -> tuple[str, ...]:
    stems: list[str] = []
    for part in _PARTS.findall(word)[:_MOST_PARTS]:
        if _CJK.match(part):
            stems += (part[at : at + 2] for at in range(max(1, len(part) - 1)))
        elif (lower := part.lower()) not in _SAYS_LITTLE:
            stems.append(_stem(lower))
    return tuple(stems)


def _stem(word: str) -> str:
    word = _IRREGULAR.get(word, word)
    for ending in _ENDINGS.get(word[-1], ()):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
