"""Test the command line in faulty environments, as separate processes."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lton_bench.demo import DEFINITIONS

DEEP = "[" * 200_000 + "]" * 200_000
TOOLS = str(DEFINITIONS)
EVIL = "\x1b]0;owned\x07\x1b[2J\u202e"


def lton(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the command, with empty input by default."""
    if "stdin" not in options:
        options.setdefault("input", b"")
    command = [sys.executable, "-m", "lton", *arguments]
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run(command, stderr=subprocess.PIPE, timeout=60, check=False, **options)


def message_of(run: subprocess.CompletedProcess[bytes]) -> str:
    """Return the only message of a failed run."""
    message = run.stderr.decode()
    assert run.returncode == 1
    assert message.startswith("lton: ")
    assert "Traceback" not in message
    return message


@pytest.mark.parametrize("command", [["encode"], ["schema"], ["decode", "-t"]], ids=" ".join)
@pytest.mark.parametrize(
    ("content", "code"),
    [
        (DEEP.encode(), "[E301]"),
        (b'{"a": "\xff"}', "[E108]"),
        (b"", "[E101]"),
        (b"[1,", "[E101]"),
        (b"9" * 5000, "[E302]"),
    ],
    ids=["deep", "bytes", "empty", "cut", "digits"],
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, command: list[str], content: bytes, code: str
) -> None:
    """An unreadable file is named with a code, on one line except for the caret picture."""
    path = tmp_path / "file.json"
    path.write_bytes(content)
    message = message_of(lton(*command, str(path)))
    assert message.splitlines()[0].endswith(code)
    assert str(path) in message
    assert len(message.splitlines()) == (3 if code == "[E101]" and content else 1)


def test_a_file_that_is_missing_is_named() -> None:
    """A missing file is named, even if another input is also missing or wrong."""
    for arguments in (["schema", "none.json"], ["encode", "-t", "none.json"]):
        assert message_of(lton(*arguments)) == "lton: none.json: No such file or directory\n"
    assert message_of(lton("schema", "/")) == "lton: /: Is a directory\n"
    assert message_of(lton("encode", "-t", TOOLS)).startswith("lton: -: ")


def test_a_byte_order_mark_before_json_is_passed_over(tmp_path: Path) -> None:
    """A byte order mark before JSON is skipped, because editors of Windows write it."""
    path = tmp_path / "tools.json"
    path.write_bytes(b'\xef\xbb\xbf{"name": "f"}')
    assert lton("schema", str(path)).stdout == b"f\n"


def test_who_reads_no_more_is_no_error() -> None:
    """`lton decode | head -1` prints no error, and has the status of a broken pipe."""
    reading, writing = os.pipe()
    os.close(reading)
    text = b"weather.v1 Oslo 1 C\n" * 10_000
    run = lton("decode", "-t", TOOLS, input=text, stdout=writing)
    os.close(writing)
    assert (run.returncode, run.stderr) == (128 + signal.SIGPIPE, b"")


@pytest.mark.parametrize(
    ("redirection", "message"),
    [(">&-", "lton: standard output is closed\n"), ("<&-", "lton: standard input is closed\n")],
)
def test_a_closed_stream_is_said(redirection: str, message: str) -> None:
    """A closed stream is reported without a traceback."""
    command = f"{sys.executable} -m lton decode {redirection}"
    run = subprocess.run(
        ["sh", "-c", command], input=b"!call f\n()", capture_output=True, timeout=60, check=False
    )
    assert message_of(run) == message


def test_no_stream_for_messages_is_no_error() -> None:
    """Without standard error, only the status reports the failure."""
    command = f"{sys.executable} -m lton schema none.json 2>&-"
    run = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=False)
    assert (run.returncode, run.stdout) == (1, b"")


def test_an_interrupt_is_silent(tmp_path: Path) -> None:
    """Ctrl-C ends a command silently, with the usual status."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    # A shell's background jobs ignore the signal, and so would what they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(
        [sys.executable, "-m", "lton", "decode", str(path)], stderr=subprocess.PIPE
    ) as process:
        with path.open("wb"):  # opens when the command reads
            process.send_signal(signal.SIGINT)
        # Closed: a signal just before the command waits to read would not wake it.
        _, message = process.communicate(timeout=60)
    assert (process.returncode, message) == (128 + signal.SIGINT, b"")


def test_a_terminal_is_not_driven_by_what_is_shown(tmp_path: Path) -> None:
    """Descriptions, errors and names of others are shown without control characters."""
    path = tmp_path / "tools.json"
    part = {"type": "string", "format": "x", "description": EVIL}
    tool = {"name": "f", "description": EVIL, "parameters": {"properties": {"a": part}}}
    path.write_text(json.dumps([tool]))
    master, terminal = pty.openpty()
    lton("schema", str(path), stdout=terminal)
    os.close(terminal)
    output = os.read(master, 10_000).decode()
    os.close(master)
    path.write_text(json.dumps([{**tool, "name": f"f{EVIL}"}]))
    refused = lton("schema", str(path))
    assert refused.returncode == 1
    for text in (output, refused.stderr.decode()):
        assert "owne" in text  # of a name the beginning
        assert not {"\x1b", "\x07", "\u202e"} & set(text)


def test_errors_of_many_lines_are_shown_in_linear_time() -> None:
    """Many errors are shown in linear time, although each shows its line number."""
    run = lton(
        "decode", "--errors", "text", "-t", TOOLS, input=b"f\n" * 50_000 + b"weather.v1 Oslo x C\n"
    )
    last = run.stdout.decode().splitlines()[-3:]
    assert "(line 50001, column 17, at /days)" in last[0]
    assert last[1:] == ["weather.v1 Oslo x C", " " * 16 + "^"]
