"""Ask a server over HTTP, within a time that is kept.

httpx limits each read, and a server that sends a byte a second passes every such limit. So requests
run on an event loop, where a deadline ends whatever is under way; the loop has a thread of its own,
because who counts tokens may have an event loop or none.
"""

import asyncio
import json
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from lton._require import require
from lton.tokens._dialects import NoCountError, Why

T = TypeVar("T")

MAX_REPLY = 64 * 1024
"""Bytes of an answer, and `PER_BYTE` more for each byte asked about: a token is 9 in JSON."""
PER_BYTE = 32
_NEVER = {404, 405, 501}
_LATER = {408, 425, 429, 502, 503, 504}


class Asker:
    """An HTTP client on the loop of this package."""

    def __init__(self, client: Any, timeout_s: float) -> None:
        self.httpx = require("httpx", "servers")
        self.given = client
        self.timeout_s = timeout_s
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def post(self, url: str, body: dict[str, Any]) -> Any:
        """Get the JSON of an answer, or raise `NoCountError`."""
        data = json.dumps(body, default=str).encode()
        try:
            client = self._http()  # not in that time: certificates are loaded for it
            async with asyncio.timeout(self.timeout_s):
                return json.loads(await self._exchange(client, url, data))
        except NoCountError:
            raise
        except (ValueError, RecursionError, self.httpx.InvalidURL, self.httpx.UnsupportedProtocol):
            raise NoCountError(Why.NEVER) from None
        except Exception:  # no network, no time, or whatever a client that was given raises
            raise NoCountError(Why.AWAY) from None

    async def _exchange(self, client: Any, url: str, data: bytes) -> bytearray:
        # Not compressed: a small answer could become any size.
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        request = client.build_request("POST", url, content=data, headers=headers)
        reply = await client.send(request, stream=True, follow_redirects=False)
        try:
            if reply.status_code != 200:
                raise NoCountError(_why(reply.status_code))
            body = bytearray()
            async for chunk in reply.aiter_raw():
                body += chunk
                if len(body) > MAX_REPLY + PER_BYTE * len(data):
                    raise NoCountError(Why.NEVER)
            return body
        finally:
            await reply.aclose()

    def _http(self) -> Any:
        # A process that was forked has another loop, and must not share its parent's connections.
        if self._client is None or self._loop is not asyncio.get_running_loop():
            self._loop = asyncio.get_running_loop()
            self._client = self.given or self.httpx.AsyncClient(timeout=self.timeout_s)
        return self._client

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None and client is not self.given:
            await client.aclose()


def _why(status: int) -> Why:
    if status in _NEVER:
        return Why.NEVER
    if status in _LATER:
        return Why.AWAY
    return Why.FAULT if status >= 500 else Why.NOT_THIS


_lock = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}


def run(work: Coroutine[Any, Any, T]) -> T:
    """Get what a coroutine returns that runs on the loop of this package, from any thread."""
    with _lock:
        loop = _loops.get(os.getpid())
        if loop is None:
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="lton-tokens", daemon=True).start()
    waited: Future[T] = asyncio.run_coroutine_threadsafe(work, loop)
    return waited.result()
