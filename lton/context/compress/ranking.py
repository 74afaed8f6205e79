"""Which units matter: to a question, or in the text alone.

With a question: BM25 over words and titles; then what the best find names, which asks again;
then what is around: neighbours, the document, the speaker that was asked for.
"""

from collections import Counter
from collections.abc import Sequence
from math import log, sqrt
from typing import Protocol

from lton._patterns import compiled_when_used
from lton.context.compress.units import Unit
from lton.context.compress.words import Stems


class Ranker(Protocol):
    """Says how much each unit matters, more of it is better. The `id` says which ranker it is.

    Units that are shown only around others (headings, frames) are scored too, and not looked at.
    """

    @property
    def id(self) -> str: ...

    def score(self, units: Sequence[Unit], query: str | None) -> Sequence[float]:
        """Get a score for each unit."""
        ...


_SATURATION, _LENGTH = 1.2, 0.75
"""k1 and b of BM25, as they are usually set."""
_ROLES = {"signature": 0.3, "alert": 0.3}
_SPEAKER = compiled_when_used(r"\W{0,2}([A-Z][\w.'-]{0,30}(?: [\w.'-]{1,30}){0,2})\W{0,2}: ")
_TIME = compiled_when_used(
    r"(?i:\b(?:\d{1,2}:\d\d|1\d{3}|20\d\d|yesterday|today|tomorrow|tonight|ago|since|until|week"
    r"|month|year|day|morning|evening|weekend|summer|winter|spring|autumn|fall|january|february"
    r"|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday"
    r"|thursday|friday|saturday|sunday)s?\b)"
)
_ASKS_TIME = compiled_when_used(r"(?i:\b(?:when|how long|what (?:year|date|day|time|month))\b)")


class BM25:
    """BM25 over the words of units and their titles, and nothing else.

    >>> [round(score, 1) for score in BM25().score([Unit(0, 9, "It rained")], "Did it rain?")]
    [0.3]
    """

    id = "bm25"

    def score(self, units: Sequence[Unit], query: str | None) -> Sequence[float]:
        """Get the BM25 of each unit; without a query 0."""
        stems = Stems()
        index = Index([stems.of(f"{unit.title} {unit.text}") for unit in units])
        return index.score(dict.fromkeys(stems.of(query or ""), 1.0))


class Index:
    """Lists of words, ready to be asked."""

    def __init__(self, words: Sequence[list[str]]) -> None:
        self.words = words
        self.having = Counter(word for each in words for word in dict.fromkeys(each))
        self.mean = sum(map(len, words)) / max(1, len(words)) or 1.0

    def rarity(self, word: str) -> float:
        having = self.having[word]
        return log(1 + (len(self.words) - having + 0.5) / (having + 0.5))

    def score(self, asked: dict[str, float]) -> list[float]:
        """Get the BM25 of each list; `asked` are words with their weights."""
        rarities = {word: weight * self.rarity(word) for word, weight in asked.items()}
        scores = []
        for words in self.words:
            norm = _SATURATION * (1 - _LENGTH + _LENGTH * len(words) / self.mean)
            counts: dict[str, int] = {}
            for word in words:
                if word in rarities:
                    counts[word] = counts.get(word, 0) + 1
            scores.append(
                sum(
                    rarities[word] * count * (_SATURATION + 1) / (count + norm)
                    for word, count in counts.items()
                )
            )
        return scores


class Lexical:
    """The default: BM25 and what is around with a question, centrality without one."""

    id = "lexical"

    def score(self, units: Sequence[Unit], query: str | None) -> Sequence[float]:
        """Get a score for each unit; the best is about 1."""
        stems = Stems()
        titles = {title: stems.of(title) for title in dict.fromkeys(unit.title for unit in units)}
        words = [stems.of(unit.text) for unit in units]
        asked = dict.fromkeys(stems.of(query or ""), 1.0)
        if asked:
            scores = _Question(units, words, titles, query or "", asked, stems).score()
        else:
            scores = _central(words)
        most = max(scores, default=0.0) or 1.0
        first = {unit.title: at for at, unit in reversed(list(enumerate(units)))}
        return [
            score / most + _ROLES.get(unit.role, 0.0) + (0.1 if first[unit.title] == at else 0.0)
            for at, (unit, score) in enumerate(zip(units, scores, strict=True))
        ]


