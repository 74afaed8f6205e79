"""The exchange of one request with native calls: its answer passes through event by event.

A text is held while it may be only a call, and then sent as that call. Prose passes on, except an
end that may be a call. Repeated calls are dropped. Everything else passes through byte for byte.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from lton._json import minified
from lton.apis.answers import WholeChoice, with_text
from lton.apis.members import read_object
from lton.apis.readers import READERS
from lton.apis.sse import EventCutter, RawEvent, read_event
from lton.apis.usage import as_openai
from lton.chat.deltas import (
    ApiDelta,
    CallKey,
    ContentDelta,
    Finish,
    OtherDelta,
    StreamEnd,
    TextBoundary,
    ThoughtDelta,
    ToolCallStart,
)
from lton.chat.repeats import GivenCalls
from lton.errors import ConversionError
from lton.gateway.apis.protocol import EMPTY, RefusedError, broken_off, odd_event
from lton.gateway.apis.replies import LoopDetector, looped, notes_of
from lton.gateway.native.deduplicate import NativeCall, Once, repeated
from lton.gateway.native.requests import NativeRequest
from lton.gateway.native.rescues import Rescue, held_text, rescued, schema_fit
from lton.tokens.usage import ReportedUsage

MAX_HELD = 8 * 1024 * 1024
"""Bytes of held events; a longer text is not a call."""
_Held: TypeAlias = tuple[RawEvent, list[ApiDelta]]


class NativeExchange:
    """The exchange of a request: `receive` takes chunks of a stream, `response` a whole answer."""

    dropped: Sequence[str] = ()
    """The fields that the server is not sent, by name."""

    def __init__(self, native: NativeRequest) -> None:
        self.native = native
        self.reader = READERS[native.api](native.namespaces)
        self.once = Once(self.reader, repeat=native.allowed.repeat)
        self.cutter = EventCutter()
        self.rescue: Rescue | None = None
        self.streamed = native.streamed
        self.texts: list[str] = []
        """The text so far."""
        self.calls: list[NativeCall] = []
        """The calls of an answer that does not stream."""
        self.notes: list[Mapping[str, Any]] = self.once.notes
        """Notes about what was left out."""
        self._out: list[bytes] = []
        self._held: list[_Held] = []
        self._size = self._held_text = 0
        self._is_watched = native.can_rescue
        """Whether text that may be a call is held."""
        self._watch = held_text(native.allowed)
        self._has_ended = False
        """Whether the first text has ended: another text does not belong to it."""
        self._loop = LoopDetector() if native.is_single else None
        self._is_looping = False
        self._has_said = self._is_over = False
        self._waits = not self.reader.may_be_empty
        """Whether nothing is sent yet: an empty answer is asked for again."""
        self._has_passed = False
        """Whether the client has received anything."""
        self.is_last = self.is_done = False
        """Whether the last event was sent, and whether the rest of the stream is useless."""
        self._spent: list[ReportedUsage] = []
        """The tokens of earlier, empty answers."""

    @property
    def content(self) -> bytes:
        """The body for the upstream."""
        return self.native.content

    def total_usage(self) -> dict[str, Any]:
        """Return the tokens of the answer in OpenAI's format."""
        return as_openai([*self._spent, self.reader.usage.read()])

    @property
    def held_text(self) -> int:
        """The characters in which a call may still be found."""
        is_held = self._is_watched and self._watch.held
        return sum(map(len, self.texts)) if is_held else 0

    @property
    def checks(self) -> list[tuple[str, str]]:
        """The native calls that the client was given, each with its `schema_fit`."""
        tools = self.native.allowed.tools
        calls = [*self.once.calls.values(), *self.calls]
        return [
            (each.start.name, schema_fit(each.start.name, each.arguments, tools)) for each in calls
        ]

    def asked_again(self) -> "NativeExchange | None":
        """Return an exchange that asks once more; None if this was the second, or the client has
        received some of the answer.
        """
        if self._spent or self._has_passed:
            return None
        again = NativeExchange(self.native)
        again._spent = [self.reader.usage.read()]
        return again

    # --- an answer that streams -------------------------------------------------------------------

    def receive(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what the client is sent after a chunk.

        Raises `RefusedError`, 502, for an invalid answer, after what came before it.
        """
        try:
            for event in self.cutter.feed(chunk):
                self._event(event)
                if self.is_done:
                    break
        except ConversionError as error:
            raise odd_event(error) from None
        finally:
            if written := self._written():
                yield written

    def finish(self) -> bytes:
        """Return the end of the client's stream. Raises `RefusedError` if it broke off."""
        try:
            # What no empty line ends goes on only if it is a whole event, and is ended here: else
            # what follows, as an error, would be a part of its last line.
            rest = b"" if self.is_done else self.cutter.rest
            if rest and ((event := read_event(rest)).data or event.is_done):
                self._event(replace(event, raw=rest + b"\n\n"))
        except ConversionError as error:
            raise odd_event(error) from None
        if not self._is_over:
            self._waits = False
            raise broken_off()
        self._free()
        return self._written()

    def fail(self, refusal: RefusedError) -> bytes:
        """Return the end of the client's stream after an error."""
        self._free()
        self._waits = False
        return self._written() + self.reader.fail(refusal.body)

    def received_text(self) -> str:
        """Return the text received before an answer broke off."""
        return "".join(self.texts)

    def _written(self) -> bytes:
        if self._waits:
            return b""
        out, self._out = b"".join(self._out), []
        self._has_passed = self._has_passed or bool(out)
        return out

    def _event(self, event: RawEvent) -> None:
        events = self.reader.read(event)
        for each in events:
            self._look(each)
        # After its end a chat says what it cost.
        self.is_last = event.is_done or (self._is_over and self.native.api != "chat")
        if self.rescue and self.reader.has_places and _length(events):
            # An answer that came whole has no events between which a call could be.
            self.rescue, self._is_watched = None, False
        if self._is_watched and self.rescue:
            self._held.append((event, events))
            self._out += [each.raw for each in self._with_calls(self.rescue)]
            self._held, self._is_watched, self._waits = [], False, False
        elif self._is_watched and (
            self._held or self._watch.held or (not self._watch.is_open and _is_text(events))
        ):
            self._held.append((event, events))
            self._size += len(event.raw)
            self._held_text += _length(events)
            if self._size > MAX_HELD:
                self._is_watched = False
            elif self._watch.is_open:
                self._pass_prose()
        else:
            if self._held:
                self._free()
            self._pass(event, events)
        if self._is_looping and not self._is_over:
            self._cut(event)

    def _look(self, event: ApiDelta) -> None:
        """Update the state with a delta."""
        match event:
            case ContentDelta(text):
                self.texts.append(text)
                self._has_said = self._has_said or not text.isspace()
                self._waits = self._waits and not self._has_said
                self._is_looping = self._loop is not None and self._loop.feed(text)
                if self._is_watched:
                    self._watch.feed(text)
                    is_other = self._watch.is_open and self._has_ended
                    self._is_watched = not (self._watch.is_over or is_other)
            case TextBoundary():
                self._has_ended = bool(self.texts)
            case ToolCallStart() | OtherDelta():
                self._has_said, self._is_watched = True, False
            case ThoughtDelta(text):
                self._waits = self._waits and not text
                self._is_looping = self._loop is not None and self._loop.feed(text)
                self._is_watched = self._is_watched and not self.texts
            case Finish(reason) if self._is_watched:
                if reason == "stop" and self._watch.held:
                    self.rescue = rescued("".join(self.texts), self.native.allowed)
                self._is_watched = self.rescue is not None
            case StreamEnd():
                self._is_over = True

    def _pass_prose(self) -> None:
        """Release held events, up to where a call may begin."""
        while (
            self._held
            and (length := _length(self._held[0][1])) <= self._held_text - self._watch.held
        ):
            event, events = self._held.pop(0)
            self._size -= len(event.raw)
            self._held_text -= length
            self._pass(event, events)

    def _with_calls(self, rescue: Rescue) -> Iterator[RawEvent]:
        """Yield the held events with calls instead of their text; the last event is the end."""
        (end, said), before, text = self._held.pop(), rescue.before, "".join(self.texts)
        given = len(text) - self._held_text - _length(said)
        if not (before and self.reader.has_places):
            yield from self.reader.with_calls(rescue.calls, before[given:], end)
            return
        for event, events in self._held:
            piece = text[given : given + _length(events)]
            given += len(piece)
            kept = before[given - len(piece) : given]
            if kept:
                yield with_text(event, piece, kept)
            elif not piece:
                yield with_text(event, text, before)
        yield from self.reader.with_calls(rescue.calls, before, with_text(end, text, before))

    def _cut(self, event: RawEvent) -> None:
        """End the answer as a limit of its server would."""
        self._is_watched = False
        self._free()
        end = Finish("length", looped("".join(self.texts)))
        self.notes += notes_of(end)
        self._out += [each.raw for each in self.reader.cut(event, self.notes)]
        self._is_over = self.is_last = self.is_done = True

    def _free(self) -> None:
        """Release all held events."""
        held, self._held, self._held_text = self._held, [], 0
        for each in held:
            self._pass(*each)

    def _pass(self, event: RawEvent, events: list[ApiDelta]) -> None:
        if (
            not (self._has_said or self.reader.may_be_empty)
            and StreamEnd() in events
            and any(isinstance(each, Finish) and each.reason == "stop" for each in events)
        ):
            raise _nothing()
        self._waits = self._waits and not (self._has_said or self._is_over)
        self._out += [each.raw for each in self.once.feed(event, events)]

    # --- an answer that does not ------------------------------------------------------------------

    def response(self, data: bytes) -> bytes:
        """Return an answer that does not stream, unchanged unless calls are rescued or dropped.

        Raises `RefusedError`, 502, for an invalid answer.
        """
        try:
            found = read_object(data)
        except ConversionError as error:
            raise odd_event(error) from None
        choices = self.reader.whole(found)
        self.texts = ["".join(each.text for each in choices)]
        if not choices:
            raise RefusedError(502, "the upstream's answer has no choice", "upstream_error")
        if self._says_nothing(choices):
            raise _nothing()
        body: Mapping[str, Any] = found
        self.rescue = self._rescued(choices)
        if self.rescue:
            body = self.reader.whole_with_calls(body, self.rescue.calls, self.rescue.before)
        elif dropped := self._dropped(choices):
            body = self.reader.whole_without(body, dropped, self.notes)
        return data if body is found else minified(body).encode(errors="replace")

    def _says_nothing(self, choices: list[WholeChoice]) -> bool:
        return not self.reader.may_be_empty and all(
            each.is_plain and not (each.text.strip() or each.calls or each.has_more)
            for each in choices
        )

    def _rescued(self, choices: list[WholeChoice]) -> Rescue | None:
        (choice, *others) = choices
        is_text = choice.is_plain and not (choice.calls or choice.has_more or others)
        can_be = self.native.can_rescue and is_text
        return rescued(choice.text, self.native.allowed) if can_be else None

    def _dropped(self, choices: list[WholeChoice]) -> list[CallKey]:
        """Return the repeated calls; note all others."""
        dropped, given = list[CallKey](), GivenCalls(repeat=self.native.allowed.repeat)
        for choice in choices:
            for start, arguments in choice.calls:
                call = NativeCall(start, [arguments])
                if given.end(start.name, arguments, call.scope):
                    dropped.append(start.key)
                    self.notes += repeated(call)
                else:
                    self.calls.append(call)
        return dropped


def _is_text(events: list[ApiDelta]) -> bool:
    return any(isinstance(each, ContentDelta | TextBoundary) for each in events)


def _length(events: list[ApiDelta]) -> int:
    return sum(len(each.text) for each in events if isinstance(each, ContentDelta))


def _nothing() -> RefusedError:
    return RefusedError(502, "the model said nothing", "upstream_error", code=EMPTY)
