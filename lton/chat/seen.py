"""List the texts of a request, in any of the APIs, that a model could repeat as an echo."""

from collections.abc import Iterator, Mapping
from typing import Any


def iterate_seen_texts(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of a request that a model could repeat as an echo.

    These are the messages of users, the results of tools, and the descriptions of tools. The
    model's own turns and the instructions of the application are left out.

    >>> system = {"role": "system", "content": "s"}
    >>> list(iterate_seen_texts({"messages": [system, {"role": "user", "content": "u"}]}))
    ['u']
    """
    for key in ("messages", "input"):
        messages = body.get(key)
        if isinstance(messages, str):
            yield messages
        for message in messages if isinstance(messages, list) else ():
            if isinstance(message, dict) and _is_from_outside(message):
                yield from _iterate_strings_in_value(message.get("content"))
                yield from _iterate_strings_in_value(message.get("output"))
    yield from _iterate_descriptions_in_schema(body.get("tools"))


def _is_from_outside(message: Mapping[str, Any]) -> bool:
    role = message.get("role")
    return role in ("user", "tool", "function") or (
        role is None and str(message.get("type")).endswith("_output")
    )


def _iterate_strings_in_value(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _iterate_strings_in_value(item)
        case dict():
            for item in value.values():
                yield from _iterate_strings_in_value(item)


def _iterate_descriptions_in_schema(value: Any) -> Iterator[str]:
    match value:
        case list():
            for item in value:
                yield from _iterate_descriptions_in_schema(item)
        case dict():
            for key, item in value.items():
                if key in ("description", "examples", "example"):
                    yield from _iterate_strings_in_value(item)
                else:
                    yield from _iterate_descriptions_in_schema(item)
