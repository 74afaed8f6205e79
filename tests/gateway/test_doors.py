"""Test access: paths, hosts, pages in browsers, content types, keys, sizes and times."""

import gc
import json
import socket
import threading
import time
from argparse import Namespace
from functools import partial
from http.client import HTTPResponse
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from lton.apis import chat_api
from lton.apis.chat_api import read_chat
from lton.apis.client_requests import ClientRequest
from lton.apis.members import Body
from lton.apis.refusals import RefusedError
from lton.gateway import bodies
from lton.gateway.handling import GatewayState
from lton.gateway.serving import build_application
from tests.gateway.conftest import JSON, TOOLS, Script, Served, chat, events
from tests.gateway.test_serve import PATH

SECRETS = [
    "/v1/../secret",
    "/v1/x/../../secret",
    "/v1/./models",
    "/v1/%2e%2e/secret",
    "/v1/.%2E/secret",
    "/v1/..%2fsecret",
    "/v1/%252e%252e/secret",
    "/v1/..%5csecret",
    "/v1/..;/secret",
    "/v1/%c0%ae%c0%ae/secret",
    "/v1/%25252525252e/secret",
    "/v1/a%0d%0ab",
]


def raw(url: str, head: str, body: bytes = b"") -> tuple[int, Any]:
    """Send a request as raw bytes, and return the status and the JSON."""
    address = urlsplit(url)
    assert address.hostname
    with socket.create_connection((address.hostname, address.port or 0), timeout=20) as connection:
        text = f"{head}\r\nConnection: close\r\n\r\n"
        connection.sendall(text.encode("latin-1") + body)
        answer = HTTPResponse(connection)
        answer.begin()
        return answer.status, json.loads(answer.read())


@pytest.mark.parametrize("path", SECRETS)
def test_a_path_does_not_leave_its_folder(url: str, script: Script, path: str) -> None:
    status, error = raw(url, f"GET {path} HTTP/1.1\r\nHost: localhost")

    assert (status, error["error"]["code"]) == (400, "invalid_path")
    assert script.asked == []


@pytest.mark.parametrize(
    "path",
    [
        *("/v1/models", "/models", "/embeddings", "/v1/a..b/.c"),
        "/chat/completions/input_tokens",
    ],
)
def test_paths_of_the_api_are_served(client: httpx2.Client, script: Script, path: str) -> None:
    script.reply = {"data": []}
    assert client.get(path).status_code == (404 if ".." in path else 200)


@pytest.mark.parametrize("path", [PATH, "/chat/completions"])
def test_an_endpoint_is_served_with_and_without_its_version(
    client: httpx2.Client, script: Script, path: str
) -> None:
    script.pieces = ["!call stop()"]
    choice = client.post(path, json=chat()).json()["choices"][0]
    assert choice["message"]["tool_calls"][0]["function"]["name"] == "stop"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/slots", 404), ("POST", "/tokenize", 404), ("PUT", "/v1/models", 405)],
)
def test_what_is_not_served_is_said_in_json(
    client: httpx2.Client, script: Script, method: str, path: str, status: int
) -> None:
    reply = client.request(method, path)

    assert reply.status_code == status
    assert f"{method} {path}" in reply.json()["error"]["message"]
    assert ("below /v1/" in reply.text) == (status == 404)
    assert script.asked == []


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.example", 403),
        ("evil.example:80", 403),
        ("localhost.evil.example", 403),
        ("10.1.2.3", 403),
        ("localhost:8000", 200),
        ("LOCALHOST", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("agent.localhost", 200),
    ],
)
@pytest.mark.parametrize("path", ["/health", "/v1/models"])
def test_a_host_has_to_be_named(
    client: httpx2.Client, script: Script, host: str, status: int, path: str
) -> None:
    script.reply = {}
    assert client.get(path, headers={"host": host}).status_code == status


