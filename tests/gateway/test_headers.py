"""Test forwarded and dropped headers, their limits, and compressed bodies."""

import asyncio
import gzip
import json
import socket
import zlib
from collections.abc import AsyncIterator, Iterator
from urllib.parse import urlsplit

import httpx2
import pytest
from starlette.datastructures import Headers

from lton.apis.refusals import RefusedError
from lton.gateway.access import check_framing
from lton.gateway.decompressing import decompress_body, find_decompressors
from lton.gateway.serving import build_application
from lton.gateway.upstreams.http_upstream import HttpReply
from tests.gateway import native
from tests.gateway.conftest import JSON, Served
from tests.gateway.native import PATHS, Raw, Serve, request, stream, whole

BODY = json.dumps(request("chat")).encode()


def request_status(url: str, head: str, body: bytes = b"", more: bytes = b"") -> int:
    """Return the status of the answer to a raw request."""
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port), timeout=20) as connection:
        connection.sendall(head.encode("latin-1") + b"\r\n\r\n" + body + more)
        reply = b""
        while b"\r\n" not in reply:
            if not (chunk := connection.recv(4096)):
                return 0
            reply += chunk
    return int(reply.split()[1])


def test_headers_of_a_client_go_on(serve: Serve, raw: Raw) -> None:
    """All headers of a client are forwarded, because agents and companies add their own."""
    raw.whole = whole("chat", "Hi")
    headers = {
        "x-app": "cli",
        "x-claude-code-session-id": "s",
        "x-stainless-lang": "js",
        "http-referer": "https://example.com",
        "cf-aig-authorization": "Bearer gateway",
        "session_id": "1",
        "originator": "codex_cli_rs",
        "accept": "text/event-stream",
        "authorization": "Bearer upstream",
        "user-agent": "own/1",
    }
    serve().post(PATHS["chat"], content=BODY, headers={**JSON, **headers})
    assert headers.items() <= raw.headers[0].items()


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("status", [200, 429])
def test_headers_of_an_answer_reach_the_client(
    serve: Serve, raw: Raw, streamed: bool, status: int
) -> None:
    """All headers of an answer are passed on, but not those of the connection and the site."""
    headers = {
        "cf-ray": "1-OSL",
        "openai-processing-ms": "12",
        "openai-organization": "o",
        "x-request-id": "r",
        "anthropic-ratelimit-tokens-remaining": "9",
        "retry-after-ms": "5",
        "x-new": "1",
    }
    stays = {
        "connection": "x-hop",
        "x-hop": "1",
        "set-cookie": "a=b",
        "access-control-allow-origin": "*",
        "x-lton-calls": "native",
        "x-long": "x" * 5000,
    }
    raw.whole, raw.chunks, raw.more = (
        whole("chat", "Hi"),
        stream("chat", "Hi"),
        {**headers, **stays},
    )
    raw.status = status

    reply = serve().post(PATHS["chat"], json=request("chat", stream=streamed))

    assert reply.status_code == status
    assert headers.items() <= reply.headers.items()
    assert not (stays.keys() - {"connection"}) & reply.headers.keys()


def test_chunks_that_have_come_let_others_have_their_turn() -> None:
    """Other tasks run between chunks, also if reading never has to wait."""

    class Content:
        async def iter_any(self) -> AsyncIterator[bytes]:
            for _ in range(50):
                yield b"x"

    class Answer:
        content = Content()

    async def count() -> list[int]:
        turns, counts = [0], list[int]()

        async def other() -> None:
            while True:
                turns[0] += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(other())
        async for _ in HttpReply(Answer()).aiter_raw():  # type: ignore[arg-type]
            counts.append(turns[0])
        task.cancel()
        return counts

    counts = asyncio.run(count())
    assert len(set(counts)) == len(counts) == 50


def test_headers_that_are_nobody_elses_stay(serve: Serve, raw: Raw) -> None:
    raw.whole = whole("chat", "Hi")
    headers = {
        "connection": "keep-alive, x-hop",
        "x-hop": "1",
        "keep-alive": "timeout=9",
        "te": "trailers",
        "proxy-authorization": "Basic eA==",
        "cookie": "a=b",
        "forwarded": "for=10.0.0.1",
        "x-forwarded-for": "10.0.0.1",
        "x-real-ip": "10.0.0.1",
        "x-lton-calls": "native",
        "content-md5": "x",
        "expect": "nothing",
    }
    serve().post(PATHS["chat"], content=BODY, headers={**JSON, **headers})
    (received,) = raw.headers
    assert not (headers.keys() - {"connection"}) & received.keys()
    assert "x-hop" not in received.get("connection", "")
    assert received["host"] != "localhost"


@pytest.mark.parametrize("ours", ["authorization", "x-api-key"])
def test_the_key_of_the_gateway_stays_and_another_goes_on(
    serve: Serve, raw: Raw, ours: str
) -> None:
    raw.whole = whole("chat", "Hi")
    theirs = {"authorization": "x-api-key", "x-api-key": "x-other-key"}[ours]
    headers = {**JSON, ours: "Bearer of-the-gateway" if ours != "x-api-key" else "of-the-gateway"}
    headers |= {theirs: "of-the-upstream", "x-copy": "of-the-gateway"}
    serve(api_key="of-the-gateway").post(PATHS["chat"], content=BODY, headers=headers)
    (received,) = raw.headers
    assert received[theirs] == "of-the-upstream"
    assert "of-the-gateway" not in str(received)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({f"x-{n}": "1" for n in range(150)}, 200),
        ({f"x-{n}": "" for n in range(250)}, 431),
        ({f"x-{n}": "v" * 8000 for n in range(9)}, 431),
    ],
)
def test_headers_have_a_bound(serve: Serve, raw: Raw, headers: dict[str, str], status: int) -> None:
    raw.whole = whole("chat", "Hi")
    answer = serve().post(PATHS["chat"], content=BODY, headers={**JSON, **headers})
    assert answer.status_code == status
    assert status == 200 or answer.json()["error"]["code"] == "headers_too_large"


