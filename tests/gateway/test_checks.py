"""Test that the gateway's table of checks names existing tests."""

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
TABLE = (HERE / "CHECKS.md").read_text("utf-8")


def test_every_test_that_the_table_names_is_there() -> None:
    named = set(re.findall(r"`(test_\w+)`", TABLE))
    test_names = {
        node.name
        for folder in (HERE, HERE.parent / "chat")
        for path in folder.glob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    assert len(named) > 40
    assert named - test_names == set()


def test_every_check_has_a_test() -> None:
    rows = [line for line in TABLE.split("\n") if line.startswith("| ") and "---" not in line]
    checks = [row for row in rows if row != "| | |"]
    assert len(checks) == 12 + 18
    assert [row for row in checks if "`test_" not in row] == []