def test_hosts_and_pages_are_let_in_by_name(
    options: Namespace, script: Script, request: pytest.FixtureRequest
) -> None:
    options.allow_host, options.allow_origin = "gateway, b.example", "http://page.example"
    client: httpx2.Client = request.getfixturevalue("client")
    script.reply = {}
    for host, status in (("gateway:80", 200), ("B.example", 200), ("c.example", 403)):
        assert client.get("/v1/models", headers={"host": host}).status_code == status
    page = {"origin": "http://page.example", "access-control-request-method": "POST"}
    reply = client.options(PATH, headers={**page, "access-control-request-headers": "x-a"})
    assert reply.headers["access-control-allow-origin"] == "http://page.example"
    assert client.get("/v1/models", headers=page).status_code == 200
    assert client.get("/v1/models", headers={"origin": "http://c.example"}).status_code == 403


def test_on_a_network_it_is_called_by_addresses(
    options: Namespace, request: pytest.FixtureRequest
) -> None:
    options.host = "0.0.0.0"
    client: httpx2.Client = request.getfixturevalue("client")
    for host, status in (("10.1.2.3:8000", 200), ("localhost", 200), ("evil.example", 403)):
        assert client.get("/health", headers={"host": host}).status_code == status


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1.evil:80"])
def test_a_foreign_page_is_refused(client: httpx2.Client, script: Script, origin: str) -> None:
    reply = client.post(PATH, json=chat(), headers={"origin": origin})

    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "origin_not_allowed")
    assert "access-control-allow-origin" not in reply.headers
    assert script.asked == []


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", None])
@pytest.mark.parametrize("path", [PATH, "/v1/responses", "/v1/embeddings"])
def test_a_body_is_json(client: httpx2.Client, script: Script, kind: str | None, path: str) -> None:
    headers = {"content-type": kind} if kind else {}

    reply = client.post(path, content=json.dumps(chat()), headers=headers)

    assert (reply.status_code, reply.json()["error"]["code"]) == (415, "unsupported_media_type")
    assert script.asked == []


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400"])
@pytest.mark.parametrize("tools", [True, False])
def test_what_is_no_number_is_no_json(
    client: httpx2.Client, script: Script, number: str, tools: bool
) -> None:
    body = json.dumps(chat(temperature="T") if tools else {"messages": [], "temperature": "T"})

    reply = client.post(PATH, content=body.replace('"T"', number), headers=JSON)

    assert reply.status_code == 400
    assert script.asked == []


def test_a_scheme_is_read_in_any_case(options: Namespace, request: pytest.FixtureRequest) -> None:
    options.api_key = "sécret"
    url: str = request.getfixturevalue("url")
    for scheme, key, status in (
        ("bearer", "sécret", 400),
        ("BEARER", "sécret", 400),
        ("Bearer", "wrong", 401),
        ("Basic", "sécret", 401),
    ):
        credentials = f"{scheme} {key}".encode().decode("latin-1")
        head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        code, _ = raw(url, f"{head}Authorization: {credentials}\r\nContent-Length: 2", b"[]")
        assert code == status


@pytest.mark.parametrize(
    ("path", "headers", "words"),
    [
        (PATH, {"content-type": "application/x-www-form-urlencoded"}, "-H 'Content-Type: app"),
        (PATH, {}, "no content type"),
        (PATH, {**JSON, "host": "me.example:80"}, "--set allow-host=me.example'"),
        (PATH, {**JSON, "origin": "http://a.example"}, "--set allow-origin=http://a.example'"),
        (PATH, {**JSON, "content-type": b"application/json; x=\xe9"}, "content type"),
        ("/v1/a/../b%2F..", JSON, "'..'"),
    ],
)
def test_a_refusal_says_what_to_do(
    client: httpx2.Client, path: str, headers: Any, words: str
) -> None:
    reply = client.post(path, content=b"{}", headers=headers)

    assert reply.status_code in (400, 403, 415)
    assert words in reply.json()["error"]["message"]


