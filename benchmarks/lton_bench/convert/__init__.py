"""Convert tool-call data to LTON for fine-tuning: one example, or files larger than memory.

- `example` converts one chat without I/O. `lines` converts many, and `files` reads and writes.
- `run` converts a file in several processes. `command` is the program,
  which `__main__` runs.
"""

from lton_bench.convert.example import convert_example
from lton_bench.convert.lines import Settings, Tally
from lton_bench.convert.run import convert_file

__all__ = ["Settings", "Tally", "convert_example", "convert_file"]
