"""Read examples in chunks of lines, and write converted ones.

Next to OUT there is OUT.rejected.jsonl, with a line for each rejected line. Until the run is
complete, there is also OUT.progress.json: how much of the input and of both outputs is certain. An
interrupted run resumes from these files, and its output is the same.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from importlib.metadata import entry_points, version
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from lton.errors import ConversionError
from lton_bench.convert.lines import Chunk, Converted, Mark, Settings, Tally

STDIN = "-"
SOURCES = "lton.sources"
MAX_LINE = 16 * 2**20  # Longer lines are left out, and never in memory
_CHUNK = 2**18  # Bytes converted at once, in about a tenth of a second
START = Mark(0, 0, sha256().hexdigest())


class Opened(NamedTuple):
    """Bytes to read, and their number (None if unknown)."""

    stream: IO[bytes]
    size: int | None


@contextmanager
def open_source(name: str) -> Iterator[Opened]:
    """Open a file, `-` for standard input, or a source that another package adds.

    `lton-bench` adds `bfcl` and `bfcl:CATEGORY`: the gold calls of BFCL. A source is an entry point
    of the group `lton.sources`: a function from the part after the colon to lines.
    """
    if name == STDIN:
        yield Opened(sys.stdin.buffer, None)
        return
    kind, _, part = name.partition(":")
    if not Path(name).exists() and (points := list(entry_points(group=SOURCES, name=kind))):
        data = b"".join(points[0].load()(part))
        yield Opened(BytesIO(data), len(data))
        return
    with Path(name).open("rb") as file:
        yield Opened(file, Path(name).stat().st_size)


def chunks(
    stream: IO[bytes], start: Mark = START, *, limit: int | None = None, max_line: int = MAX_LINE
) -> Iterator[Chunk]:
    """Yield chunks of lines after a `Mark`. Raises `ConversionError` if earlier ones changed."""
    digest = sha256()
    remaining = start.offset
    while remaining and (data := stream.read(min(remaining, 2**20))):
        digest.update(data)
        remaining -= len(data)
    if remaining or digest.hexdigest() != start.digest:
        raise ConversionError("the input has changed since the interrupted run")
    offset, number = start.offset, start.line
    while limit is None or number < limit:
        lines: list[bytes | None] = []
        begin = offset
        for pieces in islice(lines_of(stream, max_line), None if limit is None else limit - number):
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


def lines_of(stream: IO[bytes], max_line: int) -> Iterator[Iterator[bytes]]:
    """Yield each line as pieces of at most `max_line` bytes: one, unless it is too long."""
    while piece := stream.readline(max_line):
        yield _pieces(stream, piece, max_line)


def _pieces(stream: IO[bytes], piece: bytes, max_line: int) -> Iterator[bytes]:
    while piece:
        yield piece
        piece = b"" if piece.endswith(b"\n") else stream.readline(max_line)


class Output:
    """The files of a run; `mark` is the place in the input at which the run continues."""

    def __init__(
        self, path: Path, settings: Settings, *, limit: int | None = None, resumable: bool = True
    ) -> None:
        """Begin or resume. `OSError` or `ValueError` if the files belong to another run."""
        self.rejected_path = path.with_name(f"{path.name}.rejected.jsonl")
        self._progress = path.with_name(f"{path.name}.progress.json") if resumable else None
        # A later version of LTON may write other text, which must not be mixed.
        self._run = {"lton": version("lton"), "limit": limit, **asdict(settings)}
        self.mark = START
        self.tally = Tally()
        paths = path, self.rejected_path
        sizes = (0, 0)
        if self._progress is not None and self._progress.exists():
            sizes = self._resume()
            if any(_size(file) < size for file, size in zip(paths, sizes, strict=True)):
                raise ConversionError(f"{path} has changed since the interrupted run")
        elif path.exists():
            raise FileExistsError(
                f"{path} exists, and no interrupted run wrote it: remove it first"
            )
        else:
            self._save(sizes)
        self._files = [_open(file, size) for file, size in zip(paths, sizes, strict=True)]

    def write(self, converted: Converted, mark: Mark) -> None:
        for file, data in zip(self._files, (converted.text, converted.rejected), strict=True):
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        self.tally += converted.tally
        self.mark = mark
        self._save((self._files[0].tell(), self._files[1].tell()))

    def complete(self) -> None:
        """Mark the output complete: nothing is left to resume."""
        if self._progress is not None:
            self._progress.unlink()

    def __enter__(self) -> "Output":
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files:
            file.close()

    def _save(self, sizes: tuple[int, int]) -> None:
        if self._progress is None:
            return
        state = {"run": self._run, "input": self.mark._asdict(), "sizes": sizes}
        state["tally"] = self.tally.as_json()
        new = self._progress.with_name(f"{self._progress.name}.new")
        with new.open("w", encoding="utf-8") as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._progress)

    def _resume(self) -> tuple[int, int]:
        assert self._progress is not None
        try:
            state: dict[str, Any] = json.loads(self._progress.read_text("utf-8"))
            run = state["run"]
            self.mark = Mark(**state["input"])
            self.tally = Tally.of(state["tally"])
            text, rejected = map(int, state["sizes"])
        except (ValueError, KeyError, TypeError) as error:
            msg = f"{self._progress} is not a progress file"
            raise ConversionError(msg) from error
        if run != self._run:
            changed = sorted(key for key in self._run if run.get(key) != self._run[key])
            msg = f"the interrupted run had another {', '.join(changed)}: repeat it, or remove"
            raise ValueError(f"{msg} {self._progress} and its output")
        return text, rejected


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _open(path: Path, size: int) -> IO[bytes]:
    """Open a file for writing after its first `size` bytes, and drop the others."""
    file = path.open("ab")
    file.truncate(size)
    file.seek(size)
    return file
