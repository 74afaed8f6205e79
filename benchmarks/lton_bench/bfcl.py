"""BFCL (the Berkeley Function-Calling Leaderboard) as cases: a question, its tools, and gold calls.

The PyPI package `bfcl-eval` contains the data as JSON lines. Its code is never imported, because
that would also import every model vendor's client. Only its data files are read.

Three peculiarities of the data are converted, and nothing else is repaired:

* Schemas. `normalise` turns BFCL's type names into those of JSON Schema 2020-12.

* Acceptable values. Gold data writes `{"unit": ["cm", ""]}` for "the unit is cm, or is left out". A
case has one value for each argument, the first acceptable one.

* Omission. `""` among the acceptable values marks an argument that may be left out: see `load`.

All other data are unchanged, including gold values that violate their own schema.

Data: `pip install --no-deps bfcl-eval` (Apache-2.0), counted on 2026.3.23.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lton.schema.jsonschema.keywords import KINDS
from lton_bench.packages import folder

__all__ = [
    "CATEGORIES",
    "SOURCES",
    "Case",
    "Entry",
    "documents",
    "entries",
    "functions",
    "gold",
    "load",
    "multi_turn",
    "multi_turn_functions",
    "normalise",
    "read_tool",
]

Schema = dict[str, Any]
Optionals = Literal["kept", "omitted"]

CATEGORIES = (
    "simple_python",
    "simple_java",
    "simple_javascript",
    "multiple",
    "parallel",
    "parallel_multiple",
    "live_simple",
    "live_multiple",
    "live_parallel",
    "live_parallel_multiple",
)
_TURNS = "multi_turn_func_doc"
_UNANSWERED = ("irrelevance", "live_irrelevance", "live_relevance")
SOURCES = (*CATEGORIES, *_UNANSWERED, _TURNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An entry: the last user message, the tools, and the gold names and arguments.

    `tools` are OpenAI chat tools with normalised parameters. Names stay as they are, with dots.
    """

    category: str
    id: str
    question: str
    tools: list[dict[str, Any]]
    calls: list[tuple[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry with a single turn: its messages, its tools, and every answer that is right.

    `answers` has one `{name: {argument: acceptable values}}` for each call, in the form of BFCL. If
    no call is expected, it is empty.
    """

    category: str
    id: str
    messages: list[dict[str, str]]
    tools: list[dict[str, Any]]
    answers: list[dict[str, dict[str, list[Any]]]]


def normalise(schema: Schema) -> Schema:
    """Return the same schema in JSON Schema 2020-12; normalising it again changes nothing.

    Type names follow one table (`dict` becomes `object`, `any` loses its type). A list of `items`
    becomes `prefixItems`, and the `enum` of an array that lists no arrays goes to its items.
    BFCL's own keyword `optional` is dropped: `required` decides.
    A type name or keyword that no table lists is a `ValueError` that names it.

    >>> normalise({"type": "dict", "properties": {"type": {"type": "float"}, "x": {"type": "any"}}})
    {'type': 'object', 'properties': {'type': {'type': 'number'}, 'x': {}}}
    >>> normalise({"type": "array", "items": {"type": "Vector"}})
    Traceback (most recent call last):
    ValueError: expected a BFCL type name, found 'Vector'
    """
    normal: Schema = {}
    for keyword, value in schema.items():
        if keyword not in _KEYWORDS:
            raise ValueError(f"expected a JSON Schema keyword, found {keyword!r}")
        normal |= _KEYWORDS[keyword](keyword, value)
    if normal.get("type") == "array" and not any(
        isinstance(v, list) for v in normal.get("enum", [[]])
    ):
        # The labels of an array are always meant for its items: nothing else could be one of them.
        normal["items"] = {**normal.get("items", {}), "enum": normal.pop("enum")}
    return normal


# One function for each shape of a keyword's value: it returns the keywords that take its place.
def _copy_keyword(keyword: str, value: Any) -> Schema:
    return {keyword: value}


def _drop_keyword(_keyword: str, _value: Any) -> Schema:
    return {}


def _type(keyword: str, value: str | list[str]) -> Schema:
    names = [value] if isinstance(value, str) else value
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        raise ValueError(f"expected a BFCL type name, found {unknown[0]!r}")
    types = [KINDS[name] for name in names]
    if "any" in types:
        return {}
    return {keyword: types[0] if isinstance(value, str) else types}


def _subschema(value: Schema | bool) -> Schema | bool:
    return value if isinstance(value, bool) else normalise(value)


def _schema(keyword: str, value: Schema | bool) -> Schema:
    return {keyword: _subschema(value)}


def _schemas(keyword: str, value: list[Schema | bool]) -> Schema:
    return {keyword: [_subschema(member) for member in value]}


def _named_schemas(keyword: str, value: dict[str, Schema | bool]) -> Schema:
    # The keys are names chosen by the author: a property called "type" is no keyword.
    return {keyword: {name: _subschema(member) for name, member in value.items()}}


def _items(keyword: str, value: Schema | bool | list[Schema | bool]) -> Schema:
    return _schemas("prefixItems", value) if isinstance(value, list) else _schema(keyword, value)


_KEYWORDS: dict[str, Callable[[str, Any], Schema]] = {
    "type": _type,
    "items": _items,
    "optional": _drop_keyword,
    **dict.fromkeys(
        ("additionalProperties", "contains", "else", "if", "not", "propertyNames", "then"), _schema
    ),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), _schema),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), _schemas),
    **dict.fromkeys(
        ("$defs", "dependentSchemas", "patternProperties", "properties"), _named_schemas
    ),
    **dict.fromkeys(("$anchor", "$comment", "$id", "$ref", "$schema"), _copy_keyword),
    **dict.fromkeys(
        ("default", "deprecated", "description", "examples", "format", "title"), _copy_keyword
    ),
    **dict.fromkeys(
        ("const", "enum", "exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"),
        _copy_keyword,
    ),
    **dict.fromkeys(
        ("maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"),
        _copy_keyword,
    ),
    **dict.fromkeys(("multipleOf", "pattern", "required", "uniqueItems"), _copy_keyword),
}


def load(categories: Iterable[str] = CATEGORIES, *, optionals: Optionals = "kept") -> list[Case]:
    """Return the entries of some categories with their gold calls, in the order of the files.

    Each argument gets its first acceptable value, and so does each property of a nested object.
    These rules decide whether an argument that may be `""` is given:

    * If the schema requires it, it has the first acceptable value other than `""`. If `""` is the
      only value (`origin_airport` in `live_multiple_507-149-4`), it is `""`.
    * If it is optional and `""` comes first, it is left out.
    * If it is optional and `""` comes later, it is given, unless `optionals="omitted"`.

    Instead of a list of acceptable values the data can have the value itself: a scalar, or `[]` for
    an empty array.

    >>> load(["simple_python"])[0].calls
    [('calculate_triangle_area', {'base': 10, 'height': 5, 'unit': 'units'})]
    >>> load(["simple_python"], optionals="omitted")[0].calls
    [('calculate_triangle_area', {'base': 10, 'height': 5})]
    """
    return [case for category in categories for case in _cases(category, optionals)]


def entries(category: str) -> Iterator[Entry]:
    """Yield the entries of a category, with normalised schemas.

    >>> next(entries("simple_python")).answers
    [{'calculate_triangle_area': {'base': [10], 'height': [5], 'unit': ['units', '']}}]
    """
    file = f"BFCL_v4_{category}.json"
    lines = _lines(file)
    if category in _UNANSWERED:
        answers = [{"id": entry["id"], "ground_truth": []} for entry in lines]
    else:
        answers = _lines(f"possible_answer/{file}")
    for entry, answer in zip(lines, answers, strict=True):
        if entry["id"] != answer["id"]:
            raise ValueError(f"expected the answer to {entry['id']!r}, found {answer['id']!r}")
        yield Entry(
            category=category,
            id=entry["id"],
            messages=entry["question"][-1],
            tools=[read_tool(document) for document in entry["function"]],
            answers=answer["ground_truth"],
        )


def gold(entry: Entry, *, optionals: Optionals = "kept") -> list[tuple[str, dict[str, Any]]]:
    """Return one right answer as names and arguments, chosen by the rules of `load`."""
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in entry.tools}
    return [
        (name, _first(arguments, schemas[name], optionals))
        for answer in entry.answers
        for name, arguments in answer.items()
    ]


def functions(sources: Iterable[str] = SOURCES) -> list[dict[str, Any]]:
    """Return the distinct OpenAI tools in some files, in order of appearance.

    Tools are equal if their canonical JSON is equal, so several tools can have the same name.
    """
    distinct = {
        json.dumps(tool, sort_keys=True, separators=(",", ":")): tool
        for source in sources
        for tool in map(read_tool, _documents(source))
    }
    return list(distinct.values())


def documents(sources: Iterable[str] = SOURCES) -> list[dict[str, Any]]:
    """Return the distinct functions in some files, unchanged, in order of appearance."""
    distinct = {
        json.dumps(document, sort_keys=True): document
        for source in sources
        for document in _documents(source)
    }
    return list(distinct.values())


def multi_turn(category: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the classes and the gold calls in Python of a category's entries with several turns.

    >>> classes, calls = next(multi_turn("base"))
    >>> classes, calls[:2]
    (['TwitterAPI', 'GorillaFileSystem'], ["cd(folder='document')", "mkdir(dir_name='temp')"])
    """
    file = f"BFCL_v4_multi_turn_{category}.json"
    for entry, answer in zip(_lines(file), _lines(f"possible_answer/{file}"), strict=True):
        calls = [call for turn in answer["ground_truth"] for call in turn]
        yield entry["involved_classes"], calls


def multi_turn_functions(file: str) -> list[dict[str, Any]]:
    """Return the OpenAI tools in a file of functions for several turns."""
    return list(map(read_tool, _lines(f"{_TURNS}/{file}.json")))


def _cases(category: str, optionals: Optionals) -> Iterator[Case]:
    for entry in entries(category):
        yield Case(
            category=category,
            id=entry.id,
            question=[m["content"] for m in entry.messages if m["role"] == "user"][-1],
            tools=entry.tools,
            calls=gold(entry, optionals=optionals),
        )


def _first(value: Any, schema: Schema, optionals: Optionals) -> Any:
    """Return the value with the first choice for each property. Lists are arrays, not choices."""
    if isinstance(value, list):
        return [_first(member, schema.get("items", {}), optionals) for member in value]
    if not isinstance(value, dict):
        return value
    properties, required = schema.get("properties", {}), schema.get("required", [])
    return {
        name: _first(choice, properties.get(name, {}), optionals)
        for name, acceptable in value.items()
        for choice in _choices(acceptable, required=name in required, optionals=optionals)
    }


def _choices(acceptable: Any, *, required: bool, optionals: Optionals) -> list[Any]:
    """Yield the value, or nothing if the argument is left out."""
    if not isinstance(acceptable, list) or not acceptable:
        return [acceptable]
    left_out = acceptable[0] == "" or (optionals == "omitted" and "" in acceptable)
    if left_out and not required:
        return []
    return [value for value in acceptable if value != ""][:1] or [""]


def read_tool(document: dict[str, Any]) -> dict[str, Any]:
    """Return a function of BFCL as an OpenAI tool with a normalised schema."""
    try:
        parameters = normalise(document["parameters"])
    except ValueError as error:
        error.add_note(f"in the function {document['name']!r}")
        raise
    function = {
        "name": document["name"],
        "description": document["description"],
        "parameters": parameters,
    }
    return {"type": "function", "function": function}


def _documents(source: str) -> Iterator[dict[str, Any]]:
    if source == _TURNS:
        for path in sorted((_data() / _TURNS).glob("*.json")):
            yield from _lines(f"{_TURNS}/{path.name}")
    else:
        for entry in _lines(f"BFCL_v4_{source}.json"):
            yield from entry["function"]


def _lines(file: str) -> list[dict[str, Any]]:
    # Not `splitlines`: it also cuts at U+2028 and the like, which JSON strings may hold.
    return [
        json.loads(line) for line in (_data() / file).read_text("utf-8").split("\n") if line.strip()
    ]


def _data() -> Path:
    return folder("bfcl_eval") / "data"


def _main() -> None:
    cases = load()
    print(f"{'category':<24}{'entries':>8}{'calls':>8}")
    for row in (*CATEGORIES, "total"):
        calls = [len(case.calls) for case in cases if row in (case.category, "total")]
        print(f"{row:<24}{len(calls):>8,}{sum(calls):>8,}")


if __name__ == "__main__":
    _main()
