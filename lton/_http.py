"""Send HTTP requests with a deadline.

httpx2 limits only the time of each read, so a server could send one byte per second forever.
Therefore, requests run on an event loop that cancels them at their deadline. The loop has its own
thread, because the caller may have no event loop or a busy one.
"""

import asyncio
import atexit
import json
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import aclosing
from enum import Enum
from functools import cache
from typing import Any, TypeVar
from weakref import WeakSet

from lton._require import require
from lton.errors import Code, ServerError

T = TypeVar("T")

MAX_REPLY = 64 * 1024
"""The maximum size of a response in bytes; each byte of the request adds `PER_BYTE` bytes."""
PER_BYTE = 32
_NEVER = {404, 405, 501}
_LATER = {408, 425, 429, 502, 503, 504}


class Why(Enum):
    """The reasons why a server may give no usable answer."""

    AWAY = "the server was not reached or did not answer in time: retry later"
    FAULT = "the server failed: retry later, or with other input"
    NEVER = "the path is missing or has another API: do not retry"
    NOT_THIS = "the server refused this input, or answered with nothing"


class NoAnswerError(ServerError):
    """Raised if a server gave no usable answer."""

    def __init__(self, why: Why, url: str = "") -> None:
        super().__init__(Code.SERVER, f"{url}: {why.value}" if url else why.value)
        self.why = why


class Asker:
    """An HTTP client on the package's event loop."""

    def __init__(self, client: Any, timeout_s: float, key: str | None = None) -> None:
        self.key = {"Authorization": f"Bearer {key}"} if key else {}
        self.httpx = require("httpx2", "apps")
        self.given = client
        self.tls = (
            None if client else _load_certificates()
        )  # not on the loop, which other requests need
        _open.add(self)
        self.timeout_s = timeout_s
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def get(self, url: str) -> Any:
        """Send a GET request and return the decoded JSON response. Raises `NoAnswerError`."""
        return await self._ask(url, None)

    async def post(self, url: str, body: dict[str, Any]) -> Any:
        """Post a JSON body and return the decoded JSON response. Raises `NoAnswerError`."""
        return await self._ask(url, json.dumps(body, default=str).encode())

    async def _ask(self, url: str, data: bytes | None) -> Any:
        try:
            async with asyncio.timeout(self.timeout_s):
                return json.loads(await self._send_and_read(url, data))
        except NoAnswerError:
            raise
        except (ValueError, RecursionError, self.httpx.InvalidURL, self.httpx.UnsupportedProtocol):
            raise NoAnswerError(Why.NEVER, url) from None
        except Exception:  # no network, a timeout, or any error of the given client
            raise NoAnswerError(Why.AWAY, url) from None

    async def _send_and_read(self, url: str, data: bytes | None) -> bytearray:
        reply = await self.open(url, data)
        try:
            if reply.status_code != 200:
                raise NoAnswerError(_why_of_status(reply.status_code), url)
            body = bytearray()
            # The client is closed here, because the garbage collector may run on another thread.
            async with aclosing(reply.aiter_raw()) as chunks:
                async for chunk in chunks:
                    body += chunk
                    if len(body) > most(data or b""):
                        raise NoAnswerError(Why.NEVER, url)
            return body
        finally:
            await reply.aclose()

    async def open(self, url: str, data: bytes | None, **headers: str) -> Any:
        """Open a streamed response, which the caller must close."""
        # Do not accept compressed answers: a small one could expand to any size.
        headers |= {"Accept-Encoding": "identity", **self.key}
        if data is not None:
            headers["Content-Type"] = "application/json"
        client = self._client_of_loop()
        method = "GET" if data is None else "POST"
        request = client.build_request(method, url, content=data, headers=headers)
        return await client.send(request, stream=True, follow_redirects=False)

    def _client_of_loop(self) -> Any:
        # A forked process has its own loop, and must not use its parent's connections.
        if self._client is None or self._loop is not asyncio.get_running_loop():
            self._loop = asyncio.get_running_loop()
            make = self.httpx.AsyncClient
            self._client = self.given or make(timeout=self.timeout_s, verify=self.tls)
        return self._client

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def __del__(self) -> None:
        # If a client was not closed, close its connections on the loop.
        loop = _loops.get(os.getpid())
        if loop and getattr(self, "_client", None) and self._loop is loop:
            asyncio.run_coroutine_threadsafe(self._client.aclose(), loop)


def most(data: bytes) -> int:
    """Return the maximum size, in bytes, of the response to a request whose body is `data`."""
    return MAX_REPLY + PER_BYTE * len(data)


def _why_of_status(status: int) -> Why:
    if status in _NEVER:
        return Why.NEVER
    if status in _LATER:
        return Why.AWAY
    return Why.FAULT if status >= 500 else Why.NOT_THIS


@cache
def _load_certificates() -> Any:
    return require("httpx2", "apps").create_ssl_context()


_open: WeakSet[Asker] = WeakSet()
_loops: dict[int, asyncio.AbstractEventLoop] = {}
"""The event loop of each process, because a forked process inherits the loop but not its thread."""


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the package's event loop, from any thread, and return its result."""
    loop = _loops.get(os.getpid())
    if loop is None:
        new_loop = asyncio.new_event_loop()
        loop = _loops.setdefault(os.getpid(), new_loop)
        if loop is new_loop:
            threading.Thread(target=loop.run_forever, name="lton-http", daemon=True).start()
        else:
            new_loop.close()  # another thread was faster
    waited: Future[T] = asyncio.run_coroutine_threadsafe(work, loop)
    return waited.result()


async def _close_all() -> None:
    for asker in list(_open):
        await asker.close()
    here = asyncio.current_task()
    closing = [task for task in asyncio.all_tasks() if task is not here]  # dropped requests
    if closing:
        await asyncio.wait(closing, timeout=1)


@atexit.register
def _close_own_clients() -> None:
    if os.getpid() in _loops:  # else there is nothing to close
        run(_close_all())
