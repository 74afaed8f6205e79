"""Detect tools whose definitions have changed since the user approved them."""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lton.errors import Code, LTONError
from lton.mcp_proxy.catalogue import has_unfit_schema

Report = Callable[[str], None]
_REMEMBERED = 1000
_KEPT = 10_000
"""The maximum number of reported lines, and of a server's definitions, that are remembered."""


class Approvals:
    """Remembers the definitions that a user has approved, and reports changes.

    `file` contains, by the name of each tool, the SHA-256 of its first definition. Without a file
    nothing is remembered. `report` is called once with each line for the user, about a name that
    could be mistaken for another, or about a changed definition. With `renew`, the current
    definitions are approved.
    """

    def __init__(
        self, file: Path | None = None, report: Report = lambda line: None, *, renew: bool = False
    ) -> None:
        self._file = file
        self._report_line = report
        self._reported: set[str] = set()
        self._known: dict[str, str] = {} if renew or file is None else _read_approvals(file)

    def screen_tools(self, listed: Iterable[Any]) -> list[dict[str, Any]]:
        """Return the tools that may be shown. Other tools are reported."""
        tools: dict[str, dict[str, Any]] = {}
        for tool in listed:
            if not isinstance(tool, dict) or has_unfit_schema(tool):
                name = tool.get("name") if isinstance(tool, dict) else tool
                self.report_once(
                    f"left out a tool with odd characters in name or title: {name!a:.200}"
                )
            elif tool["name"] in tools:
                self.report_once(f"left out a second tool named {tool['name']}")
            else:
                tools[tool["name"]] = tool
        if self._file:
            self._compare_tools(self._file, tools.values())
        return [*tools.values()]

    def report_once(self, line: str) -> None:
        """Report a line to the user, but only the first time."""
        if line in self._reported:
            return
        if len(self._reported) == _REMEMBERED:
            self._reported.clear()
        self._reported.add(line)
        self._report_line(line)

    def _compare_tools(self, file: Path, tools: Iterable[dict[str, Any]]) -> None:
        before = len(self._known)
        for tool in tools:
            name = tool["name"]
            definition = json.dumps(tool, sort_keys=True)
            digest = hashlib.sha256(definition.encode()).hexdigest()
            if name not in self._known and len(self._known) >= _KEPT:
                self.report_once(
                    f"only {_KEPT:,} definitions are remembered: changes to others are not detected"
                )
                continue
            approved = self._known.setdefault(name, digest)
            if approved != digest:
                self.report_once(
                    f"the definition of {name} is not the approved one"
                    f" ({approved[:12]}, now {digest[:12]}): read it, then start with --approve"
                )
        if len(self._known) > before:
            try:
                write_whole(file, json.dumps(self._known, indent=0))
            except OSError as error:
                self.report_once(f"the approved definitions cannot be saved: {error}")


def approvals_file_of(server: str) -> Path:
    """Return the file in the user's state folder that stores the approvals for a server."""
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return folder / "lton" / "mcp" / f"{hashlib.sha256(server.encode()).hexdigest()[:32]}.json"


def write_whole(file: Path, text: str) -> None:
    """Write a file completely or not at all. A new file is private.

    If the file is a link, its target is written.
    """
    file = file.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f"{file.name}.", dir=file.parent)
    part = Path(name)
    with open(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    if file.exists():
        shutil.copymode(file, part)
    part.replace(file)


def _read_approvals(file: Path) -> dict[str, str]:
    try:
        digests = json.loads(file.read_text("utf-8"))
        return {name: digest for name, digest in digests.items() if isinstance(digest, str)}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError, AttributeError) as error:
        msg = f"the approved definitions cannot be read ({error}); --approve renews them"
        raise LTONError(Code.FILE, f"{file}: {msg}") from error
