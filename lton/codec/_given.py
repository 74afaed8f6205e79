"""Convert calls from an API's JSON to `Call`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from lton.errors import Code, EncodeError
from lton.schema.toolset import kind_of
from lton.schema.types import Call, Result

Given: TypeAlias = Call | Result | Mapping[str, Any]  # calls, answers, or the JSON of APIs

_FRAMES = (Call, Result)
_FRAMES_ALONE = frozenset(_FRAMES)
_WANTED = 'a Call, a Result, or a call of an API ({"name": …, "arguments": {…}})'


def frames_of(given: Given | Iterable[Given]) -> Sequence[Call | Result]:
    """Convert calls in an API's JSON to `Call`. Raises `TypeError` for other objects."""
    if isinstance(given, _FRAMES):
        return (given,)
    if type(given) is list and _FRAMES_ALONE.issuperset(map(type, given)):
        return given  # a shortcut, because the checks below take longer than writing a call
    if isinstance(given, Mapping):
        return (_read(given),)
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise TypeError(f"expected {_WANTED}, or several, found {kind_of(given)}")
    return [
        frame if isinstance(frame, _FRAMES) else _read(frame, f" in {kind_of(given)}")
        for frame in given
    ]


def check_text(text: object) -> None:
    """Raise `TypeError` unless the text is a string."""
    if not isinstance(text, str):
        raise TypeError(f"expected a string (str), found {kind_of(text)}")


def _read(call: object, where: str = "") -> Call:
    match call:
        case (
            {"function": {"name": str(name), "arguments": given}}
            | {"type": "tool_use", "name": str(name), "input": given}
            | {"name": str(name), "arguments": given}
        ):
            pass
        case _:
            raise TypeError(f"expected {_WANTED}, found {kind_of(call)}{where}")
    if isinstance(given, str):
        from lton._json import read_json  # noqa: PLC0415 - most calls do not need it

        try:
            given = read_json(given or "{}")
        except ValueError as error:
            raise EncodeError(Code.VALUE, f"the arguments are not JSON: {error}") from None
    if not isinstance(given, Mapping):
        raise TypeError(f"expected an object for the arguments of {name!r}, found {kind_of(given)}")
    return Call(name, given)
