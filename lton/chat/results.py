"""What a tool gave back, as a model is shown it: the one place that decides its form.

The form depends on the text of the result alone. So the same bytes stand in every later request,
and a cache of the prompt holds.
"""

import json
from decimal import Decimal, InvalidOperation
from typing import Any

from lton._json import read_json
from lton.codec import encode
from lton.errors import LTONError
from lton.schema.types import Result

__all__ = ["short_result"]

MAX_RESULT = 1024 * 1024
"""Characters of a result that is looked at."""
_HEAD = "!result x "


def short_result(text: str) -> str:
    """Get the text of a result in LTON if it is JSON that LTON says in fewer characters.

    Else it is as it came: a text that is no array and no object, is larger than 1 MiB, or has what
    LTON would change (a number of too many digits, a key twice).

    >>> short_result('[{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bo"}]')
    '[(id name)1 Ada;2 Bo]'
    >>> short_result("It is cold."), short_result('{"x": 1.0000000000000000001}')
    ('It is cold.', '{"x": 1.0000000000000000001}')
    """
    if not text.lstrip().startswith(("{", "[")) or len(text) > MAX_RESULT:
        return text
    try:
        short = encode(Result("x", exact_json(text))).removeprefix(_HEAD)
    except (LTONError, ValueError, RecursionError):
        return text
    return min(text, short, key=len)


def exact_json(text: str) -> Any:
    """Get the value of JSON of which no number loses a digit; else `ValueError`."""
    value = read_json(text)
    try:
        json.loads(text, parse_float=_exact)
    except InvalidOperation:  # an exponent of more than 18 digits
        raise ValueError("an exponent that no number has") from None
    return value


def _exact(digits: str) -> float:
    value = float(digits)
    if Decimal(repr(value)) != Decimal(digits):
        raise ValueError("more digits than a number has")
    return value
