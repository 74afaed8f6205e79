"""Scaffolds that were compared with the scaffolds of `lton.generate`.

`named` returns a scaffold by its name, with a cue: the text about a parameter before its value.
"""

from collections.abc import Callable
from dataclasses import replace

from lton.codec.tagged import write_atom
from lton.generate import Scaffold
from lton.generate.scaffolds import CALL
from lton.generate.spelling import spell_value
from lton.schema.shown.signature import TypeWriter
from lton.schema.types import Param
from lton_bench.internals import FORBIDDEN, SIGIL, spell_name, spell_tagged_key

__all__ = ["CUES", "SCAFFOLDS", "named"]

CUES = ("", "type", "description", "both")
"""The cues: texts about a parameter that a model reads before the value."""


def _key(name: str) -> str:
    return f"{spell_name(name)}="


def _annotate_parameter(name: str, kind: str, about: str) -> str:
    if about:
        kind = f"Annotated[{kind}, {spell_value(about)}]" if kind else spell_value(about)
    return f"{spell_name(name)}: {kind} = "


def _comment_parameter(name: str, kind: str, about: str) -> str:
    comment = f"# {about}\n    " if about else ""
    return comment + (_annotate_parameter(name, kind, "") if kind else _key(name))


def _both(kind: str, about: str) -> str:
    return ": ".join(filter(None, (kind, about)))


def _commented_json_key(name: str, kind: str, about: str) -> str:
    return f"{spell_value(name)}: /* {_both(kind, about)} */ "


SCAFFOLDS = {
    "call": CALL,
    "python": Scaffold(
        head=lambda name: f"{spell_name(name)}(", key=_key, between=", ", end=")", names=True
    ),
    "python-lines": Scaffold(
        head=lambda name: f"{spell_name(name)}(",
        key=_key,
        first="\n    ",
        between=",\n    ",
        end="\n)",
        names=True,
    ),
    "javascript": Scaffold(
        head=lambda name: f"{spell_name(name)}({{",
        key=lambda name: f"{spell_name(name)}: ",
        between=", ",
        end="})",
        names=True,
    ),
    "json": Scaffold(
        head=lambda name: f'{{"name": {spell_value(name)}, "arguments": {{',
        key=CALL.key,
        between=", ",
        end="}}",
    ),
    "keyed": Scaffold(head=spell_name, key=_key, first=" ", between=" ", end="", names=True),
    "lines": Scaffold(
        head=spell_name,
        key=lambda name: f"{spell_name(name)}: ",
        first="\n",
        between="\n",
        end="",
        more="\n\n",
    ),
    "tagged": Scaffold(
        head=lambda name: f"{SIGIL}{spell_name(name)}\n(",
        key=lambda name: f"{spell_tagged_key(name)} ",
        between=")\n(",
        end=")",
        settled=write_atom,
    ),
}
"""The scaffolds by name. With `tagged` the model writes a string up to its closing quote, and then
reads it again with its length.
"""
_CUED: dict[str, Callable[[str, str, str], str]] = {
    "call": _commented_json_key,
    "python": _annotate_parameter,
    "python-lines": _comment_parameter,
    "javascript": lambda name, kind, about: f"/* {_both(kind, about)} */ {spell_name(name)}: ",
    "json": _commented_json_key,
    "keyed": lambda name, kind, about: f"{spell_name(name)}({_both(kind, about)})=",
    "lines": lambda name, kind, about: f"{spell_name(name)} ({_both(kind, about)}): ",
    "tagged": lambda name, kind, about: f"{spell_tagged_key(name)} ({_both(kind, about)}) ",
}
"""A key with a type and a description, either of which may be empty."""


def named(name: str, cue: str = "") -> Scaffold:
    """Return a scaffold by its name, with a cue of `CUES`. Raises `ValueError` if there is none.

    >>> from lton import ToolSet
    >>> [wait] = ToolSet.from_prompt("wait(minutes:int)")
    >>> named("python", "type").key_of(wait.args.params[0])
    'minutes: int = '
    """
    if name not in SCAFFOLDS:
        raise ValueError(f"no scaffold {name!r}: there are {', '.join(SCAFFOLDS)}")
    if cue not in CUES:
        raise ValueError(f"no cue {cue!r}: there are {', '.join(map(repr, CUES))}")
    scaffold = SCAFFOLDS[name]

    def cued(param: Param) -> str:
        kind = TypeWriter().write_type(param.type) if cue in ("type", "both") else ""
        about = " ".join(param.description.split()) if cue in ("description", "both") else ""
        about = FORBIDDEN.sub("\ufffd", about)
        return _CUED[name](param.name, kind, about) if kind or about else scaffold.key(param.name)

    return replace(scaffold, cued=cued) if cue else scaffold
