"""Sentences and paragraphs, in scripts that have spaces and in those that have none."""

from collections.abc import Iterator

from lton._patterns import compiled_when_used
from lton.context.compress.units import UnitList, outside, quoted, trimmed

_ENDS = compiled_when_used(
    r"\n[^\S\n]*\n"  # a paragraph ends
    r"|[\n\r]"
    r"|[.!?…]+[\"'”’»)\]]*(?=\s)"  # noqa: RUF001
    r"|[。！？｡؟।۔።]+[”’」』）】\"']*"  # noqa: RUF001 - the full stops of others
)
_WORD_BEFORE = compiled_when_used(r"[^\s(\[\"'“‘]+$")  # noqa: RUF001
_SHORT = frozenset(
    "mr mrs ms dr prof rev hon st sr jr gen col capt lt sgt gov sen rep pres no nos vol vols p pp"
    " fig figs eq eqs ch sec art ed eds vs v cf ca approx al etc e.g i.e eg ie inc ltd co corp bros"
    " dept est univ jan feb mar apr jun jul aug sep sept oct nov dec bzw usw z.b d.h nr bd mme mlle"
    " av sra dra ud ing abs ziff nrn vgl ggf evtl inkl zzgl bspw sog tel mio mrd jh jhd chr hr fr"
    " okt dez env chap ej núm pág sig ecc pag bijv enz blz np tzw".split()
)
"""What ends with a full stop and ends no sentence."""
_STARTERS = frozenset(
    "The A An He She It They We I You His Her Its Their Our This That These Those In On At After"
    " Before When While However But And As For From There Then".split()
)
_ORDINAL = compiled_when_used(r"(?:^|[^\w.,])(?:\d{1,3}|[IVXLC]{2,7})$")
"""A number that may count: "am 3. Mai", "im 19. Jahrhundert", "Ludwig XIV."."""
_FULL = 60
"""A line of so many characters that has no full stop may go on in the next one."""
_LIMIT = 40


def add_prose(units: UnitList, start: int, end: int, parent: int | None = None) -> None:
    """Add the sentences between."""
    text = units.text
    ends = outside(_sentence_ends(text, start, end), quoted(text, start, end))
    for stop in ends:
        _add(units, start, stop, parent)
        start = stop
    _add(units, start, end, parent)


def _add(units: UnitList, start: int, end: int, parent: int | None) -> None:
    start, end = trimmed(units.text, start, end)
    if start < end:
        units.add_text(start, end, parent)


def _sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Get the offsets after full stops that end a sentence, and after lines that end."""
    line = start
    for found in _ENDS.finditer(text, start, end):
        mark = found[0]
        if mark[0] == "\n" or mark[0] == "\r":
            at = found.start()
            if len(mark) > 1 or _line_ends(text, line, at, end):
                yield at
            line = found.end()
        elif mark[0] != "." or _stops(text, found.start(), found.end()):
            yield found.end()


def _line_ends(text: str, start: int, at: int, end: int) -> bool:
    """Say whether a sentence ends with a line: it is short, or what follows begins anew."""
    after = text[at + 1 : min(end, at + _LIMIT)].lstrip()[:1]
    return not after.islower() and (at - start < _FULL or not (after.isalnum() or after in "\"'("))


def _stops(text: str, at: int, end: int) -> bool:
    """Say whether a full stop ends a sentence, and no abbreviation."""
    after = text[end : end + _LIMIT].lstrip()
    if after[:1].islower():
        return False
    before = _WORD_BEFORE.search(text[max(0, at - _LIMIT) : at])
    word = before[0] if before else ""
    is_short = word.lower() in _SHORT or (len(word) == 1 and word.isalpha())
    is_initials = len(word) > 1 and word[-2:-1] == "." and word[-1].isalpha()
    if is_initials or _ORDINAL.search(word):
        return bool(after) and after.split(maxsplit=1)[0] in _STARTERS
    return not is_short
