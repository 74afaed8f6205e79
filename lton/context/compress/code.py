"""Split code into statements, nested by their indentation."""

import ast
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, TypeAlias

from lton._patterns import compiled_when_used
from lton.context.compress.units import LONGEST, UnitList, UnitRole, iterate_line_spans

_DEPTH = 50  # The maximum nesting of lines by indentation
_BREAK = compiled_when_used(r"\r\n|[\n\r]")
_DEFINES = compiled_when_used(
    r"[ \t]*(?:@|(?:(?:export|default|public|private|protected|internal|static|final|abstract|async"
    r"|virtual|override|inline|const|pub(?:\(\w+\))?|unsafe|extern) +)*"
    r"(?:def|class|fn|func|function|interface|struct|enum|trait|impl|type|module|namespace|package"
    r")\b)"
)
_Spans: TypeAlias = Iterable[tuple[int, int]]
NUMBER = compiled_when_used(r"\s*\d+(?:[\t:|→]|$)")  # A line number at the start of a line
_GOES_ON = compiled_when_used(
    r"[ \t]*+[)\]}]*+[ \t]*+(?:el(?:se|if)|except|finally|catch)\b|[ \t]*+[)\]}]"
)


def add_code(units: UnitList, *, is_python: bool) -> None:
    """Add the statements of Python code, or the lines of other code."""
    spans: _Spans = iterate_line_spans(units.text)
    if is_python:
        statements = _find_statement_spans(units.text) or ()
        spans = _iterate_joined_statements(
            spans, (span for span in statements if span[1] - span[0] <= 2 * LONGEST)
        )
    add_indented(units, spans)


def is_python(text: str) -> bool:
    """Return whether text is valid Python."""
    return _find_statement_spans(text) is not None


def add_indented(units: UnitList, spans: _Spans, parent: int | None = None) -> None:
    """Add lines, each nested under the previous line with less indentation."""
    over: list[tuple[int, int, str]] = []
    outside = units.called
    for start, end in spans:
        line = units.text[start:end]
        if number := NUMBER.match(line):
            line = line[number.end() :]
        indent = len(line[: len(line) - len(line.lstrip())].expandtabs(4))
        before: int | None = None
        while over and over[-1][0] >= indent:
            width, index, _ = over.pop()
            before = index if width == indent else None
        _, above, units.called = over[-1] if over else (0, parent, outside)
        role: UnitRole = "signature" if _DEFINES.match(line) else "text"
        if before is not None and _GOES_ON.match(
            line
        ):  # a continuation has the parent of its first line
            units.add_unit(start, end, parent=before)
            over.append((indent, before, units.called))
            continue
        index = units.add_unit(start, end, parent=above, role=role)
        if len(over) < _DEPTH:
            signature = f" {line.strip()}" if role == "signature" else ""
            over.append((indent, index, units.called + signature))
    units.called = outside


@lru_cache(maxsize=2)  # `guess` and `add_code` parse the same document
def _find_statement_spans(text: str) -> list[tuple[int, int]] | None:
    """Return the spans of multi-line statements, or None if the code is not valid Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    starts = [0, *(line_break.end() for line_break in _BREAK.finditer(text)), len(text) + 1]
    spans = []
    nodes: list[Any] = [*tree.body]
    while nodes:
        node = nodes.pop()
        nodes += chain.from_iterable(getattr(node, name, ()) for name in _INSIDE)
        if not isinstance(node, ast.stmt):
            continue
        within = getattr(node, "body", ()) or [case.pattern for case in getattr(node, "cases", ())]
        first = _first_line(node)
        last = node.end_lineno or node.lineno
        if within:
            last = _first_line(within[0]) - 1
        if last > first:
            spans.append((starts[first - 1], starts[last] - 1))
    return sorted(spans)


_INSIDE = ("body", "orelse", "finalbody", "handlers", "cases")
"""The attributes of nodes that contain statements, or nodes with statements."""


def _first_line(node: ast.stmt | ast.pattern) -> int:
    above: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in above)])


def _iterate_joined_statements(spans: _Spans, statements: _Spans) -> Iterator[tuple[int, int]]:
    remaining = iter(statements)
    start = stop = end = -1
    for first, last in spans:
        if first < stop:
            end = last
            continue
        if end >= 0:
            yield start, end
        start = first
        end = last
        while stop <= first and (statement := next(remaining, None)):
            stop = statement[1] if statement[0] <= first else stop
            if statement[0] > first:
                remaining = chain([statement], remaining)
                break
    if end >= 0:
        yield start, end
