"""Test which results are terminal output."""

from typing import Any

import pytest

from lton._shells import is_terminal


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("Bash", {"command": "make test"}, True),
        ("Bash", {"command": "cat notes.txt"}, False),
        ("shell", {"command": ["bash", "-lc", "npm test"]}, True),
        ("shell", {"command": ["cat", "notes.txt"]}, False),
        ("exec", "npm test", True),
        ("exec", "cat notes.txt", False),
        ("exec", None, True),
        ("read_file", {"path": "notes.txt"}, False),
    ],
)
def test_a_terminal_is_a_shell_whose_command_shows_no_file(
    tool: str, arguments: Any, expected: bool
) -> None:
    """A tool is a shell if its command, as text, list or member, shows no file."""
    assert is_terminal(tool, arguments) == expected
