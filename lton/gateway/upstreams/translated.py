"""Handle requests with native calls if the client and the server use different APIs."""

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Any

from lton._json import minified, read_json
from lton.apis.accepted_names import client_names, with_accepted_names
from lton.apis.answer_notes import AssistantMessage
from lton.apis.answers import AnswerWriter, deltas_of
from lton.apis.names import PATHS, ApiName
from lton.apis.readers import READERS
from lton.apis.sse import RawEvent
from lton.chat import (
    ArgumentsDelta,
    ContentDelta,
    Delta,
    Finish,
    Message,
    ThoughtDelta,
    ToolCall,
    ToolCallEnd,
    ToolCallStart,
    new_call_id,
)
from lton.chat.deltas import (
    ApiDelta,
    CallBoundary,
    CallKey,
    MendedCall,
    OtherDelta,
    StreamEnd,
    UnconfirmedCall,
)
from lton.chat.stops import StopTexts
from lton.gateway.apis.choices import Choice
from lton.gateway.apis.client_requests import ClientRequest
from lton.gateway.apis.members import Body
from lton.gateway.apis.refusals import RefusedError, known_reason, odd_answer, unsupported_error
from lton.gateway.exchange import EMPTY_RETRIES, BaseExchange, UpstreamEvent, texts_in
from lton.gateway.native.calls_in_text import CallsInText, TextState, calls_in_thought
from lton.gateway.native.corrections import correction, with_messages
from lton.gateway.native.enforcing import Enforced
from lton.gateway.native.inquiries import Inquiry
from lton.gateway.native.native_calls import CallLoop, HeldEvent, NativeCall
from lton.gateway.native.native_requests import SCHEMA, NativeRequest, functions
from lton.gateway.native.rescues import Rescue, read_calls
from lton.gateway.native.strict import allows_strict
from lton.gateway.upstreams.request_writers import (
    Definition,
    TranslatedRequest,
    dropped_fields,
    request_body,
)

_MOST_STOPS = 16  # the stop sequences in a piece of text at which a call may end
_NO_EVENT = RawEvent(b"")
_UNTRANSLATED = ("logprobs", "top_logprobs", "prediction", "web_search_options", "audio")
_NO_FIELD = (
    "the upstream's answer is translated, and this part of it would be lost. Leave it out, or use a"
    " server that has the API of this client"
)
FORMATS = ("response_format", "text", "output_config", "output_format")


