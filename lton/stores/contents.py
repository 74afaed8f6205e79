"""Compute the digests of stored content, convert text to bytes, and read parts of content."""

import re
from hashlib import sha256

from lton.errors import Code, TranscriptError

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def digest_of(content: bytes) -> str:
    """Return the SHA-256 digest of stored bytes, in hexadecimal.

    >>> digest_of(b"")[:8]
    'e3b0c442'
    """
    return sha256(content).hexdigest()


def to_bytes(text: str) -> bytes:
    """Encode text as UTF-8, including lone surrogates."""
    return text.encode("utf-8", "surrogatepass")


def to_text(content: bytes) -> str:
    """Decode stored bytes as UTF-8, including lone surrogates. Invalid bytes become U+FFFD."""
    try:
        return content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return content.decode("utf-8", "replace")


def read_lines(text: str, start: int, end: int) -> str:
    r"""Return lines `start` to `end` of a string, counted from 1.

    Raises `TranscriptError` (E712) if the first line does not exist.

    >>> read_lines("a\nb\nc", 2, 9)
    'b\nc'
    """
    lines = lines_of(text)
    if not 1 <= start <= min(end, len(lines)):
        raise _make_no_part_error(f"lines {start} to {end}", f"it has {len(lines)} lines")
    return "".join(lines[start - 1 : end])


def read_bytes(content: bytes, start: int, end: int) -> str:
    """Return the text of the bytes from `start` to `end`, without splitting a character.

    Raises `TranscriptError` (E712) if the first byte does not exist.

    >>> read_bytes("naïve".encode(), 1, 3)
    'a'
    """
    if not 0 <= start < min(end, len(content)):
        raise _make_no_part_error(f"bytes {start} to {end}", f"it has {len(content)} bytes")
    end = min(end, len(content))
    while start < end and _is_inside(content, start):
        start += 1
    while end > start and end < len(content) and _is_inside(content, end):
        end -= 1
    return content[start:end].decode("utf-8", "replace")


def lines_of(text: str) -> list[str]:
    """Split a string at line feeds only."""
    return _LINE.findall(text)


def _is_inside(content: bytes, at: int) -> bool:
    return content[at] & 0xC0 == 0x80


def _make_no_part_error(part: str, hint: str) -> TranscriptError:
    return TranscriptError(Code.FILE, f"no {part} in the file", hint=hint)
