"""Reads answers of OpenAI's responses, and writes their calls."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lton.apis.answer_usage import AnswerUsage
from lton.apis.answers import AnswerReader, Dropped, Notes, Whole, WholeChoice, gathered
from lton.apis.json_members import as_text, list_in, object_in
from lton.apis.names import new_id
from lton.apis.sse import RawEvent
from lton.apis.sse import event as event_bytes
from lton.chat import ToolCall
from lton.chat.deltas import (
    ApiDelta,
    ArgumentsDelta,
    CallBoundary,
    ContentDelta,
    Finish,
    OtherDelta,
    StreamEnd,
    TextBoundary,
    ThoughtDelta,
    ToolCallStart,
)

_COMPLETED, _INCOMPLETE = "response.completed", "response.incomplete"
_ENDS = (_COMPLETED, _INCOMPLETE, "response.failed", "error")
_CUT = {"max_output_tokens": "length", "content_filter": "content_filter"}
"""Reasons of incomplete answers, in the words of chat completions."""
_SILENT = frozenset(["", "response.created", "response.in_progress", "response.queued"])


class ResponsesReader(AnswerReader):
    """Reads answers of OpenAI's responses."""

    may_be_empty = False
    has_places = True

    def __init__(self, spaces: Mapping[str, str] | None = None) -> None:
        self.namespaces = spaces or {}
        self.usage = AnswerUsage()
        self.response: Mapping[str, Any] = {}
        """The response object of the first event."""
        self.number = 0
        """The sequence number of the next event."""
        self.place: int | None = None
        """The index of the first item with text."""
        self.done: list[Any] = []
        """The items that have ended."""
        self.pieces: list[str] = []
        """The text of the item that is open."""
        self.argued: set[int] = set()
        """The calls whose arguments have come."""
        self.has_said = self.has_text = False

    def read(self, event: RawEvent) -> list[ApiDelta]:
        data = event.data
        kind = str(data.get("type", ""))
        number = data.get("sequence_number")
        self.number = number + 1 if type(number) is int else self.number + 1
        if kind in _ENDS or data.get("error") is not None:
            return self._end(kind, data.get("response"))
        if not kind and "output" in data:  # a server may answer whole
            return [*self._whole(data), StreamEnd()]
        if kind in _SILENT:
            self.response = object_in(data, "response") or self.response
            return []
        events = list(self._event(kind, data))
        self.has_said = self.has_said or bool(events)
        self.has_text = self.has_text or any(isinstance(each, ContentDelta) for each in events)
        if self.place is None and any(
            isinstance(each, TextBoundary | ContentDelta) for each in events
        ):
            self.place = place_of(data)
        return events

    def _end(self, kind: str, response: Any) -> list[ApiDelta]:
        found = response if isinstance(response, dict) else {}
        self.usage.update(found.get("usage"))
        if kind not in (_COMPLETED, _INCOMPLETE):
            return [StreamEnd()]
        more = [] if self.has_said or not list_in(found, "output") else [OtherDelta()]
        return [*more, _finish(found, is_whole=kind == _COMPLETED), StreamEnd()]

    def _event(self, kind: str, data: Mapping[str, Any]) -> Iterator[ApiDelta]:
        key = place_of(data)
        match kind:
            case "response.output_item.added" | "response.output_item.done":
                yield from self._item(kind, object_in(data, "item"), key)
            case "response.function_call_arguments.delta":
                yield self._argued(key, data.get("delta"))
            case "response.function_call_arguments.done":
                yield self._argued(key, None if key in self.argued else data.get("arguments"))
            case "response.output_text.delta":
                self.pieces.append(as_text(data.get("delta")))
                yield ContentDelta(self.pieces[-1])
            case "response.output_text.done":
                yield TextBoundary()
            case "response.content_part.added" | "response.content_part.done":
                kind = object_in(data, "part").get("type", "")
                yield TextBoundary() if kind == "output_text" else OtherDelta()
            case "response.refusal.delta":
                yield OtherDelta(as_text(data.get("delta")))
            case _ if kind.startswith("response.reasoning"):
                is_text = kind.endswith("text.delta")
                yield ThoughtDelta(as_text(data.get("delta")) if is_text else "")
            case _:
                yield OtherDelta()

    def _argued(self, place: int, given: Any) -> ArgumentsDelta:
        if json := as_text(given):
            self.argued.add(place)
        return ArgumentsDelta(place, json)

    def _item(self, kind: str, item: Mapping[str, Any], key: int) -> Iterator[ApiDelta]:
        is_done = kind.endswith("done")
        self.pieces = []
        if is_done:
            self.done.append(item)
        match item:
            case {"type": "message"}:
                yield TextBoundary()
                if is_done and not self.has_text:  # some servers do not stream text
                    yield from map(ContentDelta, _texts(item))
            case {"type": "reasoning"}:
                yield ThoughtDelta()
            case {"type": "function_call"} if is_done:
                if key not in self.argued:
                    yield self._argued(key, item.get("arguments"))
                yield CallBoundary(key)
            case {"type": "function_call"}:
                space, call_id = item.get("namespace"), item.get("call_id")
                name = as_text(item.get("name"))
                yield ToolCallStart(key, str(call_id or ""), name, space=str(space or ""))
            case _:
                yield OtherDelta()

    def with_calls(self, calls: Sequence[ToolCall], before: str, end: RawEvent) -> list[RawEvent]:
        number = self.number - 1
        items = [self._written(call) for call in calls]
        made = list[RawEvent]()
        for place, item in enumerate(items, (self.place or 0) + bool(before)):
            for kind, more in _events(item):
                data: dict[str, Any] = {
                    "type": kind,
                    "sequence_number": number,
                    "output_index": place,
                    **more,
                }
                made.append(RawEvent(b"", kind).saying(data))
                number += 1
        response = _with_items(end.data["response"], items, has_text=bool(before))
        last = {**end.data, "sequence_number": number, "response": response}
        return [*made, end.saying(last)]

    def without(self, event: RawEvent, dropped: Dropped, notes: Notes) -> RawEvent:
        data = event.data
        if data.get("type") in (_COMPLETED, _INCOMPLETE):
            return event.saying({**data, "response": _less(data.get("response"), dropped, notes)})
        if type(place := data.get("output_index")) is not int:
            return event
        return event.saying({**data, "output_index": place - sum(at < place for _, at in dropped)})

    def cut(self, event: RawEvent, notes: Notes) -> list[RawEvent]:
        text, place = "".join(self.pieces), place_of(event.data)
        part = {"type": "output_text", "text": text, "annotations": []}
        item: dict[str, Any] = {"type": "reasoning", "summary": []}
        if event.data.get("type") == "response.output_text.delta":
            item = {"type": "message", "role": "assistant", "content": [part]}
        item |= {"id": event.data.get("item_id"), "status": "incomplete"}
        ends = [(kind, more) for kind, more in _events(item) if kind.endswith("done")]
        made = [(kind, {"output_index": place, **more}) for kind, more in ends]
        details = {"reason": "max_output_tokens"}
        response = {**self.response, "status": "incomplete", "incomplete_details": details}
        response |= {"output": [*self.done, item], "lton": {"notes": list(notes)}}
        made.append((_INCOMPLETE, {"response": response}))
        return [
            RawEvent(b"", kind).saying({"type": kind, "sequence_number": number, **data})
            for number, (kind, data) in enumerate(made, self.number)
        ]

    def fail(self, error: Mapping[str, Any]) -> bytes:
        words = str(error["error"].get("message"))
        error = {"code": "server_error", "message": words}
        if not self.response:
            events = {"sequence_number": self.number, "param": None, **error}
            return event_bytes({"type": "error", **events}, "error")
        kind, failed = "response.failed", {**self.response, "status": "failed", "error": error}
        number = self.number
        return event_bytes({"type": kind, "sequence_number": number, "response": failed}, kind)

    # --- answers that do not stream ---------------------------------------------------------------

    def whole(self, body: Whole) -> list[WholeChoice]:
        return [gathered(self._whole(body))]

    def _whole(self, body: Mapping[str, Any]) -> Iterator[ApiDelta]:
        self.usage.update(body.get("usage"))
        for place, item in enumerate(list_in(body, "output")):
            known = item if isinstance(item, dict) else {}
            self.has_text = False
            for kind in ("response.output_item.added", "response.output_item.done"):
                yield from self._item(kind, known, place)
            for part in list_in(known, "content") if known.get("type") == "message" else ():
                if not _is_text(part):
                    yield OtherDelta(as_text(object_in({"": part}, "").get("refusal")))
        if (status := body.get("status")) in ("completed", "incomplete"):
            yield _finish(body, is_whole=status == "completed")

    def whole_with_calls(self, body: Whole, calls: Sequence[ToolCall], thought: str) -> Whole:
        return _with_items(body, self._items(calls, thought))

    def whole_without(self, body: Whole, dropped: Dropped, notes: Notes) -> Whole:
        found: Whole = _less(body, dropped, notes)
        return found

    def _items(self, calls: Sequence[ToolCall], thought: str) -> list[dict[str, Any]]:
        said = list[dict[str, Any]]()
        if thought:
            part = {"type": "output_text", "text": thought, "annotations": []}
            said.append({"type": "message", "id": new_id("msg_"), "role": "assistant"})
            said[0] |= {"status": "completed", "content": [part]}
        return [*said, *(self._written(call) for call in calls)]

    def _written(self, call: ToolCall) -> dict[str, Any]:
        space = self.namespaces.get(call.name)
        return {
            "type": "function_call",
            "id": new_id("fc_"),
            "call_id": call.id,
            "name": call.name,
            **({"namespace": space} if space else {}),
            "arguments": call.written,
            "status": "completed",
        }


