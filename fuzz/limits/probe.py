"""A probe: a function that makes items, and a function that reads them."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from lton import LTONError
from lton.apis.refusals import RefusedError
from tests.steps import steps


@dataclass(frozen=True, slots=True)
class Probe:
    """A function that makes items, a function that reads them, and the initial number of items."""

    make: Callable[[int], Any]
    read: Callable[[Any], object]
    size: int = 250


class ProbeError(Exception):
    """An error with the code of the answer."""


def count_growth(probe: Probe) -> float:
    """Return the ratio of steps for twice the size."""
    find_outcome(probe, max(2, probe.size - 1))  # what is made once
    small, large = (probe.make(probe.size << i) for i in range(2))
    return steps(partial(run_quietly, probe, large)) / steps(partial(run_quietly, probe, small))


def find_outcome(probe: Probe, count: int) -> str:
    """Return the code or status of the error for the given number of items, or an empty string."""
    try:
        probe.read(probe.make(count))
    except RefusedError as refusal:
        return str(refusal.status)
    except LTONError as error:
        return str(getattr(error, "code", ""))
    except ProbeError as error:
        return str(error)
    return ""


def run_quietly(probe: Probe, made: Any) -> None:
    """Read items; an error that the table of limits names is as good as a value."""
    with suppress(LTONError, RefusedError, ProbeError):
        probe.read(made)
