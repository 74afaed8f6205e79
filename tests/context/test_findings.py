"""Test that messages stay with the lines that explain them, and that errors make output."""

import pytest

from lton.context.compress import compress
from lton.context.compress.findings import find_messages_of_lines
from lton.context.compress.kinds import guess_kind
from lton.context.compress.outputs import reports_failure
from lton.context.compress.telling import is_diagnostic_line
from lton.tokens import counter
from tests.cases import loop_over

BYTES = counter("bytes")
FINDINGS: dict[str, list[tuple[str, int | None]]] = {
    "source and pointer without indentation": [
        ("[WARNING] /a/B.java:46: warning: no @return", None),
        ("[WARNING] public int size() {", 0),
        ("[WARNING] ^", 0),
        ("[WARNING] /a/B.java:50: warning: no @param for name", None),
        ("[WARNING] public int named(String name) {", 3),
        ("[WARNING]            ^", 3),
        ("[INFO] Done.", None),
    ],
    "numbered lines": [
        ("error[E0308]: mismatched types", None),
        (" --> src/main.rs:4:9", 0),
        ("  |", 0),
        ("4 | let x: i32 = name;", 0),
        ("  |              ^^^^ expected `i32`", 0),
        ("  = note: see the manual", 0),
        ("help: convert it", 0),
        ("Compiling shop", None),
    ],
    "a pointer with a remark that repeats the error": [
        ("a.c:3:1: error: no such name", None),
        ("x = y;", 0),
        ("    ^~~ error: undeclared", 0),
    ],
    "a pointer that is too far away": [
        ("a.c:3:1: error: no such name", None),
        *[("text", None)] * 3,
        ("    ^", None),
    ],
    "numbered lines that go on for long": [
        ("error: no such name", None),
        *[(f"{number} | x", 0) for number in range(30)],
    ],
    "numbered lines far from any message": [
        ("error: no such name", None),
        *[("text", None)] * 9,
        ("3 | x", None),
    ],
    "patterns, powers and tables": [("error: no", None), ("^abc matches", None), ("~/x", None)],
    "a pointer without a message": [("text", None), ("^^^", None)],
}


@loop_over(FINDINGS.items())
def test_lines_that_explain_a_message(case: tuple[str, list[tuple[str, int | None]]]) -> None:
    """Quoted source, pointers and places belong to the message before them, if it is near."""
    _, lines = case
    messages = find_messages_of_lines([line for line, _ in lines], is_diagnostic_line)
    assert messages == [message for _, message in lines]


def test_a_source_is_never_shown_without_its_message() -> None:
    """In each budget, a source or a pointer is shown below the message that it explains."""
    names = [f"name_of_the_part_with_the_number_{number}" for number in range(12)]
    text = "\n".join(
        f"[WARNING] /src/main/java/org/example/parts/Part.java:{number}: warning: no @return"
        f" for {name}\n[WARNING] int {name}() {{\n[WARNING] ^"
        for number, name in enumerate(names)
    )
    for budget in range(100, 1700, 200):
        excerpt = compress(text, budget=budget, counter=BYTES, query="What is wrong?").text
        sources = [name for name in names if f"int {name}()" in excerpt]
        assert all(f"no @return for {name}" in excerpt for name in sources)
    assert sources


STATUS = "\n".join(
    f"--BPS-0730: Status: Running pass {number} on module top_{number}." for number in range(60)
)
FAILURES = {
    "a code first": "E-BPS-0752: ERROR: Termination due to non-recoverable errors",
    "a place first": r"c:\work\Program.cs(12): warning : CA1801 : Parameter is never used",
    "a file, a line and a column": "[1] api/openapi.yaml:7:5 at #/paths",
    "a class of errors": "AssertionError: expected 13 to be 12",
    "a failed test": " FAIL  test/cart.test.js > total",
    "a place in a file above": "  12:5  error  no such member",
    "a time first": "2026-01-31 10:00:00,123 FATAL: the disk is full",
}


@loop_over(FAILURES.items())
def test_a_line_that_reports_a_failure_makes_output(case: tuple[str, str]) -> None:
    """A text that looks like a chat is output if one line reports a failure, and the line stays."""
    _, line = case
    text = f"{STATUS}\n{line}\n{STATUS.replace('pass', 'report')}"
    assert guess_kind(STATUS) == "chat"
    assert guess_kind(text) == "output"
    excerpt = compress(text, budget=len(text) // 5, counter=BYTES, query="Why did it stop?").text
    assert line.strip() in excerpt


@pytest.mark.parametrize(
    "line",
    [
        "The ERROR: message was seen by Ann.",
        "Error: a word at the start of a sentence.",
        "Ann: see notes.txt:3:4 for this.",
        "At 10:30:12 we met.",
        "TypeError is raised by the function.",
    ],
)
def test_prose_about_errors_is_not_output(line: str) -> None:
    """A sentence about an error does not report a failure, and a quotation in a fence neither."""
    assert not reports_failure([line])
    assert not reports_failure(["```", "ERROR: no", "```"])
    assert reports_failure(["ERROR: no"])


def test_the_records_of_a_kernel_are_a_log() -> None:
    """Seconds in brackets begin a record, and do not hide the message."""
    lines = [f"[{number:5}.{number:06}] usb 1-{number}: new device" for number in range(20)]
    lines[7] = "[   12.345678] Out of memory: Killed process 4711 (java)"
    assert guess_kind("\n".join(lines)) == "log"
    text = "\n".join(lines)
    assert "Killed process 4711" in compress(text, budget=len(text) // 5, counter=BYTES).text
