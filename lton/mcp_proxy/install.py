"""Install the proxy in front of the servers in a client's configuration file."""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from itertools import pairwise
from pathlib import Path
from typing import Any

from lton._json import read_json
from lton._require import require
from lton._terminal import UsageError, say
from lton.errors import Code, LTONError
from lton.mcp_proxy.approvals import write_whole
from lton.mcp_proxy.jsonc import read_jsonc, replace_values

Entry = dict[str, Any]
_COPY = ".before-lton"
_COPIES = 100
_PROXY = "mcp-proxy"


@dataclass(frozen=True, slots=True)
class Client:
    """The possible configuration files of a client, and the key under which they list servers."""

    files: tuple[str, ...]
    key: str = "mcpServers"


CLIENTS = {
    "claude": Client((".mcp.json", "~/.claude.json")),
    "claude-desktop": Client(
        (
            "~/.config/Claude/claude_desktop_config.json",
            "~/Library/Application Support/Claude/claude_desktop_config.json",
            "~/AppData/Roaming/Claude/claude_desktop_config.json",
        )
    ),
    "codex": Client(("~/.codex/config.toml",), "mcp_servers"),
    "cursor": Client((".cursor/mcp.json", "~/.cursor/mcp.json")),
    "vscode": Client((".vscode/mcp.json",), "servers"),
}


def install_proxy(
    client: Client, options: Sequence[str], *, undo: bool, agreed: Callable[[str], bool]
) -> int:
    """Put the proxy in front of each local server in a client's configuration, or remove the proxy.

    `agreed` receives the change and returns whether to make it. The old file is copied to a file
    whose name ends with `.before-lton`, and with a number if that file exists. If nothing else has
    changed since, `undo` restores the bytes of this copy. It removes the copies in any case.
    A server with a URL is not changed, because only the client has its keys.
    """
    file = _find_file(client)
    notes = set[str]()

    def revise_configuration() -> tuple[str, str]:
        before, document = _read_configuration(file)
        changes = dict[str, Entry]()
        for name, entry in _servers_in(file, document, client.key).items():
            if reason := _reason_to_keep(entry, undo=undo):
                note = f"unchanged: {name}, {reason}"
                if note not in notes:
                    notes.add(note)
                    say(note)
            elif change := _without_proxy(entry) if undo else _with_proxy(entry, options):
                changes[name] = change
        original = _find_original(file, client.key, before, document) if undo and changes else None
        if original is not None:
            return before, original
        return before, _write_entries(file, before, client.key, changes)

    status = save_change(file, revise_configuration, agreed, keeps_copy=not undo)
    if undo and status == 0:
        for copy in _copies_of(file):
            copy.unlink()
    return status


def _find_original(file: Path, key: str, text: str, document: Any) -> str | None:
    """Return the text of the copy from which `install_proxy` made this text, or None.

    A copy is the original if the text results from putting the current commands into the copy.
    """
    installed = {
        name: {word: entry[word] for word in ("command", "args")}
        for name, entry in _servers_in(file, document, key).items()
        if not _reason_to_keep(entry, undo=True) and _own_command(entry)
    }
    for copy in _copies_of(file):
        with suppress(LTONError):
            original, copied = _read_configuration(file, copy)
            is_older = installed.keys() <= _servers_in(file, copied, key).keys()
            if is_older and _write_entries(file, original, key, installed) == text:
                return original
    return None


def _copies_of(file: Path) -> list[Path]:
    """Return the copies that `copy_file_aside` made of a file, the newest first."""
    names = (
        f"{file}{_COPY}{f'-{number}' if number > 1 else ''}" for number in range(1, _COPIES + 1)
    )
    copies = [Path(name) for name in names]
    return [copy for copy in reversed(copies) if copy.is_file() and not copy.is_symlink()]


def _read_configuration(file: Path, copy: Path | None = None) -> tuple[str, Any]:
    """Return the text and the content of a configuration file, or of a copy of the file."""
    is_toml = file.suffix == ".toml"
    toml = require("tomlkit", "apps") if is_toml else None
    try:
        text = (copy or file).read_bytes().decode()
        return text, toml.parse(text) if toml else read_jsonc(text)
    except ValueError as error:
        kind = "TOML" if is_toml else "JSON"
        raise LTONError(Code.SYNTAX, f"{file} is not {kind}: {error}") from error


def _write_entries(file: Path, text: str, key: str, changes: Mapping[str, Entry]) -> str:
    """Return the text with changed members in the entries of servers; comments stay."""
    if file.suffix == ".toml":
        toml = require("tomlkit", "apps")  # tomlkit keeps comments and spaces
        document = toml.parse(text)
        for name, change in changes.items():
            document[key][name].update(change)
        return str(toml.dumps(document))
    for name, change in changes.items():
        text = replace_values(text, (key, name), change)
    return text


