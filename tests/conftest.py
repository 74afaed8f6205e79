"""How many examples Hypothesis tries, and the real model, loaded once for all who need it.

Few examples at the desk, the same ones in CI, many at night.
"""

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile("dev", deadline=None, suppress_health_check=_SLOW)
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, print_blob=True)
settings.register_profile("nightly", settings.get_profile("dev"), max_examples=10_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "dev"))


@pytest.fixture(scope="session")
def llm() -> Any:
    """SmolLM2-135M-Instruct in llama.cpp."""
    from lton.demo import load_model

    return load_model()
