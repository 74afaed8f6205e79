"""Rank the units of documents by relevance to a question or, without one, by centrality.

With a question, the score has three parts. The first is BM25 over words and titles, including words
with the same first letters. The second uses words and names of the best units as another query. The
third depends on adjacent units, the section, and the speaker.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from math import log, sqrt
from typing import Protocol

from lton._patterns import compiled_when_used
from lton.context.compress.data import TURN
from lton.context.compress.units import Unit
from lton.context.compress.words import Stems, WordLists
from lton.errors import SectionError


class Ranker(Protocol):
    """Scores the units of a document.

    Headings and frames are also scored, but are shown only with other units.
    """

    @property
    def id(self) -> str: ...

    def score(self, units: Sequence[Unit], query: str | None) -> Sequence[float]: ...


_SATURATION = 1.2  # k1 of BM25, with its usual value
_LENGTH = 0.75  # b of BM25, with its usual value
_SIGNATURE = 0.3  # Added to the score of a signature
_TIME = compiled_when_used(
    r"(?i:\b(?:\d{1,2}:\d\d|1\d{3}|20\d\d|yesterday|today|tomorrow|tonight|ago|since|until|week"
    r"|month|year|day|morning|evening|weekend|summer|winter|spring|autumn|fall|january|february"
    r"|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday"
    r"|thursday|friday|saturday|sunday)s?\b)"
)
_ASKS_TIME = compiled_when_used(r"(?i:\b(?:when|how long|what (?:year|date|day|time|month))\b)")


class BM25:
    """Scores units by BM25 over their words and titles.

    >>> [round(score, 1) for score in BM25().score([Unit(0, 9, "It rained")], "Did it rain?")]
    [0.3]
    """

    id = "bm25"

    def score(self, units: Sequence[Unit], query: str | None) -> Sequence[float]:
        stems = Stems()
        index = Index(WordLists(stems, (f"{unit.title} {unit.text}" for unit in units)))
        return index.score(dict.fromkeys(stems.stems_of(query or ""), 1.0))


class Index:
    """Computes the BM25 scores of lists of words."""

    def __init__(self, words: Iterable[list[str]]) -> None:
        self.words = words
        self.having = Counter(word for unit_words in words for word in dict.fromkeys(unit_words))
        sizes = array("q", map(len, words))
        self.count = len(sizes)
        self.mean = sum(sizes) / max(1, len(sizes)) or 1.0

    def rarity(self, word: str) -> float:
        having = self.having[word]
        return log(1 + (self.count - having + 0.5) / (having + 0.5))

    def score(self, weights: dict[str, float]) -> list[float]:
        """Return the BM25 score of each list for the weighted words of a question."""
        rarities = {word: weight * self.rarity(word) for word, weight in weights.items()}
        scores: list[float] = []
        for words in self.words:
            if rarities.keys().isdisjoint(words):
                scores.append(0.0)
                continue
            norm = _SATURATION * (1 - _LENGTH + _LENGTH * len(words) / self.mean)
            counts = Counter(word for word in words if word in rarities)
            most = _SATURATION + 1
            gains = (rarities[word] * n * most / (n + norm) for word, n in counts.items())
            scores.append(sum(gains))
        return scores


_NEAR = 0.15
_ANSWER = 0.5
_SECTION = 0.7
_LEAD = 0.2
_SPEAKS = 0.3
_SAYS_WHEN = 0.35
_ASKS = -0.2
_AGAIN = 0.2
"""Added to the BM25 of a unit (1 for the best): for an adjacent unit and the next, a question just
before, the section, its beginning, the speaker that the query names, a time if it asks for one, a
question mark, and words of the best units. Developed on half of the benchmark's data.
"""
_FAMILY = 0.4
_BEGINNING = 5
"""The weight of a word that begins like a query word, and the number of letters compared."""
_TITLE = 1.6
_NAMES = 0.8
_NAMED = 0.2
"""A section's gains: if the query contains its title, if a best section names it, or vice versa."""
_BEST_SECTIONS = 2
_BEST_UNITS = 3


class Lexical:
    """Ranks units by BM25 and by their context or, without a question, by centrality."""

    id = "lexical"

    def score(self, units: Sequence[Unit], query: str | None) -> Sequence[float]:
        stems = Stems()
        words = WordLists(stems, ("" if one.role == "heading" else one.text for one in units))
        weights = dict.fromkeys(stems.stems_of(query or ""), 1.0)
        if weights:
            scores = _Question(units, words, stems, query or "", weights).score()
        else:
            scores = _divide_by_largest(_score_centrality(words))
        return [
            score + _SIGNATURE if unit.role == "signature" else score
            for unit, score in zip(units, scores, strict=True)
        ]


def _divide_by_largest(scores: Sequence[float]) -> list[float]:
    most = max(scores, default=0.0) or 1.0
    return [score / most for score in scores]


def _score_centrality(words: Iterable[list[str]]) -> list[float]:
    index = Index(words)
    counts = Counter(word for unit_words in words for word in unit_words)
    weights = {word: log(1 + count) * index.rarity(word) for word, count in counts.items()}
    return [
        sum(weights[w] for w in dict.fromkeys(unit_words)) / sqrt(len(unit_words) + 8)
        for unit_words in words
    ]


