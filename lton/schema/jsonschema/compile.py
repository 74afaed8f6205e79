"""Compile the JSON Schema of a tool's parameters to types.

Each keyword is in one of the tables of `keywords`. Keywords that shape the layout are compiled.
Keywords that only constrain values are recorded as notes, and so is every place where the layout
allows more than the schema. `constraints` checks these values after reading. No keyword is ignored
silently.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, filterfalse
from typing import Any, NamedTuple

from lton._syntax import MAX_DEPTH
from lton.errors import Code, SchemaError, pointer
from lton.schema.jsonschema.combine import (
    UNSAID,
    have_common_values,
    intersect_types,
    loosen_types,
    unite_types,
    with_object_closed,
)
from lton.schema.jsonschema.formats import FORMATS
from lton.schema.jsonschema.keywords import (
    APPLICATORS,
    CHECKED,
    IMPLIED_KIND,
    KNOWN,
    NUMBER_BOUNDS,
    SAYS_KIND,
    KeywordRole,
    Schema,
    check_shape,
    find_kind_of_plain_schema,
    find_label_name,
    format_excerpt,
    is_label,
    is_later_than,
    is_value,
    is_writable,
    list_keywords_with_roles,
    normalize_keywords,
)
from lton.schema.jsonschema.patterns import try_convert_to_python
from lton.schema.jsonschema.references import Scope
from lton.schema.jsonschema.tally import Handling, Laid, Note, PositionTally
from lton.schema.jsonschema.validation import size_of_value
from lton.schema.types import ANY, JSON, Array, Number, Object, Param, Recursion, String, Type

_PATTERNS = ("pattern", "patternProperties")
_CONDITIONAL = list_keywords_with_roles(KeywordRole.CONDITION, KeywordRole.CONSEQUENCE)
_HIDDEN = list_keywords_with_roles(KeywordRole.HIDDEN, KeywordRole.REST)
_ALL_KINDS = ("null", "boolean", "number", "string", "array", "object")
_HINTS = frozenset(["anyOf", "contentMediaType", "example", "examples", "format", "pattern"])
_SUBSCHEMAS = frozenset(
    [
        *list_keywords_with_roles(KeywordRole.BRANCHES, KeywordRole.EXCLUSION),
        *_CONDITIONAL,
        *_HIDDEN,
    ]
)
_STATES_A_POSITION = 10  # R-1105: this many states of a pattern count as one position


def compile_object(
    schema: object, pointer: str, *, standard: bool = False
) -> tuple[Object, list[Note]]:
    """Compile the JSON Schema of a tool's parameters to a type, with notes on the schema.

    With `standard`, the schema allows everything that it does not mention, as JSON Schema defines:
    members that are not in `properties`, and all kinds of value if it names none (R-407).

    Raises `SchemaError` for an invalid schema, or a schema that is not for an object.

    >>> args, notes = compile_object({"properties": {"n": {"type": "integer"}}}, "")
    >>> args.params[0].type.noun
    'an integer'
    """
    if not standard and isinstance(schema, Mapping) and not _says_members(schema):
        schema = {**schema, "properties": {}}  # undeclared parameters are not allowed
    compiler = _Compiler(schema, pointer, standard=standard)
    scope = Scope.scope_of_root(schema if isinstance(schema, Mapping) else {})
    compiled = compiler.compile_position(schema, _Where(pointer, scope, 0, 0, {}))
    if compiled.object is None:
        raise SchemaError(Code.DEFINITION, "expected the schema of an object", pointer=pointer)
    # The parameters of a tool are one list, which is not split.
    args = replace(compiled.object, branches=(), label=None)
    name = compiler.recursive.get(id(schema))
    return args if name is None else replace(args, name=name), compiler.notes


def _says_members(schema: Schema) -> bool:
    keywords = ("properties", "additionalProperties", "patternProperties", "$ref", *APPLICATORS)
    return any(schema.get(keyword) is not None for keyword in keywords)


_NEVER = Type()
_PLAIN = {
    "string": Type(string=String()),
    "integer": Type(number=Number(integer=True)),
    "number": Type(number=Number()),
    "boolean": Type(booleans=(False, True)),
}
"""The types of scalars without limits, which most parameters have."""


class _Where(NamedTuple):
    """The location of a schema in the definition, and of its value in the arguments."""

    pointer: str
    scope: Scope
    depth: int
    steps: int  # the nesting level of this position
    mentioned: dict[str, list[Type]]  # members that only conditional schemas declare
    declared: tuple[Container[str], ...] = ()  # members that enclosing schemas declare here

    def mention_members(self, members: Mapping[str, list[Type]]) -> None:
        """Record members that only conditional schemas declare. They need a position, too."""
        for name, types in members.items():
            self.mentioned.setdefault(name, []).extend(types)


class _Compiler(PositionTally):
    def __init__(self, schema: object, root: str, *, standard: bool) -> None:
        super().__init__(root)
        self.root = root
        self.standard = standard
        self.referenced: dict[int, Laid] = {}  # the compiled targets of references, by identity
        self.open: dict[int, int] = {id(schema): 1}  # the level of each schema in progress
        self.recursive: dict[int, str] = {}  # the names of schemas that occur inside themselves

    def compile_position(self, schema: object, where: _Where) -> Type:
        """Compile the schema of a value at a new position, such as a member or an item."""
        inside = _Where(where.pointer, where.scope, where.depth, where.steps + 1, {})
        compiled = self.compile_schema(schema, inside)
        members = compiled.object
        if members is None or (members.extra is not UNSAID and not members.branches):
            return compiled
        more = [
            Param(name=name, type=unite_types(types)[0], required=False)
            for name, types in inside.mentioned.items()
            if name not in members.by_name
        ]
        return replace(compiled, object=with_object_closed(members, more))

    def compile_schema(self, schema: object, where: _Where) -> Type:
        pointer = where.pointer
        if where.depth > MAX_DEPTH:
            raise SchemaError(Code.DEPTH, f"nested deeper than {MAX_DEPTH}", pointer=pointer)
        self.count_positions(1)
        if isinstance(schema, bool):
            return ANY if schema else Type()
        if not isinstance(schema, Mapping):
            msg = f"expected a schema, found {format_excerpt(schema)}"
            raise SchemaError(Code.DEFINITION, msg, pointer=pointer)
        if kind := find_kind_of_plain_schema(schema):
            return _PLAIN[kind]
        if (scope := where.scope.scope_of(schema)) is not where.scope:
            where = where._replace(scope=scope)
        cleaned = self.clean_schema(schema, where)
        part = _Part(self, cleaned, where)
        part.note_keywords()
        try:
            compiled = part.compile_to_type()
        except SchemaError as error:
            error.pointer = error.pointer or pointer
            raise
        if compiled == _NEVER:
            self.note_keyword(pointer, "type", Handling.NEVER)
        return compiled

    def clean_schema(self, schema: Schema, where: _Where) -> Schema:
        draft = where.scope.resource.draft
        pointer = where.pointer
        cleaned = normalize_keywords(schema, pointer, draft=draft, standard=self.standard)
        for keyword in schema if self.standard else ():
            if is_later_than(keyword, draft):
                self.note_keyword(f"{pointer}/{keyword}", keyword, Handling.UNCHECKED)
        if schema.get("enum") is not None and "enum" not in cleaned:
            self.note_keyword(f"{pointer}/enum", "enum", Handling.OF_ITEMS)
        if schema.get("required") is not None and "required" not in cleaned:
            self.note_keyword(f"{pointer}/required", "required", Handling.UNCHECKED)
        return cleaned


class _Part(NamedTuple):
    """A schema object that is being compiled, and its location."""

    run: _Compiler
    keywords: Schema
    where: _Where

    def pointer_to_keyword(self, *steps: str | int) -> str:
        return self.where.pointer + pointer(steps)

    def place_below(self, *steps: str | int) -> _Where:
        _, scope, depth, level, mentioned, declared = self.where
        return _Where(self.pointer_to_keyword(*steps), scope, depth + 1, level, mentioned, declared)

    def compile_inner(self, part: object, *steps: str | int) -> Type:
        return self.run.compile_position(part, self.place_below(*steps))

    def compile_subtype(self, part: object, *steps: str | int) -> Type:
        """Compile a subschema that applies to the same value."""
        return self.run.compile_schema(part, self.place_below(*steps))

    def note_handling(self, keyword: str, handling: Handling) -> None:
        self.run.note_keyword(self.pointer_to_keyword(keyword), keyword, handling)

    def note_keywords(self) -> None:
        for keyword, value in self.keywords.items():
            check_shape(keyword, value, self.where.pointer)
            if keyword in _PATTERNS:
                self.note_patterns(keyword, value)
            elif keyword == "format":
                self.note_format(value)
            elif keyword in CHECKED and (keyword, value) != ("uniqueItems", False):
                self.note_handling(keyword, Handling.CHECKED)
            elif keyword not in KNOWN and keyword not in CHECKED:
                self.note_handling(keyword, Handling.UNCHECKED)

    def note_patterns(self, keyword: str, value: Any) -> None:
        patterns = [value] if keyword == "pattern" else value
        is_checked = self.are_matched(patterns)
        self.note_handling(keyword, Handling.CHECKED if is_checked else Handling.UNCHECKED)

    def note_format(self, name: str) -> None:
        if name not in FORMATS or self.run.standard:
            self.run.note_keyword(
                self.pointer_to_keyword("format"), "format", Handling.UNCHECKED, name
            )
        elif name in ("time", "date-time"):
            self.note_handling("format", Handling.ZONELESS)
        else:
            self.note_handling("format", Handling.CHECKED)

    def are_matched(self, patterns: Iterable[str]) -> bool:
        """Count the states of patterns (R-1105) and return whether all patterns are supported."""
        spellings = [try_convert_to_python(pattern) for pattern in patterns]
        self.run.count_positions(sum(one.states for one in spellings if one) // _STATES_A_POSITION)
        return None not in spellings

    def compile_to_type(self) -> Type:
        keywords = self.keywords
        types: list[Type] = []
        if "$ref" in keywords:
            types.append(self.compile_reference())
            if self.where.scope.resource.is_old:
                return types[0]
        types += self.types_by_kind()
        declared = [node.object.by_name for node in types if node.object]
        if "enum" in keywords:
            types.append(self.type_of_listed("enum", keywords["enum"]))
        if "const" in keywords:
            types.append(self.type_of_listed("const", [keywords["const"]]))
        if not _SUBSCHEMAS.isdisjoint(keywords):
            where = self.where._replace(declared=(*self.where.declared, *declared))
            types += self._replace(where=where).combined_types()
            self.mention_members()
            self.check_hidden()
        compiled = intersect_types(types)
        if keywords.get("nullable"):
            compiled, _ = unite_types([compiled, Type(null=True)])
        return compiled

    def combined_types(self) -> list[Type]:
        """Return the types of `anyOf`, `oneOf` and `allOf`."""
        unions = [self.union_of(keyword) for keyword, _ in self.subschemas_of("anyOf", "oneOf")]
        return unions + self.types_of_all("allOf", self.keywords.get("allOf", ()))

    def compile_reference(self) -> Type:
        """Compile the target of a `$ref`. A recursive reference allows any value."""
        run = self.run
        where = self.place_below("$ref")
        target, scope = where.scope.find_schema(self.keywords["$ref"], where.pointer)
        key = id(target)
        if key in run.open:
            if run.open[key] == where.steps:
                msg = "the reference refers to itself"
                raise SchemaError(Code.REFERENCE, msg, pointer=where.pointer)
            self.note_handling("$ref", Handling.ANYTHING)
            name = _last_step(self.keywords["$ref"])
            run.recursive[key] = name
            return replace(ANY, recursion=Recursion(name))
        if laid := run.referenced.get(key):
            run.count_positions(laid.positions)
            run.count_texts(laid.texts, repeated=True)
        else:
            positions_before = run.positions
            texts_before = run.texts
            run.open[key] = where.steps
            if self.keywords["$ref"].startswith("#/"):
                where = where._replace(pointer=run.root + self.keywords["$ref"][1:])
            where = where._replace(scope=scope, mentioned={}, declared=())
            compiled = _with_name(run.compile_schema(target, where), run.recursive.get(key))
            del run.open[key]
            positions = run.positions - positions_before
            texts = run.texts - texts_before
            laid = run.referenced[key] = Laid(compiled, positions, texts, where.mentioned)
        self.where.mention_members(laid.mentioned)
        return laid.type

    def union_of(self, keyword: str) -> Type:
        types = self.require_label(self.types_of_all(keyword, self.keywords[keyword]), keyword)
        loose = loosen_types(types, self.where.declared)
        united, is_exact = unite_types(loose)
        if not is_exact or loose != types or (keyword == "oneOf" and have_common_values(types)):
            self.note_handling(keyword, Handling.CHECKED)
        return united

    def require_label(self, types: list[Type], keyword: str) -> list[Type]:
        """Require the label that OpenAPI's `discriminator` names in each object of a union."""
        name = find_label_name(self.keywords)
        if name is None:
            return types
        mapping = self.keywords["discriminator"].get("mapping")
        targets = mapping if isinstance(mapping, Mapping) else {}
        parts = self.keywords[keyword]
        return [
            _with_label(node, name, _labels_of(part, targets))
            for node, part in zip(types, parts, strict=True)
        ]

    def types_of_all(self, keyword: str, parts: Iterable[object]) -> list[Type]:
        return [self.compile_subtype(part, keyword, index) for index, part in enumerate(parts)]

    def mention_members(self) -> None:
        nodes = [
            self.compile_subtype(part, keyword)
            for keyword, part in self.subschemas_of(*_CONDITIONAL[:3])
        ]
        nodes += [
            self.compile_subtype(part, keyword, name)
            for keyword, parts in self.subschemas_of(*_CONDITIONAL[3:])
            for name, part in parts.items()
            if not isinstance(part, list)
        ]
        for node in nodes:
            params = node.object.params if node.object else ()
            self.where.mention_members({param.name: [param.type] for param in params})

    def subschemas_of(self, *keywords: str) -> list[tuple[str, Any]]:
        return [(name, self.keywords[name]) for name in keywords if name in self.keywords]

    def check_hidden(self) -> None:
        """Compile the subschemas that do not affect the type, to find errors in them."""
        for keyword, part in self.subschemas_of("not", *_HIDDEN):
            (self.compile_subtype if keyword == "not" else self.compile_inner)(part, keyword)

    def type_of_listed(self, keyword: str, values: list[Any]) -> Type:
        """Return the type of listed values. Listed arrays and objects are checked after reading."""
        if not all(map(is_writable, values)):
            self.note_handling(keyword, Handling.NEVER)
            values = [value for value in values if is_writable(value)]
        labels = self.split_labels(keyword, values)
        arrays = _try_write_listed(values, list)
        objects = _try_write_listed(values, Mapping)
        texts = [label for label in labels if isinstance(label, str)]
        size = sum(map(len, chain(texts, arrays or (), objects or ())))
        self.run.count_texts(size + 9 * len(values), repeated=False)
        return replace(
            _type_of_labels(labels),
            array=None if arrays is None else Array(items=ANY, values=arrays),
            object=None if objects is None else Object(extra=ANY, values=objects),
        )

    def split_labels(self, keyword: str, values: list[Any]) -> list[Any]:
        """Return the scalars among listed values. Raises `SchemaError` for one out of range."""
        labels = [value for value in values if not isinstance(value, list | Mapping)]
        if len(labels) < len(values):
            self.note_handling(keyword, Handling.ANYTHING)
        for label in filterfalse(is_label, labels):
            msg = f"a label cannot be {format_excerpt(label)}"
            raise SchemaError(Code.DEFINITION, msg, pointer=self.pointer_to_keyword(keyword))
        return labels

    def types_by_kind(self) -> list[Type]:
        """Return one type for each kind of value that the schema states or implies."""
        kinds = self.find_kinds_in_type()
        if kinds is None:
            return []
        is_number = "number" in kinds or "integer" in kinds
        return [
            Type(
                null="null" in kinds,
                booleans=(False, True) if "boolean" in kinds else (),
                number=self.compile_number(integer="number" not in kinds) if is_number else None,
                string=self.compile_string() if "string" in kinds else None,
                array=self.compile_array() if "array" in kinds else None,
                object=self.compile_members() if "object" in kinds else None,
            )
        ]

    def find_kinds_in_type(self) -> Sequence[str] | None:
        """Return the kinds of value that the schema accepts, or None if no keyword is about one."""
        keywords = self.keywords
        stated: list[str] | None = keywords.get("type")
        if stated is not None:
            return stated
        if keywords.keys().isdisjoint(SAYS_KIND):
            return None
        implied = (kind for keyword, kind in IMPLIED_KIND.items() if keyword in keywords)
        kind = None if self.run.standard else next(implied, None)
        return _ALL_KINDS if kind is None else [kind]

    def compile_number(self, *, integer: bool) -> Number:
        bounds: Any = {field: self.keywords.get(name) for name, field in NUMBER_BOUNDS.items()}
        return Number(integer=integer, **bounds)

    def compile_string(self) -> String:
        kind = self.keywords.get("format")
        pattern = self.keywords.get("pattern")
        spelling = None if pattern is None else try_convert_to_python(pattern)
        return String(
            min_length=self.find_size("minLength") or 0,
            max_length=self.find_size("maxLength"),
            pattern=spelling and spelling.python,
            format=None if self.run.standard or kind not in FORMATS else kind,
        )

    def compile_array(self) -> Array:
        """Compile the keywords for arrays. Before draft 2020, a list of schemas was in `items`."""
        if isinstance(self.keywords.get("items"), list):
            self.note_handling("items", Handling.CHECKED)
            return self.compile_items("items", "additionalItems")
        return self.compile_items("prefixItems", "items")

    def compile_items(self, first_key: str, rest_key: str) -> Array:
        """Compile the schemas of the first items, and the schema of all further items."""
        parts = self.keywords.get(first_key, [])
        further_schema = self.keywords.get(rest_key, True)
        positions = tuple(
            self.compile_inner(part, first_key, index) for index, part in enumerate(parts)
        )
        low = self.find_size("minItems") or 0
        high = self.find_most_items(len(parts), further_schema)
        if not positions:
            items, _ = unite_types([self.compile_inner(further_schema, rest_key)])
            return Array(items=items, min_items=low, max_items=high)
        further = None if further_schema is False else self.compile_inner(further_schema, rest_key)
        if high is not None and high <= len(parts):
            further = None  # no further item can come
        types = positions if further is None else (*positions, further)
        return Array(
            items=unite_types(types)[0],
            min_items=low,
            max_items=high,
            positions=positions,
            further=further,
        )

    def find_most_items(self, positions: int, further_schema: object) -> int | None:
        """Return the limit of an array. It ends after its positions if none may follow."""
        high = self.find_size("maxItems")
        if further_schema is not False:
            return high
        return positions if high is None else min(high, positions)

    def find_size(self, keyword: str) -> int | None:
        return int(self.keywords[keyword]) if keyword in self.keywords else None

    def compile_members(self) -> Object:
        """Compile the keywords for objects (R-407)."""
        keywords = self.keywords
        properties = keywords.get("properties") or {}
        required = keywords.get("required", ())
        extra = self.try_compile_extra()
        params = list(self.iterate_params(properties, frozenset(required)))
        takes = ANY if extra is UNSAID else extra or Type()
        undeclared = dict.fromkeys(name for name in required if name not in properties)
        self.run.count_positions(len(undeclared))
        params += [Param(name=name, type=takes, required=True) for name in undeclared]
        return Object(params=tuple(params), extra=extra)

    def try_compile_extra(self) -> Type | None:
        keywords = self.keywords
        more = keywords.get("additionalProperties")
        types = [] if more is None else [self.compile_inner(more, "additionalProperties")]
        patterns = keywords.get("patternProperties", {})
        types += [
            self.compile_inner(part, "patternProperties", key) for key, part in patterns.items()
        ]
        if more is None:
            if self.run.standard or keywords.get("unevaluatedProperties", False) is not False:
                return ANY
            if not types:
                return UNSAID if "properties" in keywords else ANY
        elif more is False and not patterns:
            return None
        return unite_types(types)[0]

    def iterate_params(self, properties: Schema, required: Container[str]) -> Iterator[Param]:
        for name, part in properties.items():
            node = self.compile_inner(part, "properties", name)
            about, is_repeated = self.member_schema(name, part)
            default = about.get("default")
            has_default = "default" in about and is_value(default)
            if not has_default and "default" in about:
                pointer = self.pointer_to_keyword("properties", name, "default")
                self.run.note_keyword(pointer, "default", Handling.UNCHECKED)
            description = str(about.get("description") or "")
            size = len(description) + (size_of_value(default) if has_default else 0)
            self.run.count_texts(size, repeated=is_repeated)
            has_hints = not _HINTS.isdisjoint(about)  # most parameters have none
            yield Param(
                name=name,
                type=node,
                required=name in required,
                description=description,
                default=default if has_default else None,
                has_default=has_default,
                examples=_examples_of(about) if has_hints else (),
                pattern=_pattern_of(about) if has_hints else "",
                media=_media_of(about) if has_hints else "",
            )

    def member_schema(self, name: str, part: Any) -> tuple[Schema, bool]:
        """Return a member's schema with its description and default."""
        about = part if isinstance(part, Mapping) else {}
        if not about.get("$ref") or about.get("description"):
            return about, False
        pointer = self.pointer_to_keyword("properties", name, "$ref")
        target, _ = self.where.scope.scope_of(about).find_schema(about["$ref"], pointer)
        return ({**target, **about}, True) if isinstance(target, Mapping) else (about, False)


