"""One function for all engines: what a server's request, or a library's call, gets of a grammar."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Unpack

from lton._require import installing, require
from lton.errors import Code, MissingExtraError
from lton.grammar.build import Options
from lton.grammar.emit import to_ebnf, to_gbnf, to_lark
from lton.grammar.requests import NO_GRAMMAR, SERVERS, request
from lton.schema.toolset import ToolSet


@dataclass(frozen=True, slots=True, kw_only=True)
class _Library:
    """How a library takes a grammar: `field` of its call gets what `maker` makes of the text."""

    field: str
    emit: Callable[..., str]
    module: str
    extra: str
    maker: str
    keyword: str = ""


LIBRARIES = {
    "llama-cpp-python": _Library(
        field="grammar",
        emit=to_gbnf,
        module="llama_cpp",
        extra="local",
        maker="LlamaGrammar.from_string",
    ),
    "llguidance": _Library(
        field="grammar",
        emit=to_lark,
        module="llguidance",
        extra="local",
        maker="LLMatcher.grammar_from_lark",
    ),
    "outlines": _Library(
        field="output_type", emit=to_lark, module="outlines.types", extra="local", maker="CFG"
    ),
    "vllm-offline": _Library(
        field="structured_outputs",
        emit=to_ebnf,
        module="vllm.sampling_params",
        extra="vllm==0.33.0",
        maker="StructuredOutputsParams",
        keyword="grammar",
    ),
    "xgrammar": _Library(
        field="grammar",
        emit=to_ebnf,
        module="xgrammar",
        extra="xgrammar>=0.2.8,<0.3",
        maker="Grammar.from_ebnf",
    ),
}
"""Engines in the process of a program."""


def for_engine(engine: str, tools: ToolSet, **options: Unpack[Options]) -> dict[str, Any]:
    r"""Get what an engine is to be given, so that its model writes calls of the tools, by its name.

    For a server these are fields of its request, as from `request`: "llama-server", "vllm",
    "sglang", "mistral.rs", "openai", "openai-chat", "localai". For a library they are arguments:

    - "llama-cpp-python": of `llm.create_chat_completion` and `llm.create_completion`;
    - "outlines": of `outlines.Generator`;
    - "vllm-offline": of `vllm.SamplingParams`;
    - "xgrammar": of `GrammarCompiler.compile_grammar`;
    - "llguidance": of `LLMatcher`.

    The options are those of `to_gbnf`. What the model wrote is always to be decoded.

    Raises `ValueError` for an engine that is not known, or takes no grammar; `MissingExtraError`
    for a library that is not installed or too old; and as `to_gbnf` does.

    >>> for_engine("mistral.rs", ToolSet.from_prompt("stop"))
    {'grammar': {'type': 'lark', 'value': 'start: "stop" "(" ")"\n'}}
    """
    if engine in SERVERS or engine in NO_GRAMMAR:
        return request(tools, engine, **options)  # type: ignore[arg-type]
    if engine not in LIBRARIES:
        raise ValueError(f"no engine {engine!r}: there are {', '.join([*SERVERS, *LIBRARIES])}")
    library = LIBRARIES[engine]
    text = library.emit(tools, **options)
    module = require(library.module, library.extra)
    try:
        maker = attrgetter(library.maker)(module)
    except AttributeError as error:
        msg = f"{engine} is too old: it has no {library.maker}"
        raise MissingExtraError(Code.EXTRA, msg, hint=installing(library.extra)) from error
    return {library.field: maker(**{library.keyword: text}) if library.keyword else maker(text)}
