"""The formats of tool definitions."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lton.cost.typescript import HEAD, TAIL, write_typescript
from lton.schema import ToolSet
from lton_bench.internals import minified
from lton_bench.tokens.pieces import Definition


@dataclass(frozen=True, slots=True)
class ShownFormat:
    """A function that writes the definitions of tools."""

    name: str
    write: Callable[[Sequence[Definition]], str]
    note: str = ""


def _spaced(tools: Sequence[Definition]) -> str:
    return json.dumps(tools, ensure_ascii=False)


def _signatures(tools: Sequence[Definition], *, descriptions: bool) -> str:
    return ToolSet.from_tools(tools).prompt(descriptions=descriptions)


def _typescript(tools: Sequence[Definition], *, descriptions: bool) -> str:
    types = (write_typescript(tool["function"], descriptions=descriptions) for tool in tools)
    return HEAD + "\n\n".join(types) + TAIL


_TYPES = "as OpenAI's models are shown them; bounds, references and patterns are left out"

SHOWN_FORMATS: tuple[ShownFormat, ...] = (
    ShownFormat("JSON minified", minified, "the baseline: OpenAI's definitions"),
    ShownFormat("JSON spaced", _spaced, "as most templates print them"),
    ShownFormat("LTON", lambda tools: _signatures(tools, descriptions=True), "signatures"),
    ShownFormat("LTON, no descriptions", lambda tools: _signatures(tools, descriptions=False)),
    ShownFormat("TypeScript", lambda tools: _typescript(tools, descriptions=True), _TYPES),
    ShownFormat(
        "TypeScript, no descriptions", lambda tools: _typescript(tools, descriptions=False)
    ),
)
