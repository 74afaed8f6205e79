"""Measure the processor time of guided answers against JSON constrained by the tools' schemas.

Both ways run in this process with one thread, in turn for each question. First, another question
about the same tools is asked in the same way, so that both ways have read the tools. Then the
question is asked, and only this answer is timed.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from statistics import mean, median
from time import process_time
from typing import Any, Literal, TypeAlias, get_args

from lton import Call, ToolSet
from lton.engines import llamacpp
from lton.errors import LTONError
from lton.generate import ask
from lton_bench.internals import minified
from lton_bench.study.calls.answers import question
from lton_bench.study.judge import judge
from lton_bench.study.models import MODELS, path
from lton_bench.study.models import name as full_name
from lton_bench.study.packed import content, unpack
from lton_bench.study.tasks import Case, reported

__all__ = ["WAYS", "table"]

Way = Literal["JSON", "guided"]
WAYS: tuple[Way, ...] = get_args(Way)
Line: TypeAlias = dict[str, Any]
"""A line of the result file: an answer with its time."""
_CATEGORIES = ("multiple", "simple_python", "live_simple")
"""The categories of questions that need one call, which are asked in turn."""
_MOST = 192
"""The maximum number of sampled tokens of an answer."""
_CONTEXT = 2048
_OTHER = "What can you do for me today?"
"""The question that is asked first, so that the model has read the tools."""
_ASKED = 'Answer with one tool call in JSON: {"name":"...","arguments":{...}}. Tools:\n'
_HEAD = """\
`make study-times` writes this table. *JSON* is constrained by the JSON Schemas of the tools, with
llama-cpp-python's own grammars and sampler. *Time* is processor time per answer, without the time
for reading the tools, which both ways have read before. The ratios are to JSON: of all times
together, the median of the ratios of single questions, and of all times of questions that both ways
answer rightly. The largest ratios come first.

| model | way | questions | right | tokens sampled | time, s | of JSON's | median | both right |
|---|---|---:|---:|---:|---:|---:|---:|---:|
"""


def _cases(count: int) -> list[Case]:
    pool = reported()
    in_turn = chain(*zip(*(pool[name] for name in _CATEGORIES), strict=False))
    return [case for case, _ in zip(in_turn, range(count), strict=False)]


def _schema(case: Case) -> str:
    """Return the JSON Schema of a call to one of a question's tools."""
    calls = [
        {
            "type": "object",
            "properties": {
                "name": {"const": tool["function"]["name"]},
                "arguments": tool["function"]["parameters"],
            },
            "required": ["name", "arguments"],
        }
        for tool in case.tools
    ]
    return json.dumps(calls[0] if len(calls) == 1 else {"anyOf": calls})


class _Asker:
    """Asks a model in this process."""

    def __init__(self, model: str) -> None:
        self.llm = llamacpp.load(path(model), context=_CONTEXT)

    def ask_in_json(self, case: Case, text: str, most: int) -> tuple[list[Call], int]:
        """Return the calls of an answer in JSON, and the number of sampled tokens."""
        library: Any = __import__("llama_cpp")
        grammar = library.LlamaGrammar.from_json_schema(_schema(case), verbose=False)
        definitions = "\n".join(minified(tool) for tool in case.tools)
        messages = [
            {"role": "system", "content": _ASKED + definitions},
            {"role": "user", "content": text},
        ]
        prompt = llamacpp.LlamaEngine(self.llm).prompt(messages)
        completion = self.llm.create_completion(
            prompt, grammar=grammar, max_tokens=most, temperature=0, seed=0
        )
        choice = completion["choices"][0]
        ended = choice["finish_reason"] == "stop"
        sampled = completion["usage"]["completion_tokens"] + ended
        with suppress(ValueError):
            call = json.loads(choice["text"])
            return [Call(call["name"], call["arguments"])], sampled
        return [], sampled

    def ask_guided(self, case: Case, text: str, most: int) -> tuple[list[Call], int]:
        """Return the calls of a guided answer, and the number of sampled tokens."""
        tools = ToolSet.from_tools(case.tools)
        try:
            generation = ask(self.llm, text, tools, retries=0, max_tokens=most)
        except LTONError:
            return [], most
        return generation.calls, generation.spent.sampled

    def time_answer(self, case: Case, way: Way) -> Line:
        """Return the line of the result file for an answer."""
        answer = self.ask_in_json if way == "JSON" else self.ask_guided
        answer(case, _OTHER, 1)
        started = process_time()
        calls, sampled = answer(case, question(case), _MOST)
        seconds = process_time() - started
        return {
            "category": case.category,
            "id": case.id,
            "way": way,
            "right": bool(calls) and judge(case, calls) is None,
            "sampled": sampled,
            "seconds": round(seconds, 3),
            "calls": [[call.name, call.arguments] for call in calls],
        }


