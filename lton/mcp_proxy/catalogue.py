"""What of a server's tools a client is shown in each mode, and what it asks for with that."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from lton._syntax import Form
from lton.codec import decode
from lton.errors import Code, DecodeError, LTONError, ServerError
from lton.grammar.build import FOR_MODELS
from lton.lenient import decode_lenient
from lton.schema.ranking import Ranking
from lton.schema.shown.write import PRIMERS
from lton.schema.toolset import ToolSet
from lton.schema.types import Call, Tool

Mode = Literal["line", "search", "pass"]
MODES: tuple[Mode, ...] = ("line", "search", "pass")
_BEST = 5
"""Tools that a search shows in full."""
_NAMES = 2000
"""Characters of names, of tools that are not shown in full."""
_LONGEST_LINE = 1_000_000
_RESULTS = (
    ' Results: lists are [a b], maps {key value}, text is in "quotes" or after its length (s3:abc).'
)
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxySettings:
    """What a client is shown.

    `mode` is "line" (one tool that takes a call as a line of LTON, with all signatures), "search"
    (a tool that finds signatures, and that one) or "pass" (the tools as they are). `form` is the
    one that calls are explained in; lines of any form are read. `prefix` begins the names of the
    proxy's own tools. With `results`, results are in LTON.
    """

    mode: Mode = "line"
    form: Form = FOR_MODELS
    descriptions: bool = True
    results: bool = True
    prefix: str = ""

    @property
    def call_name(self) -> str:
        return f"{self.prefix}call"

    @property
    def search_name(self) -> str:
        return f"{self.prefix}search"


@dataclass(frozen=True)
class Catalogue:
    """A server's tools: those that a line can call, and those that are listed as they are.

    The latter are those whose schema has no layout, and those with the name of a tool of ours.
    """

    settings: ProxySettings
    tools: ToolSet
    kept: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, listed: Sequence[dict[str, Any]], settings: ProxySettings) -> "Catalogue":
        """Get the catalogue of what `tools/list` gave, all pages of it. The first of a name counts.

        Raises `ServerError` (E823) where a tool that must be listed as it is has a name of ours.
        """
        tools: dict[str, Tool] = {}
        kept: dict[str, dict[str, Any]] = {}
        for definition in listed:
            name = str(definition.get("name"))
            if name in tools or name in kept:
                continue
            tool = _compiled(definition)
            if tool is None:
                kept[name] = definition
            else:
                tools[name] = tool
        for name in (settings.call_name, settings.search_name):
            if name in kept:
                msg = f"the server has a tool {name!r} that no signature can show"
                raise ServerError(Code.LISTING, msg, hint="--prefix gives ours other names")
        return cls(settings, ToolSet(tuple(tools.values())), tuple(kept.values()))

    # --- what is listed -------------------------------------------------------------------------

    def listing(self) -> list[dict[str, Any]]:
        """Get the definitions that the client is shown."""
        ours = [self._call_tool()] if len(self.tools) else []
        if ours and self.settings.mode == "search":
            ours.insert(0, self._search_tool())
        return [*ours, *(listed(tool, self.settings) for tool in self.kept)]

    def _call_tool(self) -> dict[str, Any]:
        settings = self.settings
        about = [PRIMERS[settings.form]]
        if settings.results:
            about[0] += _RESULTS
        if settings.mode == "line":
            about.append(self._shown(self.tools))
        return _definition(settings.call_name, "\n".join(about), "line", "one call")

    def _search_tool(self) -> dict[str, Any]:
        settings = self.settings
        about = (
            f"Find tools, to be called with {settings.call_name}: the signatures of those that fit"
            f" a question best, or of those that are named. There are {len(self.tools)}:"
            f" {_names(self.tools)}"
        )
        return _definition(settings.search_name, tamed(about), "query", "what to do, or names")

    def _shown(self, tools: ToolSet) -> str:
        return tamed(tools.prompt(descriptions=self.settings.descriptions))

    # --- what is asked for ----------------------------------------------------------------------

    def search(self, question: str) -> str:
        """Get the signatures of the tools that fit best, and the names of the others that fit."""
        found = self._ranking.find(question)
        if not found:
            return f"no tool fits; there are: {tamed(_names(self.tools))}"
        text = self._shown(ToolSet(tuple(found[:_BEST])))
        rest = found[_BEST:]
        return f"{text}\nAlso: {tamed(_names(rest))}" if rest else text

    @cached_property
    def _ranking(self) -> Ranking:
        return Ranking(self.tools)

    def read(self, line: str) -> Call:
        """Get the one call of a line: strictly, or leniently where that leaves one reading.

        Raises `DecodeError` as the strict reader has it; `LTONError` (E820) for a line with no call
        or with several, and for one that is too long.
        """
        if len(line) > _LONGEST_LINE:
            raise LTONError(Code.LINE, f"a line of more than {_LONGEST_LINE:,} characters")
        try:
            calls: Sequence[Call] = decode(line, self.tools)
        except DecodeError:
            calls = decode_lenient(line, self.tools).calls
            if not calls:
                raise
        if len(calls) != 1:
            raise LTONError(Code.LINE, f"expected one call, found {len(calls)}")
        return calls[0]

    def refusal(self, line: str, error: LTONError) -> str:
        """Get the report to the model of a line that was refused: what it could have been."""
        picture = f"{error.picture()}\n" if isinstance(error, DecodeError) else ""
        name = re.split(r"[\s(#]", line[:_NAMES].strip().removeprefix("!call "), maxsplit=1)[0]
        tool = self.tools.by_name.get(name.strip("\"'`"))
        known = self._shown(ToolSet((tool,))) if tool else f"there are: {_names(self.tools)}"
        return tamed(f"{error}\n{picture}{known}")


def listed(definition: dict[str, Any], settings: ProxySettings) -> dict[str, Any]:
    """Get a tool's definition as a client is to see it: clients check results by `outputSchema`."""
    if not settings.results:
        return definition
    return {key: value for key, value in definition.items() if key != "outputSchema"}


def tamed(text: str) -> str:
    """Make visible what a terminal would obey; lines stay lines."""
    return _CONTROL.sub("\ufffd", text)


def _compiled(definition: dict[str, Any]) -> Tool | None:
    """Get a tool that a line can call, or None."""
    execution = definition.get("execution")
    if isinstance(execution, dict) and execution.get("taskSupport") == "required":
        return None  # its client asks for a task, which no line does
    try:
        return ToolSet.from_tools([definition]).tools[0]
    except LTONError:
        return None


def _definition(name: str, about: str, parameter: str, description: str) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {parameter: {"type": "string", "description": description}},
        "required": [parameter],
    }
    return {"name": name, "description": about, "inputSchema": schema}


def _names(tools: Sequence[Tool] | ToolSet) -> str:
    """Get names with spaces between, and how many more there are where they are many."""
    names = [tool.name for tool in tools]
    shown: list[str] = []
    size = 0
    for name in names:
        size += len(name) + 1
        if size > _NAMES:
            return " ".join([*shown, f"and {len(names) - len(shown)} more"])
        shown.append(name)
    return " ".join(shown)
