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
    """Hostile texts are read or refused in linear time; otherwise `faulthandler_timeout` ends the
    test.
    """
    hostile = HOSTILE[name]
    result = outcome(hostile.make(hostile.size // part), hostile.tools)
    assert getattr(result, "code", None) == hostile.code
    if isinstance(result, DecodeError):
        assert len(str(result)) - len(result.path) < 1000
        assert len(result.picture()) < 200


@pytest.mark.parametrize("form", ["wire", "keyed", "tagged"])
def test_a_string_of_ten_million_characters_comes_back(form: str) -> None:
    """A string of ten million characters is written and read back in every way."""
    options = {"form": form}
    for text in ("x" * 10**7, "x y" * 10**6, "\n" * 10**7, "'\"\n```\n" * 10**6):
        call = Call("f", {"x": text})
        assert decode(encode(call, F_STR, **options), F_STR) == [call]  # type: ignore[call-overload]


@pytest.mark.parametrize("size", sizes(10**4, 10**5))
@pytest.mark.parametrize("form", ["wire", "tagged"])
def test_many_arguments_come_back(form: str, size: int) -> None:
    """Undeclared keys are written and read in linear time."""
    call = Call("m", {f"k{i}": i for i in range(size)})
    options = {"form": form}
    assert decode(encode(call, FREE_ARGS, **options), FREE_ARGS) == [call]  # type: ignore[call-overload]


def test_nests_take_no_stack() -> None:
    """Nested groups are read in a loop, without using the stack."""
    arrays, maps = f"f {'[' * 62}1{']' * 62}", f"f {'{a ' * 62}1{'}' * 62}"
    decode(maps, F_ANY)  # what is made when it is first needed
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(stack()) + 50)
    try:
        calls = decode(arrays, F_ANY) + decode(maps, F_ANY)
    finally:
        sys.setrecursionlimit(limit)
    assert len(calls) == 2
