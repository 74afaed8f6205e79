"""Whether a JSON Schema allows a value: every keyword of drafts 4 to 2020-12.

Schemas are foreign, so a check has a bound: what it does is counted, and too much of it is an
error, the same for the same schema and value. Values are compared by keys, patterns are matched in
linear time, and what a schema says of a value is found out once.
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from lton.errors import Code, SchemaError
from lton.schema.jsonschema.formats import FORMATS
from lton.schema.jsonschema.keywords import Schema, clean, cut
from lton.schema.jsonschema.patterns import STEP, Matcher, spell
from lton.schema.jsonschema.references import Resource, Scope
from lton.schema.types import Breach

MAX_STEPS = 10_000_000
"""So much may a check cost; about a tenth of a microsecond each,"""
STEPS_PER_CHARACTER = 20
"""and so much more for each character of the arguments."""
_VALUE = 10
"""As much as so many characters a number counts, and whatever else is no string."""

Marks: TypeAlias = "set[str | int] | None"
"""The members or items that some schema has judged; None if nobody asks."""


class _Place(NamedTuple):
    """A schema that judges a value, and from where."""

    schema: Schema
    scope: Scope
    around: tuple[Resource, ...]
    """The resources that judging has come through, the outermost first."""
    marks: Marks


Judge: TypeAlias = Callable[["Validator", Any, Any, _Place], Breach | None]


class TooManyStepsError(Exception):
    """A check has cost as much as it may."""


class Known(NamedTuple):
    """What has been found out of a schema, for all values."""

    plans: dict[tuple[int, bool], tuple[Schema, list[tuple[Judge, Any]]]]
    matchers: dict[str, Matcher | None]
    keys: dict[int, frozenset[Any]]


class Validator:
    """Judges one value by a schema; `formats` says whether `format` counts."""

    def __init__(self, value: Any, known: Known, *, formats: bool) -> None:
        self.formats = formats
        self._value = value
        self._known = known
        self._steps = 0
        self._limit = MAX_STEPS
        self._judged: dict[tuple[int, int, tuple[Resource, ...]], Breach | None] = {}

    def spend(self, steps: int) -> None:
        """Count steps. Raises `TooManyStepsError`."""
        self._steps += steps
        if self._steps > self._limit:
            self._limit = MAX_STEPS + STEPS_PER_CHARACTER * _extent(self._value)
            if self._steps > self._limit:
                raise TooManyStepsError

    def judge(
        self, schema: Any, value: Any, scope: Scope, around: tuple[Resource, ...], marks: Marks
    ) -> Breach | None:
        """Get the first reason why a schema does not allow a value; its path begins here."""
        if not isinstance(schema, Mapping):
            return Breach((), "nothing is allowed here") if schema is False else None
        self.spend(STEP)
        scope = scope.inside(schema)
        if not around or around[-1] is not scope.resource:
            around = (*around, scope.resource)
        key = id(schema), id(value), around
        if marks is None and key in self._judged:
            return self._judged[key]
        cleaned, plan = self._plan(schema, scope)
        self.spend(STEP * len(plan))
        own: Marks = set() if marks is None and cleaned.keys() & _UNEVALUATED else marks
        place = _Place(cleaned, scope, around, own)
        breach = _first(function(self, operand, value, place) for function, operand in plan)
        if marks is None and isinstance(value, dict | list):
            self._judged[key] = breach
        return breach

    def beside(self, schema: Any, value: Any, place: _Place) -> Breach | None:
        """Judge by a schema of the same value: what it marks counts if it allows the value."""
        marks: Marks = None if place.marks is None else set()
        breach = self.judge(schema, value, place.scope, place.around, marks)
        if breach is None and place.marks is not None and marks:
            place.marks.update(marks)
        return breach

    def inner(self, schema: Any, value: Any, step: str | int, place: _Place) -> Breach | None:
        """Judge a member, or an item; its path leads there."""
        if place.marks is not None:
            place.marks.add(step)
        breach = self.judge(schema, value, place.scope, place.around, None)
        return breach and breach._replace(path=(step, *breach.path))

    def matches(self, pattern: str, text: str) -> bool:
        """Say whether a pattern matches; one that cannot be matched does, and a note says so."""
        matchers = self._known.matchers
        if pattern not in matchers:
            spelling = spell(pattern)
            matchers[pattern] = None if spelling is None else Matcher(spelling.python)
        matcher = matchers[pattern]
        return matcher is None or matcher.search(text, self.spend)

    def keys_of(self, values: list[Any]) -> frozenset[Any]:
        """Get the keys of the values of an enumeration."""
        keys = self._known.keys
        if id(values) not in keys:
            keys[id(values)] = frozenset(map(key_of, values))
        return keys[id(values)]

    def _plan(self, schema: Schema, scope: Scope) -> tuple[Schema, list[tuple[Judge, Any]]]:
        """Get a schema as the standard has it, and the judges of its keywords, in their order."""
        is_old = scope.ignores_siblings
        plans = self._known.plans
        key = id(schema), is_old
        if key not in plans:
            cleaned = _standard(schema, is_old=is_old)
            judges = [(judge, cleaned[key]) for key, judge in _JUDGES.items() if key in cleaned]
            # The first stays: parts that cleaning makes are known by their identity too.
            plans.setdefault(key, (cleaned, judges))
        return plans[key]


def _standard(schema: Schema, *, is_old: bool) -> Schema:
    """Get a schema as the newest draft has it, its parts aside; nothing of the wild in it (R-34)."""
    try:
        cleaned = dict(clean(schema, ""))
    except SchemaError:  # nothing refers to this part, or the layout would have been refused
        return {}
    if is_old and "$ref" in cleaned:
        return {"$ref": cleaned["$ref"]}
    if isinstance(cleaned.get("items"), list):
        cleaned["prefixItems"] = cleaned.pop("items")
        if "additionalItems" in cleaned:
            cleaned["items"] = cleaned["additionalItems"]
    for name, part in cleaned.get("dependencies", {}).items():
        keyword = "dependentRequired" if isinstance(part, list) else "dependentSchemas"
        cleaned[keyword] = {**cleaned.get(keyword, {}), name: part}
    if not cleaned.pop("nullable", False):
        return cleaned
    if "type" in cleaned and not cleaned.keys() & _NARROWS:
        return {**cleaned, "type": [*cleaned["type"], "null"]}
    return {"anyOf": [cleaned, {"type": "null"}]}


_NARROWS = frozenset(["$ref", "allOf", "anyOf", "const", "enum", "if", "not", "oneOf"])
"""Keywords that can refuse null where the type allows it."""


def key_of(value: Any) -> Any:
    """Get what is equal for values that JSON Schema calls equal: 1 and 1.0, but not 1 and true.

    >>> key_of([1, {"a": 2}]) == key_of([1.0, {"a": 2.0}]), key_of([1]) == key_of([True])
    (True, False)
    """
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, Mapping):
        return frozenset((name, key_of(member)) for name, member in value.items())
    return tuple(map(key_of, value)) if isinstance(value, list | tuple) else value


def _extent(value: Any) -> int:
    """Get about how many characters a value has."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return _VALUE + sum(len(name) + _extent(member) for name, member in value.items())
    return _VALUE + (sum(map(_extent, value)) if isinstance(value, list | tuple) else 0)