@pytest.fixture
def url(raw: Raw) -> Iterator[str]:
    raw.whole = whole("chat", "Hi")
    upstream = Served(raw.app)
    served = Served(build_application(native.options(upstream.url)))
    yield served.url
    served.close()
    upstream.close()


POST = f"POST {PATHS['chat']} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CHUNKED = f"{len(BODY):x}\r\n".encode() + BODY + b"\r\n0\r\n"


@pytest.mark.parametrize(
    ("head", "body", "statuses"),
    [
        (f"{POST}Content-Length: {len(BODY)}", BODY, {200}),
        (f"{POST}Transfer-Encoding: chunked", CHUNKED + b"\r\n", {200}),
        # h11 drops these trailers, and httptools counts them as headers.
        (f"{POST}Transfer-Encoding: chunked", CHUNKED + b"X-A: 1\r\n" * 300 + b"\r\n", {200, 431}),
        # h11 refuses this, and with httptools we do.
        (f"{POST}Transfer-Encoding: gzip, chunked", CHUNKED + b"\r\n", {400, 501}),
        (POST.replace("HTTP/1.1", "HTTP/1.0") + "Transfer-Encoding: chunked", CHUNKED, {400}),
        (POST.replace("Host: localhost\r\n", "") + f"Content-Length: {len(BODY)}", BODY, {400}),
        (POST.replace("localhost", "[::1].evil.example") + "Content-Length: 0", b"", {403}),
        (POST.replace("localhost", "[::1]:8000") + f"Content-Length: {len(BODY)}", BODY, {200}),
    ],
)
def test_a_request_is_read_in_one_way_only(
    url: str, head: str, body: bytes, statuses: set[int]
) -> None:
    """Two servers cannot read a request with different hosts or bodies, because such requests are
    refused.
    """
    assert request_status(url, head, body) in statuses


def test_only_chunked_is_read_as_a_transfer_encoding() -> None:
    """The only transfer encoding is `chunked`, even if the HTTP library accepts others."""
    for value in ("gzip, chunked", "chunked, chunked", "identity"):
        with pytest.raises(RefusedError) as refused:
            check_framing("1.1", Headers({"host": "a", "transfer-encoding": value}))
        assert refused.value.status == 501
    check_framing("1.1", Headers({"host": "a", "transfer-encoding": "Chunked"}))


# --- bodies ---------------------------------------------------------------------------------------


def raw_deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


def packed(coding: str, data: bytes) -> bytes:
    """Compress data as a client does."""
    if coding == "zstd":
        zstd = pytest.importorskip("backports.zstd", reason="zstd is not installed")
        return bytes(zstd.compress(data))
    if coding == "br":
        return bytes(pytest.importorskip("brotli").compress(data))
    if coding == "gzip":
        return gzip.compress(data)
    return raw_deflate(data) if coding == "raw" else zlib.compress(data)


CODINGS = [("gzip", "gzip"), ("deflate", "deflate"), ("deflate", "raw"), ("zstd", "zstd")]
CODINGS.append(("br", "br"))


@pytest.mark.parametrize(("coding", "how"), CODINGS)
def test_a_compressed_body_is_read(serve: Serve, raw: Raw, coding: str, how: str) -> None:
    """A compressed body is decompressed before it is sent on, for example from Codex with a ChatGPT
    login.
    """
    raw.whole = whole("chat", "Hi")
    headers = {**JSON, "content-encoding": coding}
    answer = serve().post(PATHS["chat"], content=packed(how, BODY), headers=headers)
    assert answer.status_code == 200, answer.text
    assert raw.bodies == [BODY]
    assert "content-encoding" not in raw.headers[0]


@pytest.mark.parametrize("coding", ["compress", "aes128gcm", "gzip, br"])
def test_a_coding_that_is_not_known_is_named(serve: Serve, coding: str) -> None:
    headers = {**JSON, "content-encoding": coding}
    answer = serve().post(PATHS["chat"], content=BODY, headers=headers)
    assert answer.status_code == 415
    assert answer.headers["accept-encoding"] == ", ".join(find_decompressors())
    assert repr(coding) in answer.json()["error"]["message"]


@pytest.mark.parametrize(("coding", "how"), CODINGS)
@pytest.mark.parametrize(("cut", "status"), [(None, 413), (5, 400), (0, 400)])
def test_what_a_body_becomes_has_a_bound(
    coding: str, how: str, cut: int | None, status: int
) -> None:
    """The decompressed size is limited, and a broken body is refused."""
    data = packed(how, b" " * 5_000_000)[:cut]
    for broken in (data, b"no such thing" * (status == 400)):
        with pytest.raises(RefusedError) as refused:
            decompress_body(broken or data, coding, 100_000)
        assert refused.value.status == status


def test_a_large_body_within_the_bound_is_read() -> None:
    data = bytes(range(256)) * 4000
    for coding, how in CODINGS:
        assert decompress_body(packed(how, data), coding, len(data)) == data
        with pytest.raises(RefusedError, match="longer than"):
            decompress_body(packed(how, data), coding, len(data) - 1)


def test_the_rest_of_a_page_is_read(serve: Serve) -> None:
    """The header of a coding is ignored if the request has no body."""
    with httpx2.Client(base_url=serve().base_url) as client:
        assert client.get("/health", headers={"content-encoding": "gzip"}).status_code == 200
