"""Write answers in OpenAI's chat completions format, either complete or as a stream.

A stream has the order that clients expect: the role once; text; for each call one chunk with its
index, id and name, and then chunks of its arguments; the finish reason; and, if requested, the
usage in a chunk without choices.

A complete answer never contains an incomplete call. A stream may contain the start of such a call,
but never the end of its arguments, so they are not valid JSON. `lton.notes` of the choice describes
the call, and `finish_reason` says why it is incomplete.
"""

from collections.abc import Iterable, Mapping, Sequence
from time import time
from typing import Any

from lton.apis.answer_notes import (
    AnswerNote,
    AssistantMessage,
    iterate_notes_of_delta,
    write_extension,
)
from lton.apis.answers import AnswerWriter, TokenUsage
from lton.apis.ids import new_id
from lton.apis.sse import DONE, write_event
from lton.chat import ArgumentsDelta, ContentDelta, Delta, Finish, ThoughtDelta, ToolCallStart
from lton.chat.openai import write_call


class ChatWriter(AnswerWriter):
    """Writes streams (`write_delta`, `write_end`) and complete answers (`build_response`)."""

    def __init__(self, model: str, *, include_usage: bool = False) -> None:
        self.include_usage = include_usage
        self.head: Mapping[str, Any] = {
            "id": new_id("chatcmpl-"),
            "created": int(time()),
            "model": model,
        }
        self.started_choices: set[int] = set()
        self.notes: dict[int, list[AnswerNote]] = {}

    def write_delta(self, choice: int, delta: Delta) -> bytes:
        match delta:
            case ContentDelta(text):
                return self._write_delta(choice, {"content": text})
            case ThoughtDelta(text):
                return self._write_delta(choice, {"reasoning_content": text})
            case ToolCallStart(index, call_id, name):
                function = {"name": name, "arguments": ""}
                opener = {"index": index, "id": call_id, "type": "function", "function": function}
                return self._write_delta(choice, {"tool_calls": [opener]})
            case ArgumentsDelta(index, json):
                piece = {"index": index, "function": {"arguments": json}}
                return self._write_delta(choice, {"tool_calls": [piece]})
        notes = self.notes.setdefault(choice, [])
        notes += iterate_notes_of_delta(delta)
        if not isinstance(delta, Finish):
            return b""  # in this API, calls have no end event
        return self._write_delta(
            choice, {}, delta.reason, **write_extension(notes, delta.confidence)
        )

    def write_end(self, usage: TokenUsage | None) -> bytes:
        return (self._write_chunk([], usage=usage) if self.include_usage else b"") + DONE

    def write_failure(self, error: Mapping[str, Any], status: int) -> bytes:  # noqa: ARG002
        return write_event(error) + DONE

    def build_response(
        self, choices: Sequence[Iterable[Delta]], usage: TokenUsage
    ) -> dict[str, Any]:
        new_choices = [
            {
                "index": index,
                "message": _write_message(message),
                "logprobs": None,
                "finish_reason": message.reason,
                **write_extension(message.notes, message.confidence),
            }
            for index, message in enumerate(map(AssistantMessage.from_deltas, choices))
        ]
        return {**self.head, "object": "chat.completion", "choices": new_choices, "usage": usage}

    def _write_delta(
        self, choice: int, delta: Mapping[str, Any], reason: str | None = None, **more: Any
    ) -> bytes:
        role = b""
        if choice not in self.started_choices:
            self.started_choices.add(choice)
            content = "" if "content" in delta else None  # as OpenAI does before calls
            role = self._write_delta(choice, {"role": "assistant", "content": content})
        fields = {"index": choice, "delta": delta, "logprobs": None, "finish_reason": reason}
        return role + self._write_chunk([fields | more])

    def _write_chunk(self, choices: Sequence[Any], **more: Any) -> bytes:
        if self.include_usage:
            more = {"usage": None} | more
        return write_event(
            {**self.head, "object": "chat.completion.chunk", "choices": choices, **more}
        )


def _write_message(message: AssistantMessage) -> dict[str, Any]:
    thoughts = {"reasoning_content": message.thoughts} if message.thoughts else {}
    calls = {"tool_calls": [write_call(call) for call in message.calls]} if message.calls else {}
    return {"role": "assistant", "content": message.content or None, **thoughts, **calls}