# --- any value ----------------------------------------------------------------------------------


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_KINDS: dict[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def _type(run: Validator, kinds: list[str], value: Any, _: _Place) -> Breach | None:
    if any(_KINDS[kind](value) for kind in kinds):
        return None
    return Breach((), f"{cut(value)} is not of the type {' or '.join(kinds) or 'never'}")


def _enum(run: Validator, values: list[Any], value: Any, _: _Place) -> Breach | None:
    run.spend(_extent(value))
    if key_of(value) in run.keys_of(values):
        return None
    return Breach((), f"{cut(value)} is not one of {cut(values)}")


def _const(run: Validator, const: Any, value: Any, _: _Place) -> Breach | None:
    run.spend(_extent(value) + _extent(const))
    return (
        None if key_of(value) == key_of(const) else Breach((), f"{cut(value)} is not {cut(const)}")
    )


# --- numbers ------------------------------------------------------------------------------------


def _bound(says: str, is_right: Callable[[Any, Any], bool]) -> Judge:
    def judge(run: Validator, bound: Any, value: Any, _: _Place) -> Breach | None:
        if not _is_number(value) or is_right(value, bound):
            return None
        return Breach((), f"{cut(value)} is not {says} {bound}")

    return judge


def _multiple_of(run: Validator, part: Any, value: Any, _: _Place) -> Breach | None:
    if not _is_number(value):
        return None
    if isinstance(part, float) and isfinite(quotient := value / part):
        is_multiple = quotient.is_integer()
    else:
        is_multiple = not Fraction(value) % Fraction(part)
    return None if is_multiple else Breach((), f"{cut(value)} is not a multiple of {part}")


# --- sizes --------------------------------------------------------------------------------------


def _size(kind: type, what: str, *, is_least: bool) -> Judge:
    def judge(run: Validator, bound: float, value: Any, _: _Place) -> Breach | None:
        if not isinstance(value, kind):
            return None
        size = len(value)  # type: ignore[arg-type]
        if size >= bound if is_least else size <= bound:
            return None
        return Breach(
            (),
            f"{size} {what}, and {'not less' if is_least else 'not more'} than {bound} are allowed",
        )

    return judge


# --- strings ------------------------------------------------------------------------------------


def _pattern(run: Validator, pattern: str, value: Any, _: _Place) -> Breach | None:
    if not isinstance(value, str) or run.matches(pattern, value):
        return None
    return Breach((), f"{cut(value)} does not match {cut(pattern)}")


def _format(run: Validator, name: str, value: Any, _: _Place) -> Breach | None:
    if not run.formats or name not in FORMATS or not isinstance(value, str):
        return None
    run.spend(len(value))
    return None if FORMATS[name](value) else Breach((), f"{cut(value)} is not a {name!r}")


# --- arrays -------------------------------------------------------------------------------------


def _unique_items(run: Validator, is_asked: bool, value: Any, _: _Place) -> Breach | None:
    if not is_asked or not isinstance(value, list):
        return None
    run.spend(_extent(value))
    if len(set(map(key_of, value))) == len(value):
        return None
    return Breach((), f"{cut(value)} has an item twice")


def _prefix_items(run: Validator, parts: list[Any], value: Any, place: _Place) -> Breach | None:
    if not isinstance(value, list):
        return None
    pairs = enumerate(zip(parts, value, strict=False))
    return _first(run.inner(part, item, index, place) for index, (part, item) in pairs)


def _items(run: Validator, part: Any, value: Any, place: _Place) -> Breach | None:
    if not isinstance(value, list):
        return None
    start = len(place.schema.get("prefixItems", ()))
    indices = range(start, len(value))
    return _first(run.inner(part, value[index], index, place) for index in indices)


def _contains(run: Validator, part: Any, value: Any, place: _Place) -> Breach | None:
    if not isinstance(value, list):
        return None
    least, most = place.schema.get("minContains", 1), place.schema.get("maxContains", len(value))
    right = [
        index
        for index, item in enumerate(value)
        if run.judge(part, item, place.scope, place.around, None) is None
    ]
    if place.marks is not None:
        place.marks.update(right)
    if least <= len(right) <= most:
        return None
    return Breach((), f"{len(right)} items are as `contains` has them")


# --- objects ------------------------------------------------------------------------------------


def _required(run: Validator, names: list[str], value: Any, _: _Place) -> Breach | None:
    missing = [name for name in names if name not in value] if isinstance(value, dict) else []
    return Breach((), f"{cut(missing[0])} is missing") if missing else None


def _dependent_required(
    run: Validator, needs: dict[str, list[str]], value: Any, place: _Place
) -> Breach | None:
    if not isinstance(value, dict):
        return None
    return _first(_required(run, needs[name], value, place) for name in needs if name in value)


def _dependent_schemas(run: Validator, parts: Schema, value: Any, place: _Place) -> Breach | None:
    if not isinstance(value, dict):
        return None
    found = (part for name, part in parts.items() if name in value)
    return _first(run.beside(part, value, place) for part in found)


def _properties(run: Validator, parts: Schema, value: Any, place: _Place) -> Breach | None:
    if not isinstance(value, dict):
        return None
    names = (name for name in value if name in parts)
    return _first(run.inner(parts[name], value[name], name, place) for name in names)


def _pattern_properties(run: Validator, parts: Schema, value: Any, place: _Place) -> Breach | None:
    if not isinstance(value, dict):
        return None
    return _first(
        run.inner(part, member, name, place)
        for pattern, part in parts.items()
        for name, member in value.items()
        if _is_known(pattern) and run.matches(pattern, name)
    )


def _is_known(pattern: str) -> bool:
    """Say whether a pattern can be matched: which members are meant by others nobody knows."""
    return spell(pattern) is not None


def _additional_properties(run: Validator, part: Any, value: Any, place: _Place) -> Breach | None:
    if not isinstance(value, dict):
        return None
    declared, patterns = (place.schema.get(key, {}) for key in ("properties", "patternProperties"))
    others = (
        name
        for name in value
        if name not in declared and not any(run.matches(pattern, name) for pattern in patterns)
    )
    return _first(_other(run, part, value, name, place) for name in others)


def _other(run: Validator, part: Any, value: Any, name: str, place: _Place) -> Breach | None:
    """Judge a member that is not declared; where none is allowed, the object is wrong."""
    if part is False:
        return Breach((), f"{cut(name)} is not allowed here")
    return run.inner(part, value[name], name, place)


def _property_names(run: Validator, part: Any, value: Any, place: _Place) -> Breach | None:
    if not isinstance(value, dict):
        return None
    found = _first(run.judge(part, name, place.scope, place.around, None) for name in value)
    return found and found._replace(path=())


# --- other schemas of the same value ------------------------------------------------------------


def _first(breaches: Iterable[Breach | None]) -> Breach | None:
    return next((breach for breach in breaches if breach is not None), None)


def _ref(run: Validator, reference: str, value: Any, place: _Place) -> Breach | None:
    target, scope = place.scope.lookup(reference, "")
    return run.beside(target, value, place._replace(scope=scope))


def _dynamic_ref(run: Validator, reference: str, value: Any, place: _Place) -> Breach | None:
    """Judge by what the outermost schema around has under the name, if the nearest has one."""
    target, scope = place.scope.lookup(reference, "")
    name = reference.rpartition("#")[2]
    if scope.resource.dynamic.get(name) is target:
        outermost = next((one for one in place.around if name in one.dynamic), scope.resource)
        target, scope = outermost.dynamic[name], scope._replace(resource=outermost)
    return run.beside(target, value, place._replace(scope=scope))


def _recursive_ref(run: Validator, reference: str, value: Any, place: _Place) -> Breach | None:
    target, scope = place.scope.lookup(reference, "")
    if target.get("$recursiveAnchor") is True:
        for resource in reversed(place.around):
            if resource.schema.get("$recursiveAnchor") is not True:
                break
            target, scope = resource.schema, scope._replace(resource=resource)
    return run.beside(target, value, place._replace(scope=scope))


def _all_of(run: Validator, parts: list[Any], value: Any, place: _Place) -> Breach | None:
    return _first(run.beside(part, value, place) for part in parts)


def _any_of(run: Validator, parts: list[Any], value: Any, place: _Place) -> Breach | None:
    breaches = []
    for part in parts:
        breach = run.beside(part, value, place)
        if breach is not None:
            breaches.append(breach)
        elif place.marks is None:
            return None
    return _deepest(breaches, value) if len(breaches) == len(parts) else None


def _one_of(run: Validator, parts: list[Any], value: Any, place: _Place) -> Breach | None:
    found = [run.beside(part, value, place) for part in parts]
    breaches = [breach for breach in found if breach is not None]
    right = len(parts) - len(breaches)
    if right > 1:
        return Breach((), f"{cut(value)} is right by {right} schemas, not by one")
    return None if right else _deepest(breaches, value)


def _deepest(breaches: list[Breach], value: Any) -> Breach:
    """Get the reason of the schema that was wrong last; if two were, what all have in common."""
    depth = max(len(breach.path) for breach in breaches)
    deepest = [breach for breach in breaches if len(breach.path) == depth]
    return deepest[0] if len(deepest) == 1 else Breach((), f"{cut(value)} is right by no schema")


def _not(run: Validator, part: Any, value: Any, place: _Place) -> Breach | None:
    if run.judge(part, value, place.scope, place.around, None) is not None:
        return None
    return Breach((), f"{cut(value)} is what it must not be")


def _if(run: Validator, part: Any, value: Any, place: _Place) -> Breach | None:
    branch = "then" if run.beside(part, value, place) is None else "else"
    return run.beside(place.schema.get(branch, True), value, place)


def _unevaluated_items(run: Validator, part: Any, value: Any, place: _Place) -> Breach | None:
    if not isinstance(value, list) or place.marks is None:
        return None
    rest = [index for index in range(len(value)) if index not in place.marks]
    return _first(run.inner(part, value[index], index, place) for index in rest)


def _unevaluated_properties(run: Validator, part: Any, value: Any, place: _Place) -> Breach | None:
    if not isinstance(value, dict) or place.marks is None:
        return None
    rest = [name for name in value if name not in place.marks]
    return _first(_other(run, part, value, name, place) for name in rest)


_UNEVALUATED = frozenset(["unevaluatedItems", "unevaluatedProperties"])
_JUDGES: dict[str, Judge] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "minimum": _bound("at least", operator.ge),
    "maximum": _bound("at most", operator.le),
    "exclusiveMinimum": _bound("more than", operator.gt),
    "exclusiveMaximum": _bound("less than", operator.lt),
    "multipleOf": _multiple_of,
    "minLength": _size(str, "characters", is_least=True),
    "maxLength": _size(str, "characters", is_least=False),
    "minItems": _size(list, "items", is_least=True),
    "maxItems": _size(list, "items", is_least=False),
    "minProperties": _size(dict, "members", is_least=True),
    "maxProperties": _size(dict, "members", is_least=False),
    "pattern": _pattern,
    "format": _format,
    "required": _required,
    "dependentRequired": _dependent_required,
    "uniqueItems": _unique_items,
    "propertyNames": _property_names,
    "additionalProperties": _additional_properties,
    "prefixItems": _prefix_items,
    "items": _items,
    "contains": _contains,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "$ref": _ref,
    "$dynamicRef": _dynamic_ref,
    "$recursiveRef": _recursive_ref,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "if": _if,
    "dependentSchemas": _dependent_schemas,
    "not": _not,
    "unevaluatedItems": _unevaluated_items,
    "unevaluatedProperties": _unevaluated_properties,
}
"""In this order keywords judge: what is wrong of the value itself is more telling than what is
wrong inside of it."""
