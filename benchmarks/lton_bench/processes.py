"""Process many items in this process or in several, and return the results in order."""

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar, cast

Item = TypeVar("Item")
Found = TypeVar("Found")


def in_processes(
    work: Callable[[Item], Found], items: Iterable[Item], jobs: int
) -> Iterator[tuple[Item, Found]]:
    """Yield each item with its result, computed in `jobs` processes, or in this one if `jobs` is 1.

    Only a few items per process are in memory. Raises the errors of `work`, and `ChildProcessError`
    if a process dies.
    """
    if jobs == 1:
        for item in items:
            yield item, work(item)
        return
    # The processes are not forked, because progress bars and Hugging Face's tokenizers have
    # threads. A pool of concurrent.futures is not used, because it waits forever if a process dies
    # while it is receiving work.
    context = get_context("spawn")
    pipes: list[Connection] = []
    waiting: deque[tuple[Item, Connection]] = deque()
    try:
        for item in items:
            if len(pipes) < jobs:
                pipe, other = context.Pipe()
                pipes.append(pipe)
                context.Process(target=_work_all, args=(other, work), daemon=True).start()
                other.close()  # otherwise the pipe would stay open if the process died
            else:
                before, pipe = waiting.popleft()
                yield before, cast("Found", _receive_result(pipe))
            pipe.send(item)
            waiting.append((item, pipe))
        for before, pipe in waiting:
            yield before, cast("Found", _receive_result(pipe))
    except (EOFError, ConnectionError):
        raise ChildProcessError("a worker process has died; was memory short?") from None
    finally:
        for pipe in pipes:
            pipe.close()  # this ends the process at the other end


def _receive_result(pipe: Connection) -> object:
    result = pipe.recv()
    if isinstance(result, Exception):
        raise result
    return result


def _work_all(pipe: Connection, work: Callable[[Any], object]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the parent handles Ctrl-C
    with pipe, suppress(EOFError, ConnectionError):
        while True:
            item = pipe.recv()
            result: object
            try:
                result = work(item)
            except Exception as error:
                result = error
            pipe.send(result)
