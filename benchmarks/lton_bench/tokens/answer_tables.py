"""Write and read answers with the keys of similar objects only once, and count their tokens.

`python -m lton_bench.tokens.answer_tables [--tau FILE]` prints a table in Markdown. FILE holds
tau-bench's conversations, one JSON object a line with `messages` in it.

    [(high low day)25 14 Mon;27 15 Tue]
    {(brand)card_1 visa;card_2 _}
"""

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lton._json import minified
from lton._syntax import (
    BARE,
    COUNTED,
    LITERALS,
    NAME,
    NUMBER,
    SEPARATOR,
    SKIP,
    WORD,
    counted,
    fenced,
    quoted,
    read_number,
    spell_number,
)
from lton.codec import encode
from lton.results import short_result
from lton.schema.types import JSON, Result
from lton_bench.tokens.answers import ANSWER_FORMATS
from lton_bench.tokens.datasets import answers_nested, answers_rows
from lton_bench.tokens.pieces import Answer
from lton_bench.tokens.results import TOKENIZERS
from lton_bench.tokens.separators import CANONICAL, Rule, joined, printed, ratios

QUOTE = re.compile(r"([\"'`])(.*?)\1")
FENCED = re.compile(r"(`{3,})(?:\n(.*?)\n?|\+\n(.*?))\1", re.DOTALL)


class Column(NamedTuple):
    """A key of the header, with the columns of an object inside, or with one value for all rows."""

    key: str
    inner: "tuple[Column, ...]" = ()
    constant: str = ""


def spell_string(text: str) -> str:
    r"""Return a string for any type of value: bare, in the first quotes that fit, or with a length.

    >>> spell_string("clear"), spell_string("7"), spell_string('''Ada's "A"''')
    ('clear', '"7"', '`Ada\'s "A"`')
    """
    is_bare = BARE.fullmatch(text) and text not in LITERALS and not NUMBER.fullmatch(text)
    return text if is_bare else _quoted(text) or counted(text)


def _spell_key(text: str) -> str:
    return text if NAME.fullmatch(text) else _quoted(text) or fenced(text)