def save_change(
    file: Path,
    revise: Callable[[], tuple[str, str]],
    agreed: Callable[[str], bool],
    *,
    keeps_copy: bool = True,
) -> int:
    """Show a change to a file and make the change if the user agrees.

    `revise` reads the file, and returns its text and the new text. The file is read again after the
    user's answer, so that nothing is lost that another program wrote meanwhile.

    Raises `LTONError` if the change would then be another one than the user has seen.
    """
    before, after = revise()
    if before == after:
        say(f"nothing to change in {file}")
        return 0
    target = file.resolve()
    name = str(file) if target == file.absolute() else f"{file} (a link to {target})"
    if not agreed("".join(_iterate_diff_lines(before, after, name))):
        return 1
    now, after_now = revise()
    if file.resolve() != target or _changed_lines(now, after_now) != _changed_lines(before, after):
        msg = f"another program has changed {file}: nothing was written; run the command again"
        raise LTONError(Code.FILE, msg)
    if keeps_copy:
        advice = f"; the old file: {copy_file_aside(file).name}" if file.exists() else ""
        advice += "; --undo removes the change"
    else:
        advice = ""
    write_whole(file, after_now)
    say(f"changed {name}{advice}")
    return 0


def _iterate_diff_lines(before: str, after: str, name: str) -> Iterator[str]:
    return unified_diff(before.splitlines(True), after.splitlines(True), name, "new")


def _changed_lines(before: str, after: str) -> list[str]:
    """Return the removed and the added lines, without the line numbers and the lines around."""
    return [line for line in _iterate_diff_lines(before, after, "") if line[0] in "-+"]


def copy_file_aside(file: Path) -> Path:
    """Copy a file to a new file in the same folder, without overwriting older copies."""
    content = file.read_bytes()
    mode = file.stat().st_mode & 0o777
    for number in range(1, _COPIES + 1):
        copy = Path(f"{file}{_COPY}{f'-{number}' if number > 1 else ''}")
        try:
            handle = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        except FileExistsError:
            continue
        with open(handle, "wb") as stream:
            stream.write(content)
        return copy
    raise LTONError(Code.FILE, f"there are {_COPIES} copies of {file}: nothing was changed")


def _find_file(client: Client) -> Path:
    files = [Path(name).expanduser() for name in client.files]
    existing = next((file for file in files if file.is_file()), None)
    if existing is None:
        raise UsageError(f"there is no {' or '.join(client.files)}")
    return existing


def read_parsed_file(file: Path) -> tuple[str, Any, Callable[[Any], str]]:
    """Return the text of a configuration file, its content, and a function that formats content."""
    is_toml = file.suffix == ".toml"
    toml = require("tomlkit", "apps") if is_toml else None  # tomlkit keeps comments and spaces
    try:
        text = file.read_text("utf-8")
        if toml:
            return text, toml.parse(text), toml.dumps
        return text, read_json(text), lambda document: indent_like(document, text)
    except ValueError as error:
        kind = "TOML" if is_toml else "JSON without comments"
        raise LTONError(Code.SYNTAX, f"{file} is not {kind}: {error}") from error


def indent_like(document: Any, before: str) -> str:
    """Write JSON with the indentation and the final line break of the file's old text."""
    space = re.search(r"\n([ \t]+)", before)
    text = json.dumps(document, indent=space[1] if space else 2, ensure_ascii=False)
    text += "\n" if before.endswith("\n") else ""
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def _servers_in(file: Path, document: Any, key: str) -> Entry:
    servers = (document.get(key) or {}) if isinstance(document, Mapping) else None
    if not isinstance(servers, dict):
        raise LTONError(Code.SYNTAX, f"{file}: expected an object with {key}")
    return servers


def _reason_to_keep(entry: Any, *, undo: bool) -> str:
    """Return the reason why an entry must not be changed, or ""."""
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        return "which has no command"
    words = entry.get("args") or []
    named = entry.get("env") or {}
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return "whose args are not a list of strings"
    if not isinstance(named, dict):
        return "whose env is not an object"
    if undo:
        return ""
    if "envFile" in entry:
        return "whose variables are in a file (envFile): the proxy cannot name them"
    return "which has the proxy already: --undo removes it" if _own_command(entry) else ""


def _with_proxy(entry: Mapping[str, Any], options: Sequence[str]) -> Entry:
    program = shutil.which("lton")
    command = [program] if program else [sys.executable, "-P", "-m", "lton"]
    variables = [
        *(entry.get("env") or {}),
        *(entry.get("env_vars") or []),
    ]  # the second key is Codex's
    named = [word for name in variables if isinstance(name, str) for word in ("--env", name)]
    server = [entry["command"], *(entry.get("args") or [])]
    return {"command": command[0], "args": [*command[1:], _PROXY, *options, *named, "--", *server]}


def _without_proxy(entry: Mapping[str, Any]) -> Entry:
    command = _own_command(entry)
    return {"command": command[0], "args": command[1:]} if command else {}


def _own_command(entry: Mapping[str, Any]) -> list[str]:
    """Return the server's command in an entry that runs the proxy, or [] for any other entry."""
    words = [entry["command"], *(entry.get("args") or [])]
    end = words.index("--") if "--" in words else 0
    pairs = pairwise(words[:end])
    is_ours = any(Path(program).stem == "lton" and word == _PROXY for program, word in pairs)
    return words[end + 1 :] if is_ours else []
