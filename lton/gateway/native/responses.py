"""The responses API: what its events say of calls, and how it writes one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lton.apis.members import as_text, list_in, object_in
from lton.chat import ToolCall
from lton.gateway.apis.chat import new_id
from lton.gateway.apis.events import event as event_bytes
from lton.gateway.apis.protocol import RefusedError
from lton.gateway.native.requests import NativeRequest
from lton.gateway.native.rescues import Rescue
from lton.gateway.native.said import (
    ApiEvent,
    ArgumentsEvent,
    CallEndEvent,
    CallStartEvent,
    FinishEvent,
    Key,
    OtherEvent,
    ServerUsage,
    StreamEndEvent,
    TextBoundary,
    TextEvent,
    ThoughtEvent,
    WholeChoice,
)
from lton.gateway.native.streams import RawEvent

_COMPLETED, _INCOMPLETE = "response.completed", "response.incomplete"
_ENDS = (_COMPLETED, _INCOMPLETE, "response.failed", "error")
_CUT = {"max_output_tokens": "length", "content_filter": "content_filter"}
"""Why an answer is not complete, by the reasons of chat."""
_SILENT = frozenset(["", "response.created", "response.in_progress", "response.queued"])


class ResponsesShape:
    """See `lton.gateway.native.said.ApiShape`."""

    may_be_empty = False

    def __init__(self, request: NativeRequest) -> None:
        self.namespaces = request.namespaces
        self.usage = ServerUsage()
        self.response: Mapping[str, Any] = {}
        """What the answer said of itself when it began."""
        self.number = 0
        """That of the next event."""
        self.place = 0
        """The place of the item that has the text."""
        self.first: int | None = None
        """The number of the first event of that item."""
        self.argued: set[Key] = set()
        self.has_said = self.has_text = False

    def read(self, event: RawEvent) -> list[ApiEvent]:
        """Get what an event says."""
        data = event.data
        kind = str(data.get("type", ""))
        number = data.get("sequence_number")
        self.number = number + 1 if type(number) is int else self.number + 1
        if kind in _ENDS or data.get("error") is not None:
            return self._end(kind, data.get("response"))
        if kind in _SILENT:
            self.response = object_in(data, "response") or self.response
            return []
        events = list(self._said(kind, data))
        self.has_said = self.has_said or bool(events)
        self.has_text = self.has_text or any(isinstance(each, TextEvent) for each in events)
        if self.first is None and any(
            isinstance(each, TextBoundary | TextEvent) for each in events
        ):
            self.first, self.place = self.number - 1, _place(data)
        return events

    def _end(self, kind: str, response: Any) -> list[ApiEvent]:
        found = response if isinstance(response, dict) else {}
        self._count(found)
        if kind not in (_COMPLETED, _INCOMPLETE):
            return [StreamEndEvent()]
        more = [] if self.has_said or not list_in(found, "output") else [OtherEvent()]
        cut = object_in(found, "incomplete_details").get("reason")
        reason = "stop" if kind == _COMPLETED else _CUT.get(str(cut), "length")
        return [*more, FinishEvent(reason), StreamEndEvent()]

    def _said(self, kind: str, data: Mapping[str, Any]) -> Iterator[ApiEvent]:
        key = (0, _place(data))
        match kind:
            case "response.output_item.added" | "response.output_item.done":
                yield from self._item(kind, object_in(data, "item"), key)
            case "response.function_call_arguments.delta":
                yield self._argued(key, data.get("delta"))
            case "response.function_call_arguments.done":
                yield self._argued(key, None if key in self.argued else data.get("arguments"))
            case "response.output_text.delta":
                yield TextEvent(as_text(data.get("delta")))
            case "response.output_text.done":
                yield TextBoundary()
            case "response.content_part.added" | "response.content_part.done":
                kind = object_in(data, "part").get("type", "")
                yield TextBoundary() if kind == "output_text" else OtherEvent()
            case "response.refusal.delta":
                yield OtherEvent(as_text(data.get("delta")))
            case _ if kind.startswith("response.reasoning"):
                is_text = kind.endswith("text.delta")
                yield ThoughtEvent(as_text(data.get("delta")) if is_text else "")
            case _:
                yield OtherEvent()

    def _argued(self, key: Key, given: Any) -> ArgumentsEvent:
        """Get more of the arguments of a call."""
        if json := as_text(given):
            self.argued.add(key)
        return ArgumentsEvent(key, json)

    def _item(self, kind: str, item: Mapping[str, Any], key: Key) -> Iterator[ApiEvent]:
        is_done = kind.endswith("done")
        match item:
            case {"type": "message"}:
                yield TextBoundary()
                if is_done and not self.has_text:  # some servers send a text whole
                    yield from map(TextEvent, _texts(item))
            case {"type": "reasoning"}:
                yield ThoughtEvent()
            case {"type": "function_call"} if is_done:
                if key not in self.argued:
                    yield self._argued(key, item.get("arguments"))
                yield CallEndEvent(key)
            case {"type": "function_call"}:
                space, call_id = item.get("namespace"), item.get("call_id")
                yield CallStartEvent(
                    key, as_text(item.get("name")), str(space or ""), str(call_id or "")
                )
            case _:
                yield OtherEvent()

    def split(
        self, event: RawEvent, events: Sequence[ApiEvent]
    ) -> list[tuple[RawEvent, list[ApiEvent]]]:
        """Get the event: it has one call at most."""
        return [(event, list(events))]

    def rescued(self, rescue: Rescue, end: RawEvent) -> list[RawEvent]:
        """Get the events of calls in place of the text, and then the end."""
        number = self.first or 0
        items = self._items(rescue)
        made = list[RawEvent]()
        for place, item in enumerate(items, self.place):
            for kind, more in _events(item):
                data: dict[str, Any] = {
                    "type": kind,
                    "sequence_number": number,
                    "output_index": place,
                    **more,
                }
                made.append(RawEvent(b"", kind).saying(data))
                number += 1
        response = _with_items(end.data["response"], items)
        last = {**end.data, "sequence_number": number, "response": response}
        return [*made, end.saying(last)]

    def without(
        self, event: RawEvent, dropped: Sequence[Key], notes: Sequence[Mapping[str, Any]]
    ) -> RawEvent:
        """Get an event as if some calls had not been; an end says so in `notes`."""
        data = event.data
        if data.get("type") in (_COMPLETED, _INCOMPLETE):
            return event.saying({**data, "response": _less(data.get("response"), dropped, notes)})
        if type(place := data.get("output_index")) is not int:
            return event
        return event.saying({**data, "output_index": place - sum(at < place for _, at in dropped)})

    def fail(self, refusal: RefusedError) -> bytes:
        """Get the end of a stream that an error cut off."""
        words = str(refusal.body["error"].get("message"))
        error = {"code": "server_error", "message": words}
        if not self.response:
            events = {"sequence_number": self.number, "param": None, **error}
            return event_bytes({"type": "error", **events}, "error")
        kind, failed = "response.failed", {**self.response, "status": "failed", "error": error}
        number = self.number
        return event_bytes({"type": kind, "sequence_number": number, "response": failed}, kind)

    # --- answers that do not stream ---------------------------------------------------------------

    def whole(self, body: Mapping[str, Any]) -> list[WholeChoice]:
        """Get what an answer says that does not stream."""
        self._count(body)
        text, calls, has_more = "", list[tuple[CallStartEvent, str]](), False
        for place, item in enumerate(list_in(body, "output")):
            match item:
                case {"type": "message", "content": [*parts]}:
                    text += "".join(map(_text, parts))
                    has_more = has_more or not all(map(_is_text, parts))
                case {"type": "function_call", "name": str(name)}:
                    start = CallStartEvent((0, place), name, str(item.get("namespace") or ""))
                    calls.append((start, as_text(item.get("arguments"))))
                case {"type": "reasoning"}:
                    pass
                case _:
                    has_more = True
        is_plain = body.get("status") == "completed"
        return [WholeChoice(text=text, calls=calls, has_more=has_more, is_plain=is_plain)]

    def whole_rescued(self, body: Mapping[str, Any], rescue: Rescue) -> Mapping[str, Any]:
        """Get an answer with calls in place of its text."""
        return _with_items(body, self._items(rescue))

    def whole_without(
        self,
        body: Mapping[str, Any],
        dropped: Sequence[Key],
        notes: Sequence[Mapping[str, Any]],
    ) -> Mapping[str, Any]:
        """Get an answer without some of its calls."""
        found: Mapping[str, Any] = _less(body, dropped, notes)
        return found

    def _items(self, rescue: Rescue) -> list[dict[str, Any]]:
        said = list[dict[str, Any]]()
        if rescue.thought:
            part = {"type": "output_text", "text": rescue.thought, "annotations": []}
            said.append({"type": "message", "id": new_id("msg_"), "role": "assistant"})
            said[0] |= {"status": "completed", "content": [part]}
        return [*said, *(self._written(call) for call in rescue.calls)]

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

    def _count(self, response: Mapping[str, Any]) -> None:
        details = ("input_tokens_details", "cached_tokens")
        self.usage.update(response.get("usage"), "input_tokens", "output_tokens", details)


def _place(data: Mapping[str, Any]) -> int:
    place = data.get("output_index")
    return place if type(place) is int else 0


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "output_text"


def _text(part: Any) -> str:
    return str(part.get("text", "")) if _is_text(part) else ""


def _events(item: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Get the events of an item: a text, or a call."""
    if item["type"] == "message":
        yield from _text_events(item)
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


def _with_items(response: Mapping[str, Any], items: Sequence[Any]) -> dict[str, Any]:
    """Get a response with other items in the place of its message."""
    others = [
        each
        for each in list_in(response, "output")
        if not (isinstance(each, dict) and each.get("type") == "message")
    ]
    return {**response, "output": [*others, *items]}


def _less(response: Any, dropped: Sequence[Key], notes: Sequence[Mapping[str, Any]]) -> Any:
    if not isinstance(response, dict):
        return response
    gone = {place for _, place in dropped}
    output = enumerate(list_in(response, "output"))
    kept = [item for place, item in output if place not in gone]
    return {**response, "output": kept, "lton": {"notes": list(notes)}}
