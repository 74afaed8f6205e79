"""Define the set of tools that a conversation uses."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Self

from lton._syntax import Form
from lton.errors import Code, SchemaError
from lton.schema.definitions import iterate_definitions, make_left_out_note, read_definition
from lton.schema.jsonschema.combine import unite_types
from lton.schema.jsonschema.keywords import format_excerpt
from lton.schema.jsonschema.tally import Handling, Note
from lton.schema.shown.aliases import make_aliases
from lton.schema.shown.parse import read_prompt
from lton.schema.shown.signature import make_fingerprint
from lton.schema.shown.write import PRIMERS, write_prompt
from lton.schema.types import Call, Tool, Type

KEPT = 256  # the maximum number of cached tool sets, and of cached grammars
_SHOWN = 8  # the maximum number of names in the `repr` of a tool set


def _unite_types(types: list[Type]) -> Type:
    return unite_types(types)[0]


@dataclass(slots=True)
class Derived:
    """Values that are computed from a tool set when first needed."""

    under_aliases: "ToolSet | None" = None  # the tools under their aliases
    own_names: dict[str, str] = field(default_factory=dict)  # the original names, by alias
    fingerprints: dict[str, str] = field(default_factory=dict)  # fingerprints by tool name
    rows: dict[str, Any] = field(default_factory=dict)  # the codec's readers for plain lines
    checks: dict[str, Any] = field(default_factory=dict)  # the checks of tools in `rows`, by name
    members: dict[Any, Any] = field(default_factory=dict)  # the codec's readers for other arguments
    plans: dict[Form, dict[Any, Any]] = field(default_factory=lambda: defaultdict(dict))  # writers
    prompts: dict[tuple[bool, bool], str] = field(default_factory=dict)  # by the options of each
    hash: int | None = None

    def __reduce__(self) -> tuple[type["Derived"], tuple[()]]:
        return Derived, ()


@dataclass(frozen=True, slots=True, repr=False)
class ToolSet:
    """The tools that a model may call.

    >>> weather = {"name": "weather", "parameters": {"type": "object", "properties": {
    ...     "city": {"type": "string"}, "unit": {"enum": ["C", "F"], "default": "C"}},
    ...     "required": ["city"]}}
    >>> tools = ToolSet.from_tools([weather])
    >>> print(tools.prompt())
    weather
     city
     unit?:C|F=C
    """

    tools: tuple[Tool, ...]
    notes: tuple[Note, ...] = ()
    bare: frozenset[str] = frozenset()
    """The names of tools that are shown without descriptions (see `lton.schema.shown.tiers`)."""
    by_name: Mapping[str, Tool] = field(init=False, repr=False, compare=False)
    by_text: Mapping[str, Tool] = field(init=False, repr=False, compare=False)
    """The tools by their names in calls, which are aliases if there are any."""
    aliases: Mapping[str, str] = field(init=False, repr=False, compare=False)
    """The alias of each tool by name, or an empty mapping."""
    _derived: Derived = field(init=False, repr=False, compare=False, default_factory=Derived)

    def __post_init__(self) -> None:
        if not all(isinstance(tool, Tool) for tool in self.tools):
            raise TypeError("expected compiled tools: ToolSet.from_tools(definitions) makes a set")
        names = Counter(tool.name for tool in self.tools)
        if len(names) < len(self.tools):
            twice = names.most_common(1)[0][0]
            raise SchemaError(Code.NAMES, f"two tools have the name {twice!r}")
        by_text = {tool.alias or tool.name: tool for tool in self.tools}
        if len(by_text) < len(self.tools):
            raise SchemaError(Code.NAMES, "two tools have the same name in texts")
        object.__setattr__(self, "by_name", {tool.name: tool for tool in self.tools})
        object.__setattr__(self, "by_text", by_text)
        object.__setattr__(self, "aliases", _aliases_of(self.tools))

    @classmethod
    def from_tools(
        cls,
        definitions: Iterable[Any] | Mapping[str, Any],
        *,
        standard: bool = False,
        strict: bool = False,
    ) -> "ToolSet":
        """Compile tool definitions of any kind, or the result of MCP's `tools/list`.

        Each operation of an OpenAPI document becomes a tool (see `lton.schema.openapi`). A
        definition or operation that cannot be read is left out, and `notes` has the reason. With
        `strict`, it is an error, and so it is if no definition can be read.

        A definition is the JSON of OpenAI (chat or responses API), Anthropic or MCP, a JSON Schema
        of the arguments whose `title` is the tool's name, or a tool of openai-agents, LangChain,
        pydantic-ai or smolagents. With the extra `apps`, a definition may also be a function, a
        pydantic model, a dataclass or a `TypedDict`. Only pass functions that you trust, because
        pydantic evaluates annotations in strings.

        With `standard`, a schema allows everything that it does not mention, as JSON Schema
        defines. Otherwise an object accepts only declared members (R-407), and an `enum` next to
        `type: array` and a schema without `properties` are read as their authors probably meant
        them (R-421, R-422). Keywords of all drafts are used, whatever `$schema` says. `notes` lists
        these interpretations, and everything that the layout does not enforce. Most of this is
        checked after reading (R-423). With `strict`, a schema with an unchecked keyword is refused.

        Raises `SchemaError`, with a JSON Pointer into the list, for an invalid definition, schema
        or reference, and for two tools with the same name. Raises `MissingExtraError` if a library
        is missing.
        """
        tools: list[Tool] = []
        notes: list[Note] = []
        faults: list[SchemaError] = []
        found_definitions = iterate_definitions(definitions, None if strict else faults)
        for definition, pointer, left_out in found_definitions:
            try:
                tool, tool_notes = read_definition(definition, pointer, standard=standard)
            except SchemaError as error:
                if strict:
                    raise
                faults.append(error)
                continue
            tools.append(tool)
            notes += [*left_out, *tool_notes]
        if faults and not tools:
            raise faults[0]
        notes += map(make_left_out_note, faults)
        if strict:
            _refuse_unchecked(notes)
        return ToolSet(tuple(tools), tuple(notes))

    def with_aliases(self) -> Self:
        """Return the same tools, with short names for use in calls.

        A decoded call still has the original name of its tool. Signatures contain both names, so
        fingerprints differ (§7).

        >>> tools = ToolSet.from_prompt("get_weather(city days:int)").with_aliases()
        >>> tools.prompt(descriptions=False)
        'weather=get_weather(city days:int)'
        """
        by_tool = make_aliases(self.by_name)
        return self._copy(replace(tool, alias=by_tool[tool.name]) for tool in self.tools)

    def select(self, *names: str) -> Self:
        """Return a tool set with only the named tools. Raises `ValueError` for an unknown name."""
        if unknown := set(names).difference(self.by_name):
            raise ValueError(f"no tool {min(unknown)!r}")
        return self._copy(tool for tool in self.tools if tool.name in names)

    def _copy(self, tools: Iterable[Tool]) -> Self:
        copy = object.__new__(type(self))
        ToolSet.__init__(copy, tuple(tools), self.notes, self.bare)
        return copy

    @property
    def under_aliases(self) -> "ToolSet":
        """The tools under the names that calls use: the aliases, if there are any."""
        if not self.aliases:
            return self
        if self._derived.under_aliases is None:
            renamed = (replace(tool, name=self.aliases[tool.name], alias="") for tool in self.tools)
            renamed_set = ToolSet(tuple(renamed), self.notes)
            for tool in self.tools:
                alias = self.aliases[tool.name]
                renamed_set._derived.own_names[alias] = tool.name
                renamed_set._derived.fingerprints[alias] = make_fingerprint(tool)
            self._derived.under_aliases = renamed_set
        return self._derived.under_aliases

    def call_of(self, instance: object) -> Call | None:  # noqa: ARG002
        """Return the call that an instance stands for, or None. Only a `Toolbox` has classes."""
        return None

    def own_name(self, alias: str) -> str:
        return self.under_aliases._derived.own_names.get(alias, alias)

    @property
    def fingerprint(self) -> str:
        """A hash of the tools' signatures: 8 hexadecimal digits (R-702)."""
        return make_fingerprint(*self.tools)

    def fingerprint_of(self, tool: Tool) -> str:
        cache = self._derived.fingerprints
        if tool.name not in cache:
            cache[tool.name] = make_fingerprint(tool)
        return cache[tool.name]

    def prompt(
        self, *, descriptions: bool = True, primer: Form | None = None, limits: bool = True
    ) -> str:
        """Return the prompt: one line for each tool and, with descriptions, for each parameter.

        `from_prompt` can read the prompt. With `limits`, types have their formats, bounds and
        lengths, tuples have a type for each position, recursive types have a name, and parameters
        have a short example or pattern (R-703, R-704).
        With `primer`, the first line explains the notation and the given form of calls. No text
        explains the form `tagged`.
        """
        if primer is not None and primer not in PRIMERS:
            msg = f"expected one of the forms {', '.join(PRIMERS)}, found {primer!r}"
            raise ValueError(msg)
        cache = self._derived.prompts
        options = (descriptions, limits)
        if options not in cache:
            cache[options] = write_prompt(
                self.tools, descriptions=descriptions, bare=self.bare, limits=limits
            )
        lines = cache[options]
        return lines if primer is None else f"{PRIMERS[primer]}\n{lines}"

    @classmethod
    def from_prompt(cls, text: str) -> "ToolSet":
        """Parse a prompt that `prompt` has written.

        Raises `DecodeError` for an invalid prompt, and `SchemaError` for duplicate tool names.

        >>> tools = ToolSet.from_prompt("weather(city days:int unit?:C|F=C)")
        >>> tools.tools[0].args.params[1].type.noun
        'an integer'
        """
        return ToolSet(tuple(read_prompt(text, _unite_types)))

    def __hash__(self) -> int:
        if self._derived.hash is None:
            self._derived.hash = hash((self.tools, self.notes))
        return self._derived.hash

    def __repr__(self) -> str:
        names = [format_excerpt(tool.name) for tool in self.tools[:_SHOWN]]
        if len(self.tools) > _SHOWN:
            names.append("…")
        return f"<ToolSet of {len(self.tools)}: {', '.join(names)}>"

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)


def _aliases_of(tools: Iterable[Tool]) -> dict[str, str]:
    names = {tool.name: tool.alias or tool.name for tool in tools}
    return names if any(tool.alias for tool in tools) else {}


def _refuse_unchecked(notes: Iterable[Note]) -> None:
    for note in notes:
        if note.handling is Handling.UNCHECKED:
            msg = f"{note.keyword} is not checked"
            raise SchemaError(Code.KEYWORD, msg, pointer=note.pointer)


@lru_cache(KEPT)
def compile_cached_tools(definitions: str) -> ToolSet:
    """Compile definitions in JSON and cache the result.

    Raises the errors of `ToolSet.from_tools`.
    """
    import json  # noqa: PLC0415 - most programs do not need it

    return ToolSet.from_tools(json.loads(definitions))


def check_tools(tools: object) -> None:
    """Raise a `TypeError` unless `tools` is a `ToolSet` or None."""
    if tools is not None and not isinstance(tools, ToolSet):
        hint = "ToolSet.from_tools(definitions) makes one"
        raise TypeError(f"expected a ToolSet or None as tools ({hint}), found {kind_of(tools)}")


def kind_of(value: object) -> str:
    """Return the name of a value's type, for a message."""
    return f"a value of type {type(value).__name__}"
