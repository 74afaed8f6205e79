"""JSON Schema to types: a layout that has a place for every value that the schema allows.

Each keyword has a place in one of the tables below. What shapes the layout is compiled. What only
constrains values, and what makes a layout that allows more than the schema, is noted: values are
checked against it when they have been read (`constraints`). Nothing is skipped in silence.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from lton._syntax import FORBIDDEN, MAX_DEPTH
from lton.errors import Code, SchemaError, pointer
from lton.schema.jsonschema.combine import UNSAID, intersection, loosened, overlap, union
from lton.schema.jsonschema.formats import FORMATS
from lton.schema.jsonschema.keywords import (
    NUMBER_BOUNDS,
    Schema,
    check_shape,
    clean,
    cut,
    is_label,
    is_later,
    is_value,
)
from lton.schema.jsonschema.patterns import spell
from lton.schema.jsonschema.references import Scope
from lton.schema.jsonschema.validation import extent
from lton.schema.types import (
    ANY,
    CHARACTERS_A_POSITION,
    MAX_POSITIONS,
    Array,
    Number,
    Object,
    Param,
    String,
    Type,
)

_ANNOTATIONS = frozenset(
    "$anchor $comment $defs $dynamicAnchor $id $recursiveAnchor $schema $vocabulary default"
    " definitions deprecated description example examples id optional readOnly title"
    " writeOnly".split()
)
_CHECKED = frozenset(
    "$dynamicRef $recursiveRef contains dependencies dependentRequired dependentSchemas else if"
    " maxContains maxProperties minContains minProperties multipleOf not pattern"
    " patternProperties prefixItems propertyNames then unevaluatedItems unevaluatedProperties"
    " uniqueItems".split()
)
"""Keywords that a layout does not enforce, or not alone."""
_PATTERNS = ("pattern", "patternProperties")
_STATES_A_POSITION = 10
"""R-1105: so many states of a pattern cost as much as a position."""
_IMPLIED_KIND = {
    **dict.fromkeys(("properties", "additionalProperties", "patternProperties"), "object"),
    **dict.fromkeys(("items", "prefixItems"), "array"),
}


class Handling(StrEnum):
    """What becomes of a part of a schema that a layout does not enforce."""

    CHECKED = "checked when the arguments have been read"
    ANYTHING = "laid out as any value, and checked when the arguments have been read"
    UNCHECKED = "not checked"
    NEVER = "takes no value"
    OF_ITEMS = "read as the labels of the items"
    BY_NAME = "read as parameters by their names"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a reader of the definition should know: a keyword, and what becomes of it."""

    pointer: str
    keyword: str
    handling: Handling

    @property
    def is_checked(self) -> bool:
        return self.handling in (Handling.CHECKED, Handling.ANYTHING)


def compile_object(
    schema: object, pointer: str, *, standard: bool = False
) -> tuple[Object, list[Note]]:
    """Get the arguments of a tool from the JSON Schema of its parameters, and what to know of it.

    With `standard` the schema allows what it does not mention, as JSON Schema has it: other
    members beside `properties`, and other kinds of value (R-407).

    Raises `SchemaError` for a schema that is ill-formed, or not an object's.

    >>> args, notes = compile_object({"properties": {"n": {"type": "integer"}}}, "")
    >>> args.params[0].type.noun
    'an integer'
    """
    if not standard and isinstance(schema, Mapping) and not _says_members(schema):
        schema = {**schema, "properties": {}}  # a tool takes what it declares, also if nothing
    compiler = _Compiler(schema, pointer, standard=standard)
    compiled = compiler.position(schema, pointer, compiler.scope, 0)
    if compiled.object is None:
        raise SchemaError(Code.DEFINITION, "expected the schema of an object", pointer=pointer)
    return compiled.object, compiler.notes


def _says_members(schema: Schema) -> bool:
    keywords = ("properties", "additionalProperties", "patternProperties", "$ref", *_APPLICATORS)
    return any(schema.get(keyword) is not None for keyword in keywords)


