"""Implement `lton check`, which reports every error in its input."""

import argparse

from lton._terminal import write
from lton.cli.diagnostics import LineNumbers, add_hint
from lton.cli.inputs import named_inputs, optional_tools
from lton.cli.options import add_tools
from lton.cli.outputs import indent_json
from lton.codec._decode import find_errors


def add_options(sub: argparse.ArgumentParser) -> None:
    add_tools(sub)
    sub.add_argument("--json", action="store_true", help="write the errors as JSON")


def run(options: argparse.Namespace) -> int:
    """Report all errors in the input. Return 1 if there are errors."""
    tools = optional_tools(options.tools)
    found = [
        (name, error)
        for name, text in named_inputs(options.files)
        for error in map(LineNumbers(text).place, map(add_hint, find_errors(text, tools)))
    ]
    if options.json:
        keys = ("code", "msg", "hint", "pos", "line", "column", "path")
        rows = [{"file": name, **{k: getattr(error, k) for k in keys}} for name, error in found]
        write(indent_json(rows))
    else:
        for name, error in found:
            write(f"{name}: {error}\n{error.picture()}\n")
    return 1 if found else 0
