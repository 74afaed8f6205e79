"""Check the values of JSON Schema keywords, and normalize their spelling (R-420)."""

import reprlib
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, TypeAlias

from lton._syntax import FORBIDDEN, LEAST_INTEGER, MAX_DEPTH, MOST_INTEGER, STEERING
from lton.errors import Code, SchemaError
from lton.schema.jsonschema.patterns import spell

Schema: TypeAlias = Mapping[str, Any]

NUMBER_BOUNDS = {
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusiveMinimum": "exclusive_minimum",
    "exclusiveMaximum": "exclusive_maximum",
}
_NULLS = frozenset(["const", "default", "example", "type"])  # keywords whose value may be null
_SPELLINGS = {
    "null": "null None NoneType",
    "boolean": "boolean bool Boolean",
    "integer": "integer int Integer byte short long Long Bigint",
    "number": "number float Float double Double Number",
    "string": "string str String char date datetime",
    "array": "array list List tuple Tuple set Set Array ArrayList Queue Stack",
    "object": "object dict Dict Object Map HashMap Hashtable",
    "any": "any Any",
}
"""R-420: the types of JSON Schema, and other names that definitions use for them."""
_ANNOTATIONS = frozenset(
    "$anchor $comment $defs $dynamicAnchor $id $recursiveAnchor $schema $vocabulary default"
    " definitions deprecated description discriminator example examples id optional readOnly title"
    " writeOnly".split()
)
CHECKED = frozenset(
    "$dynamicRef $recursiveRef contains dependencies dependentRequired dependentSchemas else if"
    " maxContains maxProperties minContains minProperties multipleOf not pattern"
    " patternProperties prefixItems propertyNames then unevaluatedItems unevaluatedProperties"
    " uniqueItems".split()
)
"""Keywords that a layout does not enforce, or only enforces in part."""
APPLICATORS = ("enum", "const", "anyOf", "oneOf", "allOf")
SAYS_KIND = frozenset(
    "additionalProperties items maxItems maxLength minItems minLength patternProperties prefixItems"
    " properties required unevaluatedProperties".split()
).union(NUMBER_BOUNDS)
"""Keywords that apply to one kind of value, and so imply the kind."""
IMPLIED_KIND = {
    **dict.fromkeys(("properties", "additionalProperties", "patternProperties"), "object"),
    **dict.fromkeys(("items", "prefixItems"), "array"),
}
KNOWN = SAYS_KIND.union(_ANNOTATIONS, APPLICATORS, ["$ref", "additionalItems", "nullable", "type"])
NEWEST_DRAFT = 2020
_ADDED = {
    6: "const contains propertyNames",
    7: "else if then",
    2019: "$recursiveRef dependentRequired dependentSchemas maxContains minContains"
    " unevaluatedItems unevaluatedProperties",
    NEWEST_DRAFT: "$dynamicRef prefixItems",
}
"""The keywords that each draft added to draft 4."""
_SINCE = {keyword: draft for draft, added in _ADDED.items() for keyword in added.split()}
KINDS = {name: kind for kind, names in _SPELLINGS.items() for name in names.split()} | {"": "any"}
"""The kind of value for each spelling."""

_SCALARS = frozenset(["string", "integer", "number", "boolean"])
_OF_PLAIN = frozenset(["type", "title", "description", "default"])
"""The keywords of a plain schema, in every draft. Those besides `type` do not shape the layout."""


def plain_kind(schema: Schema) -> str | None:
    """Return the kind of scalar that a schema allows without limits, or None for other schemas.

    >>> plain_kind({"type": "int", "default": 5}), plain_kind({"type": "string", "maxLength": 5})
    ('integer', None)
    """
    name = schema.get("type")
    if not isinstance(name, str) or not schema.keys() <= _OF_PLAIN:
        return None
    kind = KINDS.get(name)
    return kind if kind in _SCALARS else None


def is_later(keyword: str, draft: int) -> bool:
    """Return whether a keyword was added later than a given draft of JSON Schema."""
    return _SINCE.get(keyword, 0) > draft


