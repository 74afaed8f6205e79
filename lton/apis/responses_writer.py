"""Write answers as items of OpenAI's responses API, either complete or as a stream of events.

Each item is added, grows and is done before the next item is added. Events are numbered, and the
last event repeats the whole answer. If a limit cuts an item, the item is done and the answer is
incomplete. A complete answer never contains an incomplete call. A stream may have added the item of
such a call. The item then ends as incomplete, with arguments that are not valid JSON, and the last
event omits it. `lton.notes` describes the call.
"""

from collections.abc import Iterable, Mapping, Sequence
from time import time
from types import MappingProxyType
from typing import Any

from lton.apis.answer_notes import AnswerNote, iterate_notes_of_delta, write_extension
from lton.apis.answers import AnswerWriter, TokenUsage
from lton.apis.endings import ending_of
from lton.apis.ids import new_id
from lton.apis.sse import write_event
from lton.chat import (
    ArgumentsDelta,
    ContentDelta,
    Delta,
    Finish,
    ThoughtDelta,
    ToolCallEnd,
    ToolCallStart,
)
from lton.chat.deltas import OpaqueDelta

_NULLS = (
    "instructions max_output_tokens max_tool_calls previous_response_id prompt_cache_key reasoning"
    " safety_identifier user".split()
)
_UNASKED: dict[str, Any] = {
    **dict.fromkeys(_NULLS),
    "background": False,
    "frequency_penalty": 0,
    "metadata": {},
    "presence_penalty": 0,
    "service_tier": "default",
    "temperature": 1,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_logprobs": 0,
    "top_p": 1,
    "truncation": "disabled",
}
"""Members that an answer repeats from its request, with defaults. Clients that validate answers
against the schema of Open Responses require all of them."""
_UNSAID_OF_TOOLS = {"description": None, "parameters": None, "strict": None}


