"""Test that each test can fail."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from tests.cases import loop_over

ROOT = Path(__file__).parents[1]
FOLDERS = ("tests", "benchmarks/tests")
HELPERS = ("assert_", "check", "raises", "warns")
"""How the names of functions begin that assert."""


def can_fail(node: ast.AST) -> bool:
    """Return whether a statement asserts something in every branch and round."""
    match node:
        case ast.Assert() | ast.Raise():
            return True
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            if name.startswith(HELPERS):
                return True
        case ast.For(iter=ast.List(elts=[]) | ast.Tuple(elts=[])):
            return False
        case ast.If(body=body, orelse=orelse):
            return any(map(can_fail, body)) and any(map(can_fail, orelse))
    return any(map(can_fail, ast.iter_child_nodes(node)))


def cannot_fail(source: str) -> list[str]:
    """Return the tests of a module that cannot fail."""
    return [
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not any(map(can_fail, node.body))
    ]


@pytest.mark.untraced
def test_every_test_can_fail() -> None:
    """Each test asserts, expects an error, or calls a helper that does, and not only behind an
    `if`.
    """
    harmless_tests = {
        str(path.relative_to(ROOT)): names
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        if (names := cannot_fail(path.read_text("utf-8")))
    }
    assert harmless_tests == {}


def test_what_cannot_fail_is_found() -> None:
    """A test that only runs code, or asserts only for some cases, is found."""
    harmless = "def test_a():\n    run()\ndef test_b(x):\n    if x:\n        assert x.y\n"
    harmless += "def test_d():\n    for x in ():\n        assert x\n"
    assert cannot_fail(harmless) == ["test_a", "test_b", "test_d"]
    harmful = "def test_c(x):\n    if x:\n        assert x.y\n    else:\n        check(x)\n"
    assert cannot_fail(harmful) == []


class Reported:
    """A stand-in for pytest's fixture of this name, which keeps names and errors."""

    def __init__(self) -> None:
        self.failed: dict[str, str] = {}

    @contextmanager
    def test(self, name: str) -> Iterator[None]:
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            self.failed[name] = type(error).__name__


def test_a_loop_over_cases_reports_each_that_fails() -> None:
    """Each failing case is reported by its name, the others run too, and fixtures are passed on."""
    tried = []

    @loop_over([{"id": "a"}, {"id": "b"}], [1, 2])
    def loop(case: dict[str, str], number: int, *, tmp: str) -> None:
        """What it says."""
        tried.append((case["id"], number, tmp))
        assert number == 1 or case["id"] == "a"
        if number == 1 and case["id"] == "b":
            pytest.fail("so it is")

    reported: Any = Reported()
    loop(subtests=reported, tmp="x")
    assert tried == [("a", 1, "x"), ("a", 2, "x"), ("b", 1, "x"), ("b", 2, "x")]
    assert reported.failed == {"b 1": "Failed", "b 2": "AssertionError"}
    assert [*signature(loop).parameters] == ["subtests", "tmp"]
    assert loop.__doc__ == "What it says."
    with pytest.raises(AssertionError, match="a table without cases"):
        loop_over([])
