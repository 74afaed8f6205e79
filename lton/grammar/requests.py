"""Write the request fields that make a server's model write calls.

A server that does not recognize the constraint in a request silently generates without it. So the
names of the fields are taken from the servers' source code:

- llama-server (llama.cpp c1bf1c0: tools/server/server-schema.cpp, common/sampling.cpp,
  src/llama-grammar.cpp; run in xllamacpp 2026.10): `grammar`. It returns 400 for an invalid
  grammar, and for `tools` together with a grammar. In three cases nothing is constrained: an empty
  grammar, a grammar that is not a string, and `grammar_lazy` without `grammar_triggers`.
  `response_format` takes precedence.
- vLLM from 0.12 (00388f6: vllm/sampling_params.py, vllm/v1/structured_output/): one field of
  `structured_outputs`. It reads a grammar as Lark unless a line contains `::=`
  (`grammar_is_likely_lark`), and so does llguidance, its guidance backend.
- SGLang (65cf1ed: sglang/srt/entrypoints/openai/protocol.py, sglang/srt/constrained/): `ebnf`, or
  `response_format` with a structural tag. Its llguidance backend also reads GBNF.
- OpenAI's Responses API (openai 3.54: `CustomToolParam`, `ToolChoiceCustomParam`), and its Chat
  Completions API, which nests the same fields (`ChatCompletionCustomToolParam`).
- mistral.rs (according to its server examples): `grammar`, with the type of the grammar.
- LocalAI (according to its documentation of constrained grammars): `grammar`, only with its
  llama.cpp backend.

A structural tag needs the xgrammar backend of vLLM or SGLang, and xgrammar 0.1.30. Older versions
ignored `excludes`, so `tool_choice="required"` allowed free text.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal, TypeAlias, Unpack

from lton._syntax import SIGIL
from lton.grammar.build import PROSE, Options, build, choose_tools
from lton.grammar.ebnf import write_ebnf
from lton.grammar.emit import to_ebnf, to_gbnf, to_lark, to_regex
from lton.grammar.linting import lint
from lton.grammar.nodes import Grammar, Lit, Node, Seq
from lton.schema.toolset import KEPT, ToolSet

Server: TypeAlias = Literal[
    "llama-server", "vllm", "sglang", "mistral.rs", "openai", "openai-chat", "localai"
]

SERVERS: dict[str, tuple[str, ...]] = {
    "llama-server": ("gbnf", "lark"),
    "vllm": ("ebnf", "lark", "structural_tag"),
    "sglang": ("ebnf", "lark", "structural_tag"),
    "mistral.rs": ("lark", "regex"),
    "openai": ("lark", "regex"),
    "openai-chat": ("lark", "regex"),
    "localai": ("gbnf",),
}
"""The dialects that each server supports, beginning with the default."""
_FILES = (
    "its API accepts JSON Schemas, but no grammar: run the same GGUF file with llama-server (--for"
    " llama-server), or use `lton serve`, which reads what a model writes without a grammar"
)
NO_GRAMMAR = {"ollama": _FILES, "lmstudio": _FILES}
"""Servers that do not support grammars, and what to do instead."""
WORD = "xyzzyplugh"
"""A word that no model writes unless a grammar forces it to."""

_EMITTERS = {"ebnf": to_ebnf, "gbnf": to_gbnf, "lark": to_lark, "regex": to_regex}
_LLGUIDANCE = "%llguidance {}\n"
"""The first line of a Lark grammar for servers that expect GBNF."""
_TOOL = "call"
_TRIGGER = {"type": 2, "value": r"(?:^|\n)!call(?![^ ])"}
"""A pattern (type 2, `COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN`) for the start of a line (R-429).

