"""Run foreign test suites against the gateway: `python -m tests.gateway.foreign CHECKOUT`.

CHECKOUT is a folder with llama.cpp's `tools/server/tests` and `models/templates`; nothing is
downloaded. The tests and `canitoolcall probe` run against a llama.cpp server directly, and then
through the gateway, in both modes. Each test that fails through the gateway is listed with the
reason and the direct result. docs/results/foreign-suites.md explains the failures.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from lton._require import require
from lton.gateway.command import make_options
from lton.gateway.serving import build_application
from lton_bench.demo import model_path
from tests.gateway.conftest import Served

WAYS = ("direct", "native", "lton")
_WIDTH = 110
_CONTEXT = 8192
_MOST_S = 900


@dataclass(frozen=True)
class Suite:
    """A suite of llama.cpp, or a part of it."""

    file: str
    select: str = ""


SUITES = (
    Suite("test_compat_anthropic.py"),
    Suite("test_chat_completion.py"),
    # of the slow ones, those of required calls by one model: the others are of what models say
    Suite("test_tool_call.py", "fast or (required and Qwen2.5-1.5B)"),
)


@contextmanager
def servers(model: Path) -> Iterator[dict[str, str]]:
    """Start a llama.cpp server and a gateway of each mode, and yield their addresses."""
    library = require("xllamacpp", "xllamacpp>=2026.10")
    parameters = library.CommonParams()
    parameters.model.path, parameters.model_alias = str(model), {"llama-test-model"}
    parameters.n_ctx, parameters.n_parallel, parameters.port = _CONTEXT, 1, 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.use_jinja, parameters.verbosity, parameters.n_predict = True, -1, 64
    parameters.sampling.seed = 42
    server = library.Server(parameters)
    upstream = server.listening_address
    gateways = {
        mode: Served(build_application(make_options(upstream=upstream, calls=mode, quiet=True)))
        for mode in WAYS[1:]
    }
    yield {"direct": upstream, **{mode: gateway.url for mode, gateway in gateways.items()}}
    for gateway in gateways.values():
        gateway.close()
    del server


def run_tests(checkout: Path, suite: Suite, url: str) -> dict[str, str]:
    """Return the outcome of each test: "" if it passed, else the reason of the failure."""
    folder = checkout / "tools/server/tests"
    with tempfile.TemporaryDirectory() as report_folder:
        report = Path(report_folder) / "report.xml"
        selected = ("-k", suite.select) if suite.select else ()
        command = ("-m", "pytest", "-q", "-p", "no:cacheprovider", f"unit/{suite.file}", *selected)
        subprocess.run(  # what failed, the report says
            (sys.executable, *command, f"--junitxml={report}"),
            cwd=folder,
            env=os.environ | {"DEBUG_EXTERNAL": "1", "PORT": url.rpartition(":")[2]},
            stdout=subprocess.DEVNULL,
            check=False,
            timeout=_MOST_S,
        )
        cases = ElementTree.parse(report).iter("testcase")
        return {case.get("name", ""): _reason(case) for case in cases}


def _reason(case: ElementTree.Element) -> str:
    for kind in ("failure", "error"):
        if (failure := case.find(kind)) is not None:
            return (failure.get("message") or kind).replace("\n", " ")[:_WIDTH]
    return ""


def probe(url: str) -> dict[str, str]:
    """Return the outcomes of `canitoolcall probe`, in the form of tests."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = (str(Path(sys.executable).with_name("canitoolcall")), "probe", "--model", "m")
        subprocess.run(  # what failed, the report says
            (
                *command,
                "--base-url",
                f"{url}/v1",
                "--timeout",
                "600",
                "--concurrency",
                "1",
                "--json",
                str(report),
            ),
            stdout=subprocess.DEVNULL,
            check=False,
            stderr=subprocess.DEVNULL,
        )
        outcome_report: Any = json.loads(report.read_text())
    return {
        " ".join(
            [outcome["scenario_id"], outcome["check"], "streamed" * outcome["stream"]]
        ).strip(): (
            ""
            if outcome["status"] == "pass"
            else f"{outcome['status']}: {outcome['detail']}"[:_WIDTH]
        )
        for outcome in outcome_report["outcomes"]
    }


def show(name: str, outcomes: Mapping[str, Mapping[str, str]]) -> None:
    """Print a row of the table, and then the failures through the gateway."""
    passes = [sum(not why for why in outcomes[way].values()) for way in WAYS]
    print(f"\n| {name} | {len(outcomes['direct'])} | {' | '.join(map(str, passes))} |")
    for test in outcomes["direct"]:
        whys = {way: outcomes[way].get(test, "not run") for way in WAYS}
        if whys["native"] or whys["lton"]:
            same = "too" if whys["direct"] else "no"
            print(f"- {test} (direct: {same})")
            for why, count in Counter(whys[way] for way in WAYS[1:]).items():
                print(f"  {count}: {why or 'passed'}")


def main() -> None:
    """Run all suites, or the named ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--model", type=Path, help="a GGUF file; default: SmolLM2")
    parser.add_argument("--only", default="", help="what the name of a suite holds")
    options = parser.parse_args()
    model = options.model or model_path()
    if options.only in "canitoolcall":
        with servers(model) as urls:
            show("canitoolcall probe", {way: probe(url) for way, url in urls.items()})
    for suite in SUITES:
        if options.only in suite.file:
            with servers(model) as urls:
                ways = {way: run_tests(options.checkout, suite, url) for way, url in urls.items()}
                show(suite.file, ways)


if __name__ == "__main__":
    main()
