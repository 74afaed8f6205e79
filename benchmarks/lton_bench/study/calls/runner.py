"""Ask the models in several processes, and add each answer to a file.

Another run only asks the questions that the file lacks, also after an interrupted run. Each round
has a few cases of each condition, so a stopped run has results for all conditions.
"""

import json
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import version
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from lton.engines.llamacpp import LlamaEngine, load
from lton_bench.study import models
from lton_bench.study.calls.answers import MAX_TOKENS, Sample, answer, count_engine
from lton_bench.study.calls.conditions import CONDITIONS, CORE, EXTRAS, Condition
from lton_bench.study.packed import content, unpack
from lton_bench.study.tasks import SEED, Case, reported

__all__ = [
    "CONTEXT",
    "EXTRA_MODEL",
    "Batch",
    "Samples",
    "describe_duration",
    "first_questions",
    "plan",
    "predict_seconds",
    "run",
    "settings",
    "unanswered",
]

EXTRA_MODEL = "smollm2"
_EXTRA_CATEGORY = "simple_python"
_ROUND = 10
CONTEXT = 4096
_MINUTE_S = 60
_HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class Batch:
    """Some cases for one model under one condition, which a process gets at once.

    The model is a file or a name. Samples have a name in both cases.
    """

    model: str
    condition: Condition
    cases: Sequence[Case]


class Samples:
    """The file of samples, whose first line has the settings.

    Raises `ValueError` for a file with other settings.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path = path
        self.found: dict[tuple[str, str, str], Sample] = {}
        lines = content(path).splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):  # it was being written when the run ended
            with path.open("r+b") as file:
                file.truncate(sum(map(len, lines[:-1])))
            lines = lines[:-1]
        if lines and json.loads(lines[0]) != settings:
            raise ValueError(f"{path} holds the samples of another study: move it away")
        for line in lines[1:]:
            self._keep(json.loads(line))
        if not lines:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._write(settings)

    def add(self, sample: Sample) -> None:
        """Add a sample to the file."""
        self._keep(sample)
        self._write(sample)

    def _keep(self, sample: Sample) -> None:
        self.found[sample["model"], sample["condition"], sample["id"]] = sample

    def _write(self, line: Mapping[str, Any]) -> None:
        unpack(self.path)
        with self.path.open("a") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def settings() -> dict[str, Any]:
    """Return the settings that affect an answer."""
    return {
        "seed": SEED,
        "max_tokens": MAX_TOKENS,
        "conditions": [asdict(condition) for condition in (*CONDITIONS, *EXTRAS)],
        "llama_cpp_python": version("llama-cpp-python"),
    }


def plan(
    of: Sequence[str], cases: int, samples: Samples, named: Sequence[str] | None = None
) -> list[Batch]:
    """Return the remaining questions: `cases` of each category, and twice as many simple ones.

    With `named`, only the conditions with these names are asked.
    """
    pool = reported()
    batches: list[Batch] = []
    for start in range(0, cases, _ROUND):
        for model in of:
            stop = min(start + _ROUND, cases, models.MOST.get(model, cases))
            names = CORE if named is None and model in models.MOST else named
            conditions = [c for c in CONDITIONS if names is None or c.name in names]
            for category, some in pool.items():
                times = 2 if category == _EXTRA_CATEGORY else 1
                part = some[times * start : times * stop]
                batches += [Batch(model, condition, part) for condition in conditions]
            if model == EXTRA_MODEL and named is None:
                part = pool[_EXTRA_CATEGORY][start:stop]
                batches += [Batch(model, condition, part) for condition in EXTRAS]
    return unanswered(batches, samples)


def unanswered(batches: Sequence[Batch], samples: Samples) -> list[Batch]:
    """Return the questions without a sample."""
    remaining = (
        replace(
            batch,
            cases=[
                case
                for case in batch.cases
                if (models.name(batch.model), batch.condition.name, case.id) not in samples.found
            ],
        )
        for batch in batches
    )
    return [batch for batch in remaining if batch.cases]


def first_questions(batches: Sequence[Batch]) -> list[Batch]:
    """Return the first question of each model and condition, whose time predicts the others'."""
    firsts: dict[tuple[str, str], Batch] = {}
    for batch in batches:
        key = (batch.model, batch.condition.name)
        firsts.setdefault(key, replace(batch, cases=batch.cases[:1]))
    return list(firsts.values())


def predict_seconds(ends: Sequence[float], remaining: int) -> float:
    """Return how long `remaining` answers will take, from the times at which the first ones ended.

    The time before the first answer is left out, because the models are loaded in it.

    >>> predict_seconds([40.0, 42.0, 46.0], 100)
    300.0
    """
    return (ends[-1] - ends[0]) / (len(ends) - 1) * remaining


def describe_duration(seconds: float) -> str:
    """Return a duration in words.

    >>> describe_duration(20), describe_duration(100), describe_duration(5 * 3600)
    ('less than a minute', 'about 2 minutes', 'about 5.0 hours')
    """
    if seconds < _MINUTE_S:
        return "less than a minute"
    if seconds < _HOUR_S:
        return f"about {round(seconds / _MINUTE_S)} minutes"
    return f"about {seconds / _HOUR_S:.1f} hours"


def run(
    batches: Sequence[Batch],
    samples: Samples,
    report: Callable[[Sample], None],
    *,
    processes: int,
    threads: int = 1,
) -> None:
    """Ask in several processes, add each sample to the file, and report it.

    Raises `ChildProcessError` if a process dies; another run asks its questions again.
    """
    context = get_context("spawn")
    pipes: list[Connection] = []
    waiting = iter(batches)
    try:
        for _, batch in zip(range(processes), waiting, strict=False):
            pipe, other = context.Pipe()
            context.Process(target=_answers, args=(other, threads), daemon=True).start()
            other.close()  # so that a process that dies is the end of the pipe
            pipe.send(batch)
            pipes.append(pipe)
        busy = list(pipes)
        while busy:
            for ready in wait(busy):
                pipe = pipes[pipes.index(ready)]  # type: ignore[arg-type]
                sample = pipe.recv()
                if isinstance(sample, Exception):
                    raise sample
                if sample is not None:
                    samples.add(sample)
                    report(sample)
                elif (more := next(waiting, None)) is not None:
                    pipe.send(more)
                else:
                    busy.remove(pipe)
    except (EOFError, ConnectionError):
        raise ChildProcessError("a process that asked has died; was memory short?") from None
    finally:
        for pipe in pipes:
            pipe.close()  # which ends the process behind it


def _answers(pipe: Connection, threads: int) -> None:
    """Answer batches until the other side closes the pipe or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent alone hears Ctrl-C
    with pipe, suppress(EOFError, ConnectionError):
        while True:
            batch = pipe.recv()
            try:
                llm, name = _load_model(batch.model, threads), models.name(batch.model)
                for case in batch.cases:
                    pipe.send(answer(count_engine(LlamaEngine(llm)), name, batch.condition, case))
                pipe.send(None)
            except (EOFError, ConnectionError):
                raise
            except Exception as error:  # raised where it is seen
                pipe.send(error)


@cache
def _load_model(model: str, threads: int) -> Any:
    return load(models.path(model), context=CONTEXT, threads=threads)
