"""Where a text is cut off: after a whole sentence, line, row or statement, and with a mark.

Only where no whole one fits is a text cut off after a word of a sentence; the mark says so.
"""

from collections.abc import Iterator, Sequence

from lton.context.compress.kinds import split
from lton.context.compress.units import UnitList
from lton.context.cuts import word_ends


def ends_of(text: str, *, words: bool = True) -> Iterator[Sequence[int]]:
    """Get the offsets at which a text may be cut off, in lists, the best list first.

    First the ends of whole sentences, lines, rows, statements that nothing is open at; then also
    those within long fences and values of JSON; then, with `words`, the ends of words.

    >>> text = "It rained. It must not rain again."
    >>> [[text[:end] for end in ends][:2] for ends in ends_of(text)][1:]
    [['It rained.', 'It rained. It must not rain again.'], ['It', 'It rained.']]
    """
    units = split(UnitList(text), None)
    outer, every, until = [], [], -1
    for place, unit in enumerate(units):
        until = max(until, unit.closer or -1)
        if any(after.goes_on for after in units[place + 1 : place + 2]):
            continue
        every.append(unit.end)
        if place >= until:
            outer.append(unit.end)
    yield outer
    yield every
    if words:
        yield word_ends(text)


def cut_off(text: str, end: int, mark: str) -> str:
    """Get a beginning of a text with a mark behind it, if anything but space is left out.

    >>> cut_off("It rained. It poured. ", 10, "[…]"), cut_off("It rained. ", 10, "[…]")
    ('It rained. […]', 'It rained.')
    """
    begun = text[:end]
    if not mark or begun.endswith(mark) or end >= len(text.rstrip()):
        return begun
    return f"{begun} {mark}"


def is_cut_off(begun: str, text: str, mark: str) -> bool:
    """Say whether a text is a beginning of another, cut off where it may be and marked.

    >>> [is_cut_off(begun, "It rained. It poured.", "[…]") for begun in ("It rained.", "It […]")]
    [False, True]
    """
    end = len(begun.removesuffix(f" {mark}"))
    return cut_off(text, end, mark) == begun and any(end in ends for ends in ends_of(text))
