"""Run an agent directly, through `lton serve`, or with `lton wrap`, and return the outcome."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import httpx2

from lton import ToolSet
from lton.apis.registry import APIS
from tests.extra.agents.agents import FOLDERS, VARIABLES, Agent, Version, prepare, read_files
from tests.extra.agents.upstream import Scripted, WriteCall, in_a_fence, in_lton

Way: TypeAlias = Literal["direct", "serve", "wrap"]
LIMIT_S = 300


@dataclass(frozen=True, kw_only=True)
class Mode:
    """A way to write calls: options of the gateway, and the syntax of the model."""

    name: str
    calls: str = "native"
    options: Sequence[str] = ()
    write: WriteCall | None = None
    ways: Sequence[Way] = ("serve",)
    is_other: bool = False
    """Whether the server has another API than the agent."""


_COUNTED = ("--tokenizer", "o200k")
_NATIVE = ("--results", "as-is", *_COUNTED)
MODES = [
    Mode(name="native", options=_NATIVE, ways=("serve", "wrap")),
    Mode(name="results", options=_COUNTED),
    Mode(name="rescued", options=_NATIVE, write=in_a_fence),
    Mode(name="other", options=_NATIVE, is_other=True),
    Mode(
        name="lton",
        calls="lton",
        options=["--engine", "plain", *_COUNTED],
        write=in_lton,
    ),
]
OTHER = {"chat": "messages", "responses": "chat", "messages": "chat"}
"""The API of a server that is another than the agent's."""


@dataclass
class Run:
    """The outcome of a run."""

    status: int
    said: str
    folder: Mapping[str, str]
    bodies: Sequence[Mapping[str, Any]]
    figures: Mapping[str, float] = field(default_factory=dict)


def run(
    agent: Agent,
    mode: Mode | None,
    way: Way,
    upstream: tuple[Scripted, str],
    run_folder: Path,
    version: Version = "pinned",
) -> Run:
    """Run an agent in a new folder, which has the same path in all runs, because agents
    repeat it.
    """
    scripted, url = upstream
    folder = run_folder / "work"
    subprocess.run(["rm", "-rf", str(folder)], check=True)
    prepare(folder)
    calls = json.loads(json.dumps(agent.calls).replace("FOLDER", str(folder)))
    scripted.calls, scripted.last = calls, agent.last
    scripted.write = mode.write if mode else None
    scripted.bodies, scripted.paths = [], []
    if mode is None or way == "direct":
        return _try_build_run(_ask(agent, url, run_folder, version), scripted, folder)
    if way == "wrap":
        command = [sys.executable, "-m", "lton", "wrap", "--upstream", url, *mode.options]
        command += [str(agent.wrapped), "--", *agent.command[1:]]
        process = _ask(agent, url, run_folder, version, command)
        return _try_build_run(process, scripted, folder, _reported(process.stderr))
    options = ["--calls", mode.calls, *mode.options]
    options += ("--set", f"upstream-api={OTHER[agent.api]}") if mode.is_other else ()
    with serving(url, *options) as gateway:
        process = _ask(agent, gateway, run_folder, version)
        figures = read_figures(gateway)
    return _try_build_run(process, scripted, folder, figures)


def _ask(
    agent: Agent, url: str, parent: Path, version: Version, command: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    is_wrapped = bool(command)
    first, *others = agent.command
    command = command or [first, *(word.replace("@URL", url) for word in agent.direct), *others]
    variables = {key: value.replace("@URL", url) for key, value in agent.variables.items()}
    if is_wrapped:  # `lton wrap` is told the address, and sets these itself
        variables = {
            key: value for key, value in variables.items() if key == "OPENCODE_CONFIG_CONTENT"
        }
    path = os.pathsep.join([*map(str, FOLDERS[version]), os.environ["PATH"]])
    inherited = {key: os.environ[key] for key in ("LANG", "PYTHONPATH") if key in os.environ}
    (parent / "home").mkdir(exist_ok=True)
    environ = {**inherited, "PATH": path, "HOME": str(parent / "home"), **VARIABLES, **variables}
    return subprocess.run(
        command,
        cwd=parent / "work",
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def _try_build_run(
    process: subprocess.CompletedProcess[str],
    scripted: Scripted,
    folder: Path,
    figures: Mapping[str, float] | None = None,
) -> Run:
    output = f"{process.stdout}\n{process.stderr}"
    return Run(process.returncode, output, read_files(folder), scripted.bodies, figures or {})


@contextmanager
def serving(upstream: str, *more: str) -> Iterator[str]:
    """Start `lton serve`, and yield its address."""
    options = ("--upstream", upstream, "--port", "0", "--quiet", *more)
    command = (sys.executable, "-m", "lton", "serve", *options)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            yield child.stdout.readline().strip()
        finally:
            child.terminate()


# --- what the gateway says of it ------------------------------------------------------------------


def read_figures(gateway: str) -> dict[str, float]:
    """Return the numbers of requests, tokens and rescued calls from `/metrics`."""
    lines = httpx2.get(f"{gateway}/metrics").text.split("\n")
    figures: dict[str, float] = {}
    for name, _, value in (line.rpartition(" ") for line in lines):
        key = {
            "lton_requests_total": "requests",
            "lton_rescued_calls_total": "rescued",
        }.get(name.partition("{")[0])
        if name.startswith("lton_tokens_total"):
            key = "tokens" if 'notation="lton"' in name else "plain"
        if key and "/v1/" in name + "/v1/" * (key != "requests"):
            figures[key] = figures.get(key, 0) + float(value)
    return figures


def _reported(report: str) -> dict[str, float]:
    """Return the same numbers from the final report of `lton wrap`."""
    figures: dict[str, float] = {}
    for key, pattern in {
        "requests": r"^lton: ([\d,]+) requests? of",
        "tokens": r": ([\d,]+) tokens, and",
        "plain": r"and ([\d,]+) without LTON",
        "rescued": r"^lton: ([\d,]+) calls? rescued",
    }.items():
        if match := re.search(pattern, report, re.MULTILINE):
            figures[key] = int(match[1].replace(",", ""))
    return figures


def tools_of(body: Mapping[str, Any], agent: Agent) -> ToolSet:
    """Return the functions of a request."""
    key = "input_schema" if agent.api == "messages" else "parameters"
    return ToolSet.from_tools(
        [
            {"name": function["name"], "parameters": function.get(key) or {"type": "object"}}
            for function, _ in APIS[agent.api].iterate_functions_in(body.get("tools"))
        ]
    )
