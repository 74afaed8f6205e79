"""Detect answers that would never end, because the model repeats itself or counts upwards."""

from itertools import pairwise

COPIES = 4
_REPEATED = 128
_PERIOD = 256
_TAIL = COPIES * _PERIOD
_DIGITS = 20
_COUNTED = 32
"""More than the number of days in a month."""
_NUMBERS = frozenset("0123456789, ")
"""The last characters of endless numbers."""


def ends_with_copies(text: str | bytes, copies: int = COPIES, least: int = _REPEATED) -> bool:
    """Return whether a string ends with several equal parts.

    A model that has written such parts does not stop: at temperature 0 it continues until its
    budget is spent. A part has at most 256 characters.
    """
    tail = text[-copies * _PERIOD :]
    for period in range(1, len(tail) // copies + 1):
        size = max(copies * period, least)
        if size <= len(tail) and tail[-size:-period] == tail[period - size :]:
            return True
    return False


def is_counting(text: str) -> bool:
    """Return whether a string ends with many equal digits, or with numbers that keep counting.

    A meaningless number ends with 20 equal digits, more than a 64-bit integer or a fraction needs.
    32 numbers keep counting if all steps between them are equal (a step may be 0).
    """
    digit = text[-1:]
    if digit.isdigit():
        return text.endswith(digit * _DIGITS)
    try:
        numbers = [*map(float, text.rsplit(",", _COUNTED + 1)[1:-1])]
    except ValueError:
        return False
    steps = {round(after - before, 9) for before, after in pairwise(numbers)}
    return len(numbers) == _COUNTED and len(steps) == 1


def is_endless(text: str, start: int) -> bool:
    """Return whether the text after `start` repeats itself or counts endlessly."""
    tail = text[max(start, len(text) - _TAIL) :]
    return (len(tail) >= _REPEATED and ends_with_copies(tail)) or (
        tail[-1:] in _NUMBERS and is_counting(tail)
    )
