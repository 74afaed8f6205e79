"""List the tools of an MCP server: a child process, or a running server with an address.

This works with versions 1 and 2 of the library `mcp`. The standard error of the server is not
shown; its most informative line becomes the hint of an error.
"""

import asyncio
import logging
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import IO, Any

from lton._require import require
from lton._terminal import is_url
from lton.errors import Code, ServerError

_NO_LOG = logging.NullHandler()  # keeps the library's tracebacks off the terminal
_TAIL = 8000
_WIDTH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The name, version and tools of an MCP server."""

    name: str
    version: str
    tools: list[dict[str, Any]]


def list_tools(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, timeout_s: float = 30.0
) -> Listing:
    """Start an MCP server, list its tools, and stop the server.

    If the only word of the command is an address (`https://…`), the tools are those of the server
    that runs there. Otherwise the server gets `env`, and only a few variables of this process's
    environment (such as `PATH` and `HOME`). If the server does not stop by itself, stopping it
    takes up to 4 seconds more than `timeout_s`. Do not call this function inside a running event
    loop.

    Raises `ServerError` if the server does not start, or does not list its tools within
    `timeout_s`.
    """
    mcp = require("mcp", "apps")
    anyio = require("anyio", "apps")
    if not command:
        raise ServerError(Code.SERVER, "expected the command of a server, found none")
    logging.getLogger("mcp").addHandler(_NO_LOG)
    with tempfile.TemporaryFile() as stderr:
        listing_run = _Asked(mcp, command, env, stderr)
        try:
            anyio.run(listing_run.run, timeout_s)
        except Exception as error:
            listing_run.error = listing_run.error or error
        if listing_run.listing is None:
            msg = f"the server {command[0]!r} {listing_run.describe_problem(timeout_s)}"
            raise ServerError(
                Code.SERVER, msg, hint=_find_error_line(stderr)
            ) from listing_run.error
        return listing_run.listing  # even if the server did not stop properly


class _Asked:
    def __init__(
        self, mcp: Any, command: Sequence[str], env: Mapping[str, str] | None, stderr: IO[bytes]
    ) -> None:
        program, *arguments = command
        self.mcp = mcp
        if not arguments and is_url(program):
            http = require("mcp.client.streamable_http", "apps")
            self.connect: Callable[[], Any] = partial(http.streamable_http_client, program)
        else:
            parameters = mcp.StdioServerParameters(
                command=program,
                args=arguments,
                env=dict(env or {}),
                encoding_error_handler="replace",
            )
            self.connect = partial(mcp.stdio_client, parameters, errlog=stderr)
        self.started = False
        self.garbage = False
        self.listing: Listing | None = None
        self.error: Exception | None = None

    async def run(self, timeout_s: float) -> None:
        anyio = require("anyio", "apps")
        # Errors that nobody awaits, such as a broken pipe to a server that ended, are not printed.
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        async with self.connect() as streams:
            self.started = True
            received, outgoing = streams[:2]  # over HTTP, version 1 returns a third item
            try:  # inside, so that the timeout does not cut the time for stopping
                with anyio.fail_after(timeout_s):
                    async with self.mcp.ClientSession(
                        received, outgoing, message_handler=self.check_message
                    ) as one:
                        self.listing = await _list_all_tools(self.mcp, one)
            except Exception as error:
                self.error = error

    async def check_message(self, message: object) -> None:
        self.garbage = self.garbage or isinstance(message, Exception)

    def describe_problem(self, timeout_s: float) -> str:
        """Describe the failure as a predicate of "the server", such as "does not start: …"."""
        error = self.error
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        if not self.started:
            return f"does not start: {getattr(error, 'strerror', None) or error}"
        also = ", and writes invalid messages" if self.garbage else ""
        if isinstance(error, TimeoutError):
            return f"does not answer in {timeout_s:g} s{also}"
        text = str(error).partition("\n")[0] or type(error).__name__
        return f"gives no list of tools: {text}{also}"


async def _list_all_tools(mcp: Any, session: Any) -> Listing:
    server = _to_json(await session.initialize())["serverInfo"]
    tools: list[dict[str, Any]] = []
    cursor = None
    while True:
        params = mcp.types.PaginatedRequestParams(cursor=cursor) if cursor else None
        page = _to_json(await session.list_tools(params=params))
        tools += page["tools"]
        cursor = page.get("nextCursor")
        if not cursor:
            return Listing(name=server["name"], version=server["version"], tools=tools)


def _to_json(result: Any) -> dict[str, Any]:
    """Convert a result to JSON with the member names of the protocol."""
    content: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return content


def _find_error_line(stderr: IO[bytes]) -> str | None:
    """Return the last line that mentions an error; if none does, return the last line."""
    stderr.seek(max(0, stderr.seek(0, 2) - _TAIL))
    lines = stderr.read().decode("utf-8", "replace").split("\n")
    messages = [line.strip() for line in lines if line.strip()]
    if not messages:
        return None
    line = next((line for line in reversed(messages) if "rror" in line), messages[-1])
    visible = "".join(char if char.isprintable() else "\ufffd" for char in line[:_WIDTH])
    return f"it says: {visible}"
