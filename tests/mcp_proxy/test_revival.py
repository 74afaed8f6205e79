"""Test that a dead server is started and initialized again, and gets the waiting requests."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lton.mcp_proxy.catalogue import ProxySettings
from lton.mcp_proxy.revival import RevivingProxy
from tests.mcp_proxy.test_catalogue import WEATHER, tool
from tests.mcp_proxy.test_proxy import Message, Pair, answer, call, error_of, note, request

ROOT = Path(__file__).parents[2]
HELLO = request(0, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={})
GREETING = {**HELLO, "id": "lton-mcp-proxy-initialize"}
GREETED = answer("lton-mcp-proxy-initialize", protocolVersion="2025-06-18")
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
START: tuple[str, Message] = ("start", {})


class Revived(Pair):
    """A proxy that has the client's `initialize` and the tools, and can restart its server."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.proxy: Any = RevivingProxy(ProxySettings(**options))
        self.ask(HELLO)
        self.tell(answer(0, protocolVersion="2025-06-18"))
        if options.get("mode") == "pass":
            self.ask(request(1, "tools/list"))
            self.listed = self.tell(answer(1, tools=[WEATHER]))
        else:
            self.listed = self.list(WEATHER)

    def start(self) -> list[tuple[str, Message]]:
        assert self.flat(self.proxy.iterate_greeting()) == [("server", GREETING)]
        return self.tell(GREETED)


@pytest.mark.parametrize("mode", ["line", "tools", "search", "pass"])
def test_the_list_is_answered_while_the_server_is_gone(mode: str) -> None:
    """While the server is gone, the known list is returned without a restart, but not from a
    cursor.
    """
    pair = Revived(mode=mode)
    assert pair.flat(pair.proxy.flush_all_as_failed()) == []
    ((to, list_answer),) = pair.ask(request(7, "tools/list"))
    ((_, earlier_answer),) = pair.listed
    assert (to, list_answer) == ("client", {**earlier_answer, "id": 7})
    assert pair.ask(request(8, "tools/list", cursor="b")) == [START]


def test_a_call_starts_the_server() -> None:
    """A call restarts the server and waits for `initialize`, and so do later requests."""
    pair = Revived()
    pair.ask(request(2, "prompts/list"))
    assert error_of(pair.flat(pair.proxy.flush_all_as_failed())) == (2, -32000, "E821")
    assert pair.ask(call(3, "weather Rome")) == [START]
    assert pair.ask(request(4, "prompts/list")) == []
    assert pair.ask(note("notifications/roots/list_changed")) == []
    assert pair.ask(request(5, "ping")) == []
    assert pair.ask(note("notifications/cancelled", requestId=5)) == []
    assert pair.ask(note("notifications/cancelled", requestId=[4])) == []
    assert pair.ask(note("notifications/cancelled")) == []
    assert pair.tell(answer("other")) == []
    messages = pair.start()
    assert messages[0] == ("server", INITIALIZED)
    assert [message["id"] for _, message in messages[1:]] == [3, 4]
    ((to, message),) = pair.tell(answer(4, prompts=[]))
    assert (to, message["id"]) == ("client", 4)
    ((_, listing),) = pair.ask(request(6, "tools/list"))
    assert pair.tell(answer(listing["id"], tools=[tool("stop")]))[0][1]["id"] == 6


@pytest.mark.parametrize("end", ["refused", "lost", "late"])
def test_a_server_that_does_not_start_is_an_error(end: str) -> None:
    """If the server does not start, all waiting requests fail, and the next request tries again."""
    pair = Revived()
    pair.flat(pair.proxy.flush_all_as_failed())
    assert pair.proxy.deadline == float("inf")
    assert pair.ask(request(3, "ping")) == [START]
    assert pair.proxy.deadline == 60
    if end == "refused":
        pair.flat(pair.proxy.iterate_greeting())
        refused = {"jsonrpc": "2.0", "id": GREETING["id"], "error": {"code": 1, "message": "no"}}
        messages = pair.tell(refused)
    else:
        assert pair.flat(pair.proxy.flush_overdue(59)) == []
        messages = pair.flat(
            pair.proxy.flush_all_as_failed() if end == "lost" else pair.proxy.flush_overdue(60)
        )
    assert error_of(messages) == (3, -32000, "E821")
    assert pair.ask(request(4, "ping")) == [START]


