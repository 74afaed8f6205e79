"""Convert tool-call data to LTON: `python -m lton_bench.convert SOURCE`."""

import sys

from lton.cli import run_program
from lton_bench.convert import command

if __name__ == "__main__":
    sys.exit(run_program(command))
