"""What is around the values while a model writes them: a few small records.

A scaffold is what the model sees of a call, not what goes over the wire.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lton._syntax import FORBIDDEN, SIGIL, spell_name, spell_tagged_key
from lton.codec.tagged import write_atom
from lton.errors import Code, LTONError
from lton.generate.spelling import spell
from lton.schema.shown.signature import spell_type
from lton.schema.toolset import ToolSet
from lton.schema.types import JSON, Call, Object, Param, Type

NONE = "none"
"""The answer of a model that calls no tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaffold:
    """How calls are laid out. `first` comes before the first key, `between` before the others.

    `key` makes a key of a name; `cued` of a name, a type and a description, either of which may be
    empty. `more` separates calls. The model writes values as JSON; with `settled`, each is then
    in the text as that spells it.
    """

    head: Callable[[str], str]
    key: Callable[[str], str]
    cued: Callable[[str, str, str], str]
    first: str = ""
    between: str
    end: str
    more: str = "\n"
    settled: Callable[[JSON, Type], str] | None = None
    names: bool = False
    """Say whether bare names may be values: in code they are, and are taken for strings."""


CUES = ("", "type", "description", "both")
"""What a model may read of a parameter where its value is to come."""


def _key(name: str) -> str:
    return f"{spell_name(name)}="


def _annotated(name: str, kind: str, about: str) -> str:
    if about:
        kind = f"Annotated[{kind}, {spell(about)}]" if kind else spell(about)
    return f"{spell_name(name)}: {kind} = "


def _commented(name: str, kind: str, about: str) -> str:
    comment = f"# {about}\n    " if about else ""
    return comment + (_annotated(name, kind, "") if kind else _key(name))


def _both(kind: str, about: str) -> str:
    return ": ".join(filter(None, (kind, about)))


def _json_key(name: str) -> str:
    return f"{spell(name)}: "


def _commented_json_key(name: str, kind: str, about: str) -> str:
    return f"{spell(name)}: /* {_both(kind, about)} */ "


SCAFFOLDS = {
    "call": Scaffold(
        head=lambda name: f"{spell_name(name)}({{",
        key=_json_key,
        cued=_commented_json_key,
        between=", ",
        end="})",
    ),
    "python": Scaffold(
        head=lambda name: f"{spell_name(name)}(",
        key=_key,
        cued=_annotated,
        between=", ",
        end=")",
        names=True,
    ),
    "python-lines": Scaffold(
        head=lambda name: f"{spell_name(name)}(",
        key=_key,
        cued=_commented,
        first="\n    ",
        between=",\n    ",
        end="\n)",
        names=True,
    ),
    "javascript": Scaffold(
        head=lambda name: f"{spell_name(name)}({{",
        key=lambda name: f"{spell_name(name)}: ",
        cued=lambda name, kind, about: f"/* {_both(kind, about)} */ {spell_name(name)}: ",
        between=", ",
        end="})",
        names=True,
    ),
    "json": Scaffold(
        head=lambda name: f'{{"name": {spell(name)}, "arguments": {{',
        key=_json_key,
        cued=_commented_json_key,
        between=", ",
        end="}}",
    ),
    "keyed": Scaffold(
        head=spell_name,
        key=_key,
        cued=lambda name, kind, about: f"{spell_name(name)}({_both(kind, about)})=",
        first=" ",
        between=" ",
        end="",
        names=True,
    ),
    "lines": Scaffold(
        head=spell_name,
        key=lambda name: f"{spell_name(name)}: ",
        cued=lambda name, kind, about: f"{spell_name(name)} ({_both(kind, about)}): ",
        first="\n",
        between="\n",
        end="",
        more="\n\n",
    ),
    "tagged": Scaffold(
        head=lambda name: f"{SIGIL}{spell_name(name)}\n(",
        key=lambda name: f"{spell_tagged_key(name)} ",
        cued=lambda name, kind, about: f"{spell_tagged_key(name)} ({_both(kind, about)}) ",
        between=")\n(",
        end=")",
        settled=write_atom,
    ),
}
"""By name; the first is what measured best so far."""


