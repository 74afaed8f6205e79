"""Shorten the JSON in the results of an MCP server's tools.

A model edits a file by quoting the exact text that it was shown. So results are not shortened if a
tool of the same server accepts text to match or write, or if they may be a file.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from lton._json import minified, read_value
from lton.chat.tool_results import PLACES, plain_names, takes_exact_text
from lton.errors import LTONError
from lton.results import MAX_RESULT, ForModels, read, short_items, short_result

_TOOLS = 10_000
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_READ = frozenset("read file files resource resources download cat content contents".split())
"""Words in the names of tools whose result may be a file."""


def names_to_shorten(tools: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the names of the tools whose results may be shortened.

    The set is empty if a tool of the server accepts text to match (`oldText`, `edits`, ...), or a
    content and its place (`content` and `path`). Otherwise the set lacks only tools whose result
    may be a file, because they accept a path or because of their name.
    """
    short = set[str]()
    for tool in tools:
        groups = list(_iterate_parameter_sets(tool.get("inputSchema")))
        if any(map(takes_exact_text, groups)):
            return frozenset()
        name = str(tool.get("name"))
        words = frozenset(map(str.lower, _WORD.findall(name)))
        if not (words & _READ or any(names & PLACES for names in groups)):
            short.add(name)
    return frozenset(short)


def _iterate_parameter_sets(schema: Any) -> Iterator[frozenset[str]]:
    """Yield the normalized names of the properties of each object in a schema."""
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


def shorten_result(result: Mapping[str, Any], for_models: ForModels = "any") -> dict[str, Any]:
    """Shorten the JSON in the result of `tools/call`.

    Blocks of text that are objects with the same keys become one table. Other text, images,
    resources, `isError` and `_meta` do not change. `structuredContent` becomes text unless a text
    block already contains it, so the listed tool must not have an `outputSchema`. JSON that LTON
    would change is kept: unusual spellings of numbers, duplicate keys, more than 1 MiB.
    """
    content = result.get("content")
    if (
        not isinstance(content, list)
        or sum(len(_find_text_of_block(block) or "") for block in content) > MAX_RESULT
    ):
        return dict(result)
    others = {key: value for key, value in result.items() if key != "structuredContent"}
    structured = result.get("structuredContent")
    if structured is not None and not _is_in_content(structured, content):
        content = [*content, {"type": "text", "text": minified(structured)}]
    return {**others, "content": _shorten_blocks(content, for_models)}


class ServerResults:
    """Shortens the results of one server."""

    def __init__(self, for_models: ForModels | None) -> None:
        self._for_models = for_models
        self._known: dict[str, Mapping[str, Any]] = {}
        self.shortened = frozenset[str]()

    def learn_tools(self, tools: Iterable[Mapping[str, Any]]) -> None:
        """Remember the tools that a server lists."""
        self._known |= {str(tool.get("name")): tool for tool in tools}
        while len(self._known) > _TOOLS:
            del self._known[next(iter(self._known))]
        self.shortened = names_to_shorten(self._known.values()) if self._for_models else frozenset()

    def shorten_result_of_call(self, result: Mapping[str, Any], tool: Any) -> Mapping[str, Any]:
        """Shorten the result of a tool call, or of a task (for which `tool` is None)."""
        is_short = tool in self.shortened if tool is not None else self._are_all_short
        return shorten_result(result, self._for_models or "any") if is_short else result

    def shorten_result_of_task(self, task: Mapping[str, Any]) -> Mapping[str, Any]:
        """Shorten the result in a task. A task does not name its tool."""
        result = task.get("result")
        if not (self._are_all_short and isinstance(result, Mapping)):
            return task
        return {**task, "result": shorten_result(result, self._for_models or "any")}

    @property
    def _are_all_short(self) -> bool:
        return 0 < len(self.shortened) == len(self._known)


def _shorten_blocks(content: list[Any], for_models: ForModels) -> list[Any]:
    """Shorten the text of each block, or join blocks that are the items of one list."""
    texts = [text for block in content if (text := _find_text_of_block(block)) is not None]
    if len(texts) == len(content) and all(block.keys() == {"type", "text"} for block in content):
        joined = short_items(texts, for_models)
        if joined is not None:
            return [{"type": "text", "text": joined}]
    return [_shorten_block(block, for_models) for block in content]


def _shorten_block(block: Any, for_models: ForModels) -> Any:
    text = _find_text_of_block(block)
    return block if text is None else {**block, "text": short_result(text, for_models)}


def _find_text_of_block(block: Any) -> str | None:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
    return None


def _is_in_content(structured: Any, content: list[Any]) -> bool:
    texts = [text for block in content if (text := _find_text_of_block(block)) is not None]
    values = list(map(_read_text, texts))
    candidates = [structured]
    if isinstance(structured, Mapping) and len(structured) == 1:
        candidates += structured.values()
    return any(
        _are_equal(one, value) for one in candidates for value in [*values, *texts, values, texts]
    )


def _read_text(text: str) -> Any:
    """Return the value of JSON, or of a result that the server itself wrote in LTON."""
    value = read_value(text)
    if value == text and text.startswith(("[", "{")):
        with suppress(LTONError):
            return read(text)
    return value


def _are_equal(one: Any, other: Any) -> bool:
    """Return whether two values are equal in JSON: 1 and 1.0 are equal, but 1 and true are not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_are_equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_are_equal, one, other))
    return bool(one == other)
