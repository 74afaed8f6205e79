"""Train a LoRA adapter for a form of calls, with peft and the Trainer of transformers.

Each form gets the same examples in the same order, in the same number of steps. An interrupted run
continues from its last checkpoint, and complete adapters are not trained again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Any

from rich.progress import Progress

from lton_bench.finetune.data import Tokens, Written
from lton_bench.finetune.models import device, load_model

__all__ = ["Settings", "collate", "packs", "train"]

_CHECKPOINTS = 4
_DONE = "adapter.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a training. The rank and targets are common for LoRA.

    The rate is ten times the rate of full tuning, as usual for LoRA. A pack has at most `at_once`
    examples with the same tools, which are read once. A step has `batch` packs.
    """

    examples: int = 328
    max_tokens: int = 256
    epochs: int = 1
    batch: int = 2
    at_once: int = 4
    rank: int = 16
    alpha: int = 32
    targets: str = "all-linear"
    rate: float = 1e-3
    warmup: float = 0.1
    seed: int = 0
    model: str

    def folder(self, base: Path, form: Written) -> Path:
        """Return the folder of a form that is trained with these settings."""
        digest = sha256(json.dumps(asdict(self)).encode()).hexdigest()[:8]
        return base / f"{form}-{digest}"


def train(
    rows: Sequence[Tokens], folder: Path, settings: Settings, progress: Progress, title: str
) -> dict[str, Any]:
    """Train an adapter in a folder, and return steps, seconds and losses."""
    if (folder / _DONE).is_file():
        found: dict[str, Any] = json.loads((folder / _DONE).read_text("utf-8"))
        return found
    peft, library = import_module("peft"), import_module("transformers")
    library.set_seed(settings.seed)
    targets, learned = settings.targets.split(","), packs(rows, settings.at_once)
    config = peft.LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        target_modules=targets[0] if len(targets) == 1 else targets,
        task_type="CAUSAL_LM",
    )
    model = peft.get_peft_model(load_model(Path(settings.model), kind="bfloat16"), config)
    trainer = library.Trainer(
        model=model,
        args=_arguments(folder, settings, len(learned)),
        train_dataset=[{"pack": pack} for pack in learned],
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


def packs(rows: Sequence[Tokens], at_once: int) -> list[list[Tokens]]:
    """Return the examples in packs of at most `at_once` examples with the same tools."""
    found: dict[str, list[list[Tokens]]] = {}
    for row in rows:
        some = found.setdefault(row.tools, [[]])
        if len(some[-1]) == at_once:
            some.append([])
        some[-1].append(row)
    return [pack for some in found.values() for pack in some]


def collate(batch: Sequence[Mapping[str, Sequence[Tokens]]]) -> dict[str, Any]:
    """Return a pack as tensors: the common beginning of its prompts once, then the rest of each.

    A rest attends to the beginning and itself, so each loss is the same as without the pack. Scores
    are computed only for learned tokens.
    """
    torch = import_module("torch")
    (rows,) = (one["pack"] for one in batch)
    # The last token of a prompt is never shared: what is learned first is seen from there.
    columns = zip(*(row.prompt[:-1] for row in rows), strict=False)
    shared = sum(1 for _ in takewhile(lambda column: len({*column}) == 1, columns))
    ids = [*rows[0].prompt[:shared]]
    places, parts, kept = [*range(shared)], [0] * shared, list[int]()
    for part, row in enumerate(rows, 1):
        rest = [*row.prompt[shared:], *row.completion[:-1]]
        ids += rest
        places += range(shared, shared + len(rest))
        parts += [part] * len(rest)
        kept += range(len(ids) - len(row.completion), len(ids))
    labels = torch.tensor([[token for row in rows for token in row.completion]])
    part = torch.tensor(parts)
    mask = ((part[:, None] == part) | (part == 0)).tril()
    return {
        "input_ids": torch.tensor([ids]),
        "position_ids": torch.tensor([places]),
        "attention_mask": mask[None, None],
        "labels": labels,
        "shift_labels": labels,  # they are those of what is kept already
        "logits_to_keep": torch.tensor(kept),
    }


def _arguments(folder: Path, settings: Settings, packs: int) -> Any:
    steps = -(-packs // settings.batch) * settings.epochs
    return import_module("transformers").TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=settings.batch,
        learning_rate=settings.rate,
        lr_scheduler_type="cosine",
        warmup_steps=round(settings.warmup * steps),
        bf16=True,
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
    """Return a callback that shows the steps. The function imports the base class."""

    class Bar(import_module("transformers").TrainerCallback):  # type: ignore[misc]
        def on_train_begin(self, _args: Any, state: Any, _control: Any, **_: Any) -> None:
            self.task = progress.add_task(title, total=state.max_steps, completed=state.global_step)

        def on_step_end(self, _args: Any, state: Any, _control: Any, **_: Any) -> None:
            progress.update(self.task, completed=state.global_step)

    return Bar()
