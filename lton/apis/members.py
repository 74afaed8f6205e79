"""Read fields of a request's JSON, or raise a `RefusedError` that names a wrong field."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from lton.apis.conversations import cache_of_conversation
from lton.apis.refusals import RefusedError
from lton.chat import Message
from lton.errors import ConversionError

Body: TypeAlias = Mapping[str, Any]
MAX_TEXTS = 64
_EXPECTED: Mapping[type, str] = {dict: "an object", str: "a string", bool: "true or false"}
_T = TypeVar("_T", bool, str, dict[str, Any])


def conversation_of(
    read: Callable[[Any], tuple[Message, ...]], messages: object, param: str
) -> tuple[Message, ...]:
    """Convert messages with `read`, or raise a `RefusedError` that names the parameter."""
    try:
        return read(messages)
    except ConversionError as error:
        raise RefusedError(400, str(error), param=param) from None


def messages_of(
    read: Callable[[Sequence[Any]], tuple[Message, ...]], body: Body
) -> tuple[Message, ...]:
    """Convert the messages of a request with `read`."""
    messages = body["messages"]
    try:
        return tuple(cache_of_conversation(body).map_new_items("read", messages, read))
    except ConversionError:  # the error's path is relative to the new messages
        return conversation_of(read, messages, "messages")


def texts_of(body: Body, param: str) -> tuple[str, ...]:
    """Return the non-empty strings of a field: one string, or a list of at most 64 strings."""
    field = body.get(param)
    texts = [field] if isinstance(field, str) else field or []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise make_wrong_type_error(param, "a string, or a list of strings")
    if len(texts) > MAX_TEXTS:
        raise make_wrong_type_error(param, f"at most {MAX_TEXTS} strings, found {len(texts)}")
    return tuple(filter(None, texts))


def list_of(body: Body, param: str, *, empty: bool = False, most: int | None = None) -> list[Any]:
    """Return a list of at most `most` items. With `empty`, the field may be missing."""
    items = body.get(param)
    if items is None and empty:
        return []
    if not isinstance(items, list):
        raise make_wrong_type_error(param, "a list")
    if most and len(items) > most:
        raise make_wrong_type_error(param, f"at most {most}, found {len(items)}")
    return items


def field_of(body: Body, param: str, default: _T) -> _T:
    """Return a field of the same type as `default`, or `default` if the field is missing."""
    field = body.get(param)
    if field is not None and not isinstance(field, type(default)):
        raise make_wrong_type_error(param, _EXPECTED[type(default)])
    return default if field is None else field


def find_integer(body: Body, param: str, most: int = 2**31) -> int | None:
    """Return an integer from 1 to `most`, or None if the field is missing."""
    number = body.get(param)
    if number is None:
        return None
    if type(number) is not int or not 1 <= number <= most:
        raise make_wrong_type_error(param, f"a whole number from 1 to {most}")
    return number


def make_wrong_type_error(param: str, expected: str) -> RefusedError:
    """Return the error for a parameter of the wrong type."""
    return RefusedError(400, f"{param}: expected {expected}", param=param)
