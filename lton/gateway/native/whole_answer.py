"""Check an answer with native calls, and change an answer that does not stream.

An answer is held for a reason (`Hold`) until it is clear that the model is not asked again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lton._json import minified
from lton.apis.answer_usage import AnswerUsage, sum_usage_as_openai, with_earlier_usage
from lton.apis.answers import WholeChoice
from lton.apis.json_members import read_object
from lton.apis.refusals import (
    EMPTY,
    MISSING,
    UNREAD,
    RefusedError,
    make_odd_event_error,
)
from lton.chat import Message, ToolCall
from lton.chat.deltas import (
    MendedCall,
)
from lton.errors import ConversionError
from lton.gateway.native.answer_state import NOT_HELD, Hold
from lton.gateway.native.calls_in_text import CallsInText, notes_of_thought
from lton.gateway.native.corrections import correction_messages
from lton.gateway.native.enforcing import Enforced, WholeCalls
from lton.gateway.native.native_calls import NativeCall
from lton.gateway.native.native_requests import NativeRequest
from lton.gateway.native.need_check import CallCheck
from lton.gateway.native.needed_calls import NeededCalls
from lton.gateway.native.rescues import Rescue


class WholeAnswer:
    """An answer to a request with native calls, with the reasons for which it is held."""

    def __init__(self, native: NativeRequest) -> None:
        self.native = native
        self.reader = native.api.make_reader(native.namespaces)
        rescuable = replace(native.allowed, parallel=True)  # `Enforced` drops the extra calls
        self.text = CallsInText(
            rescuable,
            can_rescue=native.can_rescue,
            can_ask=native.can_inquire,
            reader=self.reader,
        )
        self.notes: list[Mapping[str, Any]] = []
        self.enforced = Enforced(native, self.reader, self.notes)
        self.calls: list[NativeCall] = []  # the calls of an answer that does not stream
        self.broken_calls: list[NativeCall] = []  # its calls whose arguments are not JSON
        self._hold = NOT_HELD
        if native.drops_calls and not self.reader.may_be_empty:
            self._hold |= Hold.EMPTY
        if native.retries > 0:
            self._hold |= Hold.WRONG_CALL
        self.needed: NeededCalls | None = None  # if calls that may be unneeded are held
        self._has_said = False  # whether the answer says anything but thoughts
        self.before: Any = None  # an earlier answer, sent if this one fails
        self._whole = b""
        self.correction: tuple[Message, ...] = ()  # the wrong calls and their errors
        self.earlier: list[AnswerUsage] = []  # the tokens of earlier answers to this request
        self.instead: Mapping[str, Callable[[], Any]] = {}  # other exchanges, by refusal code

    @property
    def rescue(self) -> Rescue | None:
        return self.text.rescue

    @property
    def mended(self) -> list[MendedCall]:
        return self.enforced.mended

    def sum_usage(self) -> dict[str, Any]:
        return sum_usage_as_openai(usage.read() for usage in (*self.earlier, self.reader.usage))

    @property
    def turns(self) -> int:
        return len(self.earlier) + 1

    def join_received_text(self) -> str:
        return "".join(self.text.pieces)

    def _release_hold(self, hold: Hold) -> None:
        """Hold the answer no longer for the given reasons."""
        self._hold &= ~hold

    # --- checks -----------------------------------------------------------------------------------

    def check_calls(self, check: CallCheck) -> None:
        """Hold an answer with calls, until `check` has decided whether they are made."""
        self.needed = NeededCalls(check)
        self._hold |= Hold.UNNEEDED_CALL

    @property
    def _holds_words(self) -> bool:
        """Whether calls after words are held, too."""
        return self.needed is not None and self.needed.check.holds_words

    def _check_unneeded(self, calls: Sequence[NativeCall], before: str) -> None:
        """Hold the calls of a whole answer, unless calls after words are not held."""
        is_held = self._holds_words or not before.strip()
        if Hold.UNNEEDED_CALL in self._hold and is_held:
            self._hold_unneeded(calls)

    def _hold_unneeded(self, calls: Sequence[NativeCall]) -> None:
        """Raise `RefusedError` if an answer has calls, to check whether they are needed."""
        assert self.needed is not None  # the calls are held because of it
        native = [ToolCall(call.start.name, call.arguments, call.start.id) for call in calls]
        self.needed.hold_calls(self.rescue.calls if self.rescue else native)

    def _check_fit(self, calls: Sequence[NativeCall]) -> None:
        self.correction = correction_messages(calls, self.native.allowed)
        if self.correction:
            raise RefusedError(502, "a call is wrong", "upstream_error", code=UNREAD)

    def _demands_call(self, *, is_plain: bool, is_cut: bool) -> bool:
        """Return whether the required call is asked for, because the answer lacks it.

        After an answer that a token limit has cut, this is left to guided generation: if the model
        were asked in words, its answer would be cut again.
        """
        has_ended = is_plain or (is_cut and UNREAD in self.instead)
        return self.enforced.must_call and has_ended

    def _ask_for_required(self, calls: Sequence[NativeCall]) -> None:
        """Raise `RefusedError` to ask for the required call, or to send the earlier answer."""
        code = MISSING if self.before else UNREAD
        assert self.native.required is not None  # an answer lacks the call
        self.correction = self.native.required.reminder_messages(calls, self.join_received_text())
        raise RefusedError(502, "the required call is missing", "upstream_error", code=code)

    def _note_thought(self, thought: str) -> None:
        """Add notes about calls in the thought of an answer that says nothing else."""
        if not self._has_said:
            self.enforced.add_notes(notes_of_thought(thought, self.native.allowed))

    # --- an answer that does not stream -----------------------------------------------------------

    def build_response(self, data: bytes) -> bytes:
        """Return an answer that is not streamed. Raises `RefusedError`."""
        try:
            answer = read_object(data)
        except ConversionError as error:
            raise make_odd_event_error(error) from None
        self._whole = data
        choices = self._read_choices(answer)
        body = self._add_earlier_usage(answer)
        calls = [NativeCall(start, [json]) for choice in choices for start, json in choice.calls]
        enforced = self.enforced
        whole = self.enforced.enforce_calls(calls)
        self._read_text(choices)
        if self.rescue:
            self._check_unneeded((), self.rescue.before)
            body = self._with_rescue(body, self.rescue)
            body = self.reader.body_with_notes(body, enforced.notes) if enforced.notes else body
            return minified(body).encode(errors="replace")
        is_plain = all(choice.is_plain for choice in choices)
        if any(choice.has_more for choice in choices):
            enforced.allow_other()
        if is_plain:
            self._check_whole_calls(whole.calls)
        elif self._demands_call(is_plain=False, is_cut=all(choice.is_cut for choice in choices)):
            self._ask_for_required(whole.calls)
        enforced.report_changes(whole, is_plain=is_plain)
        if len(choices) == 1 and choices[0].is_only_thought:
            self._note_thought(choices[0].thought)
        body = self._with_changed_calls(body, whole, choices)
        return data if body == answer else minified(body).encode(errors="replace")

    def _with_changed_calls(
        self, body: Mapping[str, Any], whole: WholeCalls, choices: Sequence[WholeChoice]
    ) -> Mapping[str, Any]:
        """Return an answer with mended calls and notes, and without dropped and broken calls."""
        reasons = {
            start.choice: choice.reason or "" for choice in choices for start, _ in choice.calls
        }
        texts = self.enforced.take_broken_calls(whole, reasons)
        self.calls += [call for call in whole.calls if call not in whole.broken]
        self.broken_calls = whole.broken
        if whole.mended:
            body = self.reader.body_with_mended_calls(body, whole.mended)
        if self.enforced.notes:
            body = self.reader.body_with_notes(body, self.enforced.notes)
        if whole.dropped:
            body = self.reader.body_without_calls(body, whole.dropped, self.notes)
        if texts:  # of the first calls, before those that are dropped
            body = self.reader.body_with_calls_as_text(body, texts)
        return body

    def _check_whole_calls(self, calls: Sequence[NativeCall]) -> None:
        """Check the calls of a whole answer. Raise `RefusedError` to ask the model again."""
        if self.native.retries:
            self._check_fit(calls)
        if self._demands_call(is_plain=True, is_cut=False):
            self._ask_for_required(calls)
        self._check_unneeded(calls, self.join_received_text())

    def _read_choices(self, answer: Mapping[str, Any]) -> list[WholeChoice]:
        choices = self.reader.read_whole_answer(answer)
        self.text.pieces = ["".join(choice.text for choice in choices)]
        if Hold.EMPTY in self._hold and choices and all(choice.is_empty for choice in choices):
            raise make_silence_error()
        return choices

    def _read_text(self, choices: Sequence[WholeChoice]) -> None:
        """Read the calls in an answer that is only text, or record the error."""
        if len(choices) != 1 or not choices[0].is_text or not self.native.can_rescue:
            return
        self.text.read_whole(choices[0].text)

    def _write_settled_body(self) -> bytes:
        answer = read_object(self._whole)
        body = self._add_earlier_usage(answer)
        if self.rescue:
            body = self._with_rescue(body, self.rescue)
        if self.enforced.notes:
            body = self.reader.body_with_notes(body, self.enforced.notes)
        return self._whole if body == answer else minified(body).encode(errors="replace")

    def _with_rescue(self, body: Mapping[str, Any], rescue: Rescue) -> Mapping[str, Any]:
        taken_rescue = self.enforced.take_rescue(rescue)
        self.text.replace_rescue(taken_rescue)
        return self.reader.body_with_calls(body, taken_rescue.calls, taken_rescue.before)

    def _add_earlier_usage(self, data: Mapping[str, Any], since: int = 0) -> Mapping[str, Any]:
        return with_earlier_usage(data, [usage.fields for usage in self.earlier[since:]])


def make_silence_error() -> RefusedError:
    """Return the error for an answer in which the model said nothing."""
    return RefusedError(502, "the model said nothing", "upstream_error", code=EMPTY)
