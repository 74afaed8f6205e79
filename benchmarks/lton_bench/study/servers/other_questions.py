"""Try a line of first tokens on questions that others have written.

    python -m lton_bench.study.servers.other_questions --model qwen-0.5b --out benchmarks/results

The line of `first_tokens`, which was fitted to our own messages, scores single questions: those of
BFCL's users (with `--when2call FILE` also When2Call's, whose file `when2call_test_llm_judge.jsonl`
is in github.com/NVIDIA/When2Call). A later run asks the remaining questions, and without a model
the table of the recorded scores is written.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lton.chat import from_openai
from lton.generate.need import FirstTokenLine
from lton.probe.calibration import LabelledTurn, begins_like_call, iterate_first_tokens
from lton.schema.toolset import ToolSet
from lton_bench import bfcl
from lton_bench.markdown_tables import write_head, write_page, write_row
from lton_bench.study import models
from lton_bench.study.calls.needs import POINTS, curve_cells, default_point_cell
from lton_bench.study.packed import append_answers, content
from lton_bench.study.servers.first_tokens import client_of, fit_model
from lton_bench.study.servers.first_tokens import read_answers as read_first_tokens
from lton_bench.study.servers.questions import llama
from lton_bench.study.tasks import rank

__all__ = ["ScoredQuestion", "main", "markdown"]

BFCL = "BFCL, users' questions"
WHEN2CALL = "When2Call"
NEEDED = {"live_simple", "live_multiple", "tool_call"}
"""The kinds of questions that need a call."""
_LIVE = ("live_simple", "live_multiple", "live_irrelevance")
_ABOUT = """\
`python -m lton_bench.study.servers.other_questions` writes this. The line that was fitted to our
own messages scores single questions that others have written: for each kind, the same number,
chosen by a hash. *Area* is that under the curve, and *length* is the area if only the length of the
question decides. The other columns are those of the table of our own messages."""


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """A question with its score, the logarithm of the odds that a tool is needed.

    `is_checked` says whether the answer begins like a call, so that the score decides about it.
    """

    model: str
    source: str
    kind: str
    id: str
    length: int
    score: float
    is_checked: bool

    @property
    def needs_tool(self) -> bool:
        """Whether the question needs a call."""
        return self.kind in NEEDED


@dataclass(frozen=True, slots=True)
class _Question:
    source: str
    kind: str
    id: str
    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]]

    @property
    def text(self) -> str:
        return str(self.messages[-1]["content"])


def bfcl_questions(count: int) -> Iterator[_Question]:
    """Yield the first `count` questions of users of each kind, in the order of a hash."""
    for kind in _LIVE:
        cases = sorted(bfcl.entries(kind), key=rank)
        for case in cases[:count]:
            yield _Question(BFCL, kind, case.id, case.messages, case.tools)


def when2call_questions(file: Path, count: int) -> Iterator[_Question]:
    """Yield the first `count` questions of each kind that have tools, in the order of the file."""
    counts: dict[str, int] = {}
    for line in file.read_text("utf-8").splitlines():
        case = json.loads(line)
        kind = case["correct_answer"]
        tools = [bfcl.read_tool(json.loads(tool)) for tool in case["tools"]]
        counts.setdefault(kind, 0)
        if tools and counts[kind] < count:
            counts[kind] += 1
            messages = [{"role": "user", "content": case["question"]}]
            yield _Question(WHEN2CALL, kind, case["uuid"], messages, tools)


def _as_turn(question: _Question) -> LabelledTurn:
    return LabelledTurn(
        domain=question.source,
        kind=question.kind,
        text=question.text,
        tools=ToolSet.from_tools(question.tools),
        messages=from_openai(question.messages),
        calls=[{}] if question.kind in NEEDED else [],
        definitions=question.tools,
    )


def ask(
    url: str, model: str, line: FirstTokenLine, questions: Sequence[_Question]
) -> Iterator[ScoredQuestion]:
    """Ask a server for the first tokens of its answers to questions, and score them."""
    client = client_of(url)
    turns = [_as_turn(question) for question in questions]
    scored = zip(questions, iterate_first_tokens(client, turns), strict=True)
    for question, (turn, likeliest) in scored:
        print(f"{model}, {question.source}: {question.id}", flush=True)
        if likeliest:
            yield ScoredQuestion(
                model=model,
                source=question.source,
                kind=question.kind,
                id=question.id,
                length=len(question.text),
                score=round(line.log_odds_of_call(likeliest), 3),
                is_checked=begins_like_call(turn, likeliest),
            )


def markdown(answers: Sequence[ScoredQuestion]) -> str:
    """Return the table of all models and sources."""
    shares = [f"{point:.0%} lost" for point in POINTS]
    lines = [_ABOUT, ""]
    lines += write_head(
        *("model", "questions", "need a call", "others", "area", *shares, "length"),
        *("default", "default, begin like a call"),
    )
    for model in dict.fromkeys(answer.model for answer in answers):
        for source in (BFCL, WHEN2CALL):
            some = [one for one in answers if (one.model, one.source) == (model, source)]
            if some:
                lines.append(write_row(model, source, *_cells(some)))
    return "\n".join([*lines, ""])


def _cells(answers: Sequence[ScoredQuestion]) -> list[object]:
    needing, others = _scores_by_need(answers)
    by_length = [replace(one, score=float(one.length)) for one in answers]
    checked = [one for one in answers if one.is_checked]
    return [
        len(needing),
        len(others),
        *curve_cells(needing, others),
        curve_cells(*_scores_by_need(by_length))[0],
        default_point_cell(needing, others),
        default_point_cell(*_scores_by_need(checked)),
    ]


def _scores_by_need(answers: Sequence[ScoredQuestion]) -> tuple[list[float], list[float]]:
    """Return the scores of the questions that need a call, and of the others."""
    needing = [one.score for one in answers if one.needs_tool]
    others = [one.score for one in answers if not one.needs_tool]
    return needing, others


def read_answers(file: Path) -> list[ScoredQuestion]:
    """Return the recorded scores of a file, which may be packed."""
    return [ScoredQuestion(**json.loads(line)) for line in content(file).splitlines()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the remaining questions, and write the scores and the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", default=[], choices=[*models.MODELS])
    parser.add_argument("--when2call", type=Path, metavar="FILE")
    parser.add_argument("--each", type=int, default=40, help="questions of each kind")
    parser.add_argument("--threads", type=int, default=1, help="of llama.cpp")
    parser.add_argument("--out", type=Path, default=Path("build/study"))
    options = parser.parse_args(arguments)
    folder = options.out / "study"
    answers = read_answers(folder / "other-questions.jsonl")
    questions = []
    if options.model:
        questions = list(bfcl_questions(options.each))
    if options.model and options.when2call:
        questions += when2call_questions(options.when2call, options.each)
    for model in options.model:
        answered = {one.id for one in answers if one.model == model}
        remaining = [question for question in questions if question.id not in answered]
        first_tokens = read_first_tokens(folder / "first-tokens.jsonl")
        line = fit_model([one for one in first_tokens if one.model == model]).line
        with llama(model, options.threads) as url:
            answers += append_answers(
                folder / "other-questions.jsonl", ask(url, model, line, remaining)
            )
    write_page(options.out / "needs-others.md", markdown(answers))


if __name__ == "__main__":
    main()
