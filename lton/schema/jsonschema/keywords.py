"""Check the values of JSON Schema keywords, and normalize their spelling (R-420)."""

import reprlib
from collections.abc import Callable, Mapping
from enum import Enum, Flag, auto
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from lton._syntax import FORBIDDEN, LEAST_INTEGER, MAX_DEPTH, MOST_INTEGER, STEERING
from lton.errors import Code, SchemaError
from lton.schema.jsonschema.patterns import try_convert_to_python

Schema: TypeAlias = Mapping[str, Any]

NUMBER_BOUNDS = {
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusiveMinimum": "exclusive_minimum",
    "exclusiveMaximum": "exclusive_maximum",
}
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


class KeywordRole(Enum):
    """What a keyword does in a schema."""

    NOTE = auto()  # informs, and never refuses a value
    ADDRESS = auto()  # changes what a reference points to
    TYPE = auto()  # names the kinds of values, or adds null to them
    LABELS = auto()  # lists values
    LIMIT = auto()  # limits a value by itself
    CONTENT = auto()  # has the schemas of members or items
    HIDDEN = auto()  # has a schema of members or items that a layout does not show
    REST = auto()  # has a schema of the members or items that no other schema describes
    REFERENCE = auto()
    BRANCHES = auto()  # lists schemas of the same value
    EXCLUSION = auto()
    CONDITION = auto()  # checks the same value with a schema, under a condition
    CONSEQUENCE = auto()  # belongs to a condition, or is converted to one


class LayoutCoverage(Enum):
    """How much of a keyword a layout enforces."""

    WHOLE = auto()
    PART = auto()  # or nothing: the arguments are checked after they are read
    NOTHING = auto()  # nothing is enforced, or only for some values of the keyword


class KeywordContents(Flag):
    """What the value of a keyword contains."""

    VALUE = auto()  # any JSON value
    SCHEMA = auto()
    LIST = auto()  # a list of schemas
    NAMED = auto()  # schemas by name


class KeywordShape(Enum):
    """What the value of a keyword must be."""

    ANYTHING = auto()
    FLAG = auto()
    NUMBER = auto()
    POSITIVE = auto()
    SIZE = auto()
    TEXT = auto()
    PATTERN = auto()
    NAMES = auto()
    TYPES = auto()
    LIST = auto()
    CHOICE = auto()  # a list that is not empty
    OBJECT = auto()
    BY_NAME = auto()
    BY_PATTERN = auto()
    NAMES_BY_NAME = auto()
    ITEM = auto()  # a schema
    ITEMS = auto()  # a schema, or a list of schemas


NEWEST_DRAFT = 2020


class Keyword(NamedTuple):
    """What is known of a keyword. The lists of keywords below are computed from these rows."""

    name: str
    role: KeywordRole
    shape: KeywordShape = KeywordShape.ANYTHING
    layout: LayoutCoverage = LayoutCoverage.WHOLE
    holds: KeywordContents = KeywordContents(0)
    kind: str = ""  # the only kind of value that it constrains
    implies_kind: bool = False  # whether a schema without `type` is for this kind only
    since: int = 4  # the draft that added it; of notes, which change no meaning, always 4
    until: int = NEWEST_DRAFT  # the last draft that has it

    @property
    def is_agreed(self) -> bool:
        """Whether the keyword means the same in all drafts from 7 on."""
        is_old_and_new = self.since <= 7 and self.until == NEWEST_DRAFT
        return is_old_and_new and self.role is not KeywordRole.ADDRESS


_NOTES = "$comment $schema deprecated description discriminator examples optional readOnly title"
_ADDRESSES = "$anchor $dynamicAnchor $id $recursiveAnchor $vocabulary id"
_SCHEMA = KeywordContents.SCHEMA
_PART = LayoutCoverage.PART

