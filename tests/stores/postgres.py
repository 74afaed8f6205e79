"""Start a PostgreSQL server for tests, with a folder and a socket of its own."""

import os
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path
from typing import Self

PROGRAMS = Path("/usr/lib/postgresql")
"""Where Debian has the programs of each version."""


def programs() -> Path | None:
    """Return the folder of the newest server's programs, or None without a server."""
    if program := shutil.which("initdb"):
        return Path(program).resolve().parent
    folders = [path.parent for path in PROGRAMS.glob("*/bin/initdb")]
    return max(folders, key=lambda folder: float(folder.parent.name), default=None)


class Server:
    """A server that runs until the end of a `with` block; as root, it runs as Debian's user
    for it.
    """

    def __init__(self) -> None:
        folder = programs()
        assert folder is not None, "needs a server: apt-get install postgresql"
        self._programs = folder
        self._user = "postgres" if os.geteuid() == 0 else None
        self._folder = tempfile.mkdtemp(prefix="lton-")
        self._names = count(1)

    def __enter__(self) -> Self:
        if self._user:
            shutil.chown(self._folder, self._user)
        try:
            self._run("initdb", "-N", "-A", "trust", "-U", "lton", "-E", "UTF8")
            self.start()
        except BaseException:
            shutil.rmtree(self._folder)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop("fast")
        shutil.rmtree(self._folder)

    def start(self) -> None:
        options = f"-k {self._folder} -c listen_addresses= -c max_connections=30"
        self._run("pg_ctl", "start", "-w", "-o", options, "-l", f"{self._folder}/log")

    def stop(self, mode: str) -> None:
        """Stop the server: `fast`, or `immediate`, which has the effect of killing it."""
        self._run("pg_ctl", "stop", "-w", "-m", mode)

    def new(self) -> str:
        """Return the URL of a new, empty schema."""
        import psycopg

        server = f"postgresql://lton@/postgres?host={self._folder}"
        name = f"s{next(self._names)}"
        with psycopg.connect(server) as database:
            database.execute(f"CREATE SCHEMA {name}")
        return f"{server}&options=-csearch_path%3D{name}"

    def _run(self, program: str, *options: str) -> None:
        command = [str(self._programs / program), "-D", f"{self._folder}/data", *options]
        # The server keeps what it is given as its output: a pipe would never end.
        subprocess.run(
            command, user=self._user, cwd="/", stdout=subprocess.DEVNULL, check=True, timeout=100
        )