class _Titled:
    def __init__(self, units: Sequence[Unit], words: WordLists, stems: Stems) -> None:
        self.units = units
        self.words = words
        self.stems = stems

    def __iter__(self) -> Iterator[list[str]]:
        last = ""
        title = list[str]()
        for unit, words in zip(self.units, self.words, strict=True):
            if unit.title is not last:
                last = unit.title
                title = self.stems.stems_of(unit.title)
            yield title + words if title else words


class _Question:
    def __init__(
        self,
        units: Sequence[Unit],
        words: WordLists,
        stems: Stems,
        query: str,
        weights: dict[str, float],
    ) -> None:
        self.units = units
        self.words = words
        self.stems = stems
        self.query = query
        self.titles = [*(unit.title for unit in units), None, None]
        index = Index(_Titled(units, words, stems))
        starts = {word[:_BEGINNING] for word in weights if len(word) >= _BEGINNING}
        family = (word for word in index.having if word[:_BEGINNING] in starts)
        weights = dict.fromkeys(family, _FAMILY) | weights
        self.direct = array("d", _divide_by_largest(index.score(weights)))
        self.again = array("d", _divide_by_largest(index.score(self._weigh_words_of_best(weights))))
        turns = (TURN.match(unit.text) for unit in units)
        self.speakers = [turn[1] if turn else None for turn in turns]

    def score(self) -> list[float]:
        sections = self._score_sections()
        asked_for = self._find_asked_speaker()
        wants_time = bool(_ASKS_TIME.search(self.query))
        scores = []
        last: str | None = None
        for at, unit in enumerate(self.units):
            section = sections[unit.title]
            score = self.direct[at] + _SECTION * section + _AGAIN * self.again[at]
            score += self._score_around(at)
            if unit.title != last and self.speakers[at] is None and unit.cuttable:  # not code
                score += _LEAD * (1 + section)
            if asked_for is not None and self.speakers[at] == asked_for:
                score += _SPEAKS
            if wants_time and _TIME.search(unit.text):
                score += _SAYS_WHEN
            if unit.text.endswith("?"):
                score += _ASKS
            if unit.role != "heading":
                last = unit.title
            scores.append(score)
        return scores

    def _weigh_words_of_best(self, weights: dict[str, float]) -> dict[str, float]:
        scores: dict[str, float] = {}
        places = range(len(self.units))
        for at in nsmallest(_BEST_UNITS, places, key=lambda at: (-self.direct[at], at)):
            for word in dict.fromkeys(self.words[at]):
                if word not in weights:
                    scores[word] = scores.get(word, 0.0) + self.direct[at]
        return scores

    def _score_around(self, at: int) -> float:
        title = self.titles[at]
        titles = self.titles
        direct = self.direct
        near = 0.0
        for steps in (1, 2):
            before = direct[at - steps] if titles[at - steps] == title else 0.0
            after = direct[at + steps] if titles[at + steps] == title else 0.0
            near += _NEAR * max(before, after)
        if titles[at - 1] == title and self.units[at - 1].text.endswith("?"):
            near += _ANSWER * self.direct[at - 1]
        return near

    def _score_sections(self) -> dict[str, float]:
        both: dict[str, tuple[float, float]] = {}
        for unit, score in zip(self.units, self.direct, strict=True):
            low, high = both.get(unit.title, (0.0, 0.0))
            both[unit.title] = max(low, min(high, score)), max(high, score)
        query = self.query.lower()
        first = {
            title: share
            + (_TITLE if len(_bare_title(title)) > 3 and _bare_title(title) in query else 0.0)
            for title, share in zip(
                both, _divide_by_largest([*map(sum, both.values())]), strict=True
            )
        }
        first = dict(zip(first, _divide_by_largest(list(first.values())), strict=True))
        scores = dict(first)
        for best in sorted(first, key=lambda title: -first[title])[:_BEST_SECTIONS]:
            words, naming = self._said_in(best)
            for title in first:
                names = self._names(title)
                if title == best or not names:
                    continue
                gain = 0.0
                if names <= words:
                    gain = _NAMES
                elif title in naming:
                    gain = _NAMED
                scores[title] = max(scores[title], first[title] + gain * first[best])
        return dict(zip(scores, _divide_by_largest(list(scores.values())), strict=True))

    def _names(self, title: str) -> set[str]:
        return {*self.stems.stems_of(_bare_title(title))}

    def _said_in(self, section: str) -> tuple[set[str], set[str]]:
        section_words: set[str] = set()
        names = self._names(section)
        names_by_title: dict[str, set[str]] = {}
        for unit, words in zip(self.units, self.words, strict=True):
            if unit.title == section:
                section_words.update(words)
            if some := names.intersection(words):
                names_by_title.setdefault(unit.title, set()).update(some)
        return section_words, {title for title, some in names_by_title.items() if some == names}

    def _find_asked_speaker(self) -> str | None:
        counts = Counter(speaker for speaker in self.speakers if speaker)
        named = [name for name, count in counts.items() if count > 1 and name in self.query]
        return named[0] if len(named) == 1 else None


def _bare_title(title: str) -> str:
    return title.partition(" (")[0].lower().strip()


LEXICAL = Lexical()


def ranker_named(name: str) -> Ranker:
    """Return the ranker with the id `name`. Raises `SectionError` (E703) for an unknown id.

    >>> ranker_named("bm25").id
    'bm25'
    """
    for ranker in (LEXICAL, BM25()):
        if ranker.id == name:
            return ranker
    raise SectionError(f"expected 'lexical' or 'bm25' as ranker, found {name!r}")
