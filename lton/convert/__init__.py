"""Tool-call data as LTON text, for fine-tuning: an example, or files larger than memory."""

from lton.convert.example import convert_example
from lton.convert.lines import Settings, Tally
from lton.convert.run import convert_file

__all__ = ["Settings", "Tally", "convert_example", "convert_file"]
