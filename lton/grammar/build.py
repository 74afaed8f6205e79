"""Tools to a grammar of the texts that call them, as the options describe those.

Its language is what `decode` reads in the given form, except where it is narrower or wider on
purpose: the lists in §13 of the spec.
"""

from typing import Literal, TypedDict, Unpack

from lton.grammar.calls import Builder
from lton.grammar.counted import MAX_LENGTH
from lton.grammar.nodes import Grammar
from lton.grammar.tagged import TaggedBuilder
from lton.schema.toolset import ToolSet

_TAGGED_LENGTH = 9_999
PROSE = ("auto", "none")
"""The choices with which a text may hold prose (R-45)."""
_MODES = ("required", *PROSE)


class Options(TypedDict, total=False):
    """What a grammar is to be for. All have defaults."""

    form: Literal["wire", "keyed", "tagged"]
    """The form of the calls, as in `lton.encode`; default "wire"."""
    punctuated: bool
    """The keyed form with parentheses and commas, which models write best."""
    parallel: bool
    """One call or more, one a line; default: one."""
    tool_choice: str
    """"required" (the default): calls, and nothing else. "auto": lines of prose, and calls that
    begin with `!call ` on lines of their own, or none; without `parallel` the first ends the text.
    "none": prose. Else the name of a tool."""
    counted: int
    """Let in counted strings of up to so many characters, 999,999 at most: what programs write,
    not models. Default: 0, none. The tagged form has no other strings: there, 9,999."""
    bare: bool
    """Let strings be bare words where that is right; default: True. Without, all but labels and
    patterns are quoted: llguidance makes masks of that in a third of the time, models write some
    tokens more."""
    bounded: bool | Literal["quoted"]
    """Bound the lengths of strings and the digits of numbers, by the schema, or else by so many
    that no call has them; with "quoted" not those of bare words. Default: True; in Lark "quoted",
    for llguidance runs out of items where many bare words may follow; in EBNF False."""


def build(tools: ToolSet | None, **options: Unpack[Options]) -> Grammar:
    """Get the grammar of the texts of these tools, or of any, that the options describe.

    Without tools it is that of the notation: any name, any arguments.

    Raises `ValueError` for options that do not go together, for a tool that is not there, and
    if none of the tools can be called.
    """
    form, punctuated = options.get("form", "wire"), options.get("punctuated", False)
    if form not in ("wire", "keyed", "tagged") or (punctuated and form != "keyed"):
        raise ValueError(f"no grammar for form {form!r} with punctuated={punctuated}")
    length = options.get("counted", _TAGGED_LENGTH if form == "tagged" else 0)
    if not 0 <= length <= MAX_LENGTH:
        raise ValueError(f"counted must be 0 to {MAX_LENGTH}, found {length}")
    choice = options.get("tool_choice", "required")
    if tools is not None and choice not in _MODES:
        tools = tools.select(choice)
    builder = (TaggedBuilder if form == "tagged" else Builder)(
        positional=form == "wire",
        punctuated=punctuated,
        counted=length,
        bare=options.get("bare", True),
        bounded=options.get("bounded", True),
    )
    return builder.grammar(
        tools and tools.spoken,
        parallel=options.get("parallel", False),
        calls=choice != "none",
        prose=choice in PROSE,
    )
