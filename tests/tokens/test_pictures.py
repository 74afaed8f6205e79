"""Test that pictures are counted by their size, as providers bill them."""

import struct
import zlib
from base64 import b64encode
from typing import Any

import pytest

from lton._json import minified
from lton.apis.prompt_parts import iterate_prompt_parts
from lton.apis.registry import APIS
from lton.tokens.pictures import without_media


def png(width: int, height: int) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + head
    sized = struct.pack(">I", len(head)) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return b"\x89PNG\r\n\x1a\n" + sized + bytes(300_000)


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + bytes(99)


def jpeg(width: int, height: int) -> bytes:
    exif = b"\xff\xe1" + struct.pack(">H", 60_000) + bytes(59_998)
    frame = b"\xff\xc2" + struct.pack(">HBHH", 17, 8, height, width) + bytes(10)
    return b"\xff\xd8" + exif + frame + bytes(99)


def webp(width: int, height: int, kind: bytes = b"VP8X") -> bytes:
    riff = b"RIFF" + bytes(4) + b"WEBP" + kind + bytes(4)
    if kind == b"VP8L":
        return riff + b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14) + bytes(99)
    if kind == b"VP8 ":
        return riff + bytes(3) + b"\x9d\x01\x2a" + struct.pack("<HH", width, height) + bytes(99)
    sides = (side.to_bytes(3, "little") for side in (width - 1, height - 1))
    return riff + bytes(4) + b"".join(sides) + bytes(99)


def anthropic(data: bytes) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/png", "data": b64encode(data).decode()}
    return {"type": "image", "source": source}


def openai(data: bytes, **more: Any) -> dict[str, Any]:
    return {"image_url": {"url": f"data:image/png;base64,{b64encode(data).decode()}", **more}}


@pytest.mark.parametrize(
    ("part", "tokens"),
    [
        (anthropic(png(1000, 750)), 1000),
        (anthropic(png(4000, 4000)), 1600),
        (anthropic(gif(100, 75)), 10),
        (anthropic(jpeg(1000, 750)), 1000),
        (anthropic(webp(1000, 750)), 1000),
        (anthropic(webp(1000, 750, b"VP8L")), 1000),
        (anthropic(webp(1000, 750, b"VP8 ")), 1000),
        (openai(png(1024, 1024)), 85 + 4 * 170),
        (openai(png(512, 512)), 85 + 170),
        (openai(png(4096, 2048)), 85 + 6 * 170),
        (openai(png(1024, 1024), detail="low"), 85),
        (anthropic(b"%PDF-1.7" + bytes(300_000)), 0),
        (anthropic(webp(1, 1, b"ODD ")), 0),
        (anthropic(png(0, 9)), 0),
        (anthropic(b"\xff\xd8" + bytes(99)), 0),
        ({"url": "data:image/png;base64," + "A" * 97}, 0),
    ],
)
def test_a_picture_counts_by_its_size(part: Any, tokens: int) -> None:
    """A picture is counted by its size; other data, and pictures without a size, are left out."""
    text, count = without_media(minified(part))
    assert count == tokens
    assert len(text) < 200


def test_a_text_that_looks_like_a_picture_is_one() -> None:
    """A text that looks like a picture counts as text."""
    page = f'<img src="data:image/png;base64,{"A" * 400}">'
    for text in (minified({"content": page}), minified({"type": "base64", "data": "short"})):
        assert without_media(text) == (text, 0)


def test_pictures_that_differ_are_different_parts() -> None:
    messages = [
        {"role": "user", "content": [anthropic(png(size, size))]} for size in (100, 100, 200)
    ]
    one, same, other = iterate_prompt_parts({"messages": messages}, APIS["messages"])
    assert one.digest == same.digest != other.digest
    assert (one.pictures, other.pictures) == (14, 54)
    assert len(one.text) < 200
