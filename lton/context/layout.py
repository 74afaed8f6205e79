"""Fit sections into a budget by shortening or dropping them in a fixed order.

Theory of operation. Token counts do not add up, so the whole text is rendered and counted. While
the layout exceeds the budget, sections are shortened one after the other. Between counts, the total
is estimated from the sizes of sections. So a thousand sections can be dropped without counting a
thousand times. A layout is returned only after an exact count.
"""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from lton.context.endings import cut_off, iterate_cut_positions
from lton.context.invariants import check_layout
from lton.context.marks import make_unused_mark
from lton.context.sections import Action, Decision, Layout, Section, Units, join_sections
from lton.errors import CriticalOverflowError, SectionError
from lton.tokens.counting import Count, Counter, TokenCounter, with_valid_characters

__all__ = ["Decision", "FacetUnits", "Layout", "Section", "lay_out"]

Passes: TypeAlias = Literal["normative", "staged"]
_NEAR = 8  # An estimate that exceeds the budget by at most this is replaced by a count


class FacetUnits(Counter):
    r"""Counts the UTF-8 bytes of normalized text, as defined by FACET 2.1.3 (§11.1).

    >>> FacetUnits().count("cafe\u0301\r\n")
    Count(tokens=6, exact=True)
    """

    def __init__(self) -> None:
        super().__init__("facet-units", exact=True)

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        lines = (
            with_valid_characters(text).replace("\r\n", "\n").replace("\r", "\n") for text in texts
        )
        sizes = (len(unicodedata.normalize("NFC", text).encode()) for text in lines)
        return [Count(size, exact=True) for size in sizes]


class _Once(Counter):
    """Counts each string only once, because the estimates of a server may change."""

    def __init__(self, counter: TokenCounter) -> None:
        super().__init__(counter.id, exact=counter.exact)
        self.own = counter
        self._find_known_count: dict[str, Count] = {}

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        texts = list(texts)
        unknown = [text for text in dict.fromkeys(texts) if text not in self._find_known_count]
        self._find_known_count.update(zip(unknown, self.own.count_all(unknown), strict=True))
        return [self._find_known_count[text] for text in texts]


def lay_out(
    sections: Iterable[Section],
    *,
    budget: int,
    counter: TokenCounter | None = None,
    units: Units = "tokens",
    passes: Passes = "normative",
    separator: str | None = None,
) -> Layout:
    """Fit sections into a budget and keep their order.

    If everything fits, all sections are shown, and sections with `grow` grow. Otherwise sections
    with `shrink` > 0 are shortened until the whole text fits: by priority, then by shrink (greatest
    first), then by position. Each section is shortened by its strategy, then by cutting off its
    end, and then by dropping it. With `passes="staged"`, all strategies are tried first, then all
    cuts, and then all drops.

    A cut section keeps complete sentences, lines, rows or statements, and ends with `[…]` (`[……]`
    if it contains `[…]`). A sentence is cut only if no complete sentence fits, after a word and
    outside of facts. Sentences are never cut to let a section grow.

    `separator` (by default a line feed) follows each section that does not end with it, except the
    last section. `units="bytes"` lays out as in FACET 2.1.3 (§11.3): the budget is in UTF-8 bytes
    of normalized text, `counter` is not used, cuts are between code points and have no mark, and
    there is no separator.

    Equal sections, budgets and counters produce identical bytes, if strategies are pure functions.
    The layout is checked (`lton.context.invariants`). Raises `CriticalOverflowError` (E701) with
    the size of each critical section if these do not fit, and `SectionError` (E703) for invalid
    arguments or a strategy that does not return a string. Errors of strategies are not caught.

    >>> from lton.tokens import counter
    >>> layout = lay_out(
    ...     [Section("rules", "Answer from the notes."),
    ...      Section("notes", "Rain fell on Monday. Tuesday was dry. Nobody asked.", shrink=1),
    ...      Section("question", "When did it rain?")],
    ...     budget=18, counter=counter("bytes"))
    >>> print(layout.text)
    Answer from the notes.
    Rain fell on Monday. […]
    When did it rain?
    >>> print(layout.report())
    17 of 18 tokens (bytes)
    rules: kept, 6 -> 6 (critical)
    notes: cut, 13 -> 7 (over by 5)
    question: kept, 5 -> 5 (critical)
    """
    if type(budget) is not int or budget < 0:
        raise SectionError(f"expected an integer >= 0 as budget, found {budget!r}")
    if passes not in _PASSES:
        raise SectionError(f"expected one of {', '.join(_PASSES)} as passes, found {passes!r}")
    measure, default = _make_measures(units, counter)
    between = default if separator is None else separator
    if not isinstance(between, str):
        raise SectionError(f"expected a string as separator, found {between!r}")
    all_sections = tuple(sections)
    plan = _Plan(all_sections, budget, measure, units, between)
    plan.fit_to_budget(_PASSES[passes])
    plan.grow_sections()
    layout = plan.build_layout(passes)
    check_layout(all_sections, layout, measure)
    return layout


