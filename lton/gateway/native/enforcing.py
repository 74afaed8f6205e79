"""Enforce the request and its tools' schemas on an answer with native calls, and note each change.

A call that does not fit is mended (`mending`). If the request allows only one call, the others are
dropped, and an answer without a required call is noted (`required`). A call whose arguments are not
JSON is dropped. If no limit has cut it off, the client gets its text.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lton.apis.answer_notes import AnswerNote, iterate_notes_of_delta
from lton.apis.answers import AnswerReader, MendedCalls, MendedJson
from lton.apis.sse import RawEvent
from lton.chat import ToolCall
from lton.chat.deltas import (
    ApiDelta,
    ArgumentsDelta,
    CallBoundary,
    CallKey,
    ContentDelta,
    Enforcement,
    ExtraCall,
    Finish,
    MendedCall,
    MissingCall,
    OtherDelta,
    StreamEnd,
    ToolCallStart,
)
from lton.gateway.native.mending import CallMender, describe_mended_call, try_mend_native
from lton.gateway.native.native_calls import HeldEvent, NativeCall
from lton.gateway.native.native_requests import NativeRequest
from lton.gateway.native.required import SingleCall, describe_extra_call, report_broken_call
from lton.gateway.native.rescues import Rescue

_CONCERNED = frozenset([ToolCallStart, ArgumentsDelta, CallBoundary, Finish, StreamEnd, OtherDelta])


@dataclass
class WholeCalls:
    """The calls of a complete answer, after mending and without the dropped calls."""

    calls: list[NativeCall]
    mended: MendedCalls
    dropped: list[CallKey]
    broken: list[NativeCall]
    reports: list[Enforcement] = field(default_factory=list)


class Enforced:
    """Changes the events of one answer, and collects the reports about the changes.

    `reader` rewrites the events. Without it, only the deltas count, and no notes are written.
    `all_notes` also gets each note.
    """

    def __init__(
        self, native: NativeRequest, reader: AnswerReader | None, all_notes: list[Any] | None = None
    ) -> None:
        self.allowed = native.allowed
        self.required = native.required
        self.reader = reader
        self.reports: list[Enforcement] = []
        self._all_notes = [] if all_notes is None else all_notes
        self.notes: dict[int, list[AnswerNote]] = {}  # by choice
        self.must_call = native.required is not None and native.retries > 0
        """Whether the answer is held until it has the required call."""
        self.is_missing = native.required is not None  # whether the answer lacks this call
        is_mending = native.mends_streams or not native.streamed
        self.mender = CallMender(self.allowed, reader, self._add_report, is_on=is_mending)
        self.single = SingleCall(
            reader, self._add_report, self.mender.broken, is_on=not self.allowed.parallel
        )
        self._called = set[int]()  # the choices that have a call
        self._passed: dict[CallKey, NativeCall] = {}  # the calls that are passed on
        self.has_text = False  # whether the answer has text
        self._is_noting = is_mending or self.must_call

    @property
    def mended(self) -> list[MendedCall]:
        return [report for report in self.reports if isinstance(report, MendedCall)]

    def must_be_fed(self, deltas: Iterable[ApiDelta]) -> bool:
        """Return whether an event has to be fed, or can be passed on without this class."""
        if self.mender.held_events or self.single.drops_calls:
            return True
        return not _CONCERNED.isdisjoint(map(type, deltas))

    def feed(self, piece: HeldEvent) -> Iterator[HeldEvent]:
        """Add an event and yield the events that can be passed on."""
        return self._iterate_held_events(self.mender.feed(piece))

    def flush(self) -> Iterator[HeldEvent]:
        """Yield the events that are held back, because the calls in them will not end."""
        return self._iterate_held_events(self.mender.flush())

    def take_rescue(self, rescue: Rescue) -> Rescue:
        """Return a rescue, with only its first call if the request allows only one."""
        calls = rescue.calls if self.allowed.parallel else rescue.calls[:1]
        self._note_called(call.name for call in calls)
        for call in rescue.calls[len(calls) :]:
            self._add_report(ExtraCall(ToolCall(call.name, call.written)))
        return replace(rescue, calls=calls)

    def with_notes(self, events: Sequence[RawEvent]) -> list[RawEvent]:
        """Add the notes to the event that ends an answer with rescued calls."""
        return [self._with_notes(event) for event in events]

    def _with_notes(self, event: RawEvent) -> RawEvent:
        return self.reader.with_notes(event, self.notes) if self.reader and self.notes else event

    def add_notes(self, notes: Sequence[AnswerNote]) -> None:
        """Add notes about an answer with one choice."""
        if notes:
            self.notes.setdefault(0, []).extend(notes)
            self._all_notes += notes

    def _iterate_held_events(self, events: Iterable[HeldEvent]) -> Iterator[HeldEvent]:
        for piece in events:
            for event, deltas in self.single.feed(piece):
                for delta in deltas:
                    self._note_delta(delta)
                ends = [delta for delta in deltas if isinstance(delta, Finish)]
                if self._is_noting and any(end.reason == "stop" for end in ends):
                    self._note_missing()
                yield from self._end_choices(event, deltas, ends) if ends else [(event, deltas)]

    def _note_delta(self, delta: ApiDelta) -> None:
        match delta:
            case ArgumentsDelta(json=json, key=key):
                if key in self._passed:
                    self._passed[key].pieces.append(json)
            case ToolCallStart(name=name, choice=choice, key=key):
                self._note_called([name])
                self._called.add(choice)
                if self.reader:
                    self._passed[key] = NativeCall(delta)
            case ContentDelta():
                self.has_text = True
            case OtherDelta():
                self.allow_other()

    def _end_choices(
        self, event: RawEvent, deltas: list[ApiDelta], ends: Iterable[Finish]
    ) -> Iterator[HeldEvent]:
        """Yield the event that ends choices, after the texts of their broken calls."""
        for end in ends:
            passed = [call for call in self._passed.values() if call.is_broken]
            broken = self.broken_calls
            text = self._report_broken_calls(broken, passed, end)
            if text:
                self.has_text = True
                deltas = [ContentDelta(text, end.choice), *deltas]
            if self.reader and broken:
                calls = end.choice in self._called
                dropped = len(self.single.extra) + len(broken)
                before, event = self.reader.replace_calls_at_end(
                    event, end.choice, text, dropped, has_calls=calls
                )
                if before.raw:
                    yield before, []
        yield self._with_notes(event), deltas

    def _report_broken_calls(
        self, dropped: Sequence[NativeCall], passed: Sequence[NativeCall], end: Finish
    ) -> str:
        """Report the broken calls of a choice, and return the text of those that are dropped."""
        for call in (*dropped, *passed):
            if call.start.choice == end.choice:
                self._add_report(report_broken_call(call, end.reason))
        own = [call for call in dropped if call.start.choice == end.choice]
        if end.reason != "stop" or not own:
            return ""
        has_places = self.reader is not None and self.reader.has_places
        space = "\n" if self.has_text and not has_places else ""
        return space + "\n".join(call.to_text() for call in own)

    @property
    def broken_calls(self) -> list[NativeCall]:
        """The calls of a stream that are dropped only because their arguments are not JSON."""
        extra = self.single.extra
        return [call for key, call in self.mender.broken.items() if key not in extra]

    def allow_other(self) -> None:
        """Accept a part of another kind, such as a provider's own call, as a required call."""
        if self.required and self.required.is_any:
            self.is_missing = self.must_call = False

    def _note_called(self, names: Iterable[str]) -> None:
        if self.required and self.required.is_met_by(names):
            self.is_missing = self.must_call = False

    def _note_missing(self) -> None:
        if self.is_missing and self.required:
            self._add_report(MissingCall(self.required.names))

    def _add_report(self, report: Enforcement) -> None:
        self.reports.append(report)
        notes = [*iterate_notes_of_delta(report)]
        self.notes.setdefault(report.choice, []).extend(notes)
        self._all_notes += notes

    # --- an answer that does not stream -----------------------------------------------------------

    def enforce_calls(self, calls: Sequence[NativeCall]) -> WholeCalls:
        """Mend the calls of a complete answer, and keep one if only one is allowed."""
        mended_calls = list[NativeCall]()
        mended = dict[CallKey, MendedJson]()
        reports = list[Enforcement]()
        for call in calls:
            mending = try_mend_native(call, self.allowed)
            if mending is None:
                mended_calls.append(call)
                continue
            reports.append(describe_mended_call(call, mending))
            mended[call.start.key] = MendedJson(name=mending.call.name, arguments=mending.arguments)
            start = replace(call.start, name=mending.call.name)
            mended_calls.append(NativeCall(start, [mending.arguments]))
        remaining, extra = self.single.split_at_first(mended_calls)
        reports += map(describe_extra_call, extra)
        broken = [one_call for one_call in remaining if one_call.is_broken]
        self._note_called(one_call.start.name for one_call in remaining if one_call not in broken)
        dropped = [one_call.start.key for one_call in extra]
        return WholeCalls(remaining, mended, dropped, broken, reports)

    def take_broken_calls(
        self, whole: WholeCalls, reasons: Mapping[int, str]
    ) -> dict[CallKey, str]:
        """Report the broken calls of a complete answer, and return the text of each.

        `reasons` are those for which the choices ended. A call that a limit has cut off has no
        text.
        """
        texts = dict[CallKey, str]()
        for call in whole.broken:
            reason = reasons.get(call.start.choice, "")
            self._add_report(report_broken_call(call, reason))
            texts[call.start.key] = call.to_text() if reason == "stop" else ""
        return texts

    def report_changes(self, whole: WholeCalls, *, is_plain: bool) -> None:
        """Report the changes of a complete answer that the client is given."""
        for report in whole.reports:
            self._add_report(report)
        if is_plain:
            self._note_missing()
