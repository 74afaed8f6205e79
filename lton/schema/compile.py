"""JSON Schema to types. What shapes the layout is compiled, what cannot be laid out is refused.

Each keyword has a place in one of the tables below; one that has none is a `SchemaError` with the
JSON Pointer to it. Keywords that only constrain values, and are not enforced yet, are reported as
`Note`s: nothing is skipped in silence.
"""

import reprlib
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from math import isfinite
from typing import Any, TypeAlias

from lton._syntax import FORBIDDEN, MAX_DEPTH, MAX_INTEGER
from lton.errors import Code, SchemaError
from lton.schema.references import Scope
from lton.schema.types import ANY, Array, Number, Object, Param, String, Type

MAX_POSITIONS = 100_000
"""So many values and parts of values one tool's arguments may have (R-65)."""

Schema: TypeAlias = Mapping[str, Any]
Inner: TypeAlias = Callable[..., Type]
Compiler: TypeAlias = Callable[[Schema, str, Inner], Type]

_ANNOTATIONS = frozenset(
    "$anchor $comment $defs $id $schema contentEncoding contentMediaType default definitions"
    " deprecated description example examples optional readOnly title writeOnly".split()
)
_UNENFORCED = frozenset(
    ["contains", "format", "multipleOf", "pattern", "propertyNames", "uniqueItems"]
)
_NUMBER_BOUNDS = {
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusiveMinimum": "exclusive_minimum",
    "exclusiveMaximum": "exclusive_maximum",
}
_NULLS = frozenset(["const", "default", "example", "type"])
"""The keywords for which null is not the same as nothing."""
_SPELLINGS = {
    "null": "null None NoneType",
    "boolean": "boolean bool Boolean",
    "integer": "integer int Integer byte short long Long Bigint",
    "number": "number float Float double Double Number",
    "string": "string str String char",
    "array": "array list List tuple set Set Array ArrayList Queue Stack",
    "object": "object dict Dict Object Map HashMap Hashtable",
    "any": "any Any",
}
"""R-34: the kinds of JSON Schema, and as definitions in the wild have them too."""
_KINDS = {name: kind for kind, names in _SPELLINGS.items() for name in names.split()}
_IMPLIED_KIND = {"properties": "object", "additionalProperties": "object", "items": "array"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a reader of the definition should know: a keyword that values are not checked against,
    or (`type`) a position that no value satisfies.
    """

    pointer: str
    keyword: str


def compile_object(schema: object, pointer: str) -> tuple[Object, list[Note]]:
    """Get the arguments of a tool from the JSON Schema of its parameters.

    Raises `SchemaError` for a schema that is not an object's or has no layout.

    >>> args, notes = compile_object({"properties": {"n": {"type": "integer"}}}, "")
    >>> args.params[0].type.noun
    'an integer'
    """
    says_what = ("properties", "additionalProperties", "$ref", *_ALTERNATIVES)
    if isinstance(schema, Mapping) and all(schema.get(key) is None for key in says_what):
        schema = {**schema, "properties": {}}  # a tool takes what it declares, also if nothing
    run = _Run(pointer)
    run.open[id(schema)] = 0
    scope = Scope(schema if isinstance(schema, Mapping) else {})
    compiled = _compile(schema, pointer, run, scope, 0)
    if compiled.object is None:
        raise SchemaError(Code.DEFINITION, "expected the schema of an object", pointer=pointer)
    return compiled.object, run.notes


class _Run:
    """What is known while a schema is compiled."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.notes: list[Note] = []
        self.positions = 0
        self.referenced: dict[int, tuple[Type, int]] = {}
        """By identity, the types of schemas that have a name, and how many positions each has."""
        self.steps = 0
        """How many schemas are open that hold the one being compiled."""
        self.open: dict[int, int] = {}
        """By identity, those with a name that are open, and the steps to them."""

    def count(self, positions: int) -> None:
        """R-65: a few references can spell out to any number of positions."""
        self.positions += positions
        if self.positions > MAX_POSITIONS:
            msg = f"a schema of more than {MAX_POSITIONS} positions"
            raise SchemaError(Code.SCHEMA_SIZE, msg, pointer=self.root)


def _compile(schema: object, pointer: str, run: _Run, scope: Scope, depth: int) -> Type:
    if depth > MAX_DEPTH:
        raise SchemaError(Code.DEPTH, f"nested deeper than {MAX_DEPTH}", pointer=pointer)
    run.count(1)
    if isinstance(schema, bool):
        return ANY if schema else Type()
    if not isinstance(schema, Mapping):
        raise SchemaError(
            Code.DEFINITION, f"expected a schema, found {_cut(schema)}", pointer=pointer
        )
    scope = scope.inside(schema)
    # In the wild null stands where a keyword was left out.
    schema = {key: value for key, value in schema.items() if value is not None or key in _NULLS}
    run.notes += _unenforced(schema, pointer)
    if "type" in schema:
        schema = _with_known_kinds(schema, pointer)

    def inner(part: object, *steps: str | int) -> Type:
        place = "".join(f"/{escape(str(step))}" for step in steps)
        run.steps += 1
        compiled = _compile(part, pointer + place, run, scope, depth + 1)
        run.steps -= 1
        return compiled

    compiled: Type | None
    if "$ref" in schema:
        compiled = _referenced(schema, pointer, run, scope, depth)
    else:
        compiled = _alternatives(schema, pointer, inner)
    if compiled is None:
        compiled = _by_kind(schema, pointer, inner)
    elif compiled == Type():
        run.notes.append(Note(pointer=pointer, keyword="type"))
    return _merge(compiled, Type(null=True), pointer) if schema.get("nullable") else compiled


def _referenced(schema: Schema, pointer: str, run: _Run, scope: Scope, depth: int) -> Type:
    """Get the type of the schema that a `$ref` names.

    Inside of itself a schema is any value, and a note says so: a layout ends.
    """
    place = f"{pointer}/$ref"
    beside = sorted(schema.keys() & _COMPILED - {"nullable"})
    if len(beside) > 1:
        raise _unsupported(" beside ".join(beside), pointer)
    target, scope = scope.lookup(schema["$ref"], place)
    key = id(target)
    if key in run.open:
        if run.open[key] == run.steps:
            raise SchemaError(Code.REFERENCE, "the reference names itself", pointer=place)
        run.notes.append(Note(pointer=place, keyword="$ref"))
        return ANY
    if key in run.referenced:
        compiled, positions = run.referenced[key]
        run.count(positions)
        return compiled
    if schema["$ref"].startswith("#/"):
        place = run.root + schema["$ref"][1:]
    before, run.open[key] = run.positions, run.steps
    compiled = _compile(target, place, run, scope, depth + 1)
    del run.open[key]
    run.referenced[key] = compiled, run.positions - before
    return compiled


def _unenforced(schema: Schema, pointer: str) -> Iterator[Note]:
    """Note the keywords that are not enforced; refuse those that are not known, or ill-formed."""
    for keyword, value in schema.items():
        place = f"{pointer}/{escape(str(keyword))}"
        is_draft_3 = keyword == "required" and isinstance(value, bool) and _is_scalar(schema)
        if keyword in _UNENFORCED or is_draft_3:
            yield Note(pointer=place, keyword=keyword)
        elif keyword not in _ANNOTATIONS and keyword not in _COMPILED:
            raise _unsupported(f"keyword {keyword!r}", place)
        elif keyword in _SHAPES and not _SHAPES[keyword](value):
            msg = f"{keyword} cannot be {_cut(value)}"
            raise SchemaError(Code.DEFINITION, msg, pointer=place)


def _with_known_kinds(schema: Schema, pointer: str) -> Schema:
    """R-34: spell the kinds as JSON Schema does; a schema of any kind names none."""
    kinds = schema["type"]
    names = [kinds] if isinstance(kinds, str) else kinds
    if unknown := [name for name in names if name not in _KINDS]:
        raise _unsupported(f"type {unknown[0]!r}", f"{pointer}/type")
    known = [_KINDS[name] for name in names]
    if "any" in known:
        return {keyword: value for keyword, value in schema.items() if keyword != "type"}
    return {**schema, "type": known}


def _alternatives(schema: Schema, pointer: str, inner: Inner) -> Type | None:
    """Get the type of an enumeration or a union; None where the schema is neither."""
    keyword = next((keyword for keyword in _ALTERNATIVES if keyword in schema), None)
    if keyword is None:
        return None
    beside = sorted(schema.keys() & _COMPILED - {"type", "nullable"})
    if len(beside) > 1:
        raise _unsupported(" beside ".join(beside), pointer)
    return _narrow(_ALTERNATIVES[keyword](schema, pointer, inner), schema)


def _is_scalar(schema: Schema) -> bool:
    """Say whether a schema names a kind that has no members: there `required` means nothing."""
    kind = schema.get("type")
    return isinstance(kind, str) and _KINDS.get(kind, "any") not in ("any", "object")


def _is_name(value: object) -> bool:
    return isinstance(value, str) and not FORBIDDEN.search(value)


def _is_number(value: object) -> bool:
    """A number of the data model. What is too long to be written is no bound and no label."""
    if isinstance(value, float):
        return isfinite(value)
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return is_integer and -MAX_INTEGER < value < MAX_INTEGER


def _is_size(value: object) -> bool:
    return _is_number(value) and isinstance(value, int) and value >= 0


def _is_list_of_names(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_name, value))


