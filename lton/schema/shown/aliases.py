"""Choose an alias for each tool: one distinctive word of its name.

Nearly a third of the tokens of a call belong to the name. A single word of the name still shows
the purpose of the tool. The choice depends only on the names, and not on a tokenizer.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, count, pairwise

from lton._patterns import compiled_when_used

_WORD = compiled_when_used("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LEAST = 3  # the minimum number of letters of an informative word
_SAYS_LITTLE = frozenset(
    "and api calculate compute create fetch find for from get list make of set the to with".split()
)


def make_aliases(names: Iterable[str]) -> dict[str, str]:
    """Map each name to its alias.

    A name with a single word is its own alias. Otherwise the alias is the shortest word that no
    other name has, except words such as "get". Of equally short words, the last one is chosen. If
    there is no such word, the alias is two words of the name, or one word and a number.

    >>> make_aliases(["weather.v1", "read_file", "write_file", "getIssue"])
    {'weather.v1': 'weather', 'read_file': 'read', 'write_file': 'write', 'getIssue': 'issue'}
    """
    words = {name: _words_in_name(name) for name in names}
    counts = Counter(chain.from_iterable(words.values()))
    result = {name: name for name, own in words.items() if own in ([], [name])}
    used_words = set(result.values())
    numbers: defaultdict[str, count[int]] = defaultdict(lambda: count(2))
    for name, own in words.items():
        if name not in result:
            candidates = chain(
                _unique_words(own, counts), _iterate_longer_aliases(own, numbers[own[-1]])
            )
            result[name] = next(word for word in candidates if word not in used_words)
            used_words.add(result[name])
    return {name: result[name] for name in words}


def _unique_words(words: list[str], counts: Mapping[str, int]) -> list[str]:
    """Return the words that no other name has, the shortest and the last first."""
    unique = {word for word in words if counts[word] == 1} - _SAYS_LITTLE
    return sorted(unique, key=lambda word: (len(word), -words.index(word)))


def _words_in_name(name: str) -> list[str]:
    """Return the distinct words of a name, such as `getIssue` or `get_issue`, in lower case."""
    if not name.isascii():
        return []
    words = (word.lower() for word in _WORD.findall(name) if len(word) >= _LEAST)
    return list(dict.fromkeys(words))


def _iterate_longer_aliases(words: list[str], numbers: Iterator[int]) -> Iterator[str]:
    yield from ("_".join(pair) for pair in reversed(list(pairwise(words))))
    yield from (f"{words[-1]}{number}" for number in numbers)
