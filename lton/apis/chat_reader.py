"""Read answers of the chat completions API and write calls in its format."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lton.apis.answer_usage import AnswerUsage
from lton.apis.answers import (
    AnswerReader,
    Notes,
    Whole,
    WholeChoice,
    deltas_of,
    gathered,
)
from lton.apis.chat_writer import ChatWriter
from lton.apis.endings import CHAT_REASONS, read_reason
from lton.apis.json_members import as_text, list_in, object_in
from lton.apis.sse import RawEvent
from lton.chat import ToolCall
from lton.chat.deltas import (
    ApiDelta,
    ArgumentsDelta,
    CallKey,
    ContentDelta,
    Finish,
    OtherDelta,
    StreamEnd,
    ThoughtDelta,
    ToolCallStart,
)
from lton.chat.openai import write_call

_DETAILS = "reasoning_details"  # of OpenRouter: a list of thoughts
_SILENT = frozenset(["role", "content", "tool_calls", "reasoning_content", "reasoning", _DETAILS])
"""Members that are read here or have no meaning. Any other member is an `OtherDelta`."""
_THOUGHTS = ("reasoning_content", "reasoning")


_ANEW = 1_000_000  # the first key for calls that reuse the index of another call


class ChatReader(AnswerReader):
    """Reads answers of the chat completions API."""

    may_be_empty = has_places = False

    def __init__(self, spaces: Mapping[str, str] | None = None) -> None:
        del spaces  # this API has no namespaces for tools
        self.usage = AnswerUsage()
        self.ids: dict[CallKey, str] = {}  # by the keys of calls that have begun
        self.keys: dict[CallKey, CallKey] = {}  # by index: some servers give each call index 0
        self.last: dict[int, CallKey] = {}  # the call that was continued last, by choice
        self.choices: set[int] = set()
        self.ended: set[int] = set()  # the choices that have ended
        self.refused: set[int] = set()  # the choices in which the model refuses to answer
        self.has_role = False

    def read(self, event: RawEvent) -> list[ApiDelta]:
        if event.is_done or event.data.get("error") is not None:
            return [StreamEnd()]
        events, index = list[ApiDelta](), None
        choices = event.data.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            index = choice.get("index") or 0 if isinstance(choice, dict) else None
            if type(index) is int:
                events += self._choice(choice, index)
        if usage := event.data.get("usage"):
            self.usage.update(usage, index)
        return [*events, StreamEnd()] if self.choices and self.choices == self.ended else events

    def _choice(self, choice: Mapping[str, Any], index: int) -> list[ApiDelta]:
        delta = choice.get("delta")
        if is_whole := not (delta and isinstance(delta, dict)):
            delta = object_in(choice, "message")  # also to a streaming request
        events = self._delta(delta, index, is_whole=is_whole)
        self.choices.add(index)
        if isinstance(reason := choice.get("finish_reason"), str) and reason:
            self.ended.add(index)
            why = read_reason(reason, CHAT_REASONS)
            if index in self.refused and why == "stop":
                why = "content_filter"
            events.append(Finish(why, choice=index))
        return events

    def _delta(self, delta: Mapping[str, Any], choice: int, *, is_whole: bool) -> list[ApiDelta]:
        events = list[ApiDelta]()
        self.has_role = self.has_role or "role" in delta
        for key in _THOUGHTS:
            if isinstance(thought := delta.get(key), str) and thought:
                events.append(ThoughtDelta(thought, choice))
                break
        else:
            events += [ThoughtDelta(each, choice) for each in _details(delta.get(_DETAILS))]
        events += _content(delta.get("content"), choice)
        calls = delta.get("tool_calls") or []
        for place, call in enumerate(calls if isinstance(calls, list) else [calls]):
            match call:
                case {"function": {**function}}:
                    index = place if is_whole else call.get("index")
                    events += self._call(call, function, choice, index, place)
                case _:
                    events.append(OtherDelta("", choice, call))
        if any(value for key, value in delta.items() if key not in _SILENT):
            refusal = delta.get("refusal")
            if refusal:
                self.refused.add(choice)
            events.append(OtherDelta(refusal if isinstance(refusal, str) else "", choice))
        return events

    def _call(
        self,
        call: Mapping[str, Any],
        function: Mapping[Any, Any],
        choice: int,
        index: Any,
        place: int,
    ) -> list[ApiDelta]:
        call_id, events = str(call.get("id") or ""), list[ApiDelta]()
        key = self._key(call_id, bool(function.get("name")), choice, index, place)
        if key not in self.ids:
            self.ids[key] = call_id
            events.append(ToolCallStart(key[1], call_id, as_text(function.get("name")), choice))
        self.last[choice] = key
        if json := as_text(function.get("arguments")):
            events.append(ArgumentsDelta(key[1], json, choice))
        return events

    def _key(self, call_id: str, is_named: bool, choice: int, index: Any, place: int) -> CallKey:
        """Find the call that a piece belongs to: without an index and a name, the last call."""
        has_place = type(index) is int
        if not (has_place or is_named) and choice in self.last:
            return self.last[choice]
        here = (choice, index if has_place else place)
        key = self.keys.get(here, here)
        is_other = call_id != self.ids.get(key, call_id) if call_id else not has_place
        if is_named and is_other and key in self.ids:
            key = self.keys[here] = (choice, _ANEW + len(self.ids))
        return key

    def writer(self, event: RawEvent) -> ChatWriter:
        writer = ChatWriter("")
        writer.head = {k: each for k, each in event.data.items() if k not in ("usage", "choices")}
        writer.begun = {0} if self.has_role else set()
        return writer

    def with_calls(self, calls: Sequence[ToolCall], before: str, end: RawEvent) -> list[RawEvent]:
        made = self.writer(end).write_all(deltas_of(calls, before))
        (choice, *_) = end.data["choices"]
        last = {**choice, "delta": {}, "finish_reason": "tool_calls"}
        return [RawEvent(made), end.saying({**end.data, "choices": [last]})]

    def with_notes(self, event: RawEvent, notes: Notes) -> RawEvent:
        return event.saying({**event.data, "choices": _noted(event.data["choices"], notes)})

    # --- answers that do not stream ---------------------------------------------------------------

    def whole(self, body: Whole) -> list[WholeChoice]:
        self.usage.update(body.get("usage"))
        choices = enumerate(list_in(body, "choices"))
        return [gathered(self._choice(e, place)) for place, e in choices if isinstance(e, dict)]

    def whole_with_calls(self, body: Whole, calls: Sequence[ToolCall], thought: str) -> Whole:
        (choice, *_) = body["choices"]
        written = [write_call(call) for call in calls]
        message = {**choice["message"], "content": thought or None, "tool_calls": written}
        made = {**choice, "message": message, "finish_reason": "tool_calls"}
        return {**body, "choices": [made]}

    def whole_with_notes(self, body: Whole, notes: Notes) -> Whole:
        return {**body, "choices": _noted(body["choices"], notes)}


def _content(content: Any, choice: int) -> Iterator[ApiDelta]:
    if isinstance(content, str):
        if content:
            yield ContentDelta(content, choice)
        return
    for part in content if isinstance(content, list) else [content]:
        match part:
            case None:
                pass
            case {"type": "text", "text": str(text)}:
                yield ContentDelta(text, choice)
            case {"type": "thinking"}:
                yield ThoughtDelta("".join(_texts(part.get("thinking"))), choice)
            case _:
                yield OtherDelta(as_text(part), choice)


def _details(found: Any) -> Iterator[str]:
    """Yield the texts and summaries of thoughts. Encrypted thoughts have no text."""
    for each in found if isinstance(found, list) else ():
        match each:
            case {"text": str(text)} | {"summary": str(text)} if text:
                yield text


def _texts(found: Any) -> Iterator[str]:
    for each in found if isinstance(found, list) else [found]:
        match each:
            case {"text": str(text)} | str(text):
                yield text


def _noted(choices: Any, notes: Notes) -> list[Any]:
    return [{**each, "lton": {"notes": list(notes)}} for each in choices]
