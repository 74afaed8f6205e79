"""Ask a model whether it meant a call that it wrote as text.

Two kinds of text lead to an inquiry: calls that are uncertain because of what stands next to them,
and an answer that is nothing but a call that cannot be read. The second request never forces a
call, and only the tools that the text names may be called. Without a call that fits its schema, the
client gets the text of the first answer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lton import chat
from lton.apis.answers import WholeChoice
from lton.apis.api import Api
from lton.chat import ToolCall
from lton.gateway.native.call_checks import FITS
from lton.gateway.native.rescues import Allowed, TextReading, find_named_tools, read_calls

_CONFIRM = "If a tool should run now, reply with only its call. Otherwise answer in words."
"""What the model is told in addition to the request, when it is asked the same again.

Qwen2.5-Coder 1.5B repeated the calls that it had meant. When it saw its own answer and was asked
whether it had meant the call, it answered "no", or that it had no tools.
"""
_CORRECT = (
    "error: {}. If you meant a call, reply with only the call, without the mistake. "
    "Otherwise answer in words."
)
_STREAMING = ("stream", "stream_options")


@dataclass(frozen=True)
class Inquiry:
    """A second request: what it asks, and the tools that its answer may call."""

    question: str
    names: frozenset[str]
    first_answer: str = ""  # the first answer, if the model is to see it

    def write_request_body(self, first_body: Mapping[str, Any], api: Api) -> dict[str, Any]:
        """Return the body of the second request, which is not streamed."""
        second_body = {key: value for key, value in first_body.items() if key not in _STREAMING}
        question = chat.Message.saying("user", self.question)
        if self.first_answer:
            answer = chat.Message.saying("assistant", self.first_answer)
            return api.with_appended_messages(second_body, [answer, question])
        return api.try_append_text(second_body, self.question) or api.with_appended_messages(
            second_body, [question]
        )

    def confirmed_calls(self, choices: Sequence[WholeChoice], allowed: Allowed) -> list[ToolCall]:
        """Return the calls of the second answer, or none if one of them is not certain."""
        if len(choices) != 1 or not choices[0].is_plain:
            return []
        (choice,) = choices
        calls = [
            ToolCall(start.name, arguments, start.id or chat.new_call_id())
            for start, arguments in choice.calls
        ]
        if not calls:
            reading = read_calls(
                choice.text, replace(allowed, names=self.names, read_seen_texts=tuple)
            )
            calls = list(reading.rescue.calls) if reading.rescue else []
        return calls if self.accepts(calls, allowed) else []

    def accepts(self, calls: Iterable[ToolCall], allowed: Allowed) -> bool:
        """Return whether all calls are to the named tools and fit their schemas."""
        calls = list(calls)
        if len(calls) > 1 and not allowed.parallel:
            return False
        return all(
            call.name in self.names
            and allowed.checks.outcome_of_call(call.name, call.written)[0] == FITS
            for call in calls
        )


def try_make_inquiry(reading: TextReading, text: str, allowed: Allowed) -> Inquiry | None:
    """Return the inquiry about an answer's text, or None if there is nothing to ask."""
    if reading.unconfirmed:
        return Inquiry(_CONFIRM, frozenset(call.name for call in reading.unconfirmed.calls))
    if reading.error is None:
        return None
    names = find_named_tools(reading.error, text, allowed)
    return Inquiry(_CORRECT.format(reading.error), names, text) if names else None
