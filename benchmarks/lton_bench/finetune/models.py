"""Load the model to tune: a folder in the format of transformers, or a packed model.

Packages have two models of the study as GGUF files with weights of 4 bits. `unpack` converts a file
to a folder with weights of 32 bits. The tokenizer that transformers derives from such a file splits
digits and runs of spaces in another way than in training. So the folder gets the tokenizer of
`lton.tokens`, which is compared with the tokenizer of llama.cpp.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

from lton.tokens import gguf
from lton_bench.study.models import path

__all__ = ["PACKED", "device", "load_model", "load_tokenizer", "packed_tokenizer", "unpack"]

PACKED = {"smollm2": "SmolLM2-135M-Instruct", "qwen-0.5b": "Qwen2.5-Coder-0.5B-Instruct"}
"""The models for `unpack`, and their full names."""


def device() -> str:
    """Return the device: "cuda" or "cpu"."""
    return "cuda" if import_module("torch").cuda.is_available() else "cpu"


def unpack(model: str, into: Path) -> None:
    """Write a model of `PACKED` as a folder, unless it exists."""
    if (into / "tokenizer.json").is_file():  # which is written last
        return
    file = path(model)
    library = import_module("transformers")
    library.utils.logging.disable_progress_bar()
    packed = library.AutoModelForCausalLM.from_pretrained(
        str(file.parent), gguf_file=file.name, dtype=import_module("torch").float32
    )
    # transformers refuses to train what was quantized once; a new model with these weights was not.
    config = type(packed.config).from_dict(
        {k: v for k, v in packed.config.to_dict().items() if k != "quantization_config"}
    )
    loose = library.AutoModelForCausalLM.from_config(config)
    loose.load_state_dict(packed.state_dict())
    loose.save_pretrained(into)
    packed_tokenizer(file).save_pretrained(into)


def packed_tokenizer(file: Path) -> Any:
    """Return the tokenizer in a GGUF file of byte pairs."""
    head = gguf.read_head(file)
    fast = gguf.byte_pairs(head)
    fast.decoder = import_module("tokenizers").decoders.ByteLevel()
    end = head["tokenizer.ggml.tokens"][head["tokenizer.ggml.eos_token_id"]]
    return import_module("transformers").PreTrainedTokenizerFast(
        tokenizer_object=fast,
        eos_token=end,
        pad_token=end,
        chat_template=head["tokenizer.chat_template"],
    )


def load_tokenizer(model: Path) -> Any:
    """Return the tokenizer of a model's folder."""
    tokenizer = import_module("transformers").AutoTokenizer.from_pretrained(str(model))
    tokenizer.padding_side = "left"  # an answer continues the prompt
    return tokenizer


def load_model(model: Path, adapter: Path | None = None, *, kind: str = "float32") -> Any:
    """Return the model in a folder with weights of a type, and an adapter merged into it."""
    library = import_module("transformers")
    library.utils.logging.disable_progress_bar()
    found = library.AutoModelForCausalLM.from_pretrained(str(model), dtype=kind).to(device())
    if adapter:
        found = import_module("peft").PeftModel.from_pretrained(found, adapter).merge_and_unload()
    return found.eval()
