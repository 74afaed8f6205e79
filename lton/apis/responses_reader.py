"""Read answers from OpenAI's responses API and write calls in its format."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lton.apis.answer_usage import AnswerUsage
from lton.apis.answers import (
    AnswerReader,
    ChoiceNotes,
    Dropped,
    MendedCalls,
    MendedJson,
    Notes,
    Whole,
    WholeChoice,
    iterate_deltas_of_calls,
    join_choice_deltas,
)
from lton.apis.json_members import as_text, list_in, object_in
from lton.apis.responses_writer import ResponsesWriter
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

_COMPLETED = "response.completed"
_INCOMPLETE = "response.incomplete"
_ENDS = (_COMPLETED, _INCOMPLETE, "response.failed", "error")
_CUT = {"max_output_tokens": "length", "content_filter": "content_filter"}
"""Reasons for incomplete answers, and the corresponding finish reasons of chat completions."""
_SILENT = frozenset(["", "response.created", "response.in_progress", "response.queued"])


class ResponsesReader(AnswerReader):
    """Reads answers from OpenAI's Responses API."""

    may_be_empty = False
    has_places = True

    def __init__(self, spaces: Mapping[str, str] | None = None) -> None:
        self.namespaces = spaces or {}
        self.usage = AnswerUsage()
        self.response: Mapping[str, Any] = {}  # the response object of the first event
        self.number = 0  # the sequence number of the next event
        self.text_index: int | None = None  # the index of the first item with text
        self.done: list[Any] = []  # the items that have ended
        self.open: dict[str, Any] | None = None  # the open item
        self.pieces: list[str] = []  # the text of the open item
        self.calls_with_arguments: set[int] = set()
        self.has_said = self.has_text = self.has_refused = False

    def read_deltas(self, event: RawEvent) -> list[ApiDelta]:
        data = event.data
        kind = str(data.get("type", ""))
        number = data.get("sequence_number")
        self.number = number + 1 if type(number) is int else self.number + 1
        if kind in _ENDS or data.get("error") is not None:
            return self._read_end(kind, data.get("response"))
        if not kind and "output" in data:  # a server may ignore `stream`
            return [*self._iterate_response_deltas(data), StreamEnd()]
        if kind in _SILENT:
            self.response = object_in(data, "response") or self.response
            return []
        events = list(self._iterate_event_deltas(kind, data))
        self.has_said = self.has_said or bool(events)
        self.has_text = self.has_text or any(isinstance(delta, ContentDelta) for delta in events)
        if self.text_index is None and any(
            isinstance(delta, TextBoundary | ContentDelta) for delta in events
        ):
            self.text_index = output_index_of(data)
        return events

    def _read_end(self, kind: str, response: Any) -> list[ApiDelta]:
        fields = response if isinstance(response, dict) else {}
        self.usage.update(fields.get("usage"))
        if kind not in (_COMPLETED, _INCOMPLETE):
            return [StreamEnd()]
        more = [] if self.has_said or not list_in(fields, "output") else [OtherDelta()]
        end = _read_finish(fields, is_whole=kind == _COMPLETED)
        if self.has_refused and end.reason == "stop":
            end = Finish("content_filter")
        return [*more, end, StreamEnd()]

    def _iterate_event_deltas(self, kind: str, data: Mapping[str, Any]) -> Iterator[ApiDelta]:
        key = output_index_of(data)
        match kind:
            case "response.output_item.added" | "response.output_item.done":
                yield from self._iterate_item_deltas(kind, object_in(data, "item"), key)
            case "response.function_call_arguments.delta":
                yield self._read_arguments(key, data.get("delta"))
            case "response.function_call_arguments.done":
                yield self._read_arguments(
                    key, None if key in self.calls_with_arguments else data.get("arguments")
                )
            case "response.output_text.delta":
                self.pieces.append(as_text(data.get("delta")))
                yield ContentDelta(self.pieces[-1])
            case "response.output_text.done":
                yield TextBoundary()
            case "response.content_part.added" | "response.content_part.done":
                kind = object_in(data, "part").get("type", "")
                yield TextBoundary() if kind == "output_text" else OtherDelta()
            case "response.refusal.delta":
                self.has_refused = True
                yield OtherDelta(as_text(data.get("delta")))
            case _ if kind.startswith("response.reasoning"):
                thought = as_text(data.get("delta")) if kind.endswith("text.delta") else ""
                self.pieces.append(thought)
                yield ThoughtDelta(thought)
            case _:
                yield OtherDelta()

    def _read_arguments(self, index: int, arguments: Any) -> ArgumentsDelta:
        if json := as_text(arguments):
            self.calls_with_arguments.add(index)
        return ArgumentsDelta(index, json)

    def _iterate_item_deltas(
        self, kind: str, item: Mapping[str, Any], key: int
    ) -> Iterator[ApiDelta]:
        is_done = kind.endswith("done")
        self.open = None if is_done else {**item}
        self.pieces = []
        if is_done:
            self.done.append(item)
        match item:
            case {"type": "message"}:
                yield TextBoundary()
                if is_done and not self.has_text:  # some servers do not stream text
                    yield from map(ContentDelta, _iterate_texts_of_item(item))
            case {"type": "reasoning"}:
                yield ThoughtDelta()
            case {"type": "function_call"} if is_done:
                if key not in self.calls_with_arguments:
                    yield self._read_arguments(key, item.get("arguments"))
                yield CallBoundary(key)
            case {"type": "function_call"}:
                space = item.get("namespace")
                call_id = item.get("call_id")
                name = as_text(item.get("name"))
                yield ToolCallStart(key, str(call_id or ""), name, space=str(space or ""))
            case _:
                yield OtherDelta()

    def make_writer_like(self, event: RawEvent) -> ResponsesWriter:
        writer = ResponsesWriter(spaces=self.namespaces)
        writer.head = self.response or writer.head
        writer.number = self.number
        writer.output_index = output_index_of(event.data)
        writer.output = [*self.done]
        writer.open = self.open
        writer.pieces = self.pieces
        return writer

    def write_end_with_calls(
        self, calls: Sequence[ToolCall], before: str, end: RawEvent
    ) -> list[RawEvent]:
        writer = ResponsesWriter(spaces=self.namespaces)
        writer.number = self.number - 1
        writer.output_index = self.text_index or 0
        if before:
            writer.output_index += 1  # after the message before the calls
        data = writer.write_deltas(iterate_deltas_of_calls(calls))
        response = _with_items(end.data["response"], writer.output, has_text=bool(before))
        last = {**end.data, "sequence_number": writer.number, "response": response}
        return [RawEvent(data), end.with_data(last)]

    def replace_calls_at_end(
        self, end: RawEvent, choice: int, text: str, dropped: int, *, has_calls: bool
    ) -> tuple[RawEvent, RawEvent]:
        del choice, has_calls  # there is only one, and it ends in the same way
        response = end.data.get("response")
        if not text or not isinstance(response, dict):
            return RawEvent(b""), end
        writer = ResponsesWriter(spaces=self.namespaces)
        writer.number = self.number - 1
        writer.output_index = len(self.done) - dropped
        data = writer.write_deltas([ContentDelta(text), Finish("stop")])
        output = [*list_in(response, "output"), *writer.output]
        last = {"sequence_number": writer.number, "response": {**response, "output": output}}
        return RawEvent(data), end.with_data({**end.data, **last})

    def event_without_calls(self, event: RawEvent, dropped: Dropped, notes: Notes) -> RawEvent:
        data = event.data
        if data.get("type") in (_COMPLETED, _INCOMPLETE):
            return event.with_data(
                {**data, "response": _without_items(data.get("response"), dropped, notes)}
            )
        index = data.get("output_index")
        if type(index) is not int:
            return event
        return event.with_data(
            {
                **data,
                "output_index": index - sum(dropped_index < index for _, dropped_index in dropped),
            }
        )

    def event_with_mended_calls(self, event: RawEvent, calls: MendedCalls) -> RawEvent:
        data = event.data
        if isinstance(data.get("response"), dict):
            response = self.body_with_mended_calls(data["response"], calls)
            return event.with_data({**data, "response": response})
        if "output" in data:
            return event.with_data(self.body_with_mended_calls(data, calls))
        mended = calls.get((0, output_index_of(data)))
        if mended is None:
            return event
        new_data = {**data}
        if "item" in data:
            new_data["item"] = _mend_item(data["item"], mended)
        elif "delta" in data:
            new_data["delta"] = mended.piece
        elif "arguments" in data:
            new_data |= {"arguments": mended.arguments} | (
                {"name": mended.name} if "name" in data else {}
            )
        return event.with_data(new_data)

    def with_notes(self, event: RawEvent, notes: ChoiceNotes) -> RawEvent:
        data = event.data
        if not notes.get(0):
            return event
        if data.get("type") in (_COMPLETED, _INCOMPLETE) and isinstance(data.get("response"), dict):
            return event.with_data(
                {**data, "response": self.body_with_notes(data["response"], notes)}
            )
        return event if "output" not in data else event.with_data(self.body_with_notes(data, notes))

    # --- answers that do not stream ---------------------------------------------------------------

    def read_whole_answer(self, body: Whole) -> list[WholeChoice]:
        return [join_choice_deltas(self._iterate_response_deltas(body))]

    def _iterate_response_deltas(self, body: Mapping[str, Any]) -> Iterator[ApiDelta]:
        self.usage.update(body.get("usage"))
        for index, item in enumerate(list_in(body, "output")):
            fields = item if isinstance(item, dict) else {}
            self.has_text = False
            for kind in ("response.output_item.added", "response.output_item.done"):
                yield from self._iterate_item_deltas(kind, fields, index)
            if fields.get("type") == "reasoning":
                yield from map(ThoughtDelta, _iterate_thoughts_of_item(fields))
            for part in list_in(fields, "content") if fields.get("type") == "message" else ():
                if not (isinstance(part, dict) and part.get("type") == "output_text"):
                    yield OtherDelta(as_text(object_in({"": part}, "").get("refusal")))
        if (status := body.get("status")) in ("completed", "incomplete"):
            yield _read_finish(body, is_whole=status == "completed")
        elif status is not None:
            yield Finish(str(status))  # no known end

    def body_with_calls(self, body: Whole, calls: Sequence[ToolCall], thought: str) -> Whole:
        writer = ResponsesWriter(spaces=self.namespaces)
        writer.write_deltas(iterate_deltas_of_calls(calls, thought))
        return _with_items(body, writer.output)

    def body_without_calls(self, body: Whole, dropped: Dropped, notes: Notes) -> Whole:
        response: Whole = _without_items(body, dropped, notes)
        return response

    def body_with_calls_as_text(self, body: Whole, texts: Mapping[CallKey, str]) -> Whole:
        output = list[Any]()
        for at, item in enumerate(list_in(body, "output")):
            text = texts.get((0, at))
            if text:
                writer = ResponsesWriter(spaces=self.namespaces)
                writer.write_deltas([ContentDelta(text), Finish("stop")])
                output += writer.output
            elif text is None:
                output.append(item)
        return {**body, "output": output}

    def body_with_mended_calls(self, body: Whole, calls: MendedCalls) -> Whole:
        output = [*list_in(body, "output")]
        for at, item in enumerate(output):
            if mended := calls.get((0, at)):
                output[at] = _mend_item(item, mended)
        return {**body, "output": output}

    def body_with_notes(self, body: Whole, notes: ChoiceNotes) -> Whole:
        return {**body, "lton": {"notes": list(notes.get(0, ()))}}


