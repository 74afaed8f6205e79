"""Measure whether models know when a message needs a tool.

    python -m lton_bench.study.calls.needs

The 162 reported messages follow conversations with tools of six domains that no model was measured
with. Half of them are short and half are long, and messages that need a tool are as long as the
others. They were written by somebody who did not know the methods.

Three ways of deciding are compared: the length of the message, the first token that the model would
write, and the model's state (`lton.generate.need`). A further run asks the remaining models.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lton import Call, LTONError
from lton.engines.llamacpp import LlamaEngine, load
from lton.generate import GuidedOptions
from lton.generate import ask as ask_guided
from lton.generate.chat import build_conversation
from lton.generate.need import find_line
from lton.generate.scaffolds import CALL, NONE
from lton.probe.calibration import (
    LabelledTurn,
    area_under_curve,
    iterate_measured_states,
    read_turns,
)
from lton.schema.toolset import ToolSet
from lton_bench.internals import minified
from lton_bench.markdown_tables import write_head, write_page, write_row
from lton_bench.study import models
from lton_bench.study.packed import content

__all__ = ["Answer", "main", "markdown"]

CONVERSATIONS = Path(__file__).with_name("conversations.json")
WANTED = ("wanted", "follow_up")
UNWANTED = (
    "no_tool",
    "near_miss",
    "small_talk",
    "refusal",
    "earlier_result",
    "missing_value",
)
_MOST_TOKENS = 64
POINTS = (0.0, 0.02, 0.05, 0.1)
"""The shares of wanted calls that may be lost, for the curve."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How a model decides about a message: by its first token, and by its state.

    `word` is the log-ratio between the first token of the likeliest tool and that of the word for
    no call. `need` is the probability that a tool is needed, or None without a measured line.
    """

    model: str
    domain: str
    kind: str
    text: str
    word: float
    need: float | None
    calls: int | None = None
    right: bool | None = None


def is_right(turn: LabelledTurn, calls: Sequence[Call]) -> bool:
    """Return whether calls are those that a turn needs, in any order.

    Strings are compared without case, outer blanks and a final full stop, lists without order.
    """
    expected_calls = list(turn.calls)
    for call in calls:
        fitting = [expected for expected in expected_calls if _fits(call, expected)]
        if not fitting:
            return False
        expected_calls.remove(fitting[0])
    return not expected_calls


def _fits(call: Call, expected: Mapping[str, Any]) -> bool:
    allowed = expected["arguments"]
    if call.name != expected["name"] or not call.arguments.keys() <= allowed.keys():
        return False
    return all(
        _plain(call.arguments.get(name)) in map(_plain, values) for name, values in allowed.items()
    )


def _plain(value: Any) -> str:
    """Return a text that is the same for values that mean the same."""
    if isinstance(value, str):
        return value.strip().rstrip(".").casefold()
    if isinstance(value, list):
        return repr(sorted(map(_plain, value)))
    if isinstance(value, bool) or value is None:
        return repr(value)
    return repr(float(value))


def ask(model: str, turns: Sequence[LabelledTurn], *, threads: int) -> list[Answer]:
    """Return how a model decides about each message."""
    engine = LlamaEngine(load(models.path(model), threads=threads))
    line = find_line(engine)
    answers = []
    for measured in iterate_measured_states(engine, turns):
        turn = measured.turn
        prompt = engine.prompt(build_conversation(turn.messages, turn.tools, show=ToolSet.prompt))
        starts = [NONE, *(CALL.head(tool.name) for tool in turn.tools)]
        firsts = [engine.tokenize(start)[:1] for start in starts]
        _, (none, *heads) = engine.score_pairs([(prompt, first) for first in firsts])
        calls = _guided_calls(engine, turn) if turn.needs_tool else None
        answers.append(
            Answer(
                model=model,
                domain=turn.domain,
                kind=turn.kind,
                text=turn.text,
                word=round(max(heads) - none, 4),
                need=round(line.probability_of_call(measured.state), 6) if line else None,
                calls=None if calls is None else len(calls),
                right=None if calls is None else is_right(turn, calls),
            )
        )
        print(f"{model}: {len(answers)} of {len(turns)}", flush=True)
    return answers


def _guided_calls(engine: LlamaEngine, turn: LabelledTurn) -> Sequence[Call]:
    """Return the calls of a guided answer, as `lton serve --model` gives them."""
    options: GuidedOptions = {
        "tool_choice": "auto",
        "max_tokens": _MOST_TOKENS,
        "show": ToolSet.prompt,
    }
    try:
        answer = ask_guided(engine, turn.messages, turn.tools, retries=0, **options)
    except LTONError as error:
        print(f"{turn.text}: {error}", flush=True)
        return []
    return answer.calls


_ABOUT = """\
`make study-needs` writes these tables: 162 messages, 66 of which need a tool. *Area* is the area
under the curve: how often a message that needs a tool gets a higher score than one that needs none
(0.5 by chance). The next columns show the share of declined messages among those that need no tool,
if this share of wanted calls is lost. *Length* is the baseline that no method may be mistaken for.
The models decide in this process, on a CPU."""
_CALLS = """\
Guided answers with optional calls (`lton serve --model`) at the default point:"""
_DEFAULT = """\
At the default point, by kind of message: declined messages. The first two kinds need a tool, so
these are lost calls. The first token decides for models that are not measured, and over servers."""


def markdown(answers: Sequence[Answer]) -> str:
    """Return the curve of each way, and the default point by kind of message."""
    by_model: dict[str, list[Answer]] = {}
    for answer in answers:
        by_model.setdefault(answer.model, []).append(answer)
    lines = [_ABOUT, ""]
    lines += write_head("", "way", "area", *(f"lost {point:.0%}" for point in POINTS))
    kinds = [kind.replace("_", " ") for kind in (*WANTED, *UNWANTED)]
    defaults = [*write_head("", "way", *kinds)]
    for model, some_answers in by_model.items():
        lines.append(
            write_row(model, "length", *_curve(some_answers, lambda answer: len(answer.text)))
        )
        lines.append(
            write_row(model, "first token", *_curve(some_answers, lambda answer: answer.word))
        )
        defaults.append(
            write_row(model, "first token", *_by_kind(some_answers, lambda answer: answer.word < 0))
        )
        measured = [answer for answer in some_answers if answer.need is not None]
        if measured:
            lines.append(write_row(model, "state", *_curve(measured, _need)))
            defaults.append(write_row(model, "state", *_by_kind(measured, _declines)))
    calls = [*write_head("", "wanted", "called", "right", "not wanted", "called")]
    for model, some_answers in by_model.items():
        calls.append(write_row(model, *_calls(some_answers)))
    return "\n".join([*lines, "", _CALLS, "", *calls, "", _DEFAULT, "", *defaults, ""])


def _calls(answers: Sequence[Answer]) -> list[int]:
    """Return how many messages need a call and get one, and how many get one without a need."""
    needing = [answer for answer in answers if answer.kind in WANTED]
    others = [answer for answer in answers if answer.kind not in WANTED]
    return [
        len(needing),
        len([answer for answer in needing if answer.calls]),
        len([answer for answer in needing if answer.right]),
        len(others),
        len([answer for answer in others if not _declines(answer)]),
    ]


def _declines(answer: Answer) -> bool:
    return answer.word < 0 if answer.need is None else answer.need < 0.5


def _need(answer: Answer) -> float:
    assert answer.need is not None  # the model was measured
    return answer.need


def _curve(answers: Sequence[Answer], score: Callable[[Answer], float]) -> list[str]:
    needing = [score(answer) for answer in answers if answer.kind in WANTED]
    unwanted = [score(answer) for answer in answers if answer.kind not in WANTED]
    return curve_cells(needing, unwanted)


def curve_cells(needing: Sequence[float], unwanted: Sequence[float]) -> list[str]:
    """Return the area under the curve, and the share declined at each share of lost calls."""
    cells = [f"{area_under_curve(needing, unwanted):.3f}"]
    for point in POINTS:
        threshold = sorted(needing)[int(point * len(needing))]
        declined = len([one for one in unwanted if one < threshold])
        cells.append(f"{declined / len(unwanted):.2f}")
    return cells


def default_point_cell(needing: Sequence[float], unwanted: Sequence[float]) -> str:
    """Return how many messages are declined and lost at the default point, the score 0."""
    declined = len([score for score in unwanted if score < 0])
    lost = len([score for score in needing if score < 0])
    return f"{declined} of {len(unwanted)} declined, {lost} of {len(needing)} lost"


def _by_kind(answers: Sequence[Answer], declines: Callable[[Answer], bool]) -> list[str]:
    cells = []
    for kind in (*WANTED, *UNWANTED):
        some = [answer for answer in answers if answer.kind == kind]
        declined = [answer for answer in some if declines(answer)]
        cells.append(f"{len(declined)} of {len(some)}")
    return cells


def read_answers(file: Path) -> list[Answer]:
    """Return the recorded answers of a file, which may be packed."""
    rows: Sequence[Mapping[str, object]] = [json.loads(line) for line in content(file).splitlines()]
    return [Answer(**row) for row in rows]  # type: ignore[arg-type] # as they were written


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the models that were not asked yet, and write the answers and the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", choices=[*models.MODELS])
    parser.add_argument("--threads", type=int, default=1, help="of llama.cpp")
    parser.add_argument("--out", type=Path, default=Path("build/study"))
    options = parser.parse_args(arguments)
    file = options.out / "study" / "needs.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    answers = read_answers(file)
    turns = read_turns(CONVERSATIONS)
    for model in options.model or models.MODELS:
        if model not in {answer.model for answer in answers}:
            answers += ask(model, turns, threads=options.threads)
            file.write_text("".join(minified(asdict(one)) + "\n" for one in answers), "utf-8")
    write_page(options.out / "needs.md", markdown(answers))


if __name__ == "__main__":
    main()
