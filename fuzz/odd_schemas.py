"""Test all readers of tools with odd schemas: `python -m fuzz.odd_schemas --count 20000`.

Random definitions have odd keywords and odd names. Each is compiled, shown, read back, converted to
grammars in two dialects, and called. Only an `LTONError` may be raised.
"""

import argparse
import random
import time
from contextlib import suppress

from fuzz.checks import check_schema, check_shown
from fuzz.definitions import definitions, value
from lton import LTONError, ToolSet
from lton.grammar import to_gbnf, to_lark

_SLOW_S = 3.0
"""So long no definition may take."""


def check_odd(seed: int) -> None:
    """Check the definitions of a seed."""
    chance = random.Random(seed)

    def choose(last: int) -> int:
        return chance.randint(0, last)

    found = definitions(choose)
    start = time.process_time()
    check_schema(found, [value(choose) for _ in range(3)])
    check_shown(found)
    for grammar in (to_gbnf, to_lark):
        with suppress(LTONError):
            grammar(ToolSet.from_tools(found))
    assert time.process_time() - start < _SLOW_S, "too slow"


def main() -> None:
    """Check seeds, and print the seeds that fail."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--start", type=int, default=0)
    options = parser.parse_args()
    for seed in range(options.start, options.start + options.count):
        try:
            check_odd(seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r}") from error
    print(f"{options.count:,} odd schemas: no fault")


if __name__ == "__main__":
    main()
