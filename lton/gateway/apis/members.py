"""Members of a request, each of its kind. What is not is refused by its name: `RefusedError`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from lton.chat import Message
from lton.errors import ConversionError
from lton.gateway.apis.protocol import RefusedError
from lton.gateway.conversations import kept_parts

Body: TypeAlias = Mapping[str, Any]
MAX_TEXTS = 64


def conversation_of(
    read: Callable[[Any], tuple[Message, ...]], given: object, param: str
) -> tuple[Message, ...]:
    """Get messages, by the function that reads them."""
    try:
        return read(given)
    except ConversionError as error:
        raise RefusedError(400, str(error), param=param) from None


def messages_of(
    read: Callable[[Sequence[Any]], tuple[Message, ...]], body: Body
) -> tuple[Message, ...]:
    """Get the messages of a body, by a function that reads each by itself."""
    given = body["messages"]
    try:
        return tuple(kept_parts(body).mapped("read", given, read))
    except ConversionError:  # its path is that of what was read now
        return conversation_of(read, given, "messages")


def texts_of(body: Body, param: str) -> tuple[str, ...]:
    """Get texts: one, or a list of 64 at most; empty ones are left out."""
    given = body.get(param)
    texts = [given] if isinstance(given, str) else given or []
    if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
        raise wrong(param, "a string, or a list of strings")
    if len(texts) > MAX_TEXTS:
        raise wrong(param, f"at most {MAX_TEXTS} strings, found {len(texts)}")
    return tuple(filter(None, texts))


def list_of(body: Body, param: str, *, empty: bool = False, most: int | None = None) -> list[Any]:
    """Get a list of at most so many; `empty` says that it may be absent."""
    found = body.get(param)
    if found is None and empty:
        return []
    if not isinstance(found, list):
        raise wrong(param, "a list")
    if most and len(found) > most:
        raise wrong(param, f"at most {most}, found {len(found)}")
    return found


def object_of(body: Body, param: str) -> Body:
    """Get an object, an empty one if it is absent."""
    found = body.get(param)
    if found is not None and not isinstance(found, dict):
        raise wrong(param, "an object")
    return found or {}


def string_of(body: Body, param: str) -> str:
    """Get a string, an empty one if it is absent."""
    found = body.get(param, "")
    if not isinstance(found, str):
        raise wrong(param, "a string")
    return found


def flag_of(body: Body, param: str, *, default: bool = False) -> bool:
    """Get a switch, as it is by default if it is absent."""
    found = body.get(param)
    if found is not None and not isinstance(found, bool):
        raise wrong(param, "true or false")
    return default if found is None else found


def whole_of(body: Body, param: str, most: int = 2**31) -> int | None:
    """Get a whole number from 1 to `most`, None if it is absent."""
    found = body.get(param)
    if found is None:
        return None
    if type(found) is not int or not 1 <= found <= most:
        raise wrong(param, f"a whole number from 1 to {most}")
    return found


def wrong(param: str, expected: str) -> RefusedError:
    """Get the refusal of a parameter that is not what the API has there."""
    return RefusedError(400, f"{param}: expected {expected}", param=param)