def _make_measures(units: Units, counter: TokenCounter | None) -> tuple[_Once, str]:
    if units == "bytes":
        return _Once(FacetUnits()), ""
    if units != "tokens":
        raise SectionError(f"expected 'tokens' or 'bytes' as units, found {units!r}")
    if counter is None:
        raise SectionError("expected a counter, found none", hint="counter=counter('o200k')")
    return _Once(counter), "\n"


class _Beginnings:
    def __init__(self, text: str, ends: Sequence[int], mark: str) -> None:
        self._text = text
        self._ends = ends
        self._mark = mark

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, index: int) -> str:
        return cut_off(self._text, self._ends[index], self._mark)


class _Plan:
    """A layout in progress. `whole` is the size, or None if the text has to be counted again."""

    def __init__(
        self, sections: Sequence[Section], budget: int, counter: _Once, units: Units, separator: str
    ) -> None:
        self.sections = sections
        self.budget = budget
        self.counter = counter
        self.units = units
        self.separator = separator
        self.texts = [section.text for section in sections]
        self.before = [item.tokens for item in counter.count_all(self.texts)]
        self.sizes = list(self.before)
        self.actions: list[Action] = ["kept"] * len(sections)
        self.reasons = ["critical" if item.critical else "fits" for item in sections]
        self.load = sum(self.sizes)
        self.shown = sum(map(bool, self.texts))
        self.order = sorted(
            (index for index, section in enumerate(sections) if not section.critical),
            key=lambda index: (sections[index].priority, -sections[index].shrink, index),
        )
        self._count_whole()

    def _count_whole(self) -> int:
        self.counted = self.counter.count(join_sections(self.texts, self.separator))
        self.whole: int | None = self.counted.tokens
        self.rest = self.whole - self.load
        self.rest_of = self.shown
        return self.whole

    def tokens_over_budget(self) -> int:
        """Return how far the size is above the budget. If it is not above, the size is exact."""
        if self.whole is None:
            estimate = self.load + self.rest * self.shown // max(1, self.rest_of)
            if estimate > self.budget + _NEAR:
                return estimate - self.budget
        return (self._count_whole() if self.whole is None else self.whole) - self.budget

    def set_section(self, index: int, text: str, size: int, action: Action, reason: str) -> None:
        self.load += size - self.sizes[index]
        if text and not self.texts[index]:
            self.shown += 1
        elif self.texts[index] and not text:
            self.shown -= 1
        self.texts[index] = text
        self.sizes[index] = size
        self.whole = None
        self.actions[index] = action
        self.reasons[index] = reason

    def count_tokens(self, text: str) -> int:
        return self.counter.count(text).tokens

    def fit_to_budget(self, passes: Sequence[Sequence["_Step"]]) -> None:
        if self.tokens_over_budget() <= 0:
            return
        self.require_critical()
        for steps in passes:
            for index in self.order:
                for step in steps:
                    if self.tokens_over_budget() <= 0:
                        return
                    if self.texts[index]:
                        step(self, index, steps[-1] is _Plan.drop_section)

    def require_critical(self) -> None:
        critical = [index for index, section in enumerate(self.sections) if section.critical]
        texts = [self.texts[index] for index in critical]
        required = self.count_tokens(join_sections(texts, self.separator))
        if required > self.budget:
            sizes = [(self.sections[index].name, self.sizes[index]) for index in critical]
            raise CriticalOverflowError(sizes, required, budget=self.budget, units=self.units)

    def least_tokens_of(self, index: int) -> int:
        return max(1, min(self.sections[index].min, self.before[index]))

    def squeeze_section(self, index: int, drops: bool) -> None:
        """Apply a section's strategy, unless even the smallest allowed result would not fit."""
        section = self.sections[index]
        least = self.least_tokens_of(index)
        over = self.tokens_over_budget()
        target = self.sizes[index] - over
        if section.strategy is None or (drops and target < least):
            return
        text = section.strategy(section.text, max(target, least), self.counter.own)
        if not isinstance(text, str):
            raise SectionError(f"the strategy of {section.name!r}: expected a text, found {text!r}")
        size = self.count_tokens(text)
        if not text and not section.min:
            self.set_section(
                index, "", 0, "dropped", f"over by {over:,}, and its strategy left nothing"
            )
        elif least <= size < self.sizes[index]:
            self.set_section(index, text, size, "compressed", f"over by {over:,}")

    def cut_section(self, index: int, drops: bool) -> None:
        least = self.least_tokens_of(index)
        text = self.texts[index]
        while (over := self.tokens_over_budget()) > 0 and self.sizes[index] > least:
            most = self.sizes[index] - over
            if drops and most < least:
                return
            mark = make_unused_mark(self.sections[index].text)
            shorter = self.longest_beginning(text, iterate_cut_positions(text), mark, least, most)
            size = self.count_tokens(shorter)
            if not shorter or not least <= size < self.sizes[index]:
                return
            if self.actions[index] == "kept":
                self.set_section(index, shorter, size, "cut", f"over by {over:,}")
            else:  # a strategy's text keeps its action and reason
                self.set_section(index, shorter, size, self.actions[index], self.reasons[index])

    def longest_beginning(
        self, text: str, places: Iterable[Sequence[int]], mark: str, least: int, most: int
    ) -> str:
        """Return the longest prefix of at most `most` tokens.

        If `most` is below `least`, return the shortest prefix of at least `least` tokens.
        """
        if self.units == "bytes":
            places = [range(1, len(text))]
            mark = ""
        whole = self.count_tokens(text)
        for ends in places:
            texts = _Beginnings(text, ends, mark)
            index = self.find_last_within(texts, whole, most if most >= least else least - 1)
            if most < least:
                index += 1
            if 0 <= index < len(ends) and least <= self.count_tokens(texts[index]) < whole:
                return texts[index]
        return ""

    def drop_section(self, index: int, _drops: bool) -> None:
        over = self.tokens_over_budget()
        least = self.least_tokens_of(index)
        why = f", and at least {least:,} have to be shown" if least > 1 else ""
        self.set_section(index, "", 0, "dropped", f"over by {over:,}{why}")

    def find_last_within(self, texts: _Beginnings, large: int, most: int) -> int:
        """Search for the last text that fits `most`, and return its index, or -1 if none fits."""
        low = -1
        high = len(texts)
        small = 0
        by_size = True
        while high - low > 1:
            share = (high - low) * (most - small) // max(1, large - small)
            step = share if by_size else (high - low) // 2
            index = low + min(max(step, 1), high - low - 1)
            size = self.count_tokens(texts[index])
            if size <= most:
                low = index
                small = size
            else:
                high = index
                large = size
            by_size = not by_size
        return low

    def grow_sections(self) -> None:
        """Show longer versions of sections in the remaining budget."""
        growers = [
            index
            for index, section in enumerate(self.sections)
            if section.grow > 0 and section.full and self.actions[index] == "kept"
        ]
        for index, extra in self.shares_of_slack(growers, -self.tokens_over_budget()):
            self._grow_to(index, self.before[index] + extra)
        for index in self.order:
            while self.actions[index] == "grown" and (over := self.tokens_over_budget()) > 0:
                self._grow_to(index, self.sizes[index] - over)

    def shares_of_slack(self, growers: Sequence[int], slack: int) -> list[tuple[int, int]]:
        """Divide the remaining budget among sections in proportion to their `grow`."""
        if not growers:
            return []
        weights = [Fraction(self.sections[index].grow) for index in growers]
        shares = [slack * weight / sum(weights) for weight in weights]
        floors = [int(share) for share in shares]
        by_rest = sorted(
            range(len(growers)),
            key=lambda position: (floors[position] - shares[position], position),
        )
        for position in by_rest[: slack - sum(floors)]:
            floors[position] += 1
        return list(zip(growers, floors, strict=True))

    def _grow_to(self, index: int, most: int) -> None:
        section = self.sections[index]
        before = self.before[index]
        text = section.full or ""
        if most > before and self.count_tokens(text) > most:
            text = self.longest_beginning(
                text,
                iterate_cut_positions(text, words=False),
                make_unused_mark(text),
                before + 1,
                most,
            )
        if most > before and (size := self.count_tokens(text)) > before:
            self.set_section(index, text, size, "grown", f"room for {most:,}")
        else:
            self.set_section(index, section.text, before, "kept", "fits")

    def build_layout(self, passes: str) -> Layout:
        whole = join_sections(self.texts, self.separator)
        decisions = []
        start = 0
        for index, text in enumerate(self.texts):
            end = start + len(text)
            name = self.sections[index].name
            action = self.actions[index]
            sizes = self.before[index], self.sizes[index]
            decisions.append(Decision(name, action, *sizes, start, end, self.reasons[index]))
            gap = 0 if not text or text.endswith(self.separator) else len(self.separator)
            start = min(end + gap, len(whole))
        if self.whole is None:
            self._count_whole()
        fields = whole, self.counted.tokens, tuple(decisions), self.budget, self.units
        return Layout(*fields, self.counter.id, self.counted.exact, self.separator, passes)


_Step: TypeAlias = Callable[[_Plan, int, bool], None]
_PASSES: dict[str, Sequence[Sequence[_Step]]] = {
    "normative": [(_Plan.squeeze_section, _Plan.cut_section, _Plan.drop_section)],
    "staged": [(_Plan.squeeze_section,), (_Plan.cut_section,), (_Plan.drop_section,)],
}
"""The steps to try on each section in each pass."""
