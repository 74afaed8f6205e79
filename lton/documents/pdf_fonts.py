"""Read the text of a PDF page, font by font.

A font need not say which characters its glyphs are. Its text is rubbish that looks like text:
control characters, code points that are not assigned, letters of scripts that nobody mixes. Text of
such fonts is counted, and not shown.

Two facts about fonts are told to pypdf before it reads, because it guesses otherwise (7.1): a named
encoding decides, and not the encoding inside of the embedded program; and a font without a space
has no width of a space, so that gaps between its words are found.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, pairwise
from typing import Any

from lton._require import require
from lton.documents.layout import count_characters

_MOST_ODD = 0.05  # the share of characters on a page that no text contains
_MOST_ODD_OF_FONT = 0.5  # a table of characters may lack a few
_MOST_MIXED = 0.10  # the share of neighbouring letters that are of scripts that nobody mixes
_FEWEST = 20  # letters on which a judgement of scripts is based
_ODD = frozenset(["Cc", "Cn", "Co", "Cs"])
_PRIVATE = "Co"
_EAST_ASIAN = frozenset(
    "BOPOMOFO CJK FULLWIDTH HALFWIDTH HANGUL HIRAGANA IDEOGRAPHIC KANGXI KATAKANA "
    "KATAKANA-HIRAGANA".split()
)
"""Scripts that are written next to each other in one word."""
_ANY_SCRIPT = frozenset(
    "ANGSTROM BLACK-LETTER DOUBLE-STRUCK FEMININE KELVIN MASCULINE MATHEMATICAL MICRO MODIFIER "
    "OHM PLANCK SCRIPT SUBSCRIPT SUPERSCRIPT".split()
)
"""First words of the names of letters that may be next to letters of any script."""
_PROGRAMS = ("/FontFile", "/FontFile3")
_SPACE = 32
_TO_SPACE = re.compile(rb">\s*<0020>\s*(?:[\r\n]|endbf|$)")
"""A row of a Unicode table whose character is a space."""
_DEEPEST = 8  # forms inside of forms


def read_page_and_missing_count(page: Any) -> tuple[str, int]:
    """Return the text of a page, and how many characters have fonts that do not say what they are.

    Fonts are judged strictly only on a page that is rubbish otherwise.
    """
    _prepare_fonts(page.get("/Resources"), set(), 0)
    pieces: list[tuple[str, Any]] = []

    def add_piece(text: str, _form: Any, _place: Any, font: Any, _size: Any) -> None:
        pieces.append((text, font))

    page.extract_text(visitor_text=add_piece)
    unknown = _find_unknown_fonts(pieces, _is_mostly_odd)
    if is_rubbish(_join_text_without_fonts(pieces, unknown)):
        unknown = _find_unknown_fonts(pieces, is_rubbish)
    text = _join_text_without_fonts(pieces, unknown)
    if is_rubbish(text):
        text = ""
    return text, count_characters("".join(text for text, _ in pieces)) - count_characters(text)


def _find_unknown_fonts(
    pieces: list[tuple[str, Any]], is_unreadable: Callable[[str], bool]
) -> set[int]:
    """Return the fonts of a page that do not say which characters their glyphs are."""
    texts: dict[int, list[str]] = defaultdict(list)
    for text, font in pieces:
        texts[id(font)].append(text)
    lacking = {id(font) for _, font in pieces if _lacks_characters(font)}
    return lacking | {
        font for font, pieces_of_font in texts.items() if is_unreadable("".join(pieces_of_font))
    }


def _join_text_without_fonts(pieces: list[tuple[str, Any]], fonts: set[int]) -> str:
    return "".join(text for text, font in pieces if id(font) not in fonts)


def is_rubbish(text: str) -> bool:
    r"""Return whether a text is glyph numbers, and not characters.

    A single sign of private use is a bullet.

    >>> is_rubbish("Five gauges."), is_rubbish("\x01\x02$\x05 \x03\x04"), is_rubbish("\uf0b7 tea")
    (False, True, False)
    """
    return _share_of_odd(text) > _MOST_ODD or _mixes_scripts(text)


def _is_mostly_odd(text: str) -> bool:
    return _share_of_odd(text) > _MOST_ODD_OF_FONT


def _share_of_odd(text: str) -> float:
    """Return the share of characters that no text contains."""
    signs = "".join(word for word in text.split() if not _is_bullet(word))
    odd = sum(unicodedata.category(sign) in _ODD or sign == "\ufffd" for sign in signs)
    return odd / max(1, len(signs))


def _is_bullet(word: str) -> bool:
    return len(word) == 1 and unicodedata.category(word) == _PRIVATE


def _mixes_scripts(text: str) -> bool:
    """Return whether the letters of words often belong to different scripts."""
    neighbours = chain.from_iterable(map(pairwise, text.split()))
    scripts = [
        (_script_of_letter(first), _script_of_letter(second)) for first, second in neighbours
    ]
    recognized = [(first, second) for first, second in scripts if first and second]
    mixed = sum(first != second for first, second in recognized)
    return len(recognized) >= _FEWEST and mixed > _MOST_MIXED * len(recognized)


@cache
def _script_of_letter(letter: str) -> str:
    """Return the script of a letter, or an empty string for a character of no script."""
    if not letter.isalpha():
        return ""
    name = unicodedata.name(letter, "").partition(" ")[0]
    if name in _EAST_ASIAN:
        return "CJK"
    return "" if name in _ANY_SCRIPT else name


def _lacks_characters(font: Any) -> bool:
    """Return whether a font has only numbers of glyphs, and no table of their characters."""
    if font is None or font.get("/Subtype") != "/Type0" or "/ToUnicode" in font:
        return False
    return str(font.get("/Encoding", "")).startswith("/Identity")


def _prepare_fonts(resources: Any, seen: set[int], depth: int) -> None:
    """Tell pypdf two facts about the fonts of a page, and of the forms that it contains."""
    resources = _resolve_reference(resources)
    if not isinstance(resources, dict) or id(resources) in seen or depth > _DEEPEST:
        return
    seen.add(id(resources))
    for font in _iterate_values(resources.get("/Font")):
        _drop_program(font)
        _drop_width_of_space(font)
    for form in _iterate_values(resources.get("/XObject")):
        _prepare_fonts(form.get("/Resources"), seen, depth + 1)


def _resolve_reference(reference: Any) -> Any:
    """Return the object to which a reference of a PDF file points, or the object itself."""
    return reference.get_object() if hasattr(reference, "get_object") else reference


def _iterate_values(group: Any) -> Iterator[Any]:
    """Yield the members of a dictionary that are dictionaries, too."""
    group = _resolve_reference(group)
    for name in group if isinstance(group, dict) else ():
        member = _resolve_reference(group[name])
        if isinstance(member, dict):
            yield member


def _drop_program(font: Any) -> None:
    """Remove the embedded program of a font whose encoding has a name."""
    descriptor = _resolve_reference(font.get("/FontDescriptor"))
    is_named = isinstance(_resolve_reference(font.get("/Encoding")), str)
    if is_named and font.get("/Subtype") == "/Type1" and isinstance(descriptor, dict):
        for name in _PROGRAMS:
            descriptor.pop(name, None)


def _drop_width_of_space(font: Any) -> None:
    """Set the width of the glyph 32 to 0 if the font has no space, because it is another sign."""
    table = _resolve_reference(font.get("/ToUnicode"))
    if font.get("/Subtype") != "/Type0" or not hasattr(table, "get_data"):
        return
    if _TO_SPACE.search(table.get_data()):
        return
    generic = require("pypdf.generic", "context")
    for below in map(_resolve_reference, _resolve_reference(font.get("/DescendantFonts")) or ()):
        widths = _resolve_reference(below.get("/W"))
        if isinstance(widths, list):
            none = generic.ArrayObject([generic.NumberObject(0)])
            widths += [generic.NumberObject(_SPACE), none]
