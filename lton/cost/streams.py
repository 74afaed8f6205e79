"""Combine the events of logged streams into responses."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from lton.apis.answers import join_choice_deltas
from lton.apis.names import ApiName
from lton.apis.registry import APIS
from lton.apis.sse import RawEvent
from lton.chat.deltas import ApiDelta, StreamEnd, ThoughtDelta

_Event: TypeAlias = Mapping[str, Any]
StreamKind: TypeAlias = ApiName | Literal["gemini"]
_DATA = b"data:"
_BESIDE = (b"event:", b"id:", b"retry:", b":")  # other fields of an event, and comments
_END = b"[DONE]"
_OPEN = 256  # the maximum number of open streams; another ends the oldest
_OF_MESSAGES = ("message_start", "message_delta", "message_stop", "content_block_", "ping")
_BEGIN = ("message_start", "response.created")


def event(line: bytes) -> bytes | None:
    """Return the data in a line of a stream, or None if the line has no data field."""
    line = line.strip()
    if line.startswith(_DATA):
        said = line.removeprefix(_DATA).strip()
        return b"" if said == _END else said
    return b"" if line.startswith(_BESIDE) else None


class Streams:
    """Combines the events of several streams, which may be interleaved, into responses."""

    def __init__(self) -> None:
        self._open: dict[tuple[StreamKind, str], _Answer | _Gemini] = {}

    def add(self, data: _Event, kind: StreamKind) -> Iterator[dict[str, Any]]:
        """Add an event and yield the responses that it completes."""
        key = (kind, repr(data.get("id")) if kind == "chat" else "")
        if data.get("type") in _BEGIN and key in self._open:
            yield self._open.pop(key).response()
        if key not in self._open:
            self._open[key] = _Gemini() if kind == "gemini" else _Answer(kind)
        stream = self._open[key]
        stream.take(data)
        if stream.is_over or len(self._open) > _OPEN:
            yield self._open.pop(key if stream.is_over else next(iter(self._open))).response()

    def rest(self) -> Iterator[dict[str, Any]]:
        for stream in self._open.values():
            yield stream.response()
        self._open.clear()


def kind_of(value: Any) -> StreamKind | None:
    """Return the API that a stream's event belongs to, or None for any other value."""
    match value:
        case {"object": "chat.completion.chunk", "choices": [*_]} | {"choices": [{"delta": _}, *_]}:
            return "chat"
        case {"type": str(kind)} if kind.startswith("response."):
            return "responses"
        case {"type": str(kind)} if kind.startswith(_OF_MESSAGES) and "role" not in value:
            return "messages"
        case {"candidates": [*_]}:
            return "gemini"
    return None


class _Answer:
    def __init__(self, api: ApiName) -> None:
        self.is_over = False
        self._api = api
        self._reader = APIS[api].reader()
        self._choices: dict[int, list[ApiDelta]] = {} if api == "chat" else {0: []}
        self._model = ""

    def take(self, data: _Event) -> None:
        for delta in self._reader.read(RawEvent(b"", data=data)):
            self._choices.setdefault(getattr(delta, "choice", 0), []).append(delta)
            self.is_over = isinstance(delta, StreamEnd) and self._api != "chat"
        if self._api == "chat":  # the last event has the usage, or no event has it
            self.is_over = not data["choices"] and bool(data.get("usage"))
        for holder in (data, data.get("response"), data.get("message")):
            model = holder.get("model") if isinstance(holder, Mapping) else None
            if isinstance(model, str):
                self._model = model

    def response(self) -> dict[str, Any]:
        choices = [{"message": _message(each)} for each in self._choices.values()]
        return {"choices": choices, "usage": self._reader.usage.found, "model": self._model}


def _message(deltas: list[ApiDelta]) -> dict[str, Any]:
    said = join_choice_deltas(deltas)
    thoughts = "".join(each.text for each in deltas if isinstance(each, ThoughtDelta))
    calls = [
        {"id": start.id, "type": "function", "function": {"name": start.name, "arguments": json}}
        for start, json in said.calls
    ]
    made = {"role": "assistant", "content": said.text, "reasoning_content": thoughts}
    return made | ({"tool_calls": calls} if calls else {})


class _Gemini:
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
