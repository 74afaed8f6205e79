"""Implement `lton fmt`, which writes LTON in canonical form."""

import argparse
from pathlib import Path

from lton._syntax import Form
from lton._terminal import say, write
from lton.cli.inputs import named_inputs, optional_tools
from lton.cli.options import add_form, add_tools
from lton.codec import Decoder, encode
from lton.events import Answer, CallEnd
from lton.schema import ToolSet


def add_options(sub: argparse.ArgumentParser) -> None:
    add_tools(sub)
    add_form(sub)
    what = sub.add_mutually_exclusive_group()
    what.add_argument(
        "--check",
        action="store_true",
        help="write nothing; the exit status is 1 if an input is not canonical",
    )
    what.add_argument("-i", "--in-place", action="store_true", help="rewrite the files")


def run(options: argparse.Namespace) -> int:
    """Write the calls of the input in canonical form."""
    tools = optional_tools(options.tools)
    status = 0
    for name, text in named_inputs(options.files):
        canonical = _to_canonical(text, tools, options.form)
        if options.check:
            status = status or canonical != text
            if canonical != text:
                say(f"not canonical: {name}")
        elif options.in_place and name != "-":
            if canonical != text:
                Path(name).write_bytes(canonical.encode())
        else:
            write(canonical)
    return status


def _to_canonical(text: str, tools: ToolSet | None, form: Form) -> str:
    decoder = Decoder(tools)
    decoder.feed(text)
    decoder.close()
    frames = [event[0] for event in decoder if isinstance(event, CallEnd | Answer)]
    return encode(frames, tools, form=form) + "\n" if frames else ""
