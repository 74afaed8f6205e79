"""Check a value against a JSON Schema, with a limit on the work.

Schemas may come from strangers, so the cost of a check is limited. Equal schemas and values have
equal costs. If a schema checks a value with other schemas, the result is cached.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from lton.schema.jsonschema.keywords import (
    KeywordRole,
    Schema,
    check_shape,
    list_keywords_with_roles,
    normalize_keywords,
)
from lton.schema.jsonschema.patterns import STEP, Matcher, try_convert_to_python
from lton.schema.jsonschema.references import Resource, Scope
from lton.schema.types import Breach

MAX_STEPS = 10_000_000  # the maximum cost of a check in steps (of about 0.1 µs),
STEPS_PER_CHARACTER = 20  # plus this cost for each character of the arguments
_VALUE = 30  # the number of characters that a value counts in addition to its content
_JUDGE = 10 * STEP  # the cost of a schema without keywords

_Marks: TypeAlias = "set[str | int] | None"  # the checked members or items; None if not needed
Judge: TypeAlias = "Callable[[Any, Any, Where], Breach | None]"  # checks a value for one keyword
Judges: TypeAlias = Mapping[str, tuple[Callable[[Any], bool], Judge]]
"""For each keyword, in order: whether it applies to a value, and its check."""

_ASK_FOR_MARKS = frozenset(list_keywords_with_roles(KeywordRole.REST))
_APPLICATORS = frozenset(
    list_keywords_with_roles(
        KeywordRole.REFERENCE, KeywordRole.BRANCHES, KeywordRole.EXCLUSION, KeywordRole.CONDITION
    )
)
"""Keywords that check a value against other schemas, so that the results are cached."""
_NARROWS = _APPLICATORS | {"const", "enum"}  # may refuse null although the type allows it


class TooManyStepsError(Exception):
    """Raised if the work limit of a check is reached."""


class _Plan(NamedTuple):
    """The keywords of a schema, converted to the newest draft, and the checks for them."""

    keywords: Schema
    judges: list[tuple[Callable[[Any], bool], Judge, Any]]
    asks_for_marks: bool
    is_kept: bool  # whether the results are cached


class CompiledSchema:
    """Data about a schema that is computed once and used for every value."""

    def __init__(self, judges: Judges, *, standard: bool) -> None:
        self._judges = judges
        self._is_standard = standard
        self._plans: dict[tuple[int, int], _Plan] = {}
        self._matchers: dict[str, Matcher | None] = {}
        self.keys: dict[int, frozenset[Any]] = {}  # the keys of listed values, by identity

    def plan_checks(self, schema: Schema, around: Resource) -> _Plan:
        key = id(schema), around.draft
        if key not in self._plans:
            keywords = _convert_to_newest_draft(schema, around, standard=self._is_standard)
            pairs = ((name, pair) for name, pair in self._judges.items() if name in keywords)
            judges = [(concerns, judge, keywords[name]) for name, (concerns, judge) in pairs]
            # The first plan stays: subschemas that `_convert_to_newest_draft` adds are found by
            # identity.
            asks = bool(keywords.keys() & _ASK_FOR_MARKS)
            plan = _Plan(keywords, judges, asks, is_kept=bool(keywords.keys() & _APPLICATORS))
            self._plans.setdefault(key, plan)
        return self._plans[key]

    def find_matcher(self, pattern: str) -> Matcher | None:
        """Return the matcher for a pattern, or None if the pattern is not supported."""
        if pattern not in self._matchers:
            spelling = try_convert_to_python(pattern)
            self._matchers[pattern] = None if spelling is None else Matcher(spelling.python)
        return self._matchers[pattern]


class Run:
    """The state of checking one value."""

    def __init__(self, value: Any, compiled: CompiledSchema, *, formats: bool) -> None:
        self.compiled = compiled
        self.formats = formats  # whether `format` is checked
        self.judged: dict[tuple[int, int, tuple[Resource, ...]], Breach | None] = {}
        self._value = value
        self._steps = 0
        self._limit = MAX_STEPS

    def spend_steps(self, steps: int) -> None:
        """Add to the work that the check has taken. Raises `TooManyStepsError` at the limit."""
        self._steps += steps
        if self._steps > self._limit:
            self._limit = MAX_STEPS + STEPS_PER_CHARACTER * size_of_value(self._value)
            if self._steps > self._limit:
                raise TooManyStepsError


class Where(NamedTuple):
    """A schema against which a value is checked, with its location."""

    run: Run
    keywords: Schema
    scope: Scope
    around: tuple[Resource, ...]  # the enclosing resources, outermost first
    marks: _Marks

    def find_breach(self, schema: Any, value: Any, marks: _Marks = None) -> Breach | None:
        return find_breach(self.run, schema, value, self.scope, self.around, marks)

    def find_breach_of_same_value(self, schema: Any, value: Any) -> Breach | None:
        """Check the same value against another schema and mark the members that it checks."""
        marks: _Marks = None if self.marks is None else set()
        breach = self.find_breach(schema, value, marks)
        if breach is None and self.marks is not None and marks:
            self.marks.update(marks)
        return breach

    def find_breach_inside(self, schema: Any, value: Any, step: str | int) -> Breach | None:
        """Check a member or an item. If it fails, its name or index is added to the path."""
        if self.marks is not None:
            self.marks.add(step)
        breach = self.find_breach(schema, value)
        return breach and breach._replace(path=(step, *breach.path))

    def find_schema(self, reference: str) -> "tuple[Any, Where]":
        target, scope = self.scope.find_schema(reference, "")
        return target, self._replace(scope=scope)

    def matches(self, pattern: str, text: str) -> bool | None:
        matcher = self.run.compiled.find_matcher(pattern)
        return None if matcher is None else matcher.has_match(text, self.run.spend_steps)


def find_breach(
    run: Run, schema: Any, value: Any, scope: Scope, around: tuple[Resource, ...], marks: _Marks
) -> Breach | None:
    """Return the first reason to refuse a value, or None. Raises `TooManyStepsError`."""
    if schema.__class__ is not dict and not isinstance(schema, Mapping):
        return Breach((), "nothing is allowed here") if schema is False else None
    run.spend_steps(_JUDGE)
    scope = scope.scope_of(schema)
    if not around or around[-1] is not scope.resource:
        around = (*around, scope.resource)
    plan = run.compiled.plan_checks(schema, scope.resource)
    key = id(schema), id(value), around
    if marks is None and plan.is_kept and key in run.judged:
        return run.judged[key]
    run.spend_steps(2 * STEP * len(plan.judges))
    own: _Marks = set() if marks is None and plan.asks_for_marks else marks
    context = Where(run, plan.keywords, scope, around, own)
    breach = None
    for concerns, function, operand in plan.judges:
        if concerns(value) and (breach := function(operand, value, context)):
            break
    if marks is None and plan.is_kept:
        run.judged[key] = breach
    return breach


def find_first_breach(breaches: Iterable[Breach | None]) -> Breach | None:
    """Return the first breach, or None."""
    return next((breach for breach in breaches if breach is not None), None)


def size_of_value(value: Any) -> int:
    """Return the approximate size of a value in characters."""
    if isinstance(value, str):
        return _VALUE + len(value)
    if isinstance(value, dict):
        return _VALUE + sum(len(name) + size_of_value(member) for name, member in value.items())
    return _VALUE + (sum(map(size_of_value, value)) if isinstance(value, list) else 0)


def _convert_to_newest_draft(schema: Schema, around: Resource, *, standard: bool) -> Schema:
    """Convert a schema to the newest draft (R-420). Raises `SchemaError` if it is invalid."""
    cleaned = dict(normalize_keywords(schema, "", draft=around.draft, standard=standard))
    if around.is_old and "$ref" in cleaned:
        return {"$ref": cleaned["$ref"]}
    if isinstance(cleaned.get("items"), list):
        cleaned["prefixItems"] = cleaned.pop("items")
        if "additionalItems" in cleaned:
            cleaned["items"] = cleaned["additionalItems"]
    for name, part in dict(cleaned.get("dependencies", {})).items():
        keyword = "dependentRequired" if isinstance(part, list) else "dependentSchemas"
        cleaned[keyword] = {**cleaned.get(keyword, {}), name: part}
    for keyword, value in cleaned.items():
        check_shape(keyword, value, "")
    return _allow_null(cleaned) if cleaned.pop("nullable", False) else cleaned


def _allow_null(schema: Schema) -> Schema:
    if "type" in schema and schema.keys().isdisjoint(_NARROWS):
        return {**schema, "type": [*schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
