"""Run a fuzz target on an input: the first byte chooses the toolset, and the rest is the text.

Bytes that are not UTF-8 become lone surrogates. The arguments are those of libFuzzer.
"""

import sys
from collections.abc import Callable

import atheris

from fuzz.checks import TOOLSETS
from lton import ToolSet

CHOICES = list(TOOLSETS.values())


def run(check: Callable[[str, ToolSet | None], None]) -> None:
    """Run libFuzzer; any exception of a check is a finding."""

    def one_input(data: bytes) -> None:
        if data:
            text = data[1:].decode("utf-8", "surrogateescape")
            check(text, CHOICES[data[0] % len(CHOICES)])

    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
