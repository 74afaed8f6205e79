"""Forward a client's headers to the upstream, and the upstream's headers to the client.

Headers about the connection, the body, the identity of a client or a site, and the gateway itself
are not forwarded. `docs/guides/native-calls.md` lists these headers.
"""

from collections.abc import Iterable, Mapping

from starlette.datastructures import Headers

from lton.apis.refusals import RefusedError

MAX_HEADERS = 200
MAX_HEADER_BYTES = 64 * 1024  # names and values together
_CONNECTION = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer"
    " transfer-encoding upgrade http2-settings host".split()
)
_BODY = frozenset(
    "accept-encoding content-encoding content-length content-md5 content-digest digest"
    " repr-digest expect".split()
)
_CLIENT = frozenset("cookie cookie2 forwarded x-real-ip".split())
_SITE = frozenset(
    "alt-svc content-security-policy date nel report-to server set-cookie set-cookie2"
    " strict-transport-security www-authenticate".split()
)  # headers of an answer about the upstream's own site
_SITE_LIKE = ("access-control-", "cross-origin-", "x-lton-")
_LONGEST = 4096  # characters of a header that clients accept
_STAY = _CONNECTION | _BODY | _CLIENT
_STAY_LIKE = ("x-forwarded-", "x-lton-")


def check_header_sizes(raw: Iterable[tuple[bytes, bytes]]) -> None:
    """Raise `RefusedError` (431) for too many or too long headers."""
    sizes = [len(name) + len(value) for name, value in raw]
    if len(sizes) > MAX_HEADERS or sum(sizes) > MAX_HEADER_BYTES:
        words = f"expected at most {MAX_HEADERS} headers of {MAX_HEADER_BYTES} bytes in all, found "
        words += f"{len(sizes)} of {sum(sizes)} bytes"
        raise RefusedError(431, words, code="headers_too_large")


def forwarded_headers(headers: Headers, *, key: str | None = None) -> dict[str, str]:
    """Return the headers to forward, without any header that contains the gateway's `key`."""
    values_by_name: dict[str, list[str]] = {}
    for name, value in headers.items():
        values_by_name.setdefault(name, []).append(value)
    named = ",".join(values_by_name.get("connection", ())).lower().split(",")
    hops = {*map(str.strip, named)}
    secret = (key or "").encode(errors="surrogateescape")
    return {
        name: ", ".join(values)
        for name, values in values_by_name.items()
        if is_sent(name)
        and name not in hops
        and not (secret and any(secret in value.encode("latin-1") for value in values))
    }


def returned_headers(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the headers of an upstream's answer, in small letters, that the client receives."""
    hops = {name.strip().lower() for name in headers.get("connection", "").split(",")}
    returned = [
        (name, value)
        for name, value in headers.items()
        if not (name in _CONNECTION | _BODY | _SITE or name in hops or name.startswith(_SITE_LIKE))
        and is_acceptable(value)
    ]
    return returned[:MAX_HEADERS]


def is_acceptable(value: str) -> bool:
    """Return whether clients accept the value of a header."""
    return value.isascii() and len(value) <= _LONGEST


def is_sent(name: str) -> bool:
    """Return whether a client's header is forwarded to the upstream."""
    return name not in _STAY and not name.startswith(_STAY_LIKE)
