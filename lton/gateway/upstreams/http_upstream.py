"""Send requests to an upstream over HTTP and read its answers."""

import asyncio
import json
import logging
import ssl
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote, urlsplit

from lton._json import minified
from lton._syntax import FORBIDDEN
from lton.apis.json_members import object_in, read_object
from lton.apis.refusals import RefusedError, make_odd_event_error
from lton.apis.registry import KEY_HEADERS, PREFIXES, api_of_path, upstream_headers
from lton.apis.sse import EventCutter
from lton.errors import ConversionError
from lton.gateway.headers import is_sent

if TYPE_CHECKING:
    import aiohttp

_log = logging.getLogger("lton.gateway")
Headers: TypeAlias = Mapping[str, str]

MAX_REPLY = 64 * 1024 * 1024  # bytes of an answer that does not stream, or of an error
_KEPT_S = 2.0  # servers close connections after 5 idle seconds, and could lose a request
_CONNECT_S = 10.0
_LOOK_S = 5.0
_ASK_S = 30.0
_FIRST_STATUS = 200
_LAST_STATUS = 599
_MAX_HEADER = 64 * 1024
_QUOTED = 300  # bytes of an error in an unknown format
_END_S = 0.1  # the time to wait for the end of an answer after its last event


KEYS = frozenset(["api-key", *KEY_HEADERS])  # headers that may hold a key
UNREACHABLE = "upstream_unreachable"  # the code of the error for an address that does not answer


class NoUpstream:
    """Takes the place of an upstream if the gateway only compresses and counts."""

    def iterate_events(self, *_: Any) -> Any:
        raise RefusedError(404, "no upstream is set: see --upstream URL", code="no_upstream")

    def opening_request(self, *_: Any) -> Any:
        self.iterate_events()

    async def check_reachable(self) -> None: ...
    async def close(self) -> None: ...


