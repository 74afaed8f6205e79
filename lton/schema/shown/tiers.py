"""Show the signatures of all tools, and only as many descriptions as fit a budget."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from lton.schema.ranking import Ranking
from lton.schema.shown.signature import name_of, spell_member
from lton.schema.shown.write import write_prompt
from lton.schema.types import Object, Tool, Type

DESCRIBES = "Get the descriptions of tools, by their names or by what to do."
"""The description of the tool that returns the omitted descriptions."""
_BEST = 5  # the maximum number of tools that are described at once
_NAMES = 2000  # the maximum characters of the list of other tools' names
_DEEPEST = 3  # the maximum nesting of records in an example
_TOKEN = 4  # characters per token of a description (an estimate)


def read_budget(text: str) -> int | None:
    """Parse `all`, `names` or `budget=N`. Return the number of tokens, or None for `all`.

    Raises `ValueError` for any other string.

    >>> read_budget("names"), read_budget("budget=2000")
    (0, 2000)
    """
    if text in ("all", "names"):
        return None if text == "all" else 0
    name, _, digits = text.partition("=")
    if name == "budget" and digits.isdecimal():
        return int(digits)
    raise ValueError(f"show: expected all, names or budget=N, found {text!r}")


def tools_without_description(
    tools: Iterable[Tool], budget: int | None, *, choices: bool = False
) -> frozenset[str]:
    """Return the names of the tools whose descriptions do not fit a budget of tokens.

    Tools are added in order, and the number of tokens is estimated. If `budget` is None, all
    descriptions fit.
    """
    if budget is None:
        return frozenset()
    room = budget * _TOKEN
    bare = []
    for tool in tools:
        bare_size = len(write_prompt([tool], descriptions=False, choices=choices))
        size = len(write_described(tool, choices=choices)) - bare_size
        if size and size > room:
            bare.append(tool.name)
        else:
            room -= size
    return frozenset(bare)


def write_described(tool: Tool, *, choices: bool = False) -> str:
    """Write a tool with its descriptions, as in a prompt."""
    return write_prompt([tool], descriptions=True, choices=choices)


def write_example(tool: Tool) -> str:
    r"""Return an example call for a tool that accepts records, or "" for any other tool.

    >>> from lton.schema.toolset import ToolSet
    >>> buy, stop = ToolSet.from_prompt("buy(items:[(id:int note?)] fast?:true|false)\nstop()")
    >>> write_example(buy), write_example(stop)
    ('buy(items=[(id=...)])', '')
    """
    params = tool.args.params
    if not any(_find_record(param.type) for param in params):
        return ""
    return name_of(tool) + _write_skeleton(tool.args, 0)


def _find_record(node: Type) -> Object | None:
    members = node.object or (node.item_type.object if node.array else None)
    return members if members and members.params else None


def _write_skeleton(members: Object, depth: int) -> str:
    arguments = []
    for at, param in enumerate(members.params):
        record = _find_record(param.type) if depth < _DEEPEST else None
        if record or param.required or at == 0:
            inner = _write_skeleton(record, depth + 1) if record else "..."
            if param.type.array and not param.type.object:
                inner = f"[{inner}]"
            arguments.append(f"{spell_member(param.name)}={inner}")
    return f"({', '.join(arguments)})"


class Describer:
    """Describes tools that are requested by name or by a task."""

    def __init__(self, tools: Iterable[Tool], *, choices: bool = False) -> None:
        self._tools = tuple(tools)
        self._choices = choices
        self._names = {tool.name: tool for tool in self._tools}

    def describe_tools(self, question: str) -> str:
        r"""Describe the tools that a question names; if it names none, describe the best matches.

        >>> from lton.schema.toolset import ToolSet
        >>> describer = Describer(ToolSet.from_prompt("read_file(path)\nlist_issues(repo)"))
        >>> print(describer.describe_tools("open issues"))
        list_issues
         repo
        """
        words = question.replace(",", " ").split()
        is_names = all(word in self._names for word in words)
        named = [self._names[word] for word in dict.fromkeys(words)] if is_names else []
        tools = named or self._ranking.find_tools(question)
        if not tools:
            return f"no tool fits; there are: {names_of(self._tools)}"
        text = "\n".join(line for tool in tools[:_BEST] for line in self._iterate_tool_lines(tool))
        others = tools[_BEST:]
        return f"{text}\nAlso: {names_of(others)}" if others else text

    def _iterate_tool_lines(self, tool: Tool) -> Iterator[str]:
        yield write_described(tool, choices=self._choices)
        if call := write_example(tool):
            yield f"Like this: {call}"

    @cached_property
    def _ranking(self) -> Ranking:
        return Ranking(self._tools)


def names_of(tools: Sequence[Tool]) -> str:
    """List the names of tools. A long list ends with the number of omitted names."""
    names: list[str] = []
    size = 0
    for tool in tools:
        size += len(tool.name) + 1
        if size > _NAMES:
            return " ".join([*names, f"and {len(tools) - len(names)} more"])
        names.append(tool.name)
    return " ".join(names)
