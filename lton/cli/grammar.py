"""Implement `lton grammar`, which writes grammars and request fields for tools."""

import argparse
from typing import Any

from lton._syntax import FOR_MODELS
from lton._terminal import add_table, write
from lton.cli.inputs import iterate_named_inputs, read_tools
from lton.cli.options import add_form
from lton.cli.outputs import indent_json
from lton.grammar import (
    NO_GRAMMAR,
    SERVERS,
    Options,
    request,
    to_ebnf,
    to_gbnf,
    to_lark,
    to_regex,
    to_structural_tag,
)
from lton.grammar.build import MODES
from lton.schema import ToolSet

_DIALECTS = {"ebnf": to_ebnf, "gbnf": to_gbnf, "lark": to_lark, "regex": to_regex}


def add_options(sub: argparse.ArgumentParser) -> None:
    add_form(sub, FOR_MODELS)
    about = (
        "gbnf (default) for llama.cpp, lark for llguidance, ebnf and structural_tag for xgrammar,"
        " or regex; or a server, to write the request fields, as JSON, that constrain its model"
    )
    more: dict[str, dict[str, Any]] = {
        "for": {
            "metavar": "TARGET",
            "choices": [*_DIALECTS, "structural_tag", *SERVERS, *NO_GRAMMAR],
            "help": f"{about}: {', '.join(SERVERS)}",
        },
        "tool-choice": {"choices": MODES},
    }
    sub.set_defaults(instead={"--dialect": "--for DIALECT"})
    add_table(sub, __file__, "", **more)


def run(options: argparse.Namespace) -> int:
    """Write a grammar for the tools, or the request fields for a server."""
    choices: Options = {
        "form": options.form,
        "parallel": options.parallel,
        "tool_choice": options.tool_choice,
    }
    for name, text in iterate_named_inputs(options.files):
        write(_grammar_text(read_tools(name, text), options.target, choices))
    return 0


def _grammar_text(tools: ToolSet, target: Any, choices: Options) -> str:
    if target == "structural_tag":
        return indent_json(to_structural_tag(tools, **choices))
    if target not in _DIALECTS:
        return indent_json(request(tools, target, **choices))
    text = _DIALECTS[target](tools, **choices)
    return text if text.endswith("\n") else f"{text}\n"
