"""Ask for which questions guided generation over a server would call a tool.

    python -m lton_bench.study.servers.decisions --model qwen-1.5b --out benchmarks/results

The answers of `lton_bench.study.servers.bfcl` were recorded when a tool was called only for a
question that it made likelier than an unrelated tool did. This study asks the same questions with
the rule of this version, and ends an answer when the model has decided. A call that is made now,
but was not recorded, is the one that the model made when a call was required. 50 requests to agents
(`agent_requests.json`), of which half need a call, are asked, too. A later run asks the remaining
questions.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from pathlib import Path

from lton.chat import from_openai
from lton.engines.engine import Pair
from lton.engines.llamacpp import LlamaEngine, load
from lton.events import CallStart
from lton.generate import stream
from lton.schema.toolset import ToolSet
from lton_bench.markdown_tables import write_head, write_page, write_row
from lton_bench.study import models
from lton_bench.study.bfcl_judge import is_right
from lton_bench.study.packed import append_answers, content
from lton_bench.study.servers.bfcl import EACH, MODELS, Told, cases
from lton_bench.study.tasks import Case

__all__ = ["Decision", "main", "markdown"]

GUIDED = "`lton serve --calls guided`"
REQUIRED = f"{GUIDED}, `required`"
NEEDLESS = "irrelevance"
AGENTS = Path(__file__).with_name("agent_requests.json")
AGENT, AGENT_NEEDLESS = "agents", "agents, no call"
NEEDING = "a call"
KINDS = {
    NEEDING: "BFCL: a call is needed",
    NEEDLESS: "BFCL: no tool fits",
    AGENT: "agents: a call is needed",
    AGENT_NEEDLESS: "agents: no call is needed",
}
LEAST = 4.5
"""The least likelihood with which guided generation calls a tool."""
_ABOUT = """\
`python -m lton_bench.study.servers.decisions` writes this table, from the recorded answers of a
server and from decisions of the models in this process. *Before*, a tool was called if it made the
question likelier than an unrelated tool did, by a log-ratio of 8. *By likelihood* is the rule of
most models: it makes the question likelier than no tool does, by 4.5. *With the first token* is the
rule of the 1.5B model: it makes the question likelier by 7, or the model would rather begin with
the tool's name than with the word for no call. *Right* are the calls that BFCL's checker accepts. A
call that was not made before is judged by the call that the model made when a call was required.
The requests to agents were not asked before, and have no right values."""


_RULES = ("called before", "called by likelihood", "called with the first token")


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a model would call a tool.

    `likelihood` is how much likelier the best tool makes the question (a log-ratio). With
    `is_called`, it is called by this likelihood or by the first token.
    """

    model: str
    category: str
    id: str
    likelihood: float
    is_called: bool


class _WeighingEngine(LlamaEngine):
    """An engine that keeps the scores of questions, and shows no states, as that of a server."""

    read_state = None  # type: ignore[assignment] # so that it is no `StateReader`
    scores: Sequence[float] = ()

    def score_pairs(self, pairs: Sequence[Pair]) -> tuple[int, list[float]]:
        read, scores = super().score_pairs(pairs)
        self.scores = self.scores or scores
        return read, scores


def agent_requests() -> list[Case]:
    """Return the requests to agents as cases."""
    content = json.loads(AGENTS.read_text("utf-8"))
    return [
        Case(
            category=AGENT if request["needs_call"] else AGENT_NEEDLESS,
            id=f"agents_{number}",
            messages=[{"role": "user", "content": request["text"]}],
            tools=[
                {"type": "function", "function": {"name": name, **content["tools"][name]}}
                for name in request["tools"]
            ],
            answers=[],
        )
        for number, request in enumerate(content["requests"])
    ]


def decide(model: str, some: Sequence[Case], threads: int) -> Iterator[Decision]:
    """Yield the decision of a model for each case."""
    engine = _WeighingEngine(load(models.path(model), threads=threads))
    for case in some:
        engine.scores = []
        events = stream(
            engine,
            from_openai(case.messages),
            ToolSet.from_tools(case.tools),
            tool_choice="auto",
            parallel=case.category == "parallel",
            show=ToolSet.prompt,
            heeds_first_token=True,
        )
        is_called = isinstance(next(events), CallStart)
        likelihood = round(max(engine.scores[:-1]) - engine.scores[-1], 3)
        print(f"{model}: {case.id}: {likelihood}, {'a call' if is_called else 'none'}", flush=True)
        yield Decision(model, case.category, case.id, likelihood, is_called)


def markdown(told: Sequence[Told], decisions: Sequence[Decision]) -> str:
    """Return the table of the models that were asked."""
    by_id = {case.id: case for case in cases(EACH)}
    recorded = {(one.model, one.id): one for one in told if one.way == GUIDED and not one.error}
    required = {(one.model, one.id): one for one in told if one.way == REQUIRED and not one.error}
    lines = [_ABOUT, ""]
    heads = chain(*((rule, "right") for rule in _RULES))
    lines += write_head("model", "questions", "asked", *heads)
    for model in dict.fromkeys(decision.model for decision in decisions):
        for kind, name in KINDS.items():
            asked = [
                one
                for one in decisions
                if (one.model, _kind_of(one)) == (model, kind)
                and ((model, one.id) in recorded or one.id not in by_id)
            ]
            answers = [recorded.get((model, one.id)) for one in asked]
            before = [answer for answer in answers if answer and answer.calls]
            cells: list[object] = [model, name, len(asked)]
            cells += [len(before) if kind in (NEEDING, NEEDLESS) else ""]
            cells += [_count_right(before, by_id) if kind == NEEDING else ""]
            likely = [one.likelihood > LEAST for one in asked]
            for are_called in (likely, [one.is_called for one in asked]):
                calls = [
                    answer if answer and answer.calls else required.get((model, one.id))
                    for answer, one in compress(zip(answers, asked, strict=True), are_called)
                ]
                cells += [len(calls), _count_right(calls, by_id) if kind == NEEDING else ""]
            lines.append(write_row(*cells))
    return "\n".join([*lines, ""])


def _kind_of(decision: Decision) -> str:
    return decision.category if decision.category in KINDS else NEEDING


def _count_right(told: Sequence[Told | None], by_id: Mapping[str, Case]) -> int:
    """Return how many answers have the right calls. None has no call."""
    return sum(
        one is not None
        and is_right(by_id[one.id], [(name, arguments) for name, arguments in one.calls])
        for one in told
    )


def read_decisions(file: Path) -> list[Decision]:
    """Return the recorded decisions of a file, which may be packed."""
    rows: list[Mapping[str, object]] = [json.loads(line) for line in content(file).splitlines()]
    return [Decision(**row) for row in rows]  # type: ignore[arg-type] # as they were written


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the remaining questions, and write the decisions and the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", choices=MODELS)
    parser.add_argument("--threads", type=int, default=1, help="of llama.cpp")
    parser.add_argument("--out", type=Path, default=Path("build/study"))
    options = parser.parse_args(arguments)
    file = options.out / "study" / "decisions.jsonl"
    answers = content(options.out / "study" / "servers-bfcl.jsonl").splitlines()
    told = [Told(**json.loads(line)) for line in answers]
    decisions = read_decisions(file)
    all_cases = [*agent_requests(), *cases(EACH)]
    for model in options.model or ():
        answered = {decision.id for decision in decisions if decision.model == model}
        remaining = [case for case in all_cases if case.id not in answered]
        decisions += append_answers(file, decide(model, remaining, options.threads))
    write_page(options.out / "servers-decisions.md", markdown(told, decisions))


if __name__ == "__main__":
    main()
