"""Texts made short: the units that matter most, as they are, within a budget."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal, TypeAlias

from lton.context.compress.kinds import split
from lton.context.compress.ranking import LEXICAL, Ranker
from lton.context.compress.selection import (
    ASKED,
    CENTRAL,
    NAMED,
    Picking,
    Shown,
    by_telling,
    places_of,
    without_repeats,
)
from lton.context.compress.units import Unit, UnitList
from lton.context.compress.words import Stems, are_alike, asked_of, names_in
from lton.context.marks import counted, lines_in
from lton.errors import CriticalOverflowError, SectionError

if TYPE_CHECKING:
    from lton.tokens.counting import TokenCounter

Order: TypeAlias = Literal["input", "ends"]
Render: TypeAlias = Callable[[Sequence[tuple[str, str]]], str]
"""Writes titles and texts as the model is shown them; texts of which nothing is left are not in."""


_FEW = 10
"""Lines from which on a mark says how many are left out: a mark alone costs next to nothing."""
_Piece: TypeAlias = tuple[str, list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Compressed:
    """What is left of a text: `text`, what that counts, and where it is from.

    `spans` are the offsets in the input, in the order shown; between them is only white space and a
    mark, `[…]` or `[… 14 lines]` (`lton.context.marks`; in JSON commas, too), which is also at
    either end of what is not at the input's. `ratio` is the share of the input's tokens that is
    left. Of a text within a set, `tokens` are those of its own text.
    """

    text: str
    tokens: int
    spans: tuple[tuple[int, int], ...]
    ratio: float


@dataclass(frozen=True, slots=True)
class CompressedSet:
    """What is left of several texts: each of them, in the order given, and all together.

    `text` is the whole as it was rendered, and `tokens` what that counts. `shown` are the numbers
    of the documents of which something is left, in the order shown.
    """

    text: str
    tokens: int
    documents: tuple[Compressed, ...]
    shown: tuple[int, ...]
    ratio: float


def joined(documents: Sequence[tuple[str, str]]) -> str:
    r"""Get texts after their titles, apart by an empty line.

    >>> joined([("A", "One."), ("", "Two.")])
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
    order: Order = "input",
    ranker: Ranker = LEXICAL,
) -> Compressed:
    """Get what matters most of a text, at most `budget` tokens of the counter.

    What is left are spans of the text, never cut inside a number, a date, an identifier, a quote
    or a negation: sentences, lines, list items, rows, statements, values of JSON. Wherever
    something is left out stands `[…]`. A sentence is cut only where nothing fits whole. `query`
    says what is asked; without it the text's own centre is kept. Each unit with a string of
    `keep` in it is kept. `kind` is "prose", "markdown", "code", "json", "log", "chat", "table"
    (rows of values with commas, semicolons or tabs between them), "html", or what tools print:
    "tests", "diagnostics" (of compilers and linters), "trace", "git", "search", "listing",
    "install"; of these errors, where they are, counts and the last line are chosen before all else.
    What is read by its lines has the number of those that are left out, `[… 14 lines]`; where
    nothing fits, the mark is all. The kind is guessed if it is None. After
    "code:" a language may be named: "python", or one of which tree-sitter's package is installed
    ("go"; the extra `treesitter` brings seven). With `order="ends"` the best come first and last,
    the others between.

    The same input gives the same bytes. `CriticalOverflowError` (E701) says that what is to be
    kept does not fit, `SectionError` (E703) what is wrong with the arguments, `MissingExtraError`
    what a language needs.

    >>> from lton.tokens import counter
    >>> notes = "Rain fell on Monday. Tuesday was dry. Nobody asked."
    >>> short = compress(notes, budget=8, counter=counter("bytes"), query="Was it dry on Tuesday?")
    >>> short.text, short.spans, short.tokens
    ('[…] Tuesday was dry. […]', ((21, 37),), 7)
    """
    whole = compress_all(
        [("", text)],
        budget=budget,
        counter=counter,
        query=query,
        keep=keep,
        kinds=[kind],
        order=order,
        ranker=ranker,
    )
    return whole.documents[0]


