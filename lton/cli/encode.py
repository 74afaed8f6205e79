"""Implement `lton encode`, which converts JSON to LTON."""

import argparse
from collections.abc import Iterator
from typing import Any

from lton._json import minified
from lton._terminal import write
from lton.chat import read_call
from lton.cli.inputs import iterate_named_inputs, parse_json_input, read_optional_tools
from lton.cli.options import add_form, add_tools
from lton.codec import encode
from lton.errors import Code, DecodeError, EncodeError
from lton.schema import Call


def add_options(sub: argparse.ArgumentParser) -> None:
    add_tools(sub)
    add_form(sub)


def run(options: argparse.Namespace) -> int:
    tools = read_optional_tools(options.tools)
    calls = [
        call
        for name, text in iterate_named_inputs(options.files)
        for call in _iterate_calls(name, text)
    ]
    text = encode(calls, tools, form=options.form)
    write(f"{text}\n" if text else "")
    return 0


def _iterate_calls(name: str, text: str) -> Iterator[Call]:
    try:
        values = parse_json_input(name, text)
    except DecodeError:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) < 2:
            raise
        values = [parse_json_input(name, line) for line in lines]
    for value in values if isinstance(values, list) else [values]:
        match value:
            case {"tool_calls": list(calls)}:
                yield from map(_call_of, calls)
            case _:
                yield _call_of(value)


def _call_of(value: Any) -> Call:
    if (call := read_call(value)) is not None:
        return call.call
    excerpt = minified(value)[:60]
    msg = f'expected {{"name": …, "arguments": {{…}}}}, found {excerpt}'
    raise EncodeError(Code.VALUE, msg)
