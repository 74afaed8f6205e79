"""Alter the names of special tokens in text, so that servers read them as plain text."""

import re

_SPECIAL = re.compile(
    r"<(?=[|\uff5c][^\s<>]{1,60}>|/?\w[^\s<>]{0,60}>)|\[(?=/?[a-z]?[A-Z_]{2,40}\])"
)  # the start of a special token's name: `<|…|>`, a tag, or capitals in brackets


def without_special_names(text: str) -> str:
    """Insert a space after the first character of each special token's name."""
    return _SPECIAL.sub(r"\g<0> ", text)
