"""Check arguments against the parts of their schema that types do not express."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from lton._syntax import MAX_DEPTH
from lton.errors import Code, SchemaError
from lton.schema.jsonschema.keyword_checks import JUDGES
from lton.schema.jsonschema.keywords import Schema
from lton.schema.jsonschema.references import Scope
from lton.schema.jsonschema.validation import (
    MAX_STEPS,
    CompiledSchema,
    Run,
    TooManyStepsError,
    find_breach,
)
from lton.schema.types import JSON, Breach


class Constraints:
    """Checks arguments against a complete JSON Schema, and against `format` if `formats` is true.

    >>> check = Constraints({"properties": {"n": {"multipleOf": 5}}})
    >>> check({"n": 10}), check({"n": 7}).path
    (None, ('n',))
    """

    def __init__(self, schema: Schema, *, formats: bool = True) -> None:
        self._formats = formats
        self._schema: Schema = _copy_value(schema)
        self._scope = Scope.scope_of_root(self._schema)
        self._compiled = CompiledSchema(JUDGES, standard=not formats)

    def __call__(self, arguments: Mapping[str, JSON]) -> Breach | None:
        """Return the most specific reason to refuse the arguments, or None.

        If the check takes more than `MAX_STEPS` steps, the arguments are refused.
        """
        value = _without_subclasses(arguments)
        run = Run(value, self._compiled, formats=self._formats)
        try:
            return find_breach(run, self._schema, value, self._scope, (), None)
        except TooManyStepsError:
            msg = f"it takes more than {MAX_STEPS} steps to check the arguments"
            return Breach((), msg, Code.CHECK_SIZE)
        except (RecursionError, SchemaError) as problem:
            return Breach((), f"the arguments cannot be checked: {problem}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constraints) and self._comparison_key() == other._comparison_key()

    def __hash__(self) -> int:
        return hash(repr(self._schema))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Constraints, formats=self._formats), (self._schema,)

    def _comparison_key(self) -> tuple[Schema, bool]:
        return self._schema, self._formats


def _copy_value(value: Any, depth: int = 0) -> Any:
    """Copy a schema, because the caller may change it later."""
    if depth > 2 * MAX_DEPTH:
        return value
    if isinstance(value, Mapping):
        return {name: _copy_value(member, depth + 1) for name, member in value.items()}
    return [_copy_value(item, depth + 1) for item in value] if isinstance(value, list) else value


def _without_subclasses(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_subclasses(member) for name, member in value.items()}
    return (
        [_without_subclasses(item) for item in value] if isinstance(value, list | tuple) else value
    )
