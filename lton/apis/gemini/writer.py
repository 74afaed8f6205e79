"""Write answers and errors of Gemini's API, either complete or as a stream of answers.

A call is sent only when it is complete, because this API has no pieces of arguments. The last
event of a stream has the reasons for which the answers ended, and the usage.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lton.apis.answer_notes import (
    AnswerNote,
    AssistantMessage,
    iterate_notes_of_delta,
    write_extension,
)
from lton.apis.answers import AnswerWriter, TokenUsage
from lton.apis.ids import new_id
from lton.apis.sse import write_event
from lton.chat import ContentDelta, Delta, Finish, ThoughtDelta, ToolCall, ToolCallEnd

_REASONS = {"length": "MAX_TOKENS", "content_filter": "SAFETY"}  # any other end is `STOP`
_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


class GeminiWriter(AnswerWriter):
    """Writes streams (`write_delta`, `write_end`) and complete answers (`build_response`)."""

    def __init__(self, model: str = "") -> None:
        self.head: Mapping[str, Any] = {"modelVersion": model, "responseId": new_id("")}
        self.notes: dict[int, list[AnswerNote]] = {}
        self.ends: dict[int, Finish] = {}

    def write_delta(self, choice: int, delta: Delta) -> bytes:
        notes = self.notes.setdefault(choice, [])
        notes += iterate_notes_of_delta(delta)
        match delta:
            case ContentDelta(text):
                return self._write_part(choice, {"text": text})
            case ThoughtDelta(text) if text:
                return self._write_part(choice, {"text": text, "thought": True})
            case ToolCallEnd(_, call):
                return self._write_part(choice, write_call(call))
            case Finish():
                self.ends[choice] = delta
        return b""

    def write_end(self, usage: TokenUsage | None) -> bytes:
        ended = [
            {
                "content": {"role": "model", "parts": []},
                **_write_end(end.reason, choice, self.notes[choice], end.confidence),
            }
            for choice, end in self.ends.items()
        ]
        counts = {"usageMetadata": write_usage(usage)} if usage else {}
        return write_event({"candidates": ended, **counts, **self.head})

    def write_failure(self, error: Mapping[str, Any], status: int) -> bytes:
        return write_event(gemini_error(error, status))

    def build_response(
        self, choices: Sequence[Iterable[Delta]], usage: TokenUsage
    ) -> dict[str, Any]:
        candidates = []
        for choice, message in enumerate(map(AssistantMessage.from_deltas, choices)):
            content = {"role": "model", "parts": _write_parts(message)}
            end = _write_end(message.reason, choice, message.notes, message.confidence)
            candidates.append({"content": content, **end})
        return {"candidates": candidates, "usageMetadata": write_usage(usage), **self.head}

    def _write_part(self, choice: int, part: Mapping[str, Any]) -> bytes:
        content = {"role": "model", "parts": [part]}
        return write_event({"candidates": [{"content": content, "index": choice}], **self.head})


def write_call(call: ToolCall) -> dict[str, Any]:
    """Write a call as a part of a content."""
    call_id = {"id": call.id} if call.id else {}
    return {"functionCall": {**call_id, "name": call.name, "args": call.arguments}}


def _write_parts(message: AssistantMessage) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    if message.thoughts:
        parts.append({"text": message.thoughts, "thought": True})
    if message.content:
        parts.append({"text": message.content})
    return parts + [write_call(call) for call in message.calls]


def _write_end(
    reason: str, choice: int, notes: Sequence[AnswerNote], confidence: float | None
) -> dict[str, Any]:
    ended = {"finishReason": _REASONS.get(reason, "STOP"), "index": choice}
    return {**ended, **write_extension(notes, confidence)}


def write_usage(usage: TokenUsage) -> dict[str, Any]:
    """Write token counts, which are in the format of chat completions."""
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    return {
        "promptTokenCount": usage.get("prompt_tokens", 0),
        "candidatesTokenCount": usage.get("completion_tokens", 0),
        "totalTokenCount": usage.get("total_tokens", 0),
        **({"cachedContentTokenCount": cached} if cached else {}),
    }


def gemini_error(error: Mapping[str, Any], status: int) -> dict[str, Any]:
    """Convert an error to the format of Google's APIs."""
    inner = error.get("error")
    fields = inner if isinstance(inner, Mapping) else {}
    if isinstance(fields.get("status"), str):  # Google's own error
        return {**error}
    kind = "INVALID_ARGUMENT" if status < 500 else "INTERNAL"
    converted = {
        "code": status,
        "message": str(fields.get("message") or inner or "the request failed"),
        "status": _STATUSES.get(status, kind),
    }
    partial = {"partial": error["partial"]} if "partial" in error else {}
    return {"error": converted, **partial}
