"""Estimate the tokens that providers bill for pictures, from the pictures' sizes.

Anthropic bills a picture by its area, and OpenAI by squares of 512 pixels. Documents and sounds are
not counted, and neither are pictures with only an address or an unknown header (see
`docs/guides/coding-agents.md`).
"""

import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from hashlib import blake2b
from math import ceil
from typing import TypeAlias

Size: TypeAlias = tuple[int, int]
_DATA = re.compile(
    r'(?<!\\)(?P<head>"(?:data"\s?:\s?"|data:[\w.+/\\-]{1,80};base64,))'
    r'(?P<data>[A-Za-z0-9+/\\]{64,}={0,2})(?="(?P<low>,\s?"detail"\s?:\s?"low")?)'
)  # in JSON: Anthropic's `"data": "…"`, and an address of OpenAI's APIs that is the data itself
_LOOKED_AT = 256 * 1024  # characters of data that are searched for a size
_AREA = 750
_MOST = 1600
_EDGE = 1568
_SQUARE = 512
_EACH = 170
_BASE = 85
_FIT = 2048
_SHORT = 768
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""JPEG markers that are followed by the size."""


def without_media(text: str) -> tuple[str, int]:
    """Replace media in JSON with digests. Also return the number of tokens of the pictures."""
    if "base64" not in text:
        return text, 0
    tokens = 0

    def replace_with_digest(match: re.Match[str]) -> str:
        nonlocal tokens
        data = match["data"].replace("\\/", "/")
        if (size := _find_size(data)) is not None:
            is_address = match["head"].endswith("base64,")
            tokens += (
                _count_by_squares(size, is_low=bool(match["low"]))
                if is_address
                else _count_by_area(size)
            )
        return match["head"] + blake2b(data.encode(), digest_size=4).hexdigest()

    return _DATA.sub(replace_with_digest, text), tokens


def _count_by_area(size: Size) -> int:
    scale = min(1.0, _EDGE / max(size))
    return min(_MOST, ceil(size[0] * scale * size[1] * scale / _AREA))


def _count_by_squares(size: Size, *, is_low: bool) -> int:
    if is_low:
        return _BASE
    scale = min(1.0, _FIT / max(size))
    scale = min(scale, _SHORT / min(size))
    wide, high = (ceil(side * scale / _SQUARE) for side in size)
    return _BASE + _EACH * wide * high


def _find_size(data: str) -> Size | None:
    try:
        head = b64decode(data[: min(_LOOKED_AT, len(data) // 4 * 4)])
    except ValueError:
        return None
    size = next((read(head) for mark, read in _READERS.items() if head.startswith(mark)), None)
    return size if size and min(size) > 0 else None


def _find_webp_size(head: bytes) -> Size | None:
    if head[12:16] == b"VP8X":
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if head[12:16] == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if head[12:16] == b"VP8 ":
        wide = int.from_bytes(head[26:28], "little")
        high = int.from_bytes(head[28:30], "little")
        return wide & 0x3FFF, high & 0x3FFF
    return None


def _find_jpeg_size(head: bytes) -> Size | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        if head[at + 1] in _FRAMES:
            return int.from_bytes(head[at + 7 : at + 9]), int.from_bytes(head[at + 5 : at + 7])
        at += 2 + max(2, int.from_bytes(head[at + 2 : at + 4]))
    return None


_READERS: Mapping[bytes, Callable[[bytes], Size | None]] = {
    b"\x89PNG\r\n\x1a\n": lambda head: (int.from_bytes(head[16:20]), int.from_bytes(head[20:24])),
    b"GIF8": lambda head: (
        int.from_bytes(head[6:8], "little"),
        int.from_bytes(head[8:10], "little"),
    ),
    b"RIFF": _find_webp_size,
    b"\xff\xd8": _find_jpeg_size,
}
