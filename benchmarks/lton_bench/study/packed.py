"""Read and write files of answers: JSON lines, which are packed in the repository.

    python -m lton_bench.study.packed

The repository has `answers.jsonl.xz`. A run unpacks it to `answers.jsonl`, which git ignores, and
adds answers. The command packs all such files of benchmarks/results again.
"""

import lzma
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from lton_bench.internals import minified

_Answer = TypeVar("_Answer", bound=Any)

FOLDER = Path("benchmarks/results/study")


def content(path: Path) -> bytes:
    """Return the content of a file of answers, of its packed form, or nothing."""
    if path.exists():
        return path.read_bytes()
    packed = _packed_path(path)
    return lzma.decompress(packed.read_bytes()) if packed.exists() else b""


def unpack(path: Path) -> None:
    """Unpack a file of answers, unless it exists."""
    if not path.exists() and (packed_content := content(path)):
        path.write_bytes(packed_content)


def append_answers(path: Path, answers: Iterable[_Answer]) -> Iterator[_Answer]:
    """Add dataclasses to a file one by one, and yield them, so a stopped run loses none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unpack(path)
    with path.open("a") as output:
        for answer in answers:
            print(minified(asdict(answer)), file=output, flush=True)
            yield answer


def pack(path: Path) -> None:
    """Pack a file, and remove the original."""
    _packed_path(path).write_bytes(lzma.compress(path.read_bytes(), preset=9))
    path.unlink()


def _packed_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.xz")


def main() -> None:
    """Pack the answers of all studies."""
    for path in sorted(FOLDER.glob("*.jsonl")):
        pack(path)
        print(f"packed: {path}.xz")


if __name__ == "__main__":
    main()
