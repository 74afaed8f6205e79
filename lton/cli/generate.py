"""Implement `lton generate`, which makes a local model generate calls."""

import argparse
import sys
import time
from typing import Any

from lton._terminal import add_table, progress, write
from lton.cli.inputs import iterate_named_inputs, read_tools
from lton.cli.options import add_tools
from lton.codec import encode
from lton.engines import llamacpp, server
from lton.engines.generation import Generation
from lton.events import Argument, CallStart
from lton.generate import stream
from lton.generate.spelling import spell_value
from lton.schema import ToolSet


def add_options(sub: argparse.ArgumentParser) -> None:
    add_tools(sub, is_required=True)
    add_table(sub, __file__)


def run(options: argparse.Namespace) -> int:
    """Generate calls, write them to standard output, and show progress on standard error."""
    tools = read_tools(*next(iterate_named_inputs([options.tools])))
    with progress() as show:
        show(f"loading {options.model}")
        model = _load_model(options)
    started = time.perf_counter()
    answer = _generate_answer(model, options, tools)
    cost = answer.spent
    seconds = time.perf_counter() - started
    calls = answer.calls
    noun = "calls" if len(calls) > 1 else "call"
    _print_report(
        f"{len(calls) or 'no'} {noun} in {seconds:.1f} s:"
        f" {cost.sampled} tokens sampled, {cost.prefilled} prefilled,"
        f" {cost.prompt} in the prompt{'; the last was cut off' if answer.exhausted else ''}"
    )
    if calls:
        write(encode(calls, tools) + "\n")
    return 0


def _load_model(options: argparse.Namespace) -> Any:
    if options.model.startswith(("http://", "https://")):
        return server.load(options.model)
    return llamacpp.load(options.model)


def _generate_answer(model: Any, options: argparse.Namespace, tools: ToolSet) -> Generation:
    shared: Any = {"tool_choice": options.tool_choice}
    for event in stream(model, options.question, tools, **shared):
        match event:
            case CallStart(name):
                _print_report(name)
            case Argument(name, value):
                _print_report(f"  {name}: {spell_value(value)}")
            case Generation():
                return event
    raise AssertionError("the last event is the answer")


def _print_report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
