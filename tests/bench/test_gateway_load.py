"""The load on a gateway: what is said of the processes that take part."""

import os
import time

from lton_bench.gateway_load import processor_s, resident

TICKS_S = 0.05
"""The kernel counts in hundredths of a second."""


def test_the_processor_time_of_a_process_is_counted() -> None:
    """It is what the process itself knows, or more where it has children."""
    while (known := time.process_time()) < 2 * TICKS_S:
        pass
    assert processor_s(os.getpid()) >= known - TICKS_S


def test_the_memory_of_a_process_is_counted() -> None:
    """In megabytes: an interpreter has more than five."""
    assert resident(os.getpid()) > 5
