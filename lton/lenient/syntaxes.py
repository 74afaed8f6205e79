"""List the call formats of models: one row for each.

A row has the marks that open a call, how the arguments are written, and which of its marks the
general patterns for tags and special tokens do not match. Marks of thoughts that several models
share, and Cohere's typed values, are not in the rows. The patterns of the lenient reader and of
the gateway are compiled from the rows (`alternatives`). `evidence` uses them to decide whether a
call is in a syntax that its model is known to write, and a table of the documentation shows them
(docs/guides/evidence.md).

A syntax has marks of its own: special tokens or tags that do not occur in ordinary text. Bare JSON
and function syntax have none, so they are not in the table. A new syntax is one row here, its
models in `FAMILIES`, and a case in the conformance suite with the name `evidence-after-prose-NAME`.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from lton._patterns import compiled_when_used

ArgumentsForm: TypeAlias = Literal["JSON", "Python", "LTON", "parameter", "arg_key", "argument"]
"""How a syntax writes arguments: in a notation, or as the elements of a row of `PARAMETERS`."""
Fragment: TypeAlias = Literal[
    "tags",
    "closing",
    "special",
    "after_prose",
    "needs_body",
    "between",
    "call_element",
    "call_end",
    "after_name",
    "prefix",
]
"""The columns of `SYNTAXES` from which patterns are compiled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """A call syntax. Columns with patterns are empty if the general patterns are enough.

    - `opening` matches the marks that open a call. Templates are searched for it, too.
    - `is_special` says that these marks are special tokens, which nobody types in ordinary text.
    - `lead` matches the label that the syntax writes at the start of a line before a call.
    - `result` matches the label that the syntax writes at the start of a line before a result.
    - `values` says how arguments are written.
    - `tags` matches all marks of the syntax, and `closing` those that end a call.
    - `special` matches the special token that opens a call, also where its name is in doubt.
    - `after_prose` matches the marks after which the gateway looks for a call in prose.
    - `needs_body` matches the marks after which every call has arguments.
    - `between` matches words between the special tokens of a call.
    - `call_element` matches an element with a call, whose name is the group `own`, and `call_end`
      its end. They are empty for elements such as `<invoke name="f">`.
    - `after_name` matches the mark between a name and JSON that repeats the name.
    - `thought` has patterns for the marks around a thought of a model that writes the syntax.
    - `prefix` matches a word before the names of the syntax's elements.
    - `word` is a plain word that only models write before a call, with what follows it.
    - `quotes` is the mark around strings.
    """

    name: str
    opening: re.Pattern[str]
    is_special: bool
    values: ArgumentsForm = "JSON"
    lead: re.Pattern[str] | None = None
    result: re.Pattern[str] | None = None
    tags: str = ""
    closing: str = ""
    special: str = ""
    after_prose: str = ""
    needs_body: str = ""
    between: str = ""
    call_element: str = ""
    call_end: str = ""
    after_name: str = ""
    thought: tuple[str, str] | None = None
    prefix: str = ""
    word: str = ""
    quotes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterForm:
    """A way to write each argument as an element.

    - `opening` matches the mark with the key, which is the group `name`.
    - `closing` matches the mark after the value.
    - `inner` matches marks that may occur in pairs in a value. Its group 1 matches a closing mark.
    - `damaged` matches a closing mark that counts only before another parameter or the end.
    - `laid_out` matches an opening mark after which the value has its own lines, except in a call
      after the mark `inline_in`. `may_be_cdata` matches one after which it may be in CDATA.
    """

    name: ArgumentsForm
    opening: str
    closing: str
    inner: str
    damaged: str = ""
    laid_out: str = ""
    inline_in: str = ""
    may_be_cdata: str = ""


@dataclass(frozen=True, slots=True)
class ModelFamily:
    """The models whose name matches a pattern, and the names of the syntaxes that they write."""

    pattern: re.Pattern[str]
    syntaxes: frozenset[str]


def _tag_row(name: str, opening: str, **more: Any) -> Syntax:
    return Syntax(name=name, opening=compiled_when_used(opening), is_special=False, **more)


def _token_row(name: str, opening: str, **more: Any) -> Syntax:
    return Syntax(name=name, opening=compiled_when_used(opening), is_special=True, **more)


def _own_token_row(name: str, opening: str, **more: Any) -> Syntax:
    """Return a row for a token that the general patterns do not match."""
    marks = dict.fromkeys(("special", "after_prose", "needs_body"), opening)
    return _token_row(name, opening, **marks, **more)


