"""Ask small models about wide, nested and sparse records in shorter spellings than JSON.

    python -m lton_bench.study.spellings --model qwen-0.5b --minutes 10 --out benchmarks/results

The questions, the prompt and the judgement are those of `lton_bench.study.tables`; the results are
new. A run asks about the first result in each shape and spelling, then about the next result, until
the time is over or each spelling of each shape has enough questions. A later run continues. Without
a model the command only writes the table.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, count, takewhile
from pathlib import Path
from typing import Any, TypeAlias

from lton_bench.study.batches import BatchReader
from lton_bench.study.tables import Told, all_answers, ask, table
from lton_bench.study.tables_cases import BASELINE, FORMS, questions

FIRST = 200
"""The number of the first result: the results of the other studies have lower numbers."""
_EVERY = 4
_MOST = 6
_BLOCK = 4

Row: TypeAlias = dict[str, Any]
_word = FORMS["LTON in a line"]


def flat(record: Row, above: str = "") -> Row:
    """Return the members of a record, with a path for each member of an object inside.

    >>> flat({"name": "Ada", "info": {"city": "Oslo", "age": 41}})
    {'name': 'Ada', 'info.city': 'Oslo', 'info.age': 41}
    """
    cells: Row = {}
    for key, value in record.items():
        inner = isinstance(value, dict)
        cells.update(flat(value, f"{above}{key}.") if inner else {above + key: value})
    return cells


def _table(rows: Sequence[Row], named: Callable[[int, str], bool]) -> str:
    """Return rows on lines, with the name before each cell that `named` selects."""
    columns = [key for key in rows[0] if all(key in row for row in rows)]
    lines = [f"[{len(rows)}({' '.join(columns)})"]
    for row in rows:
        shared = [
            f"{key}:{_word(row[key])}" if named(at, key) else _word(row[key])
            for at, key in enumerate(columns)
        ]
        lines.append(" ".join([*shared, *_pairs(row, without=columns)]))
    return "\n".join(lines) + "]"


def _pairs(row: Row, without: Sequence[str] = ()) -> list[str]:
    return [f"{key}:{_word(value)}" for key, value in row.items() if key not in without]


def names_again(records: Sequence[Row]) -> str:
    """Return a table that repeats the name before every fourth cell."""
    return _table([*map(flat, records)], lambda at, _: at > 0 and at % _EVERY == 0)


def names_beyond(records: Sequence[Row]) -> str:
    """Return a table that repeats the name of each cell after the sixth."""
    return _table([*map(flat, records)], lambda at, _: at >= _MOST)


def shared_above(records: Sequence[Row]) -> str:
    """Return a table of the keys that all records share; the other cells have their names."""
    return _table([*map(flat, records)], lambda *_: False)


def key_first(records: Sequence[Row]) -> str:
    """Return a line for each record: the first value alone, then each name with its value."""
    key = next(iter(records[0]))
    rows = [f"{_word(row[key])} {' '.join(_pairs(flat(row), [key]))}" for row in records]
    return "\n".join([f"[{len(rows)} by {key}", *rows]) + "]"


def blocks(records: Sequence[Row]) -> str:
    """Return a table for each four columns; each table repeats the first column."""
    rows = [*map(flat, records)]
    key, *others = rows[0]
    groups = [others[at : at + _BLOCK] for at in range(0, len(others), _BLOCK)]
    cut = [[{name: row[name] for name in (key, *group)} for row in rows] for group in groups]
    return "\n".join(map(shared_above, cut))


def nested_lines(records: Sequence[Row]) -> str:
    """Return lines as `key_first`, and an indented line for each object or list in a record."""
    first = next(iter(records[0]))
    lines = [f"[{len(records)} by {first}"]
    for record in records:
        groups = {key: value for key, value in record.items() if isinstance(value, dict | list)}
        lines.append(" ".join([_word(record[first]), *_pairs(record, [first, *groups])]))
        for key, value in groups.items():
            inside = _pairs(value) if isinstance(value, dict) else map(_word, value)
            lines.append(f" {key} {' '.join(inside)}")
    return "\n".join(lines) + "]"


SPELLINGS: Mapping[str, Callable[[Any], str]] = {
    BASELINE: FORMS[BASELINE],
    "names again every four cells": names_again,
    "names beyond six cells": names_beyond,
    "key first": key_first,
    "blocks of columns": blocks,
    "nested parts on lines": nested_lines,
    "shared keys above": shared_above,
}
ASKED = {
    "wide": [*SPELLINGS][:5],
    "nested": [BASELINE, "key first", "nested parts on lines", "shared keys above"],
    "sparse": [BASELINE, "key first", "shared keys above"],
}
"""The spellings of each shape; the other spellings of a shape would be equal to one of these."""


def answers(
    reader: BatchReader,
    model: str,
    known: set[tuple[str, int, str]],
    forms: Sequence[str],
    *,
    most: int,
) -> Iterator[Told]:
    """Yield the answers to `most` questions, or slightly more, in each spelling of each shape."""
    ends = {shape: _end(shape, most) for shape in ASKED}
    for number in range(FIRST, max(ends.values())):
        for shape, spellings in ASKED.items():
            for form in spellings if number < ends[shape] else ():
                if form in forms and (shape, number, form) not in known:
                    yield from ask(reader, model, shape, number, form, SPELLINGS[form])


def _end(shape: str, most: int) -> int:
    """Return the number after the results with the first `most` questions about a shape."""
    asked = accumulate(len(questions(shape, number)) for number in count(FIRST))
    return FIRST + 1 + sum(1 for _ in takewhile(lambda total: total < most, asked))


def until(answers: Iterator[Told], seconds: float) -> Iterator[Told]:
    """Yield answers until the time is over, but all answers about a result in one spelling."""
    end, last = time.monotonic() + seconds, None
    for each in answers:
        place = (each.shape, each.number, each.form)
        if place != last and time.monotonic() > end:
            return
        last = place
        yield each


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask for some minutes, and write the answers and the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", default=[])
    parser.add_argument("--form", action="append", choices=SPELLINGS, help="only these spellings")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--questions", type=int, default=400, help="of each shape and spelling")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    options = parser.parse_args(arguments)
    file = options.out / "study" / "spellings.jsonl"

    def find(*asked: Any) -> Iterator[Told]:
        return until(answers(*asked, most=options.questions), 60 * options.minutes)

    told = all_answers(file, options.model, options.form or [*SPELLINGS], find)
    (options.out / "spellings.md").write_text("\n".join(table(told)) + "\n")


if __name__ == "__main__":
    main()
