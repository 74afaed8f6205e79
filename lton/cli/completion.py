"""Print the completion script for a shell, and complete command lines."""

import argparse
from collections.abc import Iterable, Sequence
from itertools import chain
from os.path import dirname, join

from lton._terminal import write
from lton.tokens.registry import names

SHELLS = ("bash", "zsh", "fish")
"""The shells with a script next to this module."""


def print_script(shell: str) -> None:
    """Print the completion script for a shell."""
    with open(join(dirname(__file__), f"completion.{shell}"), encoding="utf-8") as script:
        write(script.read())


def complete(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Print the possible completions of the last word, one per line."""
    ended = ["", *words, ""] if words[-1:] == ["="] else ["", *words]
    *before, last_word = (word for word in ended if word != "=")  # bash splits words at `=`
    option, equals, value = last_word.partition("=")
    if equals:
        before = [*before, option]
        last_word = value
    candidates = () if "--" in before else _list_candidates(parser, before, last_word)
    completions = (
        f"{option}={word}" if equals else word for word in candidates if word.startswith(last_word)
    )
    write("".join(f"{word}\n" for word in completions))


def _list_candidates(
    parser: argparse.ArgumentParser, before: list[str], last_word: str
) -> Iterable[str]:
    parser = _find_parser(parser, before)
    actions = parser._actions  # argparse has no public way to list actions
    options = {name: action for action in actions for name in action.option_strings}
    last = options.get(before[-1]) if before else None
    if last is not None and last.nargs != 0:
        return _list_values(last)
    if last_word.startswith("-"):
        return options
    arguments = [action for action in actions if not action.option_strings]
    return chain.from_iterable(map(_list_values, arguments))


def _find_parser(parser: argparse.ArgumentParser, words: list[str]) -> argparse.ArgumentParser:
    """Return the parser of the command that the words name."""
    for word in words:
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                parser = action.choices.get(word, parser)
    return parser


def _list_values(action: argparse.Action) -> Iterable[str]:
    return names() if action.dest == "tokenizer" else map(str, action.choices or ())
