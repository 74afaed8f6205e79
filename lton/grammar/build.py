"""Tools to a grammar of the texts that call them, as the options describe those.

Its language is what `decode` reads in the given form, except where it is narrower or wider on
purpose: the lists in §13 of the spec.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, TypedDict, Unpack

from lton._syntax import FORMS, QUOTES, Form, Marks, Thoughts, thought_marks
from lton.grammar.calls import Builder
from lton.grammar.counted import MAX_LENGTH
from lton.grammar.lexemes import Bounded, thought
from lton.grammar.nodes import Grammar, Ref, Rule, opt, seq
from lton.grammar.tagged import TaggedBuilder
from lton.schema.toolset import ToolSet, check_tools

FOR_MODELS: Form = "punctuated"
"""The form for models: the default of grammars, constraints and generation."""
_TAGGED_LENGTH = 9_999


@dataclass(frozen=True, slots=True)
class Named:
    """The tool that must be called, as a choice: a tool may have the name of a mode."""

    name: str


ToolChoice: TypeAlias = Literal["required", "auto", "none"] | Named
MODES = ("required", "auto", "none")
TEXTS = ("all", "double")
PROSE = ("auto", "none")
"""The choices with which a text may hold prose (R-429)."""


def chosen(tools: ToolSet, choice: ToolChoice) -> ToolSet:
    r"""Get the tools that a choice lets be called.

    Raises `ValueError` for a choice that there is not, and for a tool that is not there.

    >>> tools = ToolSet.from_prompt("auto()\nstop()")
    >>> [tool.name for tool in chosen(tools, "auto")], [*chosen(tools, Named("auto")).by_name]
    (['auto', 'stop'], ['auto'])
    """
    if isinstance(choice, Named):
        return tools.select(choice.name)
    if choice not in MODES:
        raise ValueError(f"expected one of {', '.join(MODES)}, or Named(tool), found {choice!r}")
    return tools


class Options(TypedDict, total=False):
    """What a grammar is to be for. All have defaults."""

    form: Form
    """The form of the calls, as in `lton.encode`; default `FOR_MODELS`, the punctuated one."""
    parallel: bool
    """One call or more, one a line; default: one."""
    tool_choice: ToolChoice
    """"required" (the default): calls, and nothing else. "auto": lines of prose, and calls that
    begin with `!call ` on lines of their own, or none; without `parallel` the first ends the text.
    "none": prose. `Named(tool)`: calls of this tool."""
    sigil: bool | None
    """Begin each call with `!call `: True, whatever else the text may hold, so that a model writes
    calls as it sees them in a history with prose; False, never, which is for no text with prose
    (R-429). Default: None, only where there may be prose. In the tagged form calls always do."""
    thoughts: Thoughts
    """Let a thought come before everything else, without end: between `<think>` and `</think>`
    (True) or two other marks, as for `lton.Decoder`. Default: False."""
    counted: int
    """Let in counted strings of up to so many characters, 999,999 at most: what programs write,
    not models. Default: 0, none. The tagged form has no other strings: there, 9,999."""
    bare: bool
    """Let strings be bare words where that is right; default: True, in Lark False. Without, all but
    labels and patterns are quoted: llguidance makes masks of that in a third of the time, models
    write a tenth more tokens."""
    texts: Literal["all", "double"]
    """Which spellings a text that is not listed has: "all", or "double", `"` or a fence alone, and
    keys of maps in `"`; then no string is bare. llguidance makes masks of maps without a schema in
    a seventh of the time, and xgrammar compiles in half to four fifths. Not in the tagged form.
    Default: "all"."""
    bounded: Bounded
    """Bound the lengths of strings and the digits of numbers, by the schema, or else by so many
    that no call has them; with "quoted" not those of bare words, for llguidance runs out of items
    where many may follow; with "schema" of the strings only those that the schema bounds, which
    takes llguidance half the time; with "short" no numbers, and of the strings only those that the
    schema bounds to 64 characters or less. Default: True; in Lark "schema"; in EBNF "short"."""


def build(tools: ToolSet | None, **options: Unpack[Options]) -> Grammar:
    """Get the grammar of the texts of these tools, or of any, that the options describe.

    Without tools it is that of the notation: any name, any arguments.

    Raises `TypeError` for an option that there is not, `ValueError` for options that do not go
    together, for a tool that is not there, and if none of the tools can be called.
    """
    check_tools(tools)
    if unknown := options.keys() - Options.__annotations__.keys():
        raise TypeError(f"no option {min(unknown)!r} for a grammar")
    form = options.get("form", FOR_MODELS)
    if form not in FORMS:
        raise ValueError(f"expected one of the forms {', '.join(FORMS)}, found {form!r}")
    length = options.get("counted", _TAGGED_LENGTH if form == "tagged" else 0)
    if isinstance(length, bool) or not 0 <= length <= MAX_LENGTH:
        raise ValueError(f"counted must be 0 to {MAX_LENGTH}, found {length}")
    texts = options.get("texts", "all")
    if texts not in TEXTS or (texts == "double" and form == "tagged"):
        raise ValueError(
            f"expected texts for this form, one of {', '.join(TEXTS)}, found {texts!r}"
        )
    choice = options.get("tool_choice", "required")
    sigil = options.get("sigil")
    if sigil is False and choice in PROSE:
        raise ValueError("sigil must not be False where there may be prose")
    tools = tools and chosen(tools, choice)
    builder = (TaggedBuilder if form == "tagged" else Builder)(
        form,
        counted=length,
        bare=options.get("bare", True) and texts == "all",
        bounded=options.get("bounded", True),
        quotes=QUOTES if texts == "all" else '"',
    )
    marks = thought_marks(options.get("thoughts", False))
    grammar = builder.grammar(
        tools and tools.spoken,
        parallel=options.get("parallel", False),
        calls=choice != "none",
        prose=choice in PROSE,
        sigil=bool(sigil),
        opening=marks[0] if marks else "",
    )
    return with_thought(grammar, marks) if marks else grammar


def with_thought(grammar: Grammar, marks: Marks) -> Grammar:
    """Get a grammar with a thought before its texts (R-430): perhaps, if it has an opening mark."""
    start, *rules = grammar.rules
    ref = Ref("thought")
    node = seq(opt(ref) if marks[0] else ref, start.node)
    rule = Rule(ref.name, thought(marks), lexical=True)
    return Grammar((Rule(start.name, node), *rules, rule))
