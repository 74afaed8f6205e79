"""Start server processes, and measure their memory and processor time."""

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2


@contextmanager
def run_server(
    command: Sequence[str], url: str, **variables: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server for the duration of a block. Raises `TimeoutError` if it does not answer."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(  # noqa: S603 - the commands of `main`
            command, stdout=log, stderr=log, env={**os.environ, **variables}
        )
        try:
            end = time.monotonic() + 120
            while True:
                try:
                    httpx2.get(f"{url}/v1/models", timeout=1)
                    break
                except httpx2.HTTPError:
                    if process.poll() is not None or time.monotonic() > end:
                        log.seek(0)
                        raise TimeoutError(log.read().decode(errors="replace")[-500:]) from None
                    time.sleep(0.1)
            yield process
        finally:
            process.terminate()
            process.wait()


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def resident(process: int) -> float:
    """Return the resident memory of a process and its children, in megabytes."""
    return sum(map(int, _read_ps("rss", process))) / 1024


def processor_s(process: int) -> float:
    """Return the processor seconds of a process and its children (Linux only)."""
    ticks = 0
    for child in _read_ps("pid", process):
        with suppress(FileNotFoundError):  # a child that has just ended
            fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])  # in the program, and in the kernel for it
    return ticks / os.sysconf("SC_CLK_TCK")


def _read_ps(field: str, process: int) -> list[str]:
    """Return a field of `ps` for a process and its children."""
    listed = subprocess.run(  # noqa: S603 - a word and a number
        ["ps", "-o", f"{field}=", "--pid", str(process), "--ppid", str(process)],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
    )
    return listed.stdout.split()
