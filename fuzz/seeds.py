"""Write the seed corpus, made of the conformance cases: `python -m fuzz.seeds FOLDER`.

Each text is a file in the format of `fuzz.target`: a byte for the toolset, and the text.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from fuzz.checks import TOOLSETS
from lton import ToolSet, encode
from spec.conformance.run import read_cases
from tests.cases import BAD, GOOD, READ
from tests.cases import TOOLSETS as SHARED

LONGEST = 400


def texts() -> Iterator[tuple[str, str, str]]:
    """Return the name of each case, the name of its toolset or a similar one, and its text."""
    cases: list[tuple[str, ToolSet | None, str]]
    cases = [(f"good-{case.name}", case.tools, case.wire) for case in GOOD]
    cases += [(f"good-{case.name}-tagged", case.tools, case.tagged) for case in GOOD]
    cases += [(f"good-{case.name}-map", case.tools, encode(case.calls)) for case in GOOD]
    cases += [(case.name, case.tools, case.text) for case in READ]
    cases += [(case.name, case.tools, case.text) for case in BAD]
    cases += [
        (case["id"], case["tools"] and SHARED[case["tools"]], case["text"])
        for case in read_cases()
        if case["kind"] == "lenient"
    ]
    for name, tools, text in cases:
        if len(text) <= LONGEST:
            same = (key for key, toolset in TOOLSETS.items() if toolset == tools)
            yield name, next(same, "any"), text


def main() -> None:
    """Write the files."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, toolset, text in texts():
        content = bytes([list(TOOLSETS).index(toolset)]) + text.encode("utf-8", "surrogatepass")
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
