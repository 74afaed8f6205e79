"""Who converts: this process, several of this machine, or a Ray cluster. The order stays."""

import json
import logging
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context, parent_process
from typing import Any, TypeAlias

from lton._require import require
from lton.convert.lines import Chunk, Converted, Mark, Settings, Tally, convert_lines

Engine: TypeAlias = Callable[[Iterable[Chunk], Settings, int], Iterator[tuple[Mark, Converted]]]

_AHEAD = 3
"""Chunks that are read ahead for each process: none waits, and memory stays bounded."""
_WINDOW = 256
"""Chunks that are given to Ray at a time: 64 MB or so, and as much is read again if it stops."""


def in_processes(
    chunks: Iterable[Chunk], settings: Settings, jobs: int
) -> Iterator[tuple[Mark, Converted]]:
    """Convert with some processes; with one job in this one.

    Raises `ChildProcessError` if a process dies.
    """
    if jobs == 1:
        for chunk in chunks:
            yield chunk.end, convert_lines(chunk.first, chunk.lines, settings)
        return
    # Not forked: a progress bar, and the tokenizers of Hugging Face, have threads.
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_begin)
    waiting: deque[tuple[Mark, Future[Converted]]] = deque()
    try:
        for chunk in chunks:
            future = pool.submit(convert_lines, chunk.first, chunk.lines, settings)
            waiting.append((chunk.end, future))
            if len(waiting) >= jobs * _AHEAD:
                yield _next(waiting)
        while waiting:
            yield _next(waiting)
    except BrokenProcessPool:
        raise ChildProcessError("a process that converted has died; was memory short?") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _next(waiting: deque[tuple[Mark, Future[Converted]]]) -> tuple[Mark, Converted]:
    mark, future = waiting.popleft()
    return mark, future.result()


def _begin() -> None:
    """Let the parent alone hear Ctrl-C, and end with it even if it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def on_ray(
    chunks: Iterable[Chunk], settings: Settings, _jobs: int
) -> Iterator[tuple[Mark, Converted]]:
    """Convert on the Ray cluster that this process is connected to, or else on a local one.

    This process reads and writes, the cluster converts; LTON is installed on all of it.
    """
    data = require("ray.data", "ray")
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    context = data.DataContext.get_current()
    context.enable_progress_bars = False  # there is one for the whole run
    context.execution_options.preserve_order = True

    def convert(row: dict[str, Any]) -> dict[str, Any]:
        text, rejected, tally = convert_lines(row["first"], tuple(row["lines"]), settings)
        return {"text": text, "rejected": rejected, "tally": json.dumps(tally.as_json())}

    chunks = iter(chunks)
    while window := list(islice(chunks, _WINDOW)):
        given = [{"first": chunk.first, "lines": list(chunk.lines)} for chunk in window]
        rows = data.from_items(given, override_num_blocks=len(given)).map(convert).iter_rows()
        for chunk, row in zip(window, rows, strict=True):
            tally = Tally.of(json.loads(row["tally"]))
            yield chunk.end, Converted(row["text"], row["rejected"], tally)


ENGINES: dict[str, Engine] = {"processes": in_processes, "ray": on_ray}