class _Compiler:
    """Compiles a schema, and knows what has been met in it."""

    def __init__(self, schema: object, root: str, *, standard: bool) -> None:
        self.root = root
        self.standard = standard
        self.scope = Scope.of(schema if isinstance(schema, Mapping) else {})
        self.notes: list[Note] = []
        self.positions = 0
        self.texts = 0
        """Characters of labels, defaults and descriptions, those that references repeat too."""
        self.repeated = 0
        """Of these, the ones that references repeat."""
        self.referenced: dict[int, tuple[Type, int, int, dict[str, list[Type]]]] = {}
        """By identity, the types of schemas that have a name, how many positions and texts each
        has, and the members that only conditional schemas in it declare."""
        self.steps = 0
        """How many positions hold the one being compiled."""
        self.open: dict[int, int] = {id(schema): 1}
        """By identity, the schemas with a name that are being compiled, and the steps to them."""
        self.mentioned: list[dict[str, list[Type]]] = []
        """For each of these positions, the members that only conditional schemas declare."""
        self.declared: tuple[Container[str], ...] = ()
        """The members that the schemas around one declare, at its position."""

    def count(self, positions: int) -> None:
        """R-1105: a few references can spell out to any number of positions."""
        self.positions += positions
        if self.positions + self.repeated // CHARACTERS_A_POSITION > MAX_POSITIONS:
            msg = f"a schema of more than {MAX_POSITIONS} positions"
            raise SchemaError(Code.SCHEMA_SIZE, msg, pointer=self.root)

    def count_texts(self, characters: int, *, repeated: bool) -> None:
        """R-1105: a few references can repeat a long text any number of times."""
        self.texts += characters
        self.repeated += characters if repeated else 0
        self.count(0)

    def mention(self, members: Mapping[str, list[Type]]) -> None:
        """Note members that only conditional schemas declare: they need a place too."""
        for name, types in members.items():
            self.mentioned[-1].setdefault(name, []).extend(types)

    def note(self, pointer: str, keyword: str, handling: Handling) -> None:
        self.notes.append(Note(pointer=pointer, keyword=keyword, handling=handling))

    def position(self, schema: object, pointer: str, scope: Scope, depth: int) -> Type:
        """Get the type of a position: no other schema has a say there."""
        self.steps += 1
        self.mentioned.append({})
        around, self.declared = self.declared, ()
        compiled = self.schema(schema, pointer, scope, depth)
        self.declared = around
        mentioned = self.mentioned.pop()
        self.steps -= 1
        members = compiled.object
        if members is None or members.extra is not UNSAID:
            return compiled
        more = [
            Param(name=name, type=union(types)[0], required=False)
            for name, types in mentioned.items()
            if name not in members.by_name
        ]
        members = Object(params=(*members.params, *more), extra=None)
        return replace(compiled, object=members)

    def schema(self, schema: object, pointer: str, scope: Scope, depth: int) -> Type:
        """Get the type of a schema, which may share its position with others."""
        if depth > MAX_DEPTH:
            raise SchemaError(Code.DEPTH, f"nested deeper than {MAX_DEPTH}", pointer=pointer)
        self.count(1)
        if isinstance(schema, bool):
            return ANY if schema else Type()
        if not isinstance(schema, Mapping):
            raise SchemaError(
                Code.DEFINITION, f"expected a schema, found {cut(schema)}", pointer=pointer
            )
        scope = scope.inside(schema)
        draft = scope.resource.draft
        cleaned = clean(schema, pointer, draft=draft, standard=self.standard)
        for keyword in schema if self.standard else ():
            if is_later(keyword, draft):
                self.note(f"{pointer}/{keyword}", keyword, Handling.UNCHECKED)
        if schema.get("enum") is not None and "enum" not in cleaned:
            self.note(f"{pointer}/enum", "enum", Handling.OF_ITEMS)
        if schema.get("required") is not None and "required" not in cleaned:
            self.note(f"{pointer}/required", "required", Handling.UNCHECKED)
        part = _Part(self, cleaned, pointer, scope, depth)
        part.note_keywords()
        try:
            compiled = part.compile()
        except SchemaError as error:
            error.pointer = error.pointer or pointer
            raise
        if compiled == Type():
            self.note(pointer, "type", Handling.NEVER)
        return compiled


