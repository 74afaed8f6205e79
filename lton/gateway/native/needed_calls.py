"""Hold the calls of an answer until it is known whether they are needed.

If an answer is nothing but calls, the client does not get them at once. The server is asked for the
first tokens of the same request (`need_check`). If these say that no tool is needed, the calls are
declined, and the model answers the request without tools. If the server does not show its first
tokens, or the model says nothing without tools, the client gets the calls.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from lton.apis.answer_usage import AnswerUsage
from lton.apis.api import Api, encode_body
from lton.apis.chat_api import CHAT
from lton.apis.json_members import read_object
from lton.apis.refusals import DOUBTED, RefusedError
from lton.chat import ToolCall
from lton.errors import ConversionError
from lton.gateway.native.native_requests import NativeRequest
from lton.gateway.native.need_check import CallCheck, UnmadeCall
from lton.schema.toolset import ToolSet


class NeededCalls:
    """The calls of one answer, and the question whether they are needed."""

    def __init__(self, check: CallCheck) -> None:
        self.check = check
        self.calls: tuple[ToolCall, ...] = ()
        self._answer: Mapping[str, Any] | None = None

    def hold_calls(self, calls: Sequence[ToolCall]) -> None:
        """Keep the calls of an answer. Raise `RefusedError` if there are any, to ask about them."""
        self.calls = tuple(calls)
        if self.calls:
            raise RefusedError(502, "a call may be unneeded", "upstream_error", code=DOUBTED)

    def try_make_question(self) -> bytes | None:
        """Return the body of a chat completions request, or None if nothing can be asked."""
        body = self.check.try_write_request_body()
        return None if body is None else encode_body(body, CHAT)

    def read_answer(self, answer: bytes) -> None:
        """Read the server's answer to the question. An answer that is not JSON says nothing."""
        with suppress(ConversionError):
            self.take_first_tokens(read_object(answer))

    def take_first_tokens(self, answer: Mapping[str, Any]) -> None:
        """Keep the server's answer to the question."""
        self._answer = answer

    def decline_calls(self, tools: ToolSet) -> tuple[UnmadeCall, ...]:
        """Return the calls that are not made: all of them, or none."""
        return self.check.decline_calls(self._answer, self.calls, tools)

    def expect_words(self, native: NativeRequest) -> NativeRequest:
        """Return a request whose answer is words, because its calls were declined.

        If the check allows others, the answer may be another call, which is read from its text.
        """
        tools = native.allowed.tools

        def are_declined(calls: Sequence[ToolCall]) -> bool:
            return bool(self.check.decline_calls(self._answer, calls, tools))

        allowed = replace(native.allowed, are_declined=are_declined)
        can_rescue = native.can_rescue and self.check.allows_others
        return replace(native, allowed=allowed, can_rescue=can_rescue, retries=0)

    def find_question_usage(self, api: Api) -> AnswerUsage | None:
        """Return what the question took, as an API reports it, or None without an answer."""
        if self._answer is None:
            return None
        reader = CHAT.make_reader()
        with suppress(ConversionError):  # an odd answer does not say what it took
            reader.read_whole_answer(self._answer)
        return api.convert_usage(reader.usage)
