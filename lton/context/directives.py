"""Read an author's directives for compression, in the text and in the front matter.

    :::pwo:pin                      :::pwo:compress ratio=0.25
    Never restart the primary.      How all this came about …
    :::                             :::

A line with the same number of colons ends a block. An outer block needs more colons than the blocks
inside it. All text in a pinned block is pinned. Elsewhere the innermost `ratio` applies. Lines in a
Markdown fence (three backticks or tildes), or with more than three spaces of indentation, are not
directives.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from lton._patterns import compiled_when_used
from lton.errors import Code, DecodeError

MOST_NESTED = 16  # The maximum nesting of blocks
_LINE = compiled_when_used(r"[^\n]*\n|[^\n]+")
_FENCE = compiled_when_used(r" {0,3}(?:(?P<ticks>`{3,})[^`]*|(?P<tildes>~{3,}).*)", re.DOTALL)
_COLONS = compiled_when_used(r" {0,3}(?P<colons>:{3,})(?P<rest>.*)", re.DOTALL)
_RATIO = compiled_when_used(r"ratio=(?P<ratio>\S+)")
_DECIMAL = compiled_when_used(r"(?:0?\.[0-9]{1,9}|1(?:\.0{1,9})?|0\.[0-9]{1,9})")
_FIELD = compiled_when_used(r"pwo-(?P<key>[\w-]+)[ \t]*:(?P<value>.*)", re.DOTALL)
DocumentRole: TypeAlias = Literal["core", "skills", "refs"]
ROLES: tuple[DocumentRole, ...] = ("core", "skills", "refs")  # The classes of documents


class Block(NamedTuple):
    """A part of a document, with the directives that apply to it."""

    start: int
    end: int
    pinned: bool
    ratio: float | None


class FrontMatter(NamedTuple):
    """The directives in a document's front matter. A missing field is None."""

    role: DocumentRole | None = None
    priority: int | None = None
    ratio: float | None = None


@dataclass(slots=True)
class _Open:
    colons: int
    at: int
    pinned: bool
    ratio: float | None


def read_directives(text: str) -> list[Block]:
    r"""Split a document into blocks and remove the lines that contain directives.

    Raises `DecodeError` (E705) at the line of an unknown directive, of invalid options, or of a
    block with as many colons as the outer block, and at the start of a block that is not closed.

    >>> text = "One.\n:::pwo:pin\nTwo.\n:::\n:::pwo:compress ratio=0.25\nThree.\n:::\n"
    >>> for block in read_directives(text):
    ...     print(repr(text[block.start : block.end]), block.pinned, block.ratio)
    'One.\n' False None
    'Two.\n' True None
    'Three.\n' False 0.25
    """
    if ":::" not in text:  # the usual case, and much faster
        return [Block(0, len(text), pinned=False, ratio=None)] if text else []
    reader = _Reader(text)
    for start, end in _iterate_line_spans(text):
        reader.read_line(start, end)
    if reader.around:
        raise reader.make_unclosed_block_error()
    return reader.blocks


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self.around: list[_Open] = []
        self.fence = ""

    def read_line(self, start: int, end: int) -> None:
        line = self.text[start:end].rstrip()
        if self.fence:
            is_closed = line.strip().strip(self.fence[0]) == "" and self.fence in line
            self.fence = "" if is_closed else self.fence
        elif fence := _FENCE.fullmatch(line):
            self.fence = fence["ticks"] or fence["tildes"]
        elif (colons := _COLONS.fullmatch(line)) and self.is_directive(colons, start):
            return
        inner = self.around[-1] if self.around else _Open(0, 0, pinned=False, ratio=None)
        block = Block(start, end, inner.pinned, inner.ratio)
        before = self.blocks[-1] if self.blocks else None
        if before is not None and before[1:] == (start, *block[2:]):
            block = before._replace(end=end)
            self.blocks.pop()
        self.blocks.append(block)

    def is_directive(self, line: re.Match[str], at: int) -> bool:
        """Open or close a block if a line is a directive. Return whether it is one."""
        colons = len(line["colons"])
        content = line["rest"]
        if not content:
            return self.try_close_block(colons)
        if self.around and colons >= self.around[-1].colons:
            raise self.make_error("expected fewer colons than the enclosing block has", at)
        if not content.startswith("pwo:"):
            return False
        if len(self.around) == MOST_NESTED:
            raise self.make_error(f"expected at most {MOST_NESTED} nested blocks", at)
        name, _, options = content.removeprefix("pwo:").partition(" ")
        around = self.around[-1] if self.around else None
        pinned, ratio = (around.pinned, around.ratio) if around else (False, None)
        match name, options.strip():
            case "pin", "":
                self.around.append(_Open(colons, at, pinned=True, ratio=None))
            case "compress", "":
                self.around.append(_Open(colons, at, pinned, ratio))
            case "compress", setting if match := _RATIO.fullmatch(setting):
                self.around.append(_Open(colons, at, pinned, self.read_ratio(match["ratio"], at)))
            case _:
                expected = "pwo:pin, pwo:compress or pwo:compress ratio=0.25"
                raise self.make_error(f"expected {expected}, found {content[:60]!r}", at)
        return True

    def try_close_block(self, colons: int) -> bool:
        """Close the innermost block if the line has enough colons. Return whether it was closed."""
        if not self.around or colons < self.around[-1].colons:
            return False
        if any(block.colons <= colons for block in self.around[:-1]):
            raise self.make_unclosed_block_error()
        self.around.pop()
        return True

    def read_ratio(self, text: str, at: int) -> float:
        if (ratio := _try_parse_ratio(text)) is None:
            raise self.make_error(f"expected a ratio above 0, up to 1, found {text[:60]!r}", at)
        return ratio

    def make_unclosed_block_error(self) -> DecodeError:
        block = self.around[-1]
        expected = f"expected a line of {block.colons} colons that ends this block"
        return self.make_error(expected, block.at)

    def make_error(self, msg: str, at: int) -> DecodeError:
        return DecodeError(Code.DIRECTIVE, msg, doc=self.text, pos=at)


