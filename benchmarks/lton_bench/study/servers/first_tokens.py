"""Measure how well the first tokens of a server's answer show that a message needs a tool.

    python -m lton_bench.study.servers.first_tokens --model qwen-0.5b --out benchmarks/results

A llama.cpp server is asked for the likeliest first tokens of its answers: to the 162 messages that
models are measured with (`lton probe --calibrate`), and to the 162 reported messages. The line is
fitted to the first ones. Messages without an answer are asked, and without a model the tables of
the recorded answers are written.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lton.generate.need import FirstTokenLine, FirstTokens
from lton.probe.asking import ChatClient, first_model
from lton.probe.calibration import (
    Calibration,
    LabelledTurn,
    ScoredTurn,
    begins_like_call,
    fit_first_token_line,
    iterate_first_tokens,
    read_turns,
    shipped_turns,
)
from lton_bench.markdown_tables import write_page
from lton_bench.study import models
from lton_bench.study.calls.needs import CONVERSATIONS, POINTS, curve_cells, default_point_cell
from lton_bench.study.packed import append_answers, content
from lton_bench.study.servers.questions import llama

FITTED = "fitted"
REPORTED = "reported"
_DIGITS = 2
"""The digits of a logarithm behind the point."""
_HEADING = """\
`make study-servers` writes this. *Left out* are the messages of conversations that were left out of
the fit in turn, and *reported* are other messages. The columns with percentages have the share of
the messages that need no tool and are declined, at the point where this share of the messages that
need one is lost. *Default* is the default point, for all messages, and for those whose answer
begins like a call. Only those are checked. A message that needs no tool is *declined*, and one that
needs a tool is *lost*.
"""


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """The likeliest first tokens of a model's answer to a message, with their logarithms."""

    model: str
    half: str
    domain: str
    kind: str
    text: str
    tokens: FirstTokens


def turns_of(half: str) -> list[LabelledTurn]:
    """Return the messages of a half."""
    return shipped_turns() if half == FITTED else read_turns(CONVERSATIONS)


def client_of(url: str) -> ChatClient:
    """Return a client that asks the first model of a server."""
    client = ChatClient(url=url, model="", tools=(), timeout_s=600.0)
    return replace(client, model=first_model(client))


def ask(url: str, model: str, half: str, turns: Sequence[LabelledTurn]) -> Iterator[FirstAnswer]:
    """Ask a server about messages of a half."""
    client = client_of(url)
    for rank, (turn, likeliest) in enumerate(iterate_first_tokens(client, turns), 1):
        print(f"{model}, {half}: {rank} of {len(turns)}", flush=True)
        tokens = {token: round(number, _DIGITS) for token, number in likeliest.items()}
        yield FirstAnswer(model, half, turn.domain, turn.kind, turn.text, tokens)


def read_answers(file: Path) -> list[FirstAnswer]:
    """Return the recorded answers of a file, which may be packed."""
    return [FirstAnswer(**json.loads(line)) for line in content(file).splitlines()]


def fit_model(answers: Sequence[FirstAnswer]) -> Calibration[FirstTokenLine]:
    """Fit the line of a model to its answers to the messages that models are measured with."""
    return fit_first_token_line(_pairs(answers, FITTED))


def score_reported(line: FirstTokenLine, answers: Sequence[FirstAnswer]) -> list[ScoredTurn]:
    """Return the scores of the reported messages by a line."""
    return [
        ScoredTurn(turn, line.log_odds_of_call(tokens), begins_like_call(turn, tokens))
        for turn, tokens in _pairs(answers, REPORTED)
    ]


def _pairs(answers: Sequence[FirstAnswer], half: str) -> list[tuple[LabelledTurn, FirstTokens]]:
    turns = {turn.text: turn for turn in turns_of(half)}
    return [(turns[one.text], one.tokens) for one in answers if one.half == half and one.tokens]


def markdown(answers: Sequence[FirstAnswer]) -> str:
    """Return the table of all models."""
    shares = [f"{point:.0%} lost" for point in POINTS]
    names = ["model", "messages", "area", *shares, "default", "default, begin like a call"]
    lines = [_HEADING, f"| {' | '.join(names)} |", f"|---|---|{'---:|' * (len(names) - 2)}"]
    for model in dict.fromkeys(answer.model for answer in answers):
        some = [answer for answer in answers if answer.model == model]
        fitted = fit_model(some)
        reported = score_reported(fitted.line, some)
        for half, scored in (("left out", fitted.left_out), (REPORTED, reported)):
            checked = [one for one in scored if one.is_checked]
            cells = curve_cells(*_scores_by_need(scored))
            cells += [default_point_cell(*_scores_by_need(part)) for part in (scored, checked)]
            lines.append(f"| {model} | {half} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _scores_by_need(scored: Sequence[ScoredTurn]) -> tuple[list[float], list[float]]:
    """Return the scores of the messages that need a tool, and of the others."""
    needing = [one.score for one in scored if one.turn.needs_tool]
    unwanted = [one.score for one in scored if not one.turn.needs_tool]
    return needing, unwanted


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask about the remaining messages, and write the answers and the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", default=[], choices=[*models.MODELS])
    parser.add_argument("--threads", type=int, default=1, help="of llama.cpp")
    parser.add_argument("--out", type=Path, default=Path("build/study"))
    options = parser.parse_args(arguments)
    file = options.out / "study" / "first-tokens.jsonl"
    answers = read_answers(file)
    for model in options.model:
        answered = {(one.half, one.text) for one in answers if one.model == model}
        remaining = {
            half: [turn for turn in turns_of(half) if (half, turn.text) not in answered]
            for half in (FITTED, REPORTED)
        }
        if any(remaining.values()):
            with llama(model, options.threads) as url:
                for half, turns in remaining.items():
                    answers += append_answers(file, ask(url, model, half, turns))
    write_page(options.out / "needs-servers.md", markdown(answers))


if __name__ == "__main__":
    main()
