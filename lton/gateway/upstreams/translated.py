"""Handle requests with native calls if the client and the server use different APIs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from lton._json import minified
from lton.apis.accepted_names import client_names, iterate_messages_with_accepted_names
from lton.apis.answer_notes import AssistantMessage
from lton.apis.answers import AnswerWriter
from lton.apis.api import Api, encode_body
from lton.apis.chat_api import CHAT
from lton.apis.client_requests import ClientRequest, TranslatedRequest
from lton.apis.refusals import make_unsupported_error
from lton.apis.request_writing import dropped_fields, request_body
from lton.apis.sse import RawEvent
from lton.chat import (
    ContentDelta,
    Finish,
    Message,
    ThoughtDelta,
    ToolCall,
)
from lton.chat.deltas import (
    MendedCall,
    StreamEnd,
)
from lton.gateway.apis.choices import Choice
from lton.gateway.exchange import EMPTY_RETRIES, BaseExchange, UpstreamEvent, iterate_texts_in
from lton.gateway.native.corrections import correction_messages
from lton.gateway.native.inquiries import Inquiry
from lton.gateway.native.native_calls import NativeCall
from lton.gateway.native.native_requests import NativeRequest
from lton.gateway.native.need_check import CallCheck
from lton.gateway.native.needed_calls import NeededCalls
from lton.gateway.native.rescues import Rescue
from lton.gateway.upstreams.translated_deltas import TranslatedDeltas

_NO_EVENT = RawEvent(b"")


@dataclass(frozen=True)
class _AskedAnswer:
    """The first answer, while the model is asked whether it meant a call in its text."""

    choice: Choice
    deltas: TranslatedDeltas
    inquiry: Inquiry


class NeedStep(Enum):
    """How far the question has come whether the calls of an answer are made."""

    NOT_ASKED = auto()
    ASKED = auto()
    DECLINED = auto()  # the model answers in words


class TranslatedExchange(BaseExchange[Choice]):
    """Translates a request to the server's API, and the answer to the client's API."""

    may_be_empty = True  # the client receives what the server said

    def __init__(
        self,
        request: ClientRequest,
        answer: AnswerWriter,
        native: NativeRequest,
        translated: TranslatedRequest,
        api: Api,
        body: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(request, answer)
        if request.n > 1:
            raise make_unsupported_error("n", "the upstream gives one answer")
        self.path = api.request_path(request.model)
        self.api = api
        self.translated_request = translated
        self.body = body or request_body(translated, api, native.api)
        self.native = replace(native, content=encode_body(self.body, api))
        self.names = client_names((tool.name for tool in translated.tools), api)
        self._before: tuple[Choice, TranslatedDeltas] | None = None
        self._asked: _AskedAnswer | None = None
        self._needed: NeededCalls | None = None  # if calls that may be unneeded are held
        self._checked_body = self.body  # the request whose calls are checked
        self._need_step = NeedStep.NOT_ASKED
        self._begin()

    def _begin(self) -> None:
        self.reader = self.api.make_reader(self.native.namespaces)
        self.usages.append(self.reader.usage)
        self.translated = TranslatedDeltas(self.native, self.request.stop, self.names)
        choice = Choice(replace(self.request, answer=""))
        choice.holds_calls = self.turns < self.native.retries or self._needed is not None
        choice.holds_text = self._lacked_call or self.translated.enforced.must_call
        choice.holds_text = choice.holds_text or self._holds_words
        self.choices = [choice]
        self.is_done = self.is_whole = self._has_received = False

    @property
    def _lacked_call(self) -> bool:
        """Whether the earlier answer lacked a required call."""
        return self._before is not None and self._before[1].enforced.is_missing

    @property
    def _holds_words(self) -> bool:
        """Whether calls after words are held, too, until it is known whether they are made."""
        is_open = self._need_step is NeedStep.NOT_ASKED
        return is_open and self._needed is not None and self._needed.check.holds_words

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
        turns = (
            (message.role, "\n".join(iterate_texts_in(message)))
            for message in self.request.messages
        )
        return [*tools, *turns]

    @property
    def dropped(self) -> Sequence[str]:
        """The names of the client's fields that the server's API does not have."""
        client_api = self.native.api
        functions = (
            function
            for function, _ in client_api.iterate_functions_in(self.native.body.get("tools"))
        )
        return dropped_fields(self.translated_request, client_api, self.api, self.body, functions)

    @property
    def delivered_calls(self) -> list[NativeCall]:
        """The native calls that were sent to the client."""
        return self.translated.calls

    @property
    def checked_calls(self) -> list[NativeCall]:
        """The calls of the answer, including those that are not JSON."""
        return [*self.translated.calls, *self.translated.broken_calls]

    def try_take_next_request(self) -> Mapping[str, Any] | None:
        """Return the next request to the server, or None if the answer is complete."""
        if self._asked:
            self._settle_inquiry(self._asked)
            return None
        if self._needed and self._need_step is not NeedStep.NOT_ASKED:
            return self._try_ask_for_words_after_check(self._needed)
        if self.turns:
            return self._try_ask_again()
        self.turns += 1
        return self.body

    def _try_ask_again(self) -> Mapping[str, Any] | None:
        """Return a request after an answer, or None to accept the answer."""
        (choice,) = self.choices
        self._end_choice(choice)
        if inquiry := self.translated.inquiry:
            self.body = {**self.body, **inquiry.write_request_body(self.body, self.api)}
            self._asked = _AskedAnswer(choice, self.translated, inquiry)
            self._begin()
            self.turns += 1
            return self.body
        more: tuple[Message, ...] = ()
        if self.turns <= self.native.retries:
            more = correction_messages(self.translated.checked_calls, self.native.allowed)
            more = more or self._reminder_messages()
        is_first = self.turns <= EMPTY_RETRIES
        is_empty = choice.empty_error and self.native.drops_calls and is_first
        if choice.is_partly_sent or not (is_empty or more):
            return self._accept_or_ask_again(choice)
        if more:
            messages = [*iterate_messages_with_accepted_names(more, self.api)]
            self.body = self.api.with_appended_messages(self.body, messages)
            self._before = choice, self.translated
        self._begin()
        self.turns += 1
        return self.body

    def _end_choice(self, choice: Choice) -> None:
        if not self.translated.is_over:  # a stop sequence ended it
            choice.add_deltas(self.translated.feed(Finish("stop")))

    def _accept_or_ask_again(self, choice: Choice) -> Mapping[str, Any] | None:
        """Release an answer, or return a request that asks whether its calls are needed."""
        if self._needed and (question := self._try_ask_about_need(choice, self._needed)):
            return question
        if not (self._lacked_call and self._reminder_messages() and self.try_to_recover()):
            choice.holds_calls = choice.holds_text = False
        return None

    # --- calls that may be unneeded ---------------------------------------------------------------

    def check_calls(self, check: CallCheck) -> None:
        """Hold an answer with calls, until `check` has decided whether they are made."""
        self._needed = NeededCalls(check)
        self._checked_body = self.body
        self.choices[0].holds_calls = True
        self.choices[0].holds_text = self.choices[0].holds_text or check.holds_words

    def _try_ask_about_need(self, choice: Choice, checked: NeededCalls) -> Mapping[str, Any] | None:
        """Return a request for the first tokens, or None if the answer is not only calls."""
        message = AssistantMessage.from_deltas(choice.deltas)
        is_plain = message.reason in ("stop", "tool_calls")
        if not (message.calls and is_plain) or choice.is_partly_sent:
            return None
        if message.content.strip() and not checked.check.holds_words:
            return None
        checked.calls = tuple(message.calls)
        self._before = choice, self.translated
        question = checked.check.try_write_request_body()
        if question is None:
            return self._try_make_request_for_words(checked)
        self._need_step = NeedStep.ASKED
        self.path = CHAT.path
        self.reader = CHAT.make_reader()
        self.usages.append(self.reader.usage)
        self.is_done = self.is_whole = False
        self.turns += 1
        return question

    def _try_ask_for_words_after_check(self, checked: NeededCalls) -> Mapping[str, Any] | None:
        """Return the request without tools, or None if the answer is complete."""
        if self._need_step is NeedStep.DECLINED:
            self._end_answer_in_words(checked)
            return None
        words = self._try_make_request_for_words(checked)
        if words is None:
            self.try_to_recover()
        return words

    def _try_make_request_for_words(self, checked: NeededCalls) -> Mapping[str, Any] | None:
        """Return the request without tools, or None if the calls are made."""
        if not checked.decline_calls(self.native.allowed.tools):
            return None
        self._need_step = NeedStep.DECLINED
        self.path = self.api.request_path(self.request.model)
        self.native = checked.expect_words(self.native)
        self._begin()
        self.turns += 1
        return self.api.without_tools(self._checked_body)

    def _end_answer_in_words(self, checked: NeededCalls) -> None:
        """End the answer in words. If the model says nothing, the client gets the calls."""
        (choice,) = self.choices
        self._end_choice(choice)
        if not (choice.empty_error and self.try_to_recover()):
            choice.holds_calls = False
            choice.add_reports(checked.decline_calls(self.native.allowed.tools))

    # --- asking again -----------------------------------------------------------------------------

    def _settle_inquiry(self, first: "_AskedAnswer") -> None:
        """End the first answer with the calls of the second one, if they are certain."""
        (second,) = self.choices
        calls = AssistantMessage.from_deltas(second.deltas).calls
        allowed = self.native.allowed
        is_meant = not second.empty_error and first.inquiry.accepts(calls, allowed)
        self._end_first_answer(first, calls if is_meant else ())

    def _end_first_answer(self, first: "_AskedAnswer", calls: Sequence[ToolCall]) -> None:
        self.choices = [first.choice]
        self.translated = first.deltas
        first.choice.add_deltas(first.deltas.flush_inquiry(calls))
        first.choice.holds_calls = first.choice.holds_text = False
        self._asked = None

    def try_to_recover(self) -> bool:
        if self._asked:
            self._end_first_answer(self._asked, ())
            return True
        if self._before is None or self.choices[0].is_partly_sent:
            return False
        choice, self.translated = self._before
        choice.holds_calls = choice.holds_text = False
        self.choices = [choice]
        return True

    def _reminder_messages(self) -> tuple[Message, ...]:
        """Return messages that ask for the required call, or () if nothing is missing."""
        (choice,) = self.choices
        enforced = self.translated.enforced
        required = self.native.required
        is_plain = AssistantMessage.from_deltas(choice.deltas).reason in ("stop", "tool_calls")
        if required is None or not (enforced.is_missing and is_plain):
            return ()
        return required.reminder_messages(self.translated.calls, choice.text)

    def receive_event(self, event: UpstreamEvent) -> bytes:
        if self._needed and self._need_step is NeedStep.ASKED:
            self._read_first_tokens(event, self._needed)
            return b""
        (choice,) = self.choices
        wrote = ""
        deltas = self.reader.read_deltas(RawEvent(b"", data=event, is_done=not event))
        self._has_received = self._has_received or any(delta != StreamEnd() for delta in deltas)
        # An answer of nothing, without even a reason for its end, is not complete.
        self.is_whole = self._has_received and (not event or StreamEnd() in deltas)
        self.is_done = self.is_whole and not self.reader.usage_follows_end
        for delta in deltas:
            choice.add_deltas(self.translated.feed(delta))
            wrote += delta.text if isinstance(delta, ContentDelta | ThoughtDelta) else ""
        choice.pieces.append(wrote)
        is_held = self._holds_words or self.translated.enforced.is_missing
        choice.holds_text = choice.holds_text and is_held
        choice.has_looped = choice.has_looped or self.translated.is_looping
        if not self.translated.is_over and choice.detect_loop(wrote):
            choice.add_deltas(self.translated.feed(Finish("length")))
        self.is_done = self.is_done or choice.is_over or choice.has_looped
        # Hold the end: after an empty or wrong answer the model is asked again.
        is_shown = self.streamed and not self.translated.is_over and self._asked is None
        return self.take_new_bytes() if is_shown else b""

    def _read_first_tokens(self, event: UpstreamEvent, checked: NeededCalls) -> None:
        """Read the answer to the question about need, which does not stream."""
        if event:
            self.reader.read_whole_answer(event)
            checked.take_first_tokens(event)
        self.is_whole = True

    def release_held_text(self) -> None:
        self.choices[0].add_deltas(self.translated.flush())


# --- requests -------------------------------------------------------------------------------------
