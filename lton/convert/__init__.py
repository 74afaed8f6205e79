"""Tool-call data as LTON text, for fine-tuning: an example, or files larger than memory.

- `example` converts one chat, and does no I/O. `lines` converts many, `files` reads and writes.
- `engines` says who converts, by `lton._workers`. An engine gets chunks of lines and gives back
  what they became, in order. `run` puts it together.
"""

from lton.convert.example import convert_example
from lton.convert.lines import Settings, Tally
from lton.convert.run import convert_file

__all__ = ["Settings", "Tally", "convert_example", "convert_file"]
