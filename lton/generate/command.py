"""`lton generate`: print a local model's answer to one question, with its time and tokens."""

import argparse
import math
import sys
import time
from typing import Any

from lton._terminal import progress
from lton.engines import llamacpp, server
from lton.engines.generation import Generation
from lton.events import Argument, CallStart
from lton.generate._guided import stream
from lton.generate.spelling import spell
from lton.schema.toolset import ToolSet
from lton.schema.types import Call


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("question")
    parser.add_argument(
        "--model",
        metavar="FILE|URL",
        required=True,
        help="the model: a GGUF file, or the address of a llama.cpp server",
    )
    parser.add_argument(
        "--tool-choice",
        choices=("required", "auto"),
        default="required",
        help='"required": a call (default); "auto": a call or none',
    )
    parser.add_argument(
        "--only", metavar="TOOL", action="append", help="this tool; may be repeated"
    )
    parser.add_argument("--parallel", action="store_true", help="one call or more")
    parser.add_argument(
        "--max-tokens", metavar="N", type=int, default=256, help="sample N at most (default: 256)"
    )
    parser.add_argument(
        "--temperature", metavar="T", type=_temperature, default=0.0, help="default: 0"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="default: 0")


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
