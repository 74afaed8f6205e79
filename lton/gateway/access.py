"""Check that a request may access the gateway: its path, host, origin, content type and key.

Any page in a browser can send simple requests to this machine, and a foreign host name may resolve
to this machine. So content must be JSON, the host must be known, and other origins are refused.
"""

import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import unquote

from starlette.datastructures import Headers

from lton.apis.refusals import RefusedError
from lton.apis.registry import client_key_in

_DECODINGS = 3  # a path that was encoded more often is suspicious
_SEPARATOR = re.compile(r"[/\\]")
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_ANY = "*"
_JSON = "application/json"
_FILES = "multipart/form-data"


@dataclass(frozen=True, kw_only=True)
class AccessRules:
    """The rules for access to a gateway.

    - `api_key` must be sent by clients.
    - `hosts` are allowed host names in addition to those of this machine; `*` allows any.
    - `origins` are allowed origins of pages in browsers; `*` allows any.
    - `takes_addresses` allows any IP address as the host, because only names can be rebound.
    """

    api_key: str | None = None
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    takes_addresses: bool = False

    def check(self, path: str, headers: Headers) -> None:
        """Raise `RefusedError` for an unsafe path, an unknown host or a foreign origin."""
        if not _is_plain(path):
            words = "the path may not have '.' or '..' as a segment, control characters, or bytes "
            words += "that are not UTF-8"
            raise RefusedError(400, words, code="invalid_path")
        hosts = headers.getlist("host")
        for host in hosts:
            if not self.allows_host(_host_name(host)):
                name = _host_name(host)
                words = f"this gateway does not answer to the host name {name!r}: start it with "
                words += f"'lton serve --set allow-host={name}' to allow that"
                raise RefusedError(403, words, code="host_not_allowed")
        own = {f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")}
        for origin in headers.getlist("origin"):
            if not self.origins.intersection((_ANY, origin)) and origin not in own:
                words = f"pages of {origin!r} may not use this gateway: start it with "
                words += f"'lton serve --set allow-origin={origin}' to allow that"
                raise RefusedError(403, words, code="origin_not_allowed")

    def check_key(self, headers: Headers) -> None:
        """Raise `RefusedError` unless the client sends the key."""
        if not self.api_key:
            return
        header = client_key_in(headers)
        scheme, _, token = header.partition(" ")
        client_key = token.strip() if scheme.lower() == "bearer" else header
        key = self.api_key.encode(errors="surrogateescape")
        if not hmac.compare_digest(client_key.encode("latin-1"), key):
            words = "send the key of this gateway: 'Authorization: Bearer KEY', with the KEY of "
            words = f"{'wrong' if header else 'no'} API key: {words}'lton serve --api-key'"
            raise RefusedError(401, words, "authentication_error", code="invalid_api_key")

    def allows_host(self, name: str) -> bool:
        if self.hosts.intersection((_ANY, name)) or f".{name}".endswith(".localhost"):
            return True
        try:
            address = ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or self.takes_addresses


def read_host_names(names: Iterable[str]) -> frozenset[str]:
    """Normalize host names for `AccessRules`."""
    return frozenset(map(_host_name, names))


def check_content_type(headers: Headers, *, files: bool) -> None:
    """Raise `RefusedError` unless the body is JSON or, with `files`, a form."""
    content_type = headers.get("content-type", "")
    kind = content_type.partition(";")[0].strip().lower()
    if content_type.isascii() and (kind == _JSON or (files and kind == _FILES)):
        return
    problem = (
        f"the content type is {content_type[:60]!r}"
        if content_type
        else "the body has no content type"
    )
    words = f"{problem}: send JSON with the header 'Content-Type: {_JSON}' (with curl: "
    words += f"-H 'Content-Type: {_JSON}')"
    raise RefusedError(415, words, code="unsupported_media_type")


def check_framing(version: str, headers: Headers) -> None:
    """Raise `RefusedError` if servers could disagree about the end of the body."""
    codings = headers.getlist("transfer-encoding")
    if version == "1.1" and "host" not in headers:
        raise RefusedError(400, "HTTP/1.1 needs the header 'Host'", code="no_host")
    if codings and version == "1.0":
        raise RefusedError(400, "HTTP/1.0 has no Transfer-Encoding", code="invalid_framing")
    if codings and [coding.strip().lower() for coding in codings] != ["chunked"]:
        words = f"expected the transfer encoding 'chunked', found {codings[0][:60]!r}"
        raise RefusedError(501, words, code="invalid_framing")


def has_body(headers: Headers) -> bool:
    """Return whether a request has a body, according to its headers."""
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _host_name(host: str) -> str:
    host = host.strip().lower()
    if host.startswith("["):
        address, _, port = host[1:].partition("]")
        return address if re.fullmatch(r"(?::\d*)?", port) else host
    return host.partition(":")[0].removesuffix(".")


def _is_plain(path: str) -> bool:
    for _ in range(_DECODINGS):
        try:
            read = unquote(path, errors="strict")
        except UnicodeDecodeError:
            return False
        names = (part.partition(";")[0].strip() for part in _SEPARATOR.split(read))
        if _CONTROL.search(read) or any(name in (".", "..") for name in names):
            return False
        if read == path:
            return True
        path = read
    return False