class HttpUpstream:
    """A model server over HTTP.

    Only `url`, with or without `/v1`, is queried, and redirects are passed on. `key` is sent in
    `key_header` instead of the client's key. `timeout_s` limits the wait for the start of an
    answer, and for each piece of it.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        key_header: str = "authorization",
        timeout_s: float = 600.0,
    ) -> None:
        self.base = _without_prefix(url.strip())
        if key and not (key.isascii() and key.isprintable()):
            raise ValueError("upstream-key: expected printable ASCII")
        self.key = key
        self.key_header = key_header
        self.timeout_s = timeout_s
        user, self.public_url = _split_user_from_url(
            self.base
        )  # the address to show, without a password
        self.user = f"Basic {b64encode(user.encode()).decode()}" if user else None

    @cached_property
    def client(self) -> "aiohttp.ClientSession":
        """The HTTP session, which is created for the event loop of its first use."""
        import aiohttp  # noqa: PLC0415 - it takes long, and who asks no server needs none

        # Load the certificates now, because aiohttp's own context is as old as its import.
        trusted = ssl.create_default_context() if self.base.lower().startswith("https:") else True
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEPT_S, ssl=trusted),
            timeout=aiohttp.ClientTimeout(
                total=None, sock_connect=_CONNECT_S, sock_read=self.timeout_s
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=["content-type"],
            auto_decompress=False,
            max_line_size=_MAX_HEADER,
            max_field_size=_MAX_HEADER,
            trust_env=False,  # never use a proxy from the environment
        )

    async def check_reachable(self) -> None:
        """Log a warning if no server listens at the address."""
        await asyncio.to_thread(import_module, "aiohttp")  # or the first request waits for it
        try:
            parts = urlsplit(self.base)
            port = parts.port or (443 if parts.scheme == "https" else 80)
            async with asyncio.timeout(_LOOK_S):
                _, writer = await asyncio.open_connection(parts.hostname, port)
            writer.close()
        except (OSError, ValueError) as error:
            _log.warning(
                "the upstream %s cannot be reached%s", self.public_url, _write_reason(error)
            )

    async def post_body(
        self,
        path: str,
        body: Mapping[str, Any] | None = None,
        client_headers: Headers | None = None,
    ) -> tuple[int, Mapping[str, Any]]:
        """Send a small request with a client's key and return the response's status and JSON."""
        method, content = ("GET", b"") if body is None else ("POST", _encode_request(body))
        keys = {name: header for name, header in (client_headers or {}).items() if name in KEYS}
        headers = upstream_headers(path, keys)
        if body is not None:
            headers["content-type"] = "application/json"
        try:
            async with (
                asyncio.timeout(_ASK_S),
                self.opening_request(method, path, content, headers) as reply,
            ):
                data = await read_reply_bytes(reply)
        except TimeoutError:
            raise self._make_silence_error() from None
        value = _try_read_json(data)
        return reply.status_code, value if isinstance(value, dict) else {}

    async def close(self) -> None:
        await self.client.close()

    async def iterate_events(
        self, path: str, body: Mapping[str, Any], headers: Headers
    ) -> AsyncGenerator[Mapping[str, Any], None]:
        """Send a request and yield each event of the answer as a JSON object.

        An answer that is not streamed is one event. An empty event follows it, and also represents
        `[DONE]`. Closing the generator closes the connection, and the server stops. Raises
        `RefusedError`: with the server's status and message for an error; 502 if the server cannot
        be reached, disconnects or sends invalid JSON; 504 if it is silent for too long.
        """
        headers = {**upstream_headers(path, headers), "content-type": "application/json"}
        content = _encode_request(api_of_path(path).without_path_fields(body))
        async with self.opening_request("POST", path, content, headers) as reply:
            if reply.status_code != 200:
                raise await read_refusal(reply)
            if "text/event-stream" not in reply.headers.get("content-type", ""):
                yield _require_no_error(read_object(await read_reply_bytes(reply)))
                yield {}
                return
            cutter = EventCutter()
            with self._refusing_faults():
                async for chunk in reply.aiter_raw():
                    for event in cutter.feed(chunk):
                        if event.data or event.is_done:
                            yield _require_no_error(event.data)
                        if event.is_done:
                            await reply.finish()
                            return
            for event in cutter.flush():
                if event.data:
                    yield _require_no_error(event.data)

    @asynccontextmanager
    async def opening_request(
        self, method: str, target: str, content: bytes, headers: Headers
    ) -> AsyncIterator[Any]:
        """Send a request and yield the response before its body has been read."""
        # Headers must be ASCII.
        request_headers = {
            name: value for name, value in headers.items() if is_sent(name) and value.isascii()
        }
        if self.key:
            request_headers = {
                name: value for name, value in request_headers.items() if name not in KEYS
            }
            scheme = "Bearer " if self.key_header == "authorization" else ""
            request_headers[self.key_header] = f"{scheme}{self.key}"
        if self.user:
            request_headers["authorization"] = self.user
        # Refuse compression: a small answer could expand to any size, and events would be delayed.
        request_headers["accept-encoding"] = "identity"
        import aiohttp  # noqa: PLC0415 - as above

        with self._refusing_faults():
            try:
                reply = await self._ask_once(method, target, content, request_headers)
            except aiohttp.ClientConnectorError:
                raise
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                # A server may close or reset a kept connection just as it is used again, and has
                # then not seen the request. So the request is sent once more over another
                # connection.
                reply = await self._ask_once(method, target, content, request_headers)
        try:
            if not _FIRST_STATUS <= reply.status_code <= _LAST_STATUS:  # not a valid status
                words = f"the upstream answered with status {reply.status_code}"
                raise RefusedError(502, words, "upstream_error")
            with self._refusing_faults():
                yield reply
        finally:
            reply.close()

    async def _ask_once(
        self, method: str, target: str, content: bytes, headers: Headers
    ) -> "HttpReply":
        import aiohttp  # noqa: PLC0415 - as above
        from yarl import URL  # noqa: PLC0415 - a part of it

        try:
            url = URL(self.public_url + target, encoded=True)
            _ = url.port  # yarl checks the port only when it is read
        except ValueError as error:
            raise aiohttp.InvalidURL(self.public_url, str(error)) from None
        body = BytesIO(content) if content else None
        ask = self.client.request(method, url, data=body, headers=headers, allow_redirects=False)
        return HttpReply(await ask)

    def _make_silence_error(self) -> RefusedError:
        return RefusedError(
            504, f"the upstream {self.public_url} does not answer", "upstream_error"
        )

    @contextmanager
    def _refusing_faults(self) -> Iterator[None]:
        import aiohttp  # noqa: PLC0415 - as above

        try:
            yield
        except ConversionError as error:
            raise make_odd_event_error(error) from None
        except (
            aiohttp.ClientConnectorError,
            aiohttp.ConnectionTimeoutError,
            aiohttp.InvalidURL,
        ) as error:
            words = f"the upstream {self.public_url} cannot be reached{_write_reason(error)}"
            raise RefusedError(502, words, "upstream_error", code=UNREACHABLE) from None
        except aiohttp.ServerTimeoutError:
            raise self._make_silence_error() from None
        except (aiohttp.ClientError, OSError) as error:
            words = f"the upstream {self.public_url} broke off{_write_reason(error)}"
            raise RefusedError(502, words, "upstream_error") from None


@dataclass(frozen=True)
class HttpReply:
    """An answer whose body has not been read."""

    answer: "aiohttp.ClientResponse"

    @property
    def status_code(self) -> int:
        return self.answer.status

    @cached_property
    def headers(self) -> Mapping[str, str]:
        return {name.lower(): value for name, value in self.answer.headers.items()}

    async def aiter_raw(self) -> AsyncIterator[bytes]:
        async for chunk in self.answer.content.iter_any():
            yield chunk
            # Chunks that have already come are read without waiting, as long as a client's buffer
            # has room. Other requests must get their turn.
            await asyncio.sleep(0)

    async def finish(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_END_S):
                async for _ in self.answer.content.iter_any():
                    pass

    def close(self) -> None:
        """Close the connection, unless it can be reused because the body was read completely."""
        self.answer.close()


async def read_reply_bytes(reply: Any) -> bytes:
    """Read the body of an answer. Raises `RefusedError` (502) if it is too long."""
    body = bytearray()
    async for chunk in reply.aiter_raw():
        body += chunk
        if len(body) > MAX_REPLY:
            raise RefusedError(502, "the upstream's answer is too long", "upstream_error")
    return bytes(body)


def _encode_request(body: Mapping[str, Any]) -> bytes:
    text = minified(body)
    try:
        return text.encode()
    except UnicodeEncodeError:  # a client sent a lone surrogate
        return FORBIDDEN.sub("\ufffd", text).encode()


def _without_prefix(url: str) -> str:
    """Return the address of a server without the prefix of an API's paths."""
    url = url.rstrip("/")
    for prefix in PREFIXES:
        url = url.removesuffix(prefix)
    return url.rstrip("/")


