"""Implement the command line.

- `parser` lists the commands, and imports only the one that is called. A command is a module with
  `add_options` and `run`, in this package, or the `command` of its package. `commands.txt` has the
  summaries and examples.
- `encode`, `decode`, `fmt`, `check`, `schema`, `tokens`, `grammar` and `generate` are commands, and
  `completion` completes command lines. `doctor` reports installed packages and settings.
- `inputs`, `outputs`, `options` and `diagnostics` are shared by several commands.
"""

import os
import sys

from lton._terminal import UsageError, be_quiet, complain, write, written_to
from lton.cli.diagnostics import add_hint
from lton.cli.parser import command_module, parse_arguments, parser_for
from lton.errors import DecodeError, LTONError

_BROKEN_PIPE = 128 + 13  # the exit status of shells for SIGPIPE
_INTERRUPTED = 128 + 2  # the exit status of shells for SIGINT


def main(arguments: list[str] | None = None) -> int:
    """Run a command, and return its exit status (1 for bad input, 2 for bad usage)."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if "_LTON_COMPLETE" in os.environ:
            command_module("completion").complete(parser_for(arguments[:-1]), arguments)
            sys.exit()
        lists_all = arguments[:2] == ["help", "all"]
        if arguments in ([], ["help"], ["help", "all"]):
            shown = parser_for([], lists_all=lists_all).format_help()
            write(shown) if arguments else print(shown, end="", file=sys.stderr)
            return 0 if arguments else 2
        if arguments[0] == "help":  # `lton help encode`, `lton help all encode`
            arguments = [*arguments[1 + lists_all :], "--help"]
        options = parse_arguments(arguments, lists_all=lists_all)
        be_quiet(getattr(options, "is_quiet", False))
        with written_to(options.output):
            status: int = options.command(options)
    except DecodeError as error:
        complain(f"{add_hint(error)}\n{error.picture()}")
    except BrokenPipeError:  # end silently, as `cat` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as error:
        known = error.filename is not None
        complain(f"{error.filename or repr('')}: {error.strerror}" if known else str(error))
    except (LTONError, ValueError) as error:
        complain(str(error))
        # A plain ValueError is about an option. Its subclasses are about the input.
        return 2 if type(error) in (UsageError, ValueError) else 1
    else:
        return status
    return 1