def _quoted(text: str) -> str | None:
    return quoted(text) or (None if re.search("[`\n\r]", text) else f"`{text}`")


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes values. `Reader` reads values that were written with the default options."""

    rule: Rule = CANONICAL
    tables: bool = True
    maps: bool = True
    gaps: bool = True
    nested: bool = True
    constants: bool = False
    ordered: bool = True
    start: str = "("
    after_header: str = ")"
    row: str = ";"
    end: str = ""

    def write(self, value: JSON) -> str:
        """Return the text of a value.

        >>> Writer().write([{"a": 1, "b": "x"}, {"a": 2, "b": "x"}, {"b": "x"}])
        '[(a b)1 x;2 x;_ x]'
        >>> Writer().write({"one": {"at": {"x": 1, "y": 2}}, "two": {"at": {"x": 3, "y": 4}}})
        '{(at(x y))one 1 2;two 3 4}'
        """
        if isinstance(value, dict):
            keys = sorted(value)
            rows: list[Any] = [value[key] for key in keys]
            if self.maps and self._is_table(rows):
                return f"{{{self._table(rows, list(map(_spell_key, keys)))}}}"
            pairs = (f"{_spell_key(key)} {self.write(value[key])}" for key in keys)
            return f"{{{joined(pairs, self.rule)}}}"
        if isinstance(value, list):
            items: list[Any] = value
            if self._is_table(items):
                return f"[{self._table(items)}]"
            return f"[{joined(map(self.write, value), self.rule)}]"
        if isinstance(value, str):
            return spell_string(value)
        is_literal = value is None or isinstance(value, bool)
        return minified(value) if is_literal else spell_number(value)  # type: ignore[arg-type]

    def _is_table(self, rows: Sequence[Any]) -> bool:
        """Return whether one header, and a `_` for each gap, are shorter than keys in each row."""
        if not self.tables or not all(isinstance(row, dict) for row in rows):
            return False
        keys = len({key for row in rows for key in row})
        present = sum(map(len, rows))
        absent = keys * len(rows) - present
        return keys + absent < present and (self.gaps or not absent)

    def _table(self, rows: Sequence[Mapping[str, JSON]], names: Sequence[str] = ()) -> str:
        columns = self._columns(rows)
        lines = []
        for index, row in enumerate(rows):
            cells = list(self._cells(row, columns))
            while cells and cells[-1] == SKIP:
                cells.pop()
            lines.append(joined([*names[index : index + 1], *cells], self.rule))
        head = self.start + self._header(columns) + self.after_header
        return head + self.row.join(lines) + self.end

    def _columns(self, rows: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
        found = []
        for key in sorted({key for row in rows for key in row}):
            values = [row[key] for row in rows if key in row]
            texts = list(map(self.write, values))
            is_whole = len(values) == len(rows)
            if self.constants and is_whole and len(set(texts)) == 1:
                found.append((-1, Column(key, constant=texts[0])))
            elif self.nested and is_whole and _are_like(values):
                found.append((2, Column(key, self._columns(values))))
            else:
                found.append((_order(texts), Column(key)))
        if self.ordered:
            found.sort(key=lambda each: each[0])
        return tuple(column for _, column in found)

    def _header(self, columns: Sequence[Column]) -> str:
        return joined((_spell_key(c.key) + self._about(c) for c in columns), self.rule)

    def _about(self, column: Column) -> str:
        if column.inner:
            return f"({self._header(column.inner)})"
        return f"={column.constant}" if column.constant else ""

    def _cells(self, row: Mapping[str, Any], columns: Sequence[Column]) -> Iterator[str]:
        for key, inner, constant in columns:
            if inner:
                yield from self._cells(row[key], inner)
            elif not constant:
                yield self.write(row[key]) if key in row else SKIP


def written(value: JSON) -> str:
    """Return a value as the library writes it, without the head of the frame.

    >>> written([{"a": 1, "b": "x"}, {"a": 2, "b": "x"}, {"b": "x"}])
    '[(a b)1 x;2 x;_ x]'
    """
    return encode(Result("f", value)).removeprefix("!result f ")


def _are_like(values: Sequence[Any]) -> bool:
    """Return whether there are at least two objects, all with the same keys."""
    is_object = all(isinstance(value, dict) and len(value) > 1 for value in values)
    return is_object and len({frozenset(value) for value in values}) == 1


def _order(texts: Sequence[str]) -> int:
    """Order columns as R-409 does: names that begin with digits, other words, names in quotes."""
    if any(text[0] in "\"'`[{" for text in texts):
        return 2
    return 0 if all(text[0] in "-0123456789" for text in texts) else 1


# --- reading --------------------------------------------------------------------------------------


class Reader:
    """Reads the output of `Writer`, with one character of look-ahead, or raises ValueError."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def whole(self) -> JSON:
        """Return the value.

        >>> Reader("[(a b)1 x;2;_ x]").whole()
        [{'a': 1, 'b': 'x'}, {'a': 2}, {'b': 'x'}]
        """
        value = self._value()
        if self.at < len(self.text):
            raise self._wrong("the end")
        return value

    @property
    def _next(self) -> str:
        return self.text[self.at : self.at + 1]

    def _value(self) -> JSON:
        first = self._next
        if first == "[":
            self.at += 1
            if self._takes("("):
                return [row for _, row in self._rows("]", has_keys=False)]
            return [self._value() for _ in self._until("]")]
        if first == "{":
            self.at += 1
            if self._takes("("):
                return dict(self._rows("}", has_keys=True))
            return dict(self._entry() for _ in self._until("}"))
        return self._string() if first in ("'", '"', "`") else self._word()

    def _takes(self, character: str) -> bool:
        found = self._next == character
        self.at += found
        return found

    def _match(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        match = pattern.match(self.text, self.at)
        if match is None:
            raise self._wrong(what)
        self.at = match.end()
        return match

    def _wrong(self, what: str) -> ValueError:
        return ValueError(f"expected {what} at {self.at}")

    def _until(self, *ends: str) -> Iterator[None]:
        """Yield the start of each value, and skip the closing character."""
        if self._next not in ends:
            yield
            while self._next not in ends:
                self._match(SEPARATOR, "a separator")
                yield
        self.at += 1

    def _entry(self) -> tuple[str, JSON]:
        key = self._key()
        if not self._takes(" "):
            raise self._wrong("a space")
        return key, self._value()

    def _key(self) -> str:
        return self._string() if self._next in ("'", '"', "`") else self._match(NAME, "a key")[0]

    def _string(self) -> str:
        is_fence = self.text.startswith("```", self.at)
        match = self._match(FENCED if is_fence else QUOTE, "a string")
        return match[2] if match[2] is not None else match[3]

    def _word(self) -> JSON:
        head = COUNTED.match(self.text, self.at)
        if head and head[2]:
            self.at = head.end() + int(head[1])
            return self.text[head.end() : self.at]
        word = self._match(WORD, "a value")[0]
        if NUMBER.fullmatch(word):
            return read_number(word)
        return LITERALS.get(word, word)

    def _rows(self, end: str, *, has_keys: bool) -> Iterator[tuple[str, JSON]]:
        columns = list(self._columns())
        while True:
            cells: list[Any] = []
            key = ""
            for index, _ in enumerate(self._until(";", end)):
                if has_keys and index == 0:
                    key = self._key()
                else:
                    cells.append(self._cell())
            left = iter(cells)
            yield key, self._object(columns, left)
            if next(left, None) is not None:
                raise self._wrong("fewer cells")
            if self.text[self.at - 1] == end:
                return

    def _columns(self) -> Iterator[Column]:
        for _ in self._until(")"):
            yield Column(self._key(), tuple(self._columns()) if self._takes("(") else ())

    def _cell(self) -> tuple[JSON, ...]:
        """Return a value in a tuple, or an empty tuple for a gap."""
        end = self.at + 1
        if self._next == SKIP and self.text[end : end + 1] in (" ", ",", ";", "]", "}"):
            self.at = end
            return ()
        return (self._value(),)

    def _object(self, columns: Sequence[Column], cells: Iterator[tuple[JSON, ...]]) -> Any:
        row: dict[str, JSON] = {}
        for key, inner, _ in columns:
            if inner:
                row[key] = self._object(inner, cells)
            else:
                row |= dict.fromkeys([key], *cell) if (cell := next(cells, ())) else {}
        return row


# --- figures --------------------------------------------------------------------------------------

WRITERS = {
    "a space always, no tables": Writer(lambda _a, _b: " ", tables=False),
    "separators, no tables": Writer(tables=False),
    "header after a bar, `[|a b|1 2|3 4]`": Writer(start="|", after_header="|", row="|"),
    "rows after bars, `[(a b)1 2|3 4]`": Writer(row="|"),
    "rows in parentheses, `[(a b)(1 2)(3 4)]`": Writer(after_header=")(", row=")(", end=")"),
    "rows on lines": Writer(row="\n"),
    "not for maps, `{k {a 1}}`": Writer(maps=False),
    "not where a key is missing": Writer(gaps=False),
    "objects in cells as maps": Writer(nested=False),
    "a value that all rows share in the header, `[(a=1 b)2;3]`": Writer(constants=True),
    "columns in the order of keys": Writer(ordered=False),
}


def on_lines(value: JSON) -> str:
    """Return records as models are shown them; other answers are minified JSON."""
    return short_result(minified(value))


def tau(path: str) -> Iterator[Answer]:
    """Yield the answers in a file of conversations that are JSON arrays or objects."""
    with open(path, encoding="utf-8") as lines:
        messages = [message for line in lines for message in json.loads(line)["messages"]]
    for message in messages:
        if message["role"] == "tool" and message["content"][:1] in ("[", "{"):
            try:
                yield Answer("tool", json.loads(message["content"]), {})
            except ValueError:
                continue


def main() -> None:
    """Print the figures of all writers, and of other formats."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tau", metavar="FILE")
    options = parser.parse_args()
    sets = {"rows": list(answers_rows.load()), "nested": list(answers_nested.load())}
    if options.tau:
        sets["tau-bench"] = list(tau(options.tau))
    texts: dict[str, dict[str, list[str | None]]] = {}
    for name, writer in WRITERS.items():
        texts[name] = {k: [writer.write(each.value) for each in v] for k, v in sets.items()}
    texts["rows counted and on lines, as models are shown them (R-317)"] = {
        k: [on_lines(each.value) for each in v] for k, v in sets.items()
    }
    texts["**the table**, as it is written"] = {
        k: [written(each.value) for each in v] for k, v in sets.items()
    }
    for row in ANSWER_FORMATS:
        if row.name in ("TOON", "CSV", "TRON-like", "JSON spaced"):
            texts[row.name] = {k: [row.write(each) for each in v] for k, v in sets.items()}
    base = {name: [minified(each.value) for each in some] for name, some in sets.items()}
    print(printed(ratios(texts, base, TOKENIZERS), sets, TOKENIZERS))


if __name__ == "__main__":
    main()
