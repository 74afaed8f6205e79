"""Decompress request bodies, and refuse bodies that exceed a size limit."""

import zlib
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeAlias

from lton.apis.refusals import RefusedError

Decompress: TypeAlias = Callable[[bytes, int], tuple[bytes, bool]]
"""Returns decompressed bytes up to a length, and whether they are complete."""


def decompress_body(data: bytes, coding: str, most: int) -> bytes:
    """Decompress a body to at most `most` bytes. Raises `RefusedError` (400, 413 or 415)."""
    if coding == "identity":
        return data
    decompressors = find_decompressors()
    if coding not in decompressors:
        names = ", ".join(decompressors)
        words = f"the content encoding {coding[:40]!r} is not supported: send {names}"
        accepted = (("accept-encoding", names),)
        raise RefusedError(415, words, code="unsupported_encoding", headers=accepted)
    try:
        plain, has_ended = decompressors[coding](data, most + 1)
    except Exception as error:  # each library has its own errors
        raise RefusedError(400, f"the body is not {coding}: {error}", code="broken_body") from None
    if len(plain) > most:
        raise RefusedError(413, f"the request is longer than {most} bytes")
    if not has_ended:
        raise RefusedError(400, f"the body is not {coding}: it is cut off", code="broken_body")
    return plain


def find_decompressors() -> Mapping[str, Decompress]:
    """Return a decompressor for each supported content coding."""
    decompressors: dict[str, Decompress] = {
        "gzip": _decompress_gzip,
        "x-gzip": _decompress_gzip,
        "deflate": _decompress_deflate,
    }
    for module in ("compression.zstd", "backports.zstd"):
        if (zstd := _import_optional(module)) and "zstd" not in decompressors:
            decompressors["zstd"] = lambda data, most, zstd=zstd: _decompress_part(
                zstd.ZstdDecompressor(), data, most
            )  # type: ignore[misc]
    if (brotli := _import_optional("brotli")) and hasattr(
        brotli.Decompressor, "can_accept_more_data"
    ):
        decompressors["br"] = lambda data, most: _decompress_brotli(
            brotli.Decompressor(), data, most
        )
    return decompressors


def _import_optional(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        return None


def _decompress_gzip(data: bytes, most: int) -> tuple[bytes, bool]:
    return _decompress_part(zlib.decompressobj(16 + zlib.MAX_WBITS), data, most)


def _decompress_deflate(data: bytes, most: int) -> tuple[bytes, bool]:
    # RFC 9110 requires zlib's header, but some clients omit it.
    is_deflated = len(data) > 1 and data[0] & 15 == zlib.DEFLATED
    has_head = is_deflated and int.from_bytes(data[:2]) % 31 == 0
    return _decompress_part(
        zlib.decompressobj(zlib.MAX_WBITS if has_head else -zlib.MAX_WBITS), data, most
    )


def _decompress_part(reader: Any, data: bytes, most: int) -> tuple[bytes, bool]:
    plain: bytes = reader.decompress(data, most)
    return plain, reader.eof


def _decompress_brotli(reader: Any, data: bytes, most: int) -> tuple[bytes, bool]:
    plain = reader.process(data, output_buffer_limit=most)
    while len(plain) < most and not reader.is_finished() and not reader.can_accept_more_data():
        plain += reader.process(b"", output_buffer_limit=most - len(plain))
    return plain, reader.is_finished()
