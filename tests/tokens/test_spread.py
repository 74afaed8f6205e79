"""Tokens of a changed text are shown as pieces of the text that was given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton.tokens.spread import spread


@given(st.lists(st.binary(), min_size=1), st.text())
def test_pieces_joined_are_the_text(tokens: list[bytes], text: str) -> None:
    """Whatever the tokens are, there are as many pieces, and together they are the text."""
    pieces = spread(tokens, text)
    assert len(pieces) == len(tokens)
    assert b"".join(pieces) == text.encode()


@pytest.mark.parametrize(
    ("tokens", "text", "pieces"),
    [
        ([], "dropped", []),
        ([b"a", b"b"], "ab", [b"a", b"b"]),
        ([b"a", b"c"], "abc", [b"ab", b"c"]),  # what was dropped goes to a neighbour
        ([b"c"], "bc", [b"bc"]),
        ([b"a", b"fi", b"z"], "a\ufb01z", [b"a", "\ufb01".encode(), b"z"]),
        ([b"", b"x"], "yy", [b"", b"yy"]),
        ([b"a", b""], "b", [b"b", b""]),
    ],
)
def test_pieces(tokens: list[bytes], text: str, pieces: list[bytes]) -> None:
    """Only what changed is cut in proportion."""
    assert spread(tokens, text) == pieces
