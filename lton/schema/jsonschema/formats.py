"""Check strings against the formats of R-424 in linear time.

Long strings are searched for invalid characters, because unlike matching a repeated group, this
needs no memory.
"""

import re
from collections.abc import Callable
from functools import partial

from lton._patterns import compiled_when_used
from lton.schema.jsonschema.patterns import is_pattern

_TEXT = re.ASCII | re.IGNORECASE
_DAY_MIN = 24 * 60
_DATE = compiled_when_used(r"\d{4}-\d\d-\d\d", _TEXT)
_TIME = compiled_when_used(
    r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))?", _TEXT
)
_DURATION = compiled_when_used(
    r"P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?"
    r"(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)",
    re.ASCII,
)
"""RFC 3339, Appendix A: whole numbers without a sign, and no gap between the units."""
_EMAIL = compiled_when_used(
    r"""(?:[^\s@"().,:;<>\[\]\\]+(?:\.[^\s@"().,:;<>\[\]\\]+)*|"[^"\r\n]*")@(.+)"""
)
_LABEL = compiled_when_used(r"[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?", _TEXT)
_UUID = compiled_when_used(r"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}", _TEXT)
_ANY_LABEL = compiled_when_used(r"(?!-)[^\s\0-,./:-@\[-`{-\x9f]{1,63}(?<!-)")  # beyond ASCII
_URI = compiled_when_used(
    r"(?:(?P<scheme>[a-z][a-z\d+.-]*):)?"
    r"(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    _TEXT | re.DOTALL,
)
_BEYOND = (
    "\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
    + "".join(f"{chr(plane)}-{chr(plane + 0xFFFD)}" for plane in range(0x10000, 0xE0000, 0x10000))
    + "\U000e1000-\U000efffd"
)
"""RFC 3987: characters beyond ASCII that are allowed anywhere in an IRI (`ucschar`),"""
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
"""and characters that are also allowed in its query (`iprivate`)."""


def _wrong(allowed: str) -> re.Pattern[str]:
    """Compile a pattern that finds forbidden characters and incomplete `%` escapes."""
    return compiled_when_used(rf"[^%{allowed}]|%(?![\da-f]{{2}})", _TEXT)


_ASCII = r"\w.~!$&'()*+,;=:@/?\-"
_NOT_URI = _wrong(_ASCII)
_NOT_IRI = _wrong(_ASCII + _BEYOND)
_NOT_QUERY = _wrong(_ASCII + _BEYOND + _PRIVATE)
_NOT_LITERAL = _wrong(rf"\w.~!$&()*+,;=:@/?#\[\]\-{_BEYOND}{_PRIVATE}")
_VARIABLE = r"(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?"
_EXPRESSION = compiled_when_used(rf"\{{[+#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*\}}", _TEXT)
_NOT_POINTER = compiled_when_used("~(?![01])")
_LEVELS = compiled_when_used("0|[1-9][0-9]*")
_AUTHORITY = compiled_when_used(
    r"(?:([^@\[\]]*)@)?(?:\[([^\[\]@]*)\]|([^:@\[\]]*))(?::\d*)?", _TEXT
)
_FUTURE = compiled_when_used(r"v[\da-f]+\.[\w.~!$&'()*+,;=:-]+", _TEXT)


def _is_date(text: str) -> bool:
    from datetime import date  # noqa: PLC0415 - few tools have dates

    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_time(text: str) -> bool:
    """Return whether a string is a time. A leap second is allowed at the end of a UTC day."""
    match = _TIME.fullmatch(text)
    if not match:
        return False
    hour, minute, second, sign, *offset = match.groups()
    if second != "60":
        return True
    hours, minutes = offset if sign else ("0", "0")
    east = int(f"{sign or ''}{hours}") * 60 + int(f"{sign or ''}{minutes}")
    return (int(hour) * 60 + int(minute) - east + 1) % _DAY_MIN == 0


def _is_hostname(text: str, label: re.Pattern[str] = _LABEL) -> bool:
    name = text.removesuffix(".")
    return len(name) <= 253 and all(map(label.fullmatch, name.split(".", 254)))


