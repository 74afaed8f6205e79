"""Read each format of the benchmark back, to test that formats lose nothing.

    python -m tests.format_readers [NAME…]     whole data sets, through every reader

A reader gets the output of a turn, its calls and its tools, and returns the calls in the output.
Details that a format leaves to the schema (types in XML and CSV, gaps in arrays) come from the
calls.
"""

import ast
import csv
import io
import json
import sys
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree as ET

import cbor2
import msgpack
import toon_format
import yaml

from lton import Call, ToolSet, decode
from lton_bench.tokens.datasets import datasets
from lton_bench.tokens.formats import FORMATS, aliased, lettered
from lton_bench.tokens.pieces import Turn, text_of
from lton_bench.tokens.positions import by_position

Read = Callable[[str, list[Call], ToolSet], Any]
"""Returns what has to equal the names and the arguments of the calls."""
Found = list[tuple[str, Any]]
CALLS = [name for name in datasets() if not name.startswith(("answers", "definitions"))]


def plain(calls: Sequence[Call]) -> Found:
    return [(call.name, dict(call.arguments)) for call in calls]


def _listed(whole: Any) -> list[Any]:
    return whole if isinstance(whole, list) else [whole]


# --- whole values ---------------------------------------------------------------------------------
def _objects(load: Callable[[str], Any], arguments: str = "arguments") -> Read:
    return lambda text, calls, tools: [
        (call["name"], call[arguments]) for call in _listed(load(text))
    ]


def _by_name(load: Callable[[str], Any]) -> Read:
    return lambda text, calls, tools: [next(iter(one.items())) for one in _listed(load(text))]


def _double(text: str, _calls: list[Call], _tools: ToolSet) -> Found:
    return [(call["name"], json.loads(call["arguments"])) for call in _listed(json.loads(text))]


def _lton(text: str, _calls: list[Call], tools: ToolSet) -> Found:
    try:
        return plain(decode(text, tools))
    except ValueError:
        return plain(decode(text, None))  # calls that break their schema


# --- by position: the reader knows the order of the layout ---------------------------------------
def _rows(rows: Sequence[tuple[str, Any]], calls: list[Call], tools: ToolSet) -> Found:
    """Return the calls if the rows match them."""
    expected = [by_position(call, tools) for call in calls]
    return [
        (name, dict(call.arguments) if row == right else row)
        for (name, row), call, right in zip(rows, calls, expected, strict=True)
    ]


def _array(load: Callable[[str], Any]) -> Read:
    def read(text: str, calls: list[Call], tools: ToolSet) -> Found:
        whole = load(text)
        rows = whole if len(calls) > 1 else [whole]
        arrays = [
            (row["name"], row["arguments"]) if isinstance(row, dict) else (row[0], row[1:])
            for row in rows
        ]
        return [
            one if isinstance(one[1], dict) else _rows([one], [call], tools)[0]
            for one, call in zip(arrays, calls, strict=True)
        ]

    return read


def _name_and_array(text: str, calls: list[Call], tools: ToolSet) -> Found:
    calls_read: Found = []
    for line, call in zip(text.split("\n"), calls, strict=True):
        if line.startswith('{"name"'):
            calls_read += [(c["name"], c["arguments"]) for c in [json.loads(line)]]
        else:
            name = next(n for n in tools.by_name if line.startswith((f"{n}[", f"{n}(")))
            row = json.loads(f"[{line[len(name) + 1 : -1]}]")
            calls_read += _rows([(name, row)], [call], tools)
    return calls_read


def _csv(text: str, calls: list[Call], tools: ToolSet) -> Found:
    if '{"name"' in text:
        return plain(calls)  # a call that fits no row, as JSON
    rows = list(csv.reader(io.StringIO(text, newline="")))
    pairs = [(row[0], row[1:]) for row in rows]
    expected = [list(map(_cell, by_position(call, tools) or [])) for call in calls]
    return [
        (name, dict(call.arguments) if row == right else row)
        for (name, row), call, right in zip(pairs, calls, expected, strict=True)
    ]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value if isinstance(value, str) else compact


# --- typed by the schema: compared as texts ------------------------------------------------------
def _xml(text: str, calls: list[Call], _tools: ToolSet) -> Found:
    root = ET.fromstring(f"<all>{text}</all>")
    return [
        (
            _tag(element),
            dict(call.arguments) if _same(element, call.arguments) else ET.tostring(root),
        )
        for element, call in zip(root, calls, strict=True)
    ]


