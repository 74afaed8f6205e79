"""Fuzz lenient reading, guided by coverage: `make fuzz`, or `python -m fuzz.fuzz_lenient …`."""

import atheris

with atheris.instrument_imports(include=["lton"]):
    import lton.lenient  # noqa: F401 - instrumented before anything else imports it

from fuzz.checks import check_lenient
from fuzz.target import run

if __name__ == "__main__":
    run(check_lenient)