def compress_all(
    documents: Sequence[tuple[str, str]],
    *,
    budget: int,
    counter: "TokenCounter",
    query: str | None = None,
    keep: Iterable[str] = (),
    kinds: Sequence[str | None] | None = None,
    order: Order = "input",
    ranker: Ranker = LEXICAL,
    render: Render = joined,
    marks: Sequence[str] | None = None,
) -> CompressedSet:
    """Get what matters most of several texts with titles, in one budget.

    Titles take part in the ranking. `render` writes titles and texts as they are shown; what it
    gives is what is counted. `marks` are what stands where something is left out of each text:
    of a text that is a part of another, what the whole has not. The rest is as in `compress`.
    """
    if type(budget) is not int or budget < 0:
        raise SectionError(f"expected an integer >= 0 as budget, found {budget!r}")
    if order not in ("input", "ends"):
        raise SectionError(f"expected 'input' or 'ends' as order, found {order!r}")
    work = _Work(documents, counter, render)
    if work.whole <= budget:
        return work.all()
    work.split(kinds, marks)
    shown = work.plan(budget, query, tuple(keep), ranker, order).fit(budget)
    return work.result(shown) if shown else work.nothing(budget)


class _Work:
    """Texts, their units, and what is written of them."""

    def __init__(
        self, documents: Sequence[tuple[str, str]], counter: "TokenCounter", render: Render
    ) -> None:
        self.titles = [title for title, _ in documents]
        self.texts = [text for _, text in documents]
        self.counter, self.render = counter, render
        self.units: list[Unit] = []
        self.marks: dict[tuple[int, int, str], str] = {}
        """The marks that count, by the unit that they are beside and what is missing."""
        self.ranks: dict[int, int] | None = None
        """The rank of each place that was ranked, where the best are to be at both ends."""
        whole = render([(title, text) for title, text in documents if text])
        self.sizes, self.whole = self._counted(self.texts, whole)

    def _counted(self, texts: Sequence[str], whole: str) -> tuple[list[int], int]:
        """Get the tokens of texts, and of what they are rendered as."""
        sizes = [count.tokens for count in self.counter.count_all(texts)]
        return sizes, sizes[0] if [*texts] == [whole] else self.counter.count(whole).tokens

    def split(self, kinds: Sequence[str | None] | None, marks: Sequence[str] | None) -> None:
        for number, text in enumerate(self.texts):
            units = UnitList(text, number, self.titles[number], len(self.units))
            if marks:
                units.mark = marks[number]
            self.units += split(units, kinds[number] if kinds else None)

    def plan(
        self, budget: int, query: str | None, keep: Sequence[str], ranker: Ranker, order: Order
    ) -> Picking:
        """Get what may be shown, the best first; an error if what must be does not fit."""
        units, stems = self.units, Stems()
        costs = [count.tokens for count in self.counter.count_all(self._with_gaps())]
        parents = {unit.parent for unit in units}
        is_nested = all(unit.tells is not None for unit in units)
        if is_nested and query:
            query = asked_of(query)
        scores = array("d", (round(score, 6) for score in ranker.score(units, query)))
        ranked = [
            place
            for place in range(len(units))
            if units[place].role != "frame"
            and not (units[place].role == "heading" and place in parents and not units[place].tells)
        ]
        if is_nested:
            asked = (NAMED if names_in(query, self.texts) else ASKED) if query else CENTRAL
            ranked = by_telling(units, scores, costs, asked, ranked)
        else:
            ranked.sort(key=lambda place: -scores[place])
            ranked = without_repeats(
                ranked, lambda place: stems.of(units[place].text), budget, costs
            )
        if order == "ends":
            self.ranks = {place: rank for rank, place in enumerate(ranked)}
        must = places_of(keep, self.texts, units)
        plan = Picking(units, costs, ranked, must, self.counter, self.written, is_nested)
        least, _ = plan.choose(0, ())
        if (required := plan.count(least)) > budget:
            sizes = [(repr(units[place].text[:40]), costs[place]) for place in must]
            raise CriticalOverflowError(sizes, required, budget=budget)
        return plan

    def _with_gaps(self) -> Iterator[str]:
        """Get the text of each unit, with what is between it and the one before."""
        before: Unit | None = None
        for unit in self.units:
            text = self.texts[unit.document]
            start = before.end if before and before.document == unit.document else unit.start
            yield text[start : unit.end]
            before = unit

    def written(self, shown: Shown) -> str:
        return self.render([(self.titles[at], text) for at, (text, _) in self._pieces(shown)])

    def _pieces(self, shown: Shown) -> list[tuple[int, _Piece]]:
        """Get the text and the spans of each document of which something is shown, in order."""
        documents = {
            number: list(places)
            for number, places in groupby(sorted(shown), key=lambda at: self.units[at].document)
        }
        if self.ranks is None:
            return [(each, self._piece([places], shown)) for each, places in documents.items()]
        if len(self.texts) > 1:
            numbers = self._ends_first(list(documents.items()))
            return [(number, self._piece([documents[number]], shown)) for number in numbers]
        blocks = dict(enumerate(self._blocks(sorted(shown))))
        numbers = self._ends_first(list(blocks.items()))
        return [(0, self._piece([blocks[number] for number in numbers], shown))] if blocks else []

    def _blocks(self, places: Sequence[int]) -> list[list[int]]:
        """Get places in blocks: what is shown together, and what follows each other."""
        blocks: list[list[int]] = []
        for place in places:
            parent = self.units[place].parent
            last = blocks[-1][-1] if blocks else None
            within = last is not None and parent is not None and parent >= blocks[-1][0]
            if within or (last == place - 1 and parent == self.units[last].parent):
                blocks[-1].append(place)
            else:
                blocks.append([place])
        return blocks

    def _ends_first(self, groups: Sequence[tuple[int, list[int]]]) -> list[int]:
        """Get the numbers of groups with the best at both ends."""
        ranks, last = self.ranks or {}, len(self.units)
        best = [(min(ranks.get(place, last) for place in each), number) for number, each in groups]
        numbers = [number for _, number in sorted(best)]
        return numbers[::2] + numbers[1::2][::-1]

    def _piece(self, blocks: Sequence[Sequence[int]], shown: Shown) -> _Piece:
        """Get blocks of one document, with marks between them and at the ends of all."""
        mark = self.units[blocks[0][0]].mark
        first, last = blocks[0][0], blocks[-1][-1]
        found = [self._block(places, shown) for places in blocks]
        text = (f" {mark}\n" if mark else "\n").join(block for block, _ in found)
        whole, is_cut = self.texts[self.units[first].document], shown[last] < self.units[last].end
        if mark and self._is_one_document(first - 1, first):
            before = self._mark(first, whole[: self.units[first].start], is_plain=len(blocks) > 1)
            text = f"{before}{self._space(first - 1, first)}{text}"
        if mark and (is_cut or self._is_one_document(last, last + 1)):
            after = self._mark(last, whole[shown[last] :], is_plain=len(blocks) > 1 or is_cut)
            text = f"{text} {after}"
        return text, [span for _, spans in found for span in spans]

    def _mark(self, place: int, missing: str, shown: str = "", *, is_plain: bool = False) -> str:
        """Get the mark for what is missing beside a unit, after what is shown if that is known."""
        unit = self.units[place]
        if is_plain or not unit.counts:
            return unit.mark
        if found := self.marks.get(key := (place, len(missing), shown)):
            return found
        said = lines_in(missing)
        alike = len(said) > 2 and bool(shown) and are_alike([shown, *said])
        is_counted = alike or len(said) >= _FEW
        mark = counted(unit.mark, len(said), alike=alike) if is_counted else unit.mark
        self.marks[key] = mark
        return mark

    def _is_one_document(self, before: int, after: int) -> bool:
        """Say whether there are both of two units, and of one document."""
        if not 0 <= before < after < len(self.units):
            return False
        return self.units[before].document == self.units[after].document

    def _space(self, before: int, after: int) -> str:
        """Get a line feed, if two units are on different lines, or a space."""
        text = self.texts[self.units[after].document]
        gap = text[self.units[before].end : self.units[after].start]
        return "\n" if any(char in gap for char in "\n\r") else " "

    def _block(self, places: Sequence[int], shown: Shown) -> _Piece:
        text = self.texts[self.units[places[0]].document]
        spans: list[tuple[int, int]] = []
        parts: list[str] = []
        before: int | None = None
        left: dict[int, int] = {}
        for place in places:
            start, end = self.units[place].start, shown[place]
            is_next = before == place - 1 and shown[before] == self.units[before].end
            if is_next and not self._lacks(place, left):
                parts.append(text[spans[-1][1] : end])
                spans[-1] = (spans[-1][0], end)
            else:
                if before is not None:
                    parts.append(self._between(text, before, shown[before], place, left))
                parts.append(text[start:end])
                spans.append((start, end))
            before = place
        return "".join(parts), spans

    def _between(self, text: str, before: int, end: int, place: int, left: dict[int, int]) -> str:
        """Get what is between what is shown of units that are no neighbours, with a mark in it."""
        unit = self.units[place]
        if unit.mark[0] != '"':
            said = text[self.units[before].start : end]
            is_cut = end < self.units[before].end
            mark = self._mark(place, text[end : unit.start], said, is_plain=is_cut)
            return f" {mark}{self._space(before, place)}"
        return self._values(text, before, place, left)

    def _values(self, text: str, before: int, place: int, left: dict[int, int]) -> str:
        """Get what is between values of JSON: a mark in arrays; in objects one, at their end."""
        unit, within = self.units[place], self.units[place].parent or 0
        gap = text[self.units[place - 1].end : unit.start].replace(",", "")
        count = sum(self.units[at].parent == unit.parent for at in range(before + 1, place))
        is_closer = self.units[within].closer == place
        is_object = self.units[within].text[-1] == "{"
        if is_object:
            count = left[within] = left.get(within, 0) + count
        comma = "" if unit.parent == before else ","
        if not count or (is_object and not is_closer):
            return f"{'' if is_closer else comma}{gap}"
        mark = f'"{counted(unit.mark[1:-1], count, "value")}"{":0" * is_object}'
        return f"{comma}{gap}{mark}{'' if is_closer else ','}{gap}"

    def _lacks(self, place: int, left: Mapping[int, int]) -> bool:
        """Say whether a unit closes an object of which something is left out."""
        within = self.units[place].parent
        if within is None or not left.get(within):
            return False
        return self.units[within].closer == place

    def all(self) -> CompressedSet:
        return self._set(
            self.texts,
            [[(0, len(text))] if text else [] for text in self.texts],
            [number for number, text in enumerate(self.texts) if text],
        )

    def result(self, shown: Shown) -> CompressedSet:
        pieces = dict(self._pieces(shown))
        numbers = range(len(self.texts))
        texts, spans = zip(*(pieces.get(number, ("", [])) for number in numbers), strict=True)
        return self._set(texts, spans, list(pieces))

    def nothing(self, budget: int) -> CompressedSet:
        """Get the mark alone, if that fits, so that a text does not look empty; of several none."""
        if len(self.texts) == 1 and self.units:
            found = self._set([self.units[0].mark], [()], [0])
            if found.tokens <= budget:
                return found
        return self.result({})

    def _set(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], shown: Sequence[int]
    ) -> CompressedSet:
        text = self.render([(self.titles[number], texts[number]) for number in shown])
        sizes, tokens = self._counted(texts, text)
        documents = tuple(
            Compressed(text, size, tuple(found), size / max(1, whole))
            for text, found, size, whole in zip(texts, spans, sizes, self.sizes, strict=True)
        )
        return CompressedSet(text, tokens, documents, tuple(shown), tokens / max(1, self.whole))