def _is_choice(value: object) -> bool:
    return isinstance(value, list) and bool(value)


def _is_label(value: object) -> bool:
    """A scalar of the data model. Arrays and objects cannot be listed (R-16)."""
    return value is None or isinstance(value, bool) or _is_name(value) or _is_number(value)


_SHAPES: dict[str, Callable[[object], bool]] = {
    "$ref": lambda v: isinstance(v, str),
    "type": lambda v: isinstance(v, str) or _is_list_of_names(v),
    "properties": lambda v: isinstance(v, Mapping) and all(map(_is_name, v)),
    "required": _is_list_of_names,
    **dict.fromkeys(("enum", "anyOf", "oneOf"), _is_choice),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _is_size),
    **dict.fromkeys(_NUMBER_BOUNDS, _is_number),
}


def _by_kind(schema: Schema, pointer: str, inner: Inner) -> Type:
    """Get the type of a schema that names its kinds, or implies one, or takes anything."""
    kinds = schema.get("type")
    if kinds is None:
        kinds = [kind for keyword, kind in _IMPLIED_KIND.items() if keyword in schema][:1]
        if not kinds:
            return ANY
    types = [_KIND_COMPILERS[kind](schema, pointer, inner) for kind in kinds]
    return reduce(lambda a, b: _merge(a, b, pointer), types, Type())


