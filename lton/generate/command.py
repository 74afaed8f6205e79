"""`lton generate`: print a local model's answer to one question, with its time and tokens."""

import argparse
import math
import sys
import time
from typing import Any

from lton._terminal import add_table, progress
from lton.engines import llamacpp, server
from lton.engines.generation import Generation
from lton.events import Argument, CallStart
from lton.generate._guided import stream
from lton.generate.spelling import spell
from lton.schema.toolset import ToolSet
from lton.schema.types import Call


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_table(parser, __file__, temperature={"type": _temperature})


def _temperature(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1
    if not 0 <= found < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number from 0 on, found {text!r}")
    return found


def run(options: argparse.Namespace, tools: ToolSet) -> list[Call]:
    """Return the calls, and report progress on standard error.

    Raises the errors of `load` and `stream`.
    """
    with progress() as show:
        show(f"loading {options.model}")
        model = _model(options)
    started = time.perf_counter()
    answer = _answer(model, options, tools.select(*options.only) if options.only else tools)
    spent, seconds = answer.spent, time.perf_counter() - started
    _report(
        f"{len(answer.calls) or 'no'} call{'s' * (len(answer.calls) > 1)} in {seconds:.1f} s:"
        f" {spent.sampled} tokens sampled, {spent.prefilled} prefilled,"
        f" {spent.prompt} in the prompt{'; the last was cut off' * answer.exhausted}"
    )
    return answer.calls


def _model(options: argparse.Namespace) -> Any:
    if options.model.startswith(("http://", "https://")):
        return server.load(options.model, temperature=options.temperature, seed=options.seed)
    return llamacpp.load(options.model)


def _answer(model: Any, options: argparse.Namespace, tools: ToolSet) -> Generation:
    names = ("tool_choice", "parallel", "max_tokens", "temperature", "seed")
    shared: Any = {name: getattr(options, name) for name in names}
    for event in stream(model, options.question, tools, **shared):
        match event:
            case CallStart(name):
                _report(name)
            case Argument(name, value):
                _report(f"  {name}: {spell(value)}")
            case Generation():
                return event
    raise AssertionError("the last event is the answer")


def _report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
