"""Ask whether the first token of an answer would also decline what guided generation declines.

    python -m lton_bench.study.servers.declined --model qwen-1.5b --out benchmarks/results

Over a server, guided generation declines a question of BFCL if no tool makes it much likelier than
an unrelated tool does. The answers of `lton_bench.study.servers.bfcl` were recorded with this rule.
For the declined questions, this study reads how much rather the model would begin its answer with
the name of a tool than with the word for no call. A call that would then be made is the one that
the model made when a call was required. A later run asks the remaining questions.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lton.chat import from_openai
from lton.engines.llamacpp import LlamaEngine, load
from lton.generate.chat import build_conversation
from lton.generate.scaffolds import CALL, NONE
from lton.schema.toolset import ToolSet
from lton_bench.markdown_tables import write_head, write_page, write_row
from lton_bench.study import models
from lton_bench.study.bfcl_judge import is_right
from lton_bench.study.packed import append_answers, content
from lton_bench.study.servers.bfcl import EACH, MODELS, Told, cases
from lton_bench.study.tasks import Case

__all__ = ["FirstToken", "main", "markdown"]

GUIDED = "`lton serve --calls guided`"
REQUIRED = f"{GUIDED}, `required`"
NEEDLESS = "irrelevance"
_ABOUT = """\
`python -m lton_bench.study.servers.declined` writes this table, from recorded answers and from the
first tokens of the model in this process. *Declined* are the questions of BFCL that guided
generation over a server declined, because no tool made them much likelier than the unrelated tool.
*Asked* are those whose first token was read. *Still declined* are those for which the model would
also rather begin with the word for no call than with the name of the tool. *Right* are the calls
that are made otherwise, and that are right if a call is required."""


@dataclass(frozen=True, slots=True)
class FirstToken:
    """How much rather a model would begin with the name of a tool than with the word for no call.

    The likelier of several tools counts.
    """

    model: str
    category: str
    id: str
    log_ratio: float


def declined(told: Sequence[Told], model: str) -> list[Told]:
    """Return the guided answers of a model without a call."""
    return [
        answer
        for answer in told
        if (answer.model, answer.way) == (model, GUIDED) and not (answer.calls or answer.error)
    ]


def ask(model: str, some: Sequence[Case], threads: int) -> Iterator[FirstToken]:
    """Yield the log-ratio of the first tokens for each case."""
    engine = LlamaEngine(load(models.path(model), threads=threads))
    for case in some:
        tools = ToolSet.from_tools(case.tools)
        prompt = engine.prompt(
            build_conversation(from_openai(case.messages), tools, show=ToolSet.prompt)
        )
        starts = [NONE, *(CALL.head(tool.name) for tool in tools.under_aliases)]
        firsts = [engine.tokenize(start)[:1] for start in starts]
        _, (none, *heads) = engine.score_pairs([(prompt, first) for first in firsts])
        yield FirstToken(model, case.category, case.id, round(max(heads) - none, 3))


def markdown(told: Sequence[Told], tokens: Sequence[FirstToken]) -> str:
    """Return the table of the models that were asked."""
    right_ids = _right_ids(told)
    lines = [_ABOUT, ""]
    lines += write_head("model", "questions", "declined", "asked", "still declined", "right")
    for model in dict.fromkeys(token.model for token in tokens):
        all_declined = declined(told, model)
        for name, is_needless in (("need a call", False), ("no tool fits", True)):
            some = [one for one in all_declined if (one.category == NEEDLESS) is is_needless]
            ids = {one.id for one in some}
            asked = [token for token in tokens if token.model == model and token.id in ids]
            called = [token for token in asked if token.log_ratio >= 0]
            right = [token for token in called if (model, token.id) in right_ids]
            lines.append(
                write_row(
                    *(model, name, len(some), len(asked), len(asked) - len(called)),
                    "" if is_needless else f"{len(right)} of {len(called)}",
                )
            )
    return "\n".join([*lines, ""])


def _right_ids(told: Sequence[Told]) -> set[tuple[str, str]]:
    """Return the models and cases whose guided call is right if it is required."""
    by_id = {case.id: case for case in cases(EACH)}
    return {
        (answer.model, answer.id)
        for answer in told
        if answer.way == REQUIRED
        and not answer.error
        and is_right(by_id[answer.id], [(name, arguments) for name, arguments in answer.calls])
    }


def read_tokens(file: Path) -> list[FirstToken]:
    """Return the recorded first tokens of a file, which may be packed."""
    rows: list[Mapping[str, object]] = [json.loads(line) for line in content(file).splitlines()]
    return [FirstToken(**row) for row in rows]  # type: ignore[arg-type] # as they were written


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the remaining questions, and write the first tokens and the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", choices=MODELS)
    parser.add_argument("--threads", type=int, default=1, help="of llama.cpp")
    parser.add_argument("--out", type=Path, default=Path("build/study"))
    options = parser.parse_args(arguments)
    file = options.out / "study" / "declined.jsonl"
    answers = content(options.out / "study" / "servers-bfcl.jsonl").splitlines()
    told = [Told(**json.loads(line)) for line in answers]
    tokens = read_tokens(file)
    by_id = {case.id: case for case in cases(EACH)}
    for model in options.model or ():
        answered = {token.id for token in tokens if token.model == model}
        remaining = [one.id for one in declined(told, model) if one.id not in answered]
        some = [by_id[case_id] for case_id in remaining]
        tokens += append_answers(file, ask(model, some, options.threads))
    write_page(options.out / "servers-declined.md", markdown(told, tokens))


if __name__ == "__main__":
    main()
