"""Ask up to 100 questions about the same 20 tools one after another, as an agent does.

    python -m lton_bench.study.staying --model smollm2 --out benchmarks/results

Each condition has its own engine with a cache. Another question comes before the first question, so
the cache has the tools. The conditions take turns, question by question, so other load on the
machine affects all of them. Another run does not repeat questions. Times are only meaningful on an
idle machine, so they are measured separately: `--time 20` asks the first 20 questions of each
condition again, and prints ratios; `--threads 2` uses two threads.

The tools and questions are from cases of BFCL with one call that are not used in development. Cases
that define the same name in another way count as another tool. Tools with most questions come
first, then tools by name. A tool whose name ends in the same word as an earlier tool's is left out,
because both would do the same. Each of 20 tools has 5 questions, in the order of a hash.
"""

import argparse
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias, cast

from lton.engines import Engine, llamacpp, outlines
from lton.engines.server import ServerEngine
from lton_bench import bfcl
from lton_bench.demo import start_server
from lton_bench.study import gateway, models
from lton_bench.study.answers import MAX_TOKENS, Sample, answer, counted
from lton_bench.study.conditions import CONDITIONS, Condition
from lton_bench.study.figures import accuracy, compare
from lton_bench.study.gateway_templates import TEMPLATES
from lton_bench.study.judge import Failure
from lton_bench.study.outlines_engine import OutlinesEngine
from lton_bench.study.report import head, interval, row
from lton_bench.study.runner import Samples
from lton_bench.study.tasks import SEED, Case, answerable, development, rank

TOOLS, QUESTIONS = 20, 5
ROOM = 4096
SCHEMA_ROOM = 8192
"""The context for JSON Schema, which is four times as long as signatures."""
SOURCES = ("live_simple", "live_multiple", "simple_python", "multiple")
_HOW = {condition.name: condition for condition in CONDITIONS}
_GUIDED, _JSON, _WIRE = "guided, call", "JSON minified", "LTON wire"
OWN = "server: its own tool calling"
BASELINE = f"embedded: {_JSON}"
WAYS: Mapping[str, tuple[str, Condition]] = {
    f"{engine}: {name}": (engine, _HOW[name])
    for engine, names in (
        ("embedded", (_GUIDED, _JSON, _WIRE)),
        ("server", (_GUIDED, _JSON, _WIRE)),
        ("Outlines", (_JSON, _WIRE)),
    )
    for name in names
}
"""The ways by name, except the server's own: the engine of the model, and the condition."""
MEASURES = ("prompt", "read", "sampled")
TIMES = ("seconds", "writing", "wall")

Found: TypeAlias = dict[str, Any]


# --- what is asked --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stream:
    """The tools, and the cases that call them."""

    tools: list[dict[str, Any]]
    cases: Sequence[Case]


def select(
    pool: Sequence[Case], known: Sequence[Case], tools: int = TOOLS, questions: int = QUESTIONS
) -> Stream:
    """Return `tools` tools with `questions` questions per tool, as described above.

    `known` are the development cases. Raises `ValueError` if there are too few questions.
    """
    looked_at = {_asks(case) for case in known}
    wanted: dict[str, dict[str, Case]] = {}
    for case in pool:
        if len(case.answers) == 1 and answerable(case) and _asks(case) not in looked_at:
            [(name, _)] = case.answers[0].items()
            for tool in case.tools:
                if tool["function"]["name"] == name:
                    found = wanted.setdefault(json.dumps(tool, sort_keys=True), {})
                    found.setdefault(_asks(case), case)
    names, chosen = set[str](), list[dict[str, Any]]()
    asked: list[Case] = []
    for text in sorted(wanted, key=lambda text: (-len(wanted[text]), text)):
        tool = json.loads(text)
        last = re.split(r"[._]", tool["function"]["name"])[-1].casefold()
        if len(wanted[text]) >= questions and last not in names and len(chosen) < tools:
            names.add(last)
            chosen.append(tool)
            asked += sorted(wanted[text].values(), key=rank)[:questions]
    if len(chosen) < tools:
        raise ValueError(f"expected {tools} tools of {questions} questions, found {len(chosen)}")
    return Stream(chosen, [replace(case, tools=chosen) for case in sorted(asked, key=rank)])


