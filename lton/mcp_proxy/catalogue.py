"""List tools for a client in each mode and parse the client's calls."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from lton._json import minified
from lton._syntax import FOR_MODELS, STEERING
from lton.codec import decode
from lton.errors import Code, DecodeError, LTONError, ServerError
from lton.mcp_proxy.controls import replace_controls
from lton.mcp_proxy.results import names_to_shorten
from lton.mcp_proxy.slim import slim_definition
from lton.mcp_proxy.unshown import find_unshown_names, members_of
from lton.results import ForModels
from lton.schema.shown.tiers import (
    DESCRIBES,
    Describer,
    names_of,
    tools_without_description,
    write_described,
)
from lton.schema.shown.write import PRIMERS, write_prompt
from lton.schema.toolset import ToolSet
from lton.schema.types import Call, Tool

Mode = Literal["line", "search", "tools", "pass"]
MODES: tuple[Mode, ...] = ("line", "search", "tools", "pass")
_LONGEST_LINE = 1_000_000
_LONGEST_NAME = 2000
_RESULTS = (
    ' Results: lists are [a b], maps {key value}, text is in "quotes" or after its length (s3:abc).'
)
_NAME = re.compile("[!-~]{1,128}")
"""ASCII without spaces, because a similar letter or an invisible mark could imitate another tool.
"""
_CATALOGUES = 8
_COMPILED = 4096  # the number of tools that are kept compiled
_CALL = "call"  # the name of the tool that takes calls


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxySettings:
    """The options of an MCP proxy.

    - `mode`: "line" (one tool `call`, which accepts a call as a line of LTON and shows all
      signatures), "search" (`call`, and a tool that finds signatures), "tools" (each tool with a
      shorter JSON Schema, see `lton.mcp_proxy.slim`) or "pass" (unchanged tools).
    - `budget`: the tokens for descriptions, at four characters each. None shows all descriptions.
      If the descriptions of a tool do not fit, only its signature or schema is shown, and a tool
      `describe` returns them.
    - `results`: the class of models for which results are shortened, if `lton.mcp_proxy.results`
      allows this. None does not shorten results.
    """

    mode: Mode = "line"
    budget: int | None = None
    results: ForModels | None = "any"

    @property
    def search_name(self) -> str:
        """The name of the tool that finds or describes tools."""
        return "search" if self.mode == "search" else "describe"

    @property
    def names(self) -> tuple[str, ...]:
        calls = () if self.mode in ("tools", "pass") else (_CALL,)
        finds = self.mode == "search" or (self.mode != "pass" and self.budget is not None)
        return (*calls, self.search_name) if finds else calls


@dataclass(frozen=True)
class Catalogue:
    """A server's tools: lines can call `tools`, and the `unchanged` tools are passed on.

    `definitions` are the server's definitions of `tools`. A tool is kept if its schema has no
    layout, if only a task can run it, or if its signature would hide a part of its schema. In the
    last case, `notes` explains this. In mode "tools", all tools are shown with short schemas.
    """

    settings: ProxySettings
    tools: ToolSet
    unchanged: tuple[dict[str, Any], ...]
    definitions: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, listed: Sequence[dict[str, Any]], settings: ProxySettings) -> "Catalogue":
        """Return the catalogue for a server's list of tools.

        If two tools have the same name, the first is used. Raises `ServerError` (E823) if a listed
        tool has the name of one of the proxy's own tools.
        """
        return _make_catalogue(tuple(map(minified, listed)), settings)

    @cached_property
    def listing(self) -> list[dict[str, Any]]:
        definitions = [list_definition(tool, self.shortened) for tool in self.unchanged]
        if self.settings.mode == "tools":
            definitions = [slim_definition(tool) for tool in definitions]
        return [*self._iterate_own_definitions(), *definitions]

    @cached_property
    def shortened(self) -> frozenset[str]:
        """The names of the tools whose results are shortened."""
        return (
            names_to_shorten((*self.definitions, *self.unchanged))
            if self.settings.results
            else frozenset()
        )

    def _iterate_own_definitions(self) -> Iterator[dict[str, Any]]:
        mode = self.settings.mode
        if mode == "search" and len(self.tools):
            yield self._search_tool()
        if mode == "tools":
            yield from map(self._shorten_definition, self.definitions)
        elif len(self.tools):
            yield self._define_call_tool()
        if self._bare and mode != "search":
            name = self.settings.search_name
            yield _write_definition(name, DESCRIBES, "query", "names, or what to do")

    def _define_call_tool(self) -> dict[str, Any]:
        settings = self.settings
        about = [PRIMERS[FOR_MODELS]]
        if self.shortened:
            about[0] += _RESULTS
        if settings.mode == "line":
            about.append(self._write_signatures(self.tools))
        return _write_definition(_CALL, "\n".join(about), "line", "one call")

    def _search_tool(self) -> dict[str, Any]:
        settings = self.settings
        about = (
            f"Find tools, to be called with {_CALL}: the signatures of those that fit"
            f" a question best, or of those that are named. There are {len(self.tools)}:"
            f" {names_of(self.tools.tools)}"
        )
        return _write_definition(
            settings.search_name, replace_controls(about), "query", "what to do, or names"
        )

    def _shorten_definition(self, definition: dict[str, Any]) -> dict[str, Any]:
        listed = list_definition(definition, self.shortened)
        return slim_definition(listed, descriptions=definition["name"] not in self._bare)

    def _write_signatures(self, tools: Iterable[Tool]) -> str:
        some = self.settings.budget != 0
        return replace_controls(
            write_prompt(tools, descriptions=some, bare=self._bare, choices=True)
        )

    @cached_property
    def _bare(self) -> frozenset[str]:
        budget = None if self.settings.mode == "search" else self.settings.budget
        return tools_without_description(self.tools, budget, choices=True)

    @cached_property
    def schemas(self) -> dict[str, Any]:
        """The original schema of each tool's arguments."""
        return {one["name"]: one.get("inputSchema") for one in (*self.definitions, *self.unchanged)}

    def search_tools(self, question: str) -> str:
        """Return the signatures of the tools that match best, and the names of other matches."""
        return replace_controls(self._describer.describe_tools(question))

    @cached_property
    def _describer(self) -> Describer:
        return Describer(self.tools, choices=True)

    def read_call(self, line: str) -> Call:
        """Parse a line that contains exactly one call.

        Raises the `DecodeError` of the strict reader, or `LTONError` (E820) if the line is too long
        or does not contain exactly one call.
        """
        if len(line) > _LONGEST_LINE:
            raise LTONError(Code.LINE, f"a line of more than {_LONGEST_LINE:,} characters")
        try:
            calls: Sequence[Call] = decode(line, self.tools)
        except DecodeError:
            from lton.lenient import decode_lenient  # noqa: PLC0415 - the proxy starts without it

            calls = decode_lenient(line, self.tools, ended=True).calls
            if not calls:
                raise
        if len(calls) != 1:
            raise LTONError(Code.LINE, f"expected one call, found {len(calls)}")
        return calls[0]

    def write_refusal(self, line: str, error: LTONError) -> str:
        """Explain the error in a line to the model, with the tool's signature or all tool names."""
        picture = f"{error.picture()}\n" if isinstance(error, DecodeError) else ""
        start = line[:_LONGEST_NAME].strip().removeprefix("!call ")
        name = re.split(r"[\s(#]", start, maxsplit=1)[0]
        tool = self.tools.by_name.get(name.strip("\"'`"))
        names = f"there are: {names_of(self.tools.tools)}"
        help_text = write_described(tool, choices=True) if tool else names
        return replace_controls(f"{error}\n{picture}{help_text}")


