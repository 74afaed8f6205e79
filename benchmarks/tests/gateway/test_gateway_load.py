"""Test the figures of processes in the benchmark of the gateway's load."""

import asyncio
import os
import sys
import time

from lton_bench.gateway.clients import load
from lton_bench.gateway.processes import free_port, processor_s, resident, run_server

TICKS_S = 0.05
"""The kernel counts in hundredths of a second."""


def test_the_processor_time_of_a_process_is_counted() -> None:
    """The counted processor time is at least the time that the process reports itself."""
    while (seconds := time.process_time()) < 2 * TICKS_S:
        pass
    assert processor_s(os.getpid()) >= seconds - TICKS_S


def test_the_memory_of_a_process_is_counted() -> None:
    """Memory is counted in megabytes: an interpreter uses more than five."""
    assert resident(os.getpid()) > 5


def test_a_bare_proxy_forwards_a_stream() -> None:
    """The bare proxy forwards each answer of the upstream whole, and to the right client."""
    ports = [free_port() for _ in range(2)]
    urls = [f"http://127.0.0.1:{port}" for port in ports]
    here = [sys.executable, "-m"]
    source = [*here, "lton_bench.gateway.scripted", str(ports[0]), "--pause", "0"]
    proxy = [*here, "lton_bench.gateway.bare_proxy", str(ports[1]), urls[0]]
    with run_server(source, urls[0]), run_server(proxy, urls[1]):
        counts, times = asyncio.run(load(urls[1], 3, 0.5))
    assert counts["right"] == sum(counts.values()) == len(times) >= 3
