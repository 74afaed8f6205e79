"""Find the lexemes of a text and their kinds by the terminals of the format, for comparison."""

import re
from collections.abc import Callable

from lton._syntax import (
    ATOM,
    ATOM_LETTERS,
    COUNTED,
    FENCE,
    FINGERPRINT,
    LITERALS,
    NAME,
    NULL_ATOM,
    NUMBER,
    QUOTED,
    REPEAT,
    SEPARATOR,
    SIGILS,
    SKIP,
    WORD,
)

KINDS = (
    "atom",
    "counted",
    "fence",
    "fingerprint",
    "key",
    "literal",
    "name",
    "number",
    "punctuation",
    "quoted",
    "repeat",
    "sigil",
    "skip",
    "word",
)
NO_CALL = SIGILS[-1]


def kinds(text: str) -> list[str | None]:
    """Return the kind of each character of a text that is read without an error.

    The kind of a character outside lexemes is None: separators, and line ends between lexemes.
    """
    reader = _Reader(text)
    reader.frames()
    return reader.kinds[: len(text)]


class _Reader:
    """Reads a text from a position, and knows the previous lexeme."""

    def __init__(self, text: str) -> None:
        self.text, self.pos = text, 0
        self.kinds: list[str | None] = [None] * len(text)
        self.tagged = False
        self.in_call = False  # in the parentheses of a call

    def take(self, kind: str | None, length: int) -> None:
        assert kind is None or kind in KINDS
        self.kinds[self.pos : self.pos + length] = [kind] * length
        self.pos += length

    def sees(self, *texts: str) -> bool:
        return self.text.startswith(texts, self.pos)

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        return pattern.match(self.text, self.pos)

    def sign(self, *signs: str) -> bool:
        """Read a sign, if it is in the given set."""
        if sign := self.sees(*signs):
            self.take("punctuation", 1)
        return sign

    # --- frames -------------------------------------------------------------------------------

    def frames(self) -> None:
        while self.pos < len(self.text):
            self.frame()
            assert self.pos == len(self.text) or self.sees("\n"), self.text[self.pos :]
            self.take(None, 1)

    def frame(self) -> None:
        sigil = next((sigil for sigil in SIGILS if self.sees(sigil)), "")
        self.take("sigil", len(sigil.rstrip()))
        self.take(None, len(sigil) - len(sigil.rstrip()))
        if sigil == NO_CALL:
            self.value()
            return
        if self.sees(REPEAT):
            self.take("repeat", 1)
        else:
            assert self.name("name")
        if fingerprint := self.match(FINGERPRINT):
            self.take("fingerprint", fingerprint.end() - self.pos)
        if self.sees(" "):
            self.take(None, 1)
            self.row(self.argument)
        elif self.sees("("):
            self.in_call = True
            self.group(self.argument)
            self.in_call = False
        elif self.sees("{"):
            self.map()
        else:
            self.tagged = True
            while self.sees("\n("):
                self.take(None, 1)
                self.group(self.argument)
            self.tagged = False

    # --- names and groups ---------------------------------------------------------------------

    def name(self, kind: str, *, in_call: bool = False) -> bool:
        """Read a name in any spelling, if there is one."""
        length = self.spelled(in_call=in_call)
        self.take(kind, length)
        return length > 0

    def spelled(self, *, in_call: bool) -> int:
        """Return the length of the name at the position, or 0."""
        if self.sees("```"):
            return self.fence(in_call=in_call)
        for pattern in (NAME, *QUOTED.values()):
            if name := self.match(pattern):
                return name.end() - self.pos
        return 0

    def fence(self, *, in_call: bool) -> int:
        head = self.match(FENCE)
        assert head is not None
        if not in_call:
            return self.text.index(head[1], head.end()) + len(head[1]) - self.pos
        closing = re.compile(f"{head[1]}(?=[,;)\\]}}=])").search(self.text, head.end())
        assert closing is not None
        return closing.end() - self.pos

    def group(self, item: Callable[[], None]) -> None:
        assert self.sign("(", "[")
        if not self.sees(")", "]"):
            self.row(item)
        assert self.sign(")", "]"), self.text[self.pos :]

    def row(self, item: Callable[[], None]) -> None:
        """Read items with separators between them, or no items before the `;` of a table."""
        if self.sees(";", "]", "}"):
            return
        item()
        while self.separator():
            item()

    def separator(self) -> bool:
        separator = self.match(SEPARATOR)
        for character in separator[0] if separator else "":
            self.take("punctuation" if character == "," else None, 1)
        return separator is not None

    def argument(self) -> None:
        """Read a value and its key, if any: before `=`, or before a space in the tagged form."""
        if self.tagged:
            is_value = self.tagged_head() or self.sees("[", "{", "(") or self.alone()
        else:
            length = self.spelled(in_call=self.in_call)
            is_value = not length or self.text[self.pos + length :][:1] != "="
        if not is_value:
            assert self.name("key", in_call=self.in_call)
            if self.tagged:
                self.take(None, 1)
            else:
                assert self.sign("=")
        self.value()

    def alone(self) -> bool:
        """Return whether a word is null in the tagged form, or an omitted argument."""
        word = self.match(WORD)
        return word is not None and word[0] in (NULL_ATOM, SKIP)

    # --- values -------------------------------------------------------------------------------

    def value(self) -> None:
        if self.sees("["):
            self.array()
        elif self.sees("{"):
            self.map()
        elif self.sees("("):
            self.group(self.argument)
        else:
            self.lexeme()

    def lexeme(self) -> None:
        if self.tagged and self.atom():
            return
        if self.sees("```"):
            self.take("fence", self.fence(in_call=self.in_call))
        elif quoted := next(filter(None, map(self.match, QUOTED.values())), None):
            self.take("quoted", quoted.end() - self.pos)
        elif (counted_string := self.match(COUNTED)) and counted_string[2]:
            self.take("counted", counted_string.end() - self.pos + int(counted_string[1]))
        else:
            word = self.match(WORD)
            assert word is not None, self.text[self.pos :]
            kind = "number" if NUMBER.fullmatch(word[0]) else "word"
            if word[0] in LITERALS:
                kind = "literal"
            self.take("skip" if word[0] == SKIP else kind, len(word[0]))

    def tagged_head(self) -> re.Match[str] | None:
        atom = self.match(ATOM)
        return atom if atom and atom[3] else None

    def atom(self) -> bool:
        if head := self.tagged_head():
            assert head[1] in ATOM_LETTERS
            self.take("atom", head.end() - self.pos + int(head[2]))
            return True
        if self.alone() and self.sees(NULL_ATOM):
            self.take("atom", 1)
            return True
        return False

    def array(self) -> None:
        if self.text.startswith("[(", self.pos):
            begin, kinds = self.pos, self.kinds[:]
            self.sign("[")
            try:
                self.header()
                is_table = not self.sees(" ", ",", "]")
            except AssertionError:
                is_table = False
            if is_table:
                self.rows(lambda: self.row(self.value))
                assert self.sign("]")
                return
            self.pos, self.kinds = begin, kinds
        self.group(self.value)

    def header(self) -> None:
        assert self.sign("(")
        while True:
            assert self.name("key")
            if self.sees("("):
                self.header()
            if not self.separator():
                break
        assert self.sign(")")

    def rows(self, row: Callable[[], None]) -> None:
        row()
        while self.sign(";"):
            row()

    def map(self) -> None:
        assert self.sign("{")
        if self.sees("("):
            self.header()
            self.rows(self.keyed_row)
        elif not self.sees("}"):
            self.entry()
            while self.separator():
                self.entry()
        assert self.sign("}"), self.text[self.pos :]

    def keyed_row(self) -> None:
        assert self.name("key")
        while self.separator():
            self.value()

    def entry(self) -> None:
        assert self.name("key")
        self.take(None, 1)
        self.value()