def test_a_key_that_lacks_is_said_otherwise_than_a_wrong_one(
    options: Namespace, request: pytest.FixtureRequest
) -> None:
    options.api_key = "k"
    client: httpx2.Client = request.getfixturevalue("client")
    for headers, words in (({}, "no API key"), ({"authorization": "Bearer x"}, "wrong API key")):
        message = client.post(PATH, json=chat(), headers=headers).json()["error"]["message"]
        assert words in message
        assert "--api-key" in message


@pytest.mark.parametrize("name", ["User-Agent", "Authorization"])
def test_a_header_that_is_not_ascii_is_left_out(url: str, script: Script, name: str) -> None:
    script.reply = {"data": []}
    status, _ = raw(url, f"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n{name}: \xe9\xff")

    assert status == 200
    assert "\xe9" not in str(script.headers[0])


def test_requests_have_limits(client: httpx2.Client, script: Script) -> None:
    wide = {"type": "object", "properties": {f"p{n}": {} for n in range(60_000)}}
    tool = {"type": "function", "function": {"name": "f", "parameters": wide}}
    for more, status, words in (
        ({"tools": [tool]}, 400, "tools: "),
        ({"tools": [{**tool, "function": {"name": f"f{n}"}} for n in range(3000)]}, 400, "2048"),
        ({"messages": [{"role": "user", "content": "a"}] * 20_000}, 400, "10000"),
        ({"other": [[]] * 200_000}, 413, "300000"),
    ):
        reply = client.post(PATH, json=chat(**more))
        assert (reply.status_code, words in reply.text) == (status, True)
    assert script.asked == []


def large_tools(count: int) -> list[Any]:
    properties = {f"p{n}": {"type": "string", "description": "some words"} for n in range(5)}
    shape = {"type": "object", "properties": properties}
    functions = ({"name": f"f{n}_{time.time_ns()}", "parameters": shape} for n in range(count))
    return [{"type": "function", "function": function} for function in functions]


