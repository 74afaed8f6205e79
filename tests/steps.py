"""Count the steps of a computation, which are the same on every machine."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

GROWTH = 2.5
"""How often the steps may be needed again for an input of twice the size."""


def steps(work: Callable[[], object], within: str = "") -> int:
    """Count the functions that some work calls, in Python and in C.

    `within` limits the count to functions in files whose paths begin with it. A C function (a
    search by a regular expression, a copy) counts as one step; `make scale` measures its time.
    """
    count = 0

    def see(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        if event == "call" or (event == "c_call" and not within):
            count += frame.f_code.co_filename.startswith(within)

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def growth(work: Callable[[int], object], size: int) -> float:
    """Return the ratio of steps for twice the size."""
    work(size - 1)  # what is made once
    return steps(lambda: work(2 * size)) / steps(lambda: work(size))
