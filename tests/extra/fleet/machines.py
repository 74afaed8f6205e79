"""Create machines for a fleet: network namespaces on a bridge, or addresses of this machine."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.stores.postgres import programs

HERE = "10.213.77.254"
"""This machine on the bridge: clients and the upstream are here."""
NAMES = ("one", "two", "three", "balancer")
PORT = 8000


@dataclass(frozen=True)
class Machine:
    """A machine for programs: `command` is the prefix that runs a program on it."""

    name: str
    address: str
    enter: tuple[str, ...] = ()

    def run(self, *command: str, log: Path) -> "subprocess.Popen[bytes]":
        """Start a program, and append its output to a file."""
        with log.open("ab") as output:
            return subprocess.Popen((*self.enter, *command), stdout=output, stderr=output)


@contextmanager
def machines() -> Iterator[tuple[str, dict[str, Machine]]]:
    """Yield the address of this machine, and the other machines by name."""
    if not _may_make_namespaces():
        yield (
            "127.0.0.1",
            {name: Machine(name, f"127.0.0.{number}") for number, name in enumerate(NAMES, 2)},
        )
        return
    mark = f"lton{os.getpid()}"
    bridge = f"br{os.getpid()}"
    try:
        _ip("link", "add", bridge, "type", "bridge")
        _ip("address", "add", f"{HERE}/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        others = {}
        for number, name in enumerate(NAMES, 1):
            space, cable = f"{mark}{name}", f"v{number}-{os.getpid()}"
            _ip("netns", "add", space)
            _ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", space)
            _ip("link", "set", cable, "master", bridge, "up")
            _ip("-n", space, "address", "add", f"10.213.77.{number}/24", "dev", "eth0")
            _ip("-n", space, "link", "set", "eth0", "up")
            _ip("-n", space, "link", "set", "lo", "up")
            enter = ("ip", "netns", "exec", space)
            others[name] = Machine(name, f"10.213.77.{number}", enter)
        yield HERE, others
    finally:
        for name in NAMES:  # its end of a cable goes with it, and so the other one
            subprocess.run(["ip", "netns", "delete", mark + name], check=False, capture_output=True)
        subprocess.run(["ip", "link", "delete", bridge], check=False, capture_output=True)


def _ip(*options: str) -> None:
    subprocess.run(["ip", *options], check=True, capture_output=True)


def _may_make_namespaces() -> bool:
    name = f"lton{os.getpid()}try"
    if shutil.which("ip") is None:
        return False
    process = subprocess.run(["ip", "netns", "add", name], check=False, capture_output=True)
    subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)
    return process.returncode == 0


def why_not() -> str | None:
    """Return the reason why no fleet can be created here."""
    if shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin:" + os.environ["PATH"]) is None:
        return "needs haproxy: apt-get install haproxy"
    return None if programs() else "needs a server: apt-get install postgresql"


class Gateway:
    """`lton serve` on a machine, which can be killed, drained, and started again."""

    def __init__(self, machine: Machine, log: Path, *options: str) -> None:
        self.machine, self.log = machine, log
        address = ("--host", machine.address, "--port", str(PORT))
        self.command = (sys.executable, "-m", "lton", "serve", *address, *options)
        self.start()

    def start(self) -> None:
        self.process = self.machine.run(*self.command, log=self.log)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def drain(self, limit_s: float) -> int:
        """Stop the gateway, and return its exit status when running requests have finished."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(limit_s)

    @property
    def url(self) -> str:
        return f"http://{self.machine.address}:{PORT}"


def until(is_so: Callable[[], bool], limit_s: float = 120) -> None:
    """Wait until a condition holds, or raise `TimeoutError`."""
    end = time.monotonic() + limit_s
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.05)


def used_s(process: "subprocess.Popen[bytes]") -> float:
    """Return the processor time of a running process."""
    stat = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
