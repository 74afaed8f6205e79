"""Count the calls of BFCL that servers deliver: `python -m lton_bench.study.servers.bfcl`.

Each llama.cpp server of `lton_bench.study.servers.questions` is asked cases of BFCL in the same
ways, and BFCL's own checker judges the answers. A later run asks the remaining questions, and a run
with `--each 0` only writes the table.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from lton.apis.registry import APIS
from lton.gateway.native.inquiries import try_make_inquiry
from lton.gateway.native.native_requests import NativeOptions, read_native
from lton.gateway.native.rescues import read_calls
from lton.probe.asking import ChatClient, GivenAnswer
from lton.probe.outcome import is_written
from lton.schema.toolset import ToolSet
from lton.schema.types import Call
from lton_bench.internals import minified, read_json
from lton_bench.markdown_tables import write_head, write_interval, write_page, write_row
from lton_bench.study import models
from lton_bench.study.bfcl_judge import is_right
from lton_bench.study.figures import accuracy
from lton_bench.study.packed import append_answers, content
from lton_bench.study.servers.questions import WAYS, TriedWay, check, llama, reach_server
from lton_bench.study.tasks import Case, reported

__all__ = ["Told", "main", "markdown"]

MODELS = ("qwen-0.5b", "qwen-1.5b")
CATEGORIES = ("simple_python", "multiple", "live_simple", "parallel", "irrelevance")
EACH = 40
"""The number of cases of a category."""
_MOST_TOKENS = 512
_ENGINE = "llama.cpp"
_TRIED = {way.name: way for way in WAYS if not way.engines}
_ALONE, _THROUGH = "the server", "`lton serve`"
_SYNTAXES = frozenset(["tool_call"])
"""The call syntaxes in the templates of the Qwen models, as their servers show them."""


@dataclass(frozen=True, slots=True)
class Told:
    """The answer to a case that the client received, and its cost."""

    model: str
    way: str
    category: str
    id: str
    calls: list[Any]
    text: str
    error: str
    prompt: int
    sampled: int
    seconds: float


def cases(count: int) -> list[Case]:
    """Return `count` cases of each category, in turn."""
    pool = reported()
    return list(chain(*zip(*(pool[name][:count] for name in CATEGORIES), strict=True)))


def ask(url: str, model: str, way: TriedWay, some: Sequence[Case]) -> Iterator[Told]:
    """Ask cases in one way. Every second answer is streamed."""
    with reach_server(url, _ENGINE, way) as (address, name):
        for rank, case in enumerate(some):
            client = ChatClient(url=address, model=name, tools=case.tools, timeout_s=600.0)
            answer = client.ask_question(
                "",
                stream=rank % 2 == 1,
                messages=case.messages,
                max_tokens=_MOST_TOKENS,
                parallel_tool_calls=case.category == "parallel",
                **way.more,
            )
            yield Told(
                model=model,
                way=way.name,
                category=case.category,
                id=case.id,
                calls=[[call.name, call.arguments] for call in answer.calls],
                text=answer.text,
                error=answer.error,
                prompt=answer.prompt,
                sampled=answer.sampled,
                seconds=round(answer.seconds, 3),
            )
            print(f"{model}, {way.name}: {rank + 1} of {len(some)}", flush=True)


def reread(answer: Told, case: Case) -> Told | None:
    """Return what `lton serve` makes of a server's answer, or None if it would ask the model."""
    body = {
        "messages": case.messages,
        "tools": case.tools,
        "parallel_tool_calls": case.category == "parallel",
    }
    allowed = read_native(
        body, b"", APIS["chat"], NativeOptions(retries=1), syntaxes=_SYNTAXES
    ).allowed
    reading = read_calls(answer.text, allowed)
    if try_make_inquiry(reading, answer.text, allowed):
        return None
    if not reading.rescue:
        return replace(answer, way=_THROUGH)
    calls = [[call.name, read_json(call.written)] for call in reading.rescue.calls]
    return replace(answer, way=_THROUGH, calls=calls, text=reading.rescue.before)


def replay_answers(answers: Sequence[Told]) -> list[Told]:
    """Return the answers, with the rows of `lton serve` read again from the servers' answers."""
    cases_by_id = {case.id: case for part in reported().values() for case in part}
    others = [answer for answer in answers if answer.way != _THROUGH]
    rows = (reread(answer, cases_by_id[answer.id]) for answer in others if answer.way == _ALONE)
    return others + [answer for answer in rows if answer]


_ABOUT = """\
`make study-servers` writes this table, too. The cases of BFCL are sent to a llama.cpp server at
temperature 0, and every second answer is streamed. BFCL's own checker judges the calls. Several
calls are allowed only in the cases of *parallel*, and no tool fits the cases of *none*. *Right
tool* is the share of answers that call exactly the expected tools. *Right* has 95 % intervals
(Wilson), and the next four columns show this share by category. Tokens are means per case, as
the server reports them. The answers were generated on one H100 by llama.cpp built for CUDA; on a
CPU, the same command takes hours. The rows of `lton serve` are the recorded answers of the server,
as the gateway reads them (`--replay`). On a CPU, the gateway asked the 0.5B model again about 13
answers, and the 1.5B model about 3. It would also ask the 1.5B model about 10 more answers. This
was not done, so 7 cases, and 3 cases of *none*, are left out of this row."""


