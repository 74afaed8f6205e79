"""Fetch a URL for `lton context ingest --fetch`, within limits, and from public hosts only.

The connection uses the checked address, so the name cannot resolve to another address later. The
host of each redirect is checked again.
"""

import ipaddress
import socket
import ssl
import time
from http.client import HTTPConnection, HTTPException, HTTPResponse
from urllib.parse import urljoin, urlsplit

from lton.errors import Code, IngestError

MOST_FETCHED = 20_000_000  # bytes of a response
MOST_FETCH_SECONDS = 30  # seconds for a URL with its redirects
MOST_REDIRECTS = 5
_PIECE = 65_536
_MOVED = (301, 302, 303, 307, 308)


def fetch(url: str) -> bytes:
    """Download the content of a URL.

    Raises `IngestError` (E706) for a host that is not public, for an HTTP error, and if a limit on
    bytes, seconds or redirects is exceeded.

    >>> fetch("http://127.0.0.1/")
    Traceback (most recent call last):
    lton.errors.IngestError: 'http://127.0.0.1/': expected a public host, found 127.0.0.1 [E706]
    """
    ends, at = time.monotonic() + MOST_FETCH_SECONDS, url
    try:
        for _ in range(MOST_REDIRECTS + 1):
            content, moved = _get(at, ends)
            if moved is None:
                return content
            then = urljoin(at, moved)
            if at.startswith("https:") and not then.startswith("https:"):
                raise ValueError("expected a redirect to HTTPS, found one to HTTP")
            at = then
        raise ValueError(f"expected at most {MOST_REDIRECTS} redirects")
    except (OSError, ValueError, HTTPException) as error:
        raise IngestError(Code.SOURCE, f"{url!r}: {error}") from error


def _get(url: str, ends: float) -> tuple[bytes, str | None]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise ValueError(f"expected an HTTP or HTTPS URL without a user name, found {url[:200]!r}")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    connection = HTTPConnection(parts.hostname, port)
    sock = _connected(parts.hostname, port, ends)
    try:
        if parts.scheme == "https":
            context = ssl.create_default_context()
            sock = context.wrap_socket(sock, server_hostname=parts.hostname)
        connection.sock = sock
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        headers = {"Accept-Encoding": "identity", "Host": parts.netloc, "User-Agent": "lton"}
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        if response.status in _MOVED and (moved := response.getheader("Location")):
            return b"", moved
        if response.status != 200:
            raise ValueError(f"expected status 200, found {response.status}")
        if response.getheader("Content-Encoding", "identity") != "identity":
            raise ValueError("expected an uncompressed response")
        return _read(response, sock, ends), None
    finally:
        connection.close()
        sock.close()


def _connected(host: str, port: int, ends: float) -> socket.socket:
    found = [each[4][0] for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    for address in found:
        if not is_public(str(address)):
            raise ValueError(f"expected a public host, found {address}")
    return socket.create_connection((str(found[0]), port), timeout=_left(ends))


def is_public(address: str) -> bool:
    """Return whether an IP address is public: not private, local or multicast.

    >>> [is_public(each) for each in ("93.184.216.34", "10.0.0.1", "::ffff:127.0.0.1", "::1")]
    [True, False, False, False]
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    inner = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None)
    return (inner or found).is_global and not (inner or found).is_multicast


def _left(ends: float) -> float:
    left = ends - time.monotonic()
    if left <= 0:
        raise ValueError(f"expected a response within {MOST_FETCH_SECONDS} seconds")
    return left


def _read(response: HTTPResponse, sock: socket.socket, ends: float) -> bytes:
    content = bytearray()
    while True:
        sock.settimeout(_left(ends))
        piece = response.read1(_PIECE)
        if not piece:
            return bytes(content)
        content += piece
        if len(content) > MOST_FETCHED:
            raise ValueError(f"expected at most {MOST_FETCHED:,} bytes")
