"""Test that fetching is limited in size, time and redirects, and refuses private hosts."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

import pytest

from lton import fetching
from lton.cli import main
from lton.errors import IngestError
from lton.fetching import fetch, is_public


class Site(BaseHTTPRequestHandler):
    """A site with a few pages."""

    def do_GET(self) -> None:
        """Answer depending on the path."""
        status, headers, body = {
            "/page.html": (200, {}, b"<html><p>Five gauges.</p>"),
            "/moved": (302, {"Location": "/page.html"}, b""),
            "/loop": (302, {"Location": "/loop"}, b""),
            "/inside": (302, {"Location": "http://10.0.0.1/secret"}, b""),
            "/file": (302, {"Location": "file:///etc/passwd"}, b""),
            "/packed": (200, {"Content-Encoding": "gzip"}, b"x"),
            "/large": (200, {}, b"x" * 300_000),
        }.get(self.path, (404, {}, b"gone"))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture(name="site")
def _site(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Run the site, whose address counts as public."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(
        fetching, "is_public", lambda address: address == "127.0.0.1" or is_public(address)
    )
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_what_is_at_a_url_is_fetched(site: str) -> None:
    """A URL is fetched, also after redirects."""
    assert fetch(f"{site}/page.html") == fetch(f"{site}/moved") == b"<html><p>Five gauges.</p>"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/loop", "at most 5 redirects"),
        ("/inside", "a public host, found 10.0.0.1"),
        ("/file", "an HTTP or HTTPS URL"),
        ("/packed", "uncompressed"),
        ("/gone", "status 200, found 404"),
        ("/large", "at most 100,000 bytes"),
    ],
)
def test_what_is_refused(
    site: str, path: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "MOST_FETCHED", 100_000)
    with pytest.raises(IngestError, match=message):
        fetch(f"{site}{path}")


def test_time_is_bounded(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "MOST_FETCH_SECONDS", 0)
    with pytest.raises(IngestError, match="within 0 seconds"):
        fetch(f"{site}/page.html")


_OK, _CHUNKED = b"HTTP/1.1 200 OK\r\n", b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"HTTP/1.1 200 ", b"a"),
        (_OK, b"X: y\r\n"),
        (_OK + b"X: ", b"a"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (_OK + b"\r\n", b"a"),
        (_OK + _CHUNKED, b"1\r\na\r\n"),
        (_OK + _CHUNKED + b"1", b";"),
        (_OK + _CHUNKED + b"1\r\na\r\n0\r\n", b"X: y\r\n"),
    ],
)
def test_each_part_of_a_response_counts_for_the_time(
    start: bytes, piece: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each read may take only the time that is left, whatever a slow server sends."""
    limit = 100
    clock = iter(range(10**6))  # each look at the clock takes a second
    monkeypatch.setattr(fetching, "MOST_FETCH_SECONDS", limit)
    monkeypatch.setattr(fetching, "is_public", lambda _: True)
    monkeypatch.setattr("lton.fetching.time.monotonic", lambda: next(clock))
    server = SlowServer(start, piece)
    monkeypatch.setattr("lton.fetching.socket.create_connection", server.connect)
    with pytest.raises(IngestError, match="within 100 seconds"):
        fetch("http://127.0.0.1/")
    assert server.reads < limit
    assert server.timeouts == sorted(server.timeouts, reverse=True)
    assert len(set(server.timeouts)) == len(server.timeouts)


class SlowServer:
    """A connection whose server sends one piece for each read, without end."""

    def __init__(self, start: bytes, piece: bytes) -> None:
        self.start, self.piece = start, piece
        self.reads = 0
        self.timeouts: list[float] = []

    def connect(self, _address: object, timeout: float) -> "SlowServer":
        """Accept the connection."""
        self.settimeout(timeout)
        return self

    def settimeout(self, seconds: float) -> None:
        """Note the time limit of the next operation."""
        self.timeouts.append(seconds)

    def send(self, data: memoryview) -> int:
        """Accept a part of the request."""
        return min(len(data), 40)

    def recv_into(self, buffer: memoryview) -> int:
        """Send the next piece."""
        self.reads += 1
        data = self.piece if self.reads > 1 else self.start + self.piece
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the connection."""


def test_resolving_a_name_counts_for_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resolver that does not answer is not waited for after the deadline."""
    ended = threading.Event()
    monkeypatch.setattr(fetching, "MOST_FETCH_SECONDS", 0.01)
    monkeypatch.setattr("lton.fetching.socket.getaddrinfo", lambda *_, **__: ended.wait() and [])
    with pytest.raises(IngestError, match=r"within 0\.01 seconds"):
        fetch("http://example.org/")
    ended.set()


@pytest.mark.parametrize("inner", ["127.0.0.1", "169.254.169.254", "10.0.0.1", "93.184.216.34"])
def test_an_ipv4_address_inside_an_ipv6_address_is_checked(inner: str) -> None:
    """An IPv6 address that contains an IPv4 address is public only if the IPv4 address is."""
    number = int(IPv4Address(inner))
    for start in ("::", "::ffff:0:0", "::ffff:0:0:0", "64:ff9b::"):
        address = IPv6Address(int(IPv6Address(start)) + number)
        assert is_public(str(address)) == is_public(inner), address
    assert is_public(str(IPv6Address((0x2002 << 112) + (number << 80) + 1))) == is_public(inner)
    for tunnel in (0x5EFE, 0x0200_5EFE):
        address = IPv6Address((0x2606_4700 << 96) + (tunnel << 32) + number)
        assert is_public(str(address)) == is_public(inner), address


@pytest.mark.parametrize(
    "address",
    ["::", "::1", "64:ff9b:1::808:808", "2001::808:808", "fec0::1", "fe80::1%eth0", "fd00::1",
     "ff02::1", "100::1", "2001:db8::1", "3fff::1", "5f00::1", "4000::1"],
)  # fmt: skip
def test_ipv6_addresses_that_no_public_host_has_are_refused(address: str) -> None:
    assert not is_public(address)
    assert is_public("2606:4700:4700::1111")


@pytest.mark.parametrize(
    "url",
    ["http://localhost/", "http://169.254.169.254/latest", "http://[::1]/", "http://0.0.0.0/",
     "http://2130706433/", "http://user@example.org/", "ftp://example.org/", "http://[fd00::1]/"],
)  # fmt: skip
def test_private_hosts_are_refused(url: str) -> None:
    """Private hosts are refused in any spelling, without a request."""
    with pytest.raises(IngestError):
        fetch(url)


def test_ingest_fetches_if_it_is_told_to(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The audit has the hash of fetched content, and without `--fetch` nothing is requested."""
    pytest.importorskip("inscriptis")
    monkeypatch.chdir(tmp_path)
    command = ["context", "ingest", f"{site}/page.html", "--budget", "100", "--tokenizer", "bytes"]
    assert main(command) == 1
    assert main([*command, "--fetch"]) == 0
    assert "Five gauges." in capsys.readouterr().out
    assert f"{site}/page.html" in (tmp_path / ".lton/audit.jsonl").read_text("utf-8")
