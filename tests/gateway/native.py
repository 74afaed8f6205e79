"""A server that answers with given bytes, and events of three APIs for its answers."""

import json
from argparse import Namespace
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from lton.gateway.command import make_options

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
PATHS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
}
APIS = [*PATHS]
OSLO = '{"name": "weather", "arguments": {"city": "Oslo"}}'
WRITTEN = '{"city":"Oslo"}'


CALLED = {"chat": "tool_calls", "responses": "completed", "messages": "tool_use"}
ENDED = {"chat": "stop", "responses": "completed", "messages": "end_turn"}
Serve: TypeAlias = Callable[..., httpx2.Client]
"""Gets a client of a gateway with some options before the server."""


@dataclass
class Raw:
    """The answers of the server, and the received requests, as bytes."""

    chunks: list[bytes] = field(default_factory=list)
    turns: list[list[bytes]] = field(default_factory=list)
    """What it says to each request in turn, in place of `chunks`."""
    wholes: list[bytes] = field(default_factory=list)
    """What it answers to each request in turn without a stream, in place of `whole`."""
    statuses: list[int] = field(default_factory=list)
    """The status of each answer in turn, in place of `status`."""
    sent: list[bytes] = field(default_factory=list)
    """The bytes of each answer that streamed."""
    whole: bytes = b""
    """What it answers without a stream."""
    status: int = 200
    breaks: bool = False
    more: Mapping[str, str] = field(default_factory=dict)
    """More headers."""
    bodies: list[bytes] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    async def answer(self, request: Request) -> Response:
        self.bodies.append(await request.body())
        self.headers.append(dict(request.headers))
        self.paths.append(f"{request.url.path}?{request.url.query}".rstrip("?"))
        more = {
            "x-ratelimit-remaining": "7",
            "request-id": "req_1",
            "set-cookie": "no=1",
            **self.more,
        }
        status = self.statuses.pop(0) if self.statuses else self.status
        if status != 200 or not json.loads(self.bodies[-1]).get("stream"):
            whole = self.wholes.pop(0) if self.wholes else self.whole
            return Response(whole, status, more, media_type="application/json")
        return StreamingResponse(self._stream(), 200, more, media_type="text/event-stream")

    async def _stream(self) -> AsyncIterator[bytes]:
        chunks = self.turns.pop(0) if self.turns else self.chunks
        self.sent.append(b"".join(chunks))
        for chunk in chunks:
            yield chunk
        if self.breaks:
            raise ConnectionError("as it was told")

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[Route(path, self.answer, methods=["POST"]) for path in PATHS.values()]
        )


def options(upstream: str, **more: Any) -> Namespace:
    defaults = {
        "upstream": upstream,
        "model": None,
        "upstream_key": None,
        "upstream_api": None,
        "engine": "plain",
        "calls": "native",
        "strict": "auto",
        "results": "as-is",
        "api_key": None,
        "tokenizer": "bytes",
        "log": None,
        "dry_run": False,
        "retry": 0,
    }
    return make_options(**defaults | more)


# --- requests -------------------------------------------------------------------------------------


def tool(api: str, name: str, schema: Any = CITY) -> dict[str, Any]:
    if api == "messages":
        return {"name": name, "description": "d", "input_schema": schema}
    function = {"name": name, "description": "d", "parameters": schema}
    return {"type": "function", **({"function": function} if api == "chat" else function)}


def request(api: str, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "Is it cold in Oslo?"}]
    body: dict[str, Any] = {"model": "m", "input" if api == "responses" else "messages": messages}
    if api == "messages":
        body["max_tokens"] = 100
    return {**body, "tools": [tool(api, "weather"), tool(api, "stop", {"type": "object"})], **more}


# --- answers --------------------------------------------------------------------------------------


