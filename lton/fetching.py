"""Fetch a URL for `lton context ingest --fetch`, within limits, and from public hosts only.

The connection uses the checked address, so the name cannot resolve to another address later. The
host of each redirect is checked again. All steps (resolving the name, connecting, the handshake,
each read) share one deadline: each may take only the time that is left, so a server cannot hold
the connection by sending a byte from time to time.
"""

import io
import ipaddress
import queue
import socket
import ssl
import threading
import time
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urljoin, urlsplit

from lton.errors import Code, IngestError

MOST_FETCHED = 20_000_000  # bytes of a response
MOST_FETCH_SECONDS = 30  # seconds for a URL with its redirects
MOST_REDIRECTS = 5
_PIECE = 65_536
_MOVED = (301, 302, 303, 307, 308)
_UNICAST = ipaddress.IPv6Network("2000::/3")
"""The only IPv6 addresses that are assigned to public hosts."""
_EMBEDDING = {
    ipaddress.IPv6Network("::/96"): 0,  # IPv4-compatible
    ipaddress.IPv6Network("::ffff:0:0/96"): 0,  # IPv4-mapped
    ipaddress.IPv6Network("::ffff:0:0:0/96"): 0,  # IPv4-translated
    ipaddress.IPv6Network("64:ff9b::/96"): 0,  # NAT64
    ipaddress.IPv6Network("2002::/16"): 80,  # 6to4
}
"""The IPv6 networks whose addresses contain an IPv4 address, and the number of bits after it."""
_NOT_PUBLIC = tuple(map(ipaddress.IPv6Network, ("2001::/32", "3fff::/20")))
"""Teredo tunnels, and addresses for documentation that Python 3.11 does not know."""
_ISATAP = 0x5EFE
"""The third word from the right of an address whose last two words are an IPv4 address."""


def fetch(url: str) -> bytes:
    """Download the content of a URL.

    Raises `IngestError` (E706) for a host that is not public, for an HTTP error, and if a limit on
    bytes, seconds or redirects is exceeded.

    >>> fetch("http://127.0.0.1/")
    Traceback (most recent call last):
    lton.errors.IngestError: 'http://127.0.0.1/': expected a public host, found 127.0.0.1 [E706]
    """
    ends = time.monotonic() + MOST_FETCH_SECONDS
    at = url
    try:
        for _ in range(MOST_REDIRECTS + 1):
            content, moved = _get_body_and_redirect(at, ends)
            if moved is None:
                return content
            then = urljoin(at, moved)
            if at.startswith("https:") and not then.startswith("https:"):
                raise ValueError("expected a redirect to HTTPS, found one to HTTP")
            at = then
        raise ValueError(f"expected at most {MOST_REDIRECTS} redirects")
    except TimeoutError as error:
        msg = f"{url!r}: expected a response within {MOST_FETCH_SECONDS} seconds"
        raise IngestError(Code.SOURCE, msg) from error
    except (OSError, ValueError, HTTPException) as error:
        raise IngestError(Code.SOURCE, f"{url!r}: {error}") from error


def _get_body_and_redirect(url: str, ends: float) -> tuple[bytes, str | None]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise ValueError(f"expected an HTTP or HTTPS URL without a user name, found {url[:200]!r}")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    connection = HTTPConnection(parts.hostname, port)
    sock = _connect_to(parts.hostname, port, ends)
    try:
        if parts.scheme == "https":
            context = ssl.create_default_context()
            sock.settimeout(_seconds_left(ends))
            sock = context.wrap_socket(sock, server_hostname=parts.hostname)
        connection.sock = _SocketKeptOpen(sock, ends)
        path = parts.path or "/"
        if parts.query:
            path += f"?{parts.query}"
        headers = {"Accept-Encoding": "identity", "Host": parts.netloc, "User-Agent": "lton"}
        connection.request("GET", path, headers=headers)
        return _read_body_and_redirect(connection.getresponse())
    finally:
        connection.close()
        sock.close()


def _read_body_and_redirect(response: HTTPResponse) -> tuple[bytes, str | None]:
    """Return the body of a response, and the address to which a redirect leads."""
    if response.status in _MOVED and (moved := response.getheader("Location")):
        return b"", moved
    if response.status != 200:
        raise ValueError(f"expected status 200, found {response.status}")
    if response.getheader("Content-Encoding", "identity") != "identity":
        raise ValueError("expected an uncompressed response")
    return _read_body(response), None


class _SocketKeptOpen:
    """A socket for `http.client`, all of whose operations end at a deadline."""

    def __init__(self, sock: socket.socket, ends: float) -> None:
        self._sock = sock
        self._ends = ends

    def sendall(self, data: Any) -> None:
        unsent = memoryview(data)
        while unsent:
            self._sock.settimeout(_seconds_left(self._ends))
            unsent = unsent[self._sock.send(unsent) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self._sock, self._ends))

    def close(self) -> None:
        """Keep the socket open: `http.client` closes it before the response has been read."""


class _TimedReader(io.RawIOBase):
    """Reads from a socket. Each read may take only the time that is left."""

    def __init__(self, sock: socket.socket, ends: float) -> None:
        super().__init__()
        self._sock = sock
        self._ends = ends

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(_seconds_left(self._ends))
        return self._sock.recv_into(buffer)


def _connect_to(host: str, port: int, ends: float) -> socket.socket:
    addresses = _resolve_host(host, port, ends)
    for address in addresses:
        if not is_public(address):
            raise ValueError(f"expected a public host, found {address}")
    return socket.create_connection((addresses[0], port), timeout=_seconds_left(ends))


def _resolve_host(host: str, port: int, ends: float) -> list[str]:
    """Return the addresses of a host. The resolver knows no deadline, so it runs in a thread."""
    outcome: queue.SimpleQueue[list[str] | OSError | UnicodeError] = queue.SimpleQueue()

    def put_addresses() -> None:
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            outcome.put([str(info[4][0]) for info in infos])
        except (OSError, UnicodeError) as error:
            outcome.put(error)

    threading.Thread(target=put_addresses, daemon=True).start()
    try:
        addresses = outcome.get(timeout=_seconds_left(ends))
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(addresses, Exception):
        raise addresses
    return addresses


def is_public(address: str) -> bool:
    """Return whether an IP address is public: not private, local or multicast.

    >>> [is_public(each) for each in ("93.184.216.34", "10.0.0.1", "::ffff:127.0.0.1", "::1")]
    [True, False, False, False]
    """
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv4Address):
        return parsed.is_global and not parsed.is_multicast
    for network, bits in _EMBEDDING.items():
        if parsed in network:
            return is_public(_embedded_ipv4(parsed, bits))
    if parsed not in _UNICAST or any(parsed in network for network in _NOT_PUBLIC):
        return False
    if (int(parsed) >> 32) & 0xFFFF == _ISATAP and not is_public(_embedded_ipv4(parsed, 0)):
        return False
    return parsed.is_global


def _embedded_ipv4(address: ipaddress.IPv6Address, bits: int) -> str:
    """Return the IPv4 address in an IPv6 address, which has the given number of bits after it."""
    return str(ipaddress.IPv4Address((int(address) >> bits) & 0xFFFFFFFF))


def _seconds_left(ends: float) -> float:
    seconds = ends - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def _read_body(response: HTTPResponse) -> bytes:
    content = bytearray()
    while True:
        piece = response.read1(_PIECE)
        if not piece:
            return bytes(content)
        content += piece
        if len(content) > MOST_FETCHED:
            raise ValueError(f"expected at most {MOST_FETCHED:,} bytes")
