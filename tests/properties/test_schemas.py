"""Test that LTON accepts the values that a validator accepts, for random JSON Schemas (R-423)."""

from typing import Any

import jsonschema
from hypothesis import assume, given
from hypothesis import strategies as st

from fuzz.roundtrip import same
from lton import Call, DecodeError, EncodeError, SchemaError, ToolSet, decode, encode
from lton._syntax import FORMS
from lton.errors import Code

NAMES = st.sampled_from(["a", "b", "n1", "$ref"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 2, 1.0, 2.5, -3, "", "a", "ab", "1", "true"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=5,
)
KINDS = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
SMALL = st.integers(0, 2)
PATTERNS = st.sampled_from(["^a", "b$", "[0-9]"])
PLAIN: dict[str, st.SearchStrategy[Any]] = {
    "type": KINDS | st.lists(KINDS, min_size=1, max_size=3, unique=True),
    "enum": st.lists(VALUES, min_size=1, max_size=4),
    "const": VALUES,
    "pattern": PATTERNS,
    "multipleOf": st.sampled_from([1, 2, 0.5]),
    "uniqueItems": st.booleans(),
    "required": st.lists(NAMES, max_size=2, unique=True),
    "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2), max_size=1),
    "$ref": st.sampled_from(["#/$defs/one", "#/$defs/two"]),
    "format": st.just("date"),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), SCALARS.filter(
        lambda value: isinstance(value, int | float) and not isinstance(value, bool)
    )),
    **dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), SMALL
    ),
}  # fmt: skip


def holding(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return schemas that contain the given schemas, and some plain keywords."""
    some = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=3)
    keywords = {
        **PLAIN,
        **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), some),
        **dict.fromkeys(("not", "if", "then", "else", "items", "contains"), inner),
        **dict.fromkeys(("additionalProperties", "propertyNames", "unevaluatedProperties"), inner),
        **dict.fromkeys(("properties", "dependentSchemas"), named),
        "patternProperties": st.dictionaries(PATTERNS, inner, max_size=2),
    }
    return st.lists(st.sampled_from(sorted(keywords)), max_size=4, unique=True).flatmap(
        lambda chosen: st.fixed_dictionaries({name: keywords[name] for name in chosen})
    )


LEAVES = st.booleans() | st.lists(st.sampled_from(sorted(PLAIN)), max_size=3, unique=True).flatmap(
    lambda chosen: st.fixed_dictionaries({name: PLAIN[name] for name in chosen})
)
SCHEMAS = st.recursive(LEAVES, holding, max_leaves=6)


@given(SCHEMAS, SCHEMAS, SCHEMAS, st.lists(VALUES, min_size=1, max_size=4))
def test_what_a_validator_takes_is_taken(
    one: Any, two: Any, schema: Any, values: list[Any]
) -> None:
    """A valid value is read back from every form, and an invalid value is refused."""
    parameters = {
        "type": "object",
        "properties": {"x": schema},
        "required": ["x"],
        "$defs": {"one": one, "two": two},
    }
    definition = {"name": "f", "parameters": parameters}
    try:
        tools = ToolSet.from_tools([definition], standard=True)
    except SchemaError as error:
        assume(error.code != Code.REFERENCE)  # it names itself
        raise
    validator = jsonschema.Draft202012Validator(parameters)
    for value in values:
        call = Call("f", {"x": value})
        if validator.is_valid({"x": value}):
            for form in FORMS:
                (found,) = decode(encode(call, tools, form=form), tools)
                assert same(dict(found.arguments), {"x": value})
        else:
            for attempt in (
                lambda call=call: encode(call, tools),
                lambda call=call: decode(encode(call, form="tagged"), tools),
            ):
                try:
                    attempt()
                except (DecodeError, EncodeError):
                    continue
                raise AssertionError(f"{value!r} was taken")
