"""`lton generate`: let a local model make calls."""

import argparse

from lton._terminal import write
from lton.cli.inputs import named_inputs, read_tools
from lton.cli.options import add_tools
from lton.cli.outputs import as_json
from lton.codec import encode
from lton.generate import command


def add_options(sub: argparse.ArgumentParser) -> None:
    add_tools(sub, is_required=True)
    sub.add_argument("--json", action="store_true", help="write the calls as JSON, one a line")
    command.add_options(sub)


def run(options: argparse.Namespace) -> int:
    tools = read_tools(*next(named_inputs([options.tools])))
    calls = command.run(options, tools)
    for call in calls if options.json else ():
        write(as_json(call) + "\n")
    if calls and not options.json:
        write(encode(calls, tools) + "\n")
    return 0
