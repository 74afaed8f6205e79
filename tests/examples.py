"""Run the fenced blocks of a page as a program, and write the page with their output.

`python examples.py PAGE` prints the page with the current outputs of its blocks, run in the current
folder, which contains `tools.json`. The script needs only Python, so it can be copied next to an
installed LTON. `python -m tests.examples --write` updates all pages, each in such a folder.

A Python block continues the last one of the page, and prints the text block below it. A console
block has commands after `$ `, and below each its output. A block that begins with `<!-- runs with a
server: FILE -->` is run by that test, and a block that begins with `<!-- not run: REASON -->` by
none.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

FENCED = re.compile(r"(?:^<!-- (.*) -->\n)?^```([a-z-]+)\n((?:.*\n)*?)^```$", re.MULTILINE)
SERVER = "runs with a server"
DEFINITIONS = "benchmarks/lton_bench/demo/tools.json"
"""What the examples of pages use; README.md needs no file."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its kind, its text, the comment above it, and the position of the text."""

    kind: str
    text: str
    mark: str
    start: int
    end: int

    @property
    def is_run(self) -> bool:
        """Whether the block runs without a server."""
        return not self.mark.startswith(("not run", SERVER))

    @property
    def needs_server(self) -> bool:
        return self.mark.startswith(SERVER)


def blocks_of(page: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    return [
        Block(match[2], match[3], match[1] or "", *match.span(3)) for match in FENCED.finditer(page)
    ]


def commands(block: str) -> Iterator[str]:
    """Return the commands of a console block; a line that ends with a backslash continues."""
    for match in re.finditer(r"^\$ ((?:.*\\\n)*.*)\n", block, re.MULTILINE):
        yield match[1]


def ran(page: str, *, server: bool = False) -> str:
    """Return a page with the outputs of its blocks, run in the current folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    parts, end, printed, skipped = [], 0, "", True
    for block in blocks_of(page):
        text = block.text
        if block.kind == "python":
            runs = block.is_run or (server and block.needs_server)
            printed = _python(text, names) if runs else ""
            skipped = not runs
        elif block.kind == "text":
            text = text if skipped else printed
        elif block.kind == "console" and block.is_run:
            text = "".join(f"$ {command}\n{_console(command)}" for command in commands(text))
        parts += [page[end : block.start], text]
        end = block.end
    return "".join([*parts, page[end:]])


def _python(code: str, names: dict[str, Any]) -> str:
    with redirect_stdout(StringIO()) as output:
        exec(compile(code, "<page>", "exec"), names)
    return output.getvalue()


def _console(command: str) -> str:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    result = subprocess.run(
        ["bash", "-c", f"{command} 2>&1"],
        env={**os.environ, "PATH": path, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    return result.stdout


def write_all() -> None:
    """Update the outputs of all pages, except those of models."""
    root = Path(__file__).parent.parent
    for page in (root / "README.md", *sorted((root / "docs").rglob("*.md"))):
        with TemporaryDirectory() as folder:
            shutil.copy(root / DEFINITIONS, folder)
            command: list[str | Path] = [sys.executable, "-P", "-W", "ignore", __file__, page]
            process = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True)
        if process.stdout != page.read_bytes():
            page.write_bytes(process.stdout)
            print(f"written: {page.relative_to(root)}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write_all()
    else:
        sys.stdout.write(ran(Path(sys.argv[1]).read_text("utf-8")))