def _write_reason(error: Exception) -> str:
    return f": {error}" if str(error) else ""


def _split_user_from_url(url: str) -> tuple[str, str]:
    user = urlsplit(url).netloc.rpartition("@")[0]
    return unquote(user), url.replace(f"{user}@", "", 1) if user else url


def _require_no_error(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an event unchanged, or raise `RefusedError` if the event reports an error."""
    if event.get("error") is not None:
        raise _make_refusal(502, event)
    if event.get("type") in ("error", "response.failed"):
        error = object_in(object_in(event, "response"), "error") or event
        words = str(error.get("message") or "the upstream failed")
        raise RefusedError(502, words, "upstream_error")
    return event


def _try_read_json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


async def read_refusal(reply: Any) -> RefusedError:
    """Read a server's error response, whose status is not 200."""
    body = await read_reply_bytes(reply)
    retry_after = reply.headers.get("retry-after")
    return _make_refusal(reply.status_code, _try_read_json(body), retry_after, body)


def _make_refusal(
    status: int, answer: Any, retry_after: str | None = None, body: bytes = b""
) -> RefusedError:
    """Build a `RefusedError` from a server's error response.

    Without an error in a known format, the message quotes the beginning of the body.
    """
    error = answer.get("error") if isinstance(answer, dict) else None
    upstream_error = answer if error and isinstance(error, dict) else None
    words = f"the upstream answered with status {status}"
    if isinstance(error, str) and error:
        words = error
    elif quoted := " ".join(body[:_QUOTED].decode(errors="replace").split()):
        words += f": {quoted}"
    status = status if status >= 400 else 502  # redirections are not followed
    return RefusedError(
        status, words, "upstream_error", upstream_error=upstream_error, retry_after=retry_after
    )