def _asks(case: Case) -> str:
    return case.messages[-1]["content"].strip().casefold()


@cache
def stream() -> Stream:
    """Return the tools and cases of the benchmark.

    >>> len(stream().tools), len(stream().cases)
    (20, 100)
    """
    pool = [case for source in SOURCES for case in bfcl.entries(source)]
    return select(pool, [case for cases in development().values() for case in cases])


def first() -> Case:
    """Return the question before the first question, so that the tools have been read."""
    return replace(stream().cases[0], messages=[{"role": "user", "content": gateway.FIRST}])


def settings() -> dict[str, Any]:
    """Return the settings that affect an answer."""
    packages = ("llama-cpp-python", "xllamacpp", "outlines", "llguidance")
    return {
        "seed": SEED,
        "max_tokens": MAX_TOKENS,
        "versions": {name: version(name) for name in packages},
    }


# --- who is asked ---------------------------------------------------------------------------------


def ask(engine: Engine, model: str, way: str, case: Case) -> Found:
    """Ask a case. `read` counts all read tokens, including the prompt."""
    counting, started = counted(engine), time.perf_counter()
    found = answer(counting, model, WAYS[way][1], case)
    wall = round(time.perf_counter() - started, 3)
    return {**found, "condition": way, "read": counting.fed, "wall": wall}


def ask_own(client: Any, model: str, way: str, case: Case) -> Found:
    """Ask a server by its own tool calling, which reports the cached tokens."""
    found = gateway.ask(client, model, way, case)
    wall, read = found.pop("seconds"), found["prompt"] - found["cached"]
    return {**found, "read": read, "wall": wall}


def asker(model: str, way: str, threads: int) -> Callable[[Case], Found]:
    """Start the engine of a condition, ask another question, and return a function for cases."""
    if way == OWN:
        from openai import OpenAI  # noqa: PLC0415 - reports need no client

        server = start_server(
            SCHEMA_ROOM, models.path(model), threads=threads, template=TEMPLATES[model]
        )
        url = f"{server.listening_address}/v1"
        client = OpenAI(base_url=url, api_key="none", max_retries=0, timeout=600)
        # A server ends when nothing refers to it.
        found = partial(_keeping, server, partial(ask_own, client, model, way))
    elif WAYS[way][0] == "server":
        server = start_server(ROOM, models.path(model), threads=threads)
        engine: Engine = ServerEngine(server.listening_address, timeout_s=600)
        found = partial(_keeping, server, partial(ask, engine, model, way))
    else:
        file = models.path(model)
        if WAYS[way][0] == "embedded":
            engine = llamacpp.LlamaEngine(llamacpp.load(file, context=ROOM, threads=threads))
        else:
            engine = OutlinesEngine(outlines.load(file, context=ROOM, threads=threads))
        found = partial(_keeping, engine, partial(ask, engine, model, way))
    found(first())
    return found


def _keeping(_: Any, asking: Callable[[Case], Found], case: Case) -> Found:
    return asking(case)


# --- what is told ---------------------------------------------------------------------------------


def summary(samples: Sequence[Found], measures: Sequence[str]) -> dict[str, Any]:
    """Return the figures by model and condition, compared with the baseline on the same cases."""
    found: dict[str, dict[str, dict[str, Found]]] = {}
    for sample in samples:
        ways = found.setdefault(sample["model"], {})
        ways.setdefault(sample["condition"], {})[sample["id"]] = sample
    figures: dict[str, Any] = {}
    for model, ways in found.items():
        for way, answers in ways.items():
            shared = sorted(answers.keys() & ways.get(BASELINE, {}).keys())
            if shared:
                ours, base = ([of[id_] for id_ in shared] for of in (answers, ways[BASELINE]))
                figures.setdefault(model, {})[way] = _figures(ours, base, measures)
    return figures


def _figures(
    some: Sequence[Found], base: Sequence[Found], measures: Sequence[str]
) -> dict[str, Any]:
    right, theirs = ([not one["failure"] for one in each] for each in (some, base))
    figures: dict[str, Any] = {
        "cases": len(some),
        "accuracy": asdict(accuracy(right)),
        "tool": sum(map(_has_tool, some)) / len(some),
        "difference": asdict(compare(right, theirs).difference),
    }
    for measure in measures:
        ours, base_ = _mean(some, measure), _mean(base, measure)
        figures[measure] = ours
        figures[f"{measure}_ratio"] = None if ours is None or not base_ else ours / base_
    return figures


