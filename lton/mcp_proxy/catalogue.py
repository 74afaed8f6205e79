"""What of a server's tools a client is shown in each mode, and what it asks for with that."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from lton._syntax import STEERING, Form
from lton.codec import decode
from lton.errors import Code, DecodeError, LTONError, ServerError
from lton.grammar.build import FOR_MODELS
from lton.lenient import decode_lenient
from lton.mcp_proxy.results import shortened
from lton.mcp_proxy.unshown import unshown
from lton.results import ForModels
from lton.schema.shown.tiers import DESCRIBES, Describer, described, names_of, undescribed
from lton.schema.shown.write import PRIMERS, write_prompt
from lton.schema.toolset import ToolSet
from lton.schema.types import Call, Tool

Mode = Literal["line", "search", "tools", "pass"]
MODES: tuple[Mode, ...] = ("line", "search", "tools", "pass")
_LONGEST_LINE, _LONGEST_NAME = 1_000_000, 2000
_RESULTS = (
    ' Results: lists are [a b], maps {key value}, text is in "quotes" or after its length (s3:abc).'
)
_NAME = re.compile("[!-~]{1,128}")
"""What MCP allows in a tool's name, and its other signs of ASCII. A letter that looks like one of
these, or a mark that is not seen, could pass for another tool."""
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxySettings:
    """What a client is shown.

    - `mode`: "line" (one tool that takes a call as a line of LTON, with all signatures), "search"
      (a tool that finds signatures, and that one), "tools" (each tool with its annotations, and a
      signature for its schema) or "pass" (the tools as they are).
    - `form`: the form that calls are explained in; lines of any form are read.
    - `budget`: the tokens that descriptions may take, at four characters each; without it, all
      are shown. A tool whose descriptions do not fit is shown by its signature alone, and a tool
      `describe` gives the rest.
    - `results`: the class of models that results are written shorter for, where
      `lton.mcp_proxy.results` allows that. With None they stay as they are.
    - `prefix`: begins the names of the proxy's own tools.
    """

    mode: Mode = "line"
    form: Form = FOR_MODELS
    budget: int | None = None
    results: ForModels | None = "any"
    prefix: str = ""

    @property
    def call_name(self) -> str:
        return f"{self.prefix}call"

    @property
    def search_name(self) -> str:
        """The name of the tool that finds tools, or describes those that are named."""
        return f"{self.prefix}{'search' if self.mode == 'search' else 'describe'}"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the proxy's own tools."""
        calls = () if self.mode in ("tools", "pass") else (self.call_name,)
        finds = self.mode == "search" or (self.mode != "pass" and self.budget is not None)
        return (*calls, self.search_name) if finds else calls


