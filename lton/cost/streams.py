"""Streams of events in a log, of any of four APIs: the events of one become its response."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from lton.apis.members import as_text

_Event: TypeAlias = Mapping[str, Any]
_DATA = b"data:"
_BESIDE = (b"event:", b"id:", b"retry:", b":")
"""What else lines of an event begin with."""
_END = b"[DONE]"
_OPEN = 256
"""Streams that have not ended; with more the oldest is taken as it is."""
_OF_MESSAGES = ("message_start", "message_delta", "message_stop", "content_block_", "ping")
_BEGIN = ("message_start", "response.created")
_END_OF = ("message_stop", "response.completed", "response.incomplete", "response.failed")


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


class _Stream(Protocol):
    """One stream: `take` gets its events, `response` says what came, as its API has it whole."""

    is_over: bool

    def take(self, data: _Event) -> None: ...
    def response(self) -> dict[str, Any]: ...


class Streams:
    """The streams that have not ended, by their ids: those of chats may be interleaved."""

    def __init__(self) -> None:
        self._open: dict[tuple[type[_Stream], str], _Stream] = {}

    def add(self, data: _Event, kind: type[_Stream]) -> Iterator[dict[str, Any]]:
        """Take an event; get the responses that it ends.."""
        key = (kind, repr(data.get("id")) if kind is _Chat else "")
        if data.get("type") in _BEGIN and key in self._open:
            yield self._open.pop(key).response()
        stream = self._open.setdefault(key, kind())
        stream.take(data)
        if stream.is_over or len(self._open) > _OPEN:
            yield self._open.pop(key if stream.is_over else next(iter(self._open))).response()

    def rest(self) -> Iterator[dict[str, Any]]:
        """Get the responses of streams that did not end: what came was paid for."""
        for stream in self._open.values():
            yield stream.response()
        self._open.clear()


def kind_of(value: Any) -> type[_Stream] | None:
    """Say of what stream a value is an event; None for what is none."""
    match value:
        case {"object": "chat.completion.chunk", "choices": [*_]} | {"choices": [{"delta": _}, *_]}:
            return _Chat
        case {"type": str(kind)} if kind.startswith("response."):
            return _Responses
        case {"type": str(kind)} if kind.startswith(_OF_MESSAGES) and "role" not in value:
            return _Messages
        case {"candidates": [*_]}:
            return _Gemini
    return None


@dataclass(slots=True)
class _Call:
    """A call in the making."""

    index: int
    id: Any = None
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def whole(self) -> dict[str, Any]:
        function = {"name": self.name, "arguments": "".join(self.arguments)}
        return {"id": self.id, "type": "function", "function": function}


class _Chat:
    """Chunks: each has pieces of some choices. The usage comes last, or never."""

    def __init__(self) -> None:
        self.is_over = False
        self._choices: dict[str, tuple[list[str], list[_Call]]] = {}
        self._more: dict[str, Any] = {}

    def take(self, data: _Event) -> None:
        self._more |= {key: data[key] for key in ("model", "usage") if data.get(key)}
        for choice in data["choices"]:
            if isinstance(choice, Mapping) and isinstance(delta := choice.get("delta"), Mapping):
                texts, calls = self._choices.setdefault(repr(choice.get("index")), ([], []))
                texts += [text for key in _TEXTS if isinstance(text := delta.get(key), str)]
                given = delta.get("tool_calls")
                for piece in given if isinstance(given, list) else ():
                    if isinstance(piece, Mapping):
                        _take(calls, piece)
        self.is_over = not data["choices"] and bool(data.get("usage"))

    def response(self) -> dict[str, Any]:
        made: list[dict[str, Any]] = []
        for texts, calls in self._choices.values():
            called = {"tool_calls": [call.whole() for call in calls]} if calls else {}
            made.append({"role": "assistant", "content": "".join(texts)} | called)
        return {"choices": [{"message": each} for each in made], **self._more}


_TEXTS = ("reasoning_content", "reasoning", "content")


def _take(calls: list[_Call], piece: _Event) -> None:
    """Add a piece to its call; one without an index begins a call where it has a name."""
    function = piece.get("function")
    function = function if isinstance(function, Mapping) else {}
    index, name = piece.get("index"), function.get("name")
    if not isinstance(index, int):
        index = len(calls) if name or not calls else calls[-1].index
    call = next((each for each in calls if each.index == index), None)
    if call is None:
        calls.append(call := _Call(index))
    call.id = piece.get("id") or call.id
    if isinstance(name, str):
        call.name = name or call.name
    call.arguments.append(as_text(function.get("arguments")))


class _Messages:
    """Blocks that grow between their start and their end."""

    def __init__(self) -> None:
        self.is_over = False
        self._message: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._blocks: dict[str, tuple[dict[str, Any], dict[str, list[str]]]] = {}
        """Each with what is added to its members."""

    def take(self, data: _Event) -> None:
        match data:
            case {"type": "message_start", "message": Mapping() as message}:
                self._message = dict(message)
                self._see(message)
            case {"type": "message_delta"}:
                self._see(data)
            case {"type": "content_block_start", "content_block": Mapping() as block}:
                self._blocks[repr(data.get("index"))] = (dict(block), {})
            case {"type": "content_block_delta", "delta": Mapping() as delta}:
                _, added = self._blocks.setdefault(repr(data.get("index")), ({"type": "text"}, {}))
                for key, name in _DELTAS.items():
                    if isinstance(piece := delta.get(key), str):
                        added.setdefault(name, []).append(piece)
        self.is_over = data.get("type") == "message_stop"

    def _see(self, holder: _Event) -> None:
        if isinstance(usage := holder.get("usage"), Mapping):
            self._usage |= usage

    def response(self) -> dict[str, Any]:
        content = [
            block | {name: "".join(pieces) for name, pieces in added.items()}
            for block, added in self._blocks.values()
        ]
        said = {"role": "assistant", "content": content, "usage": self._usage}
        return {**self._message, "type": "message", **said}


_DELTAS = {"text": "text", "thinking": "thinking", "partial_json": "input"}
"""What of a block a member of a delta adds to. Blocks of texts begin empty."""


class _Responses:
    """Items, each whole when it is done."""

    def __init__(self) -> None:
        self.is_over = False
        self._items: list[Any] = []
        self._response: dict[str, Any] = {}

    def take(self, data: _Event) -> None:
        match data:
            case {"type": "response.output_item.done", "item": item}:
                self._items.append(item)
            case {"response": Mapping() as response}:
                self._response = dict(response)
        self.is_over = data.get("type") in _END_OF

    def response(self) -> dict[str, Any]:
        return {**self._response, "output": self._items or self._response.get("output") or []}


class _Gemini:
    """Chunks with parts of one content, each with all of the usage so far."""

    def __init__(self) -> None:
        self.is_over = False
        self._parts: list[Any] = []
        self._last: dict[str, Any] = {}

    def take(self, data: _Event) -> None:
        self._last |= data
        match data:
            case {"candidates": [{"content": {"parts": [*parts]}, **more}, *_]}:
                self._parts += parts
                self.is_over = bool(more.get("finishReason"))
            case {"candidates": [{"finishReason": _}, *_]}:
                self.is_over = True

    def response(self) -> dict[str, Any]:
        content = {"role": "model", "parts": self._parts}
        return {**self._last, "candidates": [{"content": content}]}
