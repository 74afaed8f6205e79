"""Read and write the entries of a conversation's log as JSON objects.

Messages are stored in the form of their API. Long strings and the text of results are stored as
separate contents, and the entry has their digests by path. So equal strings are stored once.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lton._json import minified, read_json
from lton.chat import (
    Message,
    from_anthropic,
    from_openai,
    from_responses,
    to_anthropic,
    to_openai,
    to_responses,
)
from lton.chat.records import make_mismatch_error
from lton.errors import pointer
from lton.stores import Store
from lton.stores.contents import digest_of, to_bytes, to_text

_LONG = 256  # A string with this many characters is stored separately
_MOST_NESTED = 200  # The maximum nesting that can be read everywhere


def entry_of(message: Message) -> dict[str, Any]:
    """Return the log entry for a message."""
    match message.api:
        case "messages":
            return {"anthropic": to_anthropic([message])}
        case "responses":
            return {"responses": to_responses([message])}
    return {"openai": to_openai([message])}


def messages_of(entry: Mapping[str, Any]) -> tuple[Message, ...]:
    """Return the messages that a log entry appends, if any."""
    match entry:
        case {"anthropic": fields}:
            return from_anthropic(fields["messages"], fields.get("system"))
        case {"responses": fields}:
            return from_responses(**fields)
        case {"openai": messages}:
            return from_openai(messages)
    return ()


def write_entry(entry: Mapping[str, Any]) -> tuple[bytes, list[bytes]]:
    """Serialize an entry and its contents. Raises `ConversionError` if it is nested too deeply."""
    whole = minified([entry, {}])
    if len(whole) < _LONG:  # then no string in it is long, and it is not nested too deeply
        return to_bytes(whole), []
    contents: dict[str, bytes] = {}
    short = _without_texts(entry, (), contents)
    refers = {path: digest_of(content) for path, content in contents.items()}
    return to_bytes(minified([short, refers])), list(contents.values())


def read_entry(content: bytes, store: Store) -> dict[str, Any]:
    """Parse an entry and read its contents from the store. Raises `StoreError`."""
    entry, refers = read_json(to_text(content))
    texts = {path: to_text(store.get(digest)) for path, digest in refers.items()}
    expanded: dict[str, Any] = _with_texts(entry, (), texts)
    return expanded


def _without_texts(value: Any, path: tuple[str | int, ...], contents: dict[str, bytes]) -> Any:
    match value:
        case str():
            if len(value) < _LONG:
                return value
            contents[pointer(path)] = to_bytes(value)
            return None
        case int() | float() | None:  # bool is a kind of int
            return value
    if len(path) == _MOST_NESTED:
        raise make_mismatch_error(f"values nested at most {_MOST_NESTED} deep", value)
    if isinstance(value, dict):
        return {
            key: _without_texts(member, (*path, key), contents) for key, member in value.items()
        }
    return [_without_texts(member, (*path, at), contents) for at, member in enumerate(value)]


def _with_texts(value: Any, path: tuple[str | int, ...], texts: Mapping[str, str]) -> Any:
    if value is None:
        return texts.get(pointer(path))
    if isinstance(value, dict):
        return {key: _with_texts(member, (*path, key), texts) for key, member in value.items()}
    if isinstance(value, list):
        return [_with_texts(member, (*path, at), texts) for at, member in enumerate(value)]
    return value


def iterate_stored_texts(messages: Iterable[Message]) -> Iterator[bytes]:
    """Yield the texts of messages and results. Pointers need even short texts in the store."""
    for message in messages:
        results = message.results
        if len(results) < len(message.parts) and (text := message.text):
            yield to_bytes(text)
        for result in results:
            yield to_bytes(result.text)
