"""Anthropic's messages: what their events say of calls, and how that API writes one."""

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

_PLAIN = ("end_turn", "tool_use")
_REASONS = {
    "end_turn": "stop",
    "tool_use": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
"""Why an answer ended, by the reasons of chat; a text that stops it is no plain end here."""
_THOUGHTS = ("thinking", "redacted_thinking", "thinking_delta", "signature_delta")


class MessagesShape:
    """See `lton.gateway.native.said.ApiShape`."""

    may_be_empty = True  # the API says so of a turn after results

    def __init__(self, request: NativeRequest) -> None:
        del request  # tools have no namespaces here
        self.usage = ServerUsage()
        self.kinds: dict[int, str] = {}
        """The kind of each block."""
        self.given: dict[int, Any] = {}
        """The arguments that blocks of calls began with, as long as no more have come."""
        self.place: int | None = None
        """The place of the first block of text."""

    def read(self, event: RawEvent) -> list[ApiEvent]:
        """Get what an event says."""
        data = event.data
        kind = data.get("type")
        if kind in ("message_stop", "error"):
            return [StreamEndEvent()]
        if kind == "message_start":
            self._count(object_in(object_in(data, "message"), "usage"))
        if kind == "message_delta":
            self._count(object_in(data, "usage"))
            reason = object_in(data, "delta").get("stop_reason")
            return [FinishEvent(_REASONS.get(str(reason), "other"))] if reason else []
        place = data.get("index")
        if type(place) is not int:
            return []
        events = list(self._block(str(kind), data, place))
        if self.place is None and any(
            isinstance(each, TextBoundary | TextEvent) for each in events
        ):
            self.place = place
        return events

    def _block(self, kind: str, data: Mapping[str, Any], place: int) -> Iterator[ApiEvent]:
        key = (0, place)
        match kind:
            case "content_block_start":
                block = object_in(data, "content_block")
                self.kinds[place] = str(block.get("type"))
                yield from self._begun(block, key)
            case "content_block_delta":
                yield self._delta(object_in(data, "delta"), key)
            case "content_block_stop":
                if given := self.given.pop(place, None):  # some servers send a call whole
                    yield ArgumentsEvent(key, as_text(given))
                stops: dict[str, ApiEvent] = {"text": TextBoundary(), "tool_use": CallEndEvent(key)}
                yield stops.get(self.kinds.get(place, ""), ThoughtEvent())

    def _begun(self, block: Mapping[str, Any], key: Key) -> Iterator[ApiEvent]:
        match block:
            case {"type": "text"}:
                yield TextBoundary()
                if isinstance(text := block.get("text"), str) and text:
                    yield TextEvent(text)
            case {"type": "tool_use"}:
                self.given[key[1]] = block.get("input")
                yield CallStartEvent(key, as_text(block.get("name")), id=str(block.get("id") or ""))
            case {"type": "thinking", "thinking": str(text)}:
                yield ThoughtEvent(text)
            case {"type": kind} if kind in _THOUGHTS:
                yield ThoughtEvent()
            case _:
                yield OtherEvent()

    def _delta(self, delta: Mapping[str, Any], key: Key) -> ApiEvent:
        match delta:
            case {"type": "text_delta", "text": str(text)}:
                return TextEvent(text)
            case {"type": "input_json_delta", "partial_json": json} if (
                self.kinds.get(key[1]) == "tool_use"
            ):
                if text := as_text(json):
                    self.given.pop(key[1], None)
                return ArgumentsEvent(key, text)
            case {"type": "thinking_delta", "thinking": str(text)}:
                return ThoughtEvent(text)
            case {"type": kind} if kind in _THOUGHTS:
                return ThoughtEvent()
        return OtherEvent()

    def split(
        self, event: RawEvent, events: Sequence[ApiEvent]
    ) -> list[tuple[RawEvent, list[ApiEvent]]]:
        """Get the event: it has one call at most."""
        return [(event, list(events))]

    def rescued(self, rescue: Rescue, end: RawEvent) -> list[RawEvent]:
        """Get the events of calls in place of the text, and then the end."""
        made = list[RawEvent]()
        blocks = [*map(_text_events, _thought(rescue)), *map(_events, rescue.calls)]
        for place, events in enumerate(blocks, self.place or 0):
            for kind, more in events:
                data = {"type": kind, "index": place, **more}
                made.append(RawEvent(b"", kind).saying(data))
        delta = {**end.data["delta"], "stop_reason": "tool_use"}
        return [*made, end.saying({**end.data, "delta": delta})]

    def without(
        self, event: RawEvent, dropped: Sequence[Key], notes: Sequence[Mapping[str, Any]]
    ) -> RawEvent:
        """Get an event as if some calls had not been; an end says so in `notes`."""
        data = event.data
        if data.get("type") == "message_delta":
            return event.saying({**data, "lton": {"notes": list(notes)}})
        if type(place := data.get("index")) is not int:
            return event
        return event.saying({**data, "index": place - sum(at < place for _, at in dropped)})

    def fail(self, refusal: RefusedError) -> bytes:
        """Get the end of a stream that an error cut off."""
        words = str(refusal.body["error"].get("message"))
        error = {"type": "error", "error": {"type": "api_error", "message": words}}
        return event_bytes(error, "error")

    # --- answers that do not stream ---------------------------------------------------------------

    def whole(self, body: Mapping[str, Any]) -> list[WholeChoice]:
        """Get what an answer says that does not stream."""
        self._count(object_in(body, "usage"))
        text, calls, has_more = "", list[tuple[CallStartEvent, str]](), False
        for place, block in enumerate(list_in(body, "content")):
            match block:
                case {"type": "text", "text": str(piece)}:
                    text += piece
                case {"type": "tool_use", "name": str(name)}:
                    call = ToolCall(name, block.get("input"))
                    calls.append((CallStartEvent((0, place), name), call.written))
                case {"type": kind} if kind in _THOUGHTS:
                    pass
                case _:
                    has_more = True
        is_plain = body.get("stop_reason") in _PLAIN
        return [WholeChoice(text=text, calls=calls, has_more=has_more, is_plain=is_plain)]

    def whole_rescued(self, body: Mapping[str, Any], rescue: Rescue) -> Mapping[str, Any]:
        """Get an answer with calls in place of its text."""
        content = [each for each in body["content"] if each.get("type") != "text"]
        content += _thought(rescue)
        content += [{**_written(call), "input": call.arguments} for call in rescue.calls]
        return {**body, "content": content, "stop_reason": "tool_use"}

    def whole_without(
        self,
        body: Mapping[str, Any],
        dropped: Sequence[Key],
        notes: Sequence[Mapping[str, Any]],
    ) -> Mapping[str, Any]:
        """Get an answer without some of its calls."""
        gone = {place for _, place in dropped}
        kept = [each for place, each in enumerate(body["content"]) if place not in gone]
        return {**body, "content": kept, "lton": {"notes": list(notes)}}

    def _count(self, usage: Mapping[str, Any]) -> None:
        """Count tokens: what was read of a cache, or written to it, is apart here."""
        stored = usage.get("cache_creation_input_tokens")
        more = [usage.get("cache_read_input_tokens"), stored]
        if type(stored) is int:
            self.usage.stored = stored
        given = dict(usage)
        if type(usage.get("input_tokens")) is int:
            given["input_tokens"] += sum(each for each in more if type(each) is int)
        self.usage.update(given, "input_tokens", "output_tokens", ("cache_read_input_tokens",))


def _written(call: ToolCall) -> dict[str, Any]:
    return {"type": "tool_use", "id": new_id("toolu_"), "name": call.name, "input": {}}


def _thought(rescue: Rescue) -> list[dict[str, Any]]:
    return [{"type": "text", "text": rescue.thought}] * bool(rescue.thought)


def _text_events(block: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "content_block_start", {"content_block": {**block, "text": ""}}
    yield "content_block_delta", {"delta": {"type": "text_delta", "text": block["text"]}}
    yield "content_block_stop", {}


def _events(call: ToolCall) -> Iterator[tuple[str, dict[str, Any]]]:
    """Get the events of the block of a call."""
    yield "content_block_start", {"content_block": _written(call)}
    delta = {"type": "input_json_delta", "partial_json": call.written}
    yield "content_block_delta", {"delta": delta}
    yield "content_block_stop", {}
