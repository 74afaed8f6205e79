"""Compression: which lines of output are kept.

- `outputs`: the output of tools, by the lines that an agent uses next
"""