def _tag(element: ET.Element) -> str:
    return element.get("name", element.tag)


def _same(element: ET.Element, value: Any) -> bool:
    if isinstance(value, dict):
        return [*map(_tag, element)] == [*value] and all(map(_same, element, value.values()))
    if isinstance(value, list):
        return len(element) == len(value) and all(map(_same, element, value))
    return (element.text or "") == (value if isinstance(value, str) else json.dumps(value))


# --- the rest ------------------------------------------------------------------------------------
def _python(text: str, calls: list[Call], tools: ToolSet) -> Found:
    return [
        (ast.unparse(node.func), {k.arg: ast.literal_eval(k.value) for k in node.keywords})
        for node in _python_calls(ast.parse(text).body)
    ]


def _python_calls(statements: list[ast.stmt]) -> Iterator[ast.Call]:
    for statement in statements:
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Call)
        yield statement.value


def _msgpack(text: str) -> Any:
    return msgpack.unpackb(b64decode(text))


def _cbor(text: str) -> Any:
    return cbor2.loads(b64decode(text))


READERS: dict[str, Read] = {
    **dict.fromkeys((f.name for f in FORMATS if f.group == "LTON"), _lton),
    **dict.fromkeys(("JSON minified", "JSON spaced"), _objects(json.loads)),
    "JSON double-encoded": _double,
    "JSON array": _array(json.loads),
    "JSON name and array": _name_and_array,
    "TRON-like": _name_and_array,
    "TOON": _objects(toon_format.decode),
    "TOON by name": _by_name(toon_format.decode),
    "YAML": _objects(yaml.safe_load),
    "XML": _xml,
    "CSV": _csv,
    "Python call": _python,
    "MessagePack, base64": _objects(_msgpack),
    "MessagePack array, base64": _array(_msgpack),
    "CBOR, base64": _objects(_cbor),
    "CBOR array, base64": _array(_cbor),
}
UNREADABLE = {"JSON arguments only", "GLYPH-like", "values", "values and name"}
"""Rows without a reader: the name, or where a value ends, is gone; or nobody has written one."""
_NO_FLOATS = {"TOON", "TOON by name"}
"""They write 1.0 as 1."""


def problems(turns: Iterable[Turn]) -> Iterator[str]:
    """Return the calls of some turns that are not read back."""
    for turn in turns:
        tools = _tools(json.dumps(turn.tools))
        calls = list(turn.calls)
        for row in FORMATS:
            if row.name in READERS and not (row.name == "Python call" and _is_no_python(calls)):
                text = text_of(row.write(calls, tools))
                calls_read = _reader_of(row.name, text, calls, tools)
                if not same(calls_read, plain(calls), types=row.name not in _NO_FLOATS):
                    yield f"{row.name}: {calls_read} from {text}"


@lru_cache(maxsize=100)
def _tools(definitions: str) -> ToolSet:
    return ToolSet.from_tools(json.loads(definitions))


def _reader_of(name: str, text: str, calls: list[Call], tools: ToolSet) -> Any:
    if name == "LTON wire, aliases":
        tools = aliased(tools)
    if name == "LTON wire, letters":
        tools = lettered(tools)
    try:
        return READERS[name](text, calls, tools)
    except Exception as error:  # whatever a reader raises, it has read nothing
        return repr(error)


def _is_no_python(calls: Sequence[Call]) -> bool:
    """Return whether a name is invalid in Python, which models write anyway."""
    try:
        for call in calls:
            ast.parse(f"{call.name}({', '.join(f'{key}=1' for key in call.arguments)})")
            assert call.name == ast.unparse(ast.parse(call.name).body[0])
    except (SyntaxError, AssertionError):
        return True
    return False


def same(one: Any, other: Any, *, types: bool) -> bool:
    """Return whether two values are equal; with `types`, 1 and 1.0 differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            same(one[key], other[key], types=types) for key in one
        )
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(
            same(a, b, types=types) for a, b in zip(one, other, strict=True)
        )
    return bool(one == other) and (not types or type(one) is type(other))


def main() -> int:
    """Print the calls that are not read back, of the named data sets or all."""
    count = 0
    for name in sys.argv[1:] or CALLS:
        for line in problems(turns_of(name)):
            print(f"{name}: {line[:300]}")
            count += 1
    print(f"{count} problems")
    return min(count, 1)


def turns_of(name: str) -> Iterator[Turn]:
    return (turn for turn in datasets()[name].load() if isinstance(turn, Turn))


if __name__ == "__main__":
    sys.exit(main())
