"""Read answers from Anthropic's messages API and write calls in its format."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lton._json import minified
from lton.apis.answer_usage import AnswerUsage
from lton.apis.answers import (
    AnswerReader,
    ChoiceNotes,
    Dropped,
    MendedCalls,
    Notes,
    Whole,
    WholeChoice,
    iterate_deltas_of_calls,
    join_choice_deltas,
)
from lton.apis.endings import MESSAGES_REASONS, read_reason
from lton.apis.ids import new_id
from lton.apis.json_members import as_text, list_in, object_in
from lton.apis.messages_writer import MessagesWriter
from lton.apis.sse import RawEvent
from lton.chat import ToolCall
from lton.chat.deltas import (
    ApiDelta,
    ArgumentsDelta,
    CallBoundary,
    CallKey,
    ContentDelta,
    Finish,
    OtherDelta,
    StreamEnd,
    TextBoundary,
    ThoughtDelta,
    ToolCallStart,
)

_THOUGHTS = ("thinking", "redacted_thinking", "thinking_delta", "signature_delta")
_NO_EVENT = RawEvent(b"")


class MessagesReader(AnswerReader):
    """Reads answers from Anthropic's messages API."""

    may_be_empty = True  # the API allows this after results
    has_places = True

    def __init__(self, spaces: Mapping[str, str] | None = None) -> None:
        del spaces  # this API has no namespaces for tools
        self.usage = AnswerUsage()
        self.kinds: dict[int, str] = {}  # by block index
        self.first_arguments: dict[
            int, Any
        ] = {}  # a block's first arguments, until more of them come
        self.text_index: int | None = None  # the index of the first text block

    def read_deltas(self, event: RawEvent) -> list[ApiDelta]:
        data = event.data
        kind = data.get("type")
        if kind in ("message_stop", "error"):
            return [StreamEnd()]
        if kind == "message":  # a server may ignore `stream`
            return [*self._iterate_message_deltas(data), StreamEnd()]
        if kind == "message_start":
            self.usage.update(object_in(data, "message").get("usage"))
        if kind == "message_delta":
            self.usage.update(data.get("usage"))
            reason = object_in(data, "delta").get("stop_reason")
            return _read_finish(reason)
        index = data.get("index")
        if type(index) is not int:
            return []
        events = list(self._iterate_block_deltas(str(kind), data, index))
        if self.text_index is None and any(
            isinstance(delta, TextBoundary | ContentDelta) for delta in events
        ):
            self.text_index = index
        return events

    def _iterate_block_deltas(
        self, kind: str, data: Mapping[str, Any], index: int
    ) -> Iterator[ApiDelta]:
        key = (0, index)
        match kind:
            case "content_block_start":
                block = object_in(data, "content_block")
                self.kinds[index] = str(block.get("type"))
                yield from self._iterate_block_start_deltas(block, key)
            case "content_block_delta":
                yield self._read_delta(object_in(data, "delta"), key)
            case "content_block_stop":
                if arguments := self.first_arguments.pop(
                    index, None
                ):  # some servers send a call whole
                    yield ArgumentsDelta(index, minified(arguments))
                match self.kinds.get(index):
                    case "text":
                        yield TextBoundary()
                    case "tool_use":
                        yield CallBoundary(index)
                    case _:
                        yield ThoughtDelta()

    def _iterate_block_start_deltas(
        self, block: Mapping[str, Any], key: CallKey
    ) -> Iterator[ApiDelta]:
        match block:
            case {"type": "text"}:
                yield TextBoundary()
                text = block.get("text")
                if isinstance(text, str) and text:
                    yield ContentDelta(text)
            case {"type": "tool_use"}:
                self.first_arguments[key[1]] = block.get("input")
                name = as_text(block.get("name"))
                call_id = str(block.get("id") or "")
                yield ToolCallStart(key[1], call_id, name)
            case {"type": "thinking", "thinking": str(text)}:
                yield ThoughtDelta(text)
            case {"type": kind} if kind in _THOUGHTS:
                yield ThoughtDelta()
            case _:
                yield OtherDelta()

    def _read_delta(self, delta: Mapping[str, Any], key: CallKey) -> ApiDelta:
        match delta:
            case {"text": str(text)}:
                return ContentDelta(text)
            case {"partial_json": json} if self.kinds.get(key[1]) == "tool_use":
                if text := as_text(json):
                    self.first_arguments.pop(key[1], None)
                return ArgumentsDelta(key[1], text)
            case {"thinking": str(text)}:
                return ThoughtDelta(text)
            case {"type": kind} if kind in _THOUGHTS:
                return ThoughtDelta()
        return OtherDelta()

    def make_writer_like(self, event: RawEvent) -> MessagesWriter:
        writer = MessagesWriter()
        block_count = event.data.get("index", -1) + 1
        writer.content = [{"type": "text"} for _ in range(block_count)]
        has_stopped = event.data.get("type") == "content_block_stop"
        writer.is_open = block_count > 0 and not has_stopped
        writer.has_begun = True
        return writer

    def write_end_with_calls(
        self, calls: Sequence[ToolCall], before: str, end: RawEvent
    ) -> list[RawEvent]:
        writer = self.make_writer_like(_NO_EVENT)
        earlier = self.text_index or 0
        if before:
            earlier += 1  # the block of text before the calls
        writer.content = [{} for _ in range(earlier)]
        data = writer.write_deltas(iterate_deltas_of_calls(map(_with_new_id, calls)))
        delta = {**end.data["delta"], "stop_reason": "tool_use"}
        return [RawEvent(data), end.with_data({**end.data, "delta": delta})]

    def replace_calls_at_end(
        self, end: RawEvent, choice: int, text: str, dropped: int, *, has_calls: bool
    ) -> tuple[RawEvent, RawEvent]:
        del choice  # there is only one
        delta = object_in(end.data, "delta")
        if not has_calls and delta.get("stop_reason") == "tool_use":
            end = end.with_data({**end.data, "delta": {**delta, "stop_reason": "end_turn"}})
        writer = self.make_writer_like(_NO_EVENT)
        writer.content = [{} for _ in range(len(self.kinds) - dropped)]
        data = writer.write_deltas([ContentDelta(text), Finish("stop")]) if text else b""
        return RawEvent(data), end

    def event_without_calls(self, event: RawEvent, dropped: Dropped, notes: Notes) -> RawEvent:
        data = event.data
        if data.get("type") == "message_delta":
            return event.with_data({**data, "lton": {"notes": list(notes)}})
        index = data.get("index")
        if type(index) is not int:
            return event
        return event.with_data(
            {**data, "index": index - sum(dropped_index < index for _, dropped_index in dropped)}
        )

    def event_with_mended_calls(self, event: RawEvent, calls: MendedCalls) -> RawEvent:
        data = event.data
        if data.get("type") == "message":
            return event.with_data(self.body_with_mended_calls(data, calls))
        mended = calls.get((0, data.get("index", -1)))
        if mended is None:
            return event
        match data:
            case {"content_block": {"type": "tool_use"} as block}:
                tool_use = {**block, "name": mended.name}
                if block.get("input"):  # some servers send a call whole
                    tool_use["input"] = json.loads(mended.arguments)
                return event.with_data({**data, "content_block": tool_use})
            case {"delta": {"partial_json": _} as delta}:
                return event.with_data({**data, "delta": {**delta, "partial_json": mended.piece}})
        return event

    def with_notes(self, event: RawEvent, notes: ChoiceNotes) -> RawEvent:
        if event.data.get("type") not in ("message_delta", "message") or not notes.get(0):
            return event
        return event.with_data(self.body_with_notes(event.data, notes))

    # --- answers that do not stream ---------------------------------------------------------------

    def read_whole_answer(self, body: Whole) -> list[WholeChoice]:
        return [join_choice_deltas(self._iterate_message_deltas(body))]

    def _iterate_message_deltas(self, body: Mapping[str, Any]) -> Iterator[ApiDelta]:
        self.usage.update(body.get("usage"))
        for index, block in enumerate(list_in(body, "content")):
            for kind in ("content_block_start", "content_block_stop"):
                yield from self._iterate_block_deltas(kind, {"content_block": block}, index)
        yield from _read_finish(body.get("stop_reason"))

    def body_with_calls(self, body: Whole, calls: Sequence[ToolCall], thought: str) -> Whole:
        others = [block for block in body["content"] if block.get("type") != "text"]
        writer = MessagesWriter()
        writer.write_deltas(iterate_deltas_of_calls(map(_with_new_id, calls), thought))
        return {**body, "content": [*others, *writer.content], "stop_reason": "tool_use"}

    def body_without_calls(self, body: Whole, dropped: Dropped, notes: Notes) -> Whole:
        dropped_indexes = {index for _, index in dropped}
        content = [
            block for index, block in enumerate(body["content"]) if index not in dropped_indexes
        ]
        return {**body, "content": content, "lton": {"notes": list(notes)}}

    def body_with_mended_calls(self, body: Whole, calls: MendedCalls) -> Whole:
        content = [*list_in(body, "content")]
        for (_, index), mended in calls.items():
            arguments = json.loads(mended.arguments)
            content[index] = {**content[index], "name": mended.name, "input": arguments}
        return {**body, "content": content}

    def body_with_notes(self, body: Whole, notes: ChoiceNotes) -> Whole:
        return {**body, "lton": {"notes": list(notes.get(0, ()))}}


def _read_finish(reason: Any) -> list[ApiDelta]:
    return [Finish(read_reason(str(reason), MESSAGES_REASONS))] if reason else []


def _with_new_id(call: ToolCall) -> ToolCall:
    return replace(call, id=new_id("toolu_"))