def _family_row(pattern: str, *syntaxes: str) -> ModelFamily:
    return ModelFamily(compiled_when_used(pattern, re.IGNORECASE), frozenset(syntaxes))


_DSML = r"[|\uff5c]{1,2}DSML[|\uff5c]{1,2}"  # DeepSeek's mark before the names of elements
PREFIX = rf"(?:{_DSML} ?|\w{{1,20}}:)?"
"""The prefix of an element's name, as in `<steptml:invoke>`."""
GAP = r"(?>(?:\s|\\n)*)"  # white space between elements, or `\n` in escaped text
OWN_PREFIX = r"(?:\w{1,20}_)?"
"""A prefix of `arg_key` and of the marks around it, as in `<longcat_arg_key>`."""
_SUFFIX = r"(?::\w{1,20})?"  # after the name, as in `<arg_key:opensource>`

FIRST_KEY = rf"<{OWN_PREFIX}arg_key{_SUFFIX}>"
"""The mark of the first key after a name, if keys and values are elements of their own."""

PARAMETERS = (
    ParameterForm(
        name="parameter",
        opening=rf"<(?:{PREFIX})(?:parameter=[\"']?|param(?:eter)?\s+name=[\"'])"
        r"(?P<parameter>[^\"'<>\n]{1,200})[\"']?"
        r"(?:\s+string=\"(?P<string>true|false)\")?[^<>\n]{0,80}>",
        closing=rf"</{PREFIX}param(?:eter)?>",
        inner=rf"<(/)?{PREFIX}param(?:eter)?\b[^<>\n]{{0,200}}>?",
        damaged=r"(?<=\n)</parameter\w{0,20}>?",
        laid_out="<parameter=",  # Qwen's template writes line breaks around a value
        inline_in=r"<\w{1,20}:tool_call>",  # that of Seed does not
        may_be_cdata=rf"<{PREFIX}param\s",  # MiniCPM 5
    ),
    ParameterForm(
        name="arg_key",
        opening=rf"{FIRST_KEY}(?P<arg_key>[^<>\n]{{1,200}})</{OWN_PREFIX}arg_key{_SUFFIX}>"
        rf"{GAP}<{OWN_PREFIX}arg_value{_SUFFIX}>",
        closing=rf"</{OWN_PREFIX}arg_value{_SUFFIX}>",
        inner=rf"<(/)?{OWN_PREFIX}arg_(?:key|value){_SUFFIX}>",
    ),
    ParameterForm(
        name="argument",
        opening=r"<\|open\|>argument\s+key=\"(?P<argument>[^\"<>\n]{1,200})\""
        r"(?:\s+type=\"(?P<type>\w{1,20})\")?[^<>\n]{0,80}<\|sep\|>",
        closing=r"<\|close\|>argument<\|sep\|>",
        inner=r"<\|(?:open|(close))\|>argument\b[^<>\n]{0,200}<\|sep\|>",
    ),
)
"""The ways to write arguments as elements."""