KEYWORDS = (
    *(Keyword(name, KeywordRole.NOTE) for name in f"{_NOTES} writeOnly".split()),
    *(
        Keyword(name, KeywordRole.NOTE, holds=KeywordContents.VALUE)
        for name in ("default", "example")
    ),
    *(
        Keyword(name, KeywordRole.NOTE, holds=KeywordContents.NAMED)
        for name in ("$defs", "definitions")
    ),
    *(Keyword(name, KeywordRole.ADDRESS) for name in _ADDRESSES.split()),
    Keyword("type", KeywordRole.TYPE, KeywordShape.TYPES),
    Keyword("nullable", KeywordRole.NOTE, KeywordShape.FLAG),  # of OpenAPI
    Keyword("enum", KeywordRole.LABELS, KeywordShape.LIST),
    Keyword("const", KeywordRole.LABELS, holds=KeywordContents.VALUE, since=6),
    # Numbers
    Keyword("minimum", KeywordRole.LIMIT, KeywordShape.NUMBER, kind="number", implies_kind=True),
    Keyword("maximum", KeywordRole.LIMIT, KeywordShape.NUMBER, kind="number", implies_kind=True),
    Keyword(
        "exclusiveMinimum", KeywordRole.LIMIT, KeywordShape.NUMBER, kind="number", implies_kind=True
    ),
    Keyword(
        "exclusiveMaximum", KeywordRole.LIMIT, KeywordShape.NUMBER, kind="number", implies_kind=True
    ),
    Keyword("multipleOf", KeywordRole.LIMIT, KeywordShape.POSITIVE, _PART, kind="number"),
    # Strings
    Keyword("minLength", KeywordRole.LIMIT, KeywordShape.SIZE, kind="string", implies_kind=True),
    Keyword("maxLength", KeywordRole.LIMIT, KeywordShape.SIZE, kind="string", implies_kind=True),
    Keyword("pattern", KeywordRole.LIMIT, KeywordShape.PATTERN, _PART, kind="string"),
    Keyword("format", KeywordRole.NOTE, KeywordShape.TEXT, LayoutCoverage.NOTHING),
    Keyword("contentEncoding", KeywordRole.NOTE, layout=LayoutCoverage.NOTHING, kind="string"),
    Keyword("contentMediaType", KeywordRole.NOTE, layout=LayoutCoverage.NOTHING, kind="string"),
    Keyword("contentSchema", KeywordRole.NOTE, layout=LayoutCoverage.NOTHING),
    # Objects
    Keyword(
        "properties",
        KeywordRole.CONTENT,
        KeywordShape.OBJECT,
        holds=KeywordContents.NAMED,
        kind="object",
        implies_kind=True,
    ),
    Keyword(
        "additionalProperties", KeywordRole.CONTENT, holds=_SCHEMA, kind="object", implies_kind=True
    ),
    Keyword(
        "patternProperties",
        KeywordRole.CONTENT,
        KeywordShape.BY_PATTERN,
        _PART,
        KeywordContents.NAMED,
        kind="object",
        implies_kind=True,
    ),
    Keyword("required", KeywordRole.LIMIT, KeywordShape.NAMES, kind="object", implies_kind=True),
    Keyword("minProperties", KeywordRole.LIMIT, KeywordShape.SIZE, _PART, kind="object"),
    Keyword("maxProperties", KeywordRole.LIMIT, KeywordShape.SIZE, _PART, kind="object"),
    Keyword(
        "dependentRequired",
        KeywordRole.LIMIT,
        KeywordShape.NAMES_BY_NAME,
        _PART,
        kind="object",
        since=2019,
    ),
    # Arrays
    Keyword(
        "items",
        KeywordRole.CONTENT,
        KeywordShape.ITEMS,
        holds=_SCHEMA | KeywordContents.LIST,
        kind="array",
        implies_kind=True,
    ),
    Keyword(
        "prefixItems",
        KeywordRole.CONTENT,
        KeywordShape.LIST,
        _PART,
        KeywordContents.LIST,
        kind="array",
        implies_kind=True,
        since=2020,
    ),
    Keyword(
        "additionalItems",
        KeywordRole.CONTENT,
        KeywordShape.ITEM,
        holds=_SCHEMA,
        kind="array",
        until=2019,
    ),
    Keyword("minItems", KeywordRole.LIMIT, KeywordShape.SIZE, kind="array", implies_kind=True),
    Keyword("maxItems", KeywordRole.LIMIT, KeywordShape.SIZE, kind="array", implies_kind=True),
    Keyword("uniqueItems", KeywordRole.LIMIT, KeywordShape.FLAG, _PART, kind="array"),
    Keyword("minContains", KeywordRole.LIMIT, KeywordShape.SIZE, _PART, kind="array", since=2019),
    Keyword("maxContains", KeywordRole.LIMIT, KeywordShape.SIZE, _PART, kind="array", since=2019),
    # Schemas that a layout does not show
    Keyword("contains", KeywordRole.HIDDEN, layout=_PART, holds=_SCHEMA, kind="array", since=6),
    Keyword(
        "propertyNames", KeywordRole.HIDDEN, layout=_PART, holds=_SCHEMA, kind="object", since=6
    ),
    Keyword(
        "unevaluatedItems", KeywordRole.REST, layout=_PART, holds=_SCHEMA, kind="array", since=2019
    ),
    Keyword(
        "unevaluatedProperties",
        KeywordRole.REST,
        layout=_PART,
        holds=_SCHEMA,
        kind="object",
        implies_kind=True,
        since=2019,
    ),
    # Other schemas for the same value
    Keyword("$ref", KeywordRole.REFERENCE, KeywordShape.TEXT),
    Keyword(
        "$recursiveRef", KeywordRole.REFERENCE, KeywordShape.TEXT, _PART, since=2019, until=2019
    ),
    Keyword("$dynamicRef", KeywordRole.REFERENCE, KeywordShape.TEXT, _PART, since=2020),
    Keyword("anyOf", KeywordRole.BRANCHES, KeywordShape.CHOICE, holds=KeywordContents.LIST),
    Keyword("oneOf", KeywordRole.BRANCHES, KeywordShape.CHOICE, holds=KeywordContents.LIST),
    Keyword("allOf", KeywordRole.BRANCHES, KeywordShape.CHOICE, holds=KeywordContents.LIST),
    Keyword("not", KeywordRole.EXCLUSION, layout=_PART, holds=_SCHEMA),
    Keyword("if", KeywordRole.CONDITION, layout=_PART, holds=_SCHEMA, since=7),
    Keyword("then", KeywordRole.CONSEQUENCE, layout=_PART, holds=_SCHEMA, since=7),
    Keyword("else", KeywordRole.CONSEQUENCE, layout=_PART, holds=_SCHEMA, since=7),
    Keyword(
        "dependentSchemas",
        KeywordRole.CONDITION,
        KeywordShape.BY_NAME,
        _PART,
        KeywordContents.NAMED,
        since=2019,
    ),
    Keyword(
        "dependencies",
        KeywordRole.CONSEQUENCE,
        KeywordShape.BY_NAME,
        _PART,
        KeywordContents.NAMED,
        until=7,
    ),
)


