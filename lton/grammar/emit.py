"""Print the grammars of tools in four notations."""

from collections.abc import Callable
from typing import Unpack

from lton.grammar.build import Options, build
from lton.grammar.ebnf import write_ebnf
from lton.grammar.gbnf import write_gbnf
from lton.grammar.lark import write_lark
from lton.grammar.linting import Dialect, lint
from lton.grammar.nodes import Grammar
from lton.grammar.regex import print_regex
from lton.schema.toolset import ToolSet


def to_gbnf(tools: ToolSet | None, **options: Unpack[Options]) -> str:
    """Write the GBNF grammar (for llama.cpp) of a call to one of the tools.

    `Options` has the options. Always decode the text that a model wrote under a grammar, because
    grammars cannot prevent all errors (§13 of the spec lists them).

    Raises `ValueError` for contradictory options. Raises `GrammarError` (E602) if no tool can be
    called, and for a grammar that an engine would misread (see `lint`).

    >>> from lton.schema.toolset import ToolSet
    >>> tools = ToolSet.from_tools([{"name": "wait", "parameters": {"type": "object",
    ...     "properties": {"minutes": {"type": "integer", "minimum": 1, "maximum": 59}},
    ...     "required": ["minutes"]}}])
    >>> print(to_gbnf(tools), end="")
    root ::= "wait" "(" "minutes=" integer-1 ")"
    integer-1 ::= [1-5] [0-9] | [1-9]
    """
    return _print_checked(write_gbnf, "gbnf", tools, options)


def to_ebnf(tools: ToolSet | None, **options: Unpack[Options]) -> str:
    """Write the grammar of `to_gbnf` in xgrammar's EBNF.

    Each rule ends with the characters that may follow it, which makes masks faster. Numbers and
    long strings have no limits unless `bounded` sets them. With limits, compiling takes xgrammar
    seconds, and each mask is slower (spec/DECISIONS.md has the figures). Strings have every
    spelling unless `texts` says otherwise, because "canonical" takes three times as long.

    >>> from lton.schema.toolset import ToolSet
    >>> print(to_ebnf(ToolSet.from_prompt("wait(minutes:int)")), end="")
    root ::= "wait" "(" "minutes=" integer ")"
    integer ::= [1-9] [0-9]* | "-" [1-9] [0-9]* | "0" (=[)])
    """
    options.setdefault("bounded", "short")
    options.setdefault("texts", "all")
    return _print_checked(write_ebnf, "ebnf", tools, options)


def to_lark(tools: ToolSet | None, **options: Unpack[Options]) -> str:
    """Write the grammar of `to_gbnf` in Lark.

    llguidance reads this dialect (for Outlines, vLLM, SGLang and OpenAI's custom tools), and so
    does python-lark.

    Strings are not bare unless `bare` is True, and have only the limits of the schema unless
    `bounded` is True. Both options take llguidance more time than everything else.

    >>> from lton.schema.toolset import ToolSet
    >>> tools = ToolSet.from_tools([{"name": "stop"}])
    >>> print(to_lark(tools), end="")
    start: "stop" "(" ")"
    """
    options.setdefault("bare", False)
    options.setdefault("bounded", "schema")
    return _print_checked(write_lark, "lark", tools, options)


def to_regex(tools: ToolSet | None, **options: Unpack[Options]) -> str:
    """Write the grammar of `to_gbnf` as one regular expression that matches whole answers.

    Also raises `GrammarError` (E602) if values may be nested to any depth, which no expression can
    describe.

    >>> from lton.schema.toolset import ToolSet
    >>> to_regex(ToolSet.from_prompt("turn(side:left|right times:1|2)"), form="keyed")
    'turn side=(?:left|right) times=(?:1|2)'
    """
    return _print_checked(print_regex, "regex", tools, options)


def _print_checked(
    write: Callable[[Grammar], str], dialect: Dialect, tools: ToolSet | None, options: Options
) -> str:
    text = write(build(tools, **options))
    lint(text, dialect)
    return text
