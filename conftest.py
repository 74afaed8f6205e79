"""Select the daily tests, set the number of Hypothesis's examples, and load the real model.

`make test` tries few examples, always the same, so it fails only because of a change of the code.
`make test-deep` and `nightly` draw new examples. A test with requirements beyond the daily tier is
marked with their name, or is in the folder `tests/extra/NAME`.
"""

import gc
import importlib
import os
import pkgutil
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
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
    "fleet": "haproxy and a server of PostgreSQL, better as root (make test-fleet)",
    "frameworks": "four agent frameworks (make test-frameworks)",
    "litellm": "the proxy of LiteLLM (make test-gateway)",
    "mcp": "many processes, or published MCP servers (make test-mcp)",
    "model": "the built llama-cpp-python and a real model (make test-models)",
    "postgres": "a server of PostgreSQL (make test-postgres)",
    "server": "xllamacpp and a real model (make test-servers)",
    "sglang": "SGLang (make test-sglang)",
    "transformers": "PyTorch, transformers and SmolLM2 (make test-transformers)",
    "vllm": "vLLM (make test-vllm)",
    "vllmserver": "a server of vLLM on the processor (make test-servers)",
    "vocabularies": "a vocabulary that is large (make test-vocabularies)",
}
"""Marks of tests that only a session of theirs runs: what they need."""
collect_ignore = ["tests/extra/mcp/tasks_server.py"]
"""A program, whose libraries `make test-mcp` alone installs."""
_TESTS = Path(__file__).parent / "tests"
_BENCHMARKS = Path(__file__).parent / "benchmarks"
_COVERING = frozenset(
    (
        "chat codec context grammar lenient mcp_proxy schema stores test_errors.py transcript typed"
    ).split()
)
"""The tests that cover the core, in `tests`. To trace the others, too, would double their time."""
_CORE = "errors _syntax codec context stores transcript grammar lenient mcp_proxy schema".split()
"""Packages of the library whose modules must be covered completely."""
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


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Trace the import of the core, but not the collection of the tests."""
    if sys.gettrace() is not None:
        for name in _CORE:
            package = importlib.import_module(f"lton.{name}")
            inner = getattr(package, "__path__", ())
            for module in pkgutil.walk_packages(inner, f"lton.{name}."):
                importlib.import_module(module.name)
            for each in getattr(package, "__all__", ()):
                getattr(package, each)  # imported on first use
    with _untraced():
        return (yield)


def pytest_collection_finish() -> None:
    """Collect garbage less often, and without the collected tests, which stay to the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests in a folder of `extra`, and trace only tests that cover the core."""
    for mark in _marks(item.path):
        item.add_marker(mark)


@cache
def _marks(file: Path) -> tuple[str, ...]:
    if file.is_relative_to(_BENCHMARKS):
        return ("untraced",)
    if not file.is_relative_to(_TESTS):
        return ()  # the examples in docstrings
    match file.relative_to(_TESTS).parts:
        case ("extra", name, *_):
            return (name,)
        case (name, *_) if name in _COVERING:
            return ()
    return ("untraced",)


@pytest.fixture(scope="session")
def llm() -> Any:
    """Return SmolLM2-135M-Instruct in llama.cpp."""
    from lton_bench.demo import load_model

    return load_model()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Do not trace generated examples, whose coverage varies, and large tests.

    The mark `no_cover` of pytest-cov has no effect in the processes of pytest-xdist.
    """
    is_traced = not any(item.get_closest_marker(name) for name in ("hypothesis", "untraced"))
    with nullcontext() if is_traced else _untraced():
        return (yield)


@contextmanager
def _untraced() -> Iterator[None]:
    here, in_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        yield
    finally:
        sys.settrace(here)
        threading.settrace(in_threads)
