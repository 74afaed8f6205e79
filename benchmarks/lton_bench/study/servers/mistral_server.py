"""Serve a model by the Python package of mistral.rs, which has no server of its own.

The package renders the tools, samples, and parses the calls. This module only translates between
its classes and the chat completions API, so a streamed answer comes in one chunk.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from lton_bench.internals import require

__all__ = ["serving"]

_PASSED = ("max_tokens", "temperature")
_JSON, _EVENTS = "application/json", "text/event-stream"


@contextmanager
def serving(file: Path) -> Iterator[str]:
    """Serve a GGUF file for the duration of a block, and yield the address."""
    library, lock = require("mistralrs", "mistralrs>=0.9.5,<0.10"), Lock()
    which = library.Which.GGUF(
        tok_model_id=None, quantized_model_id=str(file.parent), quantized_filename=file.name
    )
    runner = library.Runner(which=which)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            is_known = self.path == "/v1/models"
            self._reply(200 if is_known else 404, {"data": [{"id": "default", "object": "model"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path != "/v1/chat/completions":
                return self._reply(404, {"error": {"message": "only chat completions"}})
            try:
                with lock:
                    response = runner.send_chat_completion_request(_request(library, body))
            except ValueError as error:
                return self._reply(400, {"error": {"message": str(error)}})
            return self._reply(200, _answer(response, stream=bool(body.get("stream"))))

        def _reply(self, status: int, value: Mapping[str, Any]) -> None:
            data, kind = json.dumps(value).encode(), _JSON
            if value.get("object") == "chat.completion.chunk":
                data, kind = b"data: %s\n\ndata: [DONE]\n\n" % data, _EVENTS
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def _request(library: Any, body: Mapping[str, Any]) -> Any:
    more = {name: body[name] for name in _PASSED if name in body}
    if body.get("tools"):
        is_none = body.get("tool_choice") == "none"
        more["tool_schemas"] = [json.dumps(tool) for tool in body["tools"]]
        more["tool_choice"] = library.ToolChoice.NoTools if is_none else library.ToolChoice.Auto
    return library.ChatCompletionRequest(model="default", messages=body["messages"], **more)


def _answer(response: Any, *, stream: bool) -> dict[str, Any]:
    """Return a response of the package as a completion, or as the only chunk of a stream."""
    [choice] = response.choices
    answer = choice.message
    calls = [
        {
            "index": number,
            "id": call.id,
            "type": "function",
            "function": {"name": call.function.name, "arguments": call.function.arguments},
        }
        for number, call in enumerate(answer.tool_calls or ())
    ]
    message = {"role": "assistant", "content": answer.content}
    message |= {"tool_calls": calls} if calls else {}
    usage = {name: getattr(response.usage, name) for name in ("prompt_tokens", "completion_tokens")}
    return {
        "id": "chatcmpl-0",
        "object": "chat.completion.chunk" if stream else "chat.completion",
        "created": 0,
        "model": "default",
        "choices": [
            {
                "index": 0,
                "delta" if stream else "message": message,
                "finish_reason": choice.finish_reason,
            }
        ],
        "usage": usage | {"total_tokens": sum(usage.values())},
    }
