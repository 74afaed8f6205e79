"""Lines to a file that an interrupted run left, so that it becomes what it would have become.

Beside OUT stand OUT.rejected.jsonl, a line for each line that was left out, and, until the run is
complete, OUT.progress.json: how much of the input, and of both outputs, is certain.
"""

import json
import os
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from lton.convert.lines import Converted, Mark, Settings, Tally
from lton.convert.source import START


class Output:
    """The files of a run. `mark` is where the input goes on, `tally` what came before it."""

    def __init__(
        self, path: Path, settings: Settings, *, limit: int | None = None, resumable: bool = True
    ) -> None:
        """Begin, or go on. `OSError` or `ValueError` if the files are of another run."""
        self.rejected_path = path.with_name(f"{path.name}.rejected.jsonl")
        self._progress = path.with_name(f"{path.name}.progress.json") if resumable else None
        # A later version of LTON may write other texts: then the output would be of both.
        self._run = {"lton": version("lton"), "limit": limit, **asdict(settings)}
        self.mark = START
        self.tally = Tally()
        paths = path, self.rejected_path
        sizes = (0, 0)
        if self._progress is not None and self._progress.exists():
            sizes = self._resume()
            if any(_size(each) < size for each, size in zip(paths, sizes, strict=True)):
                raise ValueError(f"{path} is not what the interrupted run wrote")
        elif path.exists():
            raise FileExistsError(f"{path} is there, and of no interrupted run: remove it first")
        else:
            self._save(sizes)
        self._files = [_open(each, size) for each, size in zip(paths, sizes, strict=True)]

    def write(self, converted: Converted, mark: Mark) -> None:
        """Write what a chunk became. When this returns, an interruption does not lose it."""
        for file, data in zip(self._files, (converted.text, converted.rejected), strict=True):
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        self.tally += converted.tally
        self.mark = mark
        self._save((self._files[0].tell(), self._files[1].tell()))

    def complete(self) -> None:
        """Say that nothing is missing: there is nothing to go on with."""
        if self._progress is not None:
            self._progress.unlink()

    def __enter__(self) -> "Output":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for file in self._files:
            file.close()

    def _save(self, sizes: tuple[int, int]) -> None:
        """Write the progress at once or not at all."""
        if self._progress is None:
            return
        state = {
            "run": self._run,
            "input": self.mark._asdict(),
            "sizes": sizes,
            "tally": self.tally.as_json(),
        }
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
            raise ValueError(f"{self._progress} is not what an interrupted run left") from error
        if run != self._run:
            changed = sorted(key for key in self._run if run.get(key) != self._run[key])
            msg = f"the interrupted run had another {', '.join(changed)}: repeat it, or remove"
            raise ValueError(f"{msg} {self._progress} and its output")
        return text, rejected


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _open(path: Path, size: int) -> IO[bytes]:
    """Open a file for writing behind its first bytes; the others are lost."""
    file = path.open("ab")
    file.truncate(size)
    file.seek(size)
    return file
