"""Write and read wide results for small models: records with their key first (R-434)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lton._syntax import LINE_TEXT, MAX_COUNT_DIGITS, MAX_DEPTH, OPENING, QUOTES, SKIP, spell_name
from lton.codec._encode import write_value
from lton.codec._frames import Frame
from lton.codec._lexemes import TEXT_OPENERS, read_text
from lton.codec._stops import Wrong, make_unexpected_character_stop
from lton.codec._values import read_untyped
from lton.errors import Code, DecodeError
from lton.schema.types import ANY, JSON

_STEP = re.compile("[A-Za-z0-9_/-]+")  # a bare name without dots
_KEY = "|".join([_STEP.pattern, *(f"{OPENING[q]}{LINE_TEXT[q].pattern}{q}" for q in QUOTES)])
_HEAD = re.compile(rf"\[([1-9][0-9]{{,{MAX_COUNT_DIGITS - 1}}}) by ({_KEY})\n")
_ARRAYS = (list, tuple)
_GROUPS = (dict, list, tuple)

# --- writing --------------------------------------------------------------------------------------


def try_write_records(value: JSON) -> str | None:
    """Write a list of two or more records. Return None for other values, or without a first key."""
    rows: Sequence[Any] = value if isinstance(value, _ARRAYS) else ()
    if len(rows) < 2 or not all(
        isinstance(row, dict) and _has_only_flat_arrays(row) for row in rows
    ):
        return None
    scalars = (name for name, cell in rows[0].items() if not isinstance(cell, _GROUPS))
    if (key := next(scalars, None)) is None or "\n" in _spell_path(key):
        return None
    lines = [f"[{len(rows)} by {_spell_path(key)}"]
    for row in rows:
        first = write_value(row[key], ANY, "wire") if key in row else SKIP
        lines.append(
            " ".join(
                [first, *_iterate_written_cells({name: row[name] for name in row if name != key})]
            )
        )
    return "\n".join(lines) + "]"


def _has_only_flat_arrays(value: JSON) -> bool:
    """Return whether no array holds arrays or objects, which small models misread on one line."""
    if isinstance(value, dict):
        return all(map(_has_only_flat_arrays, value.values()))
    return not isinstance(value, _ARRAYS) or not any(isinstance(item, _GROUPS) for item in value)


def _iterate_written_cells(record: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for key, value in record.items():
        path = above + _spell_path(key)
        if isinstance(value, dict) and value:
            yield from _iterate_written_cells(value, f"{path}.")
        else:
            yield f"{path}:{write_value(value, ANY, 'wire')}"


def _spell_path(key: str) -> str:
    name = spell_name(key)
    return f'"{name}"' if "." in name and name == key else name


# --- reading --------------------------------------------------------------------------------------


def try_read_records(src: str) -> tuple[JSON, int] | DecodeError | None:
    """Read records. Return them and their end, an error, or None if the text has another form."""
    if (head := _HEAD.match(src)) is None:
        return None
    count = int(head[1])
    key = head[2]
    pos = head.end() - 1
    container = _Cell(None, None)
    records = list[JSON]()
    try:
        while len(records) < count and src[pos] == "\n":
            container.steps = (len(records), key[1:-1] if key[0] in QUOTES else key)
            record, pos = _read_record(src, pos + 1, container)
            records.append(record)
        if len(records) < count or src[pos] == "\n":
            actual = "another" if src[pos] == "\n" else len(records)
            raise Wrong(Code.COUNT, f"expected {count} rows, found {actual}", pos)
    except Wrong as wrong:
        wrong.set_container(container, pos)
        return wrong.to_decode_error(src)
    return records, pos + 1


class _Cell(Frame):
    """The container of a value in a record."""

    steps: tuple[Any, ...] = ()


def _read_record(src: str, pos: int, container: _Cell) -> tuple[dict[str, JSON], int]:
    record: dict[str, Any] = {}
    opened = {id(record)}  # the objects that paths have created
    container.depth = 2
    if src.startswith(SKIP, pos):
        pos += 1
    else:
        record[container.steps[1]], pos = read_untyped(ANY).read(src, pos, container)
    while src.startswith(" ", pos):
        into = record
        start = pos + 1
        keys, pos = _read_path(src, start)
        container.steps = (container.steps[0], *keys)
        container.depth = len(keys) + 1
        for step in keys[:-1]:
            if step not in into:
                opened.add(id(into.setdefault(step, {})))
            into = into[step]
            if id(into) not in opened:
                break
        if id(into) not in opened or keys[-1] in into:
            raise Wrong(Code.DUPLICATE, f"{keys[-1][:40]!r} is given twice", start)
        into[keys[-1]], pos = read_untyped(ANY).read(src, pos, container)
    if src[pos : pos + 1] not in ("\n", "]"):
        raise make_unexpected_character_stop(src, pos, "a space, a newline or ']'")
    return record, pos


def _read_path(src: str, pos: int) -> tuple[list[str], int]:
    keys: list[str] = []
    while True:
        if match := _STEP.match(src, pos):
            key = match[0]
            pos = match.end()
        elif src[pos : pos + 1] in TEXT_OPENERS:
            key, pos = read_text(src, pos)
        else:
            raise make_unexpected_character_stop(src, pos, "a key")
        keys.append(key)
        if src.startswith(":", pos):
            return keys, pos + 1
        if not src.startswith(".", pos):
            raise make_unexpected_character_stop(src, pos, "a colon")
        pos += 1
        if len(keys) > MAX_DEPTH - 2:
            raise Wrong(Code.DEPTH, f"nested deeper than {MAX_DEPTH}", pos)
