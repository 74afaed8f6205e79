"""Make control characters in the texts of a server visible."""

import re

_CONTROL = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)  # control characters except line ends, marks of direction, and tags (invisible text)


def replace_controls(text: str) -> str:
    """Replace control characters, except line ends, with U+FFFD."""
    return _CONTROL.sub("\ufffd", text)