def _pairs(lines: Sequence[Mapping[str, Any]]) -> dict[str, list[dict[str, Mapping[str, Any]]]]:
    """Return the answers to each question in every way, by model."""
    answers = defaultdict[tuple[str, str], dict[str, Mapping[str, Any]]](dict)
    for line in lines:
        answers[line["model"], line["id"]][line["way"]] = line
    models = defaultdict[str, list[dict[str, Mapping[str, Any]]]](list)
    for (model, _), ways in answers.items():
        if ways.keys() == {*WAYS}:
            models[model].append(ways)
    return models


def _ratio(pairs: Sequence[Mapping[str, Mapping[str, Any]]]) -> float:
    guided, in_json = (sum(pair[way]["seconds"] for pair in pairs) for way in ("guided", "JSON"))
    return float(guided / in_json) if pairs else 0.0


def _rows(lines: Sequence[Mapping[str, Any]]) -> Iterator[list[object]]:
    models = _pairs(lines)
    for model in sorted(models, key=lambda name: _ratio(models[name]), reverse=True):
        pairs = models[model]
        both = [pair for pair in pairs if pair["JSON"]["right"] and pair["guided"]["right"]]
        ratios = [
            f"{_ratio(pairs):.2f}",
            f"{median(_ratio([pair]) for pair in pairs):.2f}",
            f"{_ratio(both):.2f} ({len(both)})" if both else "",
        ]
        for way in reversed(WAYS):
            answers = [pair[way] for pair in pairs]
            yield [
                model,
                way,
                len(answers),
                sum(line["right"] for line in answers),
                f"{mean(line['sampled'] for line in answers):.1f}",
                f"{mean(line['seconds'] for line in answers):.2f}",
                *(ratios if way == "guided" else ["1.00", "1.00", "1.00"]),
            ]


def table(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of the results.

    >>> lines = [
    ...     {"model": "m", "way": way, "id": "1", "right": True, "sampled": 20, "seconds": seconds}
    ...     for way, seconds in (("JSON", 4.0), ("guided", 3.0))
    ... ]
    >>> for line in table(lines).splitlines()[-2:]:
    ...     print(line)
    | m | guided | 1 | 1 | 20.0 | 3.00 | 0.75 | 0.75 | 0.75 (1) |
    | m | JSON | 1 | 1 | 20.0 | 4.00 | 1.00 | 1.00 | 1.00 |
    """
    return _HEAD + "".join(f"| {' | '.join(map(str, row))} |\n" for row in _rows(lines))


def _load_lines(file: Path) -> list[Line]:
    return [json.loads(line) for line in content(file).splitlines()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask what the result file lacks, and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", help="default: all of `make study-full`")
    parser.add_argument("--questions", type=int, default=24)
    parser.add_argument("--out", type=Path, default=Path("build/study"))
    options = parser.parse_args(arguments)
    file = options.out / "study" / "times.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    answered = {(line["model"], line["id"], line["way"]) for line in _load_lines(file)}
    for model in options.model or MODELS:
        name = full_name(model)
        missing = [
            (case, way)
            for number, case in enumerate(_cases(options.questions))
            for way in (WAYS if number % 2 else WAYS[::-1])
            if (name, case.id, way) not in answered
        ]
        if not missing:
            continue
        unpack(file)
        asker = _Asker(model)
        with file.open("a", encoding="utf-8") as lines:
            for case, way in missing:
                line = {"model": name, **asker.time_answer(case, way)}
                print(json.dumps(line), file=lines, flush=True)
    (options.out / "times.md").write_text(table(_load_lines(file)), "utf-8")


if __name__ == "__main__":
    main()