def list_keywords_with_roles(*roles: KeywordRole) -> tuple[str, ...]:
    """Return the keywords that have one of the roles, in the order of the table."""
    return tuple(keyword.name for keyword in KEYWORDS if keyword.role in roles)


def list_keywords_holding(holds: KeywordContents) -> frozenset[str]:
    """Return the keywords whose values contain this."""
    return frozenset(keyword.name for keyword in KEYWORDS if keyword.holds & holds)


CHECKED = frozenset(keyword.name for keyword in KEYWORDS if keyword.layout is LayoutCoverage.PART)
"""Keywords that a layout does not enforce, or only enforces in part."""
APPLICATORS = list_keywords_with_roles(KeywordRole.LABELS, KeywordRole.BRANCHES)
SAYS_KIND = frozenset(keyword.name for keyword in KEYWORDS if keyword.implies_kind)
"""Keywords that apply to one kind of value, and so imply the kind."""
IMPLIED_KIND = {
    keyword.name: keyword.kind
    for keyword in KEYWORDS
    if keyword.implies_kind and keyword.role is KeywordRole.CONTENT
}
KNOWN = SAYS_KIND.union(
    keyword.name for keyword in KEYWORDS if keyword.layout is LayoutCoverage.WHOLE
)
_NULLS = list_keywords_holding(KeywordContents.VALUE) | {"type"}  # keywords whose value may be null
_HOLDERS = list_keywords_holding(
    KeywordContents.VALUE | KeywordContents.SCHEMA | KeywordContents.NAMED
)
"""Keywords whose value may be an object."""
_SINCE = {keyword.name: keyword.since for keyword in KEYWORDS}
_SHAPE = {keyword.name: keyword.shape for keyword in KEYWORDS}
KINDS = {name: kind for kind, names in _SPELLINGS.items() for name in names.split()} | {"": "any"}
"""The kind of value for each spelling."""

