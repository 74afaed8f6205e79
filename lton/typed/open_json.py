"""Read the members of a JSON object that is not complete yet."""

import json
import re
from typing import Any

from lton._patterns import compiled_when_used

_CLOSERS = {"{": "}", "[": "]"}
_MARKS = compiled_when_used(r'"(?:[^"\\]|\\.)*+(?P<end>"?)|[{}\[\],]', re.DOTALL)
"""A string, which may have no end, or a mark between values."""
_ESCAPES = compiled_when_used(r"\\(?:u[0-9a-fA-F]{4}|(?P<cut>u[0-9a-fA-F]{0,3}$|$)|.)", re.DOTALL)
"""An escape in a string. The last one may be incomplete."""
_ENDS = ("{", "[", "}", "]", '"')
"""The last characters of a value that cannot go on."""


def read_open_object(text: str) -> dict[str, Any]:
    r"""Return the members of a JSON object of which only the beginning has arrived.

    A string may be incomplete. A number, a word or a key that may go on is left out.

    >>> read_open_object('{"city": "Os'), read_open_object('{"city": "Oslo", "days": 1')
    ({'city': 'Os'}, {'city': 'Oslo'})
    >>> read_open_object('{"at": [{"name": "A\\')
    {'at': [{'name': 'A'}]}
    """
    for candidate in _complete(text):
        try:
            value = json.loads(candidate)
        except ValueError:
            continue
        return value if isinstance(value, dict) else {}
    return {}


def _complete(text: str) -> list[str]:
    """Return the text with the missing closers, first with and then without its last part."""
    openers: list[str] = []
    last_start = 0  # where the last member or item begins
    last_openers: list[str] = []
    open_string = -1
    for match in _MARKS.finditer(text):
        mark = match[0]
        if mark in _CLOSERS:
            openers.append(mark)
            last_start = match.end()
            last_openers = [*openers]
        elif mark == ",":
            last_start = match.start()
            last_openers = [*openers]
        elif mark in "}]":
            openers = openers[:-1]
        elif not match["end"]:
            open_string = match.start()
    without_last = _close(text[:last_start], last_openers)
    if open_string >= 0:
        return [_close(f'{_without_escape(text, open_string)}"', openers), without_last]
    if text.rstrip()[-1:] in _ENDS:
        return [_close(text, openers), without_last]
    return [without_last]


def _close(text: str, openers: list[str]) -> str:
    return text + "".join(_CLOSERS[opener] for opener in reversed(openers))


def _without_escape(text: str, start: int) -> str:
    """Return a text that ends inside a string, without an escape that is not complete."""
    escapes = [*_ESCAPES.finditer(text, start)]
    is_cut = bool(escapes) and escapes[-1].end() == len(text) and escapes[-1]["cut"] is not None
    return text[: escapes[-1].start()] if is_cut else text
