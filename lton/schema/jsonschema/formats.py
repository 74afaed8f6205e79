"""The formats of R-424: what text each allows. All take time linear in the text."""

import re
from collections.abc import Callable
from datetime import date

from lton.schema.jsonschema.patterns import is_pattern

_TEXT = re.ASCII | re.IGNORECASE
_DAY_MIN = 24 * 60
_DATE = re.compile(r"\d{4}-\d\d-\d\d", _TEXT)
_TIME = re.compile(
    r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))", _TEXT
)
_DURATION = re.compile(
    r"P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?"
    r"(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)",
    re.ASCII,
)
"""RFC 3339, Appendix A: whole numbers, no sign, and no unit left out between two."""
_EMAIL = re.compile(r"""(?:[^\s@"().,:;<>\[\]\\]+(?:\.[^\s@"().,:;<>\[\]\\]+)*|"[^"\r\n]*")@(.+)""")
_LABEL = re.compile(r"[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?", _TEXT)
_UUID = re.compile(r"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}", _TEXT)
_URI = re.compile(
    r"[a-z][a-z\d+.-]*:"
    r"(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    _TEXT | re.DOTALL,
)
_PART = re.compile(r"(?:[\w.~!$&'()*+,;=:@/?-]|%[\da-f]{2})*", _TEXT)
_AUTHORITY = re.compile(r"(?:([^@\[\]]*)@)?(?:\[([^\[\]@]*)\]|([^:@\[\]]*))(?::\d*)?", _TEXT)
_FUTURE = re.compile(r"v[\da-f]+\.[\w.~!$&'()*+,;=:-]+", _TEXT)


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_time(text: str) -> bool:
    """Say whether it is a time; a leap second ends a day of UTC."""
    match = _TIME.fullmatch(text)
    if not match:
        return False
    hour, minute, second, sign, *offset = match.groups()
    if second != "60":
        return True
    east = (int(offset[0]) * 60 + int(offset[1])) * (-1 if sign == "-" else 1) if sign else 0
    return (int(hour) * 60 + int(minute) - east + 1) % _DAY_MIN == 0


def _is_datetime(text: str) -> bool:
    return text[10:11] in ("T", "t") and _is_date(text[:10]) and _is_time(text[11:])


def _is_hostname(text: str) -> bool:
    labels = text.removesuffix(".").split(".", 254)
    return len(text.removesuffix(".")) <= 253 and all(map(_LABEL.fullmatch, labels))


def _is_email(text: str) -> bool:
    """Say whether there is a name before the last `@`, and a host or an address after it."""
    match = _EMAIL.fullmatch(text)
    host = match[1] if match else ""
    literal = host.removeprefix("[").removesuffix("]")
    if len(literal) == len(host) - 2:
        return _is_ip(6, literal[5:]) if literal.startswith("IPv6:") else _is_ip(4, literal)
    return bool(host) and _is_hostname(host) and not host.endswith(".")


def _is_ip(version: int, text: str) -> bool:
    from ipaddress import IPv4Address, IPv6Address  # noqa: PLC0415 - few have addresses

    try:
        address = IPv4Address(text) if version == 4 else IPv6Address(text)
    except ValueError:
        return False
    return not getattr(address, "scope_id", None)


def _is_uri(text: str) -> bool:
    match = _URI.fullmatch(text)
    if not match:
        return False
    parts = [match[name] or "" for name in ("path", "query", "fragment")]
    return all(map(_PART.fullmatch, parts)) and _is_authority(match["authority"] or "")


def _is_authority(text: str) -> bool:
    match = _AUTHORITY.fullmatch(text)
    if not match:
        return False
    user, literal, host = match.groups()
    if literal is not None and not (_FUTURE.fullmatch(literal) or _is_ip(6, literal)):
        return False
    return all(_PART.fullmatch(part or "") for part in (user, host))


FORMATS: dict[str, Callable[[str], bool]] = {
    "date": _is_date,
    "date-time": _is_datetime,
    "duration": lambda text: _DURATION.fullmatch(text) is not None,
    "email": _is_email,
    "hostname": _is_hostname,
    "ipv4": lambda text: _is_ip(4, text),
    "ipv6": lambda text: _is_ip(6, text),
    "regex": is_pattern,
    "time": _is_time,
    "uri": _is_uri,
    "uuid": lambda text: _UUID.fullmatch(text) is not None,
}
"""The values of `format` that values are checked against; the standard leaves it open (R-424)."""
