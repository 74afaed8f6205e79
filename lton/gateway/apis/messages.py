"""Anthropic's messages API: read requests, write answers and errors.

A stream has the order that clients expect: the message starts; each block starts, grows and stops
before the next; the stop reason comes with the usage; the message stops.

A call is sent in one piece when it is complete, because clients repair and run incomplete JSON.
`lton.notes` of the end describes an incomplete call, and `stop_reason` says why it is incomplete.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from lton._json import minified
from lton.apis.names import new_id
from lton.apis.sse import PING, event
from lton.chat import (
    ArgumentsDelta,
    ContentDelta,
    Delta,
    Finish,
    ThoughtDelta,
    ToolCall,
    ToolCallEnd,
    ToolCallStart,
    from_anthropic,
)
from lton.gateway.apis.chat_writer import TokenUsage, extension
from lton.gateway.apis.choices import AnswerNote, notes_of
from lton.gateway.apis.client_requests import MAX_MESSAGES, MAX_TOOLS, ClientRequest, offered
from lton.gateway.apis.members import (
    Body,
    conversation_of,
    flag_of,
    list_of,
    messages_of,
    object_of,
    string_of,
    texts_of,
    whole_of,
    wrong,
)
from lton.gateway.apis.refusals import RefusedError, unsupported

PATH = "/v1/messages"
COUNT_PATH = f"{PATH}/count_tokens"
_PASSED_ON = ("model", "temperature", "top_p", "top_k")
"""Members that chat completions have, too."""
_STOP_REASONS = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def read_messages(body: Body, *, repeat: bool = False) -> ClientRequest:
    """Read a request of the messages API. `repeat` is the default of `repeat_tool_calls`.

    `thinking`, `metadata` and `service_tier` are not passed on to another API. Raises
    `RefusedError` with the name of a wrong or unsupported parameter.

    >>> wait = {"name": "wait", "input_schema": {"type": "object", "properties": {}}}
    >>> said = {"role": "user", "content": "Wait!"}
    >>> request = read_messages({"messages": [said], "tools": [wait], "max_tokens": 9})
    >>> request.choice, [tool.name for tool in request.tools], request.max_tokens
    ('auto', ['wait'], 9)
    """
    if body.get("container") is not None or body.get("mcp_servers"):
        raise unsupported("mcp_servers", "the client runs its tools: use --calls native")
    list_of(body, "messages", most=MAX_MESSAGES)
    system = body.get("system")
    if not isinstance(system, str | list | None):
        raise wrong("system", "a string, or a list of blocks")
    defined = list_of(body, "tools", empty=True, most=MAX_TOOLS)
    tools = [_definition(index, each) for index, each in enumerate(defined)]
    asked = body.get("tool_choice")
    shown, choice, allowed, answer = offered(tools, answer_schema(body), asked)
    parallel = not flag_of(object_of(body, "tool_choice"), "disable_parallel_tool_use")
    return ClientRequest(
        model=string_of(body, "model"),
        messages=(
            *conversation_of(partial(from_anthropic, system=system), (), "messages"),
            *messages_of(from_anthropic, body),
        ),
        tools=shown,
        callable=allowed,
        choice=choice,
        parallel=parallel and not answer,
        repeat_calls=flag_of(body, "repeat_tool_calls", default=repeat),
        answer=answer,
        stop=texts_of(body, "stop_sequences"),
        max_tokens=whole_of(body, "max_tokens"),
        stream=flag_of(body, "stream"),
        include_usage=True,
        rest={key: body[key] for key in _PASSED_ON if key in body},
        body=body,
    )


def _definition(index: int, tool: object) -> Mapping[str, Any]:
    if not isinstance(tool, dict):
        raise wrong(f"tools[{index}]", "an object")
    if (kind := tool.get("type") or "custom") != "custom":
        why = f"{kind!r} is not a tool that a client runs: use --calls native"
        raise unsupported(f"tools[{index}].type", why)
    kept = ("name", "description", "input_schema")
    return {key: tool[key] for key in kept if key in tool}


def answer_schema(body: Body) -> Body | None:
    """Return the schema that the answer must match, if requested."""
    match object_of(body, "output_config").get("format") or body.get("output_format"):
        case None:
            return None
        case {"type": "json_schema", "schema": dict(schema)}:
            return schema
    raise wrong("output_config.format", "json_schema with its schema")


class MessagesWriter:
    """Writes answers of the messages API: `write` each delta, then `finish`; or `response`."""

    def __init__(self, request: ClientRequest) -> None:
        self.head: dict[str, Any] = {
            "id": new_id("msg_"),
            "type": "message",
            "role": "assistant",
            "model": request.model,
        }
        self.content: list[dict[str, Any]] = []
        self.notes: list[AnswerNote] = []
        self.confidence: float | None = None
        self.end_reason: dict[str, Any] = {"stop_reason": None, "stop_sequence": None}
        self._pieces: list[str] = []
        self._is_open = self._has_begun = False

    def write(self, choice: int, delta: Delta) -> bytes:
        """Return the events of a delta. The API has one choice, whatever its index."""
        del choice
        self.notes += notes_of(delta)
        match delta:
            case ContentDelta(text):
                return self._grow("text", text)
            case ThoughtDelta(text):
                return self._grow("thinking", text)
            case ToolCallStart() | ArgumentsDelta():
                return self._stop()  # sent when complete
            case ToolCallEnd(_, call):
                return self._call(call)
            case Finish(reason, stop=stop):
                self.confidence = delta.confidence
                sequence = {"stop_reason": "stop_sequence", "stop_sequence": stop}
                found = {"stop_reason": _STOP_REASONS.get(reason, "end_turn")}
                self.end_reason |= sequence if stop else found
                return self._begin() + self._stop()
        return b""

    def finish(self, usage: TokenUsage) -> bytes:
        said = extension(self.notes, self.confidence)
        given = {"delta": {**self.end_reason, **said}, "usage": _usage(usage)}
        return self._begin() + _event("message_delta", **given) + _event("message_stop")

    def fail(self, refusal: RefusedError) -> bytes:
        return self._begin() + event(error_body(refusal), "error")

    def response(self, choices: Sequence[Iterable[Delta]], usage: TokenUsage) -> dict[str, Any]:
        for delta in choices[0]:
            self.write(0, delta)
        said = extension(self.notes, self.confidence)
        ended = {**self.end_reason, "usage": _usage(usage), **said}
        return {**self.head, "content": self.content, **ended}

    def _begin(self) -> bytes:
        if self._has_begun:
            return b""
        self._has_begun = True
        begun = {**self.head, "content": [], **self.end_reason, "usage": _usage({})}
        return _event("message_start", message=begun) + PING

    def _grow(self, kind: str, piece: str) -> bytes:
        begun = b""
        if not self._is_open or self.content[-1]["type"] != kind:
            empty = {"thinking": "", "signature": ""} if kind == "thinking" else {"text": ""}
            begun = self._stop() + self._open({"type": kind, **empty})
        self._pieces.append(piece)
        return begun + self._delta({"type": f"{kind}_delta", kind: piece})

    def _call(self, call: ToolCall) -> bytes:
        head = {"type": "tool_use", "id": call.id, "name": call.name}
        begun = self._open({**head, "input": {}})
        self.content[-1]["input"] = json.loads(call.written)
        grown = self._delta({"type": "input_json_delta", "partial_json": call.written})
        return begun + grown + self._stop()

    def _open(self, block: dict[str, Any]) -> bytes:
        begun = self._begin() + self._stop()
        self.content.append(block)
        self._pieces, self._is_open = [], True
        index = len(self.content) - 1
        return begun + _event("content_block_start", index=index, content_block=block)

    def _delta(self, delta: Mapping[str, Any]) -> bytes:
        return _event("content_block_delta", index=len(self.content) - 1, delta=delta)

    def _stop(self) -> bytes:
        if not self._is_open:
            return b""
        self._is_open = False
        block = self.content[-1]
        if block["type"] != "tool_use":
            block[block["type"]] = "".join(self._pieces)
        return _event("content_block_stop", index=len(self.content) - 1)


def _event(kind: str, **data: Any) -> bytes:
    return event({"type": kind, **data}, kind)


def _usage(usage: TokenUsage) -> dict[str, Any]:
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    return {
        "input_tokens": usage.get("prompt_tokens", 0) - cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": usage.get("completion_tokens", 0),
    }


_TOO_LONG = frozenset(["context_length_exceeded", "exceed_context_size_error"])
"""The error codes of OpenAI's API and llama.cpp for a prompt that exceeds the window."""


def error_body(refusal: RefusedError) -> dict[str, Any]:
    """Return an error in this API's shape.

    >>> error_body(RefusedError(429, "later"))["error"]
    {'type': 'rate_limit_error', 'message': 'later'}
    >>> full = RefusedError(400, "9 tokens", code="context_length_exceeded")
    >>> error_body(full)["error"]["message"]
    'prompt is too long: 9 tokens'
    """
    given = refusal.body
    if given.get("type") == "error":
        return given
    found = given.get("error")
    words = found.get("message") if isinstance(found, dict) else None
    words = words if isinstance(words, str) and words else minified(found or given)
    if isinstance(found, dict) and not _TOO_LONG.isdisjoint(map(str, found.values())):
        words = f"prompt is too long: {words}"  # by these words clients know that they must compact
    kind = "invalid_request_error" if refusal.status < 500 else "api_error"
    error = {"type": _ERROR_TYPES.get(refusal.status, kind), "message": words}
    partial = {"partial": refusal.partial} if refusal.partial else {}
    return {"type": "error", "error": error, **partial}
