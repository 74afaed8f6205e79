"""Probes of servers and clients of MCP."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from fuzz.limits.probe import Probe, ProbeError
from lton.mcp_proxy.catalogue import ProxySettings
from lton.mcp_proxy.http import _limit_body
from lton.mcp_proxy.revival import RevivingProxy
from tests.cases import tool
from tests.mcp_proxy.test_proxy import Pair, answer, note, request


def _send_pieces(pieces: list[bytes]) -> None:
    left = iter([{"body": piece} for piece in pieces])

    async def receive() -> Any:
        return next(left)

    async def run() -> None:
        bounded = _limit_body(receive)
        received = [(await bounded())["body"] for _ in pieces]
        if received != pieces:
            raise ProbeError("status 413; a body in chunks is cut, so it is not valid JSON")

    asyncio.run(run())


def _list_pages(count: int) -> Callable[[], None]:
    """Return the work of listing tools that were not listed before, because they are kept."""
    return partial(_list_from_server, [[tool(f"f{count}_{i}")] for i in range(count + 1)])


def _list_one_page(count: int) -> Callable[[], None]:
    return partial(
        _list_from_server, [[{"name": f"f{count}_{i}", "inputSchema": {}} for i in range(count)]]
    )


def _list_from_server(pages: list[list[Any]], changes: int = 0) -> None:
    """List the tools of a server that has these pages, and reports the given number of changes."""
    pair = Pair()
    sent = pair.ask(request(1, "tools/list"))
    left = list(enumerate(pages))
    is_stale = False
    while sent and sent[0][0] == "server":
        asked = sent[-1][1]["id"]
        is_stale = changes > 0
        if is_stale:
            changes -= 1
            pair.tell(note("notifications/tools/list_changed"))
        if not left:
            left = list(enumerate(pages))
        number, page = left.pop(0)
        more = {"nextCursor": str(number)} if left else {}
        sent = pair.tell(answer(asked, tools=page, **more))
    errors = [each["error"]["data"]["code"] for _, each in sent if "error" in each]
    if errors:
        raise ProbeError(errors[0])
    if is_stale:
        raise ProbeError("the last list is used")


def _notify_proxy(count: int) -> None:
    pair = Pair()
    for _ in range(count):
        pair.tell(note("notifications/tools/list_changed"))


def _ask_while_starting(count: int) -> None:
    proxy = RevivingProxy(ProxySettings())
    pair = Pair()
    pair.proxy = proxy
    pair.ask(request(0, "initialize", protocolVersion="2025-06-18"))
    pair.tell(answer(0, protocolVersion="2025-06-18"))
    pair.flat(proxy.flush_all_as_failed())
    for i in range(count):
        for _, message in pair.ask(request(i + 1, "ping")):
            if "error" in message:
                raise ProbeError(message["error"]["data"]["code"])


PROBES: dict[str, Probe] = {
    # --- servers and clients of MCP
    "pages of a tool list": Probe(_list_pages, lambda work: work(), 100),
    "tools on all pages": Probe(_list_one_page, lambda work: work()),
    "attempts to read a tool list that keeps changing": Probe(
        int, lambda n: _list_from_server([[tool("f")]], changes=n - 1), 500
    ),
    "notifications of a server": Probe(int, _notify_proxy),
    "bytes of a request over HTTP": Probe(lambda n: [b"x" * 250] * (n // 250), _send_pieces, 10**6),
    "requests that wait while a server starts": Probe(int, _ask_while_starting, 250),
}
