"""Files of answers: lines of JSON, kept packed in the repository.

    python -m lton_bench.study.packed

`answers.jsonl.xz` is what is kept. A run that goes on unpacks it to `answers.jsonl`, which git
ignores, and adds to that. The command packs all such files of benchmarks/results again.
"""

import lzma
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from lton._json import minified

_Answer = TypeVar("_Answer", bound=Any)

FOLDER = Path("benchmarks/results/study")


def content(path: Path) -> bytes:
    """Return what a file of answers holds: itself, else its packed form, else nothing."""
    if path.exists():
        return path.read_bytes()
    packed = _packed(path)
    return lzma.decompress(packed.read_bytes()) if packed.exists() else b""


def unpack(path: Path) -> None:
    """Make the file to which a run adds, with all that is kept."""
    if not path.exists() and (kept := content(path)):
        path.write_bytes(kept)


def added(path: Path, answers: Iterable[_Answer]) -> Iterator[_Answer]:
    """Add dataclasses to a file as they come, and give them: a run that is stopped loses none."""
    unpack(path)
    with path.open("a") as output:
        for answer in answers:
            print(minified(asdict(answer)), file=output, flush=True)
            yield answer


def pack(path: Path) -> None:
    """Keep a file packed, and nothing else of it."""
    _packed(path).write_bytes(lzma.compress(path.read_bytes(), preset=9))
    path.unlink()


def _packed(path: Path) -> Path:
    return path.with_name(f"{path.name}.xz")


def main() -> None:
    """Pack the answers of all studies."""
    for path in sorted(FOLDER.glob("*.jsonl")):
        pack(path)
        print(f"packed: {path}.xz")


if __name__ == "__main__":
    main()
