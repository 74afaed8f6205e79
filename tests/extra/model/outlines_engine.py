"""Generate calls through Outlines, in which llguidance runs the grammars without scores.

The engine shows the results of guided generation without log-probabilities. Each value and each
choice is a stream of a generator. Outlines takes strings, so it gets the whole prompt each time,
and llama.cpp reuses its cache. Two simpler methods do not work: a generator that is called without
streaming empties the cache at its end, and a generator for a grammar builds a new tokenizer each
time, which takes longer than most answers.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from random import Random
from typing import Any

from lton.engines import llamacpp
from lton.engines.engine import count_common_start
from lton.engines.outlines import Watched, check_grammar
from lton.engines.turns import disarm_special_names
from lton.errors import Code, ContextFullError, GrammarError
from lton_bench.internals import require

_NO_FORCING = '%llguidance {"no_forcing": true}'
"""Otherwise llguidance allows only one sequence of tokens for a string that is certain."""


class OutlinesEngine:
    """An `outlines.models.LlamaCpp`, which is greedy at temperature 0.

    llguidance, which Outlines uses, reads the grammars in GBNF. Raises `GrammarError` for a grammar
    that is refused or was not applied, and `ContextFullError` if the context is full.

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
        library = require("llama_cpp", "local")
        # llama-cpp-python begins every text with that token itself.
        self.begins_texts = bool(library.llama_vocab_get_add_bos(self.llama.vocabulary))
        self.options = {"temperature": temperature, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
        self.random = Random(seed)
        self.text = ""
        self.left = 0
        """The size of the context in tokens."""

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        # Outlines takes a text, in which what a content names could be read as a special token.
        return self.llama.prompt(
            disarm_special_names(messages, partial(llamacpp.tokenize, self.llama.llm))
        )

    def tokenize(self, text: str) -> list[int]:
        return self.llama.tokenize(text)

    def feed(self, tokens: Sequence[int]) -> int:
        llm = self.llama.llm
        self.left = llm.n_ctx() - len(tokens)
        if self.left <= 0:
            raise _full()
        begins = tokens[:1] == [llm.token_bos()] and self.begins_texts
        tokens_of_text = tokens[1:] if begins else tokens
        self.text = llm.detokenize(list(tokens_of_text), special=True).decode()
        held_tokens = llm.input_ids[: llm.n_tokens].tolist()
        return len(tokens) - count_common_start(held_tokens, tokens[:-1])

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
    """The pieces of a stream as tokens; an incomplete character is kept until it is complete."""

    def __init__(self, pieces: Iterator[str], processor: Watched, most: int) -> None:
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
    """Return a grammar in llguidance's dialect."""
    module = require("llguidance.gbnf_to_lark", "local")
    try:
        text: str = module.gbnf_to_lark(gbnf)
    except Exception as error:  # it raises no other for a name that is not defined
        raise GrammarError(Code.GRAMMAR, f"llguidance refuses the grammar: {error}") from error
    return text.replace("%llguidance {}", _NO_FORCING, 1)


def _full() -> ContextFullError:
    return ContextFullError(Code.CONTEXT, "the context is full")
