"""Cut text at the end of a line, sentence or word, and mark the cut."""

from collections.abc import Iterator, Sequence

from lton.context.compress.kinds import split_into_units
from lton.context.compress.units import UnitList
from lton.context.cuts import word_ends


def iterate_cut_positions(text: str, *, words: bool = True) -> Iterator[Sequence[int]]:
    """Yield lists of offsets at which text may be cut: after sentences, and then after words.

    The first list contains the ends of sentences, lines, rows and statements outside of fences and
    JSON values. The second also has those inside, and with `words` the third has the ends of words.

    >>> text = "It rained. It must not rain again."
    >>> [[text[:end] for end in ends][:2] for ends in iterate_cut_positions(text)][1:]
    [['It rained.', 'It rained. It must not rain again.'], ['It', 'It rained.']]
    """
    units = split_into_units(UnitList(text), None)
    outer = []
    every = []
    until = -1
    for index, unit in enumerate(units):
        until = max(until, unit.closer or -1)
        if any(after.goes_on for after in units[index + 1 : index + 2]):
            continue
        every.append(unit.end)
        if index >= until:
            outer.append(unit.end)
    yield outer
    yield every
    if words:
        yield word_ends(text)


def cut_off(text: str, end: int, mark: str) -> str:
    """Cut text at `end` and append a mark unless only white space was omitted.

    >>> cut_off("It rained. It poured. ", 10, "[…]"), cut_off("It rained. ", 10, "[…]")
    ('It rained. […]', 'It rained.')
    """
    start = text[:end]
    if not mark or start.endswith(mark) or end >= len(text.rstrip()):
        return start
    return f"{start} {mark}"


def is_cut_off(start: str, text: str, mark: str) -> bool:
    """Return whether `start` is the start of `text`, cut off at an allowed offset and marked.

    >>> [is_cut_off(begun, "It rained. It poured.", "[…]") for begun in ("It rained.", "It […]")]
    [False, True]
    """
    end = len(start.removesuffix(f" {mark}"))
    return cut_off(text, end, mark) == start and any(
        end in ends for ends in iterate_cut_positions(text)
    )
