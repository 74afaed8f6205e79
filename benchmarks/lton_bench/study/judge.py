"""Is an answer right? The rules of BFCL's AST checker, and the kind of failure if it is not.

The checker of `bfcl_eval` cannot be imported without the clients of a dozen vendors, so its rules
for Python are written down here again; `tests/study/test_judge.py` holds them against its code.

* Each wanted call gets the first given call that fits, in any order. One too many is a failure.
* Names are equal, every required argument is there, and so is each that may not be omitted: `""`
  among the acceptable values says that it may. An argument without acceptable values is unknown.
* Types are those of Python: `5` will do for a `number`, `5.0` and `true` will not for an `integer`,
  nor `[5]` for an array of numbers where `[5.0]` is meant. Beside the type of the schema, that of
  the first acceptable value is right too.
* Strings are compared without case, spaces and `,./-_*^`, with `'` as `"`: as values, in arrays,
  and in objects one level down. Deeper ones, and objects in arrays of arrays, are compared exactly.

Oddities are kept, for the figures to be comparable: `[]` is right for an array that may be omitted.
Where BFCL's checker breaks off with an exception (a string in an array of objects), the answer is
wrong here. Text that is no call at all is for the caller: BFCL takes it as no calls.
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
    """What is wrong with an answer; of several things, the first that BFCL would look at."""

    NO_CALL = "no call"
    TOO_FEW_CALLS = "too few calls"
    TOO_MANY_CALLS = "too many calls"
    WRONG_TOOL = "wrong tool"
    MISSING_PARAMETER = "missing parameter"
    UNKNOWN_PARAMETER = "unknown parameter"
    WRONG_TYPE = "wrong type"
    WRONG_VALUE = "wrong value"


def judge(case: Case, calls: Sequence[Call]) -> Failure | None:
    """Return what is wrong with the calls that a model made, or `None` if they are right.

    Values are as JSON has them. Where one of several calls fits nowhere, the failure is that of its
    nearest match.

    >>> from lton_bench.study.tasks import reported
    >>> case = reported()["simple_python"][3]
    >>> case.answers
    [{'calculate_circle_dimensions': {'radius': [5]}}]
    >>> judge(case, [Call("calculate_circle_dimensions", {"radius": 5.0})])
    <Failure.WRONG_TYPE: 'wrong type'>
    """
    wanted = len(case.answers)
    if len(calls) < wanted:
        return Failure.TOO_FEW_CALLS if calls else Failure.NO_CALL
    if len(calls) > wanted:
        return Failure.TOO_MANY_CALLS
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in case.tools}
    left = list(calls)
    for answer in case.answers:
        [(name, acceptable)] = answer.items()
        failures: list[Failure] = []
        for i, call in enumerate(left):
            failure = _call(call, name, acceptable, schemas[name])
            if failure is None:
                del left[i]
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
    """Return what is wrong with an argument that is there, or `None` if it is right."""
    declared, given, meant = _PYTHON[schema.get("type")], type(value), _meant(acceptable)
    items = _PYTHON[schema.get("items", {}).get("type")] if declared is list else None
    if declared is float and given is int:
        given = float
    if given is not declared and given is not meant:
        return Failure.WRONG_TYPE
    if given is list and items and not any(_items_fit(value, one, items) for one in acceptable):
        return Failure.WRONG_TYPE
    compare: Compare = _equal  # also where the schema and the acceptable values have two minds
    if given is declared and meant in (declared, None):
        compare = _object_lists if items is dict else _COMPARE.get(declared, _equal)
    return None if compare(value, acceptable) else Failure.WRONG_VALUE


def _meant(acceptable: Iterable[Any]) -> type | None:
    """Return the type of the first acceptable value, if there is one other than `""`."""
    return next((type(one) for one in acceptable if one != ""), None)


def _items_fit(value: list[Any], acceptable: Any, items: type) -> bool:
    """Whatever the items are, they fit an acceptable value that is no array, `""` among them."""
    return not isinstance(acceptable, list) or all(
        type(item) in (items, _meant(acceptable)) for item in value
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
            isinstance(member, dict) and _object(member, wanted)
            for member, wanted in zip(value, one, strict=True)
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
