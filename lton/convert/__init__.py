"""Tool-call data as LTON text, for fine-tuning: an example, or files larger than memory.

- `example` converts one chat, and does no I/O. `lines` converts many, `files` reads and writes.
- `run` puts it together, by the processes of `lton._workers`. `command` is `lton convert`.
"""

from lton.convert.example import convert_example
from lton.convert.lines import Settings, Tally
from lton.convert.run import convert_file

__all__ = ["Settings", "Tally", "convert_example", "convert_file"]