_SCALARS = frozenset(["string", "integer", "number", "boolean"])
_OF_PLAIN = frozenset(["type", "title", "description", "default"])
"""The keywords of a plain schema, in every draft. Those besides `type` do not shape the layout."""


def find_kind_of_plain_schema(schema: Schema) -> str | None:
    """Return the kind of scalar that a schema allows without limits, or None for other schemas.

    >>> schemas = {"type": "int", "default": 5}, {"type": "string", "maxLength": 5}
    >>> [find_kind_of_plain_schema(schema) for schema in schemas]
    ['integer', None]
    """
    name = schema.get("type")
    if not isinstance(name, str) or not schema.keys() <= _OF_PLAIN:
        return None
    kind = KINDS.get(name)
    return kind if kind in _SCALARS else None


def find_label_name(schema: Schema) -> str | None:
    """Return the name of the label that OpenAPI's `discriminator` names, or None."""
    discriminator = schema.get("discriminator")
    name = discriminator.get("propertyName") if isinstance(discriminator, Mapping) else None
    return name if isinstance(name, str) else None


def is_later_than(keyword: str, draft: int) -> bool:
    """Return whether a keyword was added later than a given draft of JSON Schema."""
    return _SINCE.get(keyword, 0) > draft


def normalize_keywords(schema: Schema, pointer: str, *, draft: int, standard: bool) -> Schema:
    """Normalize the keywords of a schema, but not of its subschemas.

    Definitions in use may have null for an absent keyword, a boolean as `required` or as an
    exclusive limit, types with names from other languages, and an `enum` for the items next to
    `type: array` (R-420, R-422). With `standard`, such an `enum` lists arrays, and keywords that
    are newer than the schema's draft are dropped.
    """
    cleaned = _present_keywords(schema)
    if standard:
        cleaned = {key: value for key, value in cleaned.items() if not is_later_than(key, draft)}
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
    if (
        isinstance(kinds, str)
        and kinds not in KINDS
        and (annotation := _try_read_python_annotation(kinds))
    ):
        cleaned = {**annotation, **cleaned, "type": annotation["type"]}
        kinds = cleaned["type"]
    check_shape("type", kinds, pointer)
    names = [kinds] if isinstance(kinds, str) else kinds
    if unknown := [name for name in names if name not in KINDS]:
        msg = f"no type has the name {format_excerpt(unknown[0])}"
        raise SchemaError(Code.KEYWORD, msg, pointer=f"{pointer}/type")
    allowed = [KINDS[name] for name in names]
    if "any" in allowed:
        del cleaned["type"]
    else:
        cleaned["type"] = allowed
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


def _try_read_python_annotation(name: str) -> dict[str, Any] | None:
    """Convert the text of a Python annotation, such as `List[str]`, to a schema, or return None."""
    plain = name.strip().removesuffix("optional").rstrip(", ")
    is_optional = plain.startswith("Optional[") and plain.endswith("]")
    outer, bracket, inside = (plain[9:-1] if is_optional else plain).partition("[")
    kind = KINDS.get(outer)
    if kind is None or (bracket and not (kind in _HOLD and inside.endswith("]"))):
        return None
    schema: dict[str, Any] = {"type": kind}
    if bracket:
        item_type = inside[:-1] if kind == "array" else inside[:-1].partition(",")[2]
        schema[_HOLD[kind]] = {"type": item_type.strip()}
    return {**schema, "nullable": True} if is_optional else schema


