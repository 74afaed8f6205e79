"""Fuzz the readers, guided by coverage: `make fuzz`, or `python -m fuzz.fuzz_decode …`."""

import atheris

with atheris.instrument_imports(include=["lton"]):
    import lton.codec  # noqa: F401 - instrumented before anything else imports it

from fuzz.checks import check
from fuzz.target import run

if __name__ == "__main__":
    run(check)
