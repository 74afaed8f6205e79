"""Fuzz schemas, guided by coverage: `make fuzz`, or `python -m fuzz.fuzz_schema CORPUS…`.

An input shapes tool definitions and the arguments of a call, or is the JSON of definitions.
"""

import json
import sys
from contextlib import suppress

import atheris

with atheris.instrument_imports(include=["lton"]):
    import lton.schema  # noqa: F401 - instrumented before anything else imports it

from fuzz.checks import check_schema
from fuzz.definitions import definitions, value


def one_input(data: bytes) -> None:
    """Check one input; any exception is a finding."""
    provider = atheris.FuzzedDataProvider(data)

    def choose(last: int) -> int:
        return int(provider.ConsumeIntInRange(0, last))

    check_schema(definitions(choose), [value(choose) for _ in range(3)])
    with suppress(ValueError, RecursionError):
        found = json.loads(data)
        check_schema(found, [value(choose)])


def main() -> None:
    """Run libFuzzer."""
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
