"""Generate tool definitions and values from the choices of a fuzzer, or at random."""

from collections.abc import Callable
from typing import Any

Choose = Callable[[int], int]
"""A function that returns a number from 0 to a given number."""

TEXTS = (
    *(
        "",
        "a",
        "b",
        "x\n",
        " ",
        "x ",
        "\n",
        "a b",
        "null",
        "true",
        "7",
        "-0",
        "s1:",
        "_",
        "&",
        "@a",
    ),
    *("a|b", "...", "(", ")", "=", '"', "'", "`", "```", "```\n", "'\"`", "!call", "?", "a?:int"),
    *("\x00", "\x1b[2J", "\u2028", "\r", "\ud800", "é", "str", "any", "int", "a.b", "a/b", "a~b"),
)
PATTERNS = (
    *(
        "^a",
        "^(a+)+$",
        "(a|b)*c$",
        "(?=a).b",
        "(?!.*b)^",
        "\\bx",
        "(?<=a)b",
        "\\p{L}",
        "[^\\P{Lu}a]",
        "(a)\\1",
    ),
    *("[a", "(?i)A", "a{2,3}", "[^a\n]+$", "(?<n>a)", "\\d+", "x{1000}", "", "$", "^$", "\x00"),
)
_REFERENCES = ("#", "#/$defs/a", "#/definitions/a", "#/properties/a", "#a", "http://x/y", "y", "#/")
_KINDS = ("string", "integer", "number", "boolean", "null", "array", "object", "any", "List[str]")
_ONE = (
    *("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"),
    *("unevaluatedProperties", "unevaluatedItems", "additionalItems"),
)
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems", "items")
_NAMED = (
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
)
_SIZES = (
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxContains",
    "minimum",
)
_FORMATS = (
    "date",
    "time",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "json-pointer",
    "uri",
    "uri-reference",
    "uuid",
    "x",
)
_ANYWHERE = (
    *("properties", "items", "required", "enum", "type", "format", "pattern", "default", "$ref"),
    *("dependencies", "dependentRequired", "allOf", "minimum", "nullable", "$id", "description"),
)
"""Keywords with a value that may be wrong."""
_DRAFTS = ("http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#", 5)
_DEEPEST = 4


def value(choose: Choose, depth: int = 0) -> Any:
    """Generate a value, mostly of JSON."""
    kind = choose(7 if depth < _DEEPEST else 5)
    if kind == 6:
        return [value(choose, depth + 1) for _ in range(choose(3))]
    if kind == 7:
        return {_one_of(TEXTS, choose): value(choose, depth + 1) for _ in range(choose(3))}
    plain = (_one_of(TEXTS, choose), choose(9), -1.5, True, None, 10**25)
    return plain[kind]


def schema(choose: Choose, depth: int = 0) -> Any:
    """Generate a schema, mostly a valid one."""
    if depth >= _DEEPEST or not choose(12):
        return (True, False, {}, None, 5)[choose(4)]
    made: dict[str, Any] = {}
    for _ in range(choose(3)):
        made |= _keyword(choose, depth + 1)
    return made


def _keyword(choose: Choose, depth: int) -> dict[str, Any]:
    def part() -> Any:
        return schema(choose, depth)

    def text() -> str:
        return str(_one_of(TEXTS, choose))

    return (
        lambda: {"type": _one_of(_KINDS, choose)},
        lambda: {"type": [_one_of(_KINDS, choose) for _ in range(choose(2))]},
        lambda: {_one_of(_ONE, choose): part()},
        lambda: {_one_of(_LISTED, choose): [part() for _ in range(choose(3))]},
        lambda: {_one_of(_NAMED, choose): {text(): part() for _ in range(choose(3))}},
        lambda: {_one_of(_SIZES, choose): choose(5)},
        lambda: {"pattern": _one_of(PATTERNS, choose)},
        lambda: {"format": _one_of(_FORMATS, choose)},
        lambda: {"enum": [value(choose, depth) for _ in range(choose(3))]},
        lambda: {"const": value(choose, depth)},
        lambda: {"default": value(choose, depth)},
        lambda: {"description": text() + text()},
        lambda: {"required": [text() for _ in range(choose(2))]},
        lambda: {"$ref": _one_of(_REFERENCES, choose)},
        lambda: {("$id", "id", "$anchor", "$dynamicRef")[choose(3)]: _one_of(_REFERENCES, choose)},
        lambda: {"$schema": _one_of(_DRAFTS, choose)},
        lambda: {"multipleOf": (0.5, 2, 0)[choose(2)], "uniqueItems": True},
        lambda: {"properties": {"a": part()}, "$defs": {"a": part()}},
        lambda: {text(): value(choose, depth)},
        lambda: {"dependencies": {"a": [value(choose, depth)]}, "$defs": {"a": {}}},
        lambda: {_one_of(_ANYWHERE, choose): value(choose, depth)},
    )[choose(20)]()


def definitions(choose: Choose) -> Any:
    """Generate tool definitions."""
    names = ["f", _one_of(TEXTS, choose)][: 1 + choose(1)]
    return [
        {"name": name, "description": _one_of(TEXTS, choose), "parameters": _parameters(choose)}
        for name in names
    ]


def _parameters(choose: Choose) -> Any:
    made = schema(choose)
    named = {str(_one_of(TEXTS, choose)): schema(choose, 1) for _ in range(choose(3))}
    return {**made, "type": "object", "properties": named} if isinstance(made, dict) else made


def _one_of(options: Any, choose: Choose) -> Any:
    return options[choose(len(options) - 1)]
