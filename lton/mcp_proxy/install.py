"""`lton mcp-proxy install`: the proxy in front of the servers in a client's configuration."""

import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from lton._require import require
from lton._terminal import UsageError, say
from lton.errors import Code, LTONError
from lton.mcp_proxy.files import write_whole

Entry = dict[str, Any]
_COPY = ".before-lton"
_PROXY = "mcp-proxy"


@dataclass(frozen=True, slots=True)
class Client:
    """Where a client has its servers: the first file that is there, and the key of it."""

    files: tuple[str, ...]
    key: str = "mcpServers"


CLIENTS = {
    "claude": Client((".mcp.json", "~/.claude.json")),
    "codex": Client(("~/.codex/config.toml",), "mcp_servers"),
    "cursor": Client((".cursor/mcp.json", "~/.cursor/mcp.json")),
    "vscode": Client((".vscode/mcp.json",), "servers"),
}


def install(
    client: Client, options: Sequence[str], *, undo: bool, agreed: Callable[[str], bool]
) -> int:
    """Put the proxy before each server that a command starts, or take it away; get the status.

    `agreed` is shown the change and says whether it is wanted. The file as it was stays beside it,
    with `.before-lton` after its name. A server with a URL stays as it is: its keys are the
    client's.
    """
    file = _file(client)
    before = file.read_text("utf-8")
    document, write = _parsed(file, before)
    for name, entry in document.get(client.key, {}).items():
        if not isinstance(entry.get("command"), str):
            say(f"left as it is: {name}, which no command starts")
        elif undo:
            entry.update(_without(entry))
        else:
            entry.update(_with(entry, options))
    after = write(document)
    if before == after:
        say(f"nothing to change in {file}")
        return 0
    change = unified_diff(before.splitlines(True), after.splitlines(True), str(file), "new")
    if not agreed("".join(change)):
        return 1
    shutil.copy2(file, f"{file}{_COPY}")
    write_whole(file, after)
    say(f"changed {file}; as it was: {file.name}{_COPY}; back with --undo")
    return 0


def _file(client: Client) -> Path:
    files = [Path(name).expanduser() for name in client.files]
    found = next((file for file in files if file.is_file()), None)
    if found is None:
        raise UsageError(f"there is no {' or '.join(client.files)}")
    return found


def _parsed(file: Path, text: str) -> tuple[Any, Callable[[Any], str]]:
    """Get what a file says, and what writes it."""
    if file.suffix == ".toml":
        toml = require("tomlkit", "mcp")  # which keeps comments and spaces
        return toml.parse(text), toml.dumps
    try:
        return json.loads(text), _json
    except ValueError as error:
        raise LTONError(Code.SYNTAX, f"{file} is not JSON (comments are none): {error}") from error


def _json(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _with(entry: Mapping[str, Any], options: Sequence[str]) -> Entry:
    """Get what changes in an entry; nothing where the proxy is there already."""
    if _command(entry) is not None:
        return {}
    program = shutil.which("lton")
    command = [program] if program else [sys.executable, "-m", "lton"]
    named = [word for name in entry.get("env") or {} for word in ("--env", name)]
    server = [entry["command"], *entry.get("args", [])]
    return {
        "command": command[0],
        "args": [*command[1:], _PROXY, *options, *named, "--", *server],
    }


def _without(entry: Mapping[str, Any]) -> Entry:
    command = _command(entry)
    return {"command": command[0], "args": command[1:]} if command else {}


def _command(entry: Mapping[str, Any]) -> list[str] | None:
    """Get the command of a server behind the proxy, or None without it."""
    words = [str(word) for word in entry.get("args", [])]
    if _PROXY not in words[:3] or "--" not in words:
        return None
    return words[words.index("--") + 1 :]
