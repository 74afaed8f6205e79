"""Test the command with a real client and real servers, over both transports."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage
from pydantic import TypeAdapter

from lton.mcp_proxy.transport import Library

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KITCHEN = [sys.executable, str(HERE / "kitchen.py")]
PROXY = [sys.executable, "-m", "lton", "mcp-proxy"]
HANGING = "import time, os, sys; print(os.getpid(), file=sys.stderr, flush=True); time.sleep(600)"
WEATHER = '{"day":0,"city":"Rome","sky":"partly cloudy"}'
LIMIT_S = 60.0
SECOND_ERA = "2026-07-28"
STATE = mkdtemp()
"""Where the proxy remembers what was approved."""


@asynccontextmanager
async def client(*options: str, server: list[str] = KITCHEN, **more: Any) -> AsyncIterator[Any]:
    """Start the proxy and the server, and yield a session."""
    program, arguments = PROXY[0], [*PROXY[1:], *options, "--", *server]
    parameters = StdioServerParameters(
        command=program, args=arguments, env={"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": STATE}
    )
    with open(os.devnull, "w") as errors:
        async with (
            stdio_client(parameters, errlog=errors) as streams,
            ClientSession(*streams, **more) as session,
        ):
            await session.initialize()
            yield session


def run(test: Callable[[], Awaitable[None]]) -> None:
    """Run an asynchronous test with a time limit."""

    async def limited() -> None:
        with anyio.fail_after(LIMIT_S):
            await test()

    anyio.run(limited)


async def ask(session: Any, line: str, **more: Any) -> dict[str, Any]:
    """Call with a line, and return the JSON of the result, for both versions of the library."""
    result = await session.call_tool("call", {"line": line}, **more)
    answer: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return answer


def texts(result: dict[str, Any]) -> list[str]:
    return [block.get("text", block["type"]) for block in result["content"]]


def test_line() -> None:
    """One tool is listed, results are in LTON, and all other messages pass."""
    steps: list[float] = []

    async def progress(step: float, total: float | None, message: str | None) -> None:
        steps.append(step)

    async def test() -> None:
        async with client() as session:
            (tool,) = (await session.list_tools()).tools
            assert tool.name == "call"
            assert "weather Get the weather.\n city\n days?:int=2\n" in tool.description
            assert texts(await ask(session, "weather Rome 1")) == [WEATHER]
            assert texts(await ask(session, "where (Rome 2)")) == ['{"city":"Rome","floor":2}']
            assert texts(await ask(session, "picture")) == [
                "image",
                '{"rows":[1,2,3],"name":"x y"}',
            ]
            wrong = await ask(session, "weather Rome many")
            assert wrong["isError"]
            assert "found 'many' (line 1, column 14, at /days) [E203]" in texts(wrong)[0]
            failed = await ask(session, "fail why")
            assert failed["isError"]
            answer = await ask(session, "slow 3", progress_callback=progress)
            assert (texts(answer), steps) == (["done"], [0, 1, 2])
            assert [prompt.name for prompt in (await session.list_prompts()).prompts] == ["greet"]
            greeting = await session.get_prompt("greet", {"name": "Bo"})
            assert greeting.messages[0].content.text == "Hello Bo"
            menu = await session.read_resource("file:///menu")
            assert menu.contents[0].text == '{"tea": 1}'

    run(test)


def test_search_and_pass() -> None:
    """`search` finds tools by a question, and in `pass` only results differ."""

    async def test() -> None:
        async with client("--mode", "search") as session:
            names = [tool.name for tool in (await session.list_tools()).tools]
            assert names == ["search", "call"]
            search_result = await session.call_tool("search", {"query": "the weather"})
            assert search_result.content[0].text.startswith("weather Get the weather.\n city\n")
            assert texts(await ask(session, "weather Rome 1")) == [WEATHER]
        async with client("--mode", "pass") as session:
            tools = (await session.list_tools()).tools
            assert [tool.name for tool in tools][:2] == ["weather", "where"]
            result = await session.call_tool("weather", {"city": "Rome", "days": 1})
            assert result.content[0].text == WEATHER

    run(test)


def test_a_server_that_dies() -> None:
    """After the server dies, a call is an error, the list is known, and the next call
    restarts it.
    """

    async def test() -> None:
        async with client() as session:
            listed = (await session.list_tools()).tools
            for _ in range(2):
                with pytest.raises(Exception, match=r"the MCP server has ended \[E821\]"):
                    await ask(session, "die")
                assert (await session.list_tools()).tools == listed
                assert texts(await ask(session, "weather Rome 1")) == [WEATHER]

    run(test)


@pytest.mark.mcp
def test_a_server_that_hangs() -> None:
    """A call that takes too long is an error with a code, and the next call works."""

    async def test() -> None:
        async with client("--timeout", "1.5") as session:
            assert texts(await ask(session, "weather Rome 1")) == [WEATHER]
            with pytest.raises(Exception, match=r"does not answer in 1\.5 s .*\[E822\]"):
                await ask(session, "slow 1000")
            assert texts(await ask(session, "weather Rome 1")) == [WEATHER]

    run(test)


@pytest.mark.mcp
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_no_process(number: signal.Signals) -> None:
    """A server that neither reads nor ends is killed when the proxy gets a signal."""
    command = [*PROXY, "--", sys.executable, "-c", HANGING]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stderr=pipe, text=True, cwd=ROOT) as proxy:
        assert proxy.stderr is not None
        server = int(proxy.stderr.readline())
        proxy.send_signal(number)
        assert ended(proxy) == 128 + number
    assert is_gone(server)


@pytest.mark.mcp
def test_a_client_that_leaves_leaves_no_process() -> None:
    """When standard input ends, pending requests fail, and the proxy and the server end."""
    command = [*PROXY, "--", sys.executable, "-c", HANGING]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=ROOT
    ) as proxy:
        assert proxy.stderr is not None
        server = int(proxy.stderr.readline())
        assert proxy.stdin is not None
        proxy.stdin.write('{"jsonrpc": "2.0", "id": 7, "method": "ping"}\n')
        proxy.stdin.close()
        assert proxy.stdout is not None
        assert '"id":7,"error":{"code":-32000' in proxy.stdout.read()
        assert ended(proxy) == 0
    assert is_gone(server)


@pytest.mark.mcp
def test_requests_before_the_end_of_the_input_are_answered() -> None:
    """A client may write all its requests and close its output, as a shell's pipe does."""
    server = (
        "import json, sys, time\n"
        "for line in sys.stdin:\n"
        "    time.sleep(0.3)\n"
        "    print(json.dumps({'jsonrpc': '2.0', 'id': json.loads(line)['id'], 'result': {}}))\n"
        "    sys.stdout.flush()\n"
    )
    command = [*PROXY, "--mode", "pass", "--", sys.executable, "-c", server]
    lines = [f'{{"jsonrpc": "2.0", "id": {number}, "method": "ping"}}\n' for number in (7, 8)]
    ran = subprocess.run(
        command,
        input="".join(lines),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=LIMIT_S,
        check=False,
    )
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [(answer["id"], answer.get("result")) for answer in answers] == [(7, {}), (8, {})]
    assert ran.returncode == 0


