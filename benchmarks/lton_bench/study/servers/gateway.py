"""Compare the gateway with a server's own tool calling.

    python -m lton_bench.study.servers.gateway

OpenAI's client asks each case in three ways, one after the other, so other load on the machine
affects all ways. Another run does not repeat questions. Each engine has one thread, and the models
are asked in parallel.

Agents send the same tools again and again. So before each case, another question with the same
tools is asked for one token. Then the server has cached the tools, and the second request is timed.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import version
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

from lton import Call
from lton_bench.demo import start_server
from lton_bench.study import models
from lton_bench.study.calls.answers import CUT_OFF, MAX_TOKENS, UNREADABLE, Sample
from lton_bench.study.calls.runner import CONTEXT, Samples
from lton_bench.study.judge import judge
from lton_bench.study.servers.gateway_report import (
    CONDITIONS,
    GUIDED,
    OWN,
    UPSTREAM,
    markdown,
    page_table,
    summary,
)
from lton_bench.study.servers.gateway_templates import TEMPLATES
from lton_bench.study.tasks import SEED, Case, development, reported
from lton_bench.tokens.report import update_page

CASES = 200
FIRST = "Hello! What can you do for me?"
"""The question before each case, so that the tools have been read."""
_TURNS = ("simple_python", "multiple", "live_simple", "simple_python", "parallel")
"""The categories from which cases are taken in turn, so that each part of the cases is mixed."""


def cases(pool: Mapping[str, Sequence[Case]]) -> list[Case]:
    """Return the cases in the order of the questions."""
    left = {category: iter(some) for category, some in pool.items()}
    turns = zip(*(left[category] for category in _TURNS), strict=False)
    return list(chain.from_iterable(turns))


def settings() -> dict[str, Any]:
    """Return the settings that affect an answer."""
    packages = ("xllamacpp", "llama-cpp-python", "openai")
    return {
        "seed": SEED,
        "max_tokens": MAX_TOKENS,
        "versions": {name: version(name) for name in packages},
    }


# --- what is asked --------------------------------------------------------------------------------


@contextmanager
def serving(model: str) -> Iterator[dict[str, str]]:
    """Start all conditions; yield the address of each by its name."""
    file = str(models.path(model))
    server = start_server(CONTEXT, models.path(model), template=TEMPLATES[model])
    with ExitStack() as stack:
        own = server.listening_address
        options = (("--upstream", own), ("--model", file, "--threads", "1"))
        before, guided = (
            stack.enter_context(served_by_lton("--calls", "lton", *some)) for some in options
        )
        yield {OWN: own, UPSTREAM: before, GUIDED: guided}


@contextmanager
def served_by_lton(*options: str) -> Iterator[str]:
    """Start `lton serve`; yield its address. Raises `ChildProcessError` if it does not start."""
    command = (sys.executable, "-m", "lton", "serve", *options, "--port", "0")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:  # noqa: S603 - ours
        assert child.stdout is not None
        try:
            if not (address := child.stdout.readline().strip()):
                raise ChildProcessError("lton serve did not start")
            yield address
        finally:
            child.terminate()


def ask(
    client: Any,
    model: str,
    condition: str,
    case: Case,
    *,
    tool_choice: str = "required",
    most: int = MAX_TOKENS,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Any]:
    """Ask a case; return a sample also for failures."""
    import openai  # noqa: PLC0415 - reports need no client

    several = case.category == "parallel"
    options: dict[str, Any] = {
        "model": model,
        "tools": case.tools,
        "tool_choice": tool_choice,
        "parallel_tool_calls": several,
        "temperature": 0,
    }
    content, calls, reason, failure = "", [], "", ""
    usage: Mapping[str, Any] = {}
    first = [*case.messages[:-1], {"role": "user", "content": FIRST}]
    with suppress(openai.APIError):  # a server may find no call in one token; it has read the tools
        client.chat.completions.create(messages=first, max_tokens=1, **options)
    began = clock()
    try:
        said = client.chat.completions.create(
            messages=case.messages, max_tokens=most * (1 + several), **options
        )
    except openai.APIError as error:
        failure, content = "error", str(error)
        seconds = clock() - began
    else:
        seconds = clock() - began
        [choice], usage = said.choices, said.usage.model_dump()
        content, reason = choice.message.content or "", choice.finish_reason
        calls = [
            [each.function.name, each.function.arguments]
            for each in choice.message.tool_calls or ()
        ]
        failure = str(_judged(case, calls, reason))
    return {
        "model": model,
        "condition": condition,
        "category": case.category,
        "id": case.id,
        "content": content,
        "calls": calls,
        "reason": reason,
        "failure": failure,
        "prompt": usage.get("prompt_tokens", 0),
        "cached": (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0,
        "sampled": usage.get("completion_tokens", 0),
        "seconds": round(seconds, 3),
    }


def _judged(case: Case, written: Sequence[Sequence[str]], reason: str) -> str:
    cut = reason == "length"
    try:
        calls = [Call(name, json.loads(arguments)) for name, arguments in written]
    except ValueError:
        return CUT_OFF if cut else UNREADABLE
    return CUT_OFF if cut and case.answers and not calls else judge(case, calls) or ""


# --- the command ----------------------------------------------------------------------------------


def main() -> int:
    """Ask the remaining questions, and write the results."""
    parser = argparse.ArgumentParser(
        prog="python -m lton_bench.study.servers.gateway", description=__doc__
    )
    add = parser.add_argument
    add("--cases", type=int, default=CASES, metavar="N")
    add("--model", action="append", metavar="MODEL", choices=[*models.MODELS])
    add("--development", action="store_true", help="the cases to choose by, not those reported")
    add("--minutes", type=float, default=1e9, metavar="N", help="0 reports what was asked, only")
    add("--samples", type=Path, default=Path("build/study/gateway.jsonl"))
    add("--out", type=Path, default=Path("build/study"))
    add("--into", type=Path, metavar="FILE", help="write the table of this page")
    options = parser.parse_args()
    samples = Samples(options.samples, settings())
    names = options.model or models.SMALL
    pool = development() if options.development else reported()
    some = list(islice(cases(pool), options.cases))
    try:
        if options.minutes:
            _run(names, some, samples, time.monotonic() + 60 * options.minutes)
    except KeyboardInterrupt:
        print("stopped; another run goes on from here")
    if not samples.found:
        return 1
    results = {"versions": settings()["versions"], "models": summary(samples.found.values())}
    options.out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    (options.out / "study-gateway.json").write_text(text + "\n", "utf-8")
    (options.out / "study-gateway.md").write_text(markdown(results), "utf-8")
    if options.into:
        update_page(options.into, page_table(results))
    print(f"written: {options.out}/study-gateway.json, study-gateway.md")
    return 0


def _run(names: Sequence[str], some: Sequence[Case], samples: Samples, end: float) -> None:
    """Ask the models in parallel, in step; no case begins after `end`."""
    from openai import OpenAI  # noqa: PLC0415 - reports need no client

    def answered(model: str, case: Case) -> list[dict[str, Any]]:
        return [
            ask(clients[model, condition], model, condition, case)
            for condition in CONDITIONS
            if (model, condition, case.id) not in samples.found
        ]

    left = [
        case
        for case in some
        if any((name, one, case.id) not in samples.found for name in names for one in CONDITIONS)
    ]
    if not left:
        return
    with ExitStack() as stack, ThreadPoolExecutor(len(names)) as pool:
        clients = {
            (name, condition): OpenAI(
                base_url=f"{url}/v1", api_key="none", max_retries=0, timeout=300
            )
            for name in names
            for condition, url in stack.enter_context(serving(name)).items()
        }
        for number, case in enumerate(left, 1):
            if time.monotonic() > end:
                return
            for found in pool.map(answered, names, [case] * len(names)):
                for sample in found:
                    samples.add(cast("Sample", sample))
            print(f"{number} of {len(left)} cases", flush=True)


if __name__ == "__main__":
    sys.exit(main())