def sse(data: Any, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def pieces(text: str, size: int = 3) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def stream(api: str, text: str = "", calls: Any = (), reason: str = "stop") -> list[bytes]:
    """Return the events of an answer, as the servers of an API write them."""
    return {"chat": _chat, "responses": _responses, "messages": _messages}[api](text, calls, reason)


def _chat(text: str, calls: Any, reason: str) -> list[bytes]:
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}

    def chunk(delta: Any, why: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": why}
        return sse({**head, "choices": [choice], "strange": 1})

    deltas = [chunk({"role": "assistant", "content": ""})]
    deltas += [chunk({"content": piece}) for piece in pieces(text)]
    for index, (name, arguments) in enumerate(calls):
        function = {"name": name, "arguments": ""}
        opener = {"index": index, "id": f"call_{index}", "type": "function", "function": function}
        deltas.append(chunk({"tool_calls": [opener]}))
        for piece in pieces(arguments):
            deltas.append(
                chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
            )
    deltas.append(chunk({}, "tool_calls" if calls else reason))
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    deltas.append(sse({**head, "choices": [], "usage": usage}))
    return [*deltas, b"data: [DONE]\n\n"]


def _responses(text: str, calls: Any, reason: str) -> list[bytes]:
    head = {"id": "resp_1", "object": "response", "model": "m", "created_at": 1}
    events: list[tuple[str, Any]] = []
    output: list[Any] = []
    opening = {**head, "status": "in_progress", "output": []}
    events.append(("response.created", {"response": opening}))
    if text:
        item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed"}
        position = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        part = {"type": "output_text", "text": text, "annotations": []}
        events.append(
            ("response.output_item.added", {"output_index": 0, "item": {**item, "content": []}})
        )
        events.append(("response.content_part.added", {**position, "part": {**part, "text": ""}}))
        events += [
            ("response.output_text.delta", {**position, "delta": piece}) for piece in pieces(text)
        ]
        events.append(("response.output_text.done", {**position, "text": text}))
        events.append(("response.content_part.done", {**position, "part": part}))
        output.append({**item, "content": [part]})
        events.append(("response.output_item.done", {"output_index": 0, "item": output[0]}))
    for index, (name, arguments) in enumerate(calls):
        at = len(output)
        item = {"id": f"fc_{index}", "type": "function_call", "call_id": f"call_{index}"}
        item |= {"name": name, "arguments": arguments, "status": "completed"}
        position = {"item_id": item["id"], "output_index": at}
        added = {**item, "arguments": "", "status": "in_progress"}
        events.append(("response.output_item.added", {"output_index": at, "item": added}))
        kind = "response.function_call_arguments"
        events += [(f"{kind}.delta", {**position, "delta": piece}) for piece in pieces(arguments)]
        events.append((f"{kind}.done", {**position, "arguments": arguments}))
        events.append(("response.output_item.done", {"output_index": at, "item": item}))
        output.append(item)
    status = "completed" if reason == "stop" else "incomplete"
    usage = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    last = {**head, "status": status, "output": output, "usage": usage}
    events.append((f"response.{status}", {"response": last}))
    return [
        sse({"type": kind, "sequence_number": number, **data}, kind)
        for number, (kind, data) in enumerate(events)
    ]


def _messages(text: str, calls: Any, reason: str) -> list[bytes]:
    usage = {"input_tokens": 7, "output_tokens": 1}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    opening = {**head, "stop_reason": None, "stop_sequence": None, "usage": usage}
    events: list[tuple[str, Any]] = [("message_start", {"message": opening}), ("ping", {})]
    blocks: list[tuple[Any, list[Any]]] = []
    if text:
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces(text)]
        blocks.append(({"type": "text", "text": ""}, deltas))
    for index, (name, arguments) in enumerate(calls):
        deltas = [
            {"type": "input_json_delta", "partial_json": piece} for piece in pieces(arguments)
        ]
        use = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
        blocks.append((use, deltas))
    for index, (block, deltas) in enumerate(blocks):
        events.append(("content_block_start", {"index": index, "content_block": block}))
        events += [("content_block_delta", {"index": index, "delta": delta}) for delta in deltas]
        events.append(("content_block_stop", {"index": index}))
    why = "tool_use" if calls else {"stop": "end_turn", "length": "max_tokens"}[reason]
    delta = {"stop_reason": why, "stop_sequence": None}
    events.append(("message_delta", {"delta": delta, "usage": {"output_tokens": 3}}))
    events.append(("message_stop", {}))
    return [sse({"type": kind, **data}, kind) for kind, data in events]


