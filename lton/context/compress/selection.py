"""Select the units that fit a budget."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING
from zlib import crc32

from lton._patterns import compiled_when_used
from lton.context.compress.sentences import iterate_sentence_ends
from lton.context.compress.units import LONGEST, Unit, free_ends, iterate_quotation_spans
from lton.context.compress.words import NO_DIGITS
from lton.context.cuts import iterate_ends_outside

if TYPE_CHECKING:
    from lton.tokens.counting import TokenCounter

_NEAR = 0.97  # The share of the budget at which the search ends
_ROUNDS = 6
_SAME = 0.8  # A unit with this share of known phrases adds nothing new
_MARK = 2  # The estimated tokens of a mark with a count
_STEP = 256  # The tokens of the first step in `rank_by_weight`
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

    def count_tokens(self, selection: Shown) -> int:
        return self.counter.count(self.render(selection)).tokens

    def with_required_units(self, index: int, selection: Shown) -> list[int]:
        required = []
        at: int | None = index
        while at is not None and at not in selection:
            required.append(at)
            closer = self.units[at].closer
            while closer is not None and closer not in required:
                required.append(closer)
                closer = self.units[closer].closer
            at = self.units[at].parent
        return required

    def choose_by_order(self, budget: int, order: Iterable[int]) -> tuple[Shown, int]:
        """Select the required units, and then add others in order if their estimated costs fit."""
        selection: Shown = {}
        cost_total = 0
        for index in self.must:
            for member in self.with_required_units(index, selection):
                selection[member] = self.units[member].end
                cost_total += self.costs[member]
        for index in order:
            if index in selection or cost_total + self.costs[index] > budget:
                continue
            added = self.with_required_units(index, selection)
            cost = sum(self.costs[member] for member in added)
            if cost_total + cost <= budget:
                cost_total += cost
                for member in added:
                    selection[member] = self.units[member].end
        return selection, cost_total

    def select_for_budget(self, budget: int) -> Shown:
        """Select units whose exact token count is close to the budget, but not above it."""
        if self.is_nested:
            return self._select_prefix(budget) or self._cut_unit(budget)
        best: Shown = {}
        most = -1
        estimate = budget
        over = None
        for _ in range(_ROUNDS):
            selection, estimated = self.choose_by_order(estimate, self.order)
            tokens = self.count_tokens(selection)
            if tokens > budget:
                over = estimate
                estimate = min(estimate, estimated) - max(1, tokens - budget)
                continue
            if tokens > most:
                best = selection
                most = tokens
            wider = estimate + budget - tokens
            if tokens >= _NEAR * budget or wider == estimate or (over and wider >= over):
                break
            estimate = wider
        if over is not None and most < _NEAR * budget:
            fewer = self._select_prefix(budget)
            if (tokens := self.count_tokens(fewer)) > most:
                best = fewer
                most = tokens
        closed = self._close_gaps_if_affordable(best, budget)
        if closed is not best or not best:
            most = self.count_tokens(closed)
        return self._fill_budget(closed, most, budget) or self._cut_unit(budget)

    def _select_prefix(self, budget: int) -> Shown:
        """Select the longest prefix of the order whose exact token count fits the budget."""

        def select_first(size: int) -> Shown:
            selection, _ = self.choose_by_order(1 << 60, self.order[:size])
            return self._with_gaps_closed(selection) if self.is_nested else selection

        sizes = range(1, len(self.order) + 1)
        return select_first(
            bisect_right(sizes, budget, key=lambda size: self.count_tokens(select_first(size)))
        )

    def _close_gaps_if_affordable(self, selection: Shown, budget: int) -> Shown:
        more = self._with_gaps_closed(selection)
        return (
            more if len(more) > len(selection) and self.count_tokens(more) <= budget else selection
        )

    def _with_gaps_closed(self, selection: Shown) -> Shown:
        """Add each single omitted line that costs no more than the mark for it."""
        more = dict(selection)
        for index in selection:
            after = index + 1
            is_gap = (
                after not in selection
                and after + 1 in selection
                and self.units[after].shared.counts
            )
            if (
                is_gap
                and self.costs[after] <= _MARK
                and self.with_required_units(after, more) == [after]
            ):
                more[after] = self.units[after].end
        return more

    def _fill_budget(self, selection: Shown, tokens: int, budget: int) -> Shown:
        """Add more units to `selection` as long as the tokens fit the budget."""
        room = budget - tokens
        waiting = (at for at in self.order if at not in selection and self.costs[at] <= room)
        tried = list(islice(waiting, _TRIED))
        is_room = sum(self.costs[index] for index in tried) <= room
        groups = [[index] for index in tried]
        if is_room:
            groups.insert(0, tried)  # all together, before one by one
        for some in groups:
            added = chain.from_iterable(
                self.with_required_units(index, selection) for index in some
            )
            more = selection | {member: self.units[member].end for member in added}
            if len(more) > len(selection) and self.count_tokens(more) <= budget:
                selection = more
        return selection

    def _cut_unit(self, budget: int) -> Shown:
        """Select the beginning of the best unit that can be cut, because no whole unit fits."""
        waiting = (index for index in self.order if self.units[index].cuttable)
        for index in islice(waiting, _TRIED):
            unit = self.units[index]
            added = self.with_required_units(index, {})
            room = budget - sum(self.costs[member] for member in added[1:])
            text = unit.text[: _PER_TOKEN * max(0, room)]
            for end in self._iterate_cut_offsets(text, unit.text[: len(text) + LONGEST], room):
                more = {member: self.units[member].end for member in added}
                more[index] = unit.start + end
                if self.count_tokens(more) <= budget:
                    return more
        return {}

    def _iterate_cut_offsets(self, text: str, longer: str, room: int) -> Iterator[int]:
        """Yield offsets at which text may be cut, last first: after sentences, then after words."""
        sentences = iterate_ends_outside(
            iterate_sentence_ends(longer, 0, len(longer)), iterate_quotation_spans(longer)
        )
        for all_ends in (sentences, islice(free_ends(longer), 2, None)):
            ends = [*takewhile(len(text).__gt__, all_ends)]
            fits = bisect_right(ends, room, key=lambda end: self.counter.count(text[:end]).tokens)
            yield from reversed(ends[max(0, fits - 4) : fits])


NAMED = 2.7
ASKED = 0.3
CENTRAL = 0.05
"""The weight of the best match: for a query that names part of the text, another query, and none"""
_ANSWER = 100  # The tokens of a typical answer; later matches count half
_RULE = 0.3  # Reciprocal rank fusion: the weight of `_order_by_rule`
_RANKS = 10  # Reciprocal rank fusion: k
_WRONG = compiled_when_used(r"(?i:error|fail|fatal|panic|except|warn|cannot|not found|traceback)")
_THRIFT = 0.35  # The preference for cheap lines
_OVERHEAD = 8  # The fixed cost of a line


def rank_by_weight(
    units: Sequence[Unit],
    scores: Sequence[float],
    costs: Sequence[int],
    query_weight: float,
    among: Sequence[int],
) -> list[int]:
    """Order lines by score and cost, so that a larger budget adds lines and removes none.

    Lines with the highest scores come first, relative to their cost. If a line costs more than the
    rest of a step, it waits for the next step, which is twice as large. So a larger budget shows
    all lines that a smaller one shows.
    """
    most = max(scores, default=0.0) or 1.0
    total = 0
    worth = [unit.tells or 0.0 for unit in units]
    is_told = any(worth)  # not in JSON
    if is_told and query_weight <= CENTRAL:
        query_weight = 0.0
    for index in sorted(among, key=lambda index: -scores[index]):
        worth[index] += query_weight * (scores[index] / most) ** 2 / (1 + total / _ANSWER)
        total += costs[index]
    for index in among:
        parent = units[index].parent
        cost = costs[index] + _OVERHEAD + (costs[parent] / 2 if parent is not None else 0)
        worth[index] /= cost**_THRIFT
    waiting = sorted(among, key=lambda index: -worth[index])
    if query_weight < NAMED and is_told:
        rule = {index: rank for rank, index in enumerate(_order_by_rule(units, among))}
        merit = {index: 1 / (_RANKS + rank) for rank, index in enumerate(waiting)}
        waiting.sort(key=lambda at: -merit[at] - (_RULE / (_RANKS + rule[at]) if at in rule else 0))
    order: list[int] = []
    step = _STEP
    total = 0
    while waiting:
        later = []
        for index in waiting:
            if total + costs[index] <= step:
                total += costs[index]
                order.append(index)
            else:
                later.append(index)
        waiting = later
        step = 2 * step
    return order


def _order_by_rule(units: Sequence[Unit], among: Iterable[int]) -> Iterable[int]:
    """Order lines as `grep`, `head` and `tail` would: first failures, then lines from both ends."""
    once = {units[index].text.strip().translate(NO_DIGITS): index for index in sorted(among)[::-1]}
    first = sorted(once.values())
    wrong = [index for index in first if _WRONG.search(units[index].text)]
    ends = chain.from_iterable(zip(first, reversed(first), strict=True))
    return dict.fromkeys([*wrong, *ends])


def move_repeats_to_end(
    order: Sequence[int], words: Callable[[int], list[str]], budget: int, costs: Sequence[int]
) -> list[int]:
    """Move units to the end if they repeat higher-ranked units."""
    phrases_so_far: set[int] = set()
    fresh: list[int] = []
    stale: list[int] = []
    total = 0
    for number, index in enumerate(order):
        if total > 2 * budget:
            fresh += order[number:]
            break
        phrases = _hash_phrases(words(index))
        if len(phrases & phrases_so_far) >= _SAME * len(phrases):
            stale.append(index)
            continue
        phrases_so_far |= phrases
        fresh.append(index)
        total += costs[index]
    return fresh + stale


def _hash_phrases(words: list[str]) -> set[int]:
    numbers = [crc32(word.encode()) for word in words] + [0] * (3 - len(words))
    threes = zip(numbers, numbers[1:], numbers[2:], strict=False)
    return {first << 28 ^ second << 14 ^ third for first, second, third in threes}


def find_places_of(
    strings: Iterable[str], texts: Sequence[str], units: Sequence[Unit]
) -> list[int]:
    """Return the indexes of the units that contain one of the strings."""
    indexes: dict[int, None] = {}
    firsts = [bisect_left(units, n, key=lambda unit: unit.document) for n in range(len(texts) + 1)]
    for string in dict.fromkeys(strings):
        for number, text in enumerate(texts if string else ()):
            at = text.find(string)
            while at >= 0:
                low = firsts[number]
                high = firsts[number + 1]
                first = bisect_right(units, at, low, high, key=lambda unit: unit.end)
                last = bisect_left(units, at + len(string), low, high, key=lambda unit: unit.start)
                indexes.update(dict.fromkeys(range(first, last)))
                at = text.find(string, at + len(string))
    return list(indexes)
