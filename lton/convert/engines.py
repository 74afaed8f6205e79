"""Who converts: this process, several of this machine, or a Ray cluster. The order stays."""

import json
import logging
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

from lton._require import require
from lton.convert.lines import Chunk, Converted, Mark, Settings, Tally, convert_lines

Converter: TypeAlias = Callable[[Iterable[Chunk], Settings, int], Iterator[tuple[Mark, Converted]]]

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
    # Not a pool: one of concurrent.futures waits forever if a process dies while it is sent work.
    context = get_context("spawn")
    pipes: list[Connection] = []
    waiting: deque[tuple[Mark, Connection]] = deque()
    try:
        for chunk in chunks:
            if len(pipes) < jobs:
                pipe, other = context.Pipe()
                pipes.append(pipe)
                context.Process(target=_convert_all, args=(other, settings), daemon=True).start()
                other.close()  # so that a process that dies is the end of the pipe
            else:
                mark, pipe = waiting.popleft()
                yield mark, _received(pipe)
            pipe.send((chunk.first, chunk.lines))
            waiting.append((chunk.end, pipe))
        for mark, pipe in waiting:
            yield mark, _received(pipe)
    except (EOFError, ConnectionError):
        raise ChildProcessError("a process that converted has died; was memory short?") from None
    finally:
        for pipe in pipes:
            pipe.close()  # which ends the process at its other end


def _received(pipe: Connection) -> Converted:
    found = pipe.recv()
    if isinstance(found, Exception):
        raise found
    assert isinstance(found, Converted)
    return found


def _convert_all(pipe: Connection, settings: Settings) -> None:
    """Convert what comes, until the other side closes the pipe or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent alone hears Ctrl-C
    with pipe, suppress(EOFError, ConnectionError):
        while True:
            first, lines = pipe.recv()
            found: Converted | Exception
            try:
                found = convert_lines(first, lines, settings)
            except Exception as error:
                found = error
            pipe.send(found)


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


ENGINES: dict[str, Converter] = {"processes": in_processes, "ray": on_ray}