@dataclass(frozen=True, slots=True)
class _Part:
    """A schema that is an object, where it is, and how the parts of it are compiled."""

    run: _Compiler
    keywords: Schema
    pointer: str
    scope: Scope
    depth: int

    def at(self, *steps: str | int) -> str:
        return self.pointer + pointer(steps)

    def inner(self, part: object, *steps: str | int) -> Type:
        """Compile the schema of a position inside of this one."""
        return self.run.position(part, self.at(*steps), self.scope, self.depth + 1)

    def beside(self, part: object, *steps: str | int) -> Type:
        """Compile a schema of the same position."""
        return self.run.schema(part, self.at(*steps), self.scope, self.depth + 1)

    def note(self, keyword: str, handling: Handling) -> None:
        self.run.note(self.at(keyword), keyword, handling)

    def note_keywords(self) -> None:
        """Note the keywords that a layout does not enforce; refuse what is ill-formed."""
        for keyword, value in self.keywords.items():
            check_shape(keyword, value, self.at(keyword))
            patterns = [value] if keyword == "pattern" else value
            if keyword in _PATTERNS and not self.are_matched(patterns):
                self.note(keyword, Handling.UNCHECKED)
            elif keyword in _CHECKED:
                if (keyword, value) != ("uniqueItems", False):
                    self.note(keyword, Handling.CHECKED)
            elif keyword == "format" and value in FORMATS and not self.run.standard:
                self.note(keyword, Handling.CHECKED)
            elif keyword not in _KNOWN:
                self.note(keyword, Handling.UNCHECKED)

    def are_matched(self, patterns: Iterable[str]) -> bool:
        """Say whether patterns can be matched; count their states (R-1105)."""
        spellings = [spell(pattern) for pattern in patterns]
        self.run.count(sum(one.states for one in spellings if one) // _STATES_A_POSITION)
        return None not in spellings

    def compile(self) -> Type:
        keywords = self.keywords
        types: list[Type] = []
        if "$ref" in keywords:
            types.append(self.referenced())
            if self.scope.ignores_siblings:
                return types[0]
        types += self.by_kind()
        around = self.run.declared
        self.run.declared = (*around, *(node.object.by_name for node in types if node.object))
        types += [self.listed("enum", keywords["enum"])] if "enum" in keywords else []
        types += [self.listed("const", [keywords["const"]])] if "const" in keywords else []
        types += [self.union(keyword) for keyword in ("anyOf", "oneOf") if keyword in keywords]
        types += self.all_of("allOf", keywords.get("allOf", ()))
        self.run.declared = around
        compiled = intersection(types)
        self.mention()
        self.check_hidden()
        if keywords.get("nullable"):
            compiled, _ = union([compiled, Type(null=True)])
        return compiled

    def referenced(self) -> Type:
        """Get the type of the schema that a `$ref` names.

        Inside of itself a schema is any value, and a note says so: a layout ends.
        """
        run, place = self.run, self.at("$ref")
        target, scope = self.scope.lookup(self.keywords["$ref"], place)
        key = id(target)
        if key in run.open:
            if run.open[key] == run.steps:
                raise SchemaError(Code.REFERENCE, "the reference names itself", pointer=place)
            self.note("$ref", Handling.ANYTHING)
            return ANY
        if key in run.referenced:
            compiled, positions, texts, mentioned = run.referenced[key]
            run.count(positions)
            run.count_texts(texts, repeated=True)
            run.mention(mentioned)
            return compiled
        if self.keywords["$ref"].startswith("#/"):
            place = run.root + self.keywords["$ref"][1:]
        before, run.open[key] = (run.positions, run.texts), run.steps
        run.mentioned.append({})
        around, run.declared = run.declared, ()
        compiled = run.schema(target, place, scope, self.depth + 1)
        run.declared = around
        mentioned = run.mentioned.pop()
        del run.open[key]
        positions, texts = run.positions - before[0], run.texts - before[1]
        run.referenced[key] = compiled, positions, texts, mentioned
        run.mention(mentioned)
        return compiled

    def union(self, keyword: str) -> Type:
        types = self.all_of(keyword, self.keywords[keyword])
        loose = loosened(types, self.run.declared)
        united, is_exact = union(loose)
        if not is_exact or loose != types or (keyword == "oneOf" and overlap(types)):
            self.note(keyword, Handling.CHECKED)
        return united

    def all_of(self, keyword: str, parts: Iterable[object]) -> list[Type]:
        return [self.beside(part, keyword, index) for index, part in enumerate(parts)]

    def mention(self) -> None:
        """Find the members that conditional schemas declare."""
        found = [self.beside(part, keyword) for keyword, part in self.under("if", "then", "else")]
        for keyword in ("dependentSchemas", "dependencies"):
            for name, part in self.keywords.get(keyword, {}).items():
                if not isinstance(part, list):
                    found.append(self.beside(part, keyword, name))
        for node in found:
            params = node.object.params if node.object else ()
            self.run.mention({param.name: [param.type] for param in params})

    def under(self, *keywords: str) -> list[tuple[str, object]]:
        return [
            (keyword, self.keywords[keyword]) for keyword in keywords if keyword in self.keywords
        ]

    def check_hidden(self) -> None:
        """Refuse what is wrong in the schemas that have no part in the layout."""
        for keyword, part in self.under("not"):
            self.beside(part, keyword)
        for keyword, part in self.under(
            "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties"
        ):
            self.inner(part, keyword)

    def listed(self, keyword: str, values: list[Any]) -> Type:
        """Get the type of an enumeration: each kind with the values of it that are listed.

        Arrays and objects are not listed in a layout: there, all are allowed.
        """
        if not all(map(_can_be_said, values)):
            self.note(keyword, Handling.NEVER)
            values = [value for value in values if _can_be_said(value)]
        groups = [value for value in values if isinstance(value, list | Mapping)]
        if groups:
            self.note(keyword, Handling.ANYTHING)
        wrong = [v for v in values if not isinstance(v, list | Mapping) and not is_label(v)]
        if wrong:
            msg = f"a label cannot be {cut(wrong[0])}"
            raise SchemaError(Code.DEFINITION, msg, pointer=self.at(keyword))
        numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
        strings = [v for v in values if isinstance(v, str)]
        whole = all(isinstance(v, int) for v in numbers)
        self.run.count_texts(sum(map(len, strings)) + 9 * len(values), repeated=False)
        return Type(
            null=None in values,
            booleans=tuple(v for v in (False, True) if any(v is value for value in values)),
            number=Number(integer=whole, values=tuple(numbers)) if numbers else None,
            string=String(values=tuple(dict.fromkeys(strings))) if strings else None,
            array=ANY.array if any(isinstance(value, list) for value in groups) else None,
            object=ANY.object if any(isinstance(value, Mapping) for value in groups) else None,
        )

    # --- kinds ----------------------------------------------------------------------------------

    def by_kind(self) -> list[Type]:
        """Get the type of the kinds that are named or implied; none where nothing is said."""
        keywords = self.keywords
        kinds = keywords.get("type")
        if kinds is None and not keywords.keys() & _SAYS_KIND:
            return []
        if kinds is None and not self.run.standard:
            implied = (kind for keyword, kind in _IMPLIED_KIND.items() if keyword in keywords)
            kinds = [kind] if (kind := next(implied, None)) else None
        if kinds is None:
            kinds = ["null", "boolean", "number", "string", "array", "object"]
        is_number = "number" in kinds or "integer" in kinds
        return [
            Type(
                null="null" in kinds,
                booleans=(False, True) if "boolean" in kinds else (),
                number=self.number(integer="number" not in kinds) if is_number else None,
                string=self.string() if "string" in kinds else None,
                array=self.array() if "array" in kinds else None,
                object=self.object() if "object" in kinds else None,
            )
        ]

    def number(self, *, integer: bool) -> Number:
        bounds: Any = {
            field: self.keywords.get(keyword) for keyword, field in NUMBER_BOUNDS.items()
        }
        return Number(integer=integer, **bounds)

    def string(self) -> String:
        kind, pattern = self.keywords.get("format"), self.keywords.get("pattern")
        spelling = None if pattern is None else spell(pattern)
        return String(
            min_length=self.size("minLength") or 0,
            max_length=self.size("maxLength"),
            pattern=spelling and spelling.python,
            format=None if self.run.standard or kind not in FORMATS else kind,
        )

    def array(self) -> Array:
        """The items of a tuple have one type in the layout: the union of theirs."""
        keywords = self.keywords
        items = keywords.get("items", True)
        first, parts, rest_key, rest = (
            "prefixItems",
            keywords.get("prefixItems", []),
            "items",
            items,
        )
        if isinstance(items, list):
            self.note("items", Handling.CHECKED)
            first, parts, rest_key = "items", items, "additionalItems"
            rest = keywords.get(rest_key, True)
        types = [self.inner(part, first, index) for index, part in enumerate(parts)]
        low, high = self.size("minItems"), self.size("maxItems")
        if rest is False:
            high = len(parts) if high is None else min(high, len(parts))
        if rest is not False or not parts:
            types.append(self.inner(rest, rest_key))
        return Array(items=union(types)[0], min_items=low or 0, max_items=high)

    def size(self, keyword: str) -> int | None:
        return int(self.keywords[keyword]) if keyword in self.keywords else None

    def object(self) -> Object:
        """R-407: an object that declares members takes no others unless the schema says it does."""
        keywords = self.keywords
        properties, required = keywords.get("properties"), keywords.get("required", ())
        extra = self.extra()
        params = list(self.params(properties or {}, frozenset(required)))
        takes = ANY if extra is UNSAID else extra or Type()
        undeclared = dict.fromkeys(name for name in required if name not in (properties or {}))
        self.run.count(len(undeclared))
        params += [Param(name=name, type=takes, required=True) for name in undeclared]
        return Object(params=tuple(params), extra=extra)

    def extra(self) -> Type | None:
        """Get the type of the members that are not declared."""
        keywords = self.keywords
        more = keywords.get("additionalProperties")
        types = [] if more is None else [self.inner(more, "additionalProperties")]
        patterns = keywords.get("patternProperties", {})
        types += [self.inner(part, "patternProperties", key) for key, part in patterns.items()]
        is_open = keywords.get("unevaluatedProperties", False) is not False
        if more is None and (self.run.standard or is_open):
            return ANY
        if more is None and not types:
            return UNSAID if "properties" in keywords else ANY
        return None if more is False and not patterns else union(types)[0]

    def params(self, properties: Schema, required: Container[str]) -> Iterator[Param]:
        for name, part in properties.items():
            node = self.inner(part, "properties", name)
            about, is_repeated = self.about(name, part)
            default = about.get("default")
            has_default = "default" in about and is_value(default)
            if not has_default and "default" in about:
                place = self.at("properties", name, "default")
                self.run.note(place, "default", Handling.UNCHECKED)
            description = str(about.get("description") or "")
            size = len(description) + (extent(default) if has_default else 0)
            self.run.count_texts(size, repeated=is_repeated)
            yield Param(
                name=name,
                type=node,
                required=name in required,
                description=description,
                default=default if has_default else None,
                has_default=has_default,
            )

    def about(self, name: str, part: Any) -> tuple[Schema, bool]:
        """Get what has a member's description and default, and whether a reference leads there."""
        about = part if isinstance(part, Mapping) else {}
        if not about.get("$ref") or about.get("description"):
            return about, False
        place = self.at("properties", name, "$ref")
        target, _ = self.scope.inside(about).lookup(about["$ref"], place)
        return ({**target, **about}, True) if isinstance(target, Mapping) else (about, False)


def _can_be_said(value: object) -> bool:
    """Say whether a text could hold it, if it is a text: one with NUL can be no value (R-202)."""
    return not (isinstance(value, str) and FORBIDDEN.search(value))


_APPLICATORS = ("enum", "const", "anyOf", "oneOf", "allOf")
_SAYS_KIND = frozenset(
    "additionalProperties items maxItems maxLength minItems minLength patternProperties prefixItems"
    " properties required unevaluatedProperties".split()
).union(NUMBER_BOUNDS)
"""Keywords that say something of values of one kind."""
_KNOWN = _SAYS_KIND.union(
    _ANNOTATIONS, _APPLICATORS, ["$ref", "additionalItems", "nullable", "type"]
)
