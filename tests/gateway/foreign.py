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
from lton.gateway.command import options_with
from lton.gateway.serving import application
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
    given = library.CommonParams()
    given.model.path, given.model_alias = str(model), {"llama-test-model"}
    given.n_ctx, given.n_parallel, given.port = _CONTEXT, 1, 0
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 1
    given.use_jinja, given.verbosity, given.n_predict = True, -1, 64
    given.sampling.seed = 42
    server = library.Server(given)
    upstream = server.listening_address
    gateways = {
        mode: Served(application(options_with(upstream=upstream, calls=mode, quiet=True)))
        for mode in WAYS[1:]
    }
    yield {"direct": upstream, **{mode: each.url for mode, each in gateways.items()}}
    for each in gateways.values():
        each.close()
    del server


def run_tests(checkout: Path, suite: Suite, url: str) -> dict[str, str]:
    """Return the outcome of each test: "" if it passed, else the reason of the failure."""
    folder = checkout / "tools/server/tests"
    with tempfile.TemporaryDirectory() as found:
        report = Path(found) / "report.xml"
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
        return {each.get("name", ""): _reason(each) for each in cases}


def _reason(case: ElementTree.Element) -> str:
    for kind in ("failure", "error"):
        if (found := case.find(kind)) is not None:
            return (found.get("message") or kind).replace("\n", " ")[:_WIDTH]
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
        said: Any = json.loads(report.read_text())
    return {
        " ".join([each["scenario_id"], each["check"], "streamed" * each["stream"]]).strip(): (
            "" if each["status"] == "pass" else f"{each['status']}: {each['detail']}"[:_WIDTH]
        )
        for each in said["outcomes"]
    }


def show(name: str, found: Mapping[str, Mapping[str, str]]) -> None:
    """Print a row of the table, and then the failures through the gateway."""
    passed = [sum(not why for why in found[way].values()) for way in WAYS]
    print(f"\n| {name} | {len(found['direct'])} | {' | '.join(map(str, passed))} |")
    for test in found["direct"]:
        whys = {way: found[way].get(test, "not run") for way in WAYS}
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
