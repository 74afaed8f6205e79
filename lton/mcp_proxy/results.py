"""What tools answer, shorter: JSON is rewritten as `lton.results` says, all else is kept.

A model edits a file by the exact text that it was shown. So nothing is rewritten that a server
takes text of to be matched or written, and no file.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lton._json import minified, read_json
from lton.chat.results import PLACES, plain_names, takes_exact_text
from lton.results import MAX_RESULT, ForModels, short_result

_UNREADABLE = object()
_TOOLS = 10_000
"""Of a server, that are remembered."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_READ = frozenset("read file files resource resources download cat content contents".split())
"""Words in the names of tools whose result may be a file."""


def shortened(tools: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the names of a server's tools whose results may be written shorter.

    None may if a tool of the server takes text to be matched (`oldText`, `edits`, ...), or a text
    and the place where it is written (`content` and `path`). Others may, but for those whose result
    may be a file: they are given a place, or are named so.

    >>> find = {"name": "find_users", "inputSchema": {"properties": {"query": {}}}}
    >>> read = {"name": "read_file", "inputSchema": {"properties": {"path": {}}}}
    >>> edit = {"name": "edit", "inputSchema": {"properties": {"path": {}, "edits": {}}}}
    >>> shortened([find, read]), shortened([find, read, edit])
    (frozenset({'find_users'}), frozenset())
    """
    short = set[str]()
    for tool in tools:
        groups = list(_parameters(tool.get("inputSchema")))
        if any(map(takes_exact_text, groups)):
            return frozenset()
        name = str(tool.get("name"))
        words = frozenset(map(str.lower, _WORD.findall(name)))
        if not (words & _READ or any(names & PLACES for names in groups)):
            short.add(name)
    return frozenset(short)


def _parameters(schema: Any) -> Iterator[frozenset[str]]:
    """Return the names of the properties of each object in a schema, as one word each."""
    waiting = [schema]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            properties = one.get("properties")
            if isinstance(properties, dict):
                yield plain_names(map(str, properties))
            waiting += one.values()


def shorten(result: Mapping[str, Any], for_models: ForModels = "any") -> dict[str, Any]:
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
    return {**rest, "content": [_short_block(block, for_models) for block in content]}


class ServerResults:
    """The results of one server: what it has listed says which are written shorter."""

    def __init__(self, for_models: ForModels | None) -> None:
        self._for_models = for_models
        self._known: dict[str, Mapping[str, Any]] = {}
        self.shortened = frozenset[str]()
        """The names of the tools whose results are."""

    def learn(self, tools: Iterable[Mapping[str, Any]]) -> None:
        """Take note of tools that the server lists; those that came first make room."""
        self._known |= {str(each.get("name")): each for each in tools}
        while len(self._known) > _TOOLS:
            del self._known[next(iter(self._known))]
        self.shortened = shortened(self._known.values()) if self._for_models else frozenset()

    def of_call(self, result: Mapping[str, Any], tool: Any) -> Mapping[str, Any]:
        """Return the result of a tool's call, or of a task's, whose tool is None."""
        is_short = tool in self.shortened if tool is not None else self._are_all_short
        return shorten(result, self._for_models or "any") if is_short else result

    def task(self, task: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a task with the result of its call, if it has one; nothing says whose that is."""
        result = task.get("result")
        if not (self._are_all_short and isinstance(result, Mapping)):
            return task
        return {**task, "result": shorten(result, self._for_models or "any")}

    @property
    def _are_all_short(self) -> bool:
        return 0 < len(self.shortened) == len(self._known)


def _size(block: Any) -> int:
    return len(_text(block) or "")


def _short_block(block: Any, for_models: ForModels) -> Any:
    text = _text(block)
    return block if text is None else {**block, "text": short_result(text, for_models)}


def _text(block: Any) -> str | None:
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
