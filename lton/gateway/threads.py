"""Process large requests on worker threads, so that other requests are not delayed."""

import asyncio
import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, TypeVar

_LARGE = 32 * 1024  # bytes of a request that is read on another thread
_READ_AGAIN = 4  # a byte of an answer, which is searched for calls, takes as long as 4 of a request
_HUGE = 256 * 1024  # larger requests have their own thread, so that smaller ones need not wait
_T = TypeVar("_T")


class WorkThreads:
    """The worker threads that process large requests."""

    def __init__(self, *, one_thread: bool = False) -> None:
        self.uncollected = _WithoutCollector()
        # More threads would only take turns in Python.
        self.workers = [
            ThreadPoolExecutor(1, "lton-gateway") for _ in range(1 if one_thread else 2)
        ]  # for large requests; the last is for huge ones
        self.large = 0 if one_thread else _LARGE  # larger bodies are read on another thread

    async def run_on_thread(
        self, size: int, do: Callable[..., _T], *args: Any, share: float = 1.0, answered: int = 0
    ) -> _T:
        """Run a function, on a worker thread if `size * share` or `answered` is large."""
        if size * share < self.large and answered * _READ_AGAIN < self.large:
            return do(*args)
        worker = self.workers[-1 if size >= _HUGE else 0]
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(worker, self.uncollected.run_without_collector, do, *args)

    def shutdown(self) -> None:
        for worker in self.workers:
            worker.shutdown(wait=False, cancel_futures=True)


class _WithoutCollector:
    """Runs functions while the garbage collector, which blocks all threads, is disabled."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.running = 0
        self.was_enabled = False

    def run_without_collector(self, do: Callable[..., _T], *args: Any) -> _T:
        with self.lock:
            if not self.running:
                self.was_enabled = gc.isenabled()
            self.running += 1
            gc.disable()
        try:
            return do(*args)
        finally:
            with self.lock:
                self.running -= 1
                if self.was_enabled and not self.running:
                    gc.enable()
