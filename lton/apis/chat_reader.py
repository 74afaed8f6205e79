"""Read answers of the chat completions API and write calls in its format."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lton.apis.answer_usage import AnswerUsage
from lton.apis.answers import (
    AnswerReader,
    ChoiceNotes,
    Dropped,
    EventParts,
    MendedCalls,
    MendedJson,
    Notes,
    Whole,
    WholeChoice,
    iterate_deltas_of_calls,
    join_choice_deltas,
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
_THOUGHT_MEMBERS = frozenset([*_THOUGHTS, _DETAILS])

_ANEW = 1_000_000  # the first key for calls that reuse the index of another call


class ChatReader(AnswerReader):
    """Reads answers of the chat completions API."""

    may_be_empty = has_places = False
    usage_follows_end = True

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

    def read_deltas(self, event: RawEvent) -> list[ApiDelta]:
        if event.is_done or event.data.get("error") is not None:
            return [StreamEnd()]
        events = list[ApiDelta]()
        index = None
        choices = event.data.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            index = choice.get("index") or 0 if isinstance(choice, dict) else None
            if type(index) is int:
                events += self._read_choice(choice, index)
        if usage := event.data.get("usage"):
            self.usage.update(usage, index)
        return [*events, StreamEnd()] if self.choices and self.choices == self.ended else events

    def _read_choice(self, choice: Mapping[str, Any], index: int) -> list[ApiDelta]:
        delta = choice.get("delta")
        if is_whole := not (delta and isinstance(delta, dict)):
            delta = object_in(choice, "message")  # also to a streaming request
        events = self._read_delta(delta, index, is_whole=is_whole)
        self.choices.add(index)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.ended.add(index)
            why = read_reason(reason, CHAT_REASONS)
            if index in self.refused and why == "stop":
                why = "content_filter"
            events.append(Finish(why, choice=index))
        return events

    def _read_delta(
        self, delta: Mapping[str, Any], choice: int, *, is_whole: bool
    ) -> list[ApiDelta]:
        events = list[ApiDelta]()
        self.has_role = self.has_role or "role" in delta
        if not _THOUGHT_MEMBERS.isdisjoint(delta):
            events += _read_thought(delta, choice)
        if "content" in delta:
            events += _iterate_content_deltas(delta["content"], choice)
        if "tool_calls" in delta:
            events += self._read_calls(delta["tool_calls"] or [], choice, is_whole=is_whole)
        if _SILENT.issuperset(delta):
            return events
        if any(value for key, value in delta.items() if key not in _SILENT):
            refusal = delta.get("refusal")
            if refusal:
                self.refused.add(choice)
            events.append(OtherDelta(refusal if isinstance(refusal, str) else "", choice))
        return events

    def _read_calls(self, calls: Any, choice: int, *, is_whole: bool) -> list[ApiDelta]:
        events = list[ApiDelta]()
        for position, call in enumerate(calls if isinstance(calls, list) else [calls]):
            match call:
                case {"function": {**function}}:
                    index = position if is_whole else call.get("index")
                    events += self._read_call(call, function, choice, index, position)
                case _:
                    events.append(OtherDelta("", choice, call))
        return events

    def _read_call(
        self,
        call: Mapping[str, Any],
        function: Mapping[Any, Any],
        choice: int,
        index: Any,
        position: int,
    ) -> list[ApiDelta]:
        call_id = str(call.get("id") or "")
        events = list[ApiDelta]()
        key = self._find_key(call_id, bool(function.get("name")), choice, index, position)
        if key not in self.ids:
            self.ids[key] = call_id
            events.append(ToolCallStart(key[1], call_id, as_text(function.get("name")), choice))
        self.last[choice] = key
        if json := as_text(function.get("arguments")):
            events.append(ArgumentsDelta(key[1], json, choice))
        return events

    def _find_key(
        self, call_id: str, is_named: bool, choice: int, index: Any, position: int
    ) -> CallKey:
        """Find the call that a piece belongs to: without an index and a name, the last call."""
        has_index = type(index) is int
        if not (has_index or is_named) and choice in self.last:
            return self.last[choice]
        here = (choice, index if has_index else position)
        key = self.keys.get(here, here)
        is_other = call_id != self.ids.get(key, call_id) if call_id else not has_index
        if is_named and is_other and key in self.ids:
            key = self.keys[here] = (choice, _ANEW + len(self.ids))
        return key

    def split_event(self, event: RawEvent, events: Sequence[ApiDelta]) -> EventParts:
        pieces = list[tuple[RawEvent, list[ApiDelta]]]()
        if any(map(_is_whole, list_in(event.data, "choices"))):
            return [(event, [*events])]
        for choice in list_in(event.data, "choices"):
            for part, index in _iterate_parts_of_choice(choice):
                key = ((choice.get("index") or 0), index) if index is not None else None
                words = [delta for delta in events if getattr(delta, "key", None) == key]
                pieces.append((event.with_data({**event.data, "choices": [part]}), words))
        ends: list[ApiDelta] = [delta for delta in events if isinstance(delta, Finish | StreamEnd)]
        groups = [
            (part, [delta for delta in deltas if delta not in ends]) for part, deltas in pieces
        ]
        if groups:
            groups[-1][1].extend(ends)
        return groups

    def make_writer_like(self, event: RawEvent) -> ChatWriter:
        writer = ChatWriter("")
        writer.head = {k: value for k, value in event.data.items() if k not in ("usage", "choices")}
        writer.started_choices = {0} if self.has_role else set()
        return writer

    def write_end_with_calls(
        self, calls: Sequence[ToolCall], before: str, end: RawEvent
    ) -> list[RawEvent]:
        data = self.make_writer_like(end).write_deltas(iterate_deltas_of_calls(calls, before))
        (choice, *_) = end.data["choices"]
        last = {**choice, "delta": {}, "finish_reason": "tool_calls"}
        return [RawEvent(data), end.with_data({**end.data, "choices": [last]})]

    def replace_calls_at_end(
        self, end: RawEvent, choice: int, text: str, dropped: int, *, has_calls: bool
    ) -> tuple[RawEvent, RawEvent]:
        del dropped  # calls have no place among texts
        writer = self.make_writer_like(end)
        if self.has_role:
            writer.started_choices.add(choice)
        before = RawEvent(b"")
        choices = list[Any]()
        for one in list_in(end.data, "choices"):
            if not isinstance(one, dict) or (one.get("index") or 0) != choice:
                choices.append(one)
                continue
            ended = one if has_calls else _without_call_reason(one)
            if text and _is_whole(one):
                ended = {**ended, "message": _add_text(one["message"], text)}
            elif text:
                before = RawEvent(writer.write_delta(choice, ContentDelta(text)))
            choices.append(ended)
        return before, _with_choices(end, choices)

    def event_without_calls(self, event: RawEvent, dropped: Dropped, notes: Notes) -> RawEvent:
        choices = [
            self._without_calls(choice, dropped, notes) for choice in list_in(event.data, "choices")
        ]
        if not choices or choices == event.data.get("choices"):
            return event
        return event.with_data({**event.data, "choices": choices})

    def _without_calls(self, choice: Any, dropped: Dropped, notes: Notes) -> Any:
        """Remove dropped calls from a choice in a chunk, and renumber the other calls."""
        if not isinstance(choice, dict):
            return choice
        at = choice.get("index") or 0
        indexes = [index for choice_index, index in dropped if choice_index == at]
        if indexes and choice.get("finish_reason"):
            choice = {**choice, "lton": {"notes": list(notes)}}
        is_whole = _is_whole(choice)
        holder = "message" if is_whole else "delta"
        match object_in(choice, holder):
            case {"tool_calls": [*calls], **others} if indexes:
                remaining = list[Any]()
                for position, call in enumerate(calls):
                    is_read = isinstance(call, dict)
                    if (
                        not is_read
                        or self._key_of(call, at, position, is_whole=is_whole) in dropped
                    ):
                        continue
                    index = call.get("index", position)
                    before = sum(dropped_index < index for dropped_index in indexes)
                    remaining.append(call if is_whole else {**call, "index": index - before})
                kept = {} if is_whole and not remaining else {"tool_calls": remaining}
                return {**choice, holder: {**others, **kept}}
        return choice

    def event_with_mended_calls(self, event: RawEvent, calls: MendedCalls) -> RawEvent:
        choices = list_in(event.data, "choices")
        return _with_choices(event, [self._mend_calls(choice, calls) for choice in choices])

    def with_notes(self, event: RawEvent, notes: ChoiceNotes) -> RawEvent:
        return _with_choices(event, [_with_notes(e, notes) for e in list_in(event.data, "choices")])

    # --- answers that do not stream ---------------------------------------------------------------

    def read_whole_answer(self, body: Whole) -> list[WholeChoice]:
        self.usage.update(body.get("usage"))
        choices = enumerate(list_in(body, "choices"))
        return [
            join_choice_deltas(self._read_choice(choice, position))
            for position, choice in choices
            if isinstance(choice, dict)
        ]

    def body_with_calls(self, body: Whole, calls: Sequence[ToolCall], thought: str) -> Whole:
        (choice, *_) = body["choices"]
        tool_calls = [write_call(call) for call in calls]
        message = {**choice["message"], "content": thought or None, "tool_calls": tool_calls}
        new_choice = {**choice, "message": message, "finish_reason": "tool_calls"}
        return {**body, "choices": [new_choice]}

    def body_without_calls(self, body: Whole, dropped: Dropped, notes: Notes) -> Whole:
        new_choices = list[Any]()
        for position, choice in enumerate(body["choices"]):
            dropped_indexes = {index for at, index in dropped if at == position}
            if not dropped_indexes:
                new_choices.append(choice)
                continue
            calls = enumerate(choice["message"]["tool_calls"])
            remaining = [call for index, call in calls if index not in dropped_indexes]
            message = {**choice["message"], "tool_calls": remaining}
            new_choices.append({**choice, "message": message, "lton": {"notes": list(notes)}})
        return {**body, "choices": new_choices}

    def body_with_calls_as_text(self, body: Whole, texts: Mapping[CallKey, str]) -> Whole:
        new_choices = list[Any]()
        for position, choice in enumerate(list_in(body, "choices")):
            own = {call: text for (at, call), text in texts.items() if at == position}
            if not own:
                new_choices.append(choice)
                continue
            calls = enumerate(choice["message"]["tool_calls"])
            remaining = [call for at, call in calls if at not in own]
            message = {k: v for k, v in choice["message"].items() if k != "tool_calls"}
            if remaining:
                message["tool_calls"] = remaining
            if text := "\n".join(filter(None, own.values())):
                message = _add_text(message, text)
            ended = choice if remaining else _without_call_reason(choice)
            new_choices.append({**ended, "message": message})
        return {**body, "choices": new_choices}

    def body_with_mended_calls(self, body: Whole, calls: MendedCalls) -> Whole:
        choices = enumerate(list_in(body, "choices"))
        return {**body, "choices": [self._mend_calls(choice, calls, at) for at, choice in choices]}

    def _mend_calls(self, choice: Any, calls: MendedCalls, at: int | None = None) -> Any:
        """Replace the names and arguments of the calls in a choice."""
        if not isinstance(choice, dict):
            return choice
        at = (choice.get("index") or 0) if at is None else at
        ours = {key: call for key, call in calls.items() if key[0] == at}
        holder = "delta" if choice.get("delta") else "message"
        message = object_in(choice, holder)
        tool_calls = list_in(message, "tool_calls")
        if not (ours and tool_calls):
            return choice
        is_whole = holder == "message"
        pairs = zip(
            tool_calls, self._match_calls(tool_calls, ours, at, is_whole=is_whole), strict=True
        )
        mended = [
            _mended_call(call, own, is_whole=is_whole) if own else call for call, own in pairs
        ]
        return {**choice, holder: {**message, "tool_calls": mended}}

    def _match_calls(
        self, tool_calls: Sequence[Any], ours: MendedCalls, at: int, *, is_whole: bool
    ) -> list[MendedJson | None]:
        """Return what replaces each call of a choice, or None for a call that stays."""
        if len(tool_calls) == len(ours) == 1:  # some servers give each call the index 0
            return [*ours.values()]
        keys = (
            self._key_of(call, at, position, is_whole=is_whole)
            for position, call in enumerate(tool_calls)
        )
        return [ours.get(key) for key in keys]

    def _key_of(self, call: Any, at: int, position: int, *, is_whole: bool) -> CallKey:
        """Return the key that a call in an event got when it was read."""
        fields = call if isinstance(call, dict) else {}
        index = position if is_whole else fields.get("index", position)
        if call_id := fields.get("id"):
            keys = (key for key, value in self.ids.items() if key[0] == at and value == call_id)
            return next(keys, (at, index))
        return self.keys.get((at, index), (at, index))

    def body_with_notes(self, body: Whole, notes: ChoiceNotes) -> Whole:
        choices = enumerate(list_in(body, "choices"))
        return {**body, "choices": [_with_notes(choice, notes, at) for at, choice in choices]}


def _is_whole(choice: Any) -> bool:
    """Return whether a server has sent a complete choice in an event of a stream."""
    return isinstance(choice, dict) and not choice.get("delta") and bool(choice.get("message"))


def _with_choices(event: RawEvent, choices: list[Any]) -> RawEvent:
    if choices == list_in(event.data, "choices"):
        return event
    return event.with_data({**event.data, "choices": choices})


def _without_call_reason(choice: Mapping[str, Any]) -> dict[str, Any]:
    """Let a choice without calls end as a text does."""
    reason = choice.get("finish_reason")
    is_plain = isinstance(reason, str) and read_reason(reason, CHAT_REASONS) == "stop"
    return {**choice, "finish_reason": "stop"} if is_plain else {**choice}


def _add_text(message: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Add a text on a line of its own to the content of a message."""
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [*content, {"type": "text", "text": text}]}
    return {**message, "content": f"{content}\n{text}" if content else text}


