"""What was approved of a server's tools: a user approves a description once, and it can change."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lton.errors import Code, LTONError
from lton.mcp_proxy.catalogue import unfit
from lton.mcp_proxy.files import write_whole

Report = Callable[[str], None]
_REMEMBERED = 1000
"""Lines that were reported, which are not said again."""
_KEPT = 10_000
"""Definitions that are remembered of a server, at most."""


class Approvals:
    """Screens what a server lists, and remembers it.

    `file` holds the SHA-256 of each definition as it was first listed, by the name of its tool.
    Without a file nothing is remembered. `report` takes a line for a user, once: a name that could
    pass for another, a definition that is not the approved one. With `renew` the definitions of
    now are the approved ones.
    """

    def __init__(
        self, file: Path | None = None, report: Report = lambda line: None, *, renew: bool = False
    ) -> None:
        self._file = file
        self._report_line = report
        self._reported: set[str] = set()
        self._known: dict[str, str] = {} if renew or file is None else _read(file)

    def screened(self, listed: Iterable[Any]) -> list[dict[str, Any]]:
        """Get the tools that may be shown; what is odd is reported, and new ones are remembered."""
        tools: dict[str, dict[str, Any]] = {}
        for each in listed:
            if not isinstance(each, dict) or unfit(each):
                name = each.get("name") if isinstance(each, dict) else each
                self.report(f"left out a tool, odd signs in its name or title: {name!a:.200}")
            elif each["name"] in tools:
                self.report(f"left out a second tool of the name {each['name']}")
            else:
                tools[each["name"]] = each
        if self._file:
            self._compare(self._file, tools.values())
        return [*tools.values()]

    def report(self, line: str) -> None:
        """Tell a user a line, if it was not told yet."""
        if line in self._reported:
            return
        if len(self._reported) == _REMEMBERED:
            self._reported.clear()
        self._reported.add(line)
        self._report_line(line)

    def _compare(self, file: Path, tools: Iterable[dict[str, Any]]) -> None:
        before = len(self._known)
        for tool in tools:
            name, found = tool["name"], _digest(tool)
            if name not in self._known and len(self._known) >= _KEPT:
                self.report(
                    f"no more than {_KEPT:,} definitions are kept: changes of others go unnoticed"
                )
                continue
            approved = self._known.setdefault(name, found)
            if approved != found:
                self.report(
                    f"the definition of {name} is not the one that was approved"
                    f" ({approved[:12]}, now {found[:12]}): read it, then start with --approve"
                )
        if len(self._known) > before:
            try:
                write_whole(file, json.dumps(self._known, indent=0))
            except OSError as error:
                self.report(f"what was approved cannot be kept: {error}")


def file_of(server: str) -> Path:
    """Get the file for a server, named by its command or URL, in the user's folder for state."""
    folder = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return (
        Path(folder) / "lton" / "mcp" / f"{hashlib.sha256(server.encode()).hexdigest()[:32]}.json"
    )


def _digest(tool: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(tool, sort_keys=True).encode()).hexdigest()


def _read(file: Path) -> dict[str, str]:
    """Read what was approved. Raises `LTONError` for a file that is there and cannot be read."""
    try:
        found = json.loads(file.read_text("utf-8"))
        return {name: digest for name, digest in found.items() if isinstance(digest, str)}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError, AttributeError) as error:
        msg = f"what was approved cannot be read ({error}); --approve begins anew"
        raise LTONError(Code.FILE, f"{file}: {msg}") from error
