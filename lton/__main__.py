"""Run the command-line interface for `python -m lton`."""

import sys

from lton.cli import main

sys.exit(main())
