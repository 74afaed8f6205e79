"""Implement the command line.

- `parser` lists the commands, and imports only the one that is called. A command is a module with
  `add_options` and `run`, in this package, or the `command` of its package. `commands.txt` has the
  summaries and examples.
- `encode`, `decode`, `schema`, `grammar` and `generate` are commands, and `completion` completes
  command lines.
- `tokens` is a program of its own: `python -m lton.cli.tokens`. `run_program` runs such modules.
- `inputs`, `outputs`, `options` and `diagnostics` are shared by several commands.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from lton._terminal import UsageError, be_quiet, complain, say, write, written_to
from lton.cli.diagnostics import with_hint
from lton.cli.parser import parse_arguments, parser_for
from lton.errors import DecodeError, LTONError

_BROKEN_PIPE = 128 + 13  # the exit status of shells for SIGPIPE
_INTERRUPTED = 128 + 2  # the exit status of shells for SIGINT


def main(arguments: list[str] | None = None) -> int:
    """Run a command, and return its exit status (1 for bad input, 2 for bad usage)."""
    words = sys.argv[1:] if arguments is None else arguments
    return _report_errors(lambda: _run_command(words))


def run_program(module: Any, arguments: Sequence[str] | None = None) -> int:
    """Run a module with `add_options` and `run` as a program, as `main` runs a command.

    The description is the first line of the module's docstring.
    """

    def run_module() -> int:
        parser = argparse.ArgumentParser(description=module.__doc__.partition("\n")[0])
        module.add_options(parser)
        options = parser.parse_args(arguments)
        status: int = module.run(options)
        return status

    return _report_errors(run_module)


def _run_command(arguments: list[str]) -> int:
    if "_LTON_COMPLETE" in os.environ:
        from lton.cli.completion import complete  # noqa: PLC0415 - only shells ask for it

        complete(parser_for(arguments[:-1]), arguments)
        sys.exit()
    lists_all = arguments[:2] == ["help", "all"]
    if arguments in ([], ["help"], ["help", "all"]):
        help_text = parser_for([], lists_all=lists_all).format_help()
        write(help_text) if arguments else print(help_text, end="", file=sys.stderr)
        return 0 if arguments else 2
    if arguments[0] == "help":  # `lton help encode`, `lton help all encode`
        arguments = [*arguments[1 + lists_all :], "--help"]
    options = parse_arguments(arguments, lists_all=lists_all)
    be_quiet(getattr(options, "is_quiet", False))
    with written_to(options.output):
        status: int = options.command(options)
    if options.output not in (None, "-") and getattr(options, "names_output", False):
        say(f"wrote {options.output}")
    return status


def _report_errors(run: Callable[[], int]) -> int:
    """Run a command, report its errors, and return its exit status."""
    try:
        return run()
    except DecodeError as error:
        complain(f"{with_hint(error)}\n{error.picture()}")
    except BrokenPipeError:  # end silently, as `cat` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as error:
        has_file = error.filename is not None
        complain(f"{error.filename or repr('')}: {error.strerror}" if has_file else str(error))
    except (LTONError, ValueError) as error:
        complain(str(error))
        # A plain ValueError is about an option. Its subclasses are about the input.
        return 2 if type(error) in (UsageError, ValueError) else 1
    return 1
