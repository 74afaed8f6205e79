"""Judge answers by the rules of BFCL's AST checker, and return the kind of failure.

The checker of `bfcl_eval` cannot be imported without the clients of a dozen vendors, so this module
implements its rules for Python again. `benchmarks/tests/study/test_judge.py` compares both.

* Each expected call is matched with the first given call that fits, in any order. Additional calls
  are failures.
* Names must be equal. Required arguments must be given, and arguments that cannot be omitted: an
  argument can be omitted if `""` is an acceptable value. Arguments without acceptable values are
  unknown.
* Types are those of Python: `5` fits a `number`. `5.0` and `true` do not fit an `integer`, and
`[5]`
  does not fit an array of numbers if `[5.0]` is expected. The type of the first acceptable value is
  also right.
* Strings are compared without case, spaces and `,./-_*^`, with `'` as `"`: as values, in arrays,
and
  in objects one level down. Deeper strings, and objects in arrays of arrays, are compared exactly.

Oddities are kept, so that figures are comparable: `[]` is right for an array that can be omitted.
If BFCL's checker raises an exception (a string in an array of objects), the answer is wrong here.
The caller judges answers without a call, which BFCL treats as no calls.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from lton import Call
from lton_bench.study.tasks import Case

__all__ = ["Failure", "judge", "judge_argument"]

_PYTHON: dict[str | None, type] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
    None: str,  # BFCL's "any"
}
_IGNORED = re.compile(r"[ ,./\-_*^]")

Arguments = Mapping[str, Any]
Schema = Mapping[str, Any]
Compare = Callable[[Any, list[Any]], bool]


class Failure(StrEnum):
    """The fault of an answer; of several faults, the first that BFCL checks."""

    NO_CALL = "no call"
    TOO_FEW_CALLS = "too few calls"
    TOO_MANY_CALLS = "too many calls"
    WRONG_TOOL = "wrong tool"
    MISSING_PARAMETER = "missing parameter"
    UNKNOWN_PARAMETER = "unknown parameter"
    WRONG_TYPE = "wrong type"
    WRONG_VALUE = "wrong value"


def judge(case: Case, calls: Sequence[Call]) -> Failure | None:
    """Return the fault of a model's calls, or `None` if they are right.

    Values are those of JSON. If one of several calls does not fit, the fault is that of the nearest
    match.

    >>> from lton_bench.study.tasks import reported
    >>> case = reported()["simple_python"][3]
    >>> case.answers
    [{'calculate_circle_dimensions': {'radius': [5]}}]
    >>> judge(case, [Call("calculate_circle_dimensions", {"radius": 5.0})])
    <Failure.WRONG_TYPE: 'wrong type'>
    """
    expected_count = len(case.answers)
    if len(calls) < expected_count:
        return Failure.TOO_FEW_CALLS if calls else Failure.NO_CALL
    if len(calls) > expected_count:
        return Failure.TOO_MANY_CALLS
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in case.tools}
    remaining = list(calls)
    for answer in case.answers:
        [(name, acceptable)] = answer.items()
        failures: list[Failure] = []
        for i, call in enumerate(remaining):
            failure = _call(call, name, acceptable, schemas[name])
            if failure is None:
                del remaining[i]
                break
            failures.append(failure)
        else:
            return max(failures, key=list(Failure).index)  # who got furthest was nearest
    return None


def _call(call: Call, name: str, acceptable: Arguments, schema: Schema) -> Failure | None:
    if call.name != name:
        return Failure.WRONG_TOOL
    if any(key not in call.arguments for key in schema.get("required", ())):
        return Failure.MISSING_PARAMETER
    for key, value in call.arguments.items():
        if key not in schema["properties"] or key not in acceptable:
            return Failure.UNKNOWN_PARAMETER
        failure = judge_argument(value, acceptable[key], schema["properties"][key])
        if failure:
            return failure
    if _lacking(call.arguments, acceptable):
        return Failure.MISSING_PARAMETER
    return None


def judge_argument(value: Any, acceptable: list[Any], schema: Schema) -> Failure | None:
    """Return the fault of a given argument, or `None` if it is right."""
    declared, actual, expected = (
        _PYTHON[schema.get("type")],
        type(value),
        _expected_type(acceptable),
    )
    items = _PYTHON[schema.get("items", {}).get("type")] if declared is list else None
    if declared is float and actual is int:
        actual = float
    if actual is not declared and actual is not expected:
        return Failure.WRONG_TYPE
    if actual is list and items and not any(_items_fit(value, one, items) for one in acceptable):
        return Failure.WRONG_TYPE
    compare: Compare = _equal  # also where the schema and the acceptable values have two minds
    if actual is declared and expected in (declared, None):
        compare = _object_lists if items is dict else _COMPARE.get(declared, _equal)
    return None if compare(value, acceptable) else Failure.WRONG_VALUE


def _expected_type(acceptable: Iterable[Any]) -> type | None:
    """Return the type of the first acceptable value, if there is one other than `""`."""
    return next((type(one) for one in acceptable if one != ""), None)


def _items_fit(value: list[Any], acceptable: Any, items: type) -> bool:
    """Return whether items fit; all fit an acceptable value that is not an array, such as `""`."""
    return not isinstance(acceptable, list) or all(
        type(item) in (items, _expected_type(acceptable)) for item in value
    )


def _equal(value: Any, acceptable: list[Any]) -> bool:
    return value in acceptable


def _strings(value: str, acceptable: list[Any]) -> bool:
    return _plain(value) in [*map(_plain, acceptable)]


def _lists(value: list[Any], acceptable: list[Any]) -> bool:
    # `""`, which says that the array may be omitted, counts as an array without items.
    return [*map(_plain, value)] in [[*map(_plain, one)] for one in acceptable]


def _objects(value: Arguments, acceptable: list[Any]) -> bool:
    return any(_object(value, one) for one in acceptable if one != "")


def _object(value: Arguments, acceptable: Arguments) -> bool:
    return not _lacking(value, acceptable) and all(
        key in acceptable and _plain(member) in [*map(_plain, acceptable[key])]
        for key, member in value.items()
    )


def _object_lists(value: list[Any], acceptable: list[Any]) -> bool:
    return any(
        len(value) == len(one)
        and all(
            isinstance(member, dict) and _object(member, expected)
            for member, expected in zip(value, one, strict=True)
        )
        for one in acceptable
    )


def _lacking(value: Arguments, acceptable: Arguments) -> bool:
    return any(key not in value and "" not in allowed for key, allowed in acceptable.items())


def _plain(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return _IGNORED.sub("", value).lower().replace("'", '"')


_COMPARE: dict[type, Callable[[Any, list[Any]], bool]] = {
    dict: _objects,
    str: _strings,
    list: _lists,
}
