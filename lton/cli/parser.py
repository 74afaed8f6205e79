"""List the commands and parse the arguments of a command."""

import argparse
import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from os.path import dirname, join
from typing import Any

from lton import __version__
from lton._terminal import UsageError


def _read_commands() -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    with open(join(dirname(__file__), "commands.txt"), encoding="utf-8") as file:
        _, *parts = file.read().split("\n# ")
    groups = dict[str, dict[str, str]]()
    examples = dict[str, str]()
    for part in parts:
        title, *commands = re.split(r"\n\n(?=[\w -]+: )", part.rstrip())
        summaries = groups[title] = {}
        for command in commands:
            line, _, example = command.partition("\n")
            name, _, summaries[name] = line.partition(": ")
            examples.setdefault(name, f"\n{example}".replace("\n    ", "\n"))
    return groups, examples


_GROUPS, _EXAMPLES = _read_commands()
_RARE = _GROUPS.pop("rare")
"""Options that only `lton help all COMMAND` shows, by command."""
_MORE = "more"  # the group that only `lton help all` lists
_SUMMARIES = {name: about for group in _GROUPS.values() for name, about in group.items()}
_FILTERS = {"encode", "decode", "schema", "grammar"}
"""Commands that read files or standard input."""
_HERE = _FILTERS | {"generate"}
_WRITERS = _FILTERS | {"generate", "cost"}  # commands with the option --output
_REMOVED = {
    "check": "lton decode --errors text",
    "completion": "lton --completion SHELL",
    "doctor": "lton probe, or lton probe URL --questions 0",
    "try": "lton cost, which finds the sessions if no file is given",
}
"""What to use instead of removed commands."""
_COMMON = {"output", "is_quiet"}  # options of many commands, which the short help shows
_ROOMS = {
    "mcp-proxy": "mcp_proxy.command",
    "serve": "gateway.command",
    "hook": "wrap.hook",
}  # modules of commands that are not named after their package


def parser_for(arguments: Sequence[str], *, lists_all: bool = False) -> argparse.ArgumentParser:
    """Build a parser for all commands, with the options of the called command."""
    listing = _list_commands(lists_all=lists_all)
    notes = [
        "Most commands accept -o FILE, to write a file, and -q, to show no notes.",
        *([] if lists_all else ["lton help all also lists context, and all options."]),
        "lton COMMAND --help shows the options and an example.",
    ]
    parser = argparse.ArgumentParser(
        prog="lton",
        usage="lton [-h] [-V] [--completion SHELL] COMMAND ...",
        description="Tool calls in LTON: a compact notation without escaping.",
        epilog="\n".join([listing, *notes]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-V", "--version", action="version", version=f"lton {__version__}")
    parser.add_argument(
        "--completion",
        metavar="SHELL",
        action=_PrintCompletion,
        help="print a script that completes commands in bash, zsh or fish, and exit",
    )
    hidden = argparse.SUPPRESS
    commands = parser.add_subparsers(prog="lton", required=True, metavar="COMMAND", help=hidden)
    called = next((argument for argument in arguments if not argument.startswith("-")), None)
    if called in _REMOVED:
        raise UsageError(f"lton {called} was removed: use {_REMOVED[called]}")
    # Only the command that is called is imported.
    summaries = {called: _SUMMARIES[called]} if called in _SUMMARIES else _SUMMARIES
    for name, summary in summaries.items():
        sub = commands.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == called:
            _add_options(sub, name)
            if not lists_all:
                _hide_rare(sub, name)
    return parser


class _PrintCompletion(argparse.Action):
    """Prints the completion script for a shell, and exits."""

    def __call__(self, parser: Any, _: Any, values: Any, __: Any = None) -> None:
        from lton.cli.completion import SHELLS, print_script  # noqa: PLC0415 - few need it

        if values not in SHELLS:
            parser.error(f"--completion: expected one of {', '.join(SHELLS)}, found {values!r}")
        print_script(values)
        parser.exit()


def _hide_rare(sub: argparse.ArgumentParser, name: str) -> None:
    rare = {*_RARE.get(name, "").split()}
    for action in sub._actions:  # argparse has no public way to list actions
        if isinstance(action, argparse._SubParsersAction):
            for choice, under in action.choices.items():
                _hide_rare(under, f"{name} {choice}")
        elif action.dest in rare | _COMMON:
            action.help = argparse.SUPPRESS
    if rare:
        sub.epilog = f"{sub.epilog or ''}\nlton help all {name} shows all options."


def _list_commands(*, lists_all: bool) -> str:
    groups = (
        "".join([f"{title}:\n", *(f"    {name:12}{about}\n" for name, about in group.items())])
        for title, group in _GROUPS.items()
        if lists_all or title != _MORE
    )
    return "\n".join(groups)


def _add_options(sub: argparse.ArgumentParser, name: str) -> None:
    command = command_module(name)
    sub.epilog = f"example:{_EXAMPLES[name]}\n"
    sub.set_defaults(command=command.run, parser=sub, output=None)
    if name in _FILTERS:
        sub.add_argument("files", nargs="*", metavar="FILE", help="default: standard input")
    if name in _WRITERS:
        sub.add_argument(
            "-o", "--output", metavar="FILE", help="write to this file, completely or not at all"
        )
    command.add_options(sub)
    if name in _WRITERS:
        sub.add_argument(
            "-q", "--quiet", dest="is_quiet", action="store_true", help="show errors, but no notes"
        )


def command_module(name: str) -> Any:
    """Import a command's module, which defines `add_options` and `run`.

    Only this module is imported, because importing all would double the start-up time.
    """
    if name in _HERE:
        return import_module(f"lton.cli.{name}")
    return import_module(f"lton.{_ROOMS.get(name, f'{name}.command')}")


def parse_arguments(arguments: Sequence[str], *, lists_all: bool = False) -> argparse.Namespace:
    """Parse the arguments. Print the usage and exit if they are invalid."""
    parser = parser_for(arguments, lists_all=lists_all)
    named = arguments[0] if arguments else ""
    if named and not named.startswith("-") and named not in _SUMMARIES:
        close = _closest_name(named, _SUMMARIES)
        hint = f"; did you mean {close}?" if close else "; lton help all lists all commands"
        parser.error(f"there is no command {named!r}{hint}")
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        instead = getattr(options, "instead", {})
        suggestions = filter(
            None,
            (
                instead.get(word.partition("=")[0]) or _guess_command(word, options.parser)
                for word in unknown
            ),
        )
        hint = "".join(f"; did you mean {suggestion}?" for suggestion in suggestions)
        options.parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    return options


def _guess_command(word: str, parser: argparse.ArgumentParser) -> str | None:
    name = word.partition("=")[0]
    spellings: dict[str, str] = {}
    for action in parser._actions:  # argparse has no public way to list actions
        spellings |= {option_string: option_string for option_string in action.option_strings}
        if action.option_strings and action.choices:
            spellings |= {
                f"--{choice}": f"{action.option_strings[0]} {choice}" for choice in action.choices
            }
    close = _closest_name(name, spellings) if name.startswith("--") else ""
    return spellings[close] if close else None


def _closest_name(name: str, candidates: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - most are right

    return next(iter(get_close_matches(name, candidates, n=1)), "")
