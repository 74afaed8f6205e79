"""How many examples Hypothesis tries, and the real model, loaded once for all who need it.

`make test` tries few examples, and the same ones every time: it fails only by a change of the code.
`make test-deep` and `nightly` draw new ones.
"""

import os
import sys
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile("deep", deadline=None, suppress_health_check=_SLOW)
settings.register_profile("daily", settings.get_profile("deep"), max_examples=15, derandomize=True)
settings.register_profile("nightly", settings.get_profile("deep"), max_examples=10_000)
if "MUTANT_UNDER_TEST" in os.environ:  # mutmut's wrappers: two frames more for each call
    sys.setrecursionlimit(10_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "daily"))


@pytest.fixture(scope="session")
def llm() -> Any:
    """SmolLM2-135M-Instruct in llama.cpp."""
    from lton_bench.demo import load_model

    return load_model()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Trace no made-up examples, whose coverage depends on what is drawn, and nothing large.

    pytest-cov's own mark for this, `no_cover`, stops nothing in the processes of pytest-xdist.
    """
    tracer = sys.gettrace()
    if any(item.iter_markers("hypothesis")) or any(item.iter_markers("untraced")):
        sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)
