"""Read answers of Gemini's API, and write calls in its format.

An event of a stream has the form of a whole answer. Calls have no index in this API: here, the
calls of a candidate are counted.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lton._json import minified
from lton.apis.answer_usage import AnswerUsage
from lton.apis.answers import (
    AnswerReader,
    ChoiceNotes,
    Dropped,
    EventParts,
    MendedCalls,
    Notes,
    Whole,
    WholeChoice,
    iterate_deltas_of_calls,
    join_choice_deltas,
)
from lton.apis.endings import read_reason
from lton.apis.gemini.writer import GeminiWriter, write_call
from lton.apis.json_members import as_text, list_in, object_in
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
    ThoughtDelta,
    ToolCallStart,
)

REASONS: Mapping[str, str] = {
    "stop": "stop",
    "max_tokens": "length",
    **dict.fromkeys(
        "safety recitation language blocklist prohibited_content spii image_safety".split(),
        "content_filter",
    ),
}
"""The finish reasons of the API, in small letters."""
_Candidate = Mapping[str, Any]


class GeminiReader(AnswerReader):
    """Reads answers of Gemini's API."""

    may_be_empty = has_places = False

    def __init__(self) -> None:
        self.usage = AnswerUsage()
        self.choices: set[int] = set()
        self.ended: set[int] = set()  # the choices that have ended
        self._counts = Counter[int]()  # the calls of each choice
        self._calls: list[tuple[Any, CallKey]] = []  # the parts with calls, which are objects

    def read_deltas(self, event: RawEvent) -> list[ApiDelta]:
        data = event.data
        if data.get("error") is not None:
            return [StreamEnd()]
        self.usage.update(data.get("usageMetadata"))
        if object_in(data, "promptFeedback").get("blockReason"):
            return [Finish("content_filter"), StreamEnd()]
        deltas = list[ApiDelta]()
        for candidate in _candidates_in(data):
            deltas += self._iterate_candidate_deltas(candidate)
        if self.choices and self.choices == self.ended:
            deltas.append(StreamEnd())
        return deltas

    def _iterate_candidate_deltas(self, candidate: _Candidate) -> Iterator[ApiDelta]:
        choice = _index_of(candidate)
        self.choices.add(choice)
        for part in _parts_of(candidate):
            yield from self._iterate_part_deltas(part, choice)
        reason = candidate.get("finishReason")
        if isinstance(reason, str) and reason:
            self.ended.add(choice)
            yield Finish(read_reason(reason, REASONS), choice=choice)

    def _iterate_part_deltas(self, part: Any, choice: int) -> Iterator[ApiDelta]:
        match part:
            case {"functionCall": {**call}}:
                index = self._counts[choice]
                self._counts[choice] += 1
                self._calls.append((part, (choice, index)))
                call_id = str(call.get("id") or "")
                yield ToolCallStart(index, call_id, as_text(call.get("name")), choice)
                yield ArgumentsDelta(index, minified(call.get("args") or {}), choice)
                yield CallBoundary(index, choice)
            case {"text": str(text), "thought": True}:
                yield ThoughtDelta(text, choice)
            case {"text": str(text)} if text:
                yield ContentDelta(text, choice)
            case {"text": ""}:  # with the signature of an answer
                yield ThoughtDelta("", choice)
            case _:
                yield OtherDelta("", choice)

    def split_event(self, event: RawEvent, events: Sequence[ApiDelta]) -> EventParts:
        pieces: EventParts = []
        waiting: list[ApiDelta] = [
            delta for delta in events if not isinstance(delta, Finish | StreamEnd)
        ]
        for candidate in _candidates_in(event.data):
            for part in _parts_of(candidate):
                size = 3 if self._find_key_of_part(part) else 1
                alone = _without_end(_with_parts(candidate, [part]))
                pieces.append((_with_candidates(event, [alone]), waiting[:size]))
                waiting = waiting[size:]
        ends = [delta for delta in events if isinstance(delta, Finish | StreamEnd)]
        if ends:
            last = [_with_parts(candidate, []) for candidate in _candidates_in(event.data)]
            pieces.append((_with_candidates(event, last), [*ends]))
        return pieces

    def make_writer_like(self, event: RawEvent) -> GeminiWriter:
        writer = GeminiWriter()
        written_keys = ("candidates", "usageMetadata")
        writer.head = {key: value for key, value in event.data.items() if key not in written_keys}
        return writer

    def write_end_with_calls(
        self, calls: Sequence[ToolCall], before: str, end: RawEvent
    ) -> list[RawEvent]:
        data = self.make_writer_like(end).write_deltas(iterate_deltas_of_calls(calls, before))
        last = [_with_parts(candidate, []) for candidate in _candidates_in(end.data)]
        return [RawEvent(data), _with_candidates(end, last)]

    def event_without_calls(self, event: RawEvent, dropped: Dropped, notes: Notes) -> RawEvent:
        ends = notes and any(
            candidate.get("finishReason") for candidate in _candidates_in(event.data)
        )
        added = {"lton": {"notes": [*notes]}} if ends else {}
        return self._with_changed_parts(
            event, lambda part: None if self._find_key_of_part(part) in dropped else part, added
        )

    def event_with_mended_calls(self, event: RawEvent, calls: MendedCalls) -> RawEvent:
        return self._with_changed_parts(event, lambda part: self._mend_part(part, calls), {})

    def _mend_part(self, part: Any, calls: MendedCalls) -> Any:
        key = self._find_key_of_part(part)
        if key is None or key not in calls:
            return part
        mended = calls[key]
        call = {**part["functionCall"], "name": mended.name, "args": json.loads(mended.arguments)}
        return {**part, "functionCall": call}

    def with_notes(self, event: RawEvent, notes: ChoiceNotes) -> RawEvent:
        candidates = [
            _with_notes(candidate, notes) if candidate.get("finishReason") else candidate
            for candidate in _candidates_in(event.data)
        ]
        return _with_candidates(event, candidates)

    def _with_changed_parts(
        self, event: RawEvent, change: Callable[[Any], Any], more: Mapping[str, Any]
    ) -> RawEvent:
        candidates = list[_Candidate]()
        for candidate in _candidates_in(event.data):
            changed = [new for part in _parts_of(candidate) if (new := change(part)) is not None]
            is_same = changed == _parts_of(candidate)
            candidates.append(
                {**(candidate if is_same else _with_parts(candidate, changed)), **more}
            )
        return _with_candidates(event, candidates)

    def _find_key_of_part(self, part: Any) -> CallKey | None:
        return next((key for call_part, key in self._calls if call_part is part), None)

    # --- answers that do not stream ---------------------------------------------------------------

    def read_whole_answer(self, body: Whole) -> list[WholeChoice]:
        self.usage.update(body.get("usageMetadata"))
        if object_in(body, "promptFeedback").get("blockReason"):
            return [WholeChoice()]
        return [
            join_choice_deltas(self._iterate_candidate_deltas(candidate))
            for candidate in _candidates_in(body)
        ]

    def body_with_calls(self, body: Whole, calls: Sequence[ToolCall], thought: str) -> Whole:
        (candidate, *_) = _candidates_in(body)
        before = [{"text": thought}] if thought else []
        parts = [*before, *map(write_call, calls)]
        return {**body, "candidates": [_with_parts(candidate, parts)]}

    def body_without_calls(self, body: Whole, dropped: Dropped, notes: Notes) -> Whole:
        changed_choices = {choice for choice, _ in dropped}
        candidates = list[_Candidate]()
        for candidate in _candidates_in(body):
            if _index_of(candidate) not in changed_choices:
                candidates.append(candidate)
                continue
            parts = [
                part for part in _parts_of(candidate) if self._find_key_of_part(part) not in dropped
            ]
            candidates.append({**_with_parts(candidate, parts), "lton": {"notes": [*notes]}})
        return {**body, "candidates": candidates}

    def body_with_mended_calls(self, body: Whole, calls: MendedCalls) -> Whole:
        candidates = [
            _with_parts(candidate, [self._mend_part(part, calls) for part in _parts_of(candidate)])
            for candidate in _candidates_in(body)
        ]
        return {**body, "candidates": candidates}

    def body_with_notes(self, body: Whole, notes: ChoiceNotes) -> Whole:
        return {
            **body,
            "candidates": [_with_notes(candidate, notes) for candidate in _candidates_in(body)],
        }


def _candidates_in(data: Mapping[str, Any]) -> list[_Candidate]:
    return [candidate for candidate in list_in(data, "candidates") if isinstance(candidate, dict)]


def _index_of(candidate: _Candidate) -> int:
    index = candidate.get("index")
    return index if type(index) is int else 0


def _parts_of(candidate: _Candidate) -> list[Any]:
    return list_in(object_in(candidate, "content"), "parts")


def _with_parts(candidate: _Candidate, parts: Sequence[Any]) -> dict[str, Any]:
    content = {**object_in(candidate, "content"), "parts": [*parts]}
    return {**candidate, "content": content}


def _without_end(candidate: _Candidate) -> dict[str, Any]:
    return {key: value for key, value in candidate.items() if key != "finishReason"}


def _with_candidates(event: RawEvent, candidates: Sequence[_Candidate]) -> RawEvent:
    if candidates == _candidates_in(event.data):
        return event
    return event.with_data({**event.data, "candidates": [*candidates]})


def _with_notes(candidate: _Candidate, notes: ChoiceNotes) -> _Candidate:
    choice_notes = notes.get(_index_of(candidate))
    return {**candidate, "lton": {"notes": [*choice_notes]}} if choice_notes else candidate
