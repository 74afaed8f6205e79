"""Describe the reasons for which answers end, in all APIs.

Each known reason has a row. An answer that ends for any other reason counts as failed, because
nothing shows that it is complete.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from lton.errors import ConversionError


@dataclass(frozen=True, kw_only=True)
class Ending:
    """A reason for the end of an answer, in each API."""

    chat: str  # the `finish_reason`
    messages: str  # the `stop_reason`
    incomplete: str | None = None  # why an answer of the responses API is incomplete, if it is


ENDINGS: Mapping[str, Ending] = {
    "stop": Ending(chat="stop", messages="end_turn"),
    "stop_sequence": Ending(chat="stop", messages="end_turn"),  # a server does not name its text
    "tool_calls": Ending(chat="tool_calls", messages="tool_use"),
    "length": Ending(chat="length", messages="max_tokens", incomplete="max_output_tokens"),
    "content_filter": Ending(
        chat="content_filter", messages="refusal", incomplete="content_filter"
    ),
}
"""The reasons in a `Finish`."""

CHAT_REASONS: Mapping[str, str] = {
    "stop": "stop",
    "tool_calls": "stop",
    "function_call": "stop",
    "eos_token": "stop",
    "stop_sequence": "stop_sequence",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "refusal": "content_filter",
    "safety": "content_filter",
}
"""The finish reasons of servers with the chat completions API, in small letters."""

MESSAGES_REASONS: Mapping[str, str] = {
    "end_turn": "stop",
    "tool_use": "stop",
    "stop_sequence": "stop_sequence",  # not a normal end
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
"""The stop reasons of Anthropic's messages API."""


def read_reason(reason: str, reasons: Mapping[str, str]) -> str:
    """Return the reason for a `Finish`. An unknown reason stays as it is."""
    return reasons.get(reason.lower(), reason)


def ending_of(reason: str) -> Ending:
    """Return the ending of an answer. Raises `ConversionError` for an unknown reason."""
    if (ending := ENDINGS.get(reason)) is None:
        raise ConversionError(f"the answer ended for the unknown reason {reason[:80]!r}")
    return ending