def _central(words: Sequence[list[str]]) -> list[float]:
    """Get how much of what the whole is about each list has."""
    index = Index(words)
    counts = Counter(word for each in words for word in each)
    weights = {word: log(1 + count) * index.rarity(word) for word, count in counts.items()}
    return [sum(weights[w] for w in dict.fromkeys(each)) / sqrt(len(each) + 8) for each in words]


class _Question:
    def __init__(
        self,
        units: Sequence[Unit],
        words: Sequence[list[str]],
        titles: dict[str, list[str]],
        query: str,
        asked: dict[str, float],
        stems: Stems,
    ) -> None:
        self.units, self.titles, self.query, self.asked = units, titles, query, asked
        self.stems = stems
        both = zip(units, words, strict=True)
        self.index = Index([titles[unit.title] + each for unit, each in both])

    def score(self) -> list[float]:
        direct = self.index.score(self.asked)
        groups = self._groups(direct)
        most = max(direct, default=0.0) or 1.0
        best = max(groups.values(), default=0.0) or 1.0
        speakers = self._asked_speakers()
        wants_time = bool(_ASKS_TIME.search(self.query))
        near = self._near(direct)
        scores = []
        for at, unit in enumerate(self.units):
            score = (direct[at] + 0.5 * near[at]) / most + 0.5 * groups[unit.title] / best
            if speakers and (found := _SPEAKER.match(unit.text)) and found[1] in speakers:
                score += 0.15
            if wants_time and _TIME.search(unit.text):
                score += 0.05
            scores.append(score)
        return scores

    def _near(self, direct: Sequence[float]) -> list[float]:
        """Get the better one of the scores before and after, in the same section."""
        found = [0.0] * len(direct)
        for at in range(1, len(direct)):
            if self.units[at - 1].title == self.units[at].title:
                found[at] = max(found[at], direct[at - 1])
                found[at - 1] = max(found[at - 1], direct[at])
        return found

    def _groups(self, direct: Sequence[float]) -> dict[str, float]:
        """Get the score of each section: its best units, its title, what names it and it names."""
        texts: dict[str, list[str]] = {title: [] for title in self.titles}
        scores: dict[str, list[float]] = {title: [] for title in self.titles}
        for unit, score in zip(self.units, direct, strict=True):
            texts[unit.title].append(unit.text)
            scores[unit.title].append(score)
        groups = {title: sum(sorted(each)[-2:]) for title, each in scores.items()}
        query = self.query.lower()
        names = {title: _name(title) for title in self.titles}
        for title, name in names.items():
            if len(name) > 3 and name in query:
                groups[title] += 8
        best = sorted(groups, key=lambda title: -groups[title])[:2]
        bonus = dict.fromkeys(groups, 0.0)
        for title in best:
            said, name = " ".join(texts[title]).lower(), names[title]
            for other, other_name in names.items():
                if other == title:
                    continue
                if len(other_name) > 3 and other_name in said:
                    bonus[other] += 6
                if len(name) > 3 and any(name in text.lower() for text in texts[other]):
                    bonus[other] += 4
        return {title: score + bonus[title] for title, score in groups.items()}

    def _asked_speakers(self) -> set[str]:
        """Get who begins units and is named in the question."""
        found = Counter(speaker[1] for unit in self.units if (speaker := _SPEAKER.match(unit.text)))
        named = {name for name, count in found.items() if count > 1 and name in self.query}
        return named if len(named) == 1 else set()


def _name(title: str) -> str:
    """Get a title without what is in brackets after it."""
    return title.partition(" (")[0].lower().strip()


LEXICAL = Lexical()