@lru_cache(_CATALOGUES)
def _make_catalogue(listed: tuple[str, ...], settings: ProxySettings) -> Catalogue:
    tools: dict[str, Tool] = {}
    unchanged: dict[str, dict[str, Any]] = {}
    definitions = list[dict[str, Any]]()
    notes = list[str]()
    for text in listed:
        compiled = _compile_tool(text, shows_layout=settings.mode != "tools")
        definition = compiled.definition
        name = str(definition.get("name"))
        if name in tools or name in unchanged:
            continue
        if compiled.hidden:
            notes.append(f"{name} keeps its JSON Schema: a signature hides {compiled.hidden}")
        if compiled.tool is None or compiled.hidden:
            unchanged[name] = definition
        else:
            tools[name] = compiled.tool
            definitions.append(definition)
    _refuse_own_names(settings, {*unchanged, *tools} if settings.mode == "tools" else unchanged)
    toolset = ToolSet(tuple(tools.values()))
    return Catalogue(settings, toolset, tuple(unchanged.values()), tuple(definitions), tuple(notes))


def _refuse_own_names(settings: ProxySettings, names: Collection[str]) -> None:
    """Raise `ServerError` if the client would see a tool under the name of one of the proxy's."""
    for name in settings.names:
        if name in names:
            msg = f"the server has a tool {name!r}, which is the name of a tool of the proxy"
            raise ServerError(Code.LISTING, msg, hint="--mode tools without --show adds no tools")


