"""Read fields of a request's JSON, or raise a `RefusedError` that names a wrong field."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from lton.apis.conversations import kept_parts
from lton.apis.refusals import RefusedError
from lton.chat import Message
from lton.errors import ConversionError

Body: TypeAlias = Mapping[str, Any]
MAX_TEXTS = 64
_EXPECTED: Mapping[type, str] = {dict: "an object", str: "a string", bool: "true or false"}
_T = TypeVar("_T", bool, str, dict[str, Any])


def conversation_of(
    read: Callable[[Any], tuple[Message, ...]], given: object, param: str
) -> tuple[Message, ...]:
    """Convert messages with `read`, or raise a `RefusedError` that names the parameter."""
    try:
        return read(given)
    except ConversionError as error:
        raise RefusedError(400, str(error), param=param) from None


def messages_of(
    read: Callable[[Sequence[Any]], tuple[Message, ...]], body: Body
) -> tuple[Message, ...]:
    """Convert the messages of a request with `read`."""
    given = body["messages"]
    try:
        return tuple(kept_parts(body).map_new("read", given, read))
    except ConversionError:  # the error's path is relative to the new messages
        return conversation_of(read, given, "messages")


def texts_of(body: Body, param: str) -> tuple[str, ...]:
    """Return the non-empty strings of a field: one string, or a list of at most 64 strings."""
    given = body.get(param)
    texts = [given] if isinstance(given, str) else given or []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise wrong(param, "a string, or a list of strings")
    if len(texts) > MAX_TEXTS:
        raise wrong(param, f"at most {MAX_TEXTS} strings, found {len(texts)}")
    return tuple(filter(None, texts))


def list_of(body: Body, param: str, *, empty: bool = False, most: int | None = None) -> list[Any]:
    """Return a list of at most `most` items. With `empty`, the field may be missing."""
    found = body.get(param)
    if found is None and empty:
        return []
    if not isinstance(found, list):
        raise wrong(param, "a list")
    if most and len(found) > most:
        raise wrong(param, f"at most {most}, found {len(found)}")
    return found


def value(body: Body, param: str, default: _T) -> _T:
    """Return a field of the same type as `default`, or `default` if the field is missing."""
    found = body.get(param)
    if found is not None and not isinstance(found, type(default)):
        raise wrong(param, _EXPECTED[type(default)])
    return default if found is None else found


def whole_of(body: Body, param: str, most: int = 2**31) -> int | None:
    """Return an integer from 1 to `most`, or None if the field is missing."""
    found = body.get(param)
    if found is None:
        return None
    if type(found) is not int or not 1 <= found <= most:
        raise wrong(param, f"a whole number from 1 to {most}")
    return found


def wrong(param: str, expected: str) -> RefusedError:
    """Return the error for a parameter of the wrong type."""
    return RefusedError(400, f"{param}: expected {expected}", param=param)
