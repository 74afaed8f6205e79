"""Implement `lton schema`, which writes signatures or compares two versions of a tool set."""

import argparse
import os
import shlex
from collections.abc import Iterator

from lton._terminal import UsageError, say, write
from lton.cli.inputs import iterate_named_inputs, read_tools, require_tools
from lton.integrations.mcp import list_tools
from lton.schema import ToolSet
from lton.schema.diff import find_losses
from lton.schema.jsonschema.tally import Handling

_OLD_CALLS = 4
_OLD_READERS = 8
"""Bits of the exit status of `lton schema diff`: some old calls, or new calls, cannot be read."""


def add_options(sub: argparse.ArgumentParser) -> None:
    sub.usage = "lton schema [OPTION ...] [FILE ...]\n       lton schema diff OLD NEW"
    add = sub.add_argument
    add("--no-descriptions", action="store_true", help="write only signatures")
    add("--mcp", metavar="COMMAND|URL", help="use the tools of this MCP server")
    add("--report", action="store_true", help="list keywords checked after reading, or never")


def run(options: argparse.Namespace) -> int:
    """Write the signatures of tools; with `diff`, report the calls that a change breaks."""
    if options.files[:1] == ["diff"]:
        return _report_diff(options.files[1:])
    for tools in _iterate_toolsets(options):
        if options.report:
            for note in tools.notes:
                write(f"{note.pointer or '/'}: {note}\n")
            continue
        write(tools.prompt(descriptions=not options.no_descriptions) + "\n")
        for note in tools.notes:
            if note.handling != Handling.CHECKED:
                say(f"{note} (at {note.pointer})")
    return 0


def _iterate_toolsets(options: argparse.Namespace) -> Iterator[ToolSet]:
    if options.mcp is None:
        yield from (read_tools(*named) for named in iterate_named_inputs(options.files))
    else:
        listing = list_tools(shlex.split(options.mcp), env=os.environ)
        yield require_tools(ToolSet.from_tools(listing.tools), shlex.split(options.mcp)[0])


def _report_diff(files: list[str]) -> int:
    """Report the calls that a change breaks. The exit status shows which calls break."""
    if len(files) != 2:
        raise UsageError("expected two files after diff: the old and the new tools")
    old, new = (read_tools(*named) for named in iterate_named_inputs(files))
    broken = 0
    for status, what, lost in (
        (_OLD_CALLS, "old calls with the new tools", find_losses(old, new)),
        (_OLD_READERS, "new calls with the old tools", find_losses(new, old)),
    ):
        broken |= status if lost else 0
        write(f"{what}: {'not all are read' if lost else 'all are read'}\n")
        for loss in lost:
            write(f"  {' '.join(filter(None, [loss.tool, loss.path]))}: {loss.why}\n")
    return broken
