"""Constrain a llama.cpp model with Outlines, which uses llguidance.

If llguidance cannot read a Lark grammar, Outlines generates nothing and raises no error. So the
grammar is checked first. llama-cpp-python ignores exceptions of a logits processor, and then
generates unconstrained text. So this module records the processor's errors.
"""

import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from math import prod
from pathlib import Path
from typing import Any, Unpack

from lton._require import require
from lton.engines import llamacpp
from lton.engines.generation import Generation, Spent, read_generation
from lton.engines.turns import disarm_special_names
from lton.errors import Code, GrammarError
from lton.grammar.build import Options
from lton.grammar.emit import to_lark
from lton.schema.toolset import ToolSet


def load(path: str | Path, *, context: int = 4096, threads: int = 1) -> Any:
    """Load a GGUF file as an `outlines.models.LlamaCpp`.

    `context` is a number of tokens. Raises `LTONError` if the file is missing or llama.cpp cannot
    load it.
    """
    library = require("outlines", "local")
    return library.from_llamacpp(llamacpp.load(path, context=context, threads=threads))


def constraint(tools: ToolSet, **options: Unpack[Options]) -> Any:
    """Return the `outlines.types.CFG` that lets a model write only a call to one of the tools.

    The options are those of `lton.grammar.to_lark`; the default form works best with models. Raises
    `GrammarError` if llguidance refuses the grammar.
    """
    lark = to_lark(tools, **options)
    check_grammar(lark)
    return require("outlines.types", "local").CFG(lark)


def check_grammar(lark: str) -> None:
    """Raise `GrammarError` if llguidance rejects a Lark grammar."""
    llguidance = require("llguidance", "local")
    grammar = llguidance.LLMatcher.grammar_from_lark(lark)
    problem = llguidance.LLMatcher.validate_grammar(grammar, llguidance.LLTokenizer("byte"))
    if problem:
        raise GrammarError(Code.GRAMMAR, f"llguidance refuses the grammar: {problem}")


def complete(
    model: Any,
    messages: Sequence[Mapping[str, str]],
    tools: ToolSet,
    *,
    max_tokens: int = 256,
    temperature: float = 0.0,
    seed: int = 0,
    **options: Unpack[Options],
) -> Generation:
    """Send a chat to an Outlines model and return the tool calls in its answer.

    Raises `GrammarError` if the constraint was not applied to the whole answer, `DecodeError` for
    errors that the grammar cannot prevent, and `IncompleteError` at `max_tokens`.
    """
    outlines = require("outlines", "local")
    cfg = constraint(tools, **options)
    generator = outlines.Generator(model, cfg, backend="llguidance")
    watched = generator.logits_processor = Watched(generator.logits_processor)
    named = partial(llamacpp.tokenize, model.model)
    chat = outlines.inputs.Chat(disarm_special_names(messages, named))
    text = generator(chat, max_tokens=max_tokens, temperature=temperature, seed=seed)
    watched.check()
    cut = watched.spent.sampled >= max_tokens
    return read_generation(text, tools, watched.spent, cut=cut, **options)


class Watched:
    """A logits processor that counts its steps, and keeps its first error."""

    def __init__(self, processor: Any) -> None:
        self.processor = processor
        self.spent = Spent()
        self.error: Exception | None = None

    def reset(self) -> None:
        self.processor.reset()

    def check(self) -> None:
        """Raise `GrammarError` unless the grammar constrained the whole answer."""
        if self.error or not self.spent.sampled:
            msg = "the grammar did not constrain the model"
            raise GrammarError(Code.GRAMMAR, msg) from self.error

    def __call__(self, input_ids: Any, logits: Any) -> Any:
        # The first step follows the prompt.
        prompt = self.spent.prompt or prod(input_ids.shape)
        self.spent = Spent(prompt=prompt, sampled=self.spent.sampled + 1)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # Outlines only warns when a matcher fails
                return self.processor(input_ids, logits)
        except Exception as error:
            self.error = self.error or error
            raise