def _number(schema: Schema, *, integer: bool) -> Type:
    bounds = {field: schema.get(keyword) for keyword, field in _NUMBER_BOUNDS.items()}
    return Type(number=Number(integer=integer, **bounds))


def _string(schema: Schema) -> Type:
    low, high = schema.get("minLength", 0), schema.get("maxLength")
    return Type(string=String(min_length=low, max_length=high))


def _array(schema: Schema, inner: Inner) -> Type:
    items = inner(schema.get("items", True), "items")
    low, high = schema.get("minItems", 0), schema.get("maxItems")
    return Type(array=Array(items=items, min_items=low, max_items=high))


def _object(schema: Schema, inner: Inner) -> Type:
    """R-13: an object that declares properties takes no others unless the schema says it does."""
    properties, required = schema.get("properties"), schema.get("required", ())
    params = tuple(_params(properties or {}, required, inner))
    more = schema.get("additionalProperties", properties is None)
    extra = None if more is False else inner(more, "additionalProperties")
    undeclared = [name for name in required if name not in (properties or {})]
    params += tuple(Param(name=name, type=extra or ANY, required=True) for name in undeclared)
    return Type(object=Object(params=params, extra=extra))


def _params(properties: Schema, required: Container[str], inner: Inner) -> Iterator[Param]:
    for name, part in properties.items():
        about = part if isinstance(part, Mapping) else {}
        yield Param(
            name=name,
            type=inner(part, "properties", name),
            required=name in required,
            description=str(about.get("description", "")),
            default=about.get("default"),
            has_default="default" in about,
        )