def _has_tool(sample: Found) -> bool:
    """Return whether the answer is a complete call of the right tool."""
    return bool(sample["calls"]) and sample["failure"] != str(Failure.WRONG_TOOL)


def _mean(samples: Sequence[Found], measure: str) -> float | None:
    found = [one[measure] for one in samples if measure in one]
    return sum(found) / len(found) if found else None


def markdown(figures: Mapping[str, Any], measures: Sequence[str]) -> Iterator[str]:
    """Yield a table for each model; ratios are relative to JSON from this process."""
    for model, ways in figures.items():
        columns = [cell for measure in measures for cell in (measure, "of JSON's")]
        yield from (f"## {model}", "")
        yield from head("", "cases", "right", "difference from JSON", "right tool", *columns)
        for way, one in ways.items():
            cells = [
                _cell(one[key]) for measure in measures for key in (measure, f"{measure}_ratio")
            ]
            less = "" if way == BASELINE else interval(one["difference"])
            tool = _cell(one["tool"])
            yield row(way, one["cases"], interval(one["accuracy"]), less, tool, *cells)
        yield ""


def _cell(found: float | None) -> str:
    return "" if found is None else f"{found:.0f}" if found >= 100 else f"{found:.2f}"


def write(out: Path, name: str, figures: Mapping[str, Any], measures: Sequence[str]) -> None:
    """Write figures as JSON and as Markdown, and print the tables."""
    lines = "\n".join(markdown(figures, measures))
    (out / f"{name}.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    about = (
        "Written by `make study-staying`. Each model was asked up to 100 questions about the same"
        " 20 tools, one after another, as an agent does."
    )
    (out / f"{name}.md").write_text(f"# A fixed set of 20 tools\n\n{about}\n\n{lines}", "utf-8")
    print(lines)


# --- the command ----------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the remaining questions, or measure times, and write the results."""
    parser = argparse.ArgumentParser(
        prog="python -m lton_bench.study.staying", description=(__doc__ or "").partition("\n")[0]
    )
    add = parser.add_argument
    add("--model", action="append", metavar="MODEL", required=True, help="a GGUF file, or a name")
    add("--cases", type=int, default=TOOLS * QUESTIONS, metavar="N")
    add("--only", action="append", metavar="TEXT", help="conditions whose name has this in it")
    add("--time", type=int, metavar="N", help="ask the first N questions again, and tell the times")
    add("--threads", type=int, default=1, metavar="N", help="of each engine, with --time")
    add("--out", type=Path, required=True, help="the folder of the results")
    options = parser.parse_args(arguments)
    only = options.only or [""]
    ways = [way for way in (*WAYS, OWN) if any(text in way for text in only)]
    cases = stream().cases
    if options.time:
        found = list[Found]()
        for model in options.model:
            _ask(model, ways, cases[: options.time], set(), found.append, options.threads)
        name = f"staying-times-{options.threads}"
        write(options.out, name, summary(found, TIMES), TIMES)
        return
    samples = Samples(options.out / "study" / "staying.jsonl", settings())
    for model in options.model:
        known = {(way, id_) for name, way, id_ in samples.found if name == model}
        _ask(model, ways, cases[: options.cases], known, _adding(samples), 1)
    every = [cast("Found", sample) for sample in samples.found.values()]
    write(options.out, "staying", summary(every, MEASURES), MEASURES)


def _adding(samples: Samples) -> Callable[[Found], None]:
    return lambda found: samples.add(cast("Sample", found))


def _ask(
    model: str,
    ways: Sequence[str],
    cases: Sequence[Case],
    known: set[tuple[str, str]],
    tell: Callable[[Found], None],
    threads: int,
) -> None:
    """Ask the conditions in turn, case by case."""
    askers = dict[str, Callable[[Case], Found]]()
    for number, case in enumerate(cases, 1):
        for way in ways:
            if (way, case.id) not in known:
                if way not in askers:
                    askers[way] = asker(model, way, threads)
                tell(askers[way](case))
        print(f"{model}: {number} of {len(cases)} questions", flush=True)


if __name__ == "__main__":
    main()