def test_a_large_request_does_not_stop_others(
    options: Namespace, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_begun, may_end = threading.Event(), threading.Event()

    def read(body: Body, **more: Any) -> ClientRequest:
        if len(body["tools"]) == 1000:
            has_begun.set()
            assert may_end.wait(10)
        return read_chat(body, **more)

    monkeypatch.setattr(chat_api, "read_chat", read)
    served = Served(build_application(options))
    script.pieces = ["No."]
    replies = list[httpx2.Response]()

    def ask() -> None:
        body = chat(tools=large_tools(1000))
        replies.append(httpx2.post(served.url + PATH, json=body, timeout=20))

    asking = threading.Thread(target=ask)
    asking.start()
    assert has_begun.wait(10)
    with httpx2.Client(base_url=served.url, timeout=5) as client:
        assert client.get("/health").status_code == 200
        assert client.post(PATH, json={"messages": []}).status_code == 200
        assert client.post(PATH, json=chat(tools=large_tools(100))).status_code == 200
    assert replies == []
    may_end.set()
    asking.join()
    served.close()
    assert replies[0].status_code == 200


def test_the_garbage_collector_waits_for_a_large_request(
    options: Namespace, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    enabled = list[bool]()

    def read(body: Body, **more: Any) -> ClientRequest:
        enabled.append(gc.isenabled())
        return read_chat(body, **more)

    monkeypatch.setattr(chat_api, "read_chat", read)
    served = Served(build_application(options))
    script.pieces = ["No."]
    for tools, status in ((large_tools(100), 200), (TOOLS, 200), ([*large_tools(100), 1], 400)):
        reply = httpx2.post(served.url + PATH, json=chat(tools=tools), timeout=20)
        assert reply.status_code == status
    served.close()
    assert enabled == [False, True, False]
    assert gc.isenabled()


def test_values_need_memory_too(options: Namespace, script: Script) -> None:
    options.body_memory = 12
    served = Served(build_application(options))
    script.pieces = ["No."]
    address = urlsplit(served.url)
    assert address.hostname
    head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
    with socket.create_connection((address.hostname, address.port or 0), timeout=20) as large:
        large.sendall(f"{head}\r\nContent-Length: 9000000\r\n\r\n".encode() + b" " * 8_000_000)
        time.sleep(0.5)
        many = chat(other=[1] * 100_000)
        assert httpx2.post(served.url + PATH, json=many, timeout=20).status_code == 200
        assert large.recv(65536).startswith(b"HTTP/1.1 503")  # it gave way
        many = chat(other=[1] * 200_000)
        assert httpx2.post(served.url + PATH, json=many, timeout=20).status_code == 503
    served.close()


@pytest.mark.parametrize(
    "text", ["1,2,3\n" * 200_000, '[{"a": "\\\\"}, ' * 110_000, "\\" * 400_001]
)
def test_commas_in_a_text_are_no_values(client: httpx2.Client, script: Script, text: str) -> None:
    script.pieces = ["No."]
    messages = [{"role": "user", "content": text}]

    assert client.post(PATH, json=chat(messages=messages)).status_code == 200
    assert script.asked[0]["messages"][-1]["content"] == text


@pytest.mark.parametrize(
    "values", [[["\\"]] * 200_000, {f'"{n}': '\\"' for n in range(400_000)}], ids=["list", "map"]
)
def test_values_around_quotes_are_counted(client: httpx2.Client, values: Any) -> None:
    """Quotes and backslashes in strings hide no values."""
    assert client.post(PATH, json=chat(other=values)).status_code == 413


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_json_is_utf_8(client: httpx2.Client, script: Script, coding: str) -> None:
    body = json.dumps(chat(model="é"), ensure_ascii=False).encode(coding)

    assert client.post(PATH, content=body, headers=JSON).status_code == 400
    assert script.asked == []


HEAD = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode()


def connections(served: Served, count: int) -> list[socket.socket]:
    address = urlsplit(served.url)
    assert address.hostname
    return [socket.create_connection((address.hostname, address.port or 0)) for _ in range(count)]


def test_slow_bodies_are_given_up_and_shut_nobody_out(
    options: Namespace, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "_WAIT_S", 1.5)
    limited = partial(GatewayState, max_running=4)
    monkeypatch.setattr("lton.gateway.serving.GatewayState", limited)
    served = Served(build_application(options))
    script.pieces = ["No."]
    slow = connections(served, 20)
    for connection in slow:
        connection.sendall(HEAD + b"Content-Length: 99\r\n\r\n{")
    with httpx2.Client(base_url=served.url, timeout=20) as client:
        assert client.post(PATH, json=chat()).status_code == 200
    answers = [connection.recv(65536) for connection in slow]
    for connection in slow:
        connection.close()
    served.close()
    assert all(answer.startswith(b"HTTP/1.1 408") for answer in answers)


def test_bodies_share_a_memory_and_the_largest_gives_way(
    options: Namespace, script: Script
) -> None:
    options.body_memory = 4
    served = Served(build_application(options))
    script.pieces = ["No."]
    large = connections(served, 3)
    for size, connection in zip((3, 2, 1), large, strict=True):
        connection.settimeout(20)
        connection.sendall(HEAD + b"Content-Length: 9000000\r\n\r\n" + b" " * (size * 2**20))
        time.sleep(0.2)
    assert large[0].recv(65536).startswith(b"HTTP/1.1 503")
    with httpx2.Client(base_url=served.url, timeout=20) as client:
        assert client.post(PATH, json=chat()).status_code == 200
        more = chat(messages=[{"role": "user", "content": "a" * 2**21}])
        assert client.post(PATH, json=more).status_code == 200  # one that came slowly gave way
        more = chat(messages=[{"role": "user", "content": "a" * 2**22}])
        assert client.post(PATH, json=more).status_code == 503
    for connection in large:
        connection.close()
    served.close()


@pytest.mark.parametrize("path", [PATH, "/v1/responses"])
def test_who_is_told_to_end_says_so(options: Namespace, script: Script, path: str) -> None:
    script.pieces = ["It may", 60]
    served = Served(build_application(options))
    replies = list[httpx2.Response]()
    body = (
        chat(stream=True, input="?")
        if path == PATH
        else {"input": "?", "tools": [], "stream": True}
    )

    def ask() -> None:
        replies.append(httpx2.post(served.url + path, json=body, timeout=30))

    asking = threading.Thread(target=ask)
    asking.start()
    while not script.asked:
        time.sleep(0.01)
    time.sleep(0.2)
    served.close()
    asking.join()

    assert "shutting down" in replies[0].text
    assert "It may" in replies[0].text
    assert "error" in events(replies[0])[-1] or events(replies[0])[-1]["type"] == "response.failed"


@pytest.mark.parametrize("name", ["log.jsonl", "store.db"])
def test_what_is_kept_is_for_its_owner(
    tmp_path: Path, options: Namespace, script: Script, name: str
) -> None:
    script.pieces = ["No."]
    file = tmp_path / name
    if name == "log.jsonl":
        options.log = str(file)
    else:
        options.context = f"window=8192,store={file}"
    served = Served(build_application(options))
    httpx2.post(served.url + PATH, json=chat(), timeout=20).raise_for_status()
    served.close()
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("path", [PATH, "/v1/models"])
@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (b"HTTP/1.1 600 Odd\r\nContent-Length: 2\r\n\r\n{}", 502),
        (b"HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\n{}", 502),
        (b"HTTP/1.1 503 No\r\nRetry-After: \xe2\x82\xac\r\nContent-Length: 2\r\n\r\n{}", 503),
        (b"HTTP/1.1 503 No\r\nX-Request-Id: \xe2\x82\xac\r\nContent-Length: 2\r\n\r\n{}", 503),
        (b"HTTP/1.1 503 No\r\nContent-Type: \xe2\x82\xac\r\nContent-Length: 2\r\n\r\n{}", 503),
    ],
)
def test_an_odd_answer_of_the_upstream_is_given_or_said(
    options: Namespace, path: str, answer: bytes, status: int
) -> None:
    class Odd(BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            self.request.sendall(answer)

    with ThreadingTCPServer(("127.0.0.1", 0), Odd) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options.upstream = f"http://127.0.0.1:{server.server_address[1]}"
        served = Served(build_application(options))
        body = {"json": chat()} if path == PATH else {}
        reply = httpx2.request("POST" if body else "GET", served.url + path, timeout=20, **body)
        served.close()
        server.shutdown()

    assert reply.status_code == status
    assert reply.json() == {} or "error" in reply.json()


def test_a_role_that_openai_lacks_goes_through_without_tools(
    client: httpx2.Client, script: Script
) -> None:
    script.reply = {"id": "theirs", "choices": []}
    body = {"messages": [{"role": "narrator", "content": "?"}]}

    assert client.post(PATH, json=body).json() == script.reply
    assert script.asked == [body]
    assert client.post(PATH, json=chat(**body)).status_code == 400


def test_tools_that_are_too_many_are_refused_before_they_are_read() -> None:
    with pytest.raises(RefusedError, match="at most 2048, found 2049"):
        read_chat({"messages": [], "tools": [None] * 2049})  # the first would be refused, too


@pytest.mark.parametrize("body", ["null", "5", "[]", '"x"', " [1, 2] "])
def test_a_body_that_is_no_object_is_quoted(client: httpx2.Client, body: str) -> None:
    """The error shows what was sent in JSON, and no type of Python."""
    reply = client.post(PATH, content=body, headers=JSON)
    assert reply.status_code == 400
    assert reply.json()["error"]["message"] == f"expected an object in JSON, found {body.strip()}"
