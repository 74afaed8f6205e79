"""Implement `lton encode`, which converts JSON to LTON."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lton._json import minified
from lton._terminal import write
from lton.chat import read_call
from lton.cli.inputs import iterate_named_inputs, parse_json_input, read_optional_tools
from lton.cli.options import add_form, add_tools
from lton.codec import encode
from lton.errors import Code, DecodeError, EncodeError, LTONError
from lton.schema import Call


def add_options(sub: argparse.ArgumentParser) -> None:
    add_tools(sub)
    add_form(sub)


def run(options: argparse.Namespace) -> int:
    tools = read_optional_tools(options.tools)
    placed = [
        (place, call)
        for name, text in iterate_named_inputs(options.files)
        for place, value in _iterate_values(name, text)
        for call in _calls_of(value, place)
    ]
    try:
        text = encode([call for _, call in placed], tools, form=options.form)
    except EncodeError:
        for place, call in placed:
            with _naming_place(place):
                encode(call, tools, form=options.form)
        raise
    write(f"{text}\n" if text else "")
    return 0


@contextmanager
def _naming_place(place: str) -> Iterator[None]:
    """Add the place of a call to the message of an error, unless there is only one call."""
    try:
        yield
    except LTONError as error:
        if place:
            error.msg = f"{place}: {error.msg}"
        raise


def _iterate_values(name: str, text: str) -> Iterator[tuple[str, Any]]:
    """Yield each value of a file of JSON or JSON Lines, with its place if there are several."""
    try:
        values = parse_json_input(name, text)
    except DecodeError as error:
        yield from _iterate_lines(name, text, error)
        return
    if not isinstance(values, list):
        yield "", values
        return
    for number, value in enumerate(values, 1):
        yield f"{name}: call {number}" if len(values) > 1 else "", value


def _iterate_lines(name: str, text: str, whole: DecodeError) -> Iterator[tuple[str, Any]]:
    """Yield the values of JSON Lines. If the first line is not JSON either, raise `whole`."""
    start = 0
    is_first = True
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                value = parse_json_input(name, line)
            except DecodeError as error:
                if is_first:
                    raise whole from None
                pos = start + error.pos
                raise DecodeError(error.code, error.msg, doc=text, pos=pos) from None
            yield f"{name}: line {number}", value
            is_first = False
        start += len(line) + 1


def _calls_of(value: Any, place: str) -> list[Call]:
    with _naming_place(place):
        match value:
            case {"tool_calls": list(calls)}:
                return [_call_of(call) for call in calls]
            case _:
                return [_call_of(value)]


def _call_of(value: Any) -> Call:
    if (call := read_call(value)) is not None:
        return call.call
    excerpt = minified(value)[:60]
    msg = f'expected {{"name": …, "arguments": {{…}}}}, found {excerpt}'
    raise EncodeError(Code.VALUE, msg)
