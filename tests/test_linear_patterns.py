"""Test that no pattern of the library backtracks without a limit, by counting steps.

The test finds the patterns itself, so new patterns are tested too.
"""

import ast
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from lton._patterns import _Uncompiled
from tests.cases import sizes
from tests.matcher import ENDS, Counter, ExhaustedError, exhausting

pytestmark = pytest.mark.untraced

PACKAGES = ("lton.lenient", "lton.gateway.native", "lton.schema", "lton.context")
GROWTH = 6
"""Times as many steps that a text may take that is four times as long: 4 is linear, 16 is not."""
SIZE = 16
CONFIRMED = 60
"""Repetitions of a piece; a pattern that may grow is asked again with more of them."""
MOST = 300_000
ANCHORED = {"match", "fullmatch", "pattern"}
EACH_END = pytest.mark.parametrize(
    "ends",
    [
        pytest.param(ENDS[-1:], id="one end"),
        pytest.param(ENDS, id="all ends", marks=pytest.mark.deep),
    ],
)
"""What follows the pieces: a character that no pattern takes, and in the deep tier all ends."""
INLINE = ("compile", "search", "match", "fullmatch", "finditer", "findall", "sub", "split")


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern, its place, and whether it is used for searching."""

    name: str
    pattern: str
    flags: int
    is_searched: bool


@cache
def find_patterns() -> list[Found]:
    """Return the patterns of the packages, each once."""
    modules = [module for name in PACKAGES for module in _modules(name)]
    by_text: dict[tuple[str, int], Found] = {}
    for module in modules:
        for one in (*_named(module, modules), *_inline(module)):
            same = by_text.setdefault((one.pattern, one.flags), one)
            if one.is_searched and not same.is_searched:
                by_text[one.pattern, one.flags] = one
    return list(by_text.values())


def _modules(name: str) -> list[ModuleType]:
    package = importlib.import_module(name)
    inner = pkgutil.walk_packages(package.__path__, f"{name}.")
    return [package, *(importlib.import_module(info.name) for info in inner)]


def _named(module: ModuleType, modules: list[ModuleType]) -> Iterator[Found]:
    for key, value in vars(module).items():
        where = f"{module.__name__}.{key}"
        for pattern in _patterns(value, 0):
            if isinstance(pattern, _Uncompiled):
                text, flags = pattern.pattern, int(pattern._flags)
            else:
                text, flags = pattern.pattern, pattern.flags
            text = text.decode() if isinstance(text, bytes) else text
            is_searched = _is_searched(value, modules)
            yield Found(where, text, flags & ~int(re.UNICODE), is_searched)


def _patterns(value: Any, depth: int) -> Iterator[Any]:
    """Return the patterns in a value."""
    if isinstance(value, _Uncompiled | re.Pattern):
        yield value
    elif depth < 3:
        if isinstance(value, dict):
            value = [*value.keys(), *value.values()]
        elif isinstance(value, type) and value.__module__.startswith("lton."):
            value = list(vars(value).values())
        if isinstance(value, list | tuple | set | frozenset):
            for member in value:
                yield from _patterns(member, depth + 1)


def _is_searched(pattern: Any, modules: list[ModuleType]) -> bool:
    """Return whether a pattern is used in any other way than to match at a position."""
    return any(
        not uses <= ANCHORED
        for module in modules
        for key, uses in _uses(module).items()
        if vars(module).get(key) is pattern
    )


@cache
def _uses(module: ModuleType) -> dict[str, set[str]]:
    """Return the methods that are used of each name or its items; "" is any other use."""
    uses: dict[str, set[str]] = {}
    assigned = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        match node:
            case (
                ast.Attribute(value=ast.Name() as name, attr=method)
                | ast.Attribute(value=ast.Subscript(value=ast.Name() as name), attr=method)
            ):
                assigned.add(name)
                uses.setdefault(name.id, set()).add(method)
            case ast.Call(func=ast.Attribute(attr=str(called)), args=[ast.Name() as name, *_]) if (
                called.endswith("_match")
            ):  # a method that matches it
                assigned.add(name)
            case ast.Name(ctx=ast.Load()) if node not in assigned:
                uses.setdefault(node.id, set()).add("")
    return uses


def _inline(module: ModuleType) -> Iterator[Found]:
    """Return the patterns that functions write at their place of use."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method),
                args=[ast.Constant(value=str() | bytes() as text), *_],
            ) if method in INLINE:
                text = text.decode() if isinstance(text, bytes) else text
                name = f"{module.__name__}:{node.lineno}"
                yield Found(name, text, 0, method not in ("match", "fullmatch"))