def _mended_call(call: Any, mended: MendedJson, *, is_whole: bool) -> Any:
    function = {**object_in(call, "function")}
    if function.get("name"):
        function["name"] = mended.name
    arguments = function.get("arguments")
    if arguments and not isinstance(arguments, str):  # some servers send an object
        function["arguments"] = json.loads(mended.arguments)
    elif arguments:
        function["arguments"] = mended.arguments if is_whole else mended.piece
    return {**call, "function": function}


def _with_notes(choice: Any, notes: ChoiceNotes, at: int | None = None) -> Any:
    if not isinstance(choice, dict) or (at is None and not choice.get("finish_reason")):
        return choice
    choice_notes = notes.get((choice.get("index") or 0) if at is None else at)
    return {**choice, "lton": {"notes": list(choice_notes)}} if choice_notes else choice


def _read_thought(delta: Mapping[str, Any], choice: int) -> list[ThoughtDelta]:
    for key in _THOUGHTS:
        thought = delta.get(key)
        if isinstance(thought, str) and thought:
            return [ThoughtDelta(thought, choice)]
    return [
        ThoughtDelta(detail, choice) for detail in _iterate_texts_of_details(delta.get(_DETAILS))
    ]


def _iterate_content_deltas(content: Any, choice: int) -> Iterator[ApiDelta]:
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
                yield ThoughtDelta(
                    "".join(_iterate_texts_of_thoughts(part.get("thinking"))), choice
                )
            case _:
                yield OtherDelta(as_text(part), choice)


