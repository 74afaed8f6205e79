"""Run the token benchmark: `python -m lton_bench.tokens`."""

import sys

from lton.cli import run_program
from lton_bench.tokens import command

if __name__ == "__main__":
    sys.exit(run_program(command))
