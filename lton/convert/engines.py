"""Who converts: this process, several of this machine, or a Ray cluster. The order stays."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeAlias

from lton import _workers
from lton.convert.lines import Chunk, Converted, Mark, Settings, convert_lines

Converter: TypeAlias = Callable[[Iterable[Chunk], Settings, int], Iterator[tuple[Mark, Converted]]]


def in_processes(
    chunks: Iterable[Chunk], settings: Settings, jobs: int
) -> Iterator[tuple[Mark, Converted]]:
    """Convert with some processes; with one job in this one.

    Raises `ChildProcessError` if a process dies.
    """
    work = partial(_convert, settings)
    return ((chunk.end, found) for chunk, found in _workers.in_processes(work, chunks, jobs))


def on_ray(
    chunks: Iterable[Chunk], settings: Settings, _jobs: int
) -> Iterator[tuple[Mark, Converted]]:
    """Convert on the Ray cluster that this process is connected to, or else on a local one."""
    work = partial(_convert, settings)
    return ((chunk.end, found) for chunk, found in _workers.on_ray(work, chunks))


def _convert(settings: Settings, chunk: Chunk) -> Converted:
    return convert_lines(chunk.first, chunk.lines, settings)


ENGINES: dict[str, Converter] = {"processes": in_processes, "ray": on_ray}
