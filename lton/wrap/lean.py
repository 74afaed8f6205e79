"""Read from an agent's earlier sessions which tools it called (`lton wrap --lean`)."""

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_SESSIONS = 5
LEAST_SESSIONS = 3
"""How many of the last sessions are read, and how many there must be."""


def read_calls_and_count_sessions(folder: str) -> tuple[dict[str, set[frozenset[str]]], int]:
    """Read the calls in the last sessions of Claude Code in a folder, and count the sessions.

    Each tool has the sets of arguments of its calls. The calls of subagents count, too.
    """
    home = Path(os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser()
    project = home / "projects" / re.sub("[^a-zA-Z0-9]", "-", folder)
    sessions = sorted(project.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    last = sessions[-_SESSIONS:]
    calls: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
    for session in last:
        for file in (session, *session.with_suffix("").glob("**/*.jsonl")):
            for name, arguments in iterate_calls_in_session(file):
                calls[name].add(frozenset(arguments))
    return dict(calls), len(last)


def iterate_calls_in_session(file: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the tool and the arguments of each call in a session of Claude Code."""
    for line in file.read_bytes().splitlines():
        if b'"tool_use"' not in line:
            continue
        try:
            content = json.loads(line)["message"]["content"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # not a message
        for block in content if isinstance(content, list) else ():
            match block:
                case {"type": "tool_use", "name": str(name), "input": dict(arguments)}:
                    yield name, arguments
