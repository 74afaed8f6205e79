"""Count the tokens of data sets in every format, by every tokenizer.

A unit is written at once: the calls of a turn, an answer, or the definitions of some tools. Each
worker writes and counts a share of the units of a data set, and returns matrices of units by
tokenizers. `stats` computes the figures.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from multiprocessing import get_context
from typing import Any, TypeAlias

from lton.schema import ToolSet
from lton.tokens import counter
from lton.tokens.counting import Vocabulary
from lton_bench.tokens.answers import ANSWER_FORMATS
from lton_bench.tokens.datasets import datasets
from lton_bench.tokens.formats import FORMATS
from lton_bench.tokens.pieces import Answer, Definition, Piece, Shown, Turn, text_of, value
from lton_bench.tokens.shown import SHOWN_FORMATS

Unit: TypeAlias = Turn | Answer | Shown
Counts: TypeAlias = tuple[int, ...]
"""Counts by tokenizer."""

SHARE = 250
"""The number of units that a worker processes at once."""
SPLITTER = "o200k"
"""The tokenizer whose tokens are divided by role."""


@dataclass(slots=True)
class Measured:
    """Tokens of some units: by format, unit and tokenizer; and by format and role.

    The value is None if a format cannot write the unit.
    """

    counts: dict[str, list[Counts | None]] = field(default_factory=lambda: defaultdict(list))
    roles: dict[str, dict[str, float]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(float))
    )

    def add(self, other: "Measured") -> None:
        for name, counts in other.counts.items():
            self.counts[name] += counts
        for name, roles in other.roles.items():
            for role, tokens in roles.items():
                self.roles[name][role] += tokens


@dataclass(frozen=True, slots=True)
class Share:
    """Some units of a data set: the user's (`own`), or a range of numbers."""

    dataset: str
    first: int
    last: int
    own: tuple[Unit, ...] = ()


def shares(dataset: str, size: int, own: Sequence[Unit] = ()) -> list[Share]:
    """Split a data set into shares for workers."""
    return [
        Share(dataset, first, min(first + SHARE, size), tuple(own[first : first + SHARE]))
        for first in range(0, size, SHARE)
    ]


def measure(
    work: Sequence[Share],
    tokenizers: Sequence[str],
    *,
    processes: int = 2,
    progress: Callable[[], None] = lambda: None,
) -> dict[str, Measured]:
    """Return the tokens of each data set. `progress` is called after each share."""
    # Not forked: the tokenizers of Hugging Face have threads.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(_measure_share, share, tuple(tokenizers)) for share in work]
        for future in as_completed(futures):
            future.result()  # raises what a worker raised
            progress()
    by_set: dict[str, Measured] = defaultdict(Measured)
    for share, future in zip(work, futures, strict=True):
        by_set[share.dataset].add(future.result())
    return dict(by_set)


@lru_cache(maxsize=1)  # the shares of a data set come one after the other
def units(dataset: str) -> tuple[Unit, ...]:
    """Return all units of a data set."""
    return tuple(datasets()[dataset].load())


def _measure_share(share: Share, tokenizers: tuple[str, ...]) -> Measured:
    measured = Measured()
    some = share.own or tuple(islice(units(share.dataset), share.first, share.last))
    formatted = [dict(write(unit)) for unit in some]
    texts = {text_of(pieces) for unit in formatted for pieces in unit.values() if pieces}
    tokens = _count(sorted(texts), tokenizers)
    for unit in formatted:
        for name, pieces in unit.items():
            measured.counts[name].append(_count_pieces(pieces, tokens, len(tokenizers)))
            if isinstance(some[0], Turn) and SPLITTER in tokenizers:
                _share_out(pieces or (), measured.roles[name])
    return Measured(dict(measured.counts), {k: dict(v) for k, v in measured.roles.items()})


def write(unit: Unit) -> Iterator[tuple[str, Sequence[Piece] | None]]:
    """Yield a unit in each format of its kind."""
    match unit:
        case Turn(calls, tools):
            toolset = _toolset(tools)
            for form in FORMATS:
                yield form.name, form.write(calls, toolset)
        case Answer():
            for row in ANSWER_FORMATS:
                text = row.write(unit)
                yield row.name, None if text is None else [value(text)]
        case Shown(tools):
            for shown_format in SHOWN_FORMATS:
                yield shown_format.name, [value(shown_format.write(tools))]


_toolsets: dict[int, tuple[tuple[Definition, ...], ToolSet]] = {}


def _toolset(tools: tuple[Definition, ...]) -> ToolSet:
    """Compile the tools of a turn; the turns of a conversation share one tuple."""
    if id(tools) not in _toolsets:
        if len(_toolsets) >= SHARE:
            _toolsets.clear()
        _toolsets[id(tools)] = tools, ToolSet.from_tools(tools)
    return _toolsets[id(tools)][1]


_known: dict[str, Counts] = {}
"""Counts of earlier strings, which often repeat in data sets with and without optionals."""


def _count(texts: Sequence[str], tokenizers: Sequence[str]) -> dict[str, Counts]:
    new = [text for text in texts if text not in _known]
    columns = [[count.tokens for count in counter(name).count_all(new)] for name in tokenizers]
    _known.update(zip(new, zip(*columns, strict=True), strict=True))
    return _known


def _count_pieces(
    pieces: Sequence[Piece] | None, tokens: dict[str, Counts], width: int
) -> Counts | None:
    if pieces is None:
        return None
    return tokens[text_of(pieces)] if pieces else (0,) * width


@lru_cache(maxsize=4096)
def _split(text: str) -> tuple[int, ...]:
    splitter: Any = counter(SPLITTER)
    vocabulary: Vocabulary = splitter
    return tuple(map(len, vocabulary.split(text)))


def _share_out(pieces: Sequence[Piece], roles: dict[str, float]) -> None:
    """Divide each token among the roles of its bytes."""
    sizes = iter(_split(text_of(pieces)))
    whole = remaining = next(sizes, 0)
    for text, role in pieces:
        size = len(text.encode())
        while size:
            overlap = min(size, remaining)
            roles[role] += overlap / whole
            size -= overlap
            remaining -= overlap
            if not remaining:
                whole = remaining = next(sizes, 0)
