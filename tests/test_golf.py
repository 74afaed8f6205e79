"""Test that the code of the package says one thing a line.

Four habits make code short and hard to read: truth used as a number, one statement that assigns
unrelated values, a conditional expression inside another, and a name that is assigned deep inside
a condition. No rule of ruff finds them, so these tests do.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import lton

HOME = Path(lton.__file__).parent
TRUTHS = frozenset(["all", "any", "bool", "callable", "hasattr", "isinstance", "issubclass"])
"""Functions of Python that return a truth."""
TRUE_METHODS = frozenset(
    "endswith isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isspace"
    " issubset issuperset istitle isupper startswith".split()
)
"""Methods of strings and sets that return a truth."""


def _is_truth(node: ast.expr | None) -> bool:
    """Return whether an expression is a truth, by its form or by its name."""
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=values):
            return any(map(_is_truth, values))
        case ast.Call(func=ast.Name(id=name)):
            return name in TRUTHS or name.lstrip("_").startswith(("is_", "has_"))
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in TRUE_METHODS or name.lstrip("_").startswith(("is_", "has_"))
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.lstrip("_").startswith(("is_", "has_"))
    return False


def _has_truth_as_number(node: ast.AST) -> bool:
    """Return whether a truth is added, multiplied or used as an index."""
    match node:
        case ast.BinOp(left=left, right=right, op=op) if not isinstance(
            op, ast.BitAnd | ast.BitOr | ast.BitXor | ast.Mod
        ):
            return _is_truth(left) or _is_truth(right)
        case ast.AugAssign(op=ast.Add() | ast.Sub() | ast.Mult(), value=value):
            return _is_truth(value)
        case ast.Slice(lower=lower, upper=upper, step=step):
            return any(map(_is_truth, (lower, upper, step)))
        case ast.Subscript(value=ast.Tuple() | ast.List(), slice=index):
            return _is_truth(index)
        case ast.Call(func=ast.Name(id="int"), args=[value]):
            return _is_truth(value)
    return False


def _read(node: ast.expr) -> set[str]:
    parts = ast.walk(node)
    return {ast.unparse(part) for part in parts if isinstance(part, ast.Name | ast.Attribute)}


def _assigns_unrelated_values(node: ast.AST) -> bool:
    """Return whether a statement assigns several values.

    Two values may be assigned together if one of them is read from the place of the other, as in
    `held, self.held = self.held, []`: these belong together.
    """
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            if any(isinstance(value, ast.Starred) for value in values):
                return False
        case _:
            return False
    if len(targets) != 2:
        return True
    first, second = map(ast.unparse, targets)
    return second not in _read(values[0]) and first not in _read(values[1])


def _is_nested_conditional(node: ast.IfExp) -> bool:
    parts = (part for child in (node.test, node.body, node.orelse) for part in ast.walk(child))
    return any(isinstance(part, ast.IfExp) for part in parts)


def _visible_operands(test: ast.expr | None) -> Iterator[ast.expr]:
    """Yield the parts of a condition at which a reader sees an assignment."""
    match test:
        case None:
            return
        case ast.BoolOp(values=values):
            for value in values:
                yield from _visible_operands(value)
        case ast.Compare(left=left, comparators=[right]):
            yield from (left, right)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case _:
            yield test


def _hidden_assignments(nodes: Sequence[ast.AST]) -> Iterator[ast.NamedExpr]:
    """Yield each named expression that is not an operand of a condition."""
    visible = set[ast.expr]()
    for node in nodes:
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.match_case(guard=test):
                visible.update(_visible_operands(test))
            case ast.comprehension(ifs=tests):
                visible.update(part for test in tests for part in _visible_operands(test))
    for node in nodes:
        if isinstance(node, ast.NamedExpr) and node not in visible:
            yield node


KINDS: list[tuple[str, tuple[type[ast.AST], ...], Callable[[Any], bool]]] = [
    (
        "truth used as a number",
        (ast.BinOp, ast.AugAssign, ast.Slice, ast.Subscript, ast.Call),
        _has_truth_as_number,
    ),
    ("unrelated values in one assignment", (ast.Assign,), _assigns_unrelated_values),
    ("a conditional expression in another", (ast.IfExp,), _is_nested_conditional),
]


def golf_in(source: str) -> list[tuple[int, str]]:
    """Return the line and the kind of each piece of golf in a program."""
    nodes = [*ast.walk(ast.parse(source))]
    holes = [
        (getattr(node, "lineno", 0), kind)
        for kind, types, is_golf in KINDS
        for node in nodes
        if isinstance(node, types) and is_golf(node)
    ]
    hidden = "an assignment inside an expression"
    holes += [(node.lineno, hidden) for node in _hidden_assignments(nodes)]
    return sorted(holes)


@pytest.mark.parametrize(
    "line",
    [
        "yield_ = (delta,) * (name not in own)",
        "number += not results",
        "end = close - (not keeps and text.endswith('.'))",
        "words = ['content'] * bool(parts)",
        "text = 's' * has_more",
        "rest = words[words[:1] == ['--'] :]",
        "word = ('no', 'yes')[found is None]",
        "tries = int(is_local(server))",
        "a, b = f(), g()",
        "a, b, self.c = self.c, b, a",
        "a = 1 if x else 2 if y else 3",
        "a = f(1 if x else 2) if y else 3",
        "if isinstance(name := f(), str): pass",
        "f(name := g())",
        "a = b if (b := f()) else c",
        "while (over := (size := f()) - most) > 0: pass",
    ],
)
def test_golf_is_found(line: str) -> None:
    """Each kind of golf is found in a line that has it."""
    assert golf_in(line)


@pytest.mark.parametrize(
    "line",
    [
        "a, b = b, a",
        "held, self.held = self.held, []",
        "start, end = match.span()",
        "first, *others = words",
        "a = [(1 if x else 2) for x in y]",
        "count = sum(x is None for x in y)",
        "if found := f(): pass",
        "if (found := f()) is not None and more: pass",
        "while not (found := f()): pass",
        "words = [found for x in y if (found := f(x))]",
        "indent = ' ' * depth",
        "flags = is_open | has_more",
    ],
)
def test_plain_code_is_not_golf(line: str) -> None:
    """Plain code is not reported."""
    assert golf_in(line) == []


def test_the_package_has_no_golf() -> None:
    """No file of the package has golf."""
    places = {
        path.relative_to(HOME).as_posix(): holes
        for path in sorted(HOME.rglob("*.py"))
        if (holes := golf_in(path.read_text("utf-8")))
    }
    assert places == {}
