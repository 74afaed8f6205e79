"""Implement `lton hook`, which installs the hook for Claude Code."""

import argparse
import os
import shlex
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from lton.errors import Code, LTONError
from lton.mcp_proxy.command import ask_consent
from lton.mcp_proxy.install import indent_like, read_parsed_file, save_change
from lton.wrap.long_results import base_folder

_MODULE = "lton.wrap.claude_hook"
_TOOLS = "Bash|Grep|WebFetch|mcp__.*"
_TIMEOUT_S = 10


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `lton hook`."""
    parser.add_argument("action", choices=("install",))
    parser.add_argument("agent", choices=("claude",))
    parser.add_argument("--undo", action="store_true", help="remove the hook")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(options: argparse.Namespace) -> int:
    """Install or remove the hook in the settings of Claude Code."""
    folder = os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude"
    file = Path(folder).expanduser() / "settings.json"
    return install_hook(file, undo=options.undo, agreed=partial(ask_consent, options.yes))


def install_hook(file: Path, *, undo: bool, agreed: Callable[[str], bool]) -> int:
    """Add the hook to a settings file, or remove the hook from it, after asking the user."""
    return save_change(file, partial(_revise_settings, file, undo=undo), agreed)


def _revise_settings(file: Path, *, undo: bool) -> tuple[str, str]:
    """Return the text of a settings file, and the text with or without the hook."""
    before = ""
    document = dict[str, Any]()
    write: Callable[[Any], str] = partial(indent_like, before="{}\n")
    if undo and not file.exists():
        return before, before
    if file.exists():
        before, document, write = read_parsed_file(file)
    try:
        _remove_hook(document)
        if not undo:
            _add_hook(document, base_folder())
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        words = "expected the settings of Claude Code: objects of hooks and of permissions"
        raise LTONError(Code.SYNTAX, f"{file}: {words}") from error
    return before, write(document)


def _add_hook(document: dict[str, Any], base: Path) -> None:
    command = shlex.join([sys.executable, "-P", "-m", _MODULE, str(base)])
    hook = {"type": "command", "command": command, "timeout": _TIMEOUT_S}
    hooks = document.setdefault("hooks", {}).setdefault("PostToolUse", [])
    hooks.append({"matcher": _TOOLS, "hooks": [hook]})
    document.setdefault("permissions", {}).setdefault("allow", []).append(
        _permission_rule(str(base))
    )


def _permission_rule(base: str) -> str:
    return f"Read(/{base}/**)"


def _remove_hook(document: dict[str, Any]) -> None:
    entries = document.get("hooks", {}).get("PostToolUse", [])
    ours = [entry for entry in entries if _MODULE in str(entry)]
    commands = [entry["hooks"][0]["command"] for entry in ours]
    rules = {_permission_rule(shlex.split(command)[-1]) for command in commands}
    allowed = document.get("permissions", {}).get("allow", [])
    entries[:] = [entry for entry in entries if entry not in ours]
    allowed[:] = [rule for rule in allowed if rule not in rules]
    if not ours:
        return
    for outer, inner in (("hooks", "PostToolUse"), ("permissions", "allow")):
        if not document.get(outer, {}).get(inner, True):
            del document[outer][inner]
        if not document.get(outer, True):
            del document[outer]
