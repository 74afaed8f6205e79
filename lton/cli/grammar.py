"""`lton grammar`: write a grammar of tools, or the part of a request with it."""

import argparse
from importlib import import_module

from lton._terminal import UsageError, write
from lton.cli.inputs import named_inputs, read_tools
from lton.cli.options import add_form, add_tools_as_input
from lton.cli.outputs import indented
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
from lton.grammar.build import FOR_MODELS, MODES
from lton.schema import ToolSet

_DIALECTS = {"ebnf": to_ebnf, "gbnf": to_gbnf, "lark": to_lark, "regex": to_regex}


def add_options(sub: argparse.ArgumentParser) -> None:
    add_tools_as_input(sub)
    sub.add_argument(
        "--dialect",
        choices=[*_DIALECTS, "structural_tag"],
        help="gbnf (default) for llama.cpp; lark for llguidance; ebnf and structural_tag for"
        " xgrammar; regex",
    )
    sub.add_argument(
        "--for",
        dest="server",
        choices=[*SERVERS, *NO_GRAMMAR],
        help="write the part of a request, as JSON, that constrains this server;"
        f" {' and '.join(NO_GRAMMAR)} read no grammar: an error says what to do instead",
    )
    sub.add_argument(
        "--check",
        metavar="URL",
        help="with --for: test once whether the server at this address obeys a grammar; the status"
        " is 1 if not (of OpenAI's APIs only chat: --for openai-chat)",
    )
    sub.add_argument(
        "--lazy",
        action="store_true",
        help="with --for llama-server --tool-choice auto: constrain only calls",
    )
    add_form(sub, FOR_MODELS)
    sub.add_argument("--parallel", action="store_true", help="allow several calls, one a line")
    sub.add_argument(
        "--only", metavar="TOOL", action="append", help="only this tool; may be repeated"
    )
    sub.add_argument(
        "--tool-choice",
        choices=MODES,
        default="required",
        help='"required": only calls (default); "auto": prose, and calls on lines that begin with'
        ' "!call "; "none": only prose',
    )
    sub.add_argument(
        "--sigil",
        action=argparse.BooleanOptionalAction,
        help='begin each call with "!call " (default: only if prose is allowed)',
    )


def run(options: argparse.Namespace) -> int:
    """Write a grammar; with `--check` return 1 if the server ignores grammars."""
    if options.check is not None:
        return _check_server(options)
    for name, text in named_inputs([*options.tools, *options.files]):
        tools = read_tools(name, text)
        if options.only:
            tools = tools.select(*options.only)
        chosen: Options = {
            "form": options.form,
            "parallel": options.parallel,
            "tool_choice": options.tool_choice,
            "sigil": options.sigil,
        }
        write(_grammar_text(tools, options, chosen))
    return 0


def _check_server(options: argparse.Namespace) -> int:
    if options.server is None:
        raise UsageError("--check needs --for, the kind of server")
    check = import_module("lton.engines.check")
    said = check.written_under_constraint(options.check, options.server, dialect=options.dialect)
    if check.is_in_force(said):
        write(f"{options.check} obeys a grammar\n")
        return 0
    write(f"{options.check} ignores the grammar: it wrote {said[:60]!r}\n")
    return 1


def _grammar_text(tools: ToolSet, options: argparse.Namespace, chosen: Options) -> str:
    if options.server is not None:
        fragment = request(
            tools, options.server, dialect=options.dialect, lazy=options.lazy, **chosen
        )
        return indented(fragment)
    if options.lazy:
        raise UsageError("--lazy is for --for llama-server")
    if options.dialect == "structural_tag":
        return indented(to_structural_tag(tools, **chosen))
    text = _DIALECTS[options.dialect or "gbnf"](tools, **chosen)
    return text if text.endswith("\n") else f"{text}\n"
