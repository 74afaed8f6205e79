"""Streams of chat completions in a log: the chunks of one become its message."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_DATA = b"data:"
_BESIDE = (b"event:", b"id:", b"retry:", b":")
"""What else lines of an event begin with."""
_END = b"[DONE]"
_OPEN = 10_000
"""Choices that have not ended; with more the oldest is taken as it is."""


def event(line: bytes) -> bytes | None:
    """Get what the line of an event says, which may be nothing; None for any other line.

    >>> event(b'data: {"id": 1}'), event(b"data: [DONE]"), event(b": ping"), event(b"{}")
    (b'{"id": 1}', b'', b'', None)
    """
    line = line.strip()
    if line.startswith(_DATA):
        said = line.removeprefix(_DATA).strip()
        return b"" if said == _END else said
    return b"" if line.startswith(_BESIDE) else None


@dataclass(slots=True)
class _Call:
    """A call in the making."""

    id: Any = None
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class Streams:
    """The choices of streams that have not ended, by the stream's id: they may be interleaved."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], dict[Any, _Call]] = {}

    def add(self, chunk: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Take a chunk; get the messages that it ends and that call something."""
        for choice in chunk["choices"]:
            if not isinstance(choice, Mapping):
                continue
            key = (repr(chunk.get("id")), repr(choice.get("index")))
            calls = self._open.setdefault(key, {})
            delta = choice.get("delta")
            given = delta.get("tool_calls") if isinstance(delta, Mapping) else None
            for piece in given if isinstance(given, list) else ():
                if isinstance(piece, Mapping):
                    _take(calls, piece)
            if choice.get("finish_reason") is not None:
                yield from _message(self._open.pop(key))
            elif len(self._open) > _OPEN:
                yield from _message(self._open.pop(next(iter(self._open))))

    def rest(self) -> Iterator[dict[str, Any]]:
        """Get the messages of streams that did not end: what came was paid for."""
        for calls in self._open.values():
            yield from _message(calls)
        self._open.clear()


def is_chunk(value: Any) -> bool:
    """Say whether a value is a piece of a chat completion."""
    match value:
        case {"object": "chat.completion.chunk", "choices": [*_]} | {"choices": [{"delta": _}, *_]}:
            return True
    return False


def _take(calls: dict[Any, _Call], piece: Mapping[str, Any]) -> None:
    """Add a piece to its call; one without an index begins a call where it has a name."""
    function = piece.get("function")
    function = function if isinstance(function, Mapping) else {}
    index = piece.get("index")
    if not isinstance(index, int):
        index = len(calls) - (0 if function.get("name") or not calls else 1)
    call = calls.setdefault(index, _Call())
    call.id = piece.get("id") or call.id
    if isinstance(name := function.get("name"), str):
        call.name = name or call.name
    if isinstance(arguments := function.get("arguments"), str):
        call.arguments.append(arguments)


def _message(calls: dict[Any, _Call]) -> Iterator[dict[str, Any]]:
    if calls:
        made = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": "".join(call.arguments)},
            }
            for call in calls.values()
        ]
        yield {"role": "assistant", "content": None, "tool_calls": made}
