"""Read JSON with comments, and replace single values in its text.

Programs that edit a user's configuration file must keep comments, spaces and the order of members.
So only the replaced values of the text change.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lton._json import read_json

_DECODER = json.JSONDecoder()
_STRING = r'"(?:[^"\\\n]|\\.)*"'


def read_jsonc(text: str) -> Any:
    """Parse JSON that may have comments, trailing commas and a byte order mark.

    Raises `ValueError`.

    >>> read_jsonc('{"a": [1, 2,] /* two numbers */}')
    {'a': [1, 2]}
    """
    return read_json(_blank_comments(text))


def replace_values(text: str, path: Sequence[str], values: Mapping[str, Any]) -> str:
    """Replace or add members of the object at a path, and keep the rest of the text.

    The path and the text must be valid.

    >>> replace_values('{"a": {"b": 1 /* one */}}', ["a"], {"b": [2], "c": 3})
    '{"a": {"b": [2], "c": 3 /* one */}}'
    """
    for name, value in values.items():
        plain = _blank_comments(text)
        start = _find_object(plain, path)
        members = {key: span for key, *span in _iterate_members(plain, start)}
        replacement = json.dumps(value, ensure_ascii=False)
        replacement = re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", replacement)
        if name in members:
            begin, end = members[name]
        else:
            begin = end = max(end for _, end in members.values())
            replacement = f", {json.dumps(name)}: {replacement}"
        text = text[:begin] + replacement + text[end:]
    return text


def _blank_comments(text: str) -> str:
    """Replace comments, trailing commas and a byte order mark with spaces.

    All positions stay the same.
    """
    pattern = rf"{_STRING}|//[^\n]*|/\*(?s:.*?)\*/|\A\ufeff"
    without = re.sub(pattern, _blank_unless_string, text)
    return re.sub(rf"{_STRING}|,(?=\s*[\]}}])", _blank_unless_string, without)


def _blank_unless_string(match: re.Match[str]) -> str:
    if match[0].startswith('"'):
        return match[0]
    return re.sub(r"[^\n]", " ", match[0])


def _find_object(plain: str, path: Sequence[str]) -> int:
    """Return the position of the object at a path."""
    start = _skip_spaces(plain, 0)
    for name in path:
        start = next(begin for key, begin, _ in _iterate_members(plain, start) if key == name)
    return start


def _iterate_members(plain: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Yield each name of the object at `start`, with the start and the end of its value."""
    pos = _skip_spaces(plain, start + 1)
    while plain[pos] == '"':
        name, colon = _DECODER.raw_decode(plain, pos)
        begin = _skip_spaces(plain, _skip_spaces(plain, colon) + 1)
        _, end = _DECODER.raw_decode(plain, begin)
        yield name, begin, end
        pos = _skip_spaces(plain, end)
        if plain[pos] == ",":
            pos = _skip_spaces(plain, pos + 1)


def _skip_spaces(plain: str, pos: int) -> int:
    while plain[pos] in " \t\r\n":
        pos += 1
    return pos
