"""Completion: what a shell gets to know of the command line, by argcomplete."""

import argparse

from lton._require import require
from lton._terminal import write
from lton.tokens.registry import names

EXAMPLE = """\
  $ eval "$(lton completion bash)"          # in ~/.bashrc
  $ eval "$(lton completion zsh)"           # in ~/.zshrc, after compinit
  $ lton completion fish > ~/.config/fish/completions/lton.fish
"""


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options of `lton completion`."""
    sub.add_argument("shell", choices=["bash", "fish", "zsh"])


def run(options: argparse.Namespace) -> int:
    """Write what a shell is to run."""
    library = require("argcomplete", "argcomplete>=3.6,<4")
    write(library.shellcode(["lton"], shell=options.shell))
    return 0


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer a shell that asks how a line goes on, and end; argcomplete set the variables."""
    library = require("argcomplete", "argcomplete>=3.6,<4")
    for command in parser._subparsers._group_actions[0].choices.values():  # type: ignore[union-attr]
        for action in command._actions:
            if action.dest == "tokenizer":
                action.completer = lambda **_: names()
    library.autocomplete(parser)