@pytest.mark.mcp
def test_a_request_that_is_no_message() -> None:
    """A message with a lone surrogate, as JavaScript can write it, is refused at once."""
    request_line = '{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": "\\ud800"}}\n'
    pipe = subprocess.PIPE
    command = [*PROXY, "--", sys.executable, "-c", HANGING]
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, cwd=ROOT
    ) as proxy:
        assert proxy.stdin is not None
        assert proxy.stdout is not None
        proxy.stdin.write(request_line)
        proxy.stdin.flush()
        assert '"id":7,"error":{"code":-32600' in proxy.stdout.readline()
        proxy.stdin.close()
        assert ended(proxy) == 0


def ended(proxy: "subprocess.Popen[str]") -> int:
    """Return the status of a proxy that ends in time, and kill it otherwise."""
    try:
        return proxy.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        proxy.kill()
        raise


def is_gone(process: int) -> bool:
    """Return whether a process ends within ten seconds."""
    for _ in range(100):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """Start the proxy over HTTP, and yield its address."""
    command = [*PROXY, "--http", "0", *options]
    around = {**os.environ, "XDG_STATE_HOME": STATE}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stderr=pipe, text=True, cwd=ROOT, env=around) as proxy:
        assert proxy.stderr is not None
        try:
            yield proxy.stderr.readline().strip()
        finally:
            proxy.terminate()
            ended(proxy)


