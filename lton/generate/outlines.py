"""Outlines as an engine: each value, and each choice, is a stream of one of its generators.

Outlines knows texts, so it is given the whole text so far each time; llama.cpp finds in its cache
what it has read of that. Two ways that look simpler were not taken. A generator that is called, and
not streamed, empties the cache when it is done. And one that is made of a grammar makes a tokenizer
each time, which takes longer than most answers do; made of a logits processor it needs none.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

from lton._require import require
from lton.errors import Code, GrammarError, IncompleteError
from lton.generate.engine import common
from lton.generate.llama import LlamaEngine
from lton.integrations.outlines import Watched, check_grammar

_NO_FORCING = '%llguidance {"no_forcing": true}'
"""Else llguidance lets a text that is certain be written in one sequence of tokens only."""


class OutlinesEngine:
    """An `outlines.models.LlamaCpp`. Greedy at temperature 0; else the seed, and what is cached.

    The grammars, in GBNF, are read by llguidance, which Outlines runs for its own. Raises
    `GrammarError` for one that it refuses, or that was not in force, and `IncompleteError` where
    the context ends.

    Models of Transformers have no streams in Outlines, and so no guided generation.
    """

    def __init__(self, model: Any, *, temperature: float = 0.0, seed: int = 0) -> None:
        self.outlines = require("outlines", "outlines")
        if not isinstance(model, self.outlines.models.LlamaCpp):
            raise ValueError("only a model of llama.cpp can be guided through Outlines")
        backends = require("outlines.backends.llguidance", "outlines")
        self.llama = LlamaEngine(model.model)
        # The one that was given may take every text for what a user says in a chat.
        self.model = self.outlines.from_llamacpp(model.model, chat_mode=False)
        self.backend = backends.LLGuidanceBackend(self.model)
        self.options = {"temperature": temperature, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
        self.random = Random(seed)  # noqa: S311 - no secret; each stream gets a seed of its own
        self.text = ""
        self.left = 0
        """So many tokens the context has room for."""

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        return self.llama.prompt(messages)

    def tokenize(self, text: str) -> list[int]:
        return self.llama.tokenize(text)

    def feed(self, tokens: Sequence[int]) -> int:
        llm = self.llama.llm
        self.left = llm.n_ctx() - len(tokens)
        if self.left <= 0:
            raise _full()
        begins = tokens[:1] == [llm.token_bos()] and llm._model.add_bos_token()
        rest = tokens[1:] if begins else tokens  # llama-cpp-python begins every text so itself
        self.text = llm.detokenize(list(rest), special=True).decode()
        held = llm.input_ids[: llm.n_tokens].tolist()
        return len(tokens) - common(held, tokens[:-1])

    @contextmanager
    def constrain(self, gbnf: str) -> Iterator["_Stream"]:
        grammar = lark(gbnf)
        check_grammar(grammar)
        processor = Watched(self.backend.get_cfg_logits_processor(grammar))
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

    def __init__(self, pieces: Iterator[str], processor: Watched, most: int) -> None:
        self.pieces = pieces
        self.processor = processor
        self.most = most
        self.taken = 0
        self.ready: list[bytes | None] = []

    def sample(self) -> bytes | None:
        if not self.ready:
            text = next(filter(None, self.pieces), "")
            if self.processor.error or not self.processor.steps:
                msg = "the grammar was not in force while the model wrote"
                raise GrammarError(Code.GRAMMAR, msg) from self.processor.error
            if not text and self.processor.steps >= self.most:
                raise _full()
            new = self.processor.steps - self.taken
            self.taken += new
            self.ready = [*[b""] * (new - 1), text.encode() or None]
        return self.ready.pop(0)


def lark(gbnf: str) -> str:
    """Get a grammar as llguidance writes it in its own dialect."""
    module = require("llguidance.gbnf_to_lark", "outlines")
    try:
        text: str = module.gbnf_to_lark(gbnf)
    except Exception as error:  # it raises no other for a name that is not defined
        raise GrammarError(Code.GRAMMAR, f"llguidance refuses the grammar: {error}") from error
    return text.replace("%llguidance {}", _NO_FORCING, 1)


def _full() -> IncompleteError:
    return IncompleteError(Code.INCOMPLETE, "the context is full", doc="", pos=0)