def markdown(answers: Sequence[Told]) -> str:
    """Return a table for each model: a row for each way, on the cases asked in all ways."""
    cases_by_id = {case.id: case for part in reported().values() for case in part}
    by_model: dict[str, dict[str, dict[str, Told]]] = {}
    for answer in answers:
        by_model.setdefault(answer.model, {}).setdefault(answer.way, {})[answer.id] = answer
    lines = [_ABOUT, ""]
    for model, ways in by_model.items():
        lines += [f"### {model}", ""]
        counts = ("cases", "written", "delivered", "right tool", "right")
        lines += write_head("", *counts, *CATEGORIES[:-1], "none", "prompt", "sampled")
        for name in filter(ways.__contains__, _TRIED):
            lines.append(write_row(name, *_cells(cases_by_id, ways[name])))
        lines.append("")
        # A model that is guided by `auto` writes other answers than to the server itself.
        if _THROUGH in ways and any(
            _is_written(cases_by_id[i], t) for i, t in ways.get(_ALONE, {}).items()
        ):
            lines += [_check_sentence(ways[_ALONE], ways[_THROUGH]), ""]
    return "\n".join(lines)


def _cells(cases_by_id: Mapping[str, Case], answers: Mapping[str, Told]) -> Iterator[object]:
    needing = [answer for answer in answers.values() if cases_by_id[answer.id].answers]
    right = {answer.id: _right(cases_by_id[answer.id], answer) for answer in answers.values()}
    yield len(needing)
    yield sum(_is_written(cases_by_id[answer.id], answer) for answer in needing)
    yield sum(bool(answer.calls) for answer in needing)
    right_tools = sum(_right_tool(cases_by_id[answer.id], answer) for answer in needing)
    yield f"{right_tools / len(needing):.3f}"
    yield write_interval(asdict(accuracy([right[answer.id] for answer in needing])))
    for category in CATEGORIES:
        some = [right[answer.id] for answer in answers.values() if answer.category == category]
        yield f"{sum(some)} of {len(some)}" if some else ""
    yield f"{sum(answer.prompt for answer in answers.values()) / len(answers):.0f}"
    yield f"{sum(answer.sampled for answer in answers.values()) / len(answers):.0f}"


def _right(case: Case, answer: Told) -> bool:
    return not answer.error and is_right(
        case, [(name, arguments) for name, arguments in answer.calls]
    )


def _right_tool(case: Case, delivered: Told) -> bool:
    expected = [name for answer in case.answers for name in answer]
    return sorted(expected) == sorted(name for name, _ in delivered.calls)


def _is_written(case: Case, answer: Told) -> bool:
    calls = tuple(Call(name, arguments) for name, arguments in answer.calls)
    given_answer = GivenAnswer(
        calls=calls, text=answer.text, error=answer.error, sampled=answer.sampled
    )
    return is_written(given_answer, ToolSet.from_tools(case.tools))


def _check_sentence(alone: Mapping[str, Told], through: Mapping[str, Told]) -> str:
    """Return the sentence on invented and doubled calls, for answers that were asked once."""
    both = list(alone.keys() & through.keys())
    once = [id_ for id_ in both if through[id_].prompt <= alone[id_].prompt]
    ways = {_ALONE: alone, _THROUGH: through}
    counts = check(
        {
            way: {"answers": [_plain_answer(answers[i]) for i in once]}
            for way, answers in ways.items()
        }
    )
    return (
        f"`lton serve`: {counts['invented']} calls invented, {counts['doubled']} doubled in"
        f" {len(once)} answers. For {len(both) - len(once)} answers the model was asked again."
    )


def _plain_answer(answer: Told) -> dict[str, Any]:
    calls = [{"name": name, "arguments": arguments} for name, arguments in answer.calls]
    return {"text": answer.text, "calls": calls}


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the remaining questions, and write the answers and the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", choices=[*models.MODELS])
    parser.add_argument("--way", action="append", choices=[*_TRIED])
    parser.add_argument("--each", type=int, default=EACH, help="cases of each category")
    parser.add_argument("--threads", type=int, default=1, help="of llama.cpp")
    parser.add_argument("--out", type=Path, default=Path("build/study"))
    parser.add_argument("--replay", action="store_true", help="read the servers' answers again")
    options = parser.parse_args(arguments)
    file = options.out / "study" / "servers-bfcl.jsonl"
    answers = [Told(**json.loads(line)) for line in content(file).splitlines()]
    if options.replay:
        answers = replay_answers(answers)
        file.write_text("".join(minified(asdict(answer)) + "\n" for answer in answers), "utf-8")
    answered = {(answer.model, answer.way, answer.id) for answer in answers}
    for model in options.model or MODELS:
        remaining = {
            way: [
                case
                for case in cases(options.each)
                if (model, way, case.id) not in answered
                and (case.answers or _TRIED[way].choice == "auto")
            ]
            for way in options.way or _TRIED
        }
        if any(remaining.values()):
            with llama(model, options.threads) as url:
                for way, some in remaining.items():
                    if some:
                        answers += append_answers(file, ask(url, model, _TRIED[way], some))
    write_page(options.out / "servers-bfcl.md", markdown(answers))


if __name__ == "__main__":
    main()
