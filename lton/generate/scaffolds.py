"""Define scaffolds, which are the text around the values that a model writes.

A scaffold is the text that the model sees, and not the encoding of the call.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lton._syntax import spell_name
from lton.errors import Code, LTONError
from lton.generate.spelling import spell_value
from lton.schema.toolset import ToolSet, kind_of
from lton.schema.types import JSON, Call, Object, Param, Type

NONE = "none"
"""The answer of a model that makes no call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaffold:
    """The text around values, as in a programming language or JSON.

    `key` writes a key. The model chooses only among keys. `cued` may add a cue about the chosen
    parameter before its value. `more` separates calls. The model writes values as JSON, and
    `settled` may then replace each value with another spelling. With `names`, values may be bare
    names, as in code, which are read as strings.
    """

    head: Callable[[str], str]
    key: Callable[[str], str]
    cued: Callable[[Param], str] | None = None
    first: str = ""
    between: str
    end: str
    more: str = "\n"
    settled: Callable[[JSON, Type], str] | None = None
    names: bool = False

    def key_of(self, param: Param) -> str:
        return self.cued(param) if self.cued else self.key(param.name)

    def separator_before(self, *, is_first: bool) -> str:
        return self.first if is_first else self.between

    def texts_before_params(self, params: Sequence[Param], *, is_first: bool) -> list[str]:
        """Return, for each parameter, the text before its value."""
        return [self.separator_before(is_first=is_first) + self.key(param.name) for param in params]

    def texts_after_value(self, waiting: Sequence[Param], closings: Sequence[str]) -> list[str]:
        """Return the strings that may follow a value: further keys, or the end of the call."""
        starts = self.texts_before_params(waiting, is_first=False)
        required = next((i for i, param in enumerate(waiting, 1) if param.required), None)
        return starts[:required] if required else [*starts, *closings]


CALL = Scaffold(
    head=lambda name: f"{spell_name(name)}({{",
    key=lambda name: f"{spell_value(name)}: ",
    between=", ",
    end="})",
)
"""A call with a JSON object, the best of eight scaffolds (see `lton_bench.scaffolds`)."""


def write_scaffolded_calls(calls: Iterable[Any], tools: ToolSet, scaffold: Scaffold = CALL) -> str:
    """Write calls in a scaffold, for examples in a prompt. A `Toolbox` also takes instances.

    Raises `LTONError` for an unknown tool.

    >>> tools = ToolSet.from_prompt("wait(minutes:int why?)")
    >>> print(write_scaffolded_calls([Call("wait", {"minutes": 5, "why": "tea"}),
    ...     Call("wait", {})], tools))
    wait({"minutes": 5, "why": "tea"})
    wait({})
    """
    calls = [tools.call_of(call) or call for call in calls]
    for call in calls:
        if not isinstance(call, Call):
            raise TypeError(f"expected a Call or an instance of a tool, found {kind_of(call)}")
        if call.name not in tools.by_name:
            raise LTONError(Code.TOOL, f"no tool {call.name!r}")
    return scaffold.more.join(write_call(call, tools, scaffold) for call in calls) or NONE


def write_call(call: Call, tools: ToolSet, scaffold: Scaffold = CALL) -> str:
    """Write one call in a scaffold, even if the tool is unknown."""
    tool = tools.by_name.get(call.name)
    args = tool.args if tool else Object()
    parts = []
    for name in args.names_in_order(call.arguments):
        param = args.by_name.get(name) or Param(name=name, type=Type(), required=False)
        value = call.arguments[name]
        spelled = scaffold.settled(value, param.type) if scaffold.settled else spell_value(value)
        parts.append(scaffold.key_of(param) + spelled)
    head = scaffold.head(tools.aliases.get(call.name, call.name))
    return f"{head}{scaffold.first if parts else ''}{scaffold.between.join(parts)}{scaffold.end}"
