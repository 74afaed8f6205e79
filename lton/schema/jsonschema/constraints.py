"""What a schema says of values beyond their layout: checked when the arguments have been read.

Needs the extra `constraints`: what the keywords of JSON Schema mean is `jsonschema`'s to say.
"""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from lton._require import require
from lton._syntax import MAX_DEPTH
from lton.errors import SchemaError
from lton.schema.jsonschema.keywords import FORMATS, Schema, clean
from lton.schema.jsonschema.references import Scope, registry_of
from lton.schema.types import JSON, Breach

_MAX_MESSAGE = 200
_ONE = frozenset(
    "additionalItems additionalProperties contains else if items not propertyNames then"
    " unevaluatedItems unevaluatedProperties".split()
)
"""Keywords whose value is a schema."""
_LISTED = frozenset(["allOf", "anyOf", "items", "oneOf", "prefixItems"])
"""Keywords whose value is a list of schemas."""
_NAMED = frozenset(
    "$defs definitions dependencies dependentSchemas patternProperties properties".split()
)
"""Keywords whose value has schemas by name."""
_NARROWS = frozenset(["$ref", "allOf", "anyOf", "const", "enum", "if", "not", "oneOf"])
"""Keywords that can refuse null where the type allows it."""


class Constraints:
    """Checks arguments against the whole of a JSON Schema, and with `formats` against `format` too.

    >>> check = Constraints({"properties": {"n": {"multipleOf": 5}}})
    >>> check({"n": 10}), check({"n": 7}).path
    (None, ('n',))
    """

    def __init__(self, schema: Schema, *, formats: bool = True) -> None:
        self._formats = formats
        self._schema = _standard(schema, 0, is_old=Scope(schema).ignores_siblings)
        jsonschema = require("jsonschema", "constraints")
        kind = jsonschema.validators.validator_for(
            self._schema, default=jsonschema.Draft202012Validator
        )
        self._validator = kind(
            self._schema,
            registry=registry_of(self._schema),
            format_checker=_format_checker() if formats else None,
        )

    def __call__(self, arguments: Mapping[str, JSON]) -> Breach | None:
        """Get the most telling reason why the schema does not allow arguments; None if it does."""
        errors = self._validator.iter_errors(_plain(arguments))
        unresolvable = require("referencing.exceptions", "constraints").Unresolvable
        try:
            error = require("jsonschema.exceptions", "constraints").best_match(errors)
        except (ArithmeticError, LookupError, RecursionError, unresolvable) as problem:
            return Breach((), f"the arguments cannot be checked: {problem}"[:_MAX_MESSAGE])
        if error is None:
            return None
        return Breach(tuple(error.absolute_path), error.message[:_MAX_MESSAGE])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constraints) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(repr(self._schema))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Constraints, formats=self._formats), (self._schema,)

    def _parts(self) -> tuple[Schema, bool]:
        return self._schema, self._formats


@cache
def _format_checker() -> Any:
    """Get what checks the formats of R-35, all of them, whatever else is installed."""
    for module in ("fqdn", "isoduration", "rfc3339_validator", "rfc3986_validator"):
        require(module, "constraints")
    jsonschema = require("jsonschema", "constraints")
    # By the newest draft: FormatChecker's own "time" is that of draft 3, without an offset.
    known = jsonschema.Draft202012Validator.FORMAT_CHECKER.checkers
    checker = jsonschema.FormatChecker(())
    checker.checkers = {name: known[name] for name in FORMATS}
    return checker


def _standard(schema: Any, depth: int, *, is_old: bool) -> Any:
    """Get a schema as the standard has it: nothing of the wild in it (R-34)."""
    if not isinstance(schema, Mapping) or depth > 2 * MAX_DEPTH:
        return schema
    try:
        cleaned = dict(clean(schema, ""))
    except SchemaError:  # nothing refers to this part, or the layout would have been refused
        return schema
    if not is_old:
        cleaned |= _renamed(cleaned)
    for keyword, part in cleaned.items():
        if keyword in _NAMED and isinstance(part, Mapping):
            cleaned[keyword] = {
                name: _standard(one, depth + 1, is_old=is_old) for name, one in part.items()
            }
        elif keyword in _LISTED and isinstance(part, list):
            cleaned[keyword] = [_standard(one, depth + 1, is_old=is_old) for one in part]
        elif keyword in _ONE:
            cleaned[keyword] = _standard(part, depth + 1, is_old=is_old)
    if not cleaned.pop("nullable", False):
        return cleaned
    if "type" in cleaned and not cleaned.keys() & _NARROWS:
        return {**cleaned, "type": [*cleaned["type"], "null"]}
    return {"anyOf": [cleaned, {"type": "null"}]}


def _renamed(schema: Schema) -> dict[str, Any]:
    """Get the keywords of older drafts as the new one has them; what is true says nothing."""
    renamed: dict[str, Any] = {}
    if isinstance(schema.get("items"), list):
        renamed["prefixItems"] = schema["items"]
        renamed["items"] = schema.get("additionalItems", True)
    for name, part in schema.get("dependencies", {}).items():
        keyword = "dependentRequired" if isinstance(part, list) else "dependentSchemas"
        renamed.setdefault(keyword, dict(schema.get(keyword, {})))[name] = part
    return renamed


def _plain(value: Any) -> Any:
    """Get a value with lists for tuples and dictionaries for mappings."""
    if isinstance(value, Mapping):
        return {name: _plain(member) for name, member in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
