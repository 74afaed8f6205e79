"""Implement `lton grammar`, which writes grammars and request fields for tools."""

import argparse
from importlib import import_module
from typing import Any

from lton._syntax import FOR_MODELS
from lton._terminal import UsageError, add_table, write
from lton.cli.inputs import named_inputs, read_tools
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
        "write request fields, as JSON, that constrain this server's model;"
        f" {' and '.join(NO_GRAMMAR)} do not support grammars: the error names alternatives"
    )
    more: dict[str, dict[str, Any]] = {
        "dialect": {"choices": [*_DIALECTS, "structural_tag"]},
        "for": {"choices": [*SERVERS, *NO_GRAMMAR], "help": about},
        "tool-choice": {"choices": MODES},
    }
    add_table(sub, __file__, "", **more)


def run(options: argparse.Namespace) -> int:
    """Write a grammar for the tools; with `--check`, test whether a server applies grammars."""
    if options.check is not None:
        return _check_server(options)
    for name, text in named_inputs(options.files):
        tools = read_tools(name, text)
        if options.only:
            tools = tools.select(*options.only)
        chosen: Options = {
            "form": options.form,
            "parallel": options.parallel,
            "tool_choice": options.tool_choice,
        }
        write(_grammar_text(tools, options, chosen))
    return 0


def _check_server(options: argparse.Namespace) -> int:
    if options.server is None:
        raise UsageError("--check needs --for, the kind of server")
    check = import_module("lton.engines.check")
    said = check.written_under_constraint(options.check, options.server, dialect=options.dialect)
    if check.is_in_force(said):
        write(f"{options.check} applies grammars\n")
        return 0
    write(f"{options.check} ignores the grammar: it wrote {said[:60]!r}\n")
    return 1


def _grammar_text(tools: ToolSet, options: argparse.Namespace, chosen: Options) -> str:
    if options.server is not None:
        return indent_json(request(tools, options.server, dialect=options.dialect, **chosen))
    if options.dialect == "structural_tag":
        return indent_json(to_structural_tag(tools, **chosen))
    text = _DIALECTS[options.dialect or "gbnf"](tools, **chosen)
    return text if text.endswith("\n") else f"{text}\n"
