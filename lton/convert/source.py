"""Where examples come from: a file, standard input, or a package; in chunks of lines."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import entry_points
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple

from lton.convert.lines import Chunk, Mark

STDIN = "-"
SOURCES = "lton.sources"
MAX_LINE = 16 * 2**20
"""Bytes of a line; longer ones are left out, and never in memory."""
_CHUNK = 2**18
"""Bytes of lines that are converted at once: a tenth of a second or so."""
START = Mark(0, 0, sha256().hexdigest())


class Opened(NamedTuple):
    """Bytes to read, and how many there are (None: nobody knows)."""

    stream: IO[bytes]
    size: int | None


@contextmanager
def opened(name: str) -> Iterator[Opened]:
    """Open a file, `-` for standard input, or a source that another package adds.

    `lton-bench` adds `bfcl` and `bfcl:CATEGORY`: the gold calls of BFCL. Such a source is an entry
    point of the group `lton.sources`: a function from what stands behind the colon to lines.
    """
    if name == STDIN:
        yield Opened(sys.stdin.buffer, None)
        return
    kind, _, part = name.partition(":")
    if not Path(name).exists() and (found := list(entry_points(group=SOURCES, name=kind))):
        data = b"".join(found[0].load()(part))
        yield Opened(BytesIO(data), len(data))
        return
    with Path(name).open("rb") as file:
        yield Opened(file, Path(name).stat().st_size)


def chunks(
    stream: IO[bytes], start: Mark = START, *, limit: int | None = None, max_line: int = MAX_LINE
) -> Iterator[Chunk]:
    """Get the lines behind a mark, some at a time, up to line `limit`.

    Raises `ValueError` if what stands before the mark is not what stood there.
    """
    digest = sha256()
    left = start.offset
    while left and (data := stream.read(min(left, 2**20))):
        digest.update(data)
        left -= len(data)
    if left or digest.hexdigest() != start.digest:
        raise ValueError("the input is not what the interrupted run read")
    offset, number = start.offset, start.line
    while limit is None or number < limit:
        lines: list[bytes | None] = []
        begin = offset
        for pieces in islice(_lines(stream, max_line), None if limit is None else limit - number):
            line: bytes | None = None
            for size, piece in enumerate(pieces):
                digest.update(piece)
                offset += len(piece)
                line = None if size else piece
            lines.append(line)
            if offset - begin >= _CHUNK:
                break
        if not lines:
            return
        first, number = number + 1, number + len(lines)
        yield Chunk(first, tuple(lines), Mark(offset, number, digest.hexdigest()))


def _lines(stream: IO[bytes], max_line: int) -> Iterator[Iterator[bytes]]:
    """Get each line in pieces of at most `max_line` bytes: one, unless it is too long."""
    while piece := stream.readline(max_line):
        yield _pieces(stream, piece, max_line)


def _pieces(stream: IO[bytes], piece: bytes, max_line: int) -> Iterator[bytes]:
    while piece:
        yield piece
        piece = b"" if piece.endswith(b"\n") else stream.readline(max_line)
