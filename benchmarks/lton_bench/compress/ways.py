"""The ways to shorten documents without a model: LTON, and simple methods."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from lton.context.compress import BM25, Unit, compress, compress_all
from lton.tokens.counting import Vocabulary
from lton_bench.compress.data import Place, Question


@dataclass(frozen=True, slots=True)
class Shortened:
    """A shortened document, and the places of its parts in the input."""

    text: str
    places: tuple[Place, ...]

    def has(self, place: Place) -> bool:
        """Return whether a place is shown completely."""
        number, start, end = place
        return any(at == number and low <= start and end <= high for at, low, high in self.places)


Way: TypeAlias = Callable[[Question, int, Vocabulary], Shortened]


def untitled(documents: Sequence[tuple[str, str]]) -> str:
    """Return the documents without titles, which no budget counts."""
    return "\n\n".join(text for _, text in documents)


def titled(documents: Sequence[tuple[str, str]]) -> str:
    """Return the documents with their titles."""
    return "".join(f"# {title}\n{text}\n\n" for title, text in documents)


def ours(
    question: Question,
    budget: int,
    vocabulary: Vocabulary,
    render: Callable[[Sequence[tuple[str, str]]], str] = untitled,
) -> Shortened:
    """Compress with the defaults of `lton.context.compress`."""
    found = compress_all(
        question.documents,
        budget=budget,
        counter=vocabulary,
        query=question.question or None,
        kinds=[question.kind or None] * len(question.documents),
        render=render,
    )
    places = [
        (number, start, end)
        for number, document in enumerate(found.documents)
        for start, end in document.spans
    ]
    return Shortened(found.text, tuple(places))


def ours_titled(question: Question, budget: int, vocabulary: Vocabulary) -> Shortened:
    """Compress with the titles, which are counted."""
    return ours(question, budget, vocabulary, titled)


def one_text(question: Question, budget: int, vocabulary: Vocabulary) -> Shortened:
    """Compress the documents with titles as one document, whose parts are not marked."""
    documents = question.documents
    text = titled(documents)
    ends = accumulate(len(titled([each])) for each in documents)
    starts = [end - len(each) - 2 for end, (_, each) in zip(ends, documents, strict=True)]
    found = compress(text, budget=budget, counter=vocabulary, query=question.question or None)
    return Shortened(
        found.text,
        tuple(
            (number, max(0, first - start), last - start)
            for first, last in found.spans
            for number, start in enumerate(starts)
            if start < last
        ),
    )


def sentences(question: Question, budget: int, vocabulary: Vocabulary) -> Shortened:
    """Take sentences (or turns) of the data by BM25 while they fit."""
    units = [
        Unit(start, end - start, question.documents[number][1])
        for number, start, end in question.units
    ]
    scores = BM25().score(units, question.question)
    order = sorted(range(len(units)), key=lambda at: (-scores[at], at))
    return _of_units(question, order, budget, vocabulary)


def truncation(question: Question, budget: int, vocabulary: Vocabulary) -> Shortened:
    """Cut the documents off at the budget."""
    whole = untitled(question.documents)
    text = b"".join(vocabulary.split(whole)[:budget]).decode(errors="ignore")
    sizes = [len(each) for _, each in question.documents]
    starts = accumulate((size + 2 for size in sizes[:-1]), initial=0)
    places = [
        (number, 0, min(size, len(text) - start))
        for number, (start, size) in enumerate(zip(starts, sizes, strict=True))
        if start < len(text)
    ]
    return Shortened(text, tuple(places))


def newest(question: Question, budget: int, vocabulary: Vocabulary) -> Shortened:
    """Take sentences (or turns) from the end, until one does not fit."""
    order = range(len(question.units) - 1, -1, -1)
    return _of_units(question, order, budget, vocabulary, is_run=True)


WAYS: dict[str, Way] = {
    "LTON": ours,
    "LTON, titles counted": ours_titled,
    "LTON, one text": one_text,
    "sentences by BM25 (RECOMP-like)": sentences,
    "truncation": truncation,
    "newest first": newest,
}


def _of_units(
    question: Question,
    order: Sequence[int],
    budget: int,
    vocabulary: Vocabulary,
    *,
    is_run: bool = False,
) -> Shortened:
    """Return units on lines, in the order of the input."""
    texts = [question.documents[number][1][start:end] for number, start, end in question.units]
    costs = [count.tokens + 1 for count in vocabulary.count_all(texts)]
    chosen = list(_fitting(order, costs, budget, is_run=is_run))
    while chosen:
        text = "\n".join(texts[at] for at in sorted(chosen))
        if vocabulary.count(text).tokens <= budget:
            return Shortened(text, tuple(question.units[at] for at in sorted(chosen)))
        chosen.pop()
    return Shortened("", ())


def _fitting(
    order: Sequence[int], costs: Sequence[int], budget: int, *, is_run: bool
) -> Iterator[int]:
    for at in order:
        if costs[at] <= budget:
            budget -= costs[at]
            yield at
        elif is_run:
            return
