"""`python -m lton` is the command line."""

import sys

from lton.cli import main

sys.exit(main())