def _listed(values: list[Any], pointer: str) -> Type:
    """Get the type of an enumeration: each kind with the values of it that are listed."""
    if any(isinstance(value, list | dict) for value in values):
        raise _unsupported("an enumerated array or object", pointer)
    wrong = [value for value in values if not _is_label(value)]
    if wrong:
        raise SchemaError(Code.DEFINITION, f"a label cannot be {_cut(wrong[0])}", pointer=pointer)
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    strings = [v for v in values if isinstance(v, str)]
    whole = all(isinstance(v, int) for v in numbers)
    return Type(
        null=None in values,
        booleans=tuple(v for v in (False, True) if any(v is value for value in values)),
        number=Number(integer=whole, values=tuple(numbers)) if numbers else None,
        string=String(values=tuple(dict.fromkeys(strings))) if strings else None,
    )


def _narrow(compiled: Type, schema: Schema) -> Type:
    """Apply the `type` beside an enumeration or union: kinds that it leaves out are dropped.

    Real definitions leave out all of them (`boolean` with the labels "True" and "False"): such a
    position takes no value, as JSON Schema has it, and a note says so.
    """
    kinds = schema.get("type")
    if kinds is None:
        return compiled
    number = compiled.number
    if number and "number" not in kinds:
        values = number.values and tuple(v for v in number.values if not v % 1)
        number = replace(number, integer=True, values=values) if "integer" in kinds else None
    return Type(
        null=compiled.null and "null" in kinds,
        booleans=compiled.booleans if "boolean" in kinds else (),
        number=None if number and number.values == () else number,
        string=compiled.string if "string" in kinds else None,
        array=compiled.array if "array" in kinds else None,
        object=compiled.object if "object" in kinds else None,
    )


def _merge(one: Type, other: Type, pointer: str) -> Type:
    """Get the union of two types. Each kind may come from one of them only (R-16)."""

    def either(a: Any, b: Any, kind: str) -> Any:
        if a is not None and b is not None and a != b:
            raise _unsupported(f"a union of two {kind} schemas", pointer)
        return b if a is None else a

    numbers = (one.number, other.number)
    # JSON Schema's integers are numbers, so `integer | number` is `number`.
    plain = {Number(), Number(integer=True)} >= set(numbers)
    return Type(
        null=one.null or other.null,
        booleans=tuple(sorted({*one.booleans, *other.booleans})),
        number=Number() if plain and numbers[0] != numbers[1] else either(*numbers, "number"),
        string=either(one.string, other.string, "string"),
        array=either(one.array, other.array, "array"),
        object=either(one.object, other.object, "object"),
    )


def _union(keyword: str, schema: Schema, pointer: str, inner: Inner) -> Type:
    types = [inner(part, keyword, i) for i, part in enumerate(schema[keyword])]
    return reduce(lambda a, b: _merge(a, b, f"{pointer}/{keyword}"), types, Type())


_ALTERNATIVES: dict[str, Compiler] = {
    "enum": lambda schema, pointer, inner: _listed(schema["enum"], f"{pointer}/enum"),
    "const": lambda schema, pointer, inner: _listed([schema["const"]], f"{pointer}/const"),
    "anyOf": partial(_union, "anyOf"),
    "oneOf": partial(_union, "oneOf"),
}
_KIND_COMPILERS: dict[str, Compiler] = {
    "null": lambda schema, pointer, inner: Type(null=True),
    "boolean": lambda schema, pointer, inner: Type(booleans=(False, True)),
    "integer": lambda schema, pointer, inner: _number(schema, integer=True),
    "number": lambda schema, pointer, inner: _number(schema, integer=False),
    "string": lambda schema, pointer, inner: _string(schema),
    "array": lambda schema, pointer, inner: _array(schema, inner),
    "object": lambda schema, pointer, inner: _object(schema, inner),
}
_COMPILED = frozenset(
    "$ref type nullable properties required additionalProperties items minLength maxLength minItems"
    " maxItems".split()
).union(_ALTERNATIVES, _NUMBER_BOUNDS)


def _unsupported(what: str, pointer: str) -> SchemaError:
    return SchemaError(Code.KEYWORD, f"{what} has no layout", pointer=pointer)


def _cut(value: object) -> str:
    """Get a part of a definition for a message; whatever it is, the message stays short."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= MAX_INTEGER:
        return "an integer of so many digits"
    return reprlib.repr(value)


def escape(step: str) -> str:
    """Get a step of a JSON Pointer as it is written (RFC 6901)."""
    return step.replace("~", "~0").replace("/", "~1")
