"""Completion: a shell asks `lton` itself how a line goes on, and the parser answers."""

import argparse
from collections.abc import Iterable, Sequence

from lton._terminal import write
from lton.tokens.registry import names

EXAMPLE = """\
  $ eval "$(lton completion bash)"          # in ~/.bashrc
  $ eval "$(lton completion zsh)"           # in ~/.zshrc, after compinit
  $ lton completion fish > ~/.config/fish/completions/lton.fish
"""
_SCRIPTS = {
    "bash": """\
_lton() {
    local IFS=$'\\n'
    COMPREPLY=($(_LTON_COMPLETE=1 lton "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _lton lton
""",
    "zsh": """\
_lton() {
    local -a found
    found=(${(f)"$(_LTON_COMPLETE=1 lton "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#found )); then compadd -- $found; else _files; fi
}
compdef _lton lton
""",
    "fish": """\
function __lton_complete
    set -l words (commandline -opc) "$(commandline -ct)"
    set -l found (_LTON_COMPLETE=1 lton $words[2..] 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c lton -f -a '(__lton_complete)'
""",
}


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options of `lton completion`."""
    sub.add_argument("shell", choices=[*_SCRIPTS])


def run(options: argparse.Namespace) -> int:
    """Write what a shell is to run."""
    write(_SCRIPTS[options.shell])
    return 0


def complete(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Write how the last word may go on, a line each; without any, the shell offers files."""
    ended = ["", *words, ""] if words[-1:] == ["="] else ["", *words]
    *before, begun = (each for each in ended if each != "=")  # bash takes it for a word
    option, equals, value = begun.partition("=")
    if equals:
        before, begun = [*before, option], value
    found = () if "--" in before else _candidates(parser, before, begun)
    shown = (f"{option}={each}" if equals else each for each in found if each.startswith(begun))
    write("".join(f"{each}\n" for each in shown))


def _candidates(
    parser: argparse.ArgumentParser, before: Sequence[str], begun: str
) -> Iterable[str]:
    for word in before:
        for action in parser._actions:  # argparse has no public way to list them
            if isinstance(action, argparse._SubParsersAction):
                parser = action.choices.get(word, parser)
    options = {name: action for action in parser._actions for name in action.option_strings}
    last = options.get(before[-1]) if before else None
    if last is not None and last.nargs != 0:
        return _values(last)
    if begun.startswith("-"):
        return options
    return [
        each for action in parser._actions if not action.option_strings for each in _values(action)
    ]


def _values(action: argparse.Action) -> Iterable[str]:
    return names() if action.dest == "tokenizer" else map(str, action.choices or ())