def list_definition(definition: dict[str, Any], shortened: Collection[str]) -> dict[str, Any]:
    """Return a tool's definition, without `outputSchema` if its results are shortened.

    Clients check results against that schema.
    """
    if definition.get("name") not in shortened:
        return definition
    return {key: value for key, value in definition.items() if key != "outputSchema"}


def has_unfit_schema(definition: dict[str, Any]) -> bool:
    r"""Return whether a tool's name or title could deceive a user.

    The same applies to a title with several lines or terminal escapes, because clients show titles
    to users.
    """
    name = definition.get("name")
    about = definition.get("annotations")
    titles = [one.get("title") for one in (definition, about) if isinstance(one, dict)]
    is_odd = any(isinstance(title, str) and STEERING.search(title) for title in titles)
    return is_odd or not (isinstance(name, str) and _NAME.fullmatch(name))


@dataclass(frozen=True, slots=True)
class _CompiledTool:
    """A listed tool. `tool` is None if a line cannot call it."""

    definition: dict[str, Any]
    tool: Tool | None = None
    hidden: str = ""
    """The parts of the schema that the signature hides."""


@lru_cache(_COMPILED)
def _compile_tool(listed: str, *, shows_layout: bool) -> _CompiledTool:
    """Compile a definition in JSON.

    A list that changes has most of its tools unchanged, so tools are cached.
    """
    definition = json.loads(listed)
    execution = definition.get("execution")
    if isinstance(execution, dict) and execution.get("taskSupport") == "required":
        return _CompiledTool(definition)  # a line cannot ask for a task
    try:
        tool = ToolSet.from_tools([definition]).tools[0]
    except LTONError:
        return _CompiledTool(definition)
    hidden = _hidden_parts(definition, tool) if shows_layout else ""
    return _CompiledTool(definition, tool, hidden)


def _hidden_parts(definition: dict[str, Any], tool: Tool) -> str:
    """Name the parts of a tool's schema that its signature does not show, or return ""."""
    nested = members_of(definition.get("inputSchema")).difference(tool.args.by_name)
    prompt = write_prompt([tool], descriptions=False, choices=True) if nested else ""
    return f"{', '.join(find_unshown_names(nested, prompt)):.200}"


def _write_definition(name: str, about: str, parameter: str, description: str) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {parameter: {"type": "string", "description": description}},
        "required": [parameter],
    }
    return {"name": name, "description": about, "inputSchema": schema}
