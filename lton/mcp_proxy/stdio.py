"""Exchange messages over pipes, one JSON object per line, with the client and with a server.

This module does not use the library `mcp`, whose import takes three times as long as all others.
"""

import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, NamedTuple

from lton._require import require
from lton.errors import Code, ServerError
from lton.mcp_proxy.proxy import RpcMessage, Send

_INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")  # every program needs them
_CHUNK = 65_536
_GRACE_S = 2.0  # the time that a server has to end, before each signal
_ANSWERS_S = 5.0  # the time that a server has to answer after the end of the client's input
_TICK_S = 0.01


class Channel(NamedTuple):
    """A connection to the client or to a server: the received messages, and a send function.

    `read` returns the JSON of a message, or the input that is not a message, as a list. `write`
    returns a message to send, with the version of the protocol.
    """

    received: Any
    send: Callable[[Any], Awaitable[None]]
    read: Callable[[Any], RpcMessage | list[Any]] = lambda message: message
    write: Callable[[Send, str | None], Any] = lambda send, _: send.message
    faults: Any = None
    flush_s: float = 0.2  # the time until a sent message is written
    answers_s: float = 0.0  # the time to wait for answers after the last message of the client


async def iterate_messages(
    read: Callable[[], Awaitable[bytes]],
) -> AsyncIterator[RpcMessage | list[Any]]:
    """Yield the message in each line, without a byte order mark at its start.

    For any other line, yield a list that contains the line.
    """
    parts: list[bytes] = []
    with suppress(require("anyio", "apps").EndOfStream):
        while chunk := await read():
            first, *lines = chunk.split(b"\n")
            parts.append(first)
            for line in lines:
                yield _parse_line(b"".join(parts))
                parts = [line]
    if last_line := b"".join(parts):
        yield _parse_line(last_line)


def _parse_line(line: bytes) -> RpcMessage | list[Any]:
    # Runtimes on Windows begin their output with a byte order mark.
    text = line.decode("utf-8", "replace").lstrip("\ufeff")
    try:
        value = require("pydantic_core", "apps").from_json(text)
    except ValueError:
        return [text]
    return value if _is_message(value) else [value]


def write_line(message: RpcMessage) -> bytes:
    """Write a message as a line of JSON."""
    line: bytes = require("pydantic_core", "apps").to_json(message, inf_nan_mode="null")
    return line + b"\n"


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        return False
    number = value.get("id")
    error = value.get("error")
    if type(number) not in (int, str, type(None)):
        return False
    if "method" in value:
        params = value.get("params")
        return isinstance(value["method"], str) and isinstance(params, dict | None)
    if isinstance(error, dict):
        return isinstance(error.get("code"), int) and isinstance(error.get("message"), str)
    return number is not None and isinstance(value.get("result"), dict)


def open_client_channel() -> Channel:
    """Return the channel to the client, over standard input and output."""
    anyio = require("anyio", "apps")
    in_thread = partial(anyio.to_thread.run_sync, abandon_on_cancel=True)
    turn = anyio.Lock()

    def write_whole_line(line: bytes) -> None:
        while line:
            line = line[os.write(1, line) :]

    async def send(message: RpcMessage) -> None:
        async with turn:
            await in_thread(write_whole_line, write_line(message))

    received = iterate_messages(partial(in_thread, os.read, 0, _CHUNK))
    return Channel(received, send, flush_s=0.0, answers_s=_ANSWERS_S)


@asynccontextmanager
async def start_server(
    command: Sequence[str], variables: Mapping[str, str]
) -> AsyncIterator[Channel]:
    """Start a server as a child process and stop it together with its own children.

    Its environment has only `variables` and the few that every program needs, because a foreign
    server must not see other keys.

    Raises `ServerError` if it does not start.
    """
    anyio = require("anyio", "apps")
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    try:
        process = await anyio.open_process(
            command, env={**inherited, **variables}, stderr=None, start_new_session=True
        )
    except (OSError, ValueError) as error:
        msg = f"the server {command[0]!r} does not start: {getattr(error, 'strerror', 0) or error}"
        raise ServerError(Code.SERVER, msg) from error

    async def send(message: RpcMessage) -> None:
        try:
            await process.stdin.send(write_line(message))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            await process.stdout.aclose()  # a server that does not read is lost

    try:
        yield Channel(iterate_messages(process.stdout.receive), send)
    finally:
        with anyio.CancelScope(shield=True):
            await _stop_process(process)


async def _stop_process(process: Any) -> None:
    """Close a server's input, and then end its processes if it does not stop by itself."""
    anyio = require("anyio", "apps")

    async def drain_output() -> None:  # otherwise a server that writes cannot end
        with suppress(OSError, anyio.EndOfStream, anyio.ClosedResourceError):
            while True:
                await process.stdout.receive()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(drain_output)
        await process.stdin.aclose()
        for number in (0, signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError, PermissionError), anyio.move_on_after(_GRACE_S):
                os.killpg(process.pid, number)
                while process.returncode is None or number:
                    os.killpg(process.pid, 0)  # raises an error when the whole group has ended
                    await anyio.sleep(_TICK_S)
                break
        tasks.cancel_scope.cancel()
    # A child that left the group may hold the pipe, so the transport would stay open.
    process._process._transport.close()
