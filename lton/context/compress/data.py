"""Split JSON into values, logs into records, chats into turns, and tables into rows."""

import json
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from re import Match

from lton._patterns import compiled_when_used
from lton.context.compress.telling import score_lines
from lton.context.compress.units import (
    LONGEST,
    UnitList,
    UnitRole,
    follows_blank_line,
    iterate_line_spans,
)

_SMALL = 200  # The maximum length of a JSON value that stays one unit, in characters
_ALIKE = 0.8  # The minimum share of a table's rows with the same number of columns
_DEPTH = 50
_TOKEN = compiled_when_used(r'"(?:[^"\\]++|\\.)*+"|[{}\[\]:]|[^\s{}\[\],:"]+')
"""A lexeme of JSON, other than a comma."""
_NAMES = (
    "id key name title path file filename number sha symbol url email code".split(),
    ("_id", "Id", "ID", "_name", "Name", "_key"),
)
"""Keys that identify a record, best first, and endings of other such keys."""
_RECORD = compiled_when_used(
    r"\[ *\d+\.\d{6}\]"
    r"|\W{0,3}(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\w{2,4}[-/.]\d{2,4}|\d\d:\d\d:\d\d"
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d"
    r"|(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b|\d{9,}[ .:]"
    r"|\d+(?:\.\d+){3} )"
)
_DELIMITERS = compiled_when_used(r"\s*+(?:\|\s*+)?:?-++:?\s*+\|[\s|:-]*+$|\s*+\|")
_DAY = compiled_when_used(r"(?:[#=*_[\-]|.{0,40}\d).{0,78}$")
_ANSWER = compiled_when_used(r"\W{0,2}(?:A|R|Ans|Answer|Antwort|Réponse|Respuesta)\W{0,2}: ")
TURN = compiled_when_used(r"\W{0,2}([A-Z][\w.'-]{0,30}(?: [\w.'-]{1,30}){0,2})\W{0,2}: ")


