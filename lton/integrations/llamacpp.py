"""llama-cpp-python: tools to a grammar in force, completions to calls.

The binding does not parse a grammar until it samples, and crashes the process on a bad one; so
each grammar is tried on the model's vocabulary first. Grammars of no text at all, or with a NUL,
would mean no constraint, and are refused.
"""

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from lton._require import require
from lton.errors import Code, GrammarError
from lton.grammar import Options, ToolChoice, to_gbnf
from lton.integrations._generation import Generation, read_completion
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

_SOME = 512
"""So many tokens are put to a grammar at a time."""


def constraint(
    tools: ToolSet,
    llm: Any,
    **options: Unpack[Options],
) -> Any:
    """Get the `LlamaGrammar` with which `llm`, a `llama_cpp.Llama`, writes one call of `tools`.

    The options are those of `lton.grammar.to_gbnf`; by default a model writes the form that
    models do best. Raises `GrammarError` if llama.cpp refuses the grammar.
    """
    gbnf = to_gbnf(tools, **options)
    check_grammar(gbnf, llm)
    return require("llama_cpp", "llamacpp").LlamaGrammar.from_string(gbnf, verbose=False)


def check_grammar(gbnf: str, llm: Any) -> None:
    """Raise `GrammarError` unless llama.cpp takes the text as a grammar for `llm`'s vocabulary.

    It does if it reads the text, and then forbids some token as the first. llama.cpp itself says on
    standard error what it did not understand.
    """
    llama_cpp = require("llama_cpp", "llamacpp")
    vocabulary = llama_cpp.llama_model_get_vocab(llm.model)
    sampler = None
    if gbnf.strip() and "\0" not in gbnf:
        sampler = llama_cpp.llama_sampler_init_grammar(vocabulary, gbnf.encode(), b"root")
    if not sampler:
        raise GrammarError(Code.GRAMMAR, "llama.cpp refuses the grammar")
    size = llama_cpp.llama_vocab_n_tokens(vocabulary)
    # Some at a time: the first few hold one that is forbidden, and a vocabulary takes long.
    chunks = (range(at, min(at + _SOME, size)) for at in range(0, size, _SOME))
    forbids = any(_forbids(llama_cpp, sampler, chunk) for chunk in chunks)
    llama_cpp.llama_sampler_free(sampler)
    if not forbids:
        raise GrammarError(Code.GRAMMAR, "llama.cpp reads the grammar as no constraint")


def _forbids(llama_cpp: Any, sampler: Any, tokens: range) -> bool:
    """Say whether a grammar forbids one of these tokens as the first."""
    size = len(tokens)
    data = (llama_cpp.llama_token_data * size)(*[(token, 0.0, 0.0) for token in tokens])
    array = llama_cpp.llama_token_data_array(data=data, size=size, selected=-1, sorted=False)
    llama_cpp.llama_sampler_apply(sampler, ctypes.byref(array))
    return any(token.logit != 0.0 for token in data)


def generate(
    llm: Any,
    messages: Sequence[Mapping[str, str]],
    tools: ToolSet,
    *,
    max_tokens: int = 256,
    temperature: float = 0.0,
    seed: int = 0,
    **options: Unpack[Options],
) -> Generation:
    """Get what the model answers to a chat, as calls of `tools`.

    Raises `GrammarError` before anything is sampled if the constraint cannot be in force, and
    `DecodeError` for what a grammar leaves to the decoder; `IncompleteError` at `max_tokens`.
    """
    grammar = constraint(tools, llm, **options)
    completion = llm.create_chat_completion(
        messages=list(messages),
        grammar=grammar,
        max_tokens=max_tokens,
        temperature=temperature,
        seed=seed,
    )
    choice = completion["choices"][0]
    return Generation(
        text=choice["message"]["content"],
        calls=calls(completion, tools, tool_choice=options.get("tool_choice", "required")),
        sampled_tokens=completion["usage"]["completion_tokens"]
        + (choice["finish_reason"] == "stop"),  # usage leaves out the end of the turn
    )


def calls(
    completion: Mapping[str, Any], tools: ToolSet, *, tool_choice: ToolChoice = "required"
) -> list[Call]:
    """Get the calls in what `create_chat_completion` or `create_completion` returned."""
    choice = completion["choices"][0]
    text = choice["message"]["content"] if "message" in choice else choice["text"]
    cut = choice["finish_reason"] == "length"
    return read_completion(text, tools, cut=cut, tool_choice=tool_choice)
