"""Fuzz prompts, guided by coverage: `make fuzz`, or `python -m fuzz.fuzz_prompt CORPUS…`.

An input is read as a prompt, and shapes tool definitions whose prompt is read back.
"""

import sys

import atheris

with atheris.instrument_imports(include=["lton"]):
    import lton.schema  # noqa: F401 - instrumented before anything else imports it

from fuzz.checks import check_prompt, check_shown
from fuzz.definitions import definitions


def one_input(data: bytes) -> None:
    """Check one input; any exception is a finding."""
    check_prompt(data.decode("utf-8", "surrogateescape"))
    provider = atheris.FuzzedDataProvider(data)
    check_shown(definitions(lambda last: provider.ConsumeIntInRange(0, last)))


def main() -> None:
    """Run libFuzzer."""
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
