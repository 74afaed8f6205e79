"""Implement `lton wrap`: run an agent behind a gateway, and report the savings."""

import argparse
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from importlib.util import find_spec
from types import FrameType

from lton._terminal import UsageError, add_table, check_url, say
from lton.gateway import command as serve
from lton.gateway.native.unused_tools import UnusedTools
from lton.wrap.agents import AGENTS, Wrapped, manual_setup
from lton.wrap.lean import LEAST_SESSIONS, read_calls_and_count_sessions
from lton.wrap.report import iterate_report_lines

_PASSED = ("tokenizer", "log", "results")  # options of `lton serve`
_HERE = "127.0.0.1"


def add_options(parser: argparse.ArgumentParser) -> None:
    tokenizer = "o200k" if find_spec("tiktoken") else "bytes"
    serve.add_options(parser, only=_PASSED, defaults={"tokenizer": tokenizer})
    parser.set_defaults(instead={"--prices": "the variable LTON_SERVE_PRICES"})
    add_table(parser, __file__, agent={"help": ", ".join(sorted(AGENTS))})


def run(options: argparse.Namespace) -> int:
    """Run an agent behind a gateway and return the agent's exit status."""
    if options.agent not in AGENTS:
        raise UsageError(manual_setup(options.agent))
    serve.web_server()
    arguments = options.arguments
    if arguments[:1] == ["--"]:
        arguments = arguments[1:]
    if "--lean" in arguments:
        raise UsageError(f"--lean comes before the agent: lton wrap --lean {options.agent}")
    with serve.find_free_port() as listener:
        address = serve.address_of_listener(listener)
        if options.upstream:
            check_url(options.upstream, "--upstream")
        upstream_variable = {"ANTHROPIC_BASE_URL": options.upstream} if options.upstream else {}
        agent = AGENTS[options.agent](address, arguments, {**os.environ, **upstream_variable})
        upstream = options.upstream or agent.upstream
        if not upstream:
            words = f"the server that {options.agent} uses is unknown"
            raise UsageError(f"{words}: lton wrap --upstream URL {options.agent}")
        check_url(upstream, f"the server of {options.agent}")
        if (program := shutil.which(agent.program)) is None:
            raise UsageError(f"{agent.program} is not installed, or not on the PATH")
        unused = _find_unused_tools(agent) if options.lean else None
        settings = _make_settings(options, upstream, agent, unused)
        with serve.serve_on_thread(settings, listener) as metrics:
            status = _run_program([program, *agent.arguments, *arguments], _make_environ(agent))
    for line in iterate_report_lines(metrics, options.agent, options.tokenizer, unused):
        say(line)
    return status


def _find_unused_tools(agent: Wrapped) -> UnusedTools | None:
    """Return what shortens the tools that the agent's last sessions in this folder did not call."""
    if agent.program != "claude":
        raise UsageError("--lean reads only sessions of Claude Code")
    calls, sessions = read_calls_and_count_sessions(os.getcwd())
    if sessions < LEAST_SESSIONS:
        say(
            f"lean: no tool is shortened: this folder has {sessions} earlier sessions, and"
            f" {LEAST_SESSIONS} are needed"
        )
        return None
    say(f"lean: definitions of tools that the last {sessions} sessions did not call are shortened")
    return UnusedTools(calls)


def _make_settings(
    options: argparse.Namespace, upstream: str, agent: Wrapped, unused: UnusedTools | None
) -> argparse.Namespace:
    settings = {name: getattr(options, name) for name in _PASSED}
    settings |= {"upstream": upstream, "upstream_api": agent.api, "unused_tools": unused}
    return serve.make_options(quiet=True, calls="native", **settings)


def _make_environ(agent: Wrapped) -> dict[str, str]:
    environ = {**os.environ, **agent.variables}
    for name in ("NO_PROXY", "no_proxy"):
        environ[name] = ",".join(filter(None, (environ.get(name), _HERE)))
    return environ


def _run_program(command: list[str], environ: Mapping[str, str]) -> int:
    """Run a program until it exits. Ctrl-C is left to the program."""
    child = subprocess.Popen(command, env=environ)  # noqa: S603 - what the user asks to run

    def terminate_child(*_: int | FrameType | None) -> None:
        child.terminate()

    def leave(*_: int | FrameType | None) -> None: ...

    before = signal.signal(signal.SIGINT, leave), signal.signal(signal.SIGTERM, terminate_child)
    try:
        status = child.wait()
    finally:
        signal.signal(signal.SIGINT, before[0])
        signal.signal(signal.SIGTERM, before[1])
    return 128 - status if status < 0 else status