def read_front_matter(text: str) -> FrontMatter:
    r"""Read `pwo-class`, `pwo-priority` and `pwo-ratio` from the front matter of a document.

    Front matter is between a first line `---` and the next such line. Its other fields are ignored.
    Raises `DecodeError` (E705) at an invalid field.

    >>> read_front_matter("---\ntitle: How to\npwo-class: skills\npwo-ratio: 0.5\n---\nFirst, …")
    FrontMatter(role='skills', priority=None, ratio=0.5)
    """
    lines = _iterate_line_spans(text)
    first = next(lines, (0, 0))
    if text[slice(*first)].rstrip() != "---":
        return FrontMatter()
    fields: dict[str, tuple[str, int]] = {}
    for start, end in lines:
        line = text[start:end].rstrip()
        if line == "---":
            return _directives_in(text, fields)
        if field := _FIELD.fullmatch(line):
            if field["key"] in fields:
                raise DecodeError(Code.DIRECTIVE, "expected each field once", doc=text, pos=start)
            fields[field["key"]] = field["value"].strip(), start
    return FrontMatter()


def _directives_in(text: str, entries: dict[str, tuple[str, int]]) -> FrontMatter:
    fields = FrontMatter()
    for key, (value, at) in entries.items():
        match key:
            case "class" if role := next((name for name in ROLES if name == value), None):
                fields = fields._replace(role=role)
            case "priority" if re.fullmatch(r"[0-9]{1,6}", value):
                fields = fields._replace(priority=int(value))
            case "ratio" if (ratio := _try_parse_ratio(value)) is not None:
                fields = fields._replace(ratio=ratio)
            case _:
                expected = "pwo-class (core, skills, refs), pwo-priority (0 to 999999), pwo-ratio"
                msg = f"expected {expected} (above 0, up to 1), found 'pwo-{key}: {value}'"
                raise DecodeError(Code.DIRECTIVE, msg[:300], doc=text, pos=at)
    return fields


def _try_parse_ratio(text: str) -> float | None:
    return (float(text) or None) if _DECIMAL.fullmatch(text) else None


def _iterate_line_spans(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _LINE.finditer(text))
