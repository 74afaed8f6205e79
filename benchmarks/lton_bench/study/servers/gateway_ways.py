"""Compare all ways to call tools: `python -m lton_bench.study.servers.gateway_ways`.

The ways are a llama.cpp server with each of three templates, and `lton serve` in front of the
server or with the model inside. A call is `required` or optional (`auto`). If it is optional, there
are also cases without a suitable tool. Each case is asked in all ways, one
after the other, after another question with the same tools, so other load on the machine affects
all ways. Another run does not repeat questions.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any, cast

from lton_bench.demo import start_server
from lton_bench.markdown_tables import write_head, write_interval, write_row
from lton_bench.study import models
from lton_bench.study.calls.answers import Sample
from lton_bench.study.calls.runner import CONTEXT, Samples
from lton_bench.study.figures import accuracy, compare
from lton_bench.study.servers.gateway import ask, served_by_lton, settings
from lton_bench.study.servers.gateway_templates import CHATML, TAGGED
from lton_bench.study.tasks import Case, development, reported

__all__ = ["WAYS", "Way", "cases", "markdown"]

MODELS = ("qwen-0.5b", "qwen-1.5b")
EACH = 10
"""The number of cases of a category."""
MOST_TOKENS = 128
"""The most tokens of an answer; prose may be cut off."""
_TURNS = ("simple_python", "multiple", "live_simple", "irrelevance")
_SERVERS = {"own": "", "tags": TAGGED, ">>>": CHATML}
"""The templates of servers; the empty template is the model's own."""
_TIMES = 11, 12
"""The fields of `/proc/PID/stat` after the name with the user and system time of a process."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way: the template of a server, if any, and the options of `lton serve`, if used."""

    name: str
    server: str
    options: tuple[str, ...] | None
    choice: str

    @property
    def address(self) -> tuple[str, tuple[str, ...] | None]:
        """The settings that are equal for ways with the same address."""
        return self.server, self.options


WAYS = (
    Way("llama-server, the model's own template", "own", None, "auto"),
    Way("lton serve --calls native", "own", ("--calls", "native"), "auto"),
    Way("llama-server, a template with examples in tags", "tags", None, "auto"),
    Way("lton serve --calls lton", "own", ("--calls", "lton"), "auto"),
    Way("lton serve --model", "", (), "auto"),
    Way("llama-server, the template with >>>", ">>>", None, "required"),
    Way("lton serve --calls lton, required", "own", ("--calls", "lton"), "required"),
)


def cases(pool: Mapping[str, Sequence[Case]], each: int) -> list[Case]:
    """Return `each` cases of each category, in turn, so that each part of the cases is mixed."""
    return list(chain.from_iterable(zip(*(pool[name][:each] for name in _TURNS), strict=True)))


@contextmanager
def _serving(model: str) -> Iterator[dict[str, str]]:
    """Start all servers of a model; yield the address of each way."""
    file, found = models.path(model), {}
    with ExitStack() as stack:
        servers = {
            name: start_server(CONTEXT, file, template=template)
            for name, template in _SERVERS.items()
        }
        for way in WAYS:
            if way.address in found:
                continue
            if way.options is None:
                found[way.address] = servers[way.server].listening_address
                continue
            before = servers[way.server].listening_address if way.server else ""
            source = ("--upstream", before) if before else ("--model", str(file), "--threads", "1")
            found[way.address] = stack.enter_context(served_by_lton(*source, *way.options))
        yield {way.name: found[way.address] for way in WAYS}


def _processor() -> float:
    """Return the processor seconds of this process and its children (Linux)."""
    tasks = Path("/proc/self/task").glob("*/children")
    children = (pid for task in tasks for pid in task.read_text().split())
    stats = (Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in children)
    ticks = sum(int(stat[at]) for stat in stats for at in _TIMES)
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def _run(model: str, some: Sequence[Case], samples: Samples, end: float) -> None:
    from openai import OpenAI  # noqa: PLC0415 - reports need no client

    left = [
        (case, way)
        for case in some
        for way in WAYS
        if (case.answers or way.choice == "auto")
        and (model, way.name, case.id) not in samples.found
    ]
    if not left or time.monotonic() > end:
        return
    with _serving(model) as urls:
        clients = {
            name: OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0, timeout=300)
            for name, url in urls.items()
        }
        for number, (case, way) in enumerate(left, 1):
            if time.monotonic() > end:
                return
            found = ask(
                clients[way.name],
                model,
                way.name,
                case,
                tool_choice=way.choice,
                max_tokens=MOST_TOKENS,
                clock=_processor,
            )
            samples.add(cast("Sample", found))
            print(f"{model}: {number} of {len(left)}", flush=True)