SYNTAXES = (
    _tag_row("lton", r"!call ", values="LTON"),
    _tag_row("tool_call", r"<tool_call(?:>|[ ](?:id|name)=)"),
    _tag_row(
        "tool_calls",
        r"<tool_calls>",
        after_prose=r"<(?:\w{1,20}:)?(?:tool|function)_calls?>",
    ),
    _tag_row(
        "function",
        r"<function(?:=|[ ]name=)",
        values="parameter",
        after_prose=r"<(?:\w{1,20}:)?function=",
    ),
    _tag_row(
        "invoke",
        r"<(?:\w{1,20}:)?(?:function_calls>|invoke[ ]name=)",
        values="parameter",
        after_prose=r"<(?:\w{1,20}:)?(?:invoke|function|call|tool_call)[ \t]{1,4}(?:id|name|tool)=",
    ),
    _tag_row("minimax", r"<minimax:tool_call>", values="parameter"),
    _tag_row("seed", r"<seed:tool_call>", values="parameter"),
    _tag_row("longcat", r"<longcat_tool_call>", values="arg_key", prefix="longcat_"),
    _token_row(
        "dsml",
        rf"<{_DSML} ?(?:(?:tool|function)_)?(?:calls|invoke)\b",
        values="parameter",
        tags=rf"</?{_DSML} ?\w{{1,40}}>",
        special=r"<[|\uff5c]{1,2}DSML[|\uff5c]",
        after_prose=r"<[|\uff5c]{1,2}DSML[|\uff5c]",
    ),
    _token_row(
        "deepseek",
        r"<[|\uff5c]tool\u2581(?:calls?\u2581begin|sep)[|\uff5c]>",
        needs_body=r"<[|\uff5c]tool[_\u2581](?:call[_\u2581]begin|sep)[|\uff5c]>",
        between=r"function(?=<[|\uff5c]tool[_\u2581]sep)",
    ),
    _token_row(
        "step3", r"<[|\uff5c]tool_calls?_begin[|\uff5c]>|<steptml:invoke ", values="parameter"
    ),
    _token_row(
        "kimi",
        r"<\|tool_calls_section_begin\|>|<\|tool_call_begin\|>",
        thought=("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    ),
    _token_row(
        "kimi_k3",
        r"<\|open\|>(?:tools<\|sep\|>|call )",
        values="argument",
        special=r"<\|open\|>call\b",
        call_element=r"<\|open\|>call\s+tool=\"(?P<own>[^\"<>\n]{1,200})\"[^<>\n]{0,80}<\|sep\|>\s*",
        call_end=r"<\|close\|>call<\|sep\|>",
        thought=(r"<\|open\|>think<\|sep\|>", r"<\|close\|>think<\|sep\|>"),
    ),
    _own_token_row(
        "mistral",
        r"\[TOOL_CALLS\]",
        tags=r"\[/?(?:TOOL_CALLS?|ARGS)\]",
        closing=r"\[/TOOL_CALLS?\]",
        thought=(r"\[THINK\]", r"\[/THINK\]"),
    ),
    _token_row("python_tag", r"<\|python_tag\|>"),
    _token_row("python_start", r"<\|python_start\|>", values="Python"),
    _token_row("lfm2", r"<\|tool_call_start\|>", values="Python"),
    _token_row("granite", r"<\|tool_call\|>"),
    _own_token_row(
        "gemma4",
        r"<\|tool_call>",
        quotes='<|"|>',
        thought=(r"<\|channel>\s{0,9}thought", r"<channel\|>"),
    ),
    _own_token_row(
        "functiongemma",
        r"<start_function_call>",
        closing=r"<end_\w{1,40}>",
        quotes="<escape>",
    ),
    _tag_row("tool_code", r"```tool_code\b", values="Python"),
    _token_row(
        "harmony",
        r"to=functions\.|<\|channel\|>(?:commentary|analysis)\b",
        special=r"<\|channel\|>(?=(?:commentary|analysis)\b\s*to=)",
        word="to=functions.",
        between=r"(?:commentary|analysis)\b(?=\s*(?:to=|<))",
    ),
    _token_row("internlm", r"<\|action_start\|>"),
    _tag_row("functools", r"\bfunctools\b", word="functools["),
    _token_row("apertus", r"<\|tools_prefix\|>"),
    _token_row(
        "cohere",
        r"<\|START_ACTION\|>|<cofl:tool_calls?\b",
        thought=(r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    ),
    _tag_row("nemotron", r"<TOOLCALL>"),
    _token_row("gigachat", r"<\|role_sep\|>|<\|function_call\|>"),
    _token_row(
        "inkling",
        r"<\|message_model\|>|<\|content_invoke_tool_json\|>",
        after_name=r"<\|content_invoke_tool_json\|>",
    ),
    _tag_row(
        "react",
        r"(?m:^[ \t]*(?:\*\*)?Action(?:\*\*)?:)",
        lead=compiled_when_used(r"(?:\*\*)?Thought(?:\*\*)?:(?:\*\*)?[ \t]*"),
        result=compiled_when_used(r"(?m:^[ \t]*(?:\*\*)?Observation(?:\*\*)?:)"),
    ),
)
"""Every call syntax that has marks of its own."""

WORDS = tuple(syntax.word for syntax in SYNTAXES if syntax.word)
"""Plain words that only models write, before a call."""
LIST_WORD = "|".join(word.removesuffix("[") for word in WORDS if word.endswith("["))
"""A pattern for such a word before a list of calls."""
TOKEN_QUOTES = tuple(syntax.quotes for syntax in SYNTAXES if syntax.quotes)
"""Quotes that are special tokens of models, which do not occur in text."""
THOUGHTS = tuple(syntax.thought for syntax in SYNTAXES if syntax.thought)
"""Patterns for the marks around thoughts that are special tokens of models."""


def pattern_of_column(column: Fragment) -> str:
    """Return a pattern for what the rows of `SYNTAXES` have in a column.

    The groups `own` of several rows become `own0`, `own1` and so on.
    """
    patterns = dict.fromkeys(getattr(syntax, column) for syntax in SYNTAXES)
    patterns.pop("", None)
    numbered = (
        pattern.replace("(?P<own>", f"(?P<own{number}>") for number, pattern in enumerate(patterns)
    )
    return "|".join(numbered)


FAMILIES = (
    _family_row(r"deepseek", "deepseek", "dsml"),
    _family_row(r"functiongemma", "functiongemma"),
    _family_row(r"gemma-?4", "gemma4"),
    _family_row(r"gemma", "tool_code"),
    _family_row(r"kimi|moonlight", "kimi", "kimi_k3"),
    _family_row(r"gpt-?oss", "harmony"),
    _family_row(r"(?:mi|mag|dev|code?|mini)stral|mixtral|pixtral", "mistral"),
    _family_row(r"llama-?4", "python_start"),
    _family_row(r"llama", "python_tag", "function"),
    _family_row(r"lfm-?2", "lfm2"),
    _family_row(r"minimax", "minimax", "tool_calls"),
    _family_row(r"seed", "seed"),
    _family_row(r"longcat", "longcat"),
    _family_row(r"step-?3", "step3", "tool_call", "function"),
    _family_row(r"granite", "granite", "tool_call"),
    _family_row(r"hunyuan", "tool_calls", "tool_call"),
    _family_row(r"jamba", "tool_calls"),
    _family_row(r"internlm", "internlm"),
    _family_row(r"phi-?4|firefunction", "functools"),
    _family_row(r"apertus", "apertus"),
    _family_row(r"command|cohere|c4ai|aya", "cohere", "react"),
    _family_row(r"xlam", "tool_call", "mistral"),
    _family_row(r"nemotron", "nemotron", "tool_call", "function"),
    _family_row(r"gigachat", "gigachat"),
    _family_row(r"inkling", "inkling"),
    _family_row(r"minicpm", "function"),
    _family_row(r"claude", "invoke"),
    _family_row(r"qwen|glm|hermes|ernie|exaone|reka|ling|spark|olmo", "tool_call", "function"),
)
"""The syntaxes of models, by the first pattern that the name of a model matches."""

_BY_NAME = {syntax.name: syntax for syntax in SYNTAXES}


def syntaxes_of_model(name: str) -> frozenset[str]:
    """Return the names of the syntaxes that a model writes, or none for an unknown model.

    >>> sorted(syntaxes_of_model("Qwen/Qwen3-Coder-30B")), syntaxes_of_model("my-model")
    (['function', 'tool_call'], frozenset())
    """
    family = next((family for family in FAMILIES if family.pattern.search(name)), None)
    return family.syntaxes if family else frozenset()


def syntaxes_in_template(template: str) -> frozenset[str]:
    """Return the names of the syntaxes whose opening marks a chat template contains.

    >>> syntaxes_in_template("{{ '<|python_tag|>' + call | tojson }}")
    frozenset({'python_tag'})
    """
    return frozenset(syntax.name for syntax in SYNTAXES if syntax.opening.search(template))


def read_syntaxes(names: str | Iterable[str]) -> frozenset[str]:
    """Return names of syntaxes as a set. Raises `ValueError` for an unknown name."""
    syntaxes = frozenset([names]) if isinstance(names, str) else frozenset(names)
    unknown = sorted(syntaxes.difference(_BY_NAME))
    if unknown:
        known_names = ", ".join(_BY_NAME)
        raise ValueError(f"expected names of call syntaxes ({known_names}), found {unknown[0]!r}")
    return syntaxes


def find_opening(
    src: str, marks: int, start: int, syntaxes: Collection[str]
) -> tuple[Syntax, int] | None:
    """Return the syntax among `syntaxes` whose mark opens a call, and the start of the mark.

    `marks` is the position of the marks before the call, and `start` of the call. An element is its
    own mark. If marks of several syntaxes open the call, the first mark decides.
    """
    openings = []
    for syntax in SYNTAXES:
        if syntax.name not in syntaxes:
            continue
        match = syntax.opening.search(src, marks, start) or syntax.opening.match(src, start)
        if match:
            openings.append((syntax, match.start()))
    return min(openings, key=lambda opening: opening[1], default=None)
