"""What stands around the values while a model writes them: a few small records.

A scaffold is what the model sees of a call, not what goes over the wire.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lton._syntax import spell_name
from lton.errors import Code, LTONError
from lton.generate.spelling import spell
from lton.schema.toolset import ToolSet
from lton.schema.types import Call, Param, Type

NONE = "none"
"""The answer of a model that calls no tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaffold:
    """How calls are laid out. `first` stands before the first key, `between` before the others.

    `more` separates calls.
    """

    head: Callable[[str], str]
    key: Callable[[Param], str]
    first: str = ""
    between: str
    end: str
    more: str = "\n"


def _key(param: Param) -> str:
    return f"{spell_name(param.name)}="


def _described(param: Param) -> str:
    cue = " ".join(param.description.split())
    return f"{spell_name(param.name)} ({cue}): " if cue else f"{spell_name(param.name)}: "


SCAFFOLDS = {
    "python": Scaffold(head=lambda name: f"{spell_name(name)}(", key=_key, between=", ", end=")"),
    "json": Scaffold(
        head=lambda name: f'{{"name": {spell(name)}, "arguments": {{',
        key=lambda param: f"{spell(param.name)}: ",
        between=", ",
        end="}}",
    ),
    "keyed": Scaffold(head=spell_name, key=_key, first=" ", between=" ", end=""),
    "lines": Scaffold(
        head=spell_name, key=_described, first="\n", between="\n", end="", more="\n\n"
    ),
}
"""By name; the first is what measured best so far."""


def scaffold_named(name: str) -> Scaffold:
    """Get a scaffold. Raises `ValueError` for a name that none has."""
    if name not in SCAFFOLDS:
        raise ValueError(f"no scaffold {name!r}: there are {', '.join(SCAFFOLDS)}")
    return SCAFFOLDS[name]


def write(calls: Iterable[Call], tools: ToolSet, scaffold: Scaffold) -> str:
    """Get calls as a model writes them in a scaffold: for examples in a prompt.

    Raises `LTONError` for a tool that is not there.

    >>> tools = ToolSet.from_prompt("wait(minutes:int why?)")
    >>> calls = [Call("wait", {"minutes": 5, "why": "tea"})]
    >>> for name in SCAFFOLDS:
    ...     print(write(calls, tools, SCAFFOLDS[name]))
    wait(minutes=5, why="tea")
    {"name": "wait", "arguments": {"minutes": 5, "why": "tea"}}
    wait minutes=5 why="tea"
    wait
    minutes: 5
    why: "tea"
    """
    return scaffold.more.join(_one(call, tools, scaffold) for call in calls) or NONE


def _one(call: Call, tools: ToolSet, scaffold: Scaffold) -> str:
    tool = tools.by_name.get(call.name)
    if tool is None:
        raise LTONError(Code.TOOL, f"no tool {call.name!r}")
    parts = []
    for name in tool.args.in_order(call.arguments):
        param = tool.args.by_name.get(name) or Param(name=name, type=Type(), required=False)
        parts.append(scaffold.key(param) + spell(call.arguments[name]))
    head = scaffold.head(tools.aliases.get(call.name, call.name))
    return f"{head}{scaffold.first if parts else ''}{scaffold.between.join(parts)}{scaffold.end}"
