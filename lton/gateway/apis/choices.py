"""Convert a model's answer for the client: cut it at stop sequences, and send JSON as content."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from lton._json import read_json
from lton.apis.answer_notes import AnswerNote, AssistantMessage, iterate_notes_of_delta
from lton.apis.answers import AnswerWriter
from lton.apis.client_requests import ClientRequest
from lton.apis.refusals import EMPTY, RefusedError, make_odd_answer_error, require_known_reason
from lton.chat import (
    ArgumentsDelta,
    ContentDelta,
    Delta,
    Finish,
    ImitatedAnswer,
    Reader,
    RepeatedCall,
    ThoughtDelta,
    ToolCall,
    ToolCallEnd,
    ToolCallStart,
)
from lton.chat.deltas import (
    ApiDelta,
    BrokenCall,
    CallInThought,
    DeclinedCall,
    ExtraCall,
    LoopingCall,
    MendedCall,
    MissingCall,
    OtherDelta,
    UnconfirmedCall,
)
from lton.chat.repeats import REPEATED
from lton.chat.stops import StopTexts
from lton.codec import encode
from lton.errors import Code, IncompleteError, LTONError
from lton.generate.repetition import ends_with_copies
from lton.lenient import Repair, mend_call
from lton.schema.types import Call

_TEXTS = ContentDelta, ThoughtDelta
_LOOP = 4096  # the fewest characters of a loop
_COPIES = 16  # the fewest copies in a loop
_LOOK = 1024  # characters between two checks


def find_empty_answer_error(deltas: Sequence[Delta]) -> RefusedError | None:
    """Return the error for an answer that says nothing, unless a token limit ended it."""
    message = AssistantMessage.from_deltas(deltas)
    if message.content.strip() or message.thoughts or message.calls:
        return None
    if message.reason not in ("stop", "tool_calls"):
        return None
    why = "".join(f"; {note['message']}" for note in message.notes)
    words = f"the model said nothing{why}"
    return RefusedError(502, words, "upstream_error", code=EMPTY)


class LoopDetector:
    """Detects endless repetition in text that arrives in pieces.

    A loop is a string of at most 256 characters, repeated at least 16 times over at least 4,096
    characters. Useful text almost never contains a loop, and a model in a loop continues up to the
    server's limit.
    """

    def __init__(self) -> None:
        self.tail = ""
        self.unseen = 0
        self.is_looping = False  # whether the latest text was in a loop

    def feed(self, text: str) -> bool:
        """Add text and return whether the answer is in a loop."""
        self.tail = (self.tail + text)[-_LOOP:]
        self.unseen += len(text)
        self.is_looping = False
        if self.unseen >= _LOOK:
            self.unseen = 0
            self.is_looping = ends_with_copies(self.tail, _COPIES, least=_LOOP)
        return self.is_looping


def make_loop_error(text: str) -> IncompleteError:
    """Return the error for an answer that repeats itself endlessly."""
    return IncompleteError(Code.INCOMPLETE, REPEATED, doc=text, pos=len(text))


class Choice:
    """Converts the deltas of a model's answer to the deltas for the client."""

    error: LTONError | None = None  # the error that stopped the reading of calls
    repairs: tuple[Repair, ...] = ()

    def __init__(self, request: ClientRequest) -> None:
        self.answer = request.answer
        self.stops = StopTexts(request.stop)
        self.is_over = self.is_closing = False  # drop later deltas; the model has ended
        self.pieces: list[str] = []
        self.deltas: list[Delta] = []
        self.written_count = self._examined_count = 0
        self.holds_calls = False  # hold calls until the model cannot be asked again
        self.holds_text = False  # hold everything until there is a call
        self.answering = False
        self.loop = LoopDetector()
        self.has_looped = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def notes(self) -> list[AnswerNote]:
        return [note for delta in self.deltas for note in iterate_notes_of_delta(delta)]

    @property
    def empty_error(self) -> RefusedError | None:
        return None if self.stops.found else find_empty_answer_error(self.deltas)

    @property
    def is_partly_sent(self) -> bool:
        """Whether the client has received part of the answer."""
        kinds = (*_TEXTS, ToolCallStart)
        return any(isinstance(delta, kinds) for delta in self.deltas[: self.written_count])

    def new_deltas(self) -> list[Delta]:
        """Return the deltas that were added since the last call, or none while calls are held."""
        if self.holds_text:
            return []
        if self.holds_calls:
            new, self._examined_count = self.deltas[self._examined_count :], len(self.deltas)
            self.holds_calls = not any(isinstance(delta, _TEXTS) for delta in new)
        if self.holds_calls:
            return []
        start, self.written_count = self.written_count, len(self.deltas)
        return self.deltas[start:]

    def write_new_deltas(self, index: int, answer: AnswerWriter) -> bytes:
        """Return the events for the new deltas, in the format of the client's API."""
        out = list[bytes]()
        for delta in self.new_deltas():
            out.append(answer.write_delta(index, delta))
        return b"".join(out)

    def detect_loop(self, text: str) -> bool:
        self.has_looped = self.has_looped or self.loop.feed(text)
        return self.has_looped

    def add_deltas(self, deltas: Iterable[Delta]) -> None:
        for delta in deltas:
            if not self.is_over or isinstance(delta, Finish):
                self.deltas += self._iterate_visible(delta)
                self.is_over = self.is_over or bool(self.stops.found)

    def add_reports(self, reports: Iterable[DeclinedCall | LoopingCall]) -> None:
        """Add reports to an answer that has ended, before the part that was not sent yet."""
        self.deltas[self.written_count : self.written_count] = reports

    def _iterate_visible(self, delta: Delta) -> Iterator[Delta]:
        match delta:
            case ContentDelta(text):
                yield from _iterate_content_deltas(self.stops.feed(text))
            case ToolCallStart(name=name):
                yield from _iterate_content_deltas(self.stops.flush())
                self.answering = name == self.answer
                if not self.answering:
                    yield delta
            case ArgumentsDelta(_, json) if self.answering:
                yield from _iterate_content_deltas(json)
            case ArgumentsDelta() | ThoughtDelta() | ImitatedAnswer() | CallInThought():
                yield delta
            case MendedCall() | ExtraCall() | BrokenCall() | MissingCall() | UnconfirmedCall():
                yield delta
            case ToolCallEnd() if not self.answering:
                yield delta
            case RepeatedCall():
                self.is_over = not self.is_closing  # a repeated call ends the answer
                yield delta
            case Finish(stop=stop):
                self.stops.found = self.stops.found or stop or ""
                yield from _iterate_content_deltas(self.stops.flush())
                yield self._make_finish(delta)

    def _make_finish(self, finish: Finish) -> Finish:
        reason = finish.reason
        if self.is_over or reason == "tool_calls":
            reason = "tool_calls" if self.has_called else "stop"
        # Errors after the end are ignored.
        stop = self.stops.found or None
        if self.is_over:
            return Finish(reason, stop=stop, confidence=finish.confidence)
        if self.has_looped and not finish.error:
            finish = replace(finish, error=make_loop_error(self.text))
        return replace(finish, reason=reason)

    @property
    def has_called(self) -> bool:
        return any(isinstance(delta, ToolCallEnd) for delta in self.deltas)