def clean(schema: Schema, pointer: str, *, draft: int, standard: bool) -> Schema:
    """Normalize the keywords of a schema, but not of its subschemas.

    Definitions in use may have null for an absent keyword, a boolean as `required` or as an
    exclusive limit, types with names from other languages, and an `enum` for the items next to
    `type: array` (R-420, R-422). With `standard`, such an `enum` lists arrays, and keywords that
    are newer than the schema's draft are dropped.
    """
    cleaned = _present_keywords(schema)
    if standard:
        cleaned = {key: value for key, value in cleaned.items() if not is_later(key, draft)}
    if isinstance(cleaned.get("required"), bool) and _is_scalar(cleaned):
        del cleaned["required"]
    _convert_exclusive_bounds(cleaned)
    if "type" in cleaned:
        cleaned = _with_kinds(cleaned, pointer)
    if standard or "enum" not in cleaned:
        return cleaned
    return _with_item_labels(cleaned)


def _present_keywords(schema: Schema) -> dict[str, Any]:
    items = schema.items()
    return {key: value for key, value in items if value is not None or key in _NULLS}


def _convert_exclusive_bounds(cleaned: dict[str, Any]) -> None:
    """Convert booleans, as in draft 4, to the limits that they make exclusive."""
    for bound, exclusive in _EXCLUSIVE:
        if exclusive not in cleaned or not isinstance(cleaned[exclusive], bool):
            continue
        is_exclusive = cleaned.pop(exclusive)
        if is_exclusive and bound in cleaned:
            cleaned[exclusive] = cleaned.pop(bound)


_EXCLUSIVE = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))


def _with_kinds(cleaned: dict[str, Any], pointer: str) -> dict[str, Any]:
    """Normalize `type` to a list of kinds, or remove it if every kind is allowed."""
    kinds = cleaned["type"]
    if isinstance(kinds, str) and kinds not in KINDS and (meant := _read_annotation(kinds)):
        cleaned = {**meant, **cleaned, "type": meant["type"]}
        kinds = cleaned["type"]
    check_shape("type", kinds, pointer)
    names = [kinds] if isinstance(kinds, str) else kinds
    if unknown := [name for name in names if name not in KINDS]:
        msg = f"no type has the name {cut(unknown[0])}"
        raise SchemaError(Code.KEYWORD, msg, pointer=f"{pointer}/type")
    known = [KINDS[name] for name in names]
    if "any" in known:
        del cleaned["type"]
    else:
        cleaned["type"] = known
    return cleaned


def _with_item_labels(cleaned: dict[str, Any]) -> dict[str, Any]:
    """Move an `enum` of scalars next to `type: array` to the items (R-422)."""
    labels = cleaned.get("enum")
    items = cleaned.get("items", {})
    if cleaned.get("type") != ["array"] or not isinstance(items, Mapping):
        return cleaned
    if _is_choice(labels) and not any(isinstance(label, list) for label in labels or ()):
        cleaned["items"] = {**items, "enum": cleaned.pop("enum")}
    return cleaned


def _read_annotation(name: str) -> dict[str, Any] | None:
    """Convert the text of a Python annotation, such as `List[str]`, to a schema, or return None."""
    plain = name.strip().removesuffix("optional").rstrip(", ")
    is_optional = plain.startswith("Optional[") and plain.endswith("]")
    outer, bracket, inside = (plain[9:-1] if is_optional else plain).partition("[")
    kind = KINDS.get(outer)
    if kind is None or (bracket and not (kind in _HOLD and inside.endswith("]"))):
        return None
    schema: dict[str, Any] = {"type": kind}
    if bracket:
        held = inside[:-1] if kind == "array" else inside[:-1].partition(",")[2]
        schema[_HOLD[kind]] = {"type": held.strip()}
    return {**schema, "nullable": True} if is_optional else schema


_HOLD = {"array": "items", "object": "additionalProperties"}  # keywords for the types of contents


def from_flat(schema: Schema) -> Schema:
    """Convert a map from parameter names to their types into a schema (R-421)."""
    required = [
        name
        for name, part in schema.items()
        if "default" not in part and not str(part["type"]).endswith("optional")
    ]
    return {"type": "object", "properties": schema, "required": required}


def is_flat(schema: Schema) -> bool:
    """Return whether a schema is only a map from parameter names to their types."""
    parts = schema.values()
    is_map = all(isinstance(part, Mapping) and isinstance(part.get("type"), str) for part in parts)
    return bool(schema) and is_map and not schema.keys() & _HOLDERS


_HOLDERS = frozenset(
    "$defs additionalItems additionalProperties const contains default definitions dependencies"
    " dependentSchemas else example if items not patternProperties properties propertyNames then"
    " unevaluatedItems unevaluatedProperties".split()
)
"""Keywords whose value may be an object."""