def test_few_requests_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a few requests may wait, and more are errors."""
    monkeypatch.setattr("lton.mcp_proxy.revival._WAITING", 1)
    pair = Revived()
    pair.flat(pair.proxy.flush_all_as_failed())
    assert pair.ask(request(3, "ping")) == [START]
    assert error_of(pair.ask(request(4, "ping"))) == (4, -32000, "E821")


def test_what_a_session_that_ended_refused_is_asked_again() -> None:
    """A request that an expired session refused is sent again; other requests are not, as they may
    have run.
    """
    pair = Revived()
    pair.ask(request(2, "prompts/list"))
    pair.ask(request(3, "ping"))
    messages = pair.flat(pair.proxy.iterate_sends_after_session(3, 0.0))
    assert error_of(messages[:1]) == (2, -32000, "E821")
    assert messages[1:] == [START]
    assert pair.start() == [("server", INITIALIZED), ("server", request(3, "ping"))]
    assert pair.flat(pair.proxy.iterate_sends_after_session(99, 0.0))[0][1]["id"] == 3


def test_a_list_that_a_session_refused_is_the_known_one() -> None:
    """A list that an expired session refused is answered with the known list."""
    pair = Revived()
    ((_, listing),) = pair.ask(request(2, "tools/list"))
    ((to, list_answer),) = pair.flat(pair.proxy.iterate_sends_after_session(listing["id"], 0.0))
    assert (to, list_answer["id"], list_answer["result"]) == (
        "client",
        2,
        pair.listed[0][1]["result"],
    )


def test_without_a_greeting_nothing_is_started() -> None:
    """Without an `initialize`, as in version 2026-07-28, the server is not restarted and requests
    fail.
    """
    pair = Pair()
    pair.proxy = RevivingProxy(ProxySettings())
    pair.flat(pair.proxy.flush_all_as_failed())
    assert error_of(pair.ask(request(3, "ping"))) == (3, -32000, "E821")


# --- over HTTP -----------------------------------------------------------------------------------

BEARER = 'Bearer resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource"'


class Handler(BaseHTTPRequestHandler):
    """An MCP server whose sessions expire, and which can refuse requests."""

    protocol_version = "HTTP/1.1"
    sessions = 0
    status = 200

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        self._answer(405, {})

    def do_DELETE(self) -> None:
        self._answer(200, {})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        number, method = request.get("id"), request["method"]
        cls = type(self)
        if cls.status in (401, 503):
            self._answer(cls.status, {"error": "no"}, {"WWW-Authenticate": BEARER})
        elif method == "initialize":
            cls.sessions += 1
            version = request["params"]["protocolVersion"]
            about = {"name": "h", "version": "1"}
            result = {
                "protocolVersion": version,
                "capabilities": {"tools": {}},
                "serverInfo": about,
            }
            self._answer(200, answer(number, **result), {"mcp-session-id": f"s{cls.sessions}"})
        elif self.headers.get("mcp-session-id") != f"s{cls.sessions}":
            self._answer(404, {"jsonrpc": "2.0", "error": {"code": -32001, "message": "none"}})
        elif number is None:
            self._answer(202, {})
        elif method == "tools/list":
            self._answer(200, answer(number, tools=[WEATHER]))
        else:
            self._answer(200, answer(number, content=[{"type": "text", "text": "ok"}]))

    def _answer(self, status: int, value: Message, headers: dict[str, str] | None = None) -> None:
        body = json.dumps(value).encode() if value else b""
        self.send_response(status)
        for name, text in ({"content-type": "application/json"} | (headers or {})).items():
            self.send_header(name, text)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def server() -> Iterator[str]:
    Handler.status, Handler.sessions = 200, 0
    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{served.server_port}/mcp"
    served.shutdown()
    served.server_close()


class Client:
    """A client of the proxy that writes and reads lines."""

    def __init__(self, url: str, mode: str, state: Path) -> None:
        command = [sys.executable, "-m", "lton", "mcp-proxy", "--mode", mode, url]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(state)},
        )
        self.greeted = self.ask(HELLO)
        self.tell(INITIALIZED)

    def tell(self, message: Message) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{json.dumps(message)}\n")
        self.process.stdin.flush()

    def ask(self, message: Message) -> Message:
        assert self.process.stdout is not None
        self.tell(message)
        for line in self.process.stdout:
            if (reply := json.loads(line)).get("id") == message["id"]:
                return dict(reply)
        raise AssertionError("the proxy ended")

    def end(self) -> str:
        return self.process.communicate()[1]


@pytest.mark.mcp
@pytest.mark.parametrize("mode", ["pass", "tools"])
def test_a_session_that_ended_is_begun_anew(mode: str, server: str, tmp_path: Path) -> None:
    """An expired session is renewed without the client noticing, and its call is answered."""
    client = Client(server, mode, tmp_path)
    client.ask(request(1, "tools/list"))
    weather = request(2, "tools/call", name="weather", arguments={"city": "Rome"})
    assert client.ask(weather)["result"]["content"][0]["text"] == "ok"
    Handler.sessions += 10  # it has forgotten this one
    for number in (3, 4):
        reply = client.ask({**weather, "id": number})
        assert reply["result"]["content"][0]["text"] == "ok"
    assert client.ask(request(5, "tools/list"))["result"]["tools"][0]["name"] == "weather"
    assert "Traceback" not in client.end()


@pytest.mark.mcp
@pytest.mark.parametrize("status", [401, 503])
def test_a_refusal_reaches_the_client_with_its_reason(
    status: int, server: str, tmp_path: Path
) -> None:
    """The status and the `WWW-Authenticate` of a refusal reach the client, and standard error
    once.
    """
    client = Client(server, "tools", tmp_path)
    client.ask(request(1, "tools/list"))
    Handler.status = status
    for number in (2, 3):
        error = client.ask(request(number, "tools/call", name="weather", arguments={}))["error"]
        assert f"the MCP server answers {status}" in error["message"]
        assert error["data"] == {"status": status, "www_authenticate": BEARER}
    Handler.status = 200
    assert "result" in client.ask(request(4, "tools/call", name="weather", arguments={}))
    assert client.end().count(BEARER) == 1


@pytest.mark.mcp
def test_a_refused_greeting_says_why(server: str, tmp_path: Path) -> None:
    """If `initialize` is refused, for example for a wrong token, the client gets the reason."""
    Handler.status = 401
    client = Client(server, "line", tmp_path)
    assert "401" in client.greeted["error"]["message"]
    assert BEARER in client.end()
