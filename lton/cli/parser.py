"""List the commands, import the called one, and parse its arguments."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from lton import __version__
from lton._require import benchmarks
from lton.errors import Code, MissingExtraError

_GROUPS = {
    "your own data, agents and servers": {
        "try": "show what agents on this machine sent, and what LTON would save",
        "cost": "show what the requests of logs cost, as they are and in LTON",
        "probe": "test which calls of a model a server loses",
        "wrap": "run a coding agent behind its own gateway",
        "serve": "serve OpenAI's and Anthropic's APIs in front of a model",
        "mcp-proxy": "shorten the definitions and results of an MCP server",
        "hook": "shorten long outputs of Claude Code's tools without a gateway",
    },
    "calls": {
        "encode": "write JSON calls as LTON",
        "decode": "write LTON as JSON, one call a line",
        "check": "show every error, not only the first",
    },
    "tools and models": {
        "schema": "write tool definitions as signatures",
        "grammar": "write tool definitions as a grammar",
        "generate": "let a local model make calls",
    },
}
_MORE = {
    "more": {
        "doctor": "show what is installed and set, and what a server offers",
        "completion": "let a shell complete commands",
        "fmt": "write LTON in canonical form",
        "tokens": "count tokens",
        "context": "fit files into a context with a budget, with an audit",
        "convert": "write tool-call data as LTON, for fine-tuning",
        "bench": "count the tokens of calls in every format",
    },
}  # groups that only `lton help all` lists
_SUMMARIES = {name: said for each in (_GROUPS | _MORE).values() for name, said in each.items()}
_FILTERS = {"encode", "decode", "fmt", "check", "schema", "grammar", "tokens"}
"""Commands that read files or standard input."""
_HERE = _FILTERS | {"generate", "completion", "doctor"}
_WRITERS = _FILTERS | {"generate", "cost"}  # commands with the option --output
_NOTING = _WRITERS | {"try"}  # commands with the option --quiet
_ROOMS = {
    "mcp-proxy": "mcp_proxy.command",
    "serve": "gateway.command",
    "hook": "wrap.hook",
    "try": "cost.trial",
}  # modules of commands that are not named after their package


def parser_for(arguments: Sequence[str], *, lists_all: bool = False) -> argparse.ArgumentParser:
    """Return a parser of all commands, with the options of the called one."""
    more = "" if lists_all else "lton help all lists more commands, such as doctor.\n"
    groups = _GROUPS | _MORE if lists_all else _GROUPS
    parser = argparse.ArgumentParser(
        prog="lton",
        usage="lton [-h] [-V] COMMAND ...",
        description="Tool calls in LTON: a compact notation without escaping.",
        epilog=f"{_listing(groups)}\n{more}lton COMMAND --help shows the options and an example.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-V", "--version", action="version", version=f"lton {__version__}")
    commands = parser.add_subparsers(
        prog="lton", required=True, metavar="COMMAND", help=argparse.SUPPRESS
    )
    called = next((each for each in arguments if not each.startswith("-")), None)
    # Only the called command is needed.
    shown = {called: _SUMMARIES[called]} if called in _SUMMARIES else _SUMMARIES
    for name, summary in shown.items():
        sub = commands.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == called:
            _add_options(sub, name)
    return parser


def _listing(groups: Mapping[str, Mapping[str, str]]) -> str:
    listed = (
        "".join([f"{title}:\n", *(f"    {name:12}{about}\n" for name, about in group.items())])
        for title, group in groups.items()
    )
    return "\n".join(listed)


def _add_options(sub: argparse.ArgumentParser, name: str) -> None:
    command = command_module(name)
    sub.epilog = f"example:\n{command.EXAMPLE}"
    sub.set_defaults(command=command.run, parser=sub, output=None)
    if name in _FILTERS:
        sub.add_argument("files", nargs="*", metavar="FILE", help="default: standard input")
    if name in _WRITERS:
        sub.add_argument(
            "-o", "--output", metavar="FILE", help="write to this file, completely or not at all"
        )
    command.add_options(sub)
    if name in _NOTING:
        sub.add_argument(
            "-q", "--quiet", dest="is_quiet", action="store_true", help="show errors, but no notes"
        )


def command_module(name: str) -> Any:
    """Import the module of a command, which has `EXAMPLE`, `add_options` and `run`.

    Only the called one is imported, because all of them would double the start-up time. Other
    packages add commands by entry points of the group `lton.commands`.
    Raises `MissingExtraError` for a command that is not installed.
    """
    if name in _HERE:
        return import_module(f"lton.cli.{name}")
    from importlib.metadata import entry_points  # noqa: PLC0415 - the commands here need it not

    for found in entry_points(group="lton.commands", name=name):
        return found.load()
    try:
        return import_module(f"lton.{_ROOMS.get(name, f'{name}.command')}")
    except ModuleNotFoundError as error:
        msg = f"the command {name!r} is not installed"
        raise MissingExtraError(Code.EXTRA, msg, hint=benchmarks()) from error


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments; on an unknown one, show the usage of the command and exit."""
    parser = parser_for(arguments)
    named = arguments[0] if arguments else ""
    if named and not named.startswith("-") and named not in _SUMMARIES:
        close = _closest(named, _SUMMARIES)
        hint = f"; did you mean {close}?" if close else "; lton help all lists all"
        parser.error(f"there is no command {named!r}{hint}")
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        meant = filter(None, (_meant(word, options.parser) for word in unknown))
        hint = "".join(f"; did you mean {each}?" for each in meant)
        options.parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    return options


def _meant(word: str, parser: argparse.ArgumentParser) -> str | None:
    """Suggest an option that is spelled like a word, or one that takes the word as its value."""
    name = word.partition("=")[0]
    known: dict[str, str] = {}
    for action in parser._actions:  # argparse has no public way to list them
        known |= {each: each for each in action.option_strings}
        if action.option_strings and action.choices:
            known |= {f"--{each}": f"{action.option_strings[0]} {each}" for each in action.choices}
    close = _closest(name, known) if name.startswith("--") else ""
    return known[close] if close else None


def _closest(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - most are right

    return next(iter(get_close_matches(name, known, n=1)), "")
