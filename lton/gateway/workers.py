"""Serve one address with several processes (`workers`), which share metrics and a store."""

import argparse
import os
import signal
import threading
from multiprocessing import parent_process
from socket import socket
from tempfile import TemporaryDirectory
from typing import Any

from prometheus_client.multiprocess import mark_process_dead
from uvicorn import Config
from uvicorn.supervisors import Multiprocess

from lton._terminal import UsageError
from lton.gateway.metrics import SHARED
from lton.gateway.window.context_options import settings_of

HANGS_S = 20  # a worker that does not answer for that long is replaced


def check_workers(options: argparse.Namespace) -> None:
    """Raise `UsageError` for options that do not work with several processes."""
    if options.workers == 1:
        return
    if options.model:
        raise UsageError("workers: a --model runs in a single process")
    for name in ("context", "compress"):
        section = getattr(options, name)
        if section and settings_of(name, section).get("store", "memory:").startswith("memory:"):
            words = "set `store` to a file or to a PostgreSQL URL"
            raise UsageError(f"workers: the processes share the data of [{name}]: {words}")


def run_workers(config: Config, listener: socket) -> None:
    """Serve in several processes until SIGINT or SIGTERM, and finish running requests."""
    with TemporaryDirectory(prefix="lton-metrics-") as folder:
        os.environ[SHARED] = folder  # the metrics library reads it in the workers
        _Workers(config, [listener]).run()


class _Workers(Multiprocess):
    def terminate_all(self) -> None:
        for server_socket in self.sockets:
            server_socket.close()  # otherwise new connections would hang
        super().terminate_all()

    def keep_subprocess_alive(self) -> None:
        before: list[Any] = list(self.processes)
        super().keep_subprocess_alive()
        for process in before:
            if process not in self.processes:
                mark_process_dead(process.pid)  # type: ignore[no-untyped-call]


def end_process_with_parent() -> None:
    """End this process when its parent ends, so that the port becomes free."""
    parent = parent_process()
    assert parent is not None

    def end_after_parent() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end_after_parent, daemon=True).start()