def _is_email(text: str, label: re.Pattern[str] = _LABEL) -> bool:
    match = _EMAIL.fullmatch(text)
    host = match[1] if match else ""
    literal = host.removeprefix("[").removesuffix("]")
    if len(literal) == len(host) - 2:
        return _is_ip(6, literal[5:]) if literal.startswith("IPv6:") else _is_ip(4, literal)
    return bool(host) and _is_hostname(host, label) and not host.endswith(".")


def _is_ip(version: int, text: str) -> bool:
    from ipaddress import IPv4Address, IPv6Address  # noqa: PLC0415 - few tools have addresses

    try:
        address = IPv4Address(text) if version == 4 else IPv6Address(text)
    except ValueError:
        return False
    return not getattr(address, "scope_id", None)


def _is_uri(text: str, *, relative: bool = False, beyond: bool = False) -> bool:
    """Return whether a string is a URI, a relative reference (`relative`) or an IRI (`beyond`)."""
    match = _URI.match(text)
    assert match is not None  # the pattern matches any string
    parts = match.groupdict("")
    first_step = parts["path"].partition("/")[0]
    if not parts["scheme"] and (not relative or ":" in first_step):
        return False
    wrong = _NOT_IRI if beyond else _NOT_URI
    wrong_query = _NOT_QUERY if beyond else _NOT_URI
    return (
        _is_authority(parts["authority"], wrong)
        and not wrong.search(parts["path"])
        and not wrong_query.search(parts["query"])
        and not wrong.search(parts["fragment"])
    )


def _is_authority(text: str, wrong: re.Pattern[str]) -> bool:
    match = _AUTHORITY.fullmatch(text)
    if not match:
        return False
    user, literal, host = match.groups()
    if literal is not None and not (_FUTURE.fullmatch(literal) or _is_ip(6, literal)):
        return False
    return not any(wrong.search(part or "") for part in (user, host))


def _is_pointer(text: str) -> bool:
    return (not text or text.startswith("/")) and not _NOT_POINTER.search(text)


def _is_relative_pointer(text: str) -> bool:
    match = _LEVELS.match(text)
    tail = text[match.end() :] if match else ""
    return match is not None and (tail == "#" or _is_pointer(tail))


FORMATS: dict[str, Callable[[str], bool]] = {
    "date": _is_date,
    "date-time": lambda t: t[10:11] in ("T", "t") and _is_date(t[:10]) and _is_time(t[11:]),
    "duration": lambda text: _DURATION.fullmatch(text) is not None,
    "email": _is_email,
    "hostname": _is_hostname,
    "idn-email": partial(_is_email, label=_ANY_LABEL),
    "ipv4": partial(_is_ip, 4),
    "ipv6": partial(_is_ip, 6),
    "iri": partial(_is_uri, beyond=True),
    "iri-reference": partial(_is_uri, relative=True, beyond=True),
    "json-pointer": _is_pointer,
    "regex": is_pattern,
    "relative-json-pointer": _is_relative_pointer,
    "time": _is_time,
    "uri": _is_uri,
    "uri-reference": partial(_is_uri, relative=True),
    "uri-template": lambda text: not _NOT_LITERAL.search(_EXPRESSION.sub("-", text)),
    "uuid": lambda text: _UUID.fullmatch(text) is not None,
}
"""The values of `format` that are checked. JSON Schema leaves this choice open (R-424)."""

EXAMPLES: dict[str, tuple[str, ...]] = {
    "date": ("2026-05-03",),
    "date-time": ("2026-05-03T14:30:00", "2026-05-03T14:30:00Z"),
    "duration": ("PT1H30M",),
    "email": ("ann@example.com",),
    "hostname": ("www.example.com",),
    "idn-email": ("ann@example.com",),
    "ipv4": ("192.0.2.1",),
    "ipv6": ("2001:db8::1",),
    "iri": ("https://example.com/a",),
    "time": ("14:30:00", "14:30:00Z"),
    "uri": ("https://example.com/a",),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000",),
}
"""Strings in a format, for error messages. The others have no spelling that is easy to miss."""
