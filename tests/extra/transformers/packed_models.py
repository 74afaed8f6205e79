"""Load SmolLM2 with transformers from its package, which has a GGUF file with weights of 4 bits.

The tokenizer that transformers derives from such a file splits digits and runs of spaces in another
way than in training. So the model gets the tokenizer of `lton.tokens`, which is compared with the
tokenizer of llama.cpp.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

from lton.tokens import gguf

__all__ = ["load_packed_model", "load_packed_tokenizer"]


def load_packed_model(file: Path) -> Any:
    """Return the model of a GGUF file, with weights of 32 bits."""
    library = import_module("transformers")
    library.utils.logging.disable_progress_bar()
    torch = import_module("torch")
    model = library.AutoModelForCausalLM.from_pretrained(
        str(file.parent), gguf_file=file.name, dtype=torch.float32
    )
    return model.to("cuda" if torch.cuda.is_available() else "cpu").eval()


def load_packed_tokenizer(file: Path) -> Any:
    """Return the tokenizer in a GGUF file of byte pairs; it pads at the left, before a prompt."""
    head = gguf.read_head(file)
    fast = gguf.build_byte_pairs(head)
    fast.decoder = import_module("tokenizers").decoders.ByteLevel()
    end = head["tokenizer.ggml.tokens"][head["tokenizer.ggml.eos_token_id"]]
    return import_module("transformers").PreTrainedTokenizerFast(
        tokenizer_object=fast,
        eos_token=end,
        pad_token=end,
        padding_side="left",
        chat_template=head["tokenizer.chat_template"],
    )
