"""Parse values in LTON, JSON or Python notation as a tree, without a schema.

*Theory of operation.* This module does not use types. The tree keeps the spelling of each scalar,
and departures from LTON are recorded as repairs. `_coerce` determines the meaning of the tree. The
length of a counted string is never guessed. A wrong length raises `WrongLength`, and the caller
tries the possible lengths.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from lton._patterns import compiled_when_used
from lton._syntax import (
    ATOM,
    COUNTED,
    ENDS_VALUE,
    FENCE,
    MAX_COUNT_DIGITS,
    MAX_DEPTH,
    NAME,
    NAME_CLASS,
    NULL_ATOM,
    QUOTES,
    SEPARATOR,
    SKIP,
)
from lton.codec._decode import read_value
from lton.errors import Code, DecodeError, IncompleteError, RepairCode
from lton.lenient._strings import OTHER_QUOTE, TAG, Strings, try_unquote_literal
from lton.lenient.syntaxes import TOKEN_QUOTES
from lton.schema.types import ANY

Repairs: TypeAlias = dict[tuple[int, RepairCode], None]
"""The position and code of each repair, in order and without duplicates."""
_MAX_NESTED = MAX_DEPTH + 8  # the maximum depth of groups, including JSON around a call
_MAX_LENGTHS = 200  # the maximum number of lengths that are tried for a counted string

_TABLES = ("[(", "{(")
_CLOSERS = {"[": "]", "(": ")", "{": "}"}
_COLON = r"""[ \t]*:(?=[\s"'\u201c\u2018<\[{(\d-])\s*"""
_KEY_MARK = compiled_when_used(rf"[ \t]*=(?!=)[ \t]*|{_COLON}")
_KEY = compiled_when_used(
    rf"[{NAME_CLASS}]++(?=[ \t]*=(?!=))|[A-Za-z_][{NAME_CLASS}]*+(?={_COLON})"
)
_MAP_KEY = compiled_when_used(r"[\w$./-]++")
_JSON_KEY = compiled_when_used(r"[\w$./-]++(?:[ \t]++[\w$./-]++){0,9}(?=[ \t]*:)")
"""A bare key, possibly of several words, before a colon."""
_MAP_MARK = compiled_when_used(r"\s*[:=]\s*|\s+")
_WORD_CHARS = r"""(?>(?:[^\s,;()\[\]{}"'`\u201c\u201d\u2018\u2019=<>]|(?<=\w)['\u2019](?=\w))+)"""
_WORD = compiled_when_used(_WORD_CHARS)
_PHRASE = compiled_when_used(rf"{_WORD_CHARS}(?>(?:[ \t]+(?!{_KEY.pattern}){_WORD_CHARS})*)")
_COMMENT = r"(?://|\#)[ \t!][^\n]*|/\*(?:[^*]|\*(?!/)){0,1000}\*/"
_GAP = compiled_when_used(rf"(?>(?:[\s,]|{_COMMENT})*)")
_LINE_GAP = compiled_when_used(r"[ \t,]*+")
JSON_OBJECT = compiled_when_used(
    r"""\{(?:\{(?=\s*"))?\s*(?:"(?>(?:[^"\\]|\\.)*)"|'(?>(?:[^'\\]|\\.)*)'|\u201c[^\u201c\u201d\n]*\u201d|[A-Za-z_$][\w$.-]*+)\s*:"""
)
_BLANK = compiled_when_used(r"[ \t]")
_PYTHON = frozenset(["True", "False", "None"])
_KEY_QUOTES = f"{QUOTES}\u201c"
_BLANKS = compiled_when_used(r"\s*+")
_LONE = compiled_when_used(rf"[{NULL_ATOM}{SKIP}](?=[ ,)])")
_PAYLOADS = {
    "u": compiled_when_used("0|[1-9][0-9]*"),
    "i": compiled_when_used("-[1-9][0-9]*"),
    "f": compiled_when_used(r"-?(?:0|[1-9][0-9]*)(?=[.eE])(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"),
    "b": compiled_when_used("true|false"),
}
"""The payload of an atom, by its tag."""
_ENDS_IN_GROUP = frozenset(" ,)]}")
_ENDS_ON_LINE = ENDS_VALUE
_TYPE_NAMES = frozenset(
    "str int num bool any null never string integer number boolean float"
    " list dict array object".split()
)
"""Words that are types after a colon, as in a signature, and not values."""


class Unreadable(Exception):  # noqa: N818 - not yet an error: another reading may do
    """Raised if a text cannot be read in the way that is being tried."""

    def __init__(self, error: DecodeError) -> None:
        self.error = error
        super().__init__(error)


class WrongLength(Unreadable):
    """Raised for a counted string with a wrong length. `lengths` are the possible lengths."""

    def __init__(self, error: DecodeError, pos: int, lengths: list[int]) -> None:
        self.pos = pos
        self.lengths = lengths
        super().__init__(error)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar with its original spelling.

    `kind` is "word" (bare), "literal" (bare, but not a string, as in JSON), "phrase" (bare words
    that can only be a string), "text" (a string), "label" (a listed string, according to its tag),
    "raw" (the text of an element) or "json" (the text of an element that is declared not to be a
    string).
    """

    start: int
    end: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A value in a group, with its key if it has one."""

    start: int
    key: str | None
    value: "Tree"


@dataclass(frozen=True, slots=True)
class Bracketed:
    """The values in a pair of brackets, or on a line if `opener` is ""."""

    start: int
    end: int
    opener: str
    entries: tuple[Entry, ...]
    json: bool = False
    is_table: bool = False  # never repaired, because a missing value shifts the others
    notes: tuple[tuple[int, RepairCode], ...] = ()  # repairs of elements
    has_tags: bool = False  # whether the values are the content of elements
    is_torn: bool = False  # whether this content has a closing mark without an opening mark


Tree: TypeAlias = Leaf | Bracketed


@dataclass(slots=True)
class Loose:
    """Parses a part of an output up to `end`, and collects repairs.

    With `escapes`, strings have escapes as in Python. With `tagged`, values are in the tagged form.
    `lengths` replaces the lengths of counted strings by position.
    """

    strings: Strings
    end: int
    escapes: bool = field(default=False, kw_only=True)
    tagged: bool = field(default=False, kw_only=True)
    lengths: Mapping[int, int] = field(default_factory=dict, kw_only=True)
    repairs: Repairs = field(default_factory=dict, init=False)
    in_call: bool = field(default=False, init=False)  # whether the call has parentheses
    src: str = field(init=False)

    def __post_init__(self) -> None:
        self.src = self.strings.src

    def note_repair(self, code: RepairCode, pos: int) -> None:
        self.repairs[pos, code] = None

    def make_unreadable(self, pos: int, expected: str, code: Code = Code.SYNTAX) -> Unreadable:
        if pos >= len(self.src):
            msg = f"expected {expected}, found the end of the text"
            return Unreadable(IncompleteError(Code.INCOMPLETE, msg, doc=self.src, pos=pos))
        msg = f"expected {expected}, found {self.src[pos]!r}"
        return Unreadable(DecodeError(code, msg, doc=self.src, pos=pos))

    # --- groups ---------------------------------------------------------------------------------

    def read_line(self, pos: int) -> Bracketed:
        """Read arguments without parentheses, up to the end of the line."""
        entries, end = self._read_entries(pos, "", json=False, depth=0)
        return Bracketed(pos, end, "", entries)

    def read_call_group(self, pos: int) -> Bracketed:
        """Read the arguments of a call in parentheses."""
        self.in_call = True
        return self.read_group(pos)

    def read_group(self, pos: int, *, json: bool = False, depth: int = 0) -> Bracketed:
        if depth >= _MAX_NESTED:
            raise self.make_unreadable(pos, f"at most {MAX_DEPTH} values in each other", Code.DEPTH)
        opener = self.src[pos]
        if self.src.startswith(_TABLES, pos) and not (json or self.tagged):
            table = read_value(self.src, pos, ANY)
            if not isinstance(table, DecodeError) and table[1] <= self.end:
                return Bracketed(pos, table[1], opener, (), is_table=True)
        if not json and JSON_OBJECT.match(self.src, pos, self.end):
            self.note_repair(RepairCode.JSON, pos)
            json = True
        if json and self.src.startswith("{{", pos) and JSON_OBJECT.match(self.src, pos + 1):
            return self._read_doubled_group(pos, depth=depth)
        entries, end = self._read_entries(pos + 1, opener, json=json, depth=depth + 1)
        return Bracketed(pos, self._close_group(end, opener, entries), opener, entries, json)

    def _read_doubled_group(self, pos: int, *, depth: int) -> Bracketed:
        inner = self.read_group(pos + 1, json=True, depth=depth + 1)
        end = inner.end
        if not self.src.startswith("}", end):
            raise self.make_unreadable(end, "a second closing brace")
        self.note_repair(RepairCode.BRACKETS, pos)
        return Bracketed(pos, end + 1, "{", inner.entries, json=True)

    def read_tagged_groups(self, pos: int) -> Bracketed:
        """Read the groups of the tagged form, the first of which begins at `pos`."""
        start = end = pos
        entries: list[Entry] = []
        while self.src.startswith("(", pos) and pos < self.end:
            group_entries, end = self._read_entries(pos + 1, "(", json=False, depth=1)
            if len(group_entries) > 1 and any(entry.key is not None for entry in group_entries):
                self.note_repair(RepairCode.LINES, group_entries[1].start)
            if not group_entries and pos > start:
                self.note_repair(RepairCode.SEPARATOR, pos)
            if entries and group_entries and entries[-1].key is group_entries[0].key is None:
                self.note_repair(
                    RepairCode.LINES, pos
                )  # one group contains all positional arguments
            entries += group_entries
            end = self._close_group(end, "(", group_entries)
            pos = _BLANKS.match(self.src, end, self.end).end()  # type: ignore[union-attr]
            if self.src[end:pos] != "\n" and self.src.startswith("(", pos):
                self.note_repair(RepairCode.LINES, end)
        return Bracketed(start, end, "(", tuple(entries))

    def _close_group(self, pos: int, opener: str, entries: tuple[Entry, ...]) -> int:
        """Return the position after the closing bracket, or after the value if it is missing."""
        if self.src.startswith(_CLOSERS[opener], pos) and pos < self.end:
            return pos + 1
        if not entries:
            raise self.make_unreadable(pos, "a value or the end of the group")
        self.note_repair(RepairCode.CLOSER, pos)
        return pos

    def _read_entries(
        self, pos: int, opener: str, *, json: bool, depth: int
    ) -> tuple[tuple[Entry, ...], int]:
        entries: list[Entry] = []
        while True:
            gap = (_GAP if opener else _LINE_GAP).match(self.src, pos, self.end)
            assert gap is not None  # the pattern also matches an empty string
            if self._is_cut(gap.end(), opener, gap[0]):
                if opener and "," in gap[0]:
                    raise self.make_unreadable(gap.end(), "another value")
                if gap[0].strip() or (gap[0] and not opener):
                    self.note_repair(RepairCode.SEPARATOR, pos)
                return tuple(entries), pos if opener else gap.end()
            at_end = self.src[gap.end()] in ")]}"
            self._check_gap(pos, gap[0], edge=at_end or not entries, json=json)
            pos = gap.end()
            if at_end:
                return tuple(entries), pos
            entry = self._read_entry(pos, opener, json=json, depth=depth)
            entries.append(entry)
            pos = entry.value.end

    def _is_cut(self, pos: int, opener: str, gap: str) -> bool:
        """Return whether a group ends at a position without its closing bracket."""
        src = self.src
        if pos >= self.end or (not opener and src[pos] in "\r\n"):
            return True
        if src.startswith("```", pos) and (not opener or "\n" in gap):
            return opener != "" or not FENCE.match(src, pos)
        if opener == "{" and src[pos] == "{":
            return "\n" in gap
        return TAG.match(src, pos) is not None

    def _check_gap(self, pos: int, gap: str, *, edge: bool, json: bool) -> None:
        if json:
            commas = "".join(gap.split())
            fits = commas == ("" if edge else ",")
            lacks = not (edge or commas or "\n" in gap or self.src.endswith(TOKEN_QUOTES, 0, pos))
        else:
            fits = gap == "" if edge else SEPARATOR.fullmatch(gap) is not None
            lacks = not edge and not gap
        if lacks:
            raise self.make_unreadable(pos, "a separator")
        if not fits:
            self.note_repair(RepairCode.SEPARATOR, pos)

    def _read_entry(self, pos: int, opener: str, *, json: bool, depth: int) -> Entry:
        start = pos
        key = None
        if opener == "{":
            pos, key = self._read_map_key(pos, json=json)
        elif self.tagged and depth == 1:
            pos, key = self._read_tagged_key(pos)
        elif opener != "[":
            pos, key = self._read_key(pos)
        phrases = key is not None and (json or opener != "{")
        return Entry(start, key, self.read_value(pos, json=json, depth=depth, phrases=phrases))

    # --- keys -----------------------------------------------------------------------------------

    def _read_key(self, pos: int) -> tuple[int, str | None]:
        lexeme: tuple[int, str, RepairCode | None] | None = None
        if match := _KEY.match(self.src, pos, self.end):
            lexeme = match.end(), match[0], None
        elif self.src[pos] in _KEY_QUOTES:
            lexeme = self.strings.try_scan_string(pos, self.end, escapes=False)
        mark = _KEY_MARK.match(self.src, lexeme[0], self.end) if lexeme else None
        if lexeme is None or mark is None:
            return pos, None
        end, key, repair = lexeme
        if repair:
            self.note_repair(repair, pos)
        if ":" in mark[0]:
            self.note_repair(RepairCode.KEY, end)
            word = _WORD.match(self.src, mark.end(), self.end)
            if word and word[0] in _TYPE_NAMES:
                raise self.make_unreadable(mark.end(), "a value, not the name of a type")
        elif mark[0] != "=":
            self.note_repair(RepairCode.SEPARATOR, end)
        return mark.end(), key

    def _read_map_key(self, pos: int, *, json: bool) -> tuple[int, str]:
        string = self._read_string(pos, escapes=json) if self.src[pos] in _KEY_QUOTES else None
        if string:
            end = string.end
            key = string.text
        elif match := (json and _JSON_KEY.match(self.src, pos, self.end)) or _MAP_KEY.match(
            self.src, pos, self.end
        ):
            end = match.end()
            key = match[0]
            if not (json or NAME.fullmatch(key)):
                self.note_repair(RepairCode.BARE, pos)
        else:
            raise self.make_unreadable(pos, "a key")
        mark = _MAP_MARK.match(self.src, end, self.end)
        if mark is None or (json and not mark[0].strip()):
            raise self.make_unreadable(end, "a value after the key")
        if mark[0].strip() != (":" if json else ""):
            self.note_repair(RepairCode.KEY, end)
        elif not json and mark[0] != " ":
            self.note_repair(RepairCode.SEPARATOR, end)
        return mark.end(), key

    def _read_tagged_key(self, pos: int) -> tuple[int, str | None]:
        """Read the key of a tagged group, unless the text looks like a value."""
        match = ATOM.match(self.src, pos, self.end)
        if (match and match[3]) or self.src[pos] in "[{" or _LONE.match(self.src, pos, self.end):
            return pos, None
        return self._read_map_key(pos, json=False)

    # --- values ---------------------------------------------------------------------------------

    def read_value(
        self, pos: int, *, json: bool = False, depth: int = 0, phrases: bool = False
    ) -> Tree:
        if pos >= self.end:
            raise self.make_unreadable(pos, "a value")
        first = self.src[pos]
        if first in _CLOSERS:
            return self.read_group(pos, json=json, depth=depth)
        escapes = json or self.escapes
        if first == "`" and (escapes or self.src.startswith("``", pos)):
            return self._read_fence(pos)
        if first in QUOTES or OTHER_QUOTE.match(self.src, pos, self.end):
            if self.tagged:
                self.note_repair(RepairCode.LENGTH, pos)
            return self._read_string(pos, escapes=escapes)
        if self.tagged:
            return self._read_atom(pos)
        length = None if json else COUNTED.match(self.src, pos, self.end)
        if length and length[2]:
            return self._read_counted(pos, length, in_group=depth > 0)
        return self._read_word(pos, json=json, phrases=phrases)

    def _read_word(self, pos: int, *, json: bool, phrases: bool) -> Leaf:
        match = (_PHRASE if phrases else _WORD).match(self.src, pos, self.end)
        if match is None:
            raise self.make_unreadable(pos, "a value")
        is_literal = json or (self.escapes and match[0] in _PYTHON)
        if _BLANK.search(match[0]):
            kind = "phrase"
        elif is_literal:
            kind = "literal"
        else:
            kind = "word"
        return Leaf(pos, match.end(), kind, match[0])

    def _read_string(self, pos: int, *, escapes: bool) -> Leaf:
        lexeme = self.strings.try_scan_string(pos, self.end, escapes=escapes)
        if lexeme is None:
            raise self.make_unreadable(pos, "a string with a closing quote", Code.UNCLOSED)
        end, text, repair = lexeme
        if repair:
            self.note_repair(repair, pos)
        raw = self.src[pos:end]
        if escapes and "\\" in raw and raw[0] in "\"'":
            size = 3 if raw.startswith(raw[0] * 3) else 1
            try:
                unescaped = try_unquote_literal(raw[size:-size], raw[0], python=self.escapes)
            except ValueError as error:
                raise self.make_unreadable(pos, str(error).removeprefix("expected ")) from None
            if unescaped is not None:
                self.note_repair(RepairCode.BACKSLASH, pos)
                return Leaf(pos, end, "text", unescaped)
            if self.escapes:
                self.note_repair(RepairCode.ESCAPE, pos)
        return Leaf(pos, end, "text", text)

    def _read_fence(self, pos: int) -> Leaf:
        fence = self.strings.find_fence_end(pos, self.end, in_call=self.in_call)
        if fence is None or fence[0] == fence[2]:
            raise self.make_unreadable(pos, "a fence with its end", Code.FENCE)
        start, stop, end = fence
        if self.in_call and self.src.startswith(" ", end):
            self.note_repair(RepairCode.SEPARATOR, end)
        return Leaf(pos, end, "text", self.src[start:stop])

    def _read_atom(self, pos: int) -> Leaf:
        """Read an atom of the tagged form. The length of a number is ignored."""
        match = ATOM.match(self.src, pos, self.end)
        if match and match[3] and match[1] in "se":
            return self._read_counted(pos, match, in_group=True)
        start = match.end() if match and match[3] else pos
        word = _WORD.match(self.src, start, self.end)
        if word is None:
            raise self.make_unreadable(pos, "a tagged value")
        if match and match[3]:
            text = word[0] + ".0" if match[1] == "f" and word[0].isdigit() else word[0]
            if match[2] != str(len(word[0])) or not _PAYLOADS[match[1]].fullmatch(text):
                self.note_repair(RepairCode.LENGTH, pos)
            return Leaf(pos, word.end(), "literal", text)
        if word[0] == NULL_ATOM:
            return Leaf(pos, word.end(), "literal", "null")
        if word[0] != SKIP:
            self.note_repair(RepairCode.LENGTH, pos)
        return Leaf(pos, word.end(), "word", word[0])

    def _read_counted(self, pos: int, match: re.Match[str], *, in_group: bool) -> Leaf:
        digits = match[match.re.groups - 1]
        if len(digits) > MAX_COUNT_DIGITS:
            raise self.make_unreadable(pos, "a length", Code.PREFIX)
        start = match.end()
        stop = start + self.lengths.get(pos, int(digits))
        if stop > self.end:
            raise self.make_unreadable(self.end, "more characters of a counted text", Code.COUNT)
        if pos in self.lengths or (digits[0] == "0" and digits != "0"):
            self.note_repair(RepairCode.LENGTH, pos)
        if pos not in self.lengths and not self._ends_value(stop, in_group=in_group):
            raise self._wrong_length_error(pos, start, stop, in_group=in_group)
        kind = "label" if self.src[pos] == "e" else "text"
        return Leaf(pos, stop, kind, self.src[start:stop])

    def _ends_value(self, pos: int, *, in_group: bool) -> bool:
        # In a group, a closing bracket must follow, or it may be in the string.
        if pos == self.end:
            return not in_group
        return self.src[pos] in (_ENDS_IN_GROUP if in_group else _ENDS_ON_LINE)

    def _wrong_length_error(
        self, pos: int, start: int, stop: int, *, in_group: bool
    ) -> WrongLength:
        """List the possible lengths of a counted string whose declared length is wrong."""
        eol = self.src.find("\n", stop, self.end)
        last = self.end if eol < 0 else eol
        places = range(start, min(last, start + 50 * _MAX_LENGTHS) + 1)
        lengths = [p - start for p in places if self._ends_value(p, in_group=in_group)]
        error = self.make_unreadable(stop, "a value to end where its length says", Code.COUNT).error
        return WrongLength(error, pos, lengths if len(lengths) <= _MAX_LENGTHS else [])