_HOLD = {"array": "items", "object": "additionalProperties"}  # keywords for the types of contents


def schema_from_flat(schema: Schema) -> Schema:
    """Convert a map from parameter names to their types into a schema (R-421)."""
    required = [
        name
        for name, part in schema.items()
        if "default" not in part and not str(part["type"]).endswith("optional")
    ]
    return {"type": "object", "properties": schema, "required": required}


def is_flat_map(schema: Schema) -> bool:
    """Return whether a schema is only a map from parameter names to their types."""
    parts = schema.values()
    is_map = all(isinstance(part, Mapping) and isinstance(part.get("type"), str) for part in parts)
    return bool(schema) and is_map and not schema.keys() & _HOLDERS


def _is_scalar(schema: Schema) -> bool:
    """Return whether a schema allows only scalars, for which `required` has no meaning."""
    kind = schema.get("type")
    return isinstance(kind, str) and KINDS.get(kind, "any") not in ("any", "object")


def _is_name(value: object) -> bool:
    return isinstance(value, str) and not FORBIDDEN.search(value)


def _is_pattern(value: object) -> bool:
    try:
        try_convert_to_python(value if isinstance(value, str) else "(")
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


def _is_size(value: Any) -> bool:
    return _is_number(value) and value >= 0 and not value % 1


_SHAPES: Mapping[KeywordShape, Callable[[Any], bool]] = {
    KeywordShape.ANYTHING: lambda v: True,
    KeywordShape.FLAG: lambda v: isinstance(v, bool),
    KeywordShape.NUMBER: _is_number,
    KeywordShape.POSITIVE: lambda v: _is_number(v) and v > 0,
    KeywordShape.SIZE: _is_size,
    KeywordShape.TEXT: lambda v: isinstance(v, str),
    KeywordShape.PATTERN: _is_pattern,
    KeywordShape.NAMES: _is_list_of_names,
    KeywordShape.TYPES: lambda v: isinstance(v, str) or _is_list_of_names(v),
    KeywordShape.LIST: lambda v: isinstance(v, list),
    KeywordShape.CHOICE: _is_choice,
    KeywordShape.OBJECT: lambda v: isinstance(v, Mapping),
    KeywordShape.BY_NAME: lambda v: isinstance(v, Mapping) and all(map(_is_name, v)),
    KeywordShape.BY_PATTERN: lambda v: isinstance(v, Mapping) and all(map(_is_pattern, v)),
    KeywordShape.NAMES_BY_NAME: lambda v: (
        isinstance(v, Mapping) and all(map(_is_list_of_names, v.values()))
    ),
    KeywordShape.ITEM: lambda v: isinstance(v, bool | Mapping),
    KeywordShape.ITEMS: lambda v: isinstance(v, bool | Mapping | list),
}


def check_shape(keyword: str, value: object, pointer: str) -> None:
    """Raise `SchemaError` if the value of a keyword has the wrong type."""
    if not _SHAPES[_SHAPE.get(keyword, KeywordShape.ANYTHING)](value):
        msg = f"{keyword} cannot be {format_excerpt(value)}"
        raise SchemaError(Code.DEFINITION, msg, pointer=f"{pointer}/{keyword}")
    if keyword in ("properties", "required"):
        names: Any = value  # a mapping or a list, by the shape
        for name in names:
            check_name(name, f"{pointer}/{keyword}")


def check_name(name: object, pointer: str) -> None:
    """Raise `SchemaError` for a name that contains line ends or control characters."""
    if isinstance(name, str) and name.isprintable():
        return  # the pattern below takes long to compile
    control = STEERING.search(name) if isinstance(name, str) else None
    if not isinstance(name, str) or control:
        reason = f": U+{ord(control[0]):04X}" if control else ""
        msg = f"{format_excerpt(name)} cannot be a name{reason}"
        raise SchemaError(Code.DEFINITION, msg, pointer=pointer)


def format_excerpt(value: object) -> str:
    """Format a part of a definition for an error message."""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    if is_integer and not LEAST_INTEGER <= value <= MOST_INTEGER:
        return "an integer with too many digits"
    return reprlib.repr(value)
