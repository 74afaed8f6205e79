"""An upstream that is a server of OpenAI's API: what is sent to it, and how its answers come."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from typing import Any, TypeAlias

import httpx2

from lton._json import minified
from lton._syntax import FORBIDDEN
from lton.gateway.protocol import RefusedError

Headers: TypeAlias = Mapping[str, str]

MAX_REPLY = 64 * 1024 * 1024
"""Bytes of an answer that does not stream, or of an error."""
_KEPT_S = 2.0
"""Servers close what was idle for 5 s: a request that they get just then would be lost."""
_CONNECT_S = 10.0
_END_S = 0.1
"""For the end of an answer after its last event."""
_SENT = (
    "authorization",
    "api-key",
    "content-type",
    "openai-organization",
    "openai-project",
    "user-agent",
)
"""Headers of a client that its server may need; never those of its connection."""


class HttpUpstream:
    """A server of OpenAI's API. Nothing is asked of it before a request is.

    `url` is its address, with or without `/v1`; only this address is ever asked, and redirections
    are passed on as they are. `key` is sent in place of the client's. The server has `timeout_s`
    seconds for the beginning of an answer, and again for each piece of it.
    """

    def __init__(self, url: str, *, key: str | None = None, timeout_s: float = 600.0) -> None:
        self.base = url.strip().rstrip("/").removesuffix("/v1").rstrip("/")
        self.key = key
        self.client = httpx2.AsyncClient(
            limits=httpx2.Limits(
                max_connections=None, max_keepalive_connections=100, keepalive_expiry=_KEPT_S
            ),
            timeout=httpx2.Timeout(timeout_s, connect=_CONNECT_S, pool=None),
            trust_env=False,  # a proxy from the environment would be another address
        )

    async def close(self) -> None:
        """Close the connections that are kept."""
        await self.client.aclose()

    async def stream(
        self, path: str, body: Mapping[str, Any], headers: Headers
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Send a request, and get the events of the answer, each an object, until it ends.

        An answer that does not stream is one event. Whoever stops reading closes the connection,
        and the server stops. Raises `RefusedError`: with the server's status and words where it
        answers with an error; 502 where it is not there, breaks off or sends no JSON; 504 where
        it is silent too long.
        """
        headers = {**headers, "content-type": "application/json"}
        # Of half a character that a client sent, no server could make a text.
        content = FORBIDDEN.sub("\ufffd", minified(body)).encode()
        async with self.open("POST", path, content, headers) as reply:
            if reply.status_code != 200:
                raise _refused(reply, await _read(reply))
            if "text/event-stream" not in reply.headers.get("content-type", ""):
                yield _object(await _read(reply))
                return
            with _faults():
                async with aclosing(aiter(httpx2.EventSource(reply))) as events:
                    async for event in events:
                        if event.data == "[DONE]":
                            break
                        if event.data:
                            yield _object(event.data)
                    # To its end, which is near: a connection that is left in the middle is lost.
                    with suppress(TimeoutError):
                        async with asyncio.timeout(_END_S):
                            async for _ in events:
                                pass

    @asynccontextmanager
    async def open(
        self, method: str, target: str, content: bytes, headers: Headers
    ) -> AsyncIterator[Any]:
        """Get an answer whose body is still to be read, and that is closed in every case."""
        sent = {name: headers[name] for name in _SENT if name in headers}
        if self.key:
            sent["authorization"] = f"Bearer {self.key}"
        # Not compressed: a small answer could become any size, and an event would wait for others.
        sent["accept-encoding"] = "identity"
        with _faults():
            request = self.client.build_request(
                method, self.base + target, content=content or None, headers=sent
            )
            try:
                reply = await self.client.send(request, stream=True)
            except httpx2.RemoteProtocolError:
                # A server may close a kept connection just as it is used again, and has then not
                # seen the request: it is sent once more, by another connection.
                reply = await self.client.send(request, stream=True)
        try:
            yield reply
        finally:
            await reply.aclose()


async def _read(reply: Any) -> bytes:
    body = bytearray()
    with _faults():
        async with aclosing(reply.aiter_raw()) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) > MAX_REPLY:
                    raise RefusedError(502, "the upstream's answer is too long", "upstream_error")
    return bytes(body)


@contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except httpx2.TimeoutException:
        raise RefusedError(504, "the upstream is silent", "upstream_error") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        why = f": {error}" if str(error) else ""
        raise RefusedError(502, f"the upstream broke off{why}", "upstream_error") from None


def _object(text: str | bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise RefusedError(502, "the upstream sent what is no JSON object", "upstream_error")
    if found.get("error"):
        raise _error(502, found, None)
    return found


def _refused(reply: Any, body: bytes) -> RefusedError:
    """Get the error that a server answered with. Any other gets OpenAI's shape."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    return _error(reply.status_code, found, reply.headers.get("retry-after"))


def _error(status: int, found: Any, retry_after: str | None) -> RefusedError:
    status = status if status >= 400 else 502  # a redirection is not followed
    error = found.get("error") if isinstance(found, dict) else None
    given = found if isinstance(error, dict) else None
    words = error if isinstance(error, str) else f"the upstream answered with status {status}"
    return RefusedError(status, words, "upstream_error", given=given, retry_after=retry_after)