def _steps(counter: Counter, text: str, how: str, most: float) -> int | None:
    counter.steps, counter.most = 0, int(most)
    try:
        getattr(counter, how)(text)
    except ExhaustedError:
        return None
    return counter.steps


def grows(counter: Counter, parts: tuple[str, str, str], how: str, size: int = SIZE) -> bool:
    """Return whether the steps grow faster than the text."""
    before, piece, after = parts
    few = _steps(counter, before + piece * size + after, how, MOST)
    if few is None:
        return True
    many = _steps(counter, before + piece * 4 * size + after, how, GROWTH * few)
    return many is None and (size == CONFIRMED or grows(counter, parts, how, CONFIRMED))


def exhausts(one: Found, ends: Sequence[str]) -> tuple[str, tuple[str, str, str]] | None:
    """Return a text that exhausts a pattern, and how, or None if no tried text does."""
    counter = Counter(one.pattern, one.flags)
    for parts in dict.fromkeys(exhausting(one.pattern, one.flags, ends)):
        for how in ("match", "walk") if one.is_searched else ("match",):
            if grows(counter, parts, how):
                return how, parts
    return None


@pytest.fixture(autouse=True)
def deep(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Allow deep recursion, because a repetition of a loop takes several frames."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(50_000)
    yield
    sys.setrecursionlimit(before)


@EACH_END
@pytest.mark.parametrize("package", PACKAGES)
def test_patterns_take_steps_in_proportion(package: str, ends: Sequence[str]) -> None:
    """If shared characters are repeated four times as often, the steps grow at most sixfold."""
    ours = [pattern for pattern in find_patterns() if pattern.name.startswith(package)]
    slow = {pattern.name: text for pattern in ours if (text := exhausts(pattern, ends))}
    assert slow == {}


def test_all_patterns_are_found() -> None:
    """Every name in the packages that is assigned a pattern is found."""
    names = {pattern.pattern for pattern in find_patterns()}
    for name in PACKAGES:
        for module in _modules(name):
            for node in ast.parse(inspect.getsource(module)).body:
                match node:
                    case ast.Assign(
                        targets=[ast.Name(id=key)], value=ast.Call(func=ast.Name(id=call))
                    ) if call == "compiled_when_used":
                        assert getattr(module, key).pattern in names


@pytest.mark.parametrize(
    ("pattern", "is_searched"),
    [
        (r"^[ \t]*(?:x|[^\n]*?\*/)[ \t]*$", False),
        (r"(?:a+)+b", False),
        (r'"(?:[^"\\]+|\\.)*"', False),
        (r"-{4,}[ \t]*(?:\w+[ \t]*)?[ \t]*$", False),
        (r"\s+\Z", True),
        (r"<[^>]*>", True),
        (r"(\w+):\1*\w*!", False),
        (r"x(?=.*a.*b)", False),
        (r"'(?s:.)*?'\s*\s*!", False),
    ],
)
@EACH_END
def test_a_pattern_that_backtracks_is_seen(
    pattern: str, is_searched: bool, ends: Sequence[str]
) -> None:
    """The texts exhaust patterns that the library once had, and similar ones."""
    assert exhausts(Found("", pattern, int(re.MULTILINE), is_searched), ends) is not None


@pytest.mark.parametrize("step", sizes(35, 7))
@pytest.mark.parametrize("package", PACKAGES)
def test_the_matcher_matches_as_re_does(package: str, step: int) -> None:
    """The matcher gives the same matches as `re`."""
    for one in find_patterns():
        if not one.name.startswith(package):
            continue
        counter = Counter(one.pattern, one.flags, limit=None)
        real = re.compile(one.pattern, one.flags)
        for before, piece, after in list(dict.fromkeys(exhausting(one.pattern, one.flags)))[::step]:
            text = before + piece * 3 + after
            match = real.match(text)
            assert counter.match(text) == (match.end() if match else -1), (one.name, text)
            assert counter.walk(text) == len(list(real.finditer(text))), (one.name, text)
