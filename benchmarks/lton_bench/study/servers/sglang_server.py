"""Run an SGLang server on the processor, with Qwen2.5-Coder-0.5B from packages.

The packages of SGLang and torchvision are made for GPUs. Without its operators torchvision can be
imported if it does not describe them, and SGLang then computes with PyTorch alone.
"""

import sys
import sysconfig
from contextlib import AbstractContextManager
from pathlib import Path

from lton_bench.study.vllm_server import UNFIT, launch_server, uninstall, weights

__all__ = ["serving"]

_FIXED = (
    "--device cpu --attention-backend torch_native --sampling-backend pytorch"
    " --disable-overlap-schedule --max-total-tokens 4096 --context-length 4096"
    " --max-running-requests 4"
)


def _prepare() -> None:
    """Remove packages that do not load, and torchvision's description of missing operators."""
    uninstall(*UNFIT)
    file = Path(sysconfig.get_path("purelib"), "torchvision", "__init__.py")
    text = file.read_text("utf-8")
    file.write_text(text.replace("    _meta_registrations,\n", ""), "utf-8")


def serving(*options: str) -> AbstractContextManager[str]:
    """Run an SGLang server with some options for the duration of a block; yield its address.

    Raises `LTONError` if the server ends before it answers.
    """
    _prepare()
    program = [sys.executable, "-m", "sglang.launch_server", "--model-path", str(weights())]
    return launch_server("sglang.log", *program, *_FIXED.split(), *options)
