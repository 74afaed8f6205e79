"""Test that hostile texts end in a result, or in an error that fits a screen."""

import sys
from inspect import stack

import pytest

from lton import Call, DecodeError, decode, encode
from tests.cases import F_ANY, F_STR, FREE_ARGS, outcome, sizes
from tests.hostile import HOSTILE

pytestmark = pytest.mark.untraced


@pytest.mark.parametrize("part", sizes(10, 1))
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_or_refused(name: str, part: int) -> None:
    """Were one of them not read in linear time, this would not end (`faulthandler_timeout`)."""
    hostile = HOSTILE[name]
    result = outcome(hostile.make(hostile.size // part), hostile.tools)
    assert getattr(result, "code", None) == hostile.code
    if isinstance(result, DecodeError):
        assert len(str(result)) - len(result.path) < 1000
        assert len(result.picture()) < 200


@pytest.mark.parametrize("form", ["wire", "keyed", "tagged"])
def test_a_string_of_ten_million_characters_comes_back(form: str) -> None:
    """Every way to write a string holds as many characters as memory does."""
    options = {"form": form}
    for text in ("x" * 10**7, "x y" * 10**6, "\n" * 10**7, "'\"\n```\n" * 10**6):
        call = Call("f", {"x": text})
        assert decode(encode(call, F_STR, **options), F_STR) == [call]  # type: ignore[arg-type]


@pytest.mark.parametrize("size", sizes(10**4, 10**5))
@pytest.mark.parametrize("form", ["wire", "tagged"])
def test_many_arguments_come_back(form: str, size: int) -> None:
    """Keys that nobody declared are read in linear time, and written so."""
    call = Call("m", {f"k{i}": i for i in range(size)})
    options = {"form": form}
    assert decode(encode(call, FREE_ARGS, **options), FREE_ARGS) == [call]  # type: ignore[arg-type]


def test_nests_take_no_stack() -> None:
    """Groups in groups are read in one loop, as deep as they may be."""
    arrays, maps = f"f {'[' * 62}1{']' * 62}", f"f {'{a ' * 62}1{'}' * 62}"
    decode(maps, F_ANY)  # what is made when it is first needed
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(stack()) + 50)
    try:
        calls = decode(arrays, F_ANY) + decode(maps, F_ANY)
    finally:
        sys.setrecursionlimit(limit)
    assert len(calls) == 2