class ResponsesWriter(AnswerWriter):
    """Writes streams with `write_delta` and `write_end`, and complete answers with `response`.

    The answer repeats members of the request's `body`. `spaces` are the namespaces of functions,
    and `names` the client's names of functions that have other names in the deltas.
    """

    def __init__(
        self,
        model: str = "",
        body: Mapping[str, Any] = MappingProxyType({}),
        *,
        parallel: bool = True,
        spaces: Mapping[str, str] = MappingProxyType({}),
        names: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.spaces = spaces
        self.names = names
        self.head: Mapping[str, Any] = {
            "id": new_id("resp_"),
            "object": "response",
            "created_at": int(time()),
            "model": model,
            "parallel_tool_calls": parallel,
            "store": False,
            **_UNASKED,
            **{key: field for key in _UNASKED if (field := body.get(key)) is not None},
            "tools": [_UNSAID_OF_TOOLS | tool for tool in body.get("tools") or ()],
        }
        self.number = 0
        self.output_index = 0  # the index of the next item
        self.notes: list[AnswerNote] = []
        self.output: list[dict[str, Any]] = []
        self.open: dict[str, Any] | None = None
        self.pieces: list[str] = []
        self.reason = "stop"
        self.confidence: float | None = None

    def write_delta(self, choice: int, delta: Delta) -> bytes:  # noqa: PLR0911 - one a kind
        """Return the events for a delta. Every answer has one choice."""
        del choice
        self.notes += iterate_notes_of_delta(delta)
        match delta:
            case ContentDelta(text):
                return self._write_item_start("message") + self._write_piece(
                    "output_text", text, logprobs=[]
                )
            case ThoughtDelta(text):
                return self._write_item_start("reasoning") + self._write_piece(
                    "reasoning_text", text
                )
            case ToolCallStart(_, call_id, name):
                item = {"call_id": call_id, "name": self.names.get(name, name), "arguments": ""}
                if name in self.spaces:
                    item["namespace"] = self.spaces[name]
                return self._write_item_end() + self._new_item("function_call", "fc_", item)
            case ArgumentsDelta(_, json):
                return self._write_piece("function_call_arguments", json)
            case ToolCallEnd():
                return self._write_item_end(ended=True)
            case OpaqueDelta(item, is_whole):
                is_open = self.open is not None and self.open.get("id") == item.get("id")
                opening = b"" if is_open else self._write_item_end() + self._write_added_item(item)
                return opening + (self._write_item_end(whole=item) if is_whole else b"")
            case Finish(reason):
                self.reason = reason
                self.confidence = delta.confidence
                return self._write_beginning() + self._write_item_end(
                    cut=ending_of(reason).incomplete is not None
                )
        return b""

    def write_end(self, usage: TokenUsage | None) -> bytes:
        response = self._write_response(usage)
        return self._write_event(f"response.{response['status']}", response=response)

    def write_failure(self, error: Mapping[str, Any], status: int) -> bytes:  # noqa: ARG002
        error = {"code": "server_error", "message": str(error["error"].get("message"))}
        failed = self._write_response(None) | {
            "status": "failed",
            "completed_at": None,
            "error": error,
        }
        return self._write_beginning() + self._write_event("response.failed", response=failed)

    def build_response(
        self, choices: Sequence[Iterable[Delta]], usage: TokenUsage
    ) -> dict[str, Any]:
        for delta in choices[0]:
            self.write_delta(0, delta)
        return self._write_response(usage)

    # --- events -----------------------------------------------------------------------------------

    def _write_event(self, kind: str, **data: Any) -> bytes:
        self.number += 1
        return write_event({"type": kind, "sequence_number": self.number - 1, **data}, kind)

    def _write_beginning(self) -> bytes:
        if self.number:
            return b""
        response = self._write_response(None) | {
            "status": "in_progress",
            "completed_at": None,
            "output": [],
        }
        words = ("response.created", "response.in_progress")
        return b"".join(self._write_event(word, response=response) for word in words)

    def _write_item_start(self, kind: str) -> bytes:
        """Open an item of this type, unless one is already open."""
        if self.open and self.open["type"] == kind:
            return b""
        before = self._write_item_end()
        if kind == "reasoning":
            return before + self._new_item(kind, "rs_", {"summary": [], "content": []})
        added = self._new_item(kind, "msg_", {"role": "assistant", "content": []})
        part = self._write_event(
            "response.content_part.added", **self._add_item_position(part=_text_part(""))
        )
        return before + added + part

    def _new_item(self, kind: str, prefix: str, item: Mapping[str, Any]) -> bytes:
        return self._write_added_item(
            {"type": kind, "id": new_id(prefix), "status": "in_progress", **item}
        )

    def _write_added_item(self, item: Mapping[str, Any]) -> bytes:
        opening = self._write_beginning()
        self.open = {**item}
        self.pieces = []
        added = self._write_event(
            "response.output_item.added", output_index=self.output_index, item=self.open
        )
        return opening + added

    def _write_piece(self, kind: str, piece: str, **more: Any) -> bytes:
        self.pieces.append(piece)
        return self._write_event(
            f"response.{kind}.delta", **self._add_item_position(delta=piece, **more)
        )

    def _write_item_end(
        self, *, cut: bool = False, ended: bool = False, whole: Mapping[str, Any] | None = None
    ) -> bytes:
        """Close the open item, if any. A call is complete only if it has `ended`.

        `whole` is the item as the upstream wrote it.
        """
        if (item := self.open) is None:
            return b""
        text = "".join(self.pieces)
        events = b""
        match item["type"]:
            case "message":
                item["content"] = [_text_part(text)]
                fields = self._add_item_position(text=text, logprobs=[])
                events = self._write_event("response.output_text.done", **fields)
                events += self._write_event(
                    "response.content_part.done", **self._add_item_position(part=_text_part(text))
                )
            case "reasoning":
                item["content"] = [{"type": "reasoning_text", "text": text}]
                events = self._write_event(
                    "response.reasoning_text.done", **self._add_item_position(text=text)
                )
            case "function_call":
                item["arguments"] = text
                fields = self._add_item_position(arguments=text, name=item["name"])
                events = self._write_event("response.function_call_arguments.done", **fields)
        is_broken = item["type"] == "function_call" and not ended
        item["status"] = "incomplete" if cut or is_broken else "completed"
        item = {**whole} if whole else item
        events += self._write_event(
            "response.output_item.done", output_index=self.output_index, item=item
        )
        self.output_index += 1
        if not is_broken:
            self.output.append(item)
        self.open = None
        return events

    def _add_item_position(self, **data: Any) -> dict[str, Any]:
        item = self.open or {}
        position = {"item_id": item.get("id"), "output_index": self.output_index}
        return (
            position | ({} if item.get("type") == "function_call" else {"content_index": 0}) | data
        )

    def _write_response(self, usage: TokenUsage | None) -> dict[str, Any]:
        why = ending_of(self.reason).incomplete
        cut = {"reason": why} if why else None
        return {
            **self.head,
            "status": "incomplete" if cut else "completed",
            "completed_at": None if cut else int(time()),
            "error": None,
            "incomplete_details": cut,
            "output": self.output,
            "usage": usage and write_usage(usage),
            **write_extension(self.notes, self.confidence),
        }


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def write_usage(usage: TokenUsage) -> dict[str, Any]:
    """Convert token counts in OpenAI's format."""
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    return {
        "input_tokens": usage["prompt_tokens"],
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": usage["completion_tokens"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage["total_tokens"],
    }