The match ends before the space. Otherwise the model could freely choose a token of a space and a
name, and a wrong token would end the request with status 500. The pattern has no group, because
some versions apply the grammar from the first group on, and others from the whole match on. So the
grammar always begins at the newline."""


def request(
    tools: ToolSet,
    server: Server,
    *,
    dialect: str | None = None,
    lazy: bool = False,
    **options: Unpack[Options],
) -> dict[str, Any]:
    r"""Return the request fields that make a server's model write calls to the tools.

    Merge this part into the request body. With OpenAI's client, pass it as `extra_body` for vLLM,
    SGLang and llama-server. `SERVERS` lists the dialects. Pass "lark" if the server runs
    llguidance (a llama-server must be built with it). The options are those of `to_gbnf`, or of
    `to_structural_tag` for "structural_tag".

    `lazy`, for llama-server with `tool_choice="auto"`, constrains nothing until a line begins with
    `!call `. Only `/completion` supports it. `/v1/chat/completions` constrains the whole answer,
    which allows the same answers.

    For OpenAI, the result is a custom tool, and the calls are the tool's input. `tool_choice`
    decides whether the model may answer in prose instead.

    A server may ignore fields that it does not know, so always decode the text that the model
    wrote. Raises `ValueError` for a dialect that the server does not support (`NO_GRAMMAR`), and
    the errors of `to_gbnf`.

    >>> request(ToolSet.from_prompt("stop"), "vllm")
    {'structured_outputs': {'grammar': 'root ::= "stop" "(" ")"\n'}}
    """
    dialect = _dialect_of(server, dialect)
    choice = options.get("tool_choice", "required")
    if lazy and (server != "llama-server" or choice != "auto"):
        raise ValueError('lazy is for llama-server with tool_choice="auto"')
    if dialect == "structural_tag":
        return _wrap_structural_tag(to_structural_tag(tools, **options), server)
    if server in _OPENAI and choice in PROSE:
        options["tool_choice"] = "required"
    fields = _request_fields(_EMITTERS[dialect](tools, **options), server, dialect)
    if server in _OPENAI and choice in PROSE:
        fields["tool_choice"] = choice
    return fields | ({"grammar_lazy": True, "grammar_triggers": [_TRIGGER]} if lazy else {})


@lru_cache(KEPT)
def make_cached_request(tools: ToolSet, server: Server, **options: Any) -> Mapping[str, Any]:
    """Return the cached fields of `request` for a set of tools."""
    return request(tools, server, **options)


def probe(server: Server, *, dialect: str | None = None) -> dict[str, Any]:
    r"""Return the request fields that make a server's model write only `WORD`.

    Raises `ValueError` for a dialect that the server does not support.

    >>> probe("llama-server")
    {'grammar': 'root ::= "xyzzyplugh"\n'}
    """
    dialect = _dialect_of(server, dialect)
    grammar = {"lark": f'start: "{WORD}"\n', "regex": WORD}.get(dialect, f'root ::= "{WORD}"\n')
    if dialect == "structural_tag":
        form = {"type": "grammar", "grammar": grammar}
        return _wrap_structural_tag({"type": "structural_tag", "format": form}, server)
    return _request_fields(grammar, server, dialect)


_OPENAI = ("openai", "openai-chat")


def _dialect_of(server: str, dialect: str | None) -> str:
    if server in NO_GRAMMAR:
        raise ValueError(f"{server}: {NO_GRAMMAR[server]}")
    if server not in SERVERS or dialect not in (None, *SERVERS[server]):
        raise ValueError(f"no request of dialect {dialect!r} for the server {server!r}")
    return dialect or SERVERS[server][0]


def _wrap_structural_tag(tag: dict[str, Any], server: Server) -> dict[str, Any]:
    if server == "sglang":
        return {"response_format": tag}
    return {"structured_outputs": {"structural_tag": json.dumps(tag)}}


def _request_fields(grammar: str, server: Server, dialect: str) -> dict[str, Any]:
    rule = {"syntax": dialect, "definition": grammar}
    match server:
        case "vllm":
            return {"structured_outputs": {"grammar": grammar}}
        case "openai":
            forced = {"type": "custom", "name": _TOOL}
            tool = {**forced, "format": {"type": "grammar", **rule}}
            return {"tools": [tool], "tool_choice": forced}
        case "openai-chat":
            form = {"type": "grammar", "grammar": rule}
            tool = {"type": "custom", "custom": {"name": _TOOL, "format": form}}
            return {"tools": [tool], "tool_choice": {"type": "custom", "custom": {"name": _TOOL}}}
        case "mistral.rs":
            return {"grammar": {"type": dialect, "value": grammar}}
    if dialect == "lark":
        grammar = _LLGUIDANCE + grammar
    return {"ebnf" if server == "sglang" else "grammar": grammar}


def to_structural_tag(tools: ToolSet, **options: Unpack[Options]) -> dict[str, Any]:
    r"""Return a structural tag for xgrammar: prose, and calls on lines that begin with `!call `.

    `tool_choice` is "auto" (the default), "required" for at least one call, or `Named(tool)`. The
    first call ends the text unless `parallel` allows more lines. The options of `to_ebnf` are also
    allowed.

    The tag is one grammar instead of `triggered_tags`, which recognize neither the start of the
    text nor the end of a line. With one tag per tool, xgrammar takes several times as long to
    compile. Prose takes almost no time, unlike in `to_ebnf`, because xgrammar only searches for a
    line that begins with `!`.

    >>> tag = to_structural_tag(ToolSet.from_prompt("stop"))
    >>> print(tag["format"]["grammar"], end="")
    root ::= tag-lines
    tag-lines ::= "\n"* ("!" tag-call | [^!\n\x00] tag-prose)?
    tag-prose ::= TagDispatch(("\n!", tag-call), loop_after_dispatch=false, excludes=("\x00"))
    tag-before ::= TagDispatch(loop_after_dispatch=false, excludes=("\n!", "\x00"))
    tag-call ::= "call " tag-one
    tag-one ::= "stop" "(" ")"
    """
    choice = options.get("tool_choice", "auto")
    if choice == "none":
        raise ValueError("no structural tag for tool_choice none: it would have no calls")
    if options.get("sigil") is False:
        raise ValueError("sigil must not be False where there may be prose")
    if options.get("thoughts"):
        raise ValueError("no structural tag with thoughts: the server handles thoughts itself")
    tools = choose_tools(tools, choice)
    defaults: Options = {"bounded": "short", "texts": "all"}
    one: Options = {**defaults, **options, "tool_choice": "required", "parallel": False}
    # The rule of a call may contain the sigil, but here the sigil comes before all calls.
    rules = (replace(rule, node=_without_sigil(rule.node)) for rule in build(tools, **one).rules)
    calls = write_ebnf(Grammar(tuple(rules)), start="tag-one")
    lint(f"root ::= tag-one\n{calls}", "ebnf")
    # After a tagged call, a parenthesis would open a group.
    first = r"[^!(\n\x00]" if options.get("form") == "tagged" else r"[^!\n\x00]"
    required_rule = r'"\n"* ("!" tag-call | [^!\n\x00] tag-before "\n!" tag-call)'
    behind = r' ("\n" tag-lines)?' if options.get("parallel") else ""
    grammar = (
        f"root ::= {'tag-lines' if choice == 'auto' else required_rule}\n"
        rf'tag-lines ::= "\n"* ("!" tag-call | {first} tag-prose)?' + "\n"
        r'tag-prose ::= TagDispatch(("\n!", tag-call), loop_after_dispatch=false,'
        r' excludes=("\x00"))' + "\n"
        r'tag-before ::= TagDispatch(loop_after_dispatch=false, excludes=("\n!", "\x00"))' + "\n"
        f'tag-call ::= "call " tag-one{behind}\n{calls}'
    )
    return {"type": "structural_tag", "format": {"type": "grammar", "grammar": grammar}}


def _without_sigil(node: Node) -> Node:
    """Return the node of a call without its sigil."""
    match node:
        case Seq((Lit(text), *others)) if text.startswith(SIGIL):
            return Seq((Lit(text.removeprefix(SIGIL)), *others))
    return node
