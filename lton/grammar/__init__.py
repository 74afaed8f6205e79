"""Grammars that make a local model write valid LTON and nothing else."""

from lton.grammar.build import build
from lton.grammar.gbnf import print_gbnf
from lton.grammar.lark import print_lark
from lton.schema.toolset import ToolSet


def to_gbnf(
    tools: ToolSet,
    *,
    form: str = "wire",
    punctuated: bool = False,
    parallel: bool = False,
    count_digits: int = 0,
) -> str:
    """Get the GBNF, for llama.cpp, of one call of these tools; with `parallel`, of one or more.

    `form` is "wire" or "keyed"; `punctuated` as in `lton.encode`. `count_digits` (0 to 4) lets in
    counted strings with lengths of so many digits: what programs write, not models.
    Whatever a model wrote under a grammar is still to be decoded: §13 of the spec lists what no
    grammar checks.

    >>> from lton.schema.toolset import ToolSet
    >>> tools = ToolSet.from_tools([{"name": "wait", "parameters": {"type": "object",
    ...     "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]}}])
    >>> print(to_gbnf(tools, form="keyed", punctuated=True), end="")
    root ::= call-1
    call-1 ::= "wait" "(" "minutes=" integer ")"
    integer ::= "0" | "-"? [1-9] [0-9]*
    """
    return print_gbnf(
        build(tools, form=form, punctuated=punctuated, parallel=parallel, count_digits=count_digits)
    )


def to_lark(
    tools: ToolSet,
    *,
    form: str = "wire",
    punctuated: bool = False,
    parallel: bool = False,
    count_digits: int = 0,
) -> str:
    """Get the same language as `to_gbnf`, with the same options, in Lark's dialect.

    llguidance reads it (so Outlines, vLLM, SGLang and OpenAI's custom tools do), and python-lark.

    >>> from lton.schema.toolset import ToolSet
    >>> tools = ToolSet.from_tools([{"name": "stop"}])
    >>> print(to_lark(tools), end="")
    start: call_1
    call_1: "stop"
    """
    return print_lark(
        build(tools, form=form, punctuated=punctuated, parallel=parallel, count_digits=count_digits)
    )


__all__ = ["build", "print_gbnf", "print_lark", "to_gbnf", "to_lark"]
