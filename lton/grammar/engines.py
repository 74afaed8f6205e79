"""Return the request fields or arguments that make an engine write calls."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple, Unpack

from lton._require import require, write_install_command
from lton.errors import Code, MissingExtraError
from lton.grammar.build import Options
from lton.grammar.emit import to_ebnf, to_gbnf, to_lark
from lton.grammar.requests import NO_GRAMMAR, SERVERS, request
from lton.schema.toolset import ToolSet


class _Library(NamedTuple):
    """A library, and the name of its argument for grammars."""

    field: str
    emit: Callable[..., str]
    extra: str
    module: str
    maker: str
    keyword: str = ""


_VLLM = ("vllm==0.33.0", "vllm.sampling_params", "StructuredOutputsParams")
LIBRARIES = {
    "llama-cpp-python": _Library(
        "grammar", to_gbnf, "local", "llama_cpp", "LlamaGrammar.from_string"
    ),
    "llguidance": _Library(
        "grammar", to_lark, "local", "llguidance", "LLMatcher.grammar_from_lark"
    ),
    "outlines": _Library("output_type", to_lark, "local", "outlines.types", "CFG"),
    "vllm-offline": _Library("structured_outputs", to_ebnf, *_VLLM, keyword="grammar"),
    "xgrammar": _Library(
        "grammar", to_ebnf, "xgrammar>=0.2.8,<0.3", "xgrammar", "Grammar.from_ebnf"
    ),
}
"""Engines that run in the caller's process."""


def for_engine(engine: str, tools: ToolSet, **options: Unpack[Options]) -> dict[str, Any]:
    r"""Return the request fields or arguments that make an engine write calls to the tools.

    For a server, these are fields of the request, as from `request`: "llama-server", "vllm",
    "sglang", "mistral.rs", "openai", "openai-chat", "localai". For a library, they are arguments:

    - "llama-cpp-python": of `llm.create_chat_completion` and `llm.create_completion`;
    - "outlines": of `outlines.Generator`;
    - "vllm-offline": of `vllm.SamplingParams`;
    - "xgrammar": of `GrammarCompiler.compile_grammar`;
    - "llguidance": of `LLMatcher`.

    The options are those of `to_gbnf`. Always decode the answer of the model.

    Raises `ValueError` for an unknown engine or one that does not support grammars,
    `MissingExtraError` for a library that is missing or too old, and the errors of `to_gbnf`.

    >>> for_engine("mistral.rs", ToolSet.from_prompt("stop"))
    {'grammar': {'type': 'lark', 'value': 'start: "stop" "(" ")"\n'}}
    """
    if engine in SERVERS or engine in NO_GRAMMAR:
        return request(tools, engine, **options)  # type: ignore[arg-type]
    if engine not in LIBRARIES:
        raise ValueError(
            f"engine: expected one of {', '.join([*SERVERS, *LIBRARIES])}, found {engine!r}"
        )
    library = LIBRARIES[engine]
    text = library.emit(tools, **options)
    module = require(library.module, library.extra)
    try:
        maker = attrgetter(library.maker)(module)
    except AttributeError as error:
        msg = f"{engine} is too old: it has no {library.maker}"
        raise MissingExtraError(
            Code.EXTRA, msg, hint=write_install_command(library.extra)
        ) from error
    return {library.field: maker(**{library.keyword: text}) if library.keyword else maker(text)}
