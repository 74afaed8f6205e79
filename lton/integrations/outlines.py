"""Outlines: tools to an output type, generations to calls, by way of llguidance.

Two traps are watched here. Outlines takes a Lark grammar that llguidance cannot read and returns
nothing, without an error; so the grammar is read first. And llama-cpp-python swallows what a
logits processor raises, which leaves the text unconstrained; so the processor is watched.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from lton._require import require
from lton.errors import Code, GrammarError
from lton.grammar import Options, ToolChoice, to_lark
from lton.integrations._generation import Generation, read_completion
from lton.schema.toolset import ToolSet
from lton.schema.types import Call


def constraint(tools: ToolSet, **options: Unpack[Options]) -> Any:
    """Get the `outlines.types.CFG` of one call of `tools`.

    The options are those of `lton.grammar.to_lark`; by default a model writes the form that
    models do best. Raises `GrammarError` if llguidance, which runs it, refuses the grammar.
    """
    lark = to_lark(tools, **options)
    check_grammar(lark)
    return require("outlines.types", "outlines").CFG(lark)


def check_grammar(lark: str) -> None:
    """Raise `GrammarError` unless llguidance accepts the text as a Lark grammar."""
    llguidance = require("llguidance", "outlines")
    grammar = llguidance.LLMatcher.grammar_from_lark(lark)
    problem = llguidance.LLMatcher.validate_grammar(grammar, llguidance.LLTokenizer("byte"))
    if problem:
        raise GrammarError(Code.GRAMMAR, f"llguidance refuses the grammar: {problem}")


def generate(
    model: Any,
    messages: Sequence[Mapping[str, str]],
    tools: ToolSet,
    *,
    max_tokens: int = 256,
    temperature: float = 0.0,
    seed: int = 0,
    **options: Unpack[Options],
) -> Generation:
    """Get what a local Outlines model (`outlines.from_llamacpp(llm)`) answers, as calls of `tools`.

    Raises `GrammarError` if the constraint was not in force from the first token to the last,
    `DecodeError` for what a grammar leaves to the decoder, `IncompleteError` at `max_tokens`.
    """
    outlines = require("outlines", "outlines")
    cfg = constraint(tools, **options)
    generator = outlines.Generator(model, cfg, backend="llguidance")
    watched = generator.logits_processor = Watched(generator.logits_processor)
    chat = outlines.inputs.Chat([dict(message) for message in messages])
    text = generator(chat, max_tokens=max_tokens, temperature=temperature, seed=seed)
    if watched.error or not watched.steps:
        msg = "the grammar was not in force while the model wrote"
        raise GrammarError(Code.GRAMMAR, msg) from watched.error
    found = calls(
        text,
        tools,
        cut=watched.steps >= max_tokens,
        tool_choice=options.get("tool_choice", "required"),
    )
    return Generation(text=text, calls=found, sampled_tokens=watched.steps)


def calls(
    completion: str, tools: ToolSet, *, cut: bool = False, tool_choice: ToolChoice = "required"
) -> list[Call]:
    """Get the calls in a text that Outlines returned; `cut` if the token limit ended it.

    Outlines does not say why a text ended: `generate` counts the tokens to know.
    """
    return read_completion(completion, tools, cut=cut, tool_choice=tool_choice)


class Watched:
    """A logits processor that counts its steps and keeps the first error, which others swallow."""

    def __init__(self, processor: Any) -> None:
        self.processor = processor
        self.steps = 0
        self.error: Exception | None = None

    def reset(self) -> None:
        self.processor.reset()

    def __call__(self, input_ids: Any, logits: Any) -> Any:
        self.steps += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # Outlines only warns when a matcher fails
                return self.processor(input_ids, logits)
        except Exception as error:
            self.error = self.error or error
            raise
