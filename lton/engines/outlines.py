"""Outlines, in front of a model of llama.cpp: its output types and generators, and the engine.

llguidance runs the grammars. Two traps are watched here. Outlines takes a Lark grammar that
llguidance cannot read and returns nothing, without an error; so the grammar is read first. And
llama-cpp-python swallows what a logits processor raises, which leaves the text unconstrained; so
the processor is watched.

For the engine each value, and each choice, is a stream of a generator. Outlines knows texts, so it
is given the whole text so far each time; llama.cpp finds in its cache what it has read of that. Two
ways that look simpler were not taken. A generator that is called, and not streamed, empties the
cache when it is done. And one that is made of a grammar makes a tokenizer each time, which takes
longer than most answers do; made of a logits processor it needs none.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from math import prod
from pathlib import Path
from random import Random
from typing import Any, Unpack

from lton._require import require
from lton._syntax import Thoughts
from lton.codec._thoughts import first_thought
from lton.engines import llamacpp
from lton.engines.engine import common
from lton.engines.generation import Generation, Spent, read_completion
from lton.engines.turns import disarmed
from lton.errors import Code, ContextFullError, GrammarError
from lton.grammar.build import Options, ToolChoice
from lton.grammar.emit import to_lark
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

_NO_FORCING = '%llguidance {"no_forcing": true}'
"""Else llguidance lets a text that is certain be written in one sequence of tokens only."""


def load(path: str | Path, *, context: int = 4096, threads: int = 1) -> Any:
    """Load a model file (GGUF) as an `outlines.models.LlamaCpp`.

    `context` is in tokens. Raises `LTONError` for a file that is not there, or that llama.cpp
    cannot load.
    """
    library = require("outlines", "local")
    return library.from_llamacpp(llamacpp.load(path, context=context, threads=threads))


def constraint(tools: ToolSet, **options: Unpack[Options]) -> Any:
    """Get the `outlines.types.CFG` of one call of `tools`.

    The options are those of `lton.grammar.to_lark`; by default a model writes the form that
    models do best. Raises `GrammarError` if llguidance, which runs it, refuses the grammar.
    """
    lark = to_lark(tools, **options)
    check_grammar(lark)
    return require("outlines.types", "local").CFG(lark)


def check_grammar(lark: str) -> None:
    """Raise `GrammarError` unless llguidance accepts the text as a Lark grammar."""
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
    """Get what a local Outlines model (`outlines.from_llamacpp(llm)`) answers, as calls of `tools`.

    Raises `GrammarError` if the constraint was not in force from the first token to the last,
    `DecodeError` for what a grammar leaves to the decoder, `IncompleteError` at `max_tokens`.
    """
    outlines = require("outlines", "local")
    cfg = constraint(tools, **options)
    generator = outlines.Generator(model, cfg, backend="llguidance")
    watched = generator.logits_processor = _Watched(generator.logits_processor)
    named = partial(llamacpp.tokenize, model.model)
    chat = outlines.inputs.Chat(disarmed(messages, named))
    text = generator(chat, max_tokens=max_tokens, temperature=temperature, seed=seed)
    watched.check()
    found = calls(
        text,
        tools,
        cut=watched.spent.sampled >= max_tokens,
        tool_choice=options.get("tool_choice", "required"),
        thoughts=(thoughts := options.get("thoughts", False)),
    )
    thought, at = first_thought(text, thoughts)
    return Generation(text=text[at:], thought=thought, calls=found, spent=watched.spent)


def calls(
    completion: str,
    tools: ToolSet,
    *,
    cut: bool = False,
    tool_choice: ToolChoice = "required",
    thoughts: Thoughts = False,
) -> list[Call]:
    """Get the calls in a text that Outlines returned; `cut` if the token limit ended it.

    Outlines does not say why a text ended: `complete` counts the tokens to know.
    """
    return read_completion(completion, tools, cut=cut, tool_choice=tool_choice, thoughts=thoughts)


class _Watched:
    """A logits processor that counts its steps and keeps the first error, which others swallow."""

    def __init__(self, processor: Any) -> None:
        self.processor = processor
        self.spent = Spent()
        self.error: Exception | None = None

    def reset(self) -> None:
        self.processor.reset()

    def check(self) -> None:
        """Raise `GrammarError` if the model wrote without the grammar."""
        if self.error or not self.spent.sampled:
            msg = "the grammar was not in force while the model wrote"
            raise GrammarError(Code.GRAMMAR, msg) from self.error

    def __call__(self, input_ids: Any, logits: Any) -> Any:
        # The first step comes after the prompt.
        prompt = self.spent.prompt or prod(input_ids.shape)
        self.spent = Spent(prompt=prompt, sampled=self.spent.sampled + 1)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # Outlines only warns when a matcher fails
                return self.processor(input_ids, logits)
        except Exception as error:
            self.error = self.error or error
            raise


class OutlinesEngine:
    """An `outlines.models.LlamaCpp`. Greedy at temperature 0; else the seed, and what is cached.

    The grammars, in GBNF, are read by llguidance, which Outlines runs for its own. Raises
    `GrammarError` for one that it refuses, or that was not in force, and `ContextFullError` where
    the context ends.

    Models of Transformers have no streams in Outlines, and so no guided generation.
    """

    def __init__(self, model: Any, *, temperature: float = 0.0, seed: int = 0) -> None:
        self.outlines = require("outlines", "local")
        if not isinstance(model, self.outlines.models.LlamaCpp):
            raise ValueError("only a model of llama.cpp can be guided through Outlines")
        backends = require("outlines.backends.llguidance", "local")
        self.llama = llamacpp.LlamaEngine(model.model)
        # The one that was given may take every text for what a user says in a chat.
        self.model = self.outlines.from_llamacpp(model.model, chat_mode=False)
        self.backend = backends.LLGuidanceBackend(self.model)
        self.options = {"temperature": temperature, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
        self.random = Random(seed)  # noqa: S311 - no secret; each stream gets a seed of its own
        self.text = ""
        self.left = 0
        """So many tokens the context has room for."""

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        # Outlines takes a text, in which what a content names could be read as a special token.
        return self.llama.prompt(disarmed(messages, partial(llamacpp.tokenize, self.llama.llm)))

    def tokenize(self, text: str) -> list[int]:
        return self.llama.tokenize(text)

    def feed(self, tokens: Sequence[int]) -> int:
        llm = self.llama.llm
        self.left = llm.n_ctx() - len(tokens)
        if self.left <= 0:
            raise _full()
        begins = tokens[:1] == [llm.token_bos()] and self.llama.begins_texts
        rest = tokens[1:] if begins else tokens  # llama-cpp-python begins every text so itself
        self.text = llm.detokenize(list(rest), special=True).decode()
        held = llm.input_ids[: llm.n_tokens].tolist()
        return len(tokens) - common(held, tokens[:-1])

    @contextmanager
    def constrain(self, gbnf: str) -> Iterator["_Stream"]:
        grammar = lark(gbnf)
        check_grammar(grammar)
        processor = _Watched(self.backend.get_cfg_logits_processor(grammar))
        generator = self.outlines.Generator(self.model, processor=processor)
        seed = self.random.getrandbits(32)
        pieces = generator.stream(self.text, max_tokens=self.left, seed=seed, **self.options)
        try:
            yield _Stream(pieces, processor, self.left)
        finally:
            pieces.close()

    def sample(self, grammar: "_Stream") -> bytes | None:
        return grammar.sample()


class _Stream:
    """The pieces of a stream as tokens: one that begins a character is kept until it is whole."""

    def __init__(self, pieces: Iterator[str], processor: _Watched, most: int) -> None:
        self.pieces = pieces
        self.processor = processor
        self.most = most
        self.taken = 0
        self.ready: list[bytes | None] = []

    def sample(self) -> bytes | None:
        if not self.ready:
            text = next(filter(None, self.pieces), "")
            self.processor.check()
            sampled = self.processor.spent.sampled
            if not text and sampled >= self.most:
                raise _full()
            new = sampled - self.taken
            self.taken += new
            self.ready = [*[b""] * (new - 1), text.encode() or None]
        return self.ready.pop(0)


def lark(gbnf: str) -> str:
    """Get a grammar as llguidance writes it in its own dialect."""
    module = require("llguidance.gbnf_to_lark", "local")
    try:
        text: str = module.gbnf_to_lark(gbnf)
    except Exception as error:  # it raises no other for a name that is not defined
        raise GrammarError(Code.GRAMMAR, f"llguidance refuses the grammar: {error}") from error
    return text.replace("%llguidance {}", _NO_FORCING, 1)


def _full() -> ContextFullError:
    return ContextFullError(Code.CONTEXT, "the context is full")
