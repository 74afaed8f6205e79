"""Write answers and errors in the format of Anthropic's messages API.

A stream has the order that clients expect: the message starts; each block starts, grows and stops
before the next block; the stop reason comes with the usage; the message stops.

A call is sent only when it is complete, because clients repair and run incomplete JSON.
`lton.notes` at the end describes an incomplete call, and `stop_reason` says why it is incomplete.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lton._json import minified
from lton.apis.answer_notes import AnswerNote, iterate_notes_of_delta, write_extension
from lton.apis.answers import AnswerWriter, TokenUsage
from lton.apis.endings import ending_of
from lton.apis.ids import new_id
from lton.apis.sse import PING, write_event
from lton.chat import (
    ArgumentsDelta,
    ContentDelta,
    Delta,
    Finish,
    ThoughtDelta,
    ToolCall,
    ToolCallEnd,
    ToolCallStart,
)
from lton.chat.deltas import OpaqueDelta

_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class MessagesWriter(AnswerWriter):
    """Writes streams (`write_delta`, `write_end`) and complete answers (`build_response`)."""

    def __init__(self, model: str = "", *, input_tokens: int = 0) -> None:
        self.input_tokens = input_tokens  # an estimate, until the server reports its count
        self.head = {"id": new_id("msg_"), "type": "message", "role": "assistant", "model": model}
        self.content: list[dict[str, Any]] = []
        self.notes: list[AnswerNote] = []
        self.confidence: float | None = None
        self.end_reason: dict[str, Any] = {"stop_reason": None, "stop_sequence": None}
        self.is_open = self.has_begun = False  # a block is open, the message has begun
        self._pieces: list[str] = []

    def write_delta(self, choice: int, delta: Delta) -> bytes:  # noqa: PLR0911 - one a kind
        """Return the events for a delta. Every answer has one choice."""
        del choice
        self.notes += iterate_notes_of_delta(delta)
        match delta:
            case ContentDelta(text):
                return self._write_piece("text", text)
            case ThoughtDelta(text):
                return self._write_piece("thinking", text)
            case ToolCallStart() | ArgumentsDelta():
                return self._stop_block()  # the call is sent when it is complete
            case ToolCallEnd(_, call):
                return self._write_call(call)
            case OpaqueDelta(block):
                return self._write_block(block)
            case Finish(reason, stop=stop):
                self.confidence = delta.confidence
                # Clients run calls if the reason is `tool_use`, also before a stop sequence.
                is_text = stop and reason != "tool_calls"
                stop_reason = "stop_sequence" if is_text else ending_of(reason).messages
                self.end_reason |= {"stop_reason": stop_reason, "stop_sequence": stop}
                return self._write_beginning() + self._stop_block()
        return b""

    def write_end(self, usage: TokenUsage | None) -> bytes:
        extra = write_extension(self.notes, self.confidence)
        fields = {"delta": {**self.end_reason, **extra}, "usage": write_usage(usage or {})}
        return (
            self._write_beginning()
            + _write_event("message_delta", **fields)
            + _write_event("message_stop")
        )

    def write_failure(self, error: Mapping[str, Any], status: int) -> bytes:
        return self._write_beginning() + write_event(messages_error(error, status), "error")

    def build_response(
        self, choices: Sequence[Iterable[Delta]], usage: TokenUsage
    ) -> dict[str, Any]:
        for delta in choices[0]:
            self.write_delta(0, delta)
        extra = write_extension(self.notes, self.confidence)
        ending = {**self.end_reason, "usage": write_usage(usage), **extra}
        return {**self.head, "content": self.content, **ending}

    def _write_beginning(self) -> bytes:
        if self.has_begun:
            return b""
        self.has_begun = True
        message = {**self.head, "content": [], **self.end_reason, "usage": write_usage({})}
        message["usage"]["input_tokens"] = self.input_tokens
        return _write_event("message_start", message=message) + PING

    def _write_piece(self, kind: str, piece: str) -> bytes:
        opening = b""
        if not self.is_open or self.content[-1]["type"] != kind:
            empty = {"thinking": "", "signature": ""} if kind == "thinking" else {"text": ""}
            opening = self._stop_block() + self._write_block_start({"type": kind, **empty})
        self._pieces.append(piece)
        return opening + self._write_delta({"type": f"{kind}_delta", kind: piece})

    def _write_call(self, call: ToolCall) -> bytes:
        head = {"type": "tool_use", "id": call.id, "name": call.name}
        opening = self._write_block_start({**head, "input": {}})
        self.content[-1]["input"] = json.loads(call.written)
        arguments = self._write_delta({"type": "input_json_delta", "partial_json": call.written})
        return opening + arguments + self._stop_block()

    def _write_block(self, block: Mapping[str, Any]) -> bytes:
        """Write a complete block. The signature of a thought ends the open thought."""
        if not self.is_open or block["type"] != self.content[-1]["type"]:
            return self._write_block_start({**block}) + self._stop_block()
        signature = block.get("signature", "")
        self.content[-1]["signature"] = signature
        return (
            self._write_delta({"type": "signature_delta", "signature": signature})
            + self._stop_block()
        )

    def _write_block_start(self, block: dict[str, Any]) -> bytes:
        before = self._write_beginning() + self._stop_block()
        self.content.append(block)
        self._pieces = []
        self.is_open = True
        index = len(self.content) - 1
        return before + _write_event("content_block_start", index=index, content_block=block)

    def _write_delta(self, delta: Mapping[str, Any]) -> bytes:
        return _write_event("content_block_delta", index=len(self.content) - 1, delta=delta)

    def _stop_block(self) -> bytes:
        if not self.is_open:
            return b""
        self.is_open = False
        block = self.content[-1]
        if self._pieces:
            block[block["type"]] = "".join(self._pieces)
        return _write_event("content_block_stop", index=len(self.content) - 1)


def _write_event(kind: str, **data: Any) -> bytes:
    return write_event({"type": kind, **data}, kind)


def write_usage(usage: TokenUsage) -> dict[str, Any]:
    """Convert token counts in OpenAI's format."""
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    return {
        "input_tokens": usage.get("prompt_tokens", 0) - cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": usage.get("completion_tokens", 0),
    }


_TOO_LONG = frozenset(["context_length_exceeded", "exceed_context_size_error"])
"""The error codes of OpenAI's API and llama.cpp for a prompt that exceeds the window."""


def messages_error(error: Mapping[str, Any], status: int) -> dict[str, Any]:
    """Convert an error to the format of Anthropic's API."""
    if error.get("type") == "error":
        return {**error}
    inner = error.get("error")
    words = inner.get("message") if isinstance(inner, dict) else None
    words = words if isinstance(words, str) and words else minified(inner or error)
    if isinstance(inner, dict) and not _TOO_LONG.isdisjoint(map(str, inner.values())):
        words = f"prompt is too long: {words}"  # clients compact conversations at these words
    kind = "invalid_request_error" if status < 500 else "api_error"
    converted = {"type": _ERROR_TYPES.get(status, kind), "message": words}
    partial = {"partial": error["partial"]} if "partial" in error else {}
    return {"type": "error", "error": converted, **partial}
