"""The calls that the speed benchmark writes and reads."""

import sysconfig
from collections.abc import Callable, Mapping
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from lton import Call, EncodeError, ToolSet, encode
from lton_bench import bfcl, tau2
from lton_bench.speed.contestants import Batch


def one_a_text(stride: int = 1) -> list[Batch]:
    """Return each gold call of BFCL that fits its schema, with the tools of its entry."""
    return [
        Batch(calls=[call], definitions=case.tools)
        for case in bfcl.load()[::stride]
        for call in _fitting(case)
    ]


def one_a_toolset(stride: int = 1) -> list[Batch]:
    """Return the same calls in as few batches as their tools allow: one per category, or more."""
    groups: dict[str, list[tuple[dict[str, Any], list[Call]]]] = {}
    for case in bfcl.load()[::stride]:
        tools = {definition["function"]["name"]: definition for definition in case.tools}
        of_category = groups.setdefault(case.category, [])
        for group_tools, calls in of_category:
            if all(group_tools.get(name, tool) == tool for name, tool in tools.items()):
                group_tools.update(tools)
                calls.extend(_fitting(case))
                break
        else:
            of_category.append((tools, _fitting(case)))
    return [
        Batch(calls=calls, definitions=list(tools.values()), many=True)
        for of_category in groups.values()
        for tools, calls in of_category
        if calls
    ]


def _fitting(case: bfcl.Case) -> list[Call]:
    tools = ToolSet.from_tools(case.tools)
    fitting = []
    for name, arguments in case.calls:
        call = Call(name, arguments)
        try:
            encode(call, tools)
        except EncodeError:
            continue
        fitting.append(call)
    return fitting


def of_tau2(stride: int = 1) -> list[Batch]:
    """Return each gold call of tau2, with all tools of its domain; some take any object."""
    return [
        Batch(calls=[call], definitions=tools)
        for tools, calls in map(tau2.load, tau2.DOMAINS)
        for call in calls[::stride]
    ]


def page_of_rows(count: int = 10_000) -> list[Batch]:
    """Return a call with rows that its schema does not describe, as results of databases have."""
    rows = [
        {
            "id": i,
            "name": f"user {i}",
            "mail": f"u{i}@x.org",
            "price": i * 1.25,
            "paid": i % 3 == 0,
        }
        for i in range(count)
    ]
    schema = {"type": "array", "items": {"type": "object"}}
    return [
        Batch(
            calls=[Call("load", {"rows": rows})], definitions=[function_tool("load", rows=schema)]
        )
    ]


@cache
def source(size: int, *, ascii_only: bool) -> str:
    """Return `size` characters of the standard library's sources, either ASCII or other files.

    The result depends only on the version of Python.
    """
    library = Path(sysconfig.get_path("stdlib"))
    foreign = {"site-packages", "dist-packages", "test", "tests"}
    parts: list[str] = []
    for path in sorted(library.rglob("*.py")):
        if sum(map(len, parts)) >= size:
            break
        if foreign.isdisjoint(path.relative_to(library).parts):
            text = path.read_bytes().decode("utf-8", "replace")
            if text.isascii() == ascii_only and "\0" not in text:
                parts.append(text)
    return _repeat_text("".join(parts), size)


def _repeat_text(text: str, size: int) -> str:
    return (text * (size // len(text) + 1))[:size]


def function_tool(name: str, **properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the definition of a tool; all its parameters are required."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {
        "type": "function",
        "function": {"name": name, "description": "", "parameters": schema},
    }


_STRING = {"type": "string"}
TOOLS = [
    function_tool("write_file", path=_STRING, content=_STRING),
    function_tool("note", text=_STRING),
    function_tool("weather.v1", city=_STRING, days={"type": "integer"}, unit={"enum": ["C", "F"]}),
    function_tool("add", numbers={"type": "array", "items": {"type": "integer"}}),
    function_tool("tag", words={"type": "array", "items": _STRING}),
]


def file_of(text: str) -> Batch:
    """Return a call that writes a file with this content."""
    return Batch(calls=[Call("write_file", {"path": "a.py", "content": text})], definitions=TOOLS)


def _calls_with_code(size: int) -> list[Call]:
    return [
        Call(
            "write_file",
            {"path": "a.py", "content": _repeat_text(source(1_000_000, ascii_only=True), size)},
        )
    ]


def _calls_with_note(size: int) -> list[Call]:
    return [Call("note", {"text": _repeat_text("Nothing here needs an escape. ", size)})]


def weather_calls(size: int) -> list[Call]:
    """Return calls with a total length of about `size` characters."""
    cities = islice(cycle(("San Leandro", "Paris", "Brno", "Rio de Janeiro")), size // 18)
    return [
        Call("weather.v1", {"city": city, "days": index % 15, "unit": "CF"[index % 2]})
        for index, city in enumerate(cities)
    ]


def _numbers(size: int) -> list[Call]:
    return [Call("add", {"numbers": [index * 7_919 % 99_991 for index in range(size // 6)]})]


def _words(size: int) -> list[Call]:
    words = islice(cycle(("urgent", "type-bug", "two words", "3.13", "é")), size * 10 // 81)
    return [Call("tag", {"words": list(words)})]


SHAPES: dict[str, Callable[[int], list[Call]]] = {
    "counted string": _calls_with_code,
    "quoted string": _calls_with_note,
    "many calls": weather_calls,
    "integers": _numbers,
    "short strings": _words,
}
