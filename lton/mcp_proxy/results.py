"""What tools answer, shorter: JSON is rewritten as `lton.chat.results` says, all else is kept."""

from collections.abc import Mapping
from typing import Any

from lton._json import minified, read_json
from lton.chat.results import MAX_RESULT, short_result

_UNREADABLE = object()


def shorten(result: Mapping[str, Any]) -> dict[str, Any]:
    """Get the result of `tools/call` with its JSON in the form of `short_result`.

    Texts that are no JSON, images, resources, `isError` and `_meta` stay as they are. What
    `structuredContent` says is in a text afterwards, and it is gone itself: so what is listed must
    not have an `outputSchema`. What LTON would change stays: a number that it spells otherwise, a
    key twice. So does a result with texts of more than 1 MiB.

    >>> shorten({"content": [{"type": "text", "text": '{"city": "Rome", "days": [1, 2]}'}]})
    {'content': [{'type': 'text', 'text': '{"city":"Rome","days":[1,2]}'}]}
    """
    content = result.get("content")
    if not isinstance(content, list) or sum(map(_size, content)) > MAX_RESULT:
        return dict(result)
    rest = {key: value for key, value in result.items() if key != "structuredContent"}
    structured = result.get("structuredContent")
    if structured is not None and not _is_said(structured, content):
        content = [*content, {"type": "text", "text": minified(structured)}]
    return {**rest, "content": [_short_block(block) for block in content]}


def shorten_task(task: Mapping[str, Any]) -> dict[str, Any]:
    """Get a task with the result of its call, if it has one, by `shorten`."""
    result = task.get("result")
    return {**task, "result": shorten(result)} if isinstance(result, Mapping) else dict(task)


def _size(block: Any) -> int:
    return len(_text(block) or "")


def _short_block(block: Any) -> Any:
    text = _text(block)
    return block if text is None else {**block, "text": short_result(text)}


def _text(block: Any) -> str | None:
    """Get the text of a block of text."""
    match block:
        case {"type": "text", "text": str(text)}:
            return text
    return None


def _read(text: str) -> Any:
    """Get the value of JSON; else what no value is."""
    try:
        return read_json(text)
    except ValueError:
        return _UNREADABLE


def _is_said(structured: Any, content: list[Any]) -> bool:
    """Say whether texts say it too: as JSON, or without the one member that wraps a value."""
    texts = [text for block in content if (text := _text(block)) is not None]
    values = [_read(text) for text in texts]
    said = [structured]
    if isinstance(structured, Mapping) and len(structured) == 1:
        said += structured.values()
    return any(_same(one, each) for one in said for each in [*values, *texts, values, texts])


def _same(one: Any, other: Any) -> bool:
    """Say whether two values are the same JSON: 1 is 1.0, but not true."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)