def whole(api: str, text: str = "", calls: Any = (), reason: str = "stop") -> bytes:
    """Return a complete answer with white space that no JSON printer of ours writes."""
    if api == "chat":
        tool_calls = [
            {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": json_}}
            for n, (name, json_) in enumerate(calls)
        ]
        message = {
            "role": "assistant",
            "content": text,
            **({"tool_calls": tool_calls} if tool_calls else {}),
        }
        why = "tool_calls" if calls else reason
        choice = {"index": 0, "message": message, "finish_reason": why}
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        body = {"id": "c1", "object": "chat.completion", "choices": [choice], "usage": usage}
        return json.dumps({**body, "created": 1, "model": "m"}, indent=1).encode()
    last = "response" if api == "responses" else ""
    *_, end = (json.loads(event.split(b"data: ")[1]) for event in stream(api, text, calls, reason))
    if last:
        return json.dumps(end["response"], indent=1).encode()
    content: list[Any] = [{"type": "text", "text": text}] * bool(text)
    content += [
        {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": json.loads(arguments)}
        for n, (name, arguments) in enumerate(calls)
    ]
    why = "tool_use" if calls else {"stop": "end_turn", "length": "max_tokens"}[reason]
    usage = {"input_tokens": 7, "output_tokens": 3}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m"}
    end = {"content": content, "stop_reason": why, "stop_sequence": None, "usage": usage}
    return json.dumps({**head, **end}, indent=1).encode()


# --- what clients read ----------------------------------------------------------------------------


def objects(data: bytes) -> list[dict[str, Any]]:
    """Return the objects in a stream."""
    lines = [line[6:] for line in data.decode().split("\n") if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def read(api: str, data: bytes) -> tuple[str, list[tuple[str, str]], str]:
    """Return the text, the calls and the finish reason of a stream, as strict clients join them."""
    return {"chat": _read_chat, "responses": _read_responses, "messages": _read_messages}[api](
        objects(data)
    )


def _read_chat(events: list[Any]) -> tuple[str, list[tuple[str, str]], str]:
    calls: list[list[str]] = []
    text, reason, roles = "", "", 0
    for event in events:
        for choice in event.get("choices", ()):
            delta, reason = choice["delta"], choice["finish_reason"] or reason
            roles += "role" in delta
            text += delta.get("content") or ""
            for call in delta.get("tool_calls", ()):
                if call["index"] == len(calls):
                    assert call["id"]
                    assert call["type"] == "function"
                    calls.append([call["function"]["name"], ""])
                assert call["index"] == len(calls) - 1
                calls[-1][1] += call["function"].get("arguments", "")
    assert roles == 1
    return text, [(name, arguments) for name, arguments in calls], reason


def _read_responses(events: list[Any]) -> tuple[str, list[tuple[str, str]], str]:
    numbers = [event["sequence_number"] for event in events]
    assert numbers == sorted(set(numbers))
    added = [event for event in events if event["type"] == "response.output_item.added"]
    assert [event["output_index"] for event in added] == list(range(len(added)))
    last = events[-1]["response"]
    items = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    assert items == last["output"]
    text = "".join(
        event["delta"] for event in events if event["type"] == "response.output_text.delta"
    )
    calls = []
    for item in items:
        if item["type"] == "function_call":
            assert item["call_id"]
            deltas = [
                event["delta"]
                for event in events
                if event["type"] == "response.function_call_arguments.delta"
                and event["item_id"] == item["id"]
            ]
            assert "".join(deltas) == item["arguments"]
            calls.append((item["name"], item["arguments"]))
    return text, calls, last["status"]


def _read_messages(events: list[Any]) -> tuple[str, list[tuple[str, str]], str]:
    blocks: list[list[Any]] = []
    reason = ""
    for event in events:
        match event["type"]:
            case "content_block_start":
                assert event["index"] == len(blocks)
                blocks.append([event["content_block"], ""])
            case "content_block_delta":
                assert event["index"] == len(blocks) - 1
                delta = event["delta"]
                blocks[-1][1] += delta.get("text", "") + delta.get("partial_json", "")
            case "message_delta":
                reason = event["delta"]["stop_reason"]
    assert events[-1]["type"] == "message_stop"
    text = "".join(part for block, part in blocks if block["type"] == "text")
    uses = [(block, part) for block, part in blocks if block["type"] == "tool_use"]
    assert all(block["id"] for block, _ in uses)
    return text, [(block["name"], part) for block, part in uses], reason


def calls_of(api: str, answer: Any) -> list[tuple[str, Any]]:
    """Return the calls of an answer that has no text and the finish reason for calls."""
    if api == "chat":
        (choice,) = answer["choices"]
        assert choice["finish_reason"] == "tool_calls"
        assert choice["message"]["content"] is None
    kinds = {item["type"] for item in answer.get("output", answer.get("content", ()))}
    assert kinds == {"chat": set(), "responses": {"function_call"}, "messages": {"tool_use"}}[api]
    assert answer.get("stop_reason", "tool_use") == "tool_use"
    return calls_in(api, answer)


def calls_in(api: str, answer: Any) -> list[tuple[str, Any]]:
    """Return the calls of an answer, which may also have text."""
    match api:
        case "chat":
            calls = [call["function"] for call in answer["choices"][0]["message"]["tool_calls"]]
        case "responses":
            calls = [item for item in answer["output"] if item["type"] == "function_call"]
        case _:
            uses = [block for block in answer["content"] if block["type"] == "tool_use"]
            return [(use["name"], use["input"]) for use in uses]
    return [(call["name"], json.loads(call["arguments"])) for call in calls]


# --- asking ---------------------------------------------------------------------------------------


@contextmanager
def count_increase(client: httpx2.Client) -> Iterator[dict[str, float]]:
    """Return the increase of the counts."""
    grown: dict[str, float] = {}
    before = _figures(client)
    yield grown
    after = _figures(client)
    grown.update({k: v - before.get(k, 0) for k, v in after.items() if v != before.get(k, 0)})


def _figures(client: httpx2.Client) -> dict[str, float]:
    lines = client.get("/metrics").text.split("\n")
    pairs = (line.rpartition(" ") for line in lines if line.startswith("lton_"))
    return {name: float(value) for name, _, value in pairs}


def post(client: httpx2.Client, api: str, body: Any, **headers: str) -> httpx2.Response:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post(
        PATHS[api], content=data, headers={"content-type": "application/json", **headers}
    )
