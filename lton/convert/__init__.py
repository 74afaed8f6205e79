"""Tool-call data as LTON text, for fine-tuning."""

from lton.convert.example import convert_example

__all__ = ["convert_example"]
