"""Implement `lton decode`, which converts LTON to JSON, or lists every error."""

import argparse

from lton._terminal import complain, say, write
from lton.cli.diagnostics import LineNumbers, with_hint
from lton.cli.inputs import iterate_named_inputs, read_optional_tools
from lton.cli.options import add_tools
from lton.cli.outputs import as_json, indent_json
from lton.codec import decode
from lton.codec._decode import find_errors, iterate_calls_and_errors
from lton.errors import DecodeError
from lton.lenient import LenientResult, decode_lenient
from lton.schema import Call, ToolSet


def add_options(sub: argparse.ArgumentParser) -> None:
    add_tools(sub)
    sub.add_argument(
        "--lenient",
        action="store_true",
        help="repair common mistakes of models, and report the repairs",
    )
    sub.add_argument(
        "-k",
        "--keep-going",
        action="store_true",
        help="continue after an invalid line, and report all; the exit status is then 1",
    )
    sub.add_argument(
        "--errors",
        choices=["text", "json"],
        help="write no calls, but every error in the input, as text or as JSON",
    )


def run(options: argparse.Namespace) -> int:
    """Write the calls as JSON, or the errors. Return 1 if some calls could not be read."""
    tools = read_optional_tools(options.tools)
    if options.errors:
        return _list_errors(options, tools)
    status = 0
    for name, text in iterate_named_inputs(options.files):
        place = f"{name}: " if len(options.files) > 1 else ""
        if options.lenient:
            result = decode_lenient(text, tools, ended=True)
            calls = result.calls
            status = status or _is_doubtful(result)
            _report_reading(text, result, place)
        elif options.keep_going:
            calls = ()
            status = _decode_all_lines(text, tools, place) or status
        else:
            calls = _decode_strictly(text, tools, place)
        for call in calls:
            write(as_json(call) + "\n")
    return status


def _decode_strictly(text: str, tools: ToolSet | None, place: str) -> tuple[Call, ...]:
    """Return the calls in a text. The message of an error begins with `place`."""
    try:
        return tuple(decode(text, tools))
    except DecodeError as error:
        error.msg = f"{place}{error.msg}"
        raise


def _report_reading(text: str, result: LenientResult, place: str) -> None:
    """Report the repairs of a lenient reading, and what was not read."""
    lines = LineNumbers(text)
    for repair in result.repairs:
        say(f"{place}{repair.msg} (line {lines.line_number_of(repair.pos)}) [{repair.code}]")
    for error in map(lines.with_line_number, result.errors):
        say(f"{place}{error}\n{error.picture()}")
    for doubt in result.uncertain:
        line = lines.line_number_of(doubt.pos)
        say(f"{place}not taken: {doubt.msg} (line {line}) [{doubt.code}]")
    if not (result.calls or _is_doubtful(result)):
        say(f"{place}no call")
    if not result.complete:
        say(f"{place}the text was not read completely")


def _list_errors(options: argparse.Namespace, tools: ToolSet | None) -> int:
    """Write all errors in the input. Return 1 if there are errors."""
    errors = [
        (name, error)
        for name, text in iterate_named_inputs(options.files)
        for error in map(
            LineNumbers(text).with_line_number, map(with_hint, find_errors(text, tools))
        )
    ]
    if options.errors == "json":
        keys = ("code", "msg", "hint", "pos", "line", "column", "path")
        rows = [
            {"file": name, **{key: getattr(error, key) for key in keys}} for name, error in errors
        ]
        write(indent_json(rows))
    else:
        for name, error in errors:
            write(f"{name}: {error}\n{error.picture()}\n")
    return 1 if errors else 0


def _decode_all_lines(text: str, tools: ToolSet | None, place: str) -> int:
    """Write the valid calls and report the invalid lines. Return 1 if a line is invalid."""
    status = 0
    lines = LineNumbers(text)
    for outcome in iterate_calls_and_errors(text, tools):
        if isinstance(outcome, DecodeError):
            error = lines.with_line_number(with_hint(outcome))
            complain(f"{place}{error}\n{error.picture()}")
            status = 1
        else:
            write(as_json(outcome) + "\n")
    return status


def _is_doubtful(result: LenientResult) -> bool:
    return bool(result.errors or result.uncertain) or not result.complete
