"""A server that answers as instructed: correctly, wrongly, slowly, or not at all."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Write: TypeAlias = Callable[["Handler"], None]
Answer: TypeAlias = Callable[[str, dict[str, Any]], "tuple[int, Any] | Write"]
"""From a path and a body to a status and JSON (or bytes), or to what writes to the connection."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: "Server"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        self.server.asked.append((self.path, body))
        self.server.headers.append(dict(self.headers))
        answer = self.server.answer(self.path, body)
        if callable(answer):
            self.close_connection = True
            try:
                answer(self)
            except OSError:  # the client has left
                return
        else:
            status, reply = answer
            data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # of five, the next waits a second for its connection

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.headers: list[dict[str, str]] = []
        self.over = threading.Event()
        self.connections: list[socket.socket] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    def get_request(self) -> Any:
        connection, address = super().get_request()
        self.connections.append(connection)
        return connection, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # connections that a client closes


@contextmanager
def serving(answer: Answer) -> Iterator[Server]:
    """Run a server while a block runs."""
    server = Server(answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        for connection in server.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        thread.join()


# --- well: a token for each byte, in the answers that the documentation of each server shows ------

Messages: TypeAlias = list[dict[str, Any]]


def tokens(text: str) -> list[int]:
    """Return the tokens of a byte vocabulary, in which `hello world` is two tokens and `<|end|>` is
    special.
    """
    return [0] * (len(text.replace("hello world", "hw").replace("<|end|>", "e").encode()))


def template(messages: Messages, tools: Messages | None = None) -> str:
    text = "".join(f"<|{message['role']}|>{message['content']}" for message in messages)
    return json.dumps(tools or "") + text + "<|assistant|>"


def llama_cpp(path: str, body: dict[str, Any]) -> tuple[int, Any]:
    """Answer like llama.cpp: a request without content gets no tokens, and no error."""
    if path == "/apply-template":
        return 200, {"prompt": template(body["messages"], body.get("tools"))}
    if path != "/tokenize":
        return 404, {"error": {"message": "File Not Found", "type": "not_found_error"}}
    content = body.get("content", "")
    ids: list[int] = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            is_special = body.get("parse_special", True)
            ids += tokens(part if is_special else part.replace("<|end|>", "<.end.>"))
        else:
            ids.append(part)
    return 200, {"tokens": ids}


def vllm(path: str, body: dict[str, Any]) -> tuple[int, Any]:
    """Answer like vLLM 0.11: `TokenizeResponse` of vllm/entrypoints/serve/tokenize/protocol.py."""
    if path != "/tokenize":
        return 404, {"detail": "Not Found"}
    text = body.get("prompt")
    if "messages" in body:
        text = template(body["messages"], body.get("tools"))
    if not isinstance(text, str):
        return 400, {"error": {"message": "validation error", "code": 400}}
    ids = tokens(text)
    more = {"max_model_len": 4096, "tokens": ids, "token_strs": None}
    return 200, {"count": len(ids), **more}


def sglang(path: str, body: dict[str, Any]) -> tuple[int, Any]:
    """Answer like SGLang: sglang/srt/entrypoints/openai/serving_tokenize.py."""
    if path not in ("/tokenize", "/v1/tokenize"):
        return 404, {"detail": "Not Found"}
    prompt = body.get("prompt")
    if isinstance(prompt, str):
        ids: Any = tokens(prompt)
        return 200, {"tokens": ids, "count": len(ids), "max_model_len": 4096}
    if not isinstance(prompt, list):
        return 400, {"object": "error", "message": "prompt: Field required", "code": 400}
    ids = [tokens(text) for text in prompt]
    return 200, {"tokens": ids, "count": [len(id_list) for id_list in ids], "max_model_len": 4096}


def anthropic(path: str, body: dict[str, Any]) -> tuple[int, Any]:
    """Answer like Anthropic's API: platform.claude.com, "Count tokens in a Message"."""
    if path != "/v1/messages/count_tokens":
        return 404, {"type": "error", "error": {"type": "not_found_error", "message": path}}
    members = {"model", "messages", "system", "tools"}
    roles = {message["role"] for message in body["messages"]}
    if set(body) - members or not roles <= {"user", "assistant"} or not body["messages"]:
        return 400, {"type": "error", "error": {"type": "invalid_request_error"}}
    if any(set(tool) != {"name", "description", "input_schema"} for tool in body.get("tools", [])):
        return 400, {"type": "error", "error": {"type": "invalid_request_error"}}
    text = body.get("system", "") + template(body["messages"], body.get("tools"))
    return 200, {"input_tokens": len(tokens(text))}


# --- wrongly: what writes to a connection ---------------------------------------------------------


def hang(handler: Handler) -> None:
    """Send no answer."""
    handler.server.over.wait(20)


def drip(handler: Handler) -> None:
    """Send an endless answer, byte by byte."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    _forever(handler, b" ")


def drip_headers(handler: Handler) -> None:
    """Send endless headers, byte by byte."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    _forever(handler, b"x")


def _forever(handler: Handler, byte: bytes) -> None:
    while not handler.server.over.wait(0.02):
        handler.wfile.write(byte)
        handler.wfile.flush()


def die(handler: Handler) -> None:
    """Close the connection in the middle of the answer."""
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"tokens":[1,')
    handler.wfile.flush()


def flood(handler: Handler) -> None:
    """Send an answer of a gigabyte."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
    while not handler.server.over.is_set():
        handler.wfile.write(b"[" * 2**16)
