"""Check values against the layout of a tool.

All written values are checked here, and so are calls that were read without tools (R-432).
"""

from collections.abc import Mapping
from functools import partial
from math import isfinite

from lton._syntax import FORBIDDEN, LEAST_INTEGER, MAX_DEPTH, MAX_DIGITS, MOST_INTEGER, is_allowed
from lton.codec._stops import suggest_name
from lton.errors import Code, EncodeError, escape
from lton.schema.types import FREE, JSON, Object, Type, describe_array

_GROUPS = (dict, list, tuple)  # `dict | list` would be evaluated for each value


def check_members(values: Mapping[str, JSON], members: Object, depth: int = 0) -> None:
    """Check that all names are allowed and no required name is missing (R-407, R-411)."""
    members = members.branch_of(values)
    for name, value in values.items():
        check_name(name)
        node = members.find_type(name)
        if node is None:
            hint = partial(suggest_name, name, members.by_name)
            raise EncodeError(Code.PARAMETER, f"no parameter {name!r}", hint=hint)
        check_member(value, node, depth, name)
    for param in members.params:
        if param.required and param.name not in values:
            raise EncodeError(Code.MISSING, f"{param.name!r} is required")


def check_name(name: object) -> None:
    if not isinstance(name, str) or not is_allowed(name):
        raise EncodeError(Code.VALUE, f"{name!r} cannot be a name")


def check_member(value: JSON, node: Type, depth: int, step: str | int) -> None:
    try:
        check_value(value, node, depth)
    except EncodeError as error:
        error.path = f"/{escape(str(step))}{error.path}"
        raise


def check_value(value: JSON, node: Type, depth: int = 0) -> None:
    """Check that the data model and the type allow a value (R-201 to R-205)."""
    _check_model(value)
    if refusal := node.find_refusal(value):
        code, expected = refusal
        raise EncodeError(code, f"expected {expected}, found {_describe_value(value)}")
    if isinstance(value, _GROUPS):
        if depth >= MAX_DEPTH:
            raise EncodeError(Code.DEPTH, f"nested deeper than {MAX_DEPTH}")
        if isinstance(value, dict):
            check_members(value, node.object or FREE, depth + 1)
        else:
            items = node.item_type
            for index, item in enumerate(value):
                check_member(item, items, depth + 1, index)


def _check_model(value: object) -> None:
    problem = None
    if isinstance(value, str):
        if not is_allowed(value) and (match := FORBIDDEN.search(value)):
            problem = f"U+{ord(match[0]):04X} is not allowed in a text"
    elif isinstance(value, float):
        if not isfinite(value):
            problem = f"{value!r} is not a finite number"
    elif isinstance(value, int):
        if not LEAST_INTEGER <= value <= MOST_INTEGER:
            raise EncodeError(Code.DIGITS, f"an integer of more than {MAX_DIGITS} characters")
    elif value is not None and not isinstance(value, _GROUPS):
        problem = f"a {type(value).__name__} is not a JSON value"
    if problem:
        raise EncodeError(Code.VALUE, problem)


def _describe_value(value: JSON) -> str:
    """Format a value for an error message. The contents of arrays and objects are omitted."""
    if isinstance(value, _GROUPS):
        return "an object" if isinstance(value, dict) else describe_array(value)
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