def is_json(text: str) -> bool:
    """Return whether a string is a JSON object or array."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


class _Tokens:
    def __init__(self, text: str) -> None:
        spans = array("q", chain.from_iterable(map(Match.span, _TOKEN.finditer(text))))
        self.text = text
        self.starts = spans[::2]
        self.ends = spans[1::2]
        self.closers = _find_closers(text, self.starts)

    def __getitem__(self, at: int) -> str:
        return self.text[self.starts[at] : self.ends[at]]

    def is_key(self, at: int) -> bool:
        return at + 1 < len(self.starts) and self.text[self.starts[at + 1]] == ":"


def add_json(units: UnitList) -> None:
    """Add the values of a JSON document, nested in objects and arrays. Keys are the titles."""
    units.shared = units.shared._replace(mark=f'"{units.shared.mark}"', counts=True)
    tokens = _Tokens(units.text)
    starts = tokens.starts
    ends = tokens.ends
    opened: list[tuple[int, int, int, str]] = []  # Place, closer, name, and outer title
    named: dict[int, int] = {}  # The place of a container's name, by token
    at = 0
    count = len(starts)
    while at < count:
        start = starts[at]
        if opened and at == opened[-1][1]:
            opener, _, name, units.called = opened.pop()
            units.add_closing(opener, start, ends[at], named.pop(name, None))
            at += 1
            continue
        if opened and at == opened[-1][2]:
            named[at] = units.next
        if tokens.is_key(at):
            at += 2
        last = tokens.closers.get(at, at)
        parent = opened[-1][0] if opened else None
        if last > at + 1 and ends[last] - start > _SMALL and len(opened) < _DEPTH:
            opener = units.add_unit(start, ends[at], parent=parent, role="frame", tells=0.0)
            name = _find_name(tokens, at, last)
            opened.append((opener, last, name, units.called))
            value = tokens[name + 2] if name >= 0 else ""
            if value == "{":
                value = units.text[starts[name + 2] : ends[tokens.closers[name + 2]]]
            units.called = f"{units.called} {units.text[start : starts[at]]} {value}"
            at += 1
        else:
            units.add_unit(start, ends[last], parent=parent, tells=0.0)
            at = last + 1


def _find_name(tokens: _Tokens, at: int, last: int) -> int:
    """Return the index of the key whose value identifies an object, or -1 if there is none."""
    best = len(_NAMES[0]) + 1
    index = -1
    at += 1
    while at < last and tokens.is_key(at):
        key = tokens[at].strip('"')
        value = at + 2
        closer = tokens.closers.get(value)
        if closer and key == "metadata" and tokens.ends[closer] - tokens.starts[at] <= _SMALL:
            return at
        if closer is None and len(tokens[value]) <= _SMALL // 2:
            rank = _NAMES[0].index(key) if key in _NAMES[0] else len(_NAMES[0])
            if rank < best and (rank < len(_NAMES[0]) or key.endswith(_NAMES[1])):
                best = rank
                index = at
        at = tokens.closers.get(value, value) + 1
    return index


def _find_closers(text: str, starts: Sequence[int]) -> dict[int, int]:
    ends: dict[int, int] = {}
    opened: list[int] = []
    for at, start in enumerate(starts):
        if text[start] in "{[":
            opened.append(at)
        elif text[start] in "}]":
            ends[opened.pop()] = at
    return ends


def begins_record(line: str) -> bool:
    """Return whether a line begins with a time, a level or an address, as log records do."""
    return bool(_RECORD.match(line))


def is_chat(texts: Sequence[str]) -> bool:
    """Return whether most lines begin with the name of a speaker, and speakers occur repeatedly.

    >>> is_chat(["Ann: Hi.", "Bob: Hi."]), is_chat([f"X-{name}: 1" for name in "ABCDEF"])
    (True, False)
    """
    turns = [match[0] for line in texts if (match := TURN.match(line))]
    is_said = len(texts) > 1 and len(turns) > 0.5 * len(texts)
    return is_said and (len(turns) < 5 or len({*turns}) < 0.6 * len(turns))


def add_turns(units: UnitList) -> None:
    """Add the lines of a chat, nested under its days and turns."""
    turn: int | None = None
    day: int | None = None
    for start, end in iterate_line_spans(units.text):
        line = units.text[start:end]
        if TURN.match(line):
            over = turn if _ANSWER.match(line) else day
            turn = units.next
            units.add_text(start, end, over)
        elif _DAY.match(line) and follows_blank_line(units.text, start):
            turn = day = units.add_heading(start, end)
        else:
            units.add_text(start, end, turn)


def is_table(text: str, spans: Sequence[tuple[int, int]]) -> bool:
    r"""Return whether most lines contain the same number of separators.

    >>> text = "id,name,age\n1,Ann,30\n2,Bob,40\n"
    >>> is_table(text, list(iterate_line_spans(text)))
    True
    """
    rows = [text[start:end] for start, end in _iterate_row_spans(text, spans)]
    for separator, fewest in ((",", 2), (";", 2), ("\t", 1), ("|", 1)):
        if separator == "|" and any(_DELIMITERS.match(row) for row in rows[:2]):
            break  # Markdown
        counts = Counter(row.count(separator) for row in rows)
        columns, alike = counts.most_common(1)[0] if counts else (0, 0)
        if columns >= fewest and alike >= max(3, _ALIKE * len(rows)):
            return True
    return False


def add_table(units: UnitList) -> None:
    """Add the rows of a table, nested under the row that contains the column names."""
    head: int | None = None
    rows = list(_iterate_row_spans(units.text, list(iterate_line_spans(units.text))))
    tells = score_lines([units.text[start:end] for start, end in rows])
    for at, (start, end) in enumerate(rows):
        role: UnitRole = "text" if units.units else "frame"
        index = units.add_unit(start, end, parent=head, role=role, tells=tells[at])
        head = index if head is None else head


def _iterate_row_spans(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the rows of a table. A quoted value may contain line ends."""
    at = 0
    while at < len(spans):
        start, end = spans[at]
        quotes = text.count('"', start, end)
        last = at
        while quotes % 2 and last + 1 < len(spans) and spans[last + 1][1] - start <= LONGEST:
            last += 1
            quotes += text.count('"', *spans[last])
        if quotes % 2 == 0:
            at = last
            end = spans[last][1]
        yield start, end
        at += 1
