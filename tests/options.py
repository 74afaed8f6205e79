"""Count the options of the command line: `python -m tests.options`."""

import argparse
from collections.abc import Iterator

from lton.cli.parser import _SUMMARIES, parser_for

COMMON = 2
"""The options -o and -q, which the first help shows."""


def _under(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, list[str]]]:
    options_of_help = [
        action.dest
        for action in parser._actions
        if action.option_strings and action.help != argparse.SUPPRESS and action.dest != "help"
    ]
    yield name, options_of_help
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command, under in action.choices.items():
                yield from _under(f"{name} {command}", under)


def options(*, lists_all: bool) -> dict[str, list[str]]:
    """Return the options that the help of each command shows."""
    options_by_command = dict[str, list[str]]()
    for name in _SUMMARIES:
        (commands,) = (
            action
            for action in parser_for([name], lists_all=lists_all)._actions
            if isinstance(action, argparse._SubParsersAction)
        )
        options_by_command |= _under(name, commands.choices[name])
    return options_by_command


def main() -> None:
    """Print the options of each command: those in its help, and all."""
    in_help, every = (options(lists_all=lists_all) for lists_all in (False, True))
    for name, names in every.items():
        print(f"{name:16}{len(in_help[name]):4}{len(names):4}  {' '.join(in_help[name])}")
    counts = [sum(map(len, by_command.values())) for by_command in (in_help, every)]
    print(f"{counts[0] + COMMON} options are shown, {counts[1]} there are")


if __name__ == "__main__":
    main()