def main() -> int:
    """Ask the remaining questions, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m lton_bench.study.servers.gateway_ways")
    add = parser.add_argument
    add("--model", action="append", metavar="MODEL", help="or a GGUF file")
    add("--each", type=int, default=EACH, metavar="N", help="cases of each category")
    add("--development", action="store_true", help="the cases to choose by, not those reported")
    add("--minutes", type=float, default=1e9, metavar="N", help="0 reports what was asked, only")
    add("--out", type=Path, default=Path("build/study"), help="the folder of the results")
    options = parser.parse_args()
    pool = development() if options.development else reported()
    samples = Samples(options.out / "study" / "gateway-ways.jsonl", settings(MOST_TOKENS))
    end = time.monotonic() + 60 * options.minutes
    for model in options.model or MODELS:
        _run(model, cases(pool, options.each), samples, end)
    (options.out / "study-ways.md").write_text(markdown(samples.found.values()), "utf-8")
    return 0


# --- what they say --------------------------------------------------------------------------------

_ABOUT = """\
Written by `make study-ways`. OpenAI's client asks the same cases of BFCL in every way, case by
case, and BFCL's rules judge the answers. Three of four cases need a call, and no tool fits the
fourth. *Right* is the share of right answers to the cases that need a call. *None* is the share
for the other cases, which are left out if a call is required. Both kinds of cases have the same
weight in *both*. *Prompt* and *sampled* are mean tokens of the cases that need a call. *Time* is
also for these cases, in processor seconds of server, gateway and client on one thread; an
earlier request had the same tools. *Difference* compares all answers with those in the server's
own best call format, with the same choice of calls."""


def markdown(samples: Iterable[Mapping[str, Any]]) -> str:
    """Return the tables: for each model the ways, on the cases that were asked in each way."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for sample in samples:
        ways = found.setdefault(sample["model"], {way.name: {} for way in WAYS})
        ways[sample["condition"]][sample["id"]] = sample
    lines = [_ABOUT, ""]
    for model, ways in found.items():
        lines += [f"### {model}", "", *_table(ways), ""]
    return "\n".join(lines)


def _table(ways: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield from write_head(
        "", "`tool_choice`", "right", "", "none", "", "both", "difference", "prompt", "sampled",
        "time",
    )  # fmt: skip
    for choice in ("auto", "required"):
        some = {way.name: ways[way.name] for way in WAYS if way.choice == choice}
        ids = sorted(set.intersection(*map(set, some.values())))
        answers = {name: [by_id[each] for each in ids] for name, by_id in some.items()}
        if not ids:
            continue
        own = {way.name for way in WAYS if way.options is None} & answers.keys()
        best = max(sorted(own), key=lambda name: sum(_right(answers[name])))
        for name, given in answers.items():
            yield write_row(name, choice, *_cells(given, None if name == best else answers[best]))


def _cells(given: Sequence[Any], best: Sequence[Any] | None) -> Iterator[str]:
    halves = [
        [one for one in given if (one["category"] == "irrelevance") is is_none]
        for is_none in (False, True)
    ]
    for half in halves:
        right = _right(half)
        yield f"{sum(right)} of {len(right)}" if half else ""
        yield write_interval(asdict(accuracy(right))) if half else ""
    both = [sum(_right(half)) / len(half) for half in halves if half]
    yield f"{sum(both) / len(both):.3f}"
    yield write_interval(asdict(compare(_right(given), _right(best)).difference)) if best else ""
    for key, digits in (("prompt", 0), ("sampled", 1), ("seconds", 1)):
        yield f"{sum(one[key] for one in halves[0]) / len(halves[0]):.{digits}f}"


def _right(samples: Sequence[Mapping[str, Any]]) -> list[bool]:
    return [not one["failure"] for one in samples]


if __name__ == "__main__":
    sys.exit(main())
