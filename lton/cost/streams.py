"""Combine the events of logged streams into responses."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lton.apis.answers import join_choice_deltas
from lton.apis.api import Api
from lton.apis.registry import APIS
from lton.apis.sse import RawEvent
from lton.chat.deltas import ApiDelta, ThoughtDelta

_DATA = b"data:"
_BESIDE = (b"event:", b"id:", b"retry:", b":")  # other fields of an event, and comments
_END = b"[DONE]"
_OPEN = 256  # the maximum number of open streams; another ends the oldest


class ApiEvent(NamedTuple):
    """An event of a stream, and the API that it belongs to."""

    api: Api
    data: Mapping[str, Any]


def find_event_data(line: bytes) -> bytes | None:
    """Return the data in a line of a stream, or None if the line has no data field."""
    line = line.strip()
    if line.startswith(_DATA):
        data = line.removeprefix(_DATA).strip()
        return b"" if data == _END else data
    return b"" if line.startswith(_BESIDE) else None


class Streams:
    """Combines the events of several streams, which may be interleaved, into responses."""

    def __init__(self) -> None:
        self._open: dict[tuple[Api, str], _Answer] = {}

    def feed(self, event: ApiEvent) -> Iterator[dict[str, Any]]:
        """Add an event and yield the responses that it completes."""
        api, data = event
        key = (api, api.stream_id(data))
        if api.begins_answer(data) and key in self._open:
            yield self._open.pop(key).build_response()
        if key not in self._open:
            self._open[key] = _Answer(api)
        stream = self._open[key]
        stream.add_event(data)
        if stream.is_over or len(self._open) > _OPEN:
            yield self._open.pop(key if stream.is_over else next(iter(self._open))).build_response()

    def flush(self) -> Iterator[dict[str, Any]]:
        """Yield the responses that are not complete."""
        for stream in self._open.values():
            yield stream.build_response()
        self._open.clear()


def try_identify_event(value: Any) -> ApiEvent | None:
    """Return an event of a stream with its API, or None for any other value."""
    if not isinstance(value, Mapping):
        return None
    return next((ApiEvent(api, value) for api in APIS.values() if api.is_event(value)), None)


class _Answer:
    def __init__(self, api: Api) -> None:
        self.is_over = False
        self._api = api
        self._reader = api.make_reader()
        self._choices: dict[int, list[ApiDelta]] = {}
        self._model = ""

    def add_event(self, data: Mapping[str, Any]) -> None:
        deltas = self._reader.read_deltas(RawEvent(b"", data=data))
        for delta in deltas:
            self._choices.setdefault(getattr(delta, "choice", 0), []).append(delta)
        self.is_over = self._api.ends_answer(data, deltas)
        for holder in (data, data.get("response"), data.get("message")):
            fields = holder if isinstance(holder, Mapping) else {}
            model = fields.get("model") or fields.get("modelVersion")
            if isinstance(model, str):
                self._model = model

    def build_response(self) -> dict[str, Any]:
        streamed = self._choices or {0: []}
        choices = [{"message": _join_message(deltas)} for deltas in streamed.values()]
        return {"choices": choices, "usage": self._reader.usage.fields, "model": self._model}


def _join_message(deltas: list[ApiDelta]) -> dict[str, Any]:
    choice = join_choice_deltas(deltas)
    thoughts = "".join(delta.text for delta in deltas if isinstance(delta, ThoughtDelta))
    calls = [
        {"id": start.id, "type": "function", "function": {"name": start.name, "arguments": json}}
        for start, json in choice.calls
    ]
    message = {"role": "assistant", "content": choice.text, "reasoning_content": thoughts}
    return message | ({"tool_calls": calls} if calls else {})
