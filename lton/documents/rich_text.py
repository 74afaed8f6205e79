r"""Read Rich Text Format (RTF): text, notes and tables, in any code page.

A document is groups `{…}` of control words `\word5`, control symbols, and characters. Some control
words at the start of a group make it a *destination*: text that is not shown (fonts, pictures,
fields' instructions), or that is shown elsewhere (notes, headers). A destination after `\*` may be
ignored if it is not known.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lton.documents.layout import BULLET, count_characters, iterate_joined_rows, write_missing_note

_LEXEME = re.compile(
    rb"\\(?:([A-Za-z]{1,32})(-?[0-9]{1,10})?[ ]?|'([0-9A-Fa-f]{2})|([^A-Za-z]))|([{}])"
    rb"|[\r\n]+|([^\\{}\r\n]+)",
    re.DOTALL,
)
_SIGNS = {
    "tab": "\t", "line": "\n", "emdash": "\u2014", "endash": "\u2013", "bullet": "\u2022",
    "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c", "rdblquote": "\u201d",
    "emspace": "\u2003", "enspace": "\u2002", "qmspace": "\u2005",
    "~": "\u00a0", "_": "-", "\n": "\n", "\r": "\n",
}  # fmt: skip
"""Control words and symbols that are characters."""
_ENDS = {
    "par": "paragraph", "page": "paragraph", "sect": "paragraph", "column": "paragraph",
    "cell": "cell", "nestcell": "cell", "row": "row", "nestrow": "row",
}  # fmt: skip
"""What control words end."""
_UNSEEN = frozenset(
    "aftncn aftnsep aftnsepc atnauthor atndate atnicn atnid atnparent atnref atntime atrfend "
    "atrfstart author bkmkend bkmkstart category colorschememapping colortbl comment company "
    "creatim datafield datastore defchp defpap doccomm docvar expandedcolortbl falt fchars "
    "ffdeftext fldinst fldtitle fldtype fontemb fontfile fonttbl formfield ftncn ftnsep ftnsepc "
    "generator hlinkbase htmltag info keywords latentstyles lchars levelnumbers "
    "leveltext list listlevel listname listoverride listoverridetable listpicture listtable "
    "listtag manager mhtmltag mmathPr nesttableprops nonshppict objclass objdata objname "
    "operator panose password pgdscno pgdsctbl pgptbl picprop pict pn pnseclvl pntxta pntxtb "
    "printim private protusertbl rdf revtbl revtim rsidtbl shprslt sn sp stylesheet subject "
    "sv template themedata title userprops wgrffmtfilter xmlns xmlnstbl".split()
)
"""Destinations whose text is not text of the document, or is there a second time."""
_ENTRIES = frozenset("rxe tc tcn txe xe".split())
"""Destinations with entries of an index or of a table of contents, which are not shown."""
_SEEN = frozenset("annotation shpgrp shpinst shppict shptxt ud".split())
"""Destinations that are read although programs may ignore them."""
_UNKNOWN = "character of an unknown part"
_ENTRY = "character of an entry of an index"
_NOTES = {"footnote": "[^{}]", "annotation": "[comment {}]"}
_REPEATED = frozenset("header headerl headerr headerf footer footerl footerr footerf".split())
_LABELS = frozenset(["listtext", "pntext"])
"""Destinations with the number or the bullet of an item, as it is shown."""
_CODE_PAGES = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850", "ansi": "cp1252"}
_CHARACTER_SETS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "big5",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257",
    204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp437",
}  # fmt: skip
"""The code pages of fonts by their number in the table of fonts."""


def iterate_rich_text_lines(content: bytes) -> Iterator[str]:
    """Yield the text of a document, as one page."""
    reader = _Reader(content)
    reader.read_text()
    yield "\n".join([*reader.iterate_lines(), *write_missing_note(reader.amounts)])


@dataclass
class _Flow:
    """A text that is read in order: the document itself, a note, or a header."""

    lines: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)  # the cells of the current row of a table
    pieces: list[str] = field(default_factory=list)  # the current paragraph or cell

    def end_paragraph(self, *, in_table: bool) -> None:
        if in_table:
            self.pieces.append(" ")
            return
        self.end_row()
        text = "".join(self.pieces)
        self.pieces.clear()
        if text.strip():
            self.lines.append(text)

    def end_cell(self) -> None:
        self.cells.append("".join(self.pieces))
        self.pieces.clear()

    def end_row(self) -> None:
        if self.cells:
            self.lines += iterate_joined_rows([self.cells])
            self.cells = []

    def take_text(self) -> str:
        self.end_paragraph(in_table=False)
        whole = "\n".join(self.lines)
        # Characters beyond U+FFFF are written as two numbers.
        return whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(frozen=True)
class _Group:
    """What a group inherits from the group around it."""

    flow: _Flow
    is_shown: bool = True
    unseen: str = ""  # what the text of a destination is, which is counted
    is_deleted: bool = False
    is_fonts: bool = False  # in the table of fonts
    in_table: bool = False
    is_label: bool = False  # in the number or the bullet of an item
    code_page: str | None = None  # of the font, or None for the document's
    fallback: int = 1  # the number of characters that replace a character of Unicode


class _Reader:
    """Reads the groups of a document."""

    def __init__(self, content: bytes) -> None:
        self.amounts: Counter[str] = Counter()
        self._content = content
        self._main = _Flow()
        self._group = _Group(self._main)
        self._outer: list[_Group] = []
        self._code_page = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font = 0  # the font that the table of fonts describes
        self._bytes = b""  # bytes of text that are not decoded yet
        self._skipped = 0  # characters to skip after a character of Unicode
        self._may_ignore = False  # after `\*`
        self._counts: Counter[str] = Counter()  # of notes, by their kind
        self._notes: list[tuple[str, _Flow]] = []
        self._repeated: list[tuple[str, _Flow]] = []

    def iterate_lines(self) -> Iterator[str]:
        for kind, flow in self._repeated:
            if kind.startswith("header") and (text := flow.take_text()):
                yield f"[Header: {text}]"
        yield self._main.take_text()
        for kind, flow in self._repeated:
            if kind.startswith("footer") and (text := flow.take_text()):
                yield f"[Footer: {text}]"
        for mark, flow in self._notes:
            yield f"{mark}: {flow.take_text()}"

    def read_text(self) -> None:
        position = 0
        while lexeme := _LEXEME.match(self._content, position):
            position = lexeme.end()
            word, number, code, symbol, brace, text = lexeme.groups()
            if text is not None:
                self._add_bytes(text)
            elif code is not None:
                self._add_bytes(bytes.fromhex(code.decode()))
            elif brace is not None:
                self._decode_bytes()
                self._change_nesting(opens=brace == b"{")
            elif word == b"bin":
                position += max(int(number or 0), 0)
            elif word is not None:
                self._decode_bytes()
                self._apply_control_word(word.decode(), int(number) if number else None)
            elif symbol is not None:
                self._apply_symbol(symbol)
        self._decode_bytes()

    def _change_nesting(self, *, opens: bool) -> None:
        self._skipped = 0
        self._may_ignore = False
        if opens:
            self._outer.append(self._group)
        elif self._outer:
            closed, self._group = self._group, self._outer.pop()
            if closed.is_label and not self._group.is_label:
                self._add_label("".join(closed.flow.pieces).strip())

    def _add_label(self, text: str) -> None:
        """Add the label of an item. A bullet may be any sign of any font."""
        is_number = any(map(str.isalnum, text))
        self._add_text(f"{text if is_number else BULLET} ")

    def _apply_symbol(self, symbol: bytes) -> None:
        if symbol in b"\\{}":
            self._add_bytes(symbol)
            return
        self._decode_bytes()
        if symbol == b"*":
            self._may_ignore = True
        else:
            self._add_text(_SIGNS.get(symbol.decode("latin-1"), ""))

    def _add_bytes(self, text: bytes) -> None:
        skipped = min(self._skipped, len(text))
        self._skipped -= skipped
        self._bytes += text[skipped:]

    def _decode_bytes(self) -> None:
        """Add the bytes of text that were read, in the code page of their font."""
        if self._bytes:
            waiting, self._bytes = self._bytes, b""
            self._add_text(waiting.decode(self._group.code_page or self._code_page, "replace"))

    def _add_text(self, text: str) -> None:
        if self._group.is_shown and not self._group.is_deleted:
            self._group.flow.pieces.append(text)
        elif self._group.unseen:
            self.amounts[self._group.unseen] += count_characters(text)

    def _apply_control_word(self, word: str, number: int | None) -> None:
        """Apply a control word to the current group."""
        may_ignore, self._may_ignore = self._may_ignore, False
        is_hidden = word in _UNSEEN | _ENTRIES or (may_ignore and word not in _SEEN)
        if word in _NOTES or word in _REPEATED:
            self._begin_flow(word)
        elif word in _LABELS:
            self._group = replace(self._group, flow=_Flow(), is_label=True)
        elif is_hidden:
            self._hide_group(word)
        elif word in _SIGNS:
            self._add_text(_SIGNS[word])
        elif word == "u" and number is not None:
            self._add_text(chr(number % 0x10000))
            self._skipped = self._group.fallback
        elif word in _ENDS:
            self._end_element(_ENDS[word])
        else:
            self._set_property(word, number)

    def _hide_group(self, word: str) -> None:
        """Show no text of the current group, whose destination a word names."""
        if word == "pict" and self._group.is_shown:
            self.amounts["picture without text"] += 1
        unseen = _ENTRY if word in _ENTRIES else _UNKNOWN
        is_open = self._group.is_shown or bool(self._group.unseen)
        self._group = replace(
            self._group,
            is_shown=False,
            unseen=unseen if is_open and word not in _UNSEEN else "",
            is_fonts=word == "fonttbl",
        )

    def _end_element(self, what: str) -> None:
        """End a paragraph, a cell or a row."""
        flow = self._group.flow
        if not self._group.is_shown:
            return
        if what == "cell":
            flow.end_cell()
        elif what == "row":
            flow.end_row()
        else:
            flow.end_paragraph(in_table=self._group.in_table)

    def _set_property(self, word: str, number: int | None) -> None:
        """Change a property of the following text."""
        change = _group_changes(word, number)
        if change:
            self._group = replace(self._group, **change)
        elif word == "ansicpg":
            self._code_page = _known_code_page(f"cp{number}")
        elif word in _CODE_PAGES:
            self._code_page = _CODE_PAGES[word]
        elif word in ("f", "fcharset"):
            self._set_font(word, number)

    def _set_font(self, word: str, number: int | None) -> None:
        """Choose a font; in the table of fonts, set the code page of its character set."""
        if word == "f" and self._group.is_fonts:
            self._font = number or 0
        elif word == "f":
            self._group = replace(self._group, code_page=self._fonts.get(number or 0))
        elif self._group.is_fonts and number in _CHARACTER_SETS:
            self._fonts[self._font] = _CHARACTER_SETS[number]

    def _begin_flow(self, word: str) -> None:
        """Let the group write to a note, whose mark is put into the text, or to a header."""
        if not self._group.is_shown:
            return
        flow = _Flow()
        if word in _NOTES:
            self._counts[word] += 1
            mark = _NOTES[word].format(self._counts[word])
            self._add_text(mark)
            self._notes.append((mark, flow))
        else:
            self._repeated.append((word, flow))
        self._group = replace(self._group, flow=flow, in_table=False)


def _known_code_page(name: str) -> str:
    try:
        "".encode(name)
    except LookupError:
        return "cp1252"
    return name


def _group_changes(word: str, number: int | None) -> dict[str, Any]:
    """Return the properties of a group that a control word sets."""
    match word:
        case "pard":
            return {"in_table": False}
        case "intbl":
            return {"in_table": True}
        case "plain":
            return {"is_deleted": False}
        case "deleted":
            return {"is_deleted": number != 0}
        case "uc" if number is not None:
            return {"fallback": max(number, 0)}
    return {}
