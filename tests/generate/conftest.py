"""The real model, loaded once, for the tests that need it."""

from typing import Any

import pytest


@pytest.fixture(scope="session")
def llm() -> Any:
    """SmolLM2-135M-Instruct in llama.cpp."""
    from lton.demo import load_model

    return load_model()