def _is_scalar(schema: Schema) -> bool:
    """Return whether a schema allows only scalars, for which `required` has no meaning."""
    kind = schema.get("type")
    return isinstance(kind, str) and KINDS.get(kind, "any") not in ("any", "object")


def _is_name(value: object) -> bool:
    return isinstance(value, str) and not FORBIDDEN.search(value)


def _is_pattern(value: object) -> bool:
    try:
        spell(value if isinstance(value, str) else "(")
    except ValueError:
        return False
    return True


def _is_number(value: object) -> bool:
    """Return whether a value is a number that LTON can represent."""
    if isinstance(value, float):
        return isfinite(value)
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return is_integer and LEAST_INTEGER <= value <= MOST_INTEGER


def _is_list_of_names(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_name, value))


def _is_choice(value: object) -> bool:
    return isinstance(value, list) and bool(value)


def is_writable(value: object) -> bool:
    """Return whether LTON can write a scalar. Strings with NUL cannot be written (R-202)."""
    return not (isinstance(value, str) and FORBIDDEN.search(value))


def is_label(value: object) -> bool:
    """Return whether a value is a scalar that a layout can list (R-414)."""
    return value is None or isinstance(value, bool) or _is_name(value) or _is_number(value)


def is_value(value: object, depth: int = 0) -> bool:
    """Return whether LTON can represent a value (R-201 to R-205)."""
    if depth > MAX_DEPTH:
        return False
    if isinstance(value, Mapping):
        return all(_is_name(key) and is_value(part, depth + 1) for key, part in value.items())
    if isinstance(value, list):
        return all(is_value(item, depth + 1) for item in value)
    return is_label(value)


_SIZES = [
    end + what for end in ("min", "max") for what in "Contains Items Length Properties".split()
]
_BY_NAME = ("dependencies", "dependentSchemas")
_SHAPES: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys("$ref $dynamicRef $recursiveRef format".split(), lambda v: isinstance(v, str)),
    "type": lambda v: isinstance(v, str) or _is_list_of_names(v),
    "required": _is_list_of_names,
    "additionalItems": lambda v: isinstance(v, bool | Mapping),
    "items": lambda v: isinstance(v, bool | Mapping | list),
    "pattern": _is_pattern,
    "patternProperties": lambda v: isinstance(v, Mapping) and all(map(_is_pattern, v)),
    **dict.fromkeys(("enum", "prefixItems"), lambda v: isinstance(v, list)),
    **dict.fromkeys(_BY_NAME, lambda v: isinstance(v, Mapping) and all(map(_is_name, v))),
    "properties": lambda v: isinstance(v, Mapping),
    **dict.fromkeys(("anyOf", "oneOf", "allOf"), _is_choice),
    **dict.fromkeys(_SIZES, lambda v: _is_number(v) and v >= 0 and not v % 1),
    **dict.fromkeys(("nullable", "uniqueItems"), lambda v: isinstance(v, bool)),
    "multipleOf": lambda v: _is_number(v) and v > 0,
    "dependentRequired": lambda v: (
        isinstance(v, Mapping) and all(map(_is_list_of_names, v.values()))
    ),
    **dict.fromkeys(NUMBER_BOUNDS, _is_number),
}


def check_shape(keyword: str, value: object, pointer: str) -> None:
    """Raise `SchemaError` if the value of a keyword has the wrong type."""
    if keyword in _SHAPES and not _SHAPES[keyword](value):
        msg = f"{keyword} cannot be {cut(value)}"
        raise SchemaError(Code.DEFINITION, msg, pointer=f"{pointer}/{keyword}")
    if keyword in ("properties", "required"):
        names: Any = value  # a mapping or a list, by the shape
        for name in names:
            check_name(name, f"{pointer}/{keyword}")


def check_name(name: object, pointer: str) -> None:
    """Raise `SchemaError` for a name that contains line ends or control characters."""
    if isinstance(name, str) and name.isprintable():
        return  # the pattern below takes long to compile
    found = STEERING.search(name) if isinstance(name, str) else None
    if not isinstance(name, str) or found:
        reason = f": U+{ord(found[0]):04X}" if found else ""
        msg = f"{cut(name)} cannot be a name{reason}"
        raise SchemaError(Code.DEFINITION, msg, pointer=pointer)


def cut(value: object) -> str:
    """Format a part of a definition for an error message."""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    if is_integer and not LEAST_INTEGER <= value <= MOST_INTEGER:
        return "an integer with too many digits"
    return reprlib.repr(value)
