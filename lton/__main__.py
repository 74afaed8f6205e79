"""Run the command line for `python -m lton`."""

import sys

from lton.cli import main

sys.exit(main())