@pytest.mark.mcp
def test_over_http_on_both_sides() -> None:
    """Each client over HTTP has its own server, and a proxy can run in front of a proxy."""
    steps: list[float] = []

    async def progress(step: float, total: float | None, message: str | None) -> None:
        steps.append(step)

    async def use(url: str) -> None:
        async with streamable_http_client(url) as streams, ClientSession(*streams[:2]) as session:
            await session.initialize()
            assert texts(await ask(session, "weather Rome 1")) == [WEATHER]
            await ask(session, "slow 2", progress_callback=progress)

    with serving("--", *KITCHEN) as url:
        assert url.startswith("http://127.0.0.1:")
        run(lambda: use(url))
        with serving("--mode", "pass", url) as again:
            run(lambda: use(again))
    assert steps == [0, 1, 0, 1]


@pytest.fixture
def kitchen(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Start a server of both generations over HTTP, and yield its address and its standard
    error.
    """
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    errors = tmp_path / "errors"
    with (
        errors.open("w") as log,
        subprocess.Popen([*KITCHEN, str(port)], stdout=log, stderr=log) as server,
    ):
        wait_for(lambda: "Uvicorn running" in errors.read_text())
        yield f"http://127.0.0.1:{port}/mcp", errors
        server.terminate()


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait for a condition, within the time limit."""
    end = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def stateless(
    method: str, number: Any = 1, version: str = SECOND_ERA, **params: Any
) -> dict[str, Any]:
    """Return a request of version 2026-07-28: its body, and the matching headers."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    body = {"jsonrpc": "2.0", "id": number, "method": method}
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": version,
        "mcp-method": method,
    }
    if "name" in params:
        headers["mcp-name"] = params["name"]
    return {"json": {**body, "params": {**params, "_meta": meta}}, "headers": headers}


@pytest.mark.mcp
def test_the_second_era(kitchen: tuple[str, Path]) -> None:
    """Version 2026-07-28 works over HTTP without a session: calls, notifications, and headers."""
    from mcp import Client

    steps: list[float] = []

    async def progress(step: float, total: float | None, message: str | None) -> None:
        steps.append(step)

    async def use(server: Any) -> None:
        async with Client(server, mode=SECOND_ERA) as session:  # "auto" asks first, within seconds
            (tool,) = (await session.list_tools()).tools
            assert "weather Get the weather." in tool.description
            assert texts(await ask(session, "weather Rome 1")) == [WEATHER]
            assert texts(await ask(session, 'parcel "Zo\u00eb & co"')) == ["sent to Zo\u00eb & co"]
            await ask(session, "slow 2", progress_callback=progress)

    url, _ = kitchen
    program, arguments = PROXY[0], [*PROXY[1:], url]
    around = {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": STATE}
    run(lambda: use(StdioServerParameters(command=program, args=arguments, env=around)))
    with serving(url) as proxy:
        run(lambda: use(proxy))
    assert steps == [0, 1, 0, 1]


@pytest.mark.mcp
def test_statuses_of_the_second_era(kitchen: tuple[str, Path]) -> None:
    """Errors have the status of their code, leaving cancels a request, and a dead server is an
    error.
    """
    import httpx2

    url, errors = kitchen
    with serving(url) as proxy, httpx2.Client(timeout=LIMIT_S) as http:
        response = http.post(proxy, **stateless("server/discover"))
        assert (response.status_code, response.json()["id"]) == (200, 1)
        assert SECOND_ERA in response.json()["result"]["supportedVersions"]
        tools_list = stateless("tools/list")
        wrong: list[tuple[int, Any, dict[str, Any]]] = [
            (404, -32601, stateless("no/such")),
            (
                400,
                -32020,
                {**tools_list, "headers": {**tools_list["headers"], "mcp-method": "ping"}},
            ),
            (400, -32700, {"content": "{", "headers": tools_list["headers"]}),
            (
                400,
                -32700,
                {"content": '{"id": "\\ud800", "method": "x"}', "headers": tools_list["headers"]},
            ),
            (400, -32600, {**tools_list, "json": [tools_list["json"]]}),
            (400, -32600, stateless("tools/list", [1])),
            (400, -32022, stateless("tools/list", version="2027-01-01")),
            (
                406,
                None,
                {**tools_list, "headers": {**tools_list["headers"], "accept": "text/plain"}},
            ),
            (
                421,
                None,
                {**tools_list, "headers": {**tools_list["headers"], "host": "evil.example"}},
            ),
        ]
        for status, code, request in wrong:
            answer = http.post(proxy, **request)
            error_code = answer.json()["error"]["code"] if code else None
            assert (answer.status_code, error_code) == (status, code), request
        assert http.get(proxy, headers=tools_list["headers"]).status_code == 405
        notification = stateless("notifications/cancelled")
        del notification["json"]["id"]
        assert http.post(proxy, **notification).status_code == 202

        slow: dict[str, Any] = {"name": "call", "arguments": {"line": "slow 1000"}}
        request = stateless("tools/call", **slow)
        request["json"]["params"]["_meta"]["progressToken"] = 1
        with http.stream("POST", proxy, **request) as stream:
            assert stream.headers["content-type"] == "text/event-stream"
            assert "notifications/progress" in "".join(next(stream.iter_text()))
        wait_for(lambda: "cancelled" in errors.read_text())

        died = http.post(proxy, **stateless("tools/call", name="die", arguments={}))
        assert "error" in died.json()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--"], "expected one of a command after --, a URL and --config"),
        (["http://127.0.0.1:1/mcp", "--config", "x"], "expected one of a command after --"),
        (["--http", "99999", "--", "x"], "expected [HOST:]PORT, found '99999'"),
        (["--timeout", "0", "--", "x"], "expected a --timeout of more than 0"),
        (
            ["--mode", "pass", "--show", "names", "--", "x"],
            "--show is for the modes line and tools",
        ),
        (["--header", "A=NOT_SET_ANYWHERE", "http://x"], "found 'A=NOT_SET_ANYWHERE'"),
    ],
)
def test_usage(options: list[str], text: str) -> None:
    """Each incorrect use gives a one-line error and the usual status."""
    process = ran(options)
    assert process.returncode == 2
    assert text in process.stderr
    assert "Traceback" not in process.stderr


def test_a_server_that_is_not_there() -> None:
    process = ran(["--env", "NOT_SET_ANYWHERE", "--", "no-such-server"])
    assert process.returncode == 1
    assert "--env: the variable NOT_SET_ANYWHERE is not set" in process.stderr
    assert "the server 'no-such-server' does not start: No such file" in process.stderr
    assert "Traceback" not in process.stderr


def ran(options: list[str]) -> "subprocess.CompletedProcess[str]":
    """Run the command until it ends."""
    return subprocess.run(
        [*PROXY, *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )


def test_a_number_without_bounds_is_not_made_null() -> None:
    """NaN and infinities in a server's JSON pass unchanged instead of becoming null."""
    library = Library()
    text = '{"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": {"a": 1e400}}}'
    read = TypeAdapter(JSONRPCMessage).validate_json(text)
    message = library.message_to_dict(SessionMessage(read))
    assert isinstance(message, dict)
    assert message["result"] == {"structuredContent": {"a": float("inf")}}


BROKEN = """
import json, sys
ANSWERS = [
    '"result": {"content": [{"type": "text", "text": "\\\\ud800"}]}',
    '"x": 1',
    '"result": null',
    '"result": "text"',
]
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    said = '"result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},'
    said += ' "serverInfo": {"name": "broken", "version": "1"}}'
    if asked["method"] == "tools/call":
        said = ANSWERS[asked["params"]["arguments"]["which"]]
    print('{"jsonrpc": "2.0", "id": %s, %s}' % (json.dumps(asked["id"]), said), flush=True)
"""


@pytest.mark.mcp
def test_answers_that_are_no_messages_fail_at_once() -> None:
    """An invalid answer is an error at once, before the time limit."""

    async def test() -> None:
        server = [sys.executable, "-c", BROKEN]
        async with client("--mode", "pass", server=server) as session:
            for which in range(4):
                with pytest.raises(Exception, match="E824"):
                    await session.call_tool("x", {"which": which})

    run(test)


MARKED = """
import json, sys
print("starting", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    said = {"jsonrpc": "2.0", "id": asked["id"], "result": {"protocolVersion": "2025-06-18"}}
    sys.stdout.buffer.write(json.dumps(said).encode("utf-8-sig") + b"\\n")
    sys.stdout.flush()
"""


@pytest.mark.parametrize("mode", ["line", "search", "tools", "pass"])
def test_a_byte_order_mark_and_noise_before_the_first_answer(mode: str) -> None:
    """A server whose answer begins with a byte order mark is read, and noise is reported."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    command = [*PROXY, "--mode", mode, "--", sys.executable, "-c", MARKED]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=ROOT
    ) as proxy:
        assert proxy.stdin is not None
        assert proxy.stdout is not None
        assert proxy.stderr is not None
        proxy.stdin.write(f"{json.dumps(request)}\n")
        proxy.stdin.flush()
        answer = json.loads(proxy.stdout.readline())
        proxy.stdin.close()
        errors = proxy.stderr.read()
    assert answer["result"]["protocolVersion"] == "2025-06-18"
    assert "the MCP server writes 'starting': this is not a message of MCP" in errors