def _iterate_texts_of_details(details: Any) -> Iterator[str]:
    """Yield the texts and summaries of thoughts. Encrypted thoughts have no text."""
    for detail in details if isinstance(details, list) else ():
        match detail:
            case {"text": str(text)} | {"summary": str(text)} if text:
                yield text


def _iterate_texts_of_thoughts(thoughts: Any) -> Iterator[str]:
    for thought in thoughts if isinstance(thoughts, list) else [thoughts]:
        match thought:
            case {"text": str(text)} | str(text):
                yield text


def _iterate_parts_of_choice(choice: Any) -> Iterator[tuple[dict[str, Any], int | None]]:
    """Split a choice in a chunk into its text, its calls (each with its index), and its end."""
    if not isinstance(choice, dict):
        return
    delta = choice.get("delta")
    delta = delta if isinstance(delta, dict) else {}
    plain = {**choice, "finish_reason": None}
    if others := {key: value for key, value in delta.items() if key != "tool_calls"}:
        yield {**plain, "delta": others}, None
    for position, call in enumerate(list_in(delta, "tool_calls")):
        if isinstance(call, dict):
            index = call.get("index", position)
            yield {**plain, "delta": {"tool_calls": [{**call, "index": index}]}}, index
    if choice.get("finish_reason"):
        yield {**choice, "delta": {}}, None