@dataclass(frozen=True)
class Catalogue:
    """A server's tools: those that a line can call, and those that are listed as they are.

    The latter are those whose schema has no layout, and those with the name of a tool of ours.
    `definitions` has the server's own of the former, `notes` a line for each whose signature does
    not show all of its schema.
    """

    settings: ProxySettings
    tools: ToolSet
    kept: tuple[dict[str, Any], ...]
    definitions: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, listed: Sequence[dict[str, Any]], settings: ProxySettings) -> "Catalogue":
        """Get the catalogue of what `tools/list` gave, all pages of it. The first of a name counts.

        Raises `ServerError` (E823) where a tool that must be listed as it is has a name of ours.
        """
        tools: dict[str, Tool] = {}
        kept: dict[str, dict[str, Any]] = {}
        definitions, notes = list[dict[str, Any]](), list[str]()
        for definition in listed:
            name = str(definition.get("name"))
            if name in tools or name in kept:
                continue
            tool = _compiled(definition)
            hidden = _hidden(definition, tool, settings.form) if tool else ""
            if tool is None or hidden:
                kept[name] = definition
                notes += [f"{name} keeps its JSON Schema: a signature hides {hidden}"] * bool(
                    hidden
                )
            else:
                tools[name] = tool
                definitions.append(definition)
        for name in settings.names:
            if name in kept or (settings.mode == "tools" and name in tools):
                msg = f"the server has a tool {name!r}, which is a name of the proxy's"
                raise ServerError(Code.LISTING, msg, hint="--prefix gives ours other names")
        compiled = ToolSet(tuple(tools.values()))
        return cls(settings, compiled, tuple(kept.values()), tuple(definitions), tuple(notes))

    # --- what is listed -------------------------------------------------------------------------

    def listing(self) -> list[dict[str, Any]]:
        """Get the definitions that the client is shown."""
        return [*self._ours(), *(listed(tool, self.shortened) for tool in self.kept)]

    @cached_property
    def shortened(self) -> frozenset[str]:
        """The names of the tools whose results are written shorter."""
        return shortened((*self.definitions, *self.kept)) if self.settings.results else frozenset()

    def _ours(self) -> Iterator[dict[str, Any]]:
        mode = self.settings.mode
        if mode == "search" and len(self.tools):
            yield self._search_tool()
        if mode == "tools":
            yield from map(self._short, self.definitions, self.tools)
        elif len(self.tools):
            yield self._call_tool()
        if self._bare and mode != "search":
            name = self.settings.search_name
            yield _definition(name, DESCRIBES, "query", "names, or what to do")

    def _call_tool(self) -> dict[str, Any]:
        settings = self.settings
        about = [PRIMERS[settings.form]]
        if self.shortened:
            about[0] += _RESULTS
        if settings.mode == "line":
            about.append(self._signatures(self.tools))
        return _definition(settings.call_name, "\n".join(about), "line", "one call")

    def _search_tool(self) -> dict[str, Any]:
        settings = self.settings
        about = (
            f"Find tools, to be called with {settings.call_name}: the signatures of those that fit"
            f" a question best, or of those that are named. There are {len(self.tools)}:"
            f" {names_of(self.tools.tools)}"
        )
        return _definition(settings.search_name, tamed(about), "query", "what to do, or names")

    def _short(self, definition: dict[str, Any], tool: Tool) -> dict[str, Any]:
        """Get a tool's definition with its signature, and a schema that has names alone."""
        params = tool.args.params
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {param.name: {} for param in params},
        }
        if required := [param.name for param in params if param.required]:
            schema["required"] = required
        about = self._signatures([tool])
        return {**listed(definition, self.shortened), "description": about, "inputSchema": schema}

    def _signatures(self, tools: Iterable[Tool]) -> str:
        """Get signatures, with the descriptions that fit the budget."""
        some = self.settings.budget != 0
        return tamed(write_prompt(tools, descriptions=some, bare=self._bare, choices=True))

    @cached_property
    def _bare(self) -> frozenset[str]:
        """The names of the tools whose descriptions do not fit: the same for the same listing."""
        budget = None if self.settings.mode == "search" else self.settings.budget
        return undescribed(self.tools, budget)

    # --- what is asked for ----------------------------------------------------------------------

    def schema_of(self, name: Any) -> Any:
        """Get the schema that the server gave for the arguments of a tool; None without one."""
        all_of_them = (*self.definitions, *self.kept)
        return next((one.get("inputSchema") for one in all_of_them if one["name"] == name), None)

    def search(self, question: str) -> str:
        """Get the signatures of the tools that fit best, and the names of the others that fit."""
        return tamed(self._describer.describe(question))

    @cached_property
    def _describer(self) -> Describer:
        return Describer(self.tools, choices=True)

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
            calls = decode_lenient(line, self.tools, ended=True).calls
            if not calls:
                raise
        if len(calls) != 1:
            raise LTONError(Code.LINE, f"expected one call, found {len(calls)}")
        return calls[0]

    def refusal(self, line: str, error: LTONError) -> str:
        """Get the report to the model of a line that was refused: what it could have been."""
        picture = f"{error.picture()}\n" if isinstance(error, DecodeError) else ""
        name = re.split(r"[\s(#]", line[:_LONGEST_NAME].strip().removeprefix("!call "), maxsplit=1)[
            0
        ]
        tool = self.tools.by_name.get(name.strip("\"'`"))
        known = (
            described(tool, choices=True) if tool else f"there are: {names_of(self.tools.tools)}"
        )
        return tamed(f"{error}\n{picture}{known}")


def listed(definition: dict[str, Any], shortened: Collection[str]) -> dict[str, Any]:
    """Return a tool's definition as a client is shown it: clients check results by `outputSchema`.

    So it is left out of the tools whose results are written shorter.
    """
    if definition.get("name") not in shortened:
        return definition
    return {key: value for key, value in definition.items() if key != "outputSchema"}


def unfit(definition: dict[str, Any]) -> bool:
    r"""Say whether a tool is not to be shown: its name is none, or could pass for another's.

    A title of several lines, or that a terminal obeys, is no better: clients ask users with it.

    >>> unfit({"name": "read_file"}), unfit({"name": "re\u0430d_file"}), unfit({"name": "a\n"})
    (False, True, True)
    """
    name, about = definition.get("name"), definition.get("annotations")
    titles = [one.get("title") for one in (definition, about) if isinstance(one, dict)]
    is_odd = any(isinstance(title, str) and STEERING.search(title) for title in titles)
    return is_odd or not (isinstance(name, str) and _NAME.fullmatch(name))


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


def _hidden(definition: dict[str, Any], tool: Tool, form: Form) -> str:
    """Return what the signature of a tool hides of its schema; "" if nothing.

    Values in `wire` are in the order of a union's merged layout, so its choices are not shown.
    """
    shown = write_prompt([tool], descriptions=False, choices=True)
    if names := unshown(definition.get("inputSchema"), shown):
        return f"{', '.join(names):.200}"
    is_merged = form == "wire" and shown != write_prompt([tool], descriptions=False)
    return "the choices of a union" if is_merged else ""


def _definition(name: str, about: str, parameter: str, description: str) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {parameter: {"type": "string", "description": description}},
        "required": [parameter],
    }
    return {"name": name, "description": about, "inputSchema": schema}