class ReadChoice(Choice):
    """Reads the calls of an answer from the model's text."""

    def __init__(self, request: ClientRequest, reader: Reader) -> None:
        super().__init__(replace(request, stop=()))  # the reader finds stop sequences
        self.request = request
        self.reader = reader
        self.reason: str | None = None
        self.own_calls: dict[int, tuple[str, list[str]]] = {}  # calls that the upstream has read

    def receive(self, deltas: Iterable[ApiDelta], index: int) -> None:
        """Add the deltas of choice `index`. End an answer that repeats itself endlessly."""
        if self.has_looped:
            return
        received = ""
        for delta in filter(lambda delta: getattr(delta, "choice", 0) == index, deltas):
            match delta:
                case ThoughtDelta(text) if text:
                    received += text
                    self.deltas.append(delta)
                case OtherDelta(odd_call=call) if call is not None:
                    raise make_odd_answer_error("tool_calls", call)
                case ContentDelta(text) | OtherDelta(text) if text:
                    received += text
                    self.receive_text(text)
                case ToolCallStart(key, _, name):
                    self.own_calls[key] = name, []
                case ArgumentsDelta(key, json):
                    self.own_calls.setdefault(key, ("", []))[1].append(json)
                case Finish(reason):
                    self.reason = require_known_reason(reason)
        if self.reason is None and self.detect_loop(received):
            self.reason = "length"

    def receive_text(self, text: str) -> None:
        self.pieces.append(text)
        self._add_read(self.reader.feed(text))

    def _add_read(self, deltas: Iterable[Delta]) -> None:
        """Add the reader's deltas. The answer is over if the reader has found a stop sequence."""
        self.add_deltas(deltas)
        self.stops.found = self.reader.stop
        self.is_over = self.is_over or bool(self.stops.found)

    def close(self) -> None:
        """End the choice and read calls that were held back."""
        own = [(name, "".join(pieces)) for name, pieces in self.own_calls.values()]
        allowed = own if self.request.parallel else own[:1]
        calls = [self._read_call(name, text) for name, text in allowed]
        self.deltas += [ExtraCall(ToolCall(name, text)) for name, text in own[len(allowed) :]]
        *deltas, end = self.reader.close(self.reason, calls)
        self.is_closing = True
        self._add_read(deltas)
        reply = self.reader.reply
        self.error = reply.error
        self.repairs += reply.found.repairs if reply.found else ()
        is_cut = reply.finish_reason not in ("stop", "tool_calls")
        if reply.error and not (self.has_called or is_cut or self.is_over):
            self.deltas += _iterate_content_deltas(self._on_new_line(reply.rest))
        self.add_deltas([end])

    def _read_call(self, name: str, text: str) -> Call:
        """Read a call of the server itself, and mend the call if it does not fit."""
        mended = mend_call(name, text, self.request.callable)
        if mended is None or self.request.choice == "none":
            return _read_call(self.request, name, text)
        self.repairs += mended.repairs
        self.deltas.append(MendedCall(ToolCall(name, text), mended.repairs))
        return mended.call

    def release_held(self) -> None:
        """End the answer and convert held text to content instead of calls."""
        start = len(self.deltas)
        text = "" if self.is_over else self._on_new_line(self.reader.held)
        self.own_calls = {}  # the answer has failed, so no call of it is complete
        self.close()
        added = self.deltas[start:]
        if self.reader.reply.found:  # all held text, however it would be read
            added = [*_iterate_content_deltas(text)]
        self.deltas[start:] = [delta for delta in added if isinstance(delta, ContentDelta)]

    def _on_new_line(self, text: str) -> str:
        is_after = text and any(isinstance(delta, ContentDelta) for delta in self.deltas)
        return f"\n{text}" if is_after else text


def _iterate_content_deltas(text: str) -> Iterator[Delta]:
    if text:
        yield ContentDelta(text)


def _read_call(request: ClientRequest, name: str, text: str) -> Call:
    try:
        arguments = read_json(text or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict) or request.choice == "none":
        raise make_odd_answer_error("tool_calls", {"name": name, "arguments": text})
    call = Call(name, arguments)
    try:
        encode(call, request.callable)
    except LTONError as error:
        words = f"the upstream's call is invalid: {error}"
        raise RefusedError(502, words, "upstream_error") from None
    return call
