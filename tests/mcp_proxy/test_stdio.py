"""Test messages over pipes: lines, input that is not a message, and how servers end."""

import json
import sys
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import anyio
import pytest

from lton.errors import Code, ServerError
from lton.mcp_proxy import stdio
from lton.mcp_proxy.stdio import Channel, iterate_messages, start_server, write_line
from tests.cases import loop_over
from tests.mcp_proxy.test_served import is_gone


def received(chunks: Iterable[bytes]) -> list[Any]:
    """Return the messages in chunks of bytes."""
    remaining = iter([*chunks, b""])

    async def read() -> bytes:
        return next(remaining)

    async def test() -> list[Any]:
        return [message async for message in iterate_messages(read)]

    return anyio.run(test)


MESSAGES = [
    '{"jsonrpc":"2.0","id":"a","method":"ping","params":{"a":[1.5,"\u00fc"]}}',
    '{"jsonrpc":"2.0","method":"notifications/x","params":null,"unknown":1}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m","data":[1]}}',
]
OTHERS = [
    "",
    "ready",
    "[]",
    '{"id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":true,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":2}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
    '{"jsonrpc":"2.0","id":1,"result":[]}',
    '{"jsonrpc":"2.0","result":{}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"m"}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":1}}',
    '{"jsonrpc":"2.0","id":1,"error":"x"}',
    '{"jsonrpc":"2.0","id":1,"result":{"a":"\\ud800"}}',
    '{"jsonrpc":"2.0","id":1,"result":' + '{"a":' * 300 + "1" + "}" * 301,
]


@loop_over(MESSAGES)
def test_messages_are_read_with_all_their_keys(text: str) -> None:
    """A client or a server may know more keys than the proxy does."""
    assert received([text.encode() + b"\r\n"]) == [json.loads(text)]


@loop_over(MESSAGES)
def test_a_byte_order_mark_at_the_start_of_a_line_is_dropped(text: str) -> None:
    """Servers for Windows write it before the first line, and sometimes before each line."""
    data = text.encode("utf-8-sig")
    assert received([data + b"\n", data]) == [json.loads(text)] * 2
    assert received([data[:1], data[1:2], data[2:] + b"\n"]) == [json.loads(text)]
    assert received([b"\xef\xbb\xbf" + data]) == [json.loads(text)]


@loop_over(OTHERS)
def test_other_lines_are_kept_in_lists(text: str) -> None:
    """The proxy finds in them which request is not valid."""
    messages = received([text.encode() + b"\n"])
    assert len(messages) == 1
    assert messages[0][0] in (text, _parsed(text))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_chunks_do_not_matter(size: int) -> None:
    """Lines may be cut anywhere, and the last one may have no end."""
    whole = "\n".join([*MESSAGES, "ready", MESSAGES[0][:9]]).encode()
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    assert received(pieces) == [*map(json.loads, MESSAGES), ["ready"], [MESSAGES[0][:9]]]


def test_infinite_numbers_become_null() -> None:
    """Other servers' JSON has them, and a client's parser would refuse the whole message."""
    message = {"a": [float("inf"), float("nan"), 1e22]}
    assert write_line(message) == b'{"a":[null,null,1e+22]}\n'


STUBBORN = """
import json, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(json.dumps({"jsonrpc": "2.0", "method": "x", "params": {"child": child.pid}}), flush=True)
time.sleep(600)
"""
BUSY = """
import os, sys
seen = {name: os.environ[name] for name in ("GIVEN", "NOT_GIVEN") if name in os.environ}
print('{"jsonrpc":"2.0","method":"x","params":%s}' % str(seen).replace("'", '"'), flush=True)
sys.stdin.read()
sys.stdout.write("x" * 1_000_000)
"""
DEAF = "import os, time; os.close(0); print('ready', flush=True); time.sleep(600)"


def served(program: str, test: Callable[[Channel], Awaitable[None]]) -> Any:
    """Use a server, and return its first message."""
    messages: list[Any] = []

    async def use() -> None:
        with anyio.fail_after(60):
            async with start_server([sys.executable, "-c", program], {"GIVEN": "1"}) as server:
                messages.append(await anext(server.received))
                await test(server)

    anyio.run(use)
    return messages[0]


async def nothing(_server: Channel) -> None:
    """Leave at once."""


def test_a_server_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """It sees only the variables for it, and what it still writes does not block it."""
    monkeypatch.setenv("NOT_GIVEN", "1")
    monkeypatch.setattr(stdio, "_GRACE_S", 60.0)
    assert served(BUSY, nothing)["params"] == {"GIVEN": "1"}


def test_a_server_that_stays_is_killed_with_its_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ignores the first signal, and its child would outlive it."""
    monkeypatch.setattr(stdio, "_GRACE_S", 0.1)
    child = served(STUBBORN, nothing)["params"]["child"]
    assert is_gone(child)


def test_a_server_that_does_not_read_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for its answer."""
    monkeypatch.setattr(stdio, "_GRACE_S", 0.1)

    async def test(server: Channel) -> None:
        await server.send({"jsonrpc": "2.0", "method": "x"})
        with pytest.raises(anyio.ClosedResourceError):
            await anext(server.received)

    assert served(DEAF, test) == ["ready"]


@loop_over([["no-such-program"], ["/"], ["a\0b"]])
def test_a_server_that_does_not_start(command: list[str]) -> None:
    """The error has a code, and says why."""

    async def test() -> None:
        async with start_server(command, {}):
            pass

    with pytest.raises(ServerError, match="does not start") as raised:
        anyio.run(test)
    assert raised.value.code == Code.SERVER
