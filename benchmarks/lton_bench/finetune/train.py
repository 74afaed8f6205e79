"""LoRA by peft and the Trainer of transformers: a small adapter that learns a form of calls.

Every form gets the same examples in the same order, in as many steps. A run that was interrupted
goes on from its last checkpoint, and what is trained already is not trained again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.progress import Progress

from lton_bench.finetune.data import IGNORED, Tokens, Written
from lton_bench.finetune.models import device, load_model

__all__ = ["Settings", "collate", "train"]

_CHECKPOINTS = 4
_DONE = "adapter.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What can be chosen. The rank and targets are those that LoRA is mostly used with today.

    The rate is ten times that of full tuning, as usual for LoRA. `batch` examples make a step, of
    which `at_once` are computed together: more on a GPU.
    """

    examples: int = 128
    max_tokens: int = 256
    epochs: int = 1
    batch: int = 4
    at_once: int = 1
    rank: int = 16
    alpha: int = 32
    targets: str = "all-linear"
    rate: float = 1e-3
    warmup: float = 0.1
    seed: int = 0
    model: str

    def folder(self, base: Path, form: Written) -> Path:
        """Get where a form is trained with these settings."""
        digest = sha256(json.dumps(asdict(self)).encode()).hexdigest()[:8]
        return base / f"{form}-{digest}"


def train(
    rows: Sequence[Tokens], folder: Path, settings: Settings, progress: Progress, title: str
) -> dict[str, Any]:
    """Train an adapter into a folder, and get what became of it: steps, seconds, losses."""
    if (folder / _DONE).is_file():
        found: dict[str, Any] = json.loads((folder / _DONE).read_text("utf-8"))
        return found
    peft, library = import_module("peft"), import_module("transformers")
    library.set_seed(settings.seed)
    targets = settings.targets.split(",")
    config = peft.LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        target_modules=targets[0] if len(targets) == 1 else targets,
        task_type="CAUSAL_LM",
    )
    model = peft.get_peft_model(load_model(Path(settings.model)), config)
    trainer = library.Trainer(
        model=model,
        args=_arguments(folder, settings, len(rows)),
        train_dataset=[{"row": row} for row in rows],
        data_collator=collate,
        callbacks=[_bar(progress, title)],
    )
    trainer.remove_callback(library.PrinterCallback)
    trainer.remove_callback(library.ProgressCallback)
    begun = any(folder.glob("checkpoint-*"))
    result = trainer.train(resume_from_checkpoint=begun or None)
    trainable, _ = model.get_nb_trainable_parameters()
    model.save_pretrained(folder)
    found = {
        "steps": result.global_step,
        "seconds": round(result.metrics["train_runtime"], 1),
        "parameters": trainable,
        "losses": [round(row["loss"], 3) for row in trainer.state.log_history if "loss" in row],
    }
    (folder / _DONE).write_text(json.dumps(found), "utf-8")
    return found


def collate(rows: Sequence[Mapping[str, Tokens]]) -> dict[str, Any]:
    """Get some examples as tensors, padded on the left, with labels for the last columns alone.

    No label stands before those, so their scores, a fifth of the work here, are not computed.
    """
    torch = import_module("torch")
    batch = [row["row"] for row in rows]
    width = max(len(row.ids) for row in batch)
    kept = max(len(row.completion) for row in batch) + 1
    blank = [width - len(row.ids) for row in batch]
    ids = [[0] * left + row.ids for left, row in zip(blank, batch, strict=True)]
    labels = [[IGNORED] * left + row.labels for left, row in zip(blank, batch, strict=True)]
    mask = [[0] * left + [1] * (width - left) for left in blank]
    return {
        "input_ids": torch.tensor(ids),
        "attention_mask": torch.tensor(mask),
        "labels": torch.tensor(labels)[:, -kept:],
        "logits_to_keep": kept,
    }


def _arguments(folder: Path, settings: Settings, count: int) -> Any:
    steps = -(-count // settings.batch) * settings.epochs
    return import_module("transformers").TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=settings.at_once,
        gradient_accumulation_steps=settings.batch // settings.at_once,
        learning_rate=settings.rate,
        lr_scheduler_type="cosine",
        warmup_steps=round(settings.warmup * steps),
        bf16=device() == "cuda",
        use_cpu=device() == "cpu",
        seed=settings.seed,
        logging_steps=1,
        save_strategy="steps",
        save_steps=max(1, steps // _CHECKPOINTS),
        save_total_limit=1,
        remove_unused_columns=False,
        dataloader_pin_memory=False,  # a batch is small, and one of its parts is no tensor
        disable_tqdm=True,
        report_to=[],
    )


def _bar(progress: Progress, title: str) -> Any:
    """Get a callback that shows the steps: its class is the library's, which is imported late."""

    class Bar(import_module("transformers").TrainerCallback):  # type: ignore[misc]
        def on_train_begin(self, _args: Any, state: Any, _control: Any, **_: Any) -> None:
            self.task = progress.add_task(title, total=state.max_steps, completed=state.global_step)

        def on_step_end(self, _args: Any, state: Any, _control: Any, **_: Any) -> None:
            progress.update(self.task, completed=state.global_step)

    return Bar()
