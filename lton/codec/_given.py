"""Convert calls from an API's JSON, and instances of classes, to `Call`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from lton.errors import Code, EncodeError
from lton.schema.toolset import ToolSet, kind_of
from lton.schema.types import Call, Result

Given: TypeAlias = Call | Result | Mapping[str, Any]  # calls, answers, or the JSON of APIs

_FRAMES = (Call, Result)
_FRAMES_ALONE = frozenset(_FRAMES)
_FIELDS = ("__dataclass_fields__", "__pydantic_fields__", "__struct_fields__")
"""The attributes of dataclasses, pydantic models and msgspec structs."""
_WANTED = 'a Call, a Result, or a call of an API ({"name": …, "arguments": {…}})'


def frames_of(source: object, tools: ToolSet | None = None) -> Sequence[Call | Result]:
    """Convert calls in an API's JSON, and instances of the tools' classes, to `Call`.

    Raises `TypeError` for other objects.
    """
    if isinstance(source, _FRAMES):
        return (source,)
    if type(source) is list and _FRAMES_ALONE.issuperset(map(type, source)):
        return source  # a shortcut, because the checks below take longer than writing a call
    call = tools.call_of(source) if tools else None
    if call is not None:
        return (call,)
    if isinstance(source, Mapping):
        return (_read_call(source),)
    if isinstance(source, str | bytes) or not isinstance(source, Iterable) or _is_record(source):
        raise TypeError(
            f"expected {_WANTED}, or several, found {kind_of(source)}{_advise_on(source)}"
        )
    return [_frame_of(frame, tools, f" in {kind_of(source)}") for frame in source]


def _frame_of(source: object, tools: ToolSet | None, where: str) -> Call | Result:
    if isinstance(source, _FRAMES):
        return source
    call = tools.call_of(source) if tools else None
    return _read_call(source, where) if call is None else call


def _is_record(source: object) -> bool:
    """Return whether an object is an instance of a class with fields.

    Instances of pydantic models are iterable, but are not several calls.
    """
    return any(hasattr(type(source), mark) for mark in _FIELDS)


def _advise_on(source: object) -> str:
    if not _is_record(source):
        return ""
    return f"; to encode instances, pass lton.Toolbox({type(source).__name__}) as tools"


def check_text(text: object) -> None:
    """Raise `TypeError` unless the text is a string."""
    if not isinstance(text, str):
        raise TypeError(f"expected a string (str), found {kind_of(text)}")


def _read_call(call: object, where: str = "") -> Call:
    match call:
        case (
            {"function": {"name": str(name), "arguments": arguments}}
            | {"type": "tool_use", "name": str(name), "input": arguments}
            | {"name": str(name), "arguments": arguments}
        ):
            pass
        case _:
            raise TypeError(f"expected {_WANTED}, found {kind_of(call)}{where}{_advise_on(call)}")
    if isinstance(arguments, str):
        from lton._json import read_json  # noqa: PLC0415 - most calls do not need it

        try:
            arguments = read_json(arguments or "{}")
        except ValueError as error:
            raise EncodeError(Code.VALUE, f"the arguments are not JSON: {error}") from None
    if not isinstance(arguments, Mapping):
        raise TypeError(
            f"expected an object for the arguments of {name!r}, found {kind_of(arguments)}"
        )
    return Call(name, arguments)
