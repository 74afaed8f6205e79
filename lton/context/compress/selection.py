"""Select the units that fit a budget."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING
from zlib import crc32

from lton._patterns import compiled_when_used
from lton.context.compress.sentences import sentence_ends
from lton.context.compress.units import LONGEST, Unit, free_ends, quotation_spans
from lton.context.compress.words import NO_DIGITS
from lton.context.cuts import outside

if TYPE_CHECKING:
    from lton.tokens.counting import TokenCounter

_NEAR = 0.97  # The share of the budget at which the search ends
_ROUNDS = 6
_SAME = 0.8  # A unit with this share of known phrases adds nothing new
_MARK = 2  # The estimated tokens of a mark with a count
_STEP = 256  # The tokens of the first step in `by_telling`
_TRIED = 8  # The number of units that are tried if room is left, or for a cut
_PER_TOKEN = 24  # The maximum length of a token in characters, which limits the search for a cut

Shown = dict[int, int]  # The end of each shown unit by place, because a unit may be cut


@dataclass(slots=True)
class Picking:
    """Selects units by rank and cost."""

    units: Sequence[Unit]
    costs: Sequence[int]
    order: Sequence[int]  # All places that may be chosen, best first
    must: Sequence[int]
    counter: "TokenCounter"
    render: Callable[[Shown], str]
    is_nested: bool = False  # choose a prefix, so a larger budget never keeps less

    def count(self, shown: Shown) -> int:
        return self.counter.count(self.render(shown)).tokens

    def with_others(self, place: int, shown: Shown) -> list[int]:
        found = []
        at: int | None = place
        while at is not None and at not in shown:
            found.append(at)
            closer = self.units[at].closer
            while closer is not None and closer not in found:
                found.append(closer)
                closer = self.units[closer].closer
            at = self.units[at].parent
        return found

    def choose(self, budget: int, order: Iterable[int]) -> tuple[Shown, int]:
        """Select the required units, and then add others in order if their estimated costs fit."""
        shown: Shown = {}
        used = 0
        for place in self.must:
            for each in self.with_others(place, shown):
                shown[each] = self.units[each].end
                used += self.costs[each]
        for place in order:
            if place in shown or used + self.costs[place] > budget:
                continue
            added = self.with_others(place, shown)
            cost = sum(self.costs[each] for each in added)
            if used + cost <= budget:
                used += cost
                for each in added:
                    shown[each] = self.units[each].end
        return shown, used

    def fit(self, budget: int) -> Shown:
        """Select units whose exact token count is close to the budget, but not above it."""
        if self.is_nested:
            return self._fewer(budget) or self._cut_unit(budget)
        best: Shown = {}
        most = -1
        estimate = budget
        over = None
        for _ in range(_ROUNDS):
            shown, used = self.choose(estimate, self.order)
            tokens = self.count(shown)
            if tokens > budget:
                over = estimate
                estimate = min(estimate, used) - max(1, tokens - budget)
                continue
            if tokens > most:
                best = shown
                most = tokens
            wider = estimate + budget - tokens
            if tokens >= _NEAR * budget or wider == estimate or (over and wider >= over):
                break
            estimate = wider
        if over is not None and most < _NEAR * budget:
            fewer = self._fewer(budget)
            if (tokens := self.count(fewer)) > most:
                best = fewer
                most = tokens
        closed = self._close_gaps(best, budget)
        if closed is not best or not best:
            most = self.count(closed)
        return self._fill_budget(closed, most, budget) or self._cut_unit(budget)

    def _fewer(self, budget: int) -> Shown:
        """Select the longest prefix of the order whose exact token count fits the budget."""

        def prefix(size: int) -> Shown:
            shown, _ = self.choose(1 << 60, self.order[:size])
            return self._with_gaps_closed(shown) if self.is_nested else shown

        sizes = range(1, len(self.order) + 1)
        return prefix(bisect_right(sizes, budget, key=lambda size: self.count(prefix(size))))

    def _close_gaps(self, shown: Shown, budget: int) -> Shown:
        more = self._with_gaps_closed(shown)
        return more if len(more) > len(shown) and self.count(more) <= budget else shown

    def _with_gaps_closed(self, shown: Shown) -> Shown:
        """Add each single omitted line that costs no more than the mark for it."""
        more = dict(shown)
        for place in shown:
            after = place + 1
            is_gap = after not in shown and after + 1 in shown and self.units[after].shared.counts
            if is_gap and self.costs[after] <= _MARK and self.with_others(after, more) == [after]:
                more[after] = self.units[after].end
        return more

    def _fill_budget(self, shown: Shown, tokens: int, budget: int) -> Shown:
        """Add more units to `shown` as long as the tokens fit the budget."""
        room = budget - tokens
        waiting = (at for at in self.order if at not in shown and self.costs[at] <= room)
        tried = list(islice(waiting, _TRIED))
        is_room = sum(self.costs[place] for place in tried) <= room
        groups = [[place] for place in tried]
        if is_room:
            groups.insert(0, tried)  # all together, before one by one
        for some in groups:
            added = chain.from_iterable(self.with_others(place, shown) for place in some)
            more = shown | {each: self.units[each].end for each in added}
            if len(more) > len(shown) and self.count(more) <= budget:
                shown = more
        return shown

    def _cut_unit(self, budget: int) -> Shown:
        """Select the beginning of the best unit that can be cut, because no whole unit fits."""
        waiting = (place for place in self.order if self.units[place].cuttable)
        for place in islice(waiting, _TRIED):
            unit = self.units[place]
            added = self.with_others(place, {})
            room = budget - sum(self.costs[each] for each in added[1:])
            text = unit.text[: _PER_TOKEN * max(0, room)]
            for end in self._cuts(text, unit.text[: len(text) + LONGEST], room):
                more = {each: self.units[each].end for each in added}
                more[place] = unit.start + end
                if self.count(more) <= budget:
                    return more
        return {}

    def _cuts(self, text: str, longer: str, room: int) -> Iterator[int]:
        """Yield offsets at which text may be cut, last first: after sentences, then after words."""
        sentences = outside(sentence_ends(longer, 0, len(longer)), quotation_spans(longer))
        for all_ends in (sentences, islice(free_ends(longer), 2, None)):
            ends = [*takewhile(len(text).__gt__, all_ends)]
            fits = bisect_right(ends, room, key=lambda end: self.counter.count(text[:end]).tokens)
            yield from reversed(ends[max(0, fits - 4) : fits])


NAMED = 2.7
ASKED = 0.3
CENTRAL = 0.05
"""The weight of the best match: for a query that names part of the text, another query, and none"""
_ANSWER = 100  # The tokens of a typical answer; later matches count half
_RULE = 0.3  # Reciprocal rank fusion: the weight of `_by_rule`
_RANKS = 10  # Reciprocal rank fusion: k
_WRONG = compiled_when_used(r"(?i:error|fail|fatal|panic|except|warn|cannot|not found|traceback)")
_THRIFT = 0.35  # The preference for cheap lines
_OVERHEAD = 8  # The fixed cost of a line


def by_telling(
    units: Sequence[Unit],
    scores: Sequence[float],
    costs: Sequence[int],
    asked: float,
    among: Sequence[int],
) -> list[int]:
    """Order lines by score and cost, so that a larger budget adds lines and removes none.

    Lines with the highest scores come first, relative to their cost. If a line costs more than the
    rest of a step, it waits for the next step, which is twice as large. So a larger budget shows
    all lines that a smaller one shows.
    """
    most = max(scores, default=0.0) or 1.0
    used = 0
    worth = [unit.tells or 0.0 for unit in units]
    is_told = any(worth)  # not in JSON
    if is_told and asked <= CENTRAL:
        asked = 0.0
    for place in sorted(among, key=lambda place: -scores[place]):
        worth[place] += asked * (scores[place] / most) ** 2 / (1 + used / _ANSWER)
        used += costs[place]
    for place in among:
        parent = units[place].parent
        cost = costs[place] + _OVERHEAD + (costs[parent] / 2 if parent is not None else 0)
        worth[place] /= cost**_THRIFT
    waiting = sorted(among, key=lambda place: -worth[place])
    if asked < NAMED and is_told:
        rule = {place: rank for rank, place in enumerate(_by_rule(units, among))}
        merit = {place: 1 / (_RANKS + rank) for rank, place in enumerate(waiting)}
        waiting.sort(key=lambda at: -merit[at] - (_RULE / (_RANKS + rule[at]) if at in rule else 0))
    order: list[int] = []
    step = _STEP
    used = 0
    while waiting:
        later = []
        for place in waiting:
            if used + costs[place] <= step:
                used += costs[place]
                order.append(place)
            else:
                later.append(place)
        waiting = later
        step = 2 * step
    return order


def _by_rule(units: Sequence[Unit], among: Iterable[int]) -> Iterable[int]:
    """Order lines as `grep`, `head` and `tail` would: first failures, then lines from both ends."""
    once = {units[place].text.strip().translate(NO_DIGITS): place for place in sorted(among)[::-1]}
    first = sorted(once.values())
    wrong = [place for place in first if _WRONG.search(units[place].text)]
    ends = chain.from_iterable(zip(first, reversed(first), strict=True))
    return dict.fromkeys([*wrong, *ends])


def without_repeats(
    order: Sequence[int], words: Callable[[int], list[str]], budget: int, costs: Sequence[int]
) -> list[int]:
    """Move units to the end if they repeat higher-ranked units."""
    said: set[int] = set()
    fresh: list[int] = []
    stale: list[int] = []
    used = 0
    for number, place in enumerate(order):
        if used > 2 * budget:
            fresh += order[number:]
            break
        phrases = _phrases(words(place))
        if len(phrases & said) >= _SAME * len(phrases):
            stale.append(place)
            continue
        said |= phrases
        fresh.append(place)
        used += costs[place]
    return fresh + stale


def _phrases(words: list[str]) -> set[int]:
    numbers = [crc32(word.encode()) for word in words] + [0] * (3 - len(words))
    threes = zip(numbers, numbers[1:], numbers[2:], strict=False)
    return {first << 28 ^ second << 14 ^ third for first, second, third in threes}


def places_of(strings: Iterable[str], texts: Sequence[str], units: Sequence[Unit]) -> list[int]:
    """Return the indexes of the units that contain one of the strings."""
    found: dict[int, None] = {}
    firsts = [bisect_left(units, n, key=lambda unit: unit.document) for n in range(len(texts) + 1)]
    for string in dict.fromkeys(strings):
        for number, text in enumerate(texts if string else ()):
            at = text.find(string)
            while at >= 0:
                low = firsts[number]
                high = firsts[number + 1]
                first = bisect_right(units, at, low, high, key=lambda unit: unit.end)
                last = bisect_left(units, at + len(string), low, high, key=lambda unit: unit.start)
                found.update(dict.fromkeys(range(first, last)))
                at = text.find(string, at + len(string))
    return list(found)
