"""Count the options of the command line: `python -m tests.options`."""

import argparse
from collections.abc import Iterator

from lton.cli.parser import _SUMMARIES, parser_for

COMMON = 2
"""The options -o and -q, which the first help shows."""


def _under(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, list[str]]]:
    shown = [
        action.dest
        for action in parser._actions
        if action.option_strings and action.help != argparse.SUPPRESS and action.dest != "help"
    ]
    yield name, shown
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each, under in action.choices.items():
                yield from _under(f"{name} {each}", under)


def options(*, lists_all: bool) -> dict[str, list[str]]:
    """Return the options that the help of each command shows."""
    found = dict[str, list[str]]()
    for name in _SUMMARIES:
        (commands,) = (
            action
            for action in parser_for([name], lists_all=lists_all)._actions
            if isinstance(action, argparse._SubParsersAction)
        )
        found |= _under(name, commands.choices[name])
    return found


def main() -> None:
    """Print the options of each command: those in its help, and all."""
    shown, every = (options(lists_all=lists_all) for lists_all in (False, True))
    for name, found in every.items():
        print(f"{name:16}{len(shown[name]):4}{len(found):4}  {' '.join(shown[name])}")
    counts = [sum(map(len, each.values())) for each in (shown, every)]
    print(f"{counts[0] + COMMON} options are shown, {counts[1]} there are")


if __name__ == "__main__":
    main()
