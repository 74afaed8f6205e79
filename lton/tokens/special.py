"""The names of special tokens in texts, where they must not be read as special tokens."""

import re

_SPECIAL = re.compile(
    r"<(?=[|\uff5c][^\s<>]{1,60}>|/?\w[^\s<>]{0,60}>)|\[(?=/?[a-z]?[A-Z_]{2,40}\])"
)  # where the name of a special token may begin: `<|…|>`, a tag, capitals in brackets


def plain(text: str) -> str:
    """Return a text of similar length in which nothing can be read as a special token.

    >>> plain("a<|im_start|>b [INST] 1<2")
    'a< |im_start|>b [ INST] 1<2'
    """
    return _SPECIAL.sub(r"\g<0> ", text)
