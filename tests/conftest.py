"""Select the daily tests, set the number of Hypothesis's examples, and load the real model.

`make test` tries few examples, always the same, so it fails only because of a change of the code.
`make test-deep` and `nightly` draw new examples. A test with requirements beyond the daily tier is
marked with their name, or is in the folder `tests/extra/NAME`.
"""

import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

EXTRAS = {
    "agents": "coding agents from npm and PyPI (make test-agents)",
    "browser": "Chromium and node (make test-page)",
    "clients": "stock clients and agents (make test-gateway)",
    "editors": "node, a C compiler and tree-sitter (make test-editors)",
    "engines": "engines of models, or the client of OpenAI (make test-engines)",
    "finetune": "PyTorch, transformers and peft (make test-finetune)",
    "fleet": "haproxy and a server of PostgreSQL, better as root (make test-fleet)",
    "frameworks": "four agent frameworks (make test-frameworks)",
    "litellm": "the proxy of LiteLLM (make test-gateway)",
    "mcp": "many processes, or published MCP servers (make test-mcp)",
    "model": "the built llama-cpp-python and a real model (make test-models)",
    "postgres": "a server of PostgreSQL (make test-postgres)",
    "ray": "Ray Data (make test-ray)",
    "server": "xllamacpp and a real model (make test-servers)",
    "sglang": "SGLang (make test-sglang)",
    "transformers": "PyTorch, transformers and SmolLM2 (make test-transformers)",
    "vllm": "vLLM (make test-vllm)",
    "vllmserver": "a server of vLLM on the processor (make test-servers)",
    "vocabularies": "a vocabulary that is large (make test-vocabularies)",
}
"""Marks of tests that only a session of theirs runs: what they need."""
collect_ignore = ["extra/mcp/tasks_server.py"]
"""A program, whose libraries `make test-mcp` alone installs."""
_FOLDERS = Path(__file__).parent / "extra"
_UNCOVERED = ("bench", "convert", "cost", "engines", "finetune", "gateway", "integrations", "study")
"""Folders of tests of what is not to be covered whole: to trace them would double their time."""
_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile("deep", deadline=None, suppress_health_check=_SLOW)
settings.register_profile("daily", settings.get_profile("deep"), max_examples=15, derandomize=True)
settings.register_profile("nightly", settings.get_profile("deep"), max_examples=10_000)
if "MUTANT_UNDER_TEST" in os.environ:  # mutmut's wrappers: two frames more for each call
    sys.setrecursionlimit(10_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "daily"))


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks; without `-m`, run the daily tier."""
    for name, needed in EXTRAS.items():
        config.addinivalue_line("markers", f"{name}: needs {needed}")
    config.addinivalue_line("markers", "deep: the same once more in another way (make test-deep)")
    config.addinivalue_line("markers", "untraced: large: its coverage is not looked at")
    if not config.option.markexpr:
        config.option.markexpr = f"not ({' or '.join(['deep', *EXTRAS])})"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests in a folder of `extra`, and trace only tests that count for coverage."""
    if item.path.is_relative_to(_FOLDERS):
        item.add_marker(item.path.relative_to(_FOLDERS).parts[0])
    if any(item.path.is_relative_to(_FOLDERS.parent / name) for name in _UNCOVERED):
        item.add_marker("untraced")


@pytest.fixture(scope="session")
def llm() -> Any:
    """Return SmolLM2-135M-Instruct in llama.cpp."""
    from lton_bench.demo import load_model

    return load_model()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Do not trace generated examples, whose coverage varies, and large tests.

    The mark `no_cover` of pytest-cov has no effect in the processes of pytest-xdist.
    """
    tracer = sys.gettrace()
    if any(item.iter_markers("hypothesis")) or any(item.iter_markers("untraced")):
        sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)