def _finish(response: Mapping[str, Any], *, is_whole: bool) -> Finish:
    cut = object_in(response, "incomplete_details").get("reason")
    return Finish("stop" if is_whole else _CUT.get(str(cut), "length"))


def place_of(data: Mapping[str, Any]) -> int:
    """Return the output index of an event."""
    place = data.get("output_index")
    return place if type(place) is int else 0


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "output_text"


def _events(item: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    if item["type"] == "message":
        yield from _text_events(item)
        return
    if item["type"] == "reasoning":
        yield "response.output_item.done", {"item": item}
        return
    begun = {**item, "arguments": "", "status": "in_progress"}
    name, arguments, item_id = item["name"], item["arguments"], item["id"]
    kind = "response.function_call_arguments"
    yield "response.output_item.added", {"item": begun}
    yield f"{kind}.delta", {"item_id": item_id, "delta": arguments}
    yield f"{kind}.done", {"item_id": item_id, "name": name, "arguments": arguments}
    yield "response.output_item.done", {"item": item}


def _text_events(item: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    (part,) = item["content"]
    place = {"item_id": item["id"], "content_index": 0}
    begun = {**item, "content": [], "status": "in_progress"}
    yield "response.output_item.added", {"item": begun}
    yield "response.content_part.added", {**place, "part": {**part, "text": ""}}
    yield "response.output_text.delta", {**place, "delta": part["text"], "logprobs": []}
    yield "response.output_text.done", {**place, "text": part["text"], "logprobs": []}
    yield "response.content_part.done", {**place, "part": part}
    yield "response.output_item.done", {"item": item}


def _texts(item: Mapping[str, Any]) -> Iterator[str]:
    for part in list_in(item, "content"):
        match part:
            case {"type": "output_text", "text": str(text)} if text:
                yield text


def _with_items(
    response: Mapping[str, Any], items: Sequence[Any], *, has_text: bool = False
) -> dict[str, Any]:
    """Return a response with other items instead of its message, or after it."""
    others = [
        each
        for each in list_in(response, "output")
        if has_text or not (isinstance(each, dict) and each.get("type") == "message")
    ]
    return {**response, "output": [*others, *items]}


def _less(response: Any, dropped: Dropped, notes: Notes) -> Any:
    if not isinstance(response, dict):
        return response
    gone = {place for _, place in dropped}
    output = enumerate(list_in(response, "output"))
    kept = [item for place, item in output if place not in gone]
    return {**response, "output": kept, "lton": {"notes": list(notes)}}
