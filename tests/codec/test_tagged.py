"""The tagged form as the only one that needs no tools."""

import pytest

from lton import Call, DecodeError, decode, encode
from lton.errors import Code
from tests.cases import GOOD, Good, exact, outcome, params


@pytest.mark.parametrize("case", params(GOOD))
def test_tagged_without_tools_is_read_without_and_with_them(case: Good) -> None:
    """What is written without tools is read without and with them, as the same calls (R-50)."""
    text = encode(case.calls, form="tagged")
    assert exact(decode(text)) == exact(decode(text, case.tools)) == exact(case.calls)


@pytest.mark.parametrize("case", params(GOOD))
def test_tagged_positions_need_tools(case: Good) -> None:
    """A row of arguments by position is refused without tools, anything else is read (R-50)."""
    result = outcome(case.tagged, None)
    if isinstance(result, DecodeError):
        assert result.code == Code.SCHEMALESS
        assert case.tagged[result.pos - 2 : result.pos] == "\n("
    else:
        assert exact(result) == exact(case.calls)


@pytest.mark.parametrize(
    ("key", "group"),
    [
        ("n", '("n" n)'),
        ("_", '("_" n)'),
        ("s3", "(s3 n)"),
        ("s3:x", '("s3:x" n)'),
        ("[", '("[" n)'),
        ("", '("" n)'),
        ("nn", "(nn n)"),
        ("a\n'\"", "(```\na\n'\"\n``` n)"),
    ],
)
def test_keys_do_not_look_like_values(key: str, group: str) -> None:
    """A key that would be read as a value is quoted (R-53)."""
    call = Call("f", {key: None})
    assert encode(call, form="tagged") == f"!call f\n{group}"
    assert decode(encode(call, form="tagged")) == [call]