def scaffold_named(name: str) -> Scaffold:
    """Get a scaffold. Raises `ValueError` for a name that none has."""
    if name not in SCAFFOLDS:
        raise ValueError(f"no scaffold {name!r}: there are {', '.join(SCAFFOLDS)}")
    return SCAFFOLDS[name]


def key_of(param: Param, scaffold: Scaffold, cue: str) -> str:
    """Get the key of a parameter with the cue that it has.

    >>> [wait] = ToolSet.from_prompt("wait(minutes:int)")
    >>> key_of(wait.args.params[0], SCAFFOLDS["python"], "type")
    'minutes: int = '
    """
    kind = spell_type(param.type) if cue in ("type", "both") else ""
    about = " ".join(param.description.split()) if cue in ("description", "both") else ""
    about = FORBIDDEN.sub("\ufffd", about)
    return scaffold.cued(param.name, kind, about) if kind or about else scaffold.key(param.name)


def write(calls: Iterable[Call], tools: ToolSet, scaffold: Scaffold, cue: str = "") -> str:
    """Get calls as a model writes them in a scaffold: for examples in a prompt.

    Raises `LTONError` for a tool that is not there.

    >>> tools = ToolSet.from_prompt("wait(minutes:int why?)")
    >>> calls = [Call("wait", {"minutes": 5, "why": "tea"})]
    >>> for name in SCAFFOLDS:
    ...     print(write(calls, tools, SCAFFOLDS[name]))
    wait({"minutes": 5, "why": "tea"})
    wait(minutes=5, why="tea")
    wait(
        minutes=5,
        why="tea"
    )
    wait({minutes: 5, why: "tea"})
    {"name": "wait", "arguments": {"minutes": 5, "why": "tea"}}
    wait minutes=5 why="tea"
    wait
    minutes: 5
    why: "tea"
    !call wait
    (minutes u1:5)
    (why s3:tea)
    """
    calls = [*calls]
    for call in calls:
        if call.name not in tools.by_name:
            raise LTONError(Code.TOOL, f"no tool {call.name!r}")
    return scaffold.more.join(write_call(call, tools, scaffold, cue) for call in calls) or NONE


def write_call(call: Call, tools: ToolSet, scaffold: Scaffold, cue: str = "") -> str:
    """Get a call as a model writes it in a scaffold, also one of a tool that is not there."""
    tool = tools.by_name.get(call.name)
    args = tool.args if tool else Object()
    parts = []
    for name in args.in_order(call.arguments):
        param = args.by_name.get(name) or Param(name=name, type=Type(), required=False)
        value = call.arguments[name]
        spelled = scaffold.settled(value, param.type) if scaffold.settled else spell(value)
        parts.append(key_of(param, scaffold, cue) + spelled)
    head = scaffold.head(tools.aliases.get(call.name, call.name))
    return f"{head}{scaffold.first if parts else ''}{scaffold.between.join(parts)}{scaffold.end}"


@dataclass(frozen=True, slots=True)
class Keys:
    """How the keys of an object are laid out: where one is chosen, and where its value follows."""

    plain: Mapping[str, str]
    with_cue: Callable[[Param], str]
    first: str
    between: str
    settled: Callable[[JSON, Type], str] | None = None

    def start(self, param: Param, *, is_first: bool) -> str:
        return (self.first if is_first else self.between) + self.plain[param.name]

    def cued(self, param: Param, *, is_first: bool) -> str:
        return (self.first if is_first else self.between) + self.with_cue(param)

    def starts(self, params: Sequence[Param], is_first: bool) -> list[list[str]]:
        return [[self.start(param, is_first=is_first)] for param in params]

    def tails(self, waiting: Sequence[Param], closings: Sequence[str]) -> list[str]:
        """Get what may follow a value: the next key, or one of the optional ones, or the end."""
        tails = []
        for param in waiting:
            tails.append(self.start(param, is_first=False))
            if param.required:
                return tails
        return [*tails, *closings]