def _mend_item(item: Any, mended: MendedJson) -> Any:
    """Replace the name and, unless they come later, the arguments of a call."""
    if object_in({"": item}, "").get("type") != "function_call":
        return item
    arguments = {"arguments": mended.arguments} if item.get("arguments") else {}
    return {**item, "name": mended.name, **arguments}


def _read_finish(response: Mapping[str, Any], *, is_whole: bool) -> Finish:
    cut = object_in(response, "incomplete_details").get("reason")
    return Finish("stop" if is_whole else _CUT.get(str(cut), "length"))


def output_index_of(data: Mapping[str, Any]) -> int:
    """Return the output index of an event (0 if missing)."""
    index = data.get("output_index")
    return index if type(index) is int else 0


def _iterate_texts_of_item(item: Mapping[str, Any]) -> Iterator[str]:
    for part in list_in(item, "content"):
        match part:
            case {"type": "output_text", "text": str(text)} if text:
                yield text


def _iterate_thoughts_of_item(item: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of a complete thought, or of its summary."""
    for part in list_in(item, "content") or list_in(item, "summary"):
        match part:
            case {"text": str(text)} if text:
                yield text


def _with_items(
    response: Mapping[str, Any], items: Sequence[Any], *, has_text: bool = False
) -> dict[str, Any]:
    """Replace the messages in a response with `items`. With `has_text`, keep the messages."""
    others = [
        item
        for item in list_in(response, "output")
        if has_text or not (isinstance(item, dict) and item.get("type") == "message")
    ]
    return {**response, "output": [*others, *items]}


def _without_items(response: Any, dropped: Dropped, notes: Notes) -> Any:
    if not isinstance(response, dict):
        return response
    dropped_indexes = {index for _, index in dropped}
    output = enumerate(list_in(response, "output"))
    remaining = [item for index, item in output if index not in dropped_indexes]
    return {**response, "output": remaining, "lton": {"notes": list(notes)}}
