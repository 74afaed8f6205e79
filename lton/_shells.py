"""Recognize shell output and remove colours and overwritten text from it.

A model may edit a file by quoting the exact text that a tool has shown. So this module does not
change the output of tools that read files, or of commands such as `cat`. If it is unclear whether
a result shows a file, the result is not changed.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SHELLS = frozenset(
    "bash sh zsh shell terminal console powershell pwsh cmd command exec stdin".split()
)
_FILES = frozenset("read view open edit write file files fetch search grep find list".split())
_SEARCHES = frozenset("grep glob search find list ls fetch web http url test tests git log".split())
_SHOWS = _FILES - _SEARCHES | frozenset(
    "cat notebook content contents patch resource tool browser page snapshot".split()
)
"""Words in the names of tools whose results a model may quote in an edit, or needs in full."""
_ARGUMENTS = ("command", "cmd", "script", "code", "input")
_MOST_LOOKED_AT = 10_000
"""The maximum length of a command that is examined, in characters."""
_BEGINS = r"""(?:^|[;&\n({'"`]|\|\||\b(?:sudo|then|do|else|xargs|exec|env)\s)[^\S\n]*
    (?:[\w.]+=\S*\s+){0,9}(?:/[\w./-]*/)?"""
"""The start of a command, but not after a single `|`: any program may read from a pipe."""
_GIT = r"git\s+(?:-\S+\s+(?:\S+\s+)?){0,4}"
_READERS = r"""cat|bat|batcat|head|tail|nl|sed|awk|gawk|less|more|cut|tac|type|Get-Content|gc|xxd|od
    |hexdump|strings|jq|yq"""
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[()][0-9A-B])")
"""Escape sequences for colours, cursor moves and window titles."""
_FLAGS = re.VERBOSE | re.IGNORECASE
_READS_FILE = re.compile(
    rf"{_BEGINS}(?:{_READERS}|{_GIT}(?:show|blame|cat-file))\b|\bopen\(|read_?text|readfile", _FLAGS
)
"""A command that shows a file or a part of a file."""
_SHOWS_FILE = re.compile(
    rf"""{_BEGINS}(?:{_READERS}|grep|egrep|fgrep|rg|ag|ack|diff|sort|uniq
    |{_GIT}(?:show|diff|blame|grep|log|cat-file))\b""",
    _FLAGS,
)
"""A command that shows lines of files."""


def is_terminal(tool: str, arguments: Any) -> bool:
    """Return whether a result is the output of a shell command that does not show files.

    >>> is_terminal("Bash", {"command": "npm test | tail"}), is_terminal("read_file", {"path": "a"})
    (True, False)
    >>> is_terminal("exec_command", {"cmd": "cd src && cat a.py"})
    False
    """
    if not is_shell(tool):
        return False
    command = _command_in(arguments)
    return len(command) <= _MOST_LOOKED_AT and not _SHOWS_FILE.search(command)


def can_be_cut(tool: str, arguments: Any) -> bool:
    """Return whether a result may be shortened. A result that shows a file may not.

    >>> can_be_cut("Bash", {"command": "git diff"}), can_be_cut("Bash", {"command": "cat a.py"})
    (True, False)
    >>> can_be_cut("WebFetch", {}), can_be_cut("Read", {}), can_be_cut("mcp__db__query", {})
    (True, False, True)
    """
    if is_shell(tool):
        command = _command_in(arguments)
        return 0 < len(command) <= _MOST_LOOKED_AT and not _READS_FILE.search(command)
    words = frozenset(map(str.lower, _WORD.findall(tool[:200])))
    return bool(words & _SEARCHES or tool.startswith("mcp__")) and not words & _SHOWS


@lru_cache(256)
def is_shell(tool: str) -> bool:
    """Return whether a tool runs shell commands, judging by its name."""
    words = frozenset(map(str.lower, _WORD.findall(tool.rpartition("__")[2][:200])))
    return bool(words & _SHELLS) and ("stdin" in words or not words & _FILES)


def _command_in(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, Mapping):
        return ""
    command = next((arguments[name] for name in _ARGUMENTS if name in arguments), "")
    if isinstance(command, Sequence) and not isinstance(command, str):
        return "\n".join(map(str, command))
    return str(command)


def without_noise(text: str) -> str:
    r"""Remove colours and overwritten text from terminal output.

    >>> without_noise("\x1b[31m 10 %\r100 %\x1b[0m\ndone\n")
    '100 %\ndone\n'
    """
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    return "\n".join(map(_apply_carriage_returns, text.split("\n"))) if "\r" in text else text


def _apply_carriage_returns(line: str) -> str:
    """Apply the carriage returns in a line, as a terminal would."""
    line, end = (line[:-1], "\r") if line.endswith("\r") else (line, "")
    visible = ""
    for part in reversed(line.split("\r")):
        visible += part[len(visible) :]
    return visible + end
