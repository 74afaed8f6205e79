"""Shorten documents to a budget of tokens by extracting their most important parts unchanged."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from lton.context.compress.kinds import split_into_units
from lton.context.compress.ranking import LEXICAL, Ranker
from lton.context.compress.selection import (
    ASKED,
    CENTRAL,
    NAMED,
    Picking,
    Shown,
    find_places_of,
    move_repeats_to_end,
    rank_by_weight,
)
from lton.context.compress.units import Unit, UnitList
from lton.context.compress.words import Stems, are_alike, extract_question, has_name_of
from lton.context.marks import lines_of_text, write_mark_with_count
from lton.errors import CriticalOverflowError, SectionError

if TYPE_CHECKING:
    from lton.tokens.counting import TokenCounter

Render: TypeAlias = Callable[[Sequence[tuple[str, str]]], str]
"""Renders (title, text) pairs. Documents without remaining text are not included."""


_FEW = 10  # A mark states the number of omitted lines if it is at least this
_Piece: TypeAlias = tuple[str, list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Compressed:
    """A shortened text, its number of tokens, and the spans of the original text that it shows.

    `spans` are offsets in the input, in the shown order. Between and around the spans there are
    only white space and marks, `[…]` or `[… 14 lines]` (see `lton.context.marks`; in JSON also
    commas). `ratio` is the share of the input's tokens that is kept. In a set, `tokens` counts only
    this text.
    """

    text: str
    tokens: int
    spans: tuple[tuple[int, int], ...]
    ratio: float


@dataclass(frozen=True, slots=True)
class CompressedSet:
    """Several shortened documents, and the text that shows them together.

    `text` is the rendering, and `tokens` its count. `shown` contains the indexes of the shown
    documents, in order.
    """

    text: str
    tokens: int
    documents: tuple[Compressed, ...]
    shown: tuple[int, ...]
    ratio: float


def join_documents(documents: Sequence[tuple[str, str]]) -> str:
    r"""Join documents, each under its title.

    >>> join_documents([("A", "One."), ("", "Two.")])
    'A\nOne.\n\nTwo.'
    """
    return "\n\n".join(f"{title}\n{text}" if title else text for title, text in documents)


def compress(
    text: str,
    *,
    budget: int,
    counter: "TokenCounter",
    query: str | None = None,
    keep: Iterable[str] = (),
    kind: str | None = None,
    ranker: Ranker = LEXICAL,
) -> Compressed:
    """Shorten text to at most `budget` tokens by extracting its most important parts.

    The result consists of spans of the text: sentences, lines, list items, rows, statements, or
    JSON values. It is never cut inside a number, a date, an identifier, a quotation or a negation.
    `[…]` replaces omitted text. A sentence is cut only if no complete unit fits. `query` is the
    question. Without a question, the most central parts are kept. Units that contain a string from
    `keep` are always kept.

    `kind` is "prose", "markdown", "code", "code:python", "json", "log", "chat", "table" (rows with
    commas, semicolons or tabs), "html", or a kind of tool output: "tests", "diagnostics", "trace",
    "git", "search", "listing", "install". In tool output, errors, their locations, counts and the
    last line are chosen first. If `kind` is None, it is guessed. In kinds that consist of lines,
    the mark counts the omitted lines: `[… 14 lines]`. If nothing fits, the result is only the mark.

    Equal inputs produce identical bytes. Raises `CriticalOverflowError` (E701) if `keep` does not
    fit, `SectionError` (E703) for invalid arguments, and `MissingExtraError` if the package for a
    language is missing.

    >>> from lton.tokens import counter
    >>> notes = "Rain fell on Monday. Tuesday was dry. Nobody asked."
    >>> short = compress(notes, budget=8, counter=counter("bytes"), query="Was it dry on Tuesday?")
    >>> short.text, short.spans, short.tokens
    ('[…] Tuesday was dry. […]', ((21, 37),), 7)
    """
    compressor = Compressor(
        [("", text)], counter, query, keep, [kind], ranker, join_documents, None
    )
    return compressor.compress_to_budget(budget).documents[0]


def compress_all(
    documents: Sequence[tuple[str, str]],
    *,
    budget: int,
    counter: "TokenCounter",
    query: str | None = None,
    keep: Iterable[str] = (),
    kinds: Sequence[str | None] | None = None,
    ranker: Ranker = LEXICAL,
    render: Render = join_documents,
    marks: Sequence[str] | None = None,
) -> CompressedSet:
    """Shorten several documents together to at most `budget` tokens (see `compress`).

    Titles are also ranked. The tokens of the rendered result are counted. `marks` gives each
    document's mark. If a document is an excerpt, its mark must not occur in the whole document. The
    other options are those of `compress`.
    """
    options = query, keep, kinds, ranker, render, marks
    return Compressor(documents, counter, *options).compress_to_budget(budget)


class Compressor:
    """Shortens the same documents to different budgets. The options are those of `compress_all`.

    Splitting and ranking take most of the time, and are done only once. `sizes` contains the number
    of tokens of each document, if already known.
    """

    def __init__(
        self,
        documents: Sequence[tuple[str, str]],
        counter: "TokenCounter",
        query: str | None,
        keep: Iterable[str],
        kinds: Sequence[str | None] | None,
        ranker: Ranker,
        render: Render,
        marks: Sequence[str] | None,
        sizes: Sequence[int] = (),
    ) -> None:
        self.titles = [title for title, _ in documents]
        self.texts = [text for _, text in documents]
        self.counter = counter
        self.render = render
        self._query = query
        self._keep = tuple(keep)
        self._ranker = ranker
        self._kinds = kinds
        self._marks = marks
        self.units: list[Unit] = []
        self._known = Stems()
        self.marks: dict[tuple[int, int, str], str] = {}
        whole = render([(title, text) for title, text in documents if text])
        self.sizes, self.whole = self._count_units(self.texts, whole, sizes)

    def compress_to_budget(self, budget: int) -> CompressedSet:
        """Shorten the documents to at most `budget` tokens."""
        if type(budget) is not int or budget < 0:
            raise SectionError(f"expected an integer >= 0 as budget, found {budget!r}")
        if self.whole <= budget:
            return self.build_whole_set()
        selection = self.plan_for_budget(budget).select_for_budget(budget)
        return self.build_result(selection) if selection else self.build_empty_set(budget)

    def _count_units(
        self, texts: Sequence[str], whole: str, sizes: Sequence[int] = ()
    ) -> tuple[Sequence[int], int]:
        sizes = sizes or [count.tokens for count in self.counter.count_all(texts)]
        return sizes, sizes[0] if [*texts] == [whole] else self.counter.count(whole).tokens

    @cached_property
    def _ranked(self) -> Picking:
        units: list[Unit] = []
        for number, text in enumerate(self.texts):
            added = UnitList(text, number, self.titles[number], len(units))
            if self._marks:
                added.shared = added.shared._replace(mark=self._marks[number])
            units += split_into_units(added, self._kinds[number] if self._kinds else None)
        self.units = units
        costs = [count.tokens for count in self.counter.count_all(self._iterate_texts_with_gaps())]
        parents = {unit.parent for unit in units}
        is_nested = all(unit.tells is not None for unit in units)
        query = extract_question(self._query) if is_nested and self._query else self._query
        scores = array("d", (round(score, 6) for score in self._ranker.score(units, query)))
        ranked = [
            at
            for at, unit in enumerate(units)
            if unit.role != "frame" and (unit.role != "heading" or at not in parents or unit.tells)
        ]
        if is_nested:
            weight = CENTRAL
            if query:
                weight = NAMED if has_name_of(query, self.texts) else ASKED
            ranked = rank_by_weight(units, scores, costs, weight, ranked)
        else:
            ranked.sort(key=lambda index: -scores[index])
        must = find_places_of(self._keep, self.texts, units)
        return Picking(units, costs, ranked, must, self.counter, self.write_units, is_nested)

    def plan_for_budget(self, budget: int) -> Picking:
        """Rank the units of all documents and return the plan for selecting them."""
        plan = self._ranked
        if not plan.is_nested:
            words = (lambda index: self._known.stems_of(self.units[index].text)), budget, plan.costs
            plan = replace(plan, order=move_repeats_to_end(plan.order, *words))
        least, _ = plan.choose_by_order(0, ())
        if (required := plan.count_tokens(least)) > budget:
            sizes = [(repr(self.units[index].text[:40]), plan.costs[index]) for index in plan.must]
            raise CriticalOverflowError(sizes, required, budget=budget)
        return plan

    def _iterate_texts_with_gaps(self) -> Iterator[str]:
        before: Unit | None = None
        for unit in self.units:
            text = self.texts[unit.document]
            start = before.end if before and before.document == unit.document else unit.start
            yield text[start : unit.end]
            before = unit

    def write_units(self, selection: Shown) -> str:
        return self.render(
            [
                (self.titles[at], text)
                for at, (text, _) in self._write_piece_of_each(selection).items()
            ]
        )

    def _write_piece_of_each(self, selection: Shown) -> dict[int, _Piece]:
        documents = groupby(sorted(selection), key=lambda at: self.units[at].document)
        return {number: self._write_piece([*indexes], selection) for number, indexes in documents}

    def _write_piece(self, indexes: Sequence[int], selection: Shown) -> _Piece:
        first = indexes[0]
        last = indexes[-1]
        text, spans = self._write_block(indexes, selection)
        whole = self.texts[self.units[first].document]
        is_cut = selection[last] < self.units[last].end
        if self._is_one_document(first - 1, first):
            before = self._write_mark(first, whole[: self.units[first].start])
            text = f"{before}{self._space_between(first - 1, first)}{text}"
        if is_cut or self._is_one_document(last, last + 1):
            text = f"{text} {self._write_mark(last, whole[selection[last] :], is_plain=is_cut)}"
        return text, spans

    def _write_mark(
        self, index: int, missing: str, shown_text: str = "", *, is_plain: bool = False
    ) -> str:
        """Return the mark for `missing` text. The mark may state the number of omitted lines."""
        unit = self.units[index]
        if is_plain or not unit.shared.counts:
            return unit.shared.mark
        key = (index, len(missing), shown_text)
        if cached := self.marks.get(key):
            return cached
        omitted = lines_of_text(missing)
        alike = len(omitted) > 2 and bool(shown_text) and are_alike([shown_text, *omitted])
        is_counted = alike or len(omitted) >= _FEW
        mark = (
            write_mark_with_count(unit.shared.mark, len(omitted), alike=alike)
            if is_counted
            else unit.shared.mark
        )
        self.marks[key] = mark
        return mark

    def _is_one_document(self, before: int, after: int) -> bool:
        if not 0 <= before < after < len(self.units):
            return False
        return self.units[before].document == self.units[after].document

    def _space_between(self, before: int, after: int) -> str:
        text = self.texts[self.units[after].document]
        gap = text[self.units[before].end : self.units[after].start]
        return "\n" if any(char in gap for char in "\n\r") else " "

    def _write_block(self, indexes: Sequence[int], selection: Shown) -> _Piece:
        text = self.texts[self.units[indexes[0]].document]
        spans: list[tuple[int, int]] = []
        parts: list[str] = []
        before: int | None = None
        omitted: dict[int, int] = {}
        for index in indexes:
            start = self.units[index].start
            end = selection[index]
            is_next = before == index - 1 and selection[before] == self.units[before].end
            if is_next and not self._lacks_mark(index, omitted):
                parts.append(text[spans[-1][1] : end])
                spans[-1] = (spans[-1][0], end)
            else:
                if before is not None:
                    parts.append(
                        self.write_text_between(text, before, selection[before], index, omitted)
                    )
                parts.append(text[start:end])
                spans.append((start, end))
            before = index
        return "".join(parts), spans

    def write_text_between(
        self, text: str, before: int, end: int, index: int, omitted: dict[int, int]
    ) -> str:
        """Return the text between two units that are not adjacent: a mark and white space."""
        unit = self.units[index]
        if unit.shared.mark[0] != '"':
            shown_text = text[self.units[before].start : end]
            is_cut = end < self.units[before].end
            mark = self._write_mark(index, text[end : unit.start], shown_text, is_plain=is_cut)
            return f" {mark}{self._space_between(before, index)}"
        return self._text_between_values(text, before, index, omitted)

    def _text_between_values(
        self, text: str, before: int, index: int, omitted: dict[int, int]
    ) -> str:
        """Return the text between two JSON values, with a mark for omitted values."""
        unit = self.units[index]
        within = self.units[index].parent or 0
        gap = text[self.units[index - 1].end : unit.start].replace(",", "")
        count = sum(self.units[at].parent == unit.parent for at in range(before + 1, index))
        is_closer = self.units[within].closer == index
        is_object = self.units[within].text[-1] == "{"
        if is_object:
            count = omitted[within] = omitted.get(within, 0) + count
        comma = "" if unit.parent == before else ","
        if not count or (is_object and not is_closer):
            return f"{'' if is_closer else comma}{gap}"
        mark = f'"{write_mark_with_count(unit.shared.mark[1:-1], count, "value")}"'
        if is_object:
            mark += ":0"
        return f"{comma}{gap}{mark}{'' if is_closer else ','}{gap}"

    def _lacks_mark(self, index: int, omitted: Mapping[int, int]) -> bool:
        within = self.units[index].parent
        return bool(
            within is not None and omitted.get(within) and self.units[within].closer == index
        )

    def build_whole_set(self) -> CompressedSet:
        return self._build_compressed_set(
            self.texts,
            [[(0, len(text))] if text else [] for text in self.texts],
            [number for number, text in enumerate(self.texts) if text],
        )

    def build_result(self, selection: Shown) -> CompressedSet:
        pieces = self._write_piece_of_each(selection)
        numbers = range(len(self.texts))
        texts, spans = zip(*(pieces.get(number, ("", [])) for number in numbers), strict=True)
        return self._build_compressed_set(texts, spans, list(pieces))

    def build_empty_set(self, budget: int) -> CompressedSet:
        """Return a result that consists only of a mark, or is empty if the mark does not fit."""
        if len(self.texts) == 1 and self.units:
            result = self._build_compressed_set([self.units[0].shared.mark], [()], [0])
            if result.tokens <= budget:
                return result
        return self.build_result({})

    def _build_compressed_set(
        self,
        texts: Sequence[str],
        spans: Sequence[Sequence[tuple[int, int]]],
        numbers: Sequence[int],
    ) -> CompressedSet:
        text = self.render([(self.titles[number], texts[number]) for number in numbers])
        sizes, tokens = self._count_units(texts, text)
        documents = tuple(
            Compressed(text, size, tuple(ranges), size / max(1, whole))
            for text, ranges, size, whole in zip(texts, spans, sizes, self.sizes, strict=True)
        )
        return CompressedSet(text, tokens, documents, tuple(numbers), tokens / max(1, self.whole))