def _examples_of(about: Schema) -> tuple[JSON, ...]:
    """Return the first example of a schema, as JSON Schema or OpenAPI 3.0 writes it."""
    examples = about.get("examples")
    if not isinstance(examples, list):
        examples = [about["example"]] if "example" in about else []
    return tuple(value for value in examples[:1] if is_value(value))


def _pattern_of(about: Schema) -> str:
    """Return the pattern of a string without a format, or of the only branch that is not null."""
    about = _without_null(about)
    pattern = about.get("pattern")
    return pattern if isinstance(pattern, str) and "format" not in about else ""


def _media_of(about: Schema) -> str:
    """Return the media type of a string that is not encoded, or its format if it has no type."""
    about = _without_null(about)
    if "contentEncoding" in about:
        return ""
    media = about.get("contentMediaType", about.get("format"))
    return media if isinstance(media, str) else ""


def _without_null(about: Schema) -> Schema:
    """Return the only branch of a schema that is not null, or the schema."""
    branches = about.get("anyOf")
    if not isinstance(branches, list):
        return about
    others = [one for one in branches if isinstance(one, Mapping) and one.get("type") != "null"]
    return others[0] if len(others) == 1 else about


def _labels_of(part: Any, targets: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the labels that a `discriminator` gives to a schema: mapped, or its own name."""
    reference = part.get("$ref") if isinstance(part, Mapping) else None
    if not isinstance(reference, str):
        return ()
    name = reference.rpartition("/")[2]
    mapped = [
        label
        for label, target in targets.items()
        if isinstance(target, str) and target.rpartition("/")[2] == name
    ]
    return tuple(mapped or [name])


def _with_label(node: Type, name: str, labels: tuple[str, ...]) -> Type:
    param = node.object.by_name.get(name) if node.object else None
    if node.object is None or param is None or param.type.string is None:
        return node
    if param.type.string.values is None and not labels:
        return node
    listed = param.type if param.type.has_labels else Type(string=String(values=labels))
    named = replace(param, type=listed, required=True, default=None, has_default=False)
    params = tuple(named if one is param else one for one in node.object.params)
    return replace(node, object=replace(node.object, params=params))


def _last_step(reference: str) -> str:
    return reference.rpartition("/")[2].removeprefix("#")


def _with_name(node: Type, name: str | None) -> Type:
    """Return a type whose object has the name of its schema, if the schema is recursive."""
    if name is None or node.object is None or node.object.branches:
        return node
    return replace(node, object=replace(node.object, name=name))


def _try_write_listed(values: list[Any], kind: type) -> tuple[str, ...] | None:
    """Write the listed values of one kind as compact JSON, or return None if there are none."""
    of_kind = [value for value in values if isinstance(value, kind)]
    if not of_kind:
        return None
    from lton._json import minified  # noqa: PLC0415 - most schemas list no arrays or objects

    return tuple(dict.fromkeys(minified(value) for value in of_kind if is_value(value)))


def _type_of_labels(labels: list[Any]) -> Type:
    booleans = {label for label in labels if isinstance(label, bool)}
    strings = [label for label in labels if isinstance(label, str)]
    return Type(
        null=None in labels,
        booleans=tuple(sorted(booleans)),
        number=_try_make_number_type(labels),
        string=String(values=tuple(dict.fromkeys(strings))) if strings else None,
    )


def _try_make_number_type(labels: list[Any]) -> Number | None:
    numbers = [label for label in labels if isinstance(label, int | float)]
    numbers = [number for number in numbers if not isinstance(number, bool)]
    is_whole = all(isinstance(number, int) for number in numbers)
    return Number(integer=is_whole, values=tuple(numbers)) if numbers else None
