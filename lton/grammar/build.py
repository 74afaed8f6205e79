"""Build the grammar of answers with calls to given tools.

The grammar describes the text that `decode` reads in the given form. §13 of the spec lists where
the grammar is intentionally narrower or wider.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, TypedDict, Unpack

from lton._syntax import FOR_MODELS, FORMS, Form, Marks, Thoughts, find_thought_marks
from lton.grammar.calls import Builder
from lton.grammar.counted import MAX_LENGTH
from lton.grammar.lexemes import SPELLINGS, Bounded, Spellings, build_thought
from lton.grammar.nodes import Grammar, Ref, Rule, make_optional, make_sequence
from lton.grammar.tagged import TaggedBuilder
from lton.schema.toolset import ToolSet, check_tools

_TAGGED_LENGTH = 9_999


@dataclass(frozen=True, slots=True)
class Named:
    """A `tool_choice` that names the tool to call."""

    name: str


ToolChoice: TypeAlias = Literal["required", "auto", "none"] | Named
MODES = ("required", "auto", "none")
PROSE = ("auto", "none")
"""The values of `tool_choice` that allow prose (R-429)."""


def choose_tools(tools: ToolSet, choice: ToolChoice) -> ToolSet:
    r"""Return the tools that `tool_choice` allows.

    Raises `ValueError` for an unknown choice or tool.

    >>> tools = ToolSet.from_prompt("auto()\nstop()")
    >>> [tool.name for tool in choose_tools(tools, "auto")]
    ['auto', 'stop']
    >>> [tool.name for tool in choose_tools(tools, Named("auto"))]
    ['auto']
    """
    if isinstance(choice, Named):
        return tools.select(choice.name)
    if choice not in MODES:
        raise ValueError(f"expected one of {', '.join(MODES)}, or Named(tool), found {choice!r}")
    return tools


class Options(TypedDict, total=False):
    """The options of a grammar, all of which have defaults."""

    form: Form
    """The form of the calls, as in `lton.encode`. Default: `FOR_MODELS`, the punctuated form."""
    parallel: bool
    """Allow several calls, one per line. Default: one call."""
    tool_choice: ToolChoice
    """"required" (the default) allows only calls. "auto" allows lines of prose, and calls that
    begin with `!call ` on their own lines, or no calls. Without `parallel`, the first call ends
    the text. "none" allows only prose. `Named(tool)` allows only calls to that tool."""
    sigil: bool | None
    """Whether calls begin with `!call `. True: always, so that a model writes calls as they are in
    a history that contains prose. False: never, which excludes prose (R-429). None (the default):
    only if prose is allowed. Calls in the tagged form always begin with `!call `."""
    thoughts: Thoughts
    """Allow a thought of any length at the start, between `<think>` and `</think>` (True) or two
    other marks, as in `lton.Decoder`. Default: False."""
    counted: int
    """Allow counted strings of up to this many characters, at most 999,999. Programs write counted
    strings, models do not. Default: 0 (no counted strings). In the tagged form all strings are
    counted, so its default is 9,999."""
    bare: bool
    """Allow bare strings if they are valid. Default: True, but False in Lark. If False, all strings
    are quoted except labels and patterns. Then llguidance computes masks in a third of the time,
    and models write a tenth more tokens."""
    texts: Spellings
    """The spellings of strings that are not listed. "canonical" is the default for known tools in
    the punctuated form, except in EBNF: a string is in the first quotes that can hold it, and
    fenced only if it contains a line break or a backtick. A parameter for code or a body of text,
    such as `body`, or one with a `contentMediaType` of text, may always be fenced. "all" is the
    default otherwise: every spelling. "double": only `"` and fences, and only `"` for map keys.
    With "double", llguidance computes masks for maps without a schema in a seventh of the time, and
    xgrammar compiles in half to four fifths of the time. The tagged form has only "all"."""
    bounded: Bounded
    """Limit the lengths of strings and the digits of numbers. True: to the limits of the schema, or
    else to limits that no real call reaches. "quoted": the same except for bare words, many of
    which exhaust llguidance's items. "schema": limit strings only if the schema does, which takes
    llguidance half the time. "short": limit no numbers, and limit strings only if the schema
    limits them to 64 characters or fewer. Default: True; in Lark "schema"; in EBNF "short"."""


def build(tools: ToolSet | None, **options: Unpack[Options]) -> Grammar:
    """Build the grammar of answers that call the tools.

    If `tools` is None, the grammar allows any name with any arguments.

    Raises `TypeError` for an unknown option, `ValueError` for contradictory options and for an
    unknown tool, and `GrammarError` (E602) if none of the tools can be called.
    """
    check_tools(tools)
    if unknown := options.keys() - Options.__annotations__.keys():
        raise TypeError(f"no option {min(unknown)!r} for a grammar")
    form = _read_form(options)
    length = _read_counted_length(options, form)
    texts = _read_texts_option(options, form, is_for_model=tools is not None and form == FOR_MODELS)
    choice = options.get("tool_choice", "required")
    sigil = _read_sigil(options, choice)
    tools = tools and choose_tools(tools, choice)
    builder = (TaggedBuilder if form == "tagged" else Builder)(
        form,
        counted=length,
        bare=options.get("bare", True) and texts != "double",
        bounded=options.get("bounded", True),
        spellings=texts,
    )
    marks = find_thought_marks(options.get("thoughts", False))
    grammar = builder.build_grammar(
        tools and tools.under_aliases,
        parallel=options.get("parallel", False),
        calls=choice != "none",
        prose=choice in PROSE,
        sigil=sigil,
        opening=marks[0] if marks else "",
    )
    return with_thought(grammar, marks) if marks else grammar


def _read_form(options: Options) -> Form:
    form = options.get("form", FOR_MODELS)
    if form not in FORMS:
        raise ValueError(f"expected one of the forms {', '.join(FORMS)}, found {form!r}")
    return form


def _read_counted_length(options: Options, form: Form) -> int:
    length = options.get("counted", _TAGGED_LENGTH if form == "tagged" else 0)
    if isinstance(length, bool) or not 0 <= length <= MAX_LENGTH:
        raise ValueError(f"counted must be 0 to {MAX_LENGTH}, found {length}")
    return length


def _read_texts_option(options: Options, form: Form, *, is_for_model: bool) -> Spellings:
    texts = options.get("texts", "canonical" if is_for_model else "all")
    if texts not in SPELLINGS or (texts != "all" and form == "tagged"):
        allowed = ", ".join(SPELLINGS)
        raise ValueError(f"expected texts for this form, one of {allowed}, found {texts!r}")
    return texts


def _read_sigil(options: Options, choice: ToolChoice) -> bool:
    sigil = options.get("sigil")
    if sigil is False and choice in PROSE:
        raise ValueError("sigil must not be False where there may be prose")
    return bool(sigil)


def with_thought(grammar: Grammar, marks: Marks) -> Grammar:
    """Allow a thought at the start of the text (R-430)."""
    start, *rules = grammar.rules
    ref = Ref("thought")
    node = make_sequence(make_optional(ref) if marks[0] else ref, start.node)
    rule = Rule(ref.name, build_thought(marks), lexical=True)
    return Grammar((Rule(start.name, node), *rules, rule))
