"""Coverage-guided fuzzing of the lenient reader: `make fuzz`, or `python -m fuzz.fuzz_lenient`.

The first byte of an input chooses the toolset, the others are the text; bytes that are not UTF-8
become lone surrogates. Arguments are those of libFuzzer.
"""

import sys

import atheris

with atheris.instrument_imports(include=["lton"]):
    import lton.lenient  # noqa: F401 - instrumented before anything else imports it

from fuzz.checks import TOOLSETS, check_lenient

CHOICES = list(TOOLSETS.values())


def one_input(data: bytes) -> None:
    """Check one input; what it raises is a finding."""
    if data:
        text = data[1:].decode("utf-8", "surrogateescape")
        check_lenient(text, CHOICES[data[0] % len(CHOICES)])


def main() -> None:
    """Run libFuzzer."""
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