class TranslatedDeltas:
    """Converts a server's deltas, and sends one call at a time.

    A text that is a call up to one of the `stops` is that call.
    """

    def __init__(
        self,
        native: NativeRequest,
        stops: tuple[str, ...] = (),
        names: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.native = native
        self.stops = stops
        self.names = names  # the client's names of tools, by the server's
        self.calls: list[NativeCall] = []  # the complete calls that the client is given
        rescuable = replace(native.allowed, parallel=True)  # `Enforced` drops the extra calls
        self.text = CallsInText(rescuable, can_rescue=native.can_rescue, can_ask=native.can_inquire)
        self._ending = Finish("stop")  # the end of the answer, while the model is asked about it
        self.enforced = Enforced(native, None)
        self._reported = 0  # the reports that the client is given
        self._open: NativeCall | None = None
        self._waiting: deque[NativeCall | Delta] = deque()  # after the open call
        self._waits = False  # whether the open call is known to continue after the waiting ones
        self._begun: dict[CallKey, NativeCall] = {}
        self._thoughts: list[str] = []
        self._loop = CallLoop()
        self.is_looping = False
        self._cut: ToolCall | None = None
        self._index = 0
        self.is_over = False
        self._stop_start = ""  # the end of the text, which may begin a stop sequence

    def of(self, delta: ApiDelta) -> Iterator[Delta]:
        """Convert a delta for the client. Raises `RefusedError` (502) for an invalid call."""
        if self.is_over:
            return
        if isinstance(delta, ToolCallStart):
            delta = replace(delta, name=self.names.get(delta.name, delta.name))
        is_watched = self.text.state is TextState.WATCHED
        match delta:
            case ContentDelta(text) if self.stops and is_watched and not self._open:
                yield from self._watch_text(text)
                return
        yield from self._end_watch()
        match delta:
            case OtherDelta(odd_call=call) if call is not None:
                raise odd_answer("tool_calls", call)
            case ContentDelta(text) | OtherDelta(text) if text and self._open:
                yield from self._after_call(ContentDelta(text))
            case ThoughtDelta(text) if text and self._open:
                yield from self._after_call(ThoughtDelta(text))
            case Finish(reason):
                yield from self._finish(reason)
            case _:
                for event, passed in self.text.feed(_NO_EVENT, [delta]):
                    yield from self._visible_deltas(self.enforced.feed(event, passed))

    def _end_watch(self) -> Iterator[Delta]:
        """Add the text that was held back as the possible start of a stop sequence."""
        held, self._stop_start = self._stop_start, ""
        yield from self._read_text(held)

    def rest(self) -> Iterator[Delta]:
        yield from self._end_watch()
        for event, deltas in self.text.rest():
            yield from self._visible_deltas(self.enforced.feed(event, deltas))
        yield from self._visible_deltas(self.enforced.rest())

    def _visible_deltas(self, events: Iterable[HeldEvent]) -> Iterator[Delta]:
        try:
            for _, deltas in events:
                yield from self._visible(deltas)
        except RefusedError:
            self.enforced.mender.held_events.clear()  # nothing follows an invalid call
            raise
        new = self.enforced.reports[self._reported :]
        self._reported = len(self.enforced.reports)
        yield from new

    def _visible(self, deltas: Iterable[ApiDelta]) -> Iterator[Delta]:
        for delta in deltas:
            match delta:
                case ContentDelta(text) | OtherDelta(text) if text:
                    yield from self._after_call(ContentDelta(text))
                case ThoughtDelta(text) if text:
                    self._thoughts.append(text)
                    yield from self._after_call(ThoughtDelta(text))
                case ToolCallStart():
                    yield from self._start(delta)
                case ArgumentsDelta(json=json):
                    yield from self._go_on(delta.key, json)
                case CallBoundary():
                    yield from self._end(self._begun.get(delta.key))

    def _watch_text(self, text: str) -> Iterator[Delta]:
        """Add text that may be a call, and end the answer if a stop sequence follows the call."""
        text, self._stop_start = self._stop_start + text, ""
        for at, stop in islice(_stops_in(text, self.stops), _MOST_STOPS):
            said = "".join([*self.text.pieces, text[:at]])
            if read_calls(said, self.native.allowed).rescue:
                yield from self._read_text(text[:at])
                yield from self._finish("stop", stop)
                return
        stops = StopTexts(self.stops)
        free = stops.feed(text)
        self._stop_start = stops.held
        yield from self._read_text(text if stops.found else free)

    def _read_text(self, text: str) -> Iterator[Delta]:
        if text:
            for event, passed in self.text.feed(_NO_EVENT, [ContentDelta(text)]):
                yield from self._visible_deltas(self.enforced.feed(event, passed))

    # --- calls ------------------------------------------------------------------------------------

    def _start(self, start: ToolCallStart) -> Iterator[Delta]:
        if not start.name:
            raise odd_answer("tool_calls", {"id": start.id, "name": start.name})
        call = NativeCall(replace(start, id=start.id or new_call_id()))
        self._begun[start.key] = call
        yield from self._after_call(call)

    def _after_call(self, each: NativeCall | Delta) -> Iterator[Delta]:
        """Queue a call or delta until the open call is complete and yield all that is ready."""
        self._waiting.append(each)
        if self._open and not self._waits:
            self._waits = not (self._open.pieces and _is_object(self._open.arguments))
            if not self._waits:
                yield from self._end_call()
        yield from self._next()

    def _next(self) -> Iterator[Delta]:
        """Yield the queued deltas up to the next incomplete call, or none after a loop of calls."""
        while self._waiting and not (self._open or self.is_looping):
            each = self._waiting.popleft()
            if not isinstance(each, NativeCall):
                yield each
                continue
            start = each.start
            self._open = each
            yield ToolCallStart(self._index, start.id, start.name)
            if each.pieces:
                yield ArgumentsDelta(self._index, each.arguments)
            if each.is_over:
                yield from self._end_call()

    def _go_on(self, key: CallKey, json: str) -> Iterator[Delta]:
        call = self._begun.get(key)
        if call is None or (json and call.is_over):
            words = "the upstream continued a call that had ended, or had not begun"
            raise RefusedError(502, words, "upstream_error")
        if json:
            call.pieces.append(json)
            if call is self._open:
                yield ArgumentsDelta(self._index, json)

    def _end(self, call: NativeCall | None) -> Iterator[Delta]:
        if call is not None and call is self._open:
            yield from self._end_call()
            yield from self._next()
        elif call is not None:
            call.is_over = True

    def _end_call(self, *, is_cut: bool = False) -> Iterator[Delta]:
        """Yield the end of the open call. With `is_cut`, a limit may have cut its arguments off."""
        assert self._open is not None
        call = self._open
        self._open = None
        self._waits = False
        call.is_over = True
        written = call.arguments or ("" if is_cut else "{}")
        made = ToolCall(call.start.name, written, call.start.id)
        if not _is_object(written):
            self._cut = made
            self._index += 1
            return
        self.is_looping = self.is_looping or self._loop.feed(call.start.name, written)
        if not call.pieces:
            yield ArgumentsDelta(self._index, written)
        yield ToolCallEnd(self._index, made)
        self._index += 1
        self.calls.append(call)

    def _finish(self, reason: str, stop: str | None = None) -> Iterator[Delta]:
        self.is_over = True
        ended = known_reason(reason)
        self._ending = Finish(ended, stop=stop)
        passed = self.text.feed(_NO_EVENT, [Finish(ended)])
        if self.text.rescue or self.text.state is TextState.ASKED:
            passed = [(_NO_EVENT, [Finish(ended)])]
        for event, deltas in passed:
            yield from self._visible_deltas(self.enforced.feed(event, deltas))
        while self._open:
            yield from self._end_call(is_cut=ended != "stop" and not self._open.is_over)
            yield from self._next()
        if not self.inquiry:
            yield from self._close()

    @property
    def inquiry(self) -> Inquiry | None:
        """The question whether the model meant a call in its text, if that is not clear."""
        return self.text.inquiry

    def settle(self, calls: Sequence[ToolCall]) -> Iterator[Delta]:
        """End the answer with the calls that the model has confirmed, or with the held text."""
        reports = self.text.settle(calls)
        yield from self._close(reports)

    def _close(self, reports: Iterable[UnconfirmedCall] = ()) -> Iterator[Delta]:
        rescue = self.text.rescue
        before = self.text.before
        held = self.text.rest()
        if rescue:
            rescue = self.enforced.take_rescue(rescue)
            self.text.replace_rescue(rescue)
            yield from deltas_of(rescue.calls, before)
        else:
            for _, deltas in held:
                yield from self._visible(deltas)
        if not (self.calls or rescue or "".join(self.text.pieces).strip()):
            yield from calls_in_thought("".join(self._thoughts), self.native.allowed)
        yield from reports
        has_called = self._ending.reason == "stop" and (self.calls or rescue)
        reason = "tool_calls" if has_called else self._ending.reason
        yield Finish(reason, None, self._cut, self._ending.stop)


def _stops_in(text: str, stops: Iterable[str]) -> list[tuple[int, str]]:
    """Return the position of each stop sequence in a text."""
    found = {
        (match.start(), stop) for stop in stops for match in re.finditer(re.escape(stop), text)
    }
    return sorted(found)


def _is_object(text: str) -> bool:
    """Return whether the arguments are complete. Refuse arguments that are not an object."""
    try:
        found = read_json(text)
    except ValueError:
        return False
    if not isinstance(found, dict):
        raise odd_answer("arguments", found)
    return True


@dataclass(frozen=True)
class _AskedAnswer:
    """The first answer, while the model is asked whether it meant a call in its text."""

    choice: Choice
    deltas: TranslatedDeltas
    inquiry: Inquiry


class TranslatedExchange(BaseExchange[Choice]):
    """Translates a request to the server's API, and the answer to the client's API."""

    may_be_empty = True  # the client receives what the server said

    def __init__(
        self,
        request: ClientRequest,
        answer: AnswerWriter,
        native: NativeRequest,
        translated: TranslatedRequest,
        api: ApiName,
        body: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(request, answer)
        if request.n > 1:
            raise unsupported_error("n", "the upstream gives one answer")
        self.path = PATHS[api]
        self.api = api
        self.asked = translated
        self.body = body or request_body(translated, api)
        self.native = replace(native, content=minified(self.body).encode(errors="replace"))
        self.names = client_names((each.name for each in translated.tools), api)
        self._before: tuple[Choice, TranslatedDeltas] | None = None
        self._asked: _AskedAnswer | None = None
        self._begin()

    def _begin(self) -> None:
        self.reader = READERS[self.api](self.native.namespaces)
        self.usages.append(self.reader.usage)
        self.translated = TranslatedDeltas(self.native, self.request.stop, self.names)
        choice = Choice(replace(self.request, answer=""))
        choice.holds_calls = self.turns < self.native.retries
        choice.holds_text = self._lacked_call or self.translated.enforced.must_call
        self.choices = [choice]
        self.is_done = self.is_whole = False

    @property
    def _lacked_call(self) -> bool:
        """Whether the earlier answer lacked a required call."""
        return self._before is not None and self._before[1].enforced.is_missing

    @property
    def mended(self) -> list[MendedCall]:
        return self.translated.enforced.mended

    @property
    def rescue(self) -> Rescue | None:
        return self.translated.text.rescue

    @property
    def notes(self) -> list[dict[str, Any]]:
        return self.choices[0].notes

    @property
    def prompt(self) -> list[tuple[str, str]]:
        """The roles and the text of the request's parts, with tool definitions as JSON."""
        tools = [("system", minified(self.body["tools"]))] if self.body.get("tools") else []
        said = ((each.role, "\n".join(texts_in(each))) for each in self.request.messages)
        return [*tools, *said]

    @property
    def dropped(self) -> Sequence[str]:
        """The names of the client's fields that the server's API does not have."""
        given = (each for each, _ in functions(self.native.body.get("tools"), self.native.api))
        return dropped_fields(self.asked, self.api, self.body, given)

    @property
    def given(self) -> list[NativeCall]:
        """The native calls that were sent to the client."""
        return self.translated.calls

    def next_request(self) -> Mapping[str, Any] | None:
        """Return the next request to the server, or None if the answer is complete."""
        if self._asked:
            self._settle(self._asked)
            return None
        if self.turns:
            (choice,) = self.choices
            if not self.translated.is_over:  # a stop sequence ended it
                choice.add(self.translated.of(Finish("stop")))
            if inquiry := self.translated.inquiry:
                self.body = {**self.body, **inquiry.body(self.body, self.api)}
                self._asked = _AskedAnswer(choice, self.translated, inquiry)
                self._begin()
                self.turns += 1
                return self.body
            more: tuple[Message, ...] = ()
            if self.turns <= self.native.retries:
                more = correction(self.translated.calls, self.native.allowed)
                more = more or self._reminder()
            is_first = self.turns <= EMPTY_RETRIES
            is_empty = choice.empty_error and self.native.drops_calls and is_first
            if choice.is_partly_sent or not (is_empty or more):
                if not (self._lacked_call and self._reminder() and self.recover()):
                    choice.holds_calls = choice.holds_text = False
                return None
            if more:
                said = [*with_accepted_names(more, self.api)]
                self.body = with_messages(self.body, said, self.api)
                self._before = choice, self.translated
            self._begin()
        self.turns += 1
        return self.body

    def _settle(self, asked: "_AskedAnswer") -> None:
        """End the first answer with the calls of the second one, if they are certain."""
        (second,) = self.choices
        calls = AssistantMessage.of(second.deltas).calls
        allowed = self.native.allowed
        is_meant = not second.empty_error and asked.inquiry.accepts(calls, allowed)
        self._end_first(asked, calls if is_meant else ())

    def _end_first(self, asked: "_AskedAnswer", calls: Sequence[ToolCall]) -> None:
        self.choices = [asked.choice]
        self.translated = asked.deltas
        asked.choice.add(asked.deltas.settle(calls))
        asked.choice.holds_calls = asked.choice.holds_text = False
        self._asked = None

    def recover(self) -> bool:
        if self._asked:
            self._end_first(self._asked, ())
            return True
        if self._before is None or self.choices[0].is_partly_sent:
            return False
        choice, self.translated = self._before
        choice.holds_calls = choice.holds_text = False
        self.choices = [choice]
        return True

    def _reminder(self) -> tuple[Message, ...]:
        """Return messages that ask for the required call, or () if nothing is missing."""
        (choice,) = self.choices
        enforced = self.translated.enforced
        required = self.native.required
        is_plain = AssistantMessage.of(choice.deltas).reason in ("stop", "tool_calls")
        if required is None or not (enforced.is_missing and is_plain):
            return ()
        return required.reminder(self.translated.calls, choice.text)

    def receive(self, event: UpstreamEvent) -> bytes:
        (choice,) = self.choices
        wrote = ""
        deltas = self.reader.read(RawEvent(b"", data=event, is_done=not event))
        self.is_whole = not event or StreamEnd() in deltas
        # In chat, the usage follows the end.
        self.is_done = self.is_whole and self.api != "chat"
        for each in deltas:
            choice.add(self.translated.of(each))
            wrote += each.text if isinstance(each, ContentDelta | ThoughtDelta) else ""
        choice.pieces.append(wrote)
        choice.holds_text = choice.holds_text and self.translated.enforced.is_missing
        choice.has_looped = choice.has_looped or self.translated.is_looping
        if not self.translated.is_over and choice.detect_loop(wrote):
            choice.add(self.translated.of(Finish("length")))
        self.is_done = self.is_done or choice.is_over or choice.has_looped
        # Hold the end: after an empty or wrong answer the model is asked again.
        is_shown = self.streamed and not self.translated.is_over and self._asked is None
        return self.take_written() if is_shown else b""

    def flush(self) -> None:
        self.choices[0].add(self.translated.rest())


# --- requests -------------------------------------------------------------------------------------


def plain(body: Body, api: ApiName) -> dict[str, Any]:
    """Convert all tools in a body to functions and remove formats. Raises `RefusedError`."""
    _refuse_untranslated(body)
    made = {key: each for key, each in body.items() if key not in FORMATS}
    tools = body.get("tools")
    shown = list[dict[str, Any]]()
    if not isinstance(tools, list):
        return made
    for index, tool in enumerate(tools):
        shown += _functions_of(tool, index, api)
    ((name, count),) = Counter(each["name"] for each in shown).most_common(1) or [("", 0)]
    if count > 1:
        raise RefusedError(400, f"tools: two have the name {name!r}", param="tools")
    if api == "chat":
        shown = [{"type": "function", "function": each} for each in shown]
    return {**made, "tools": shown}


def _refuse_untranslated(body: Body) -> None:
    """Raise `RefusedError` for a field that asks for something that no translated answer has."""
    for param in _UNTRANSLATED:
        if body.get(param):
            raise unsupported_error(param, _NO_FIELD)
    modalities = body.get("modalities")
    if isinstance(modalities, list) and set(map(str, modalities)) - {"text"}:
        raise unsupported_error("modalities", _NO_FIELD)


def _functions_of(tool: Any, index: int, api: ApiName) -> list[dict[str, Any]]:
    found = [dict(each) for each, _ in functions([tool], api)]
    inner, kind = (tool.get("tools"), tool.get("type")) if isinstance(tool, dict) else (None, tool)
    count = len(inner) if isinstance(inner, list) and kind == "namespace" else 1
    if len(found) < count:
        words = f"{kind!r} is not a function, and the upstream's API differs from the client's"
        words += f": use a server that has {PATHS[api]}, to which it passes unchanged"
        raise unsupported_error(f"tools[{index}].type", words)
    return found


def translated_request(
    request: ClientRequest, body: Body, api: ApiName, *, strict: bool = False
) -> TranslatedRequest:
    """Add the fields of the original `body` that `ClientRequest` lacks."""
    tools = tuple(
        _definition(each, api, strict=strict) for each, _ in functions(body.get("tools"), api)
    )
    return TranslatedRequest(
        request=request, tools=tools, format=_format(body), effort=_effort(body)
    )


def _definition(function: Mapping[str, Any], api: ApiName, *, strict: bool) -> Definition:
    schema = function.get(SCHEMA[api])
    is_strict = function.get("strict")
    if strict and is_strict is None and allows_strict(schema, "messages"):
        is_strict = True
    description = function.get("description")
    return Definition(
        name=function["name"],
        description=description if isinstance(description, str) else None,
        parameters=schema if isinstance(schema, dict) else None,
        strict=is_strict if isinstance(is_strict, bool) else None,
    )


def _format(body: Body) -> Mapping[str, Any] | None:
    match body:
        case {"response_format": {"type": "json_schema", "json_schema": dict(schema)}}:
            return {"type": "json_schema", **schema}
        case {"response_format": {"type": "json_object"}}:
            return {"type": "json_object"}
        case {"text": {"format": {"type": "json_schema" | "json_object"} as form}}:
            return dict(form)
        case {"output_config": {"format": {"type": "json_schema", "schema": schema}}}:
            return {"type": "json_schema", "name": "answer", "schema": schema}
    return None


def _effort(body: Body) -> str | None:
    match body:
        case (
            {"reasoning_effort": str(effort)}
            | {"reasoning": {"effort": str(effort)}}
            | {"output_config": {"effort": str(effort)}}
        ):
            return effort
    return None
