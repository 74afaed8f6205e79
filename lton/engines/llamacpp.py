"""Run llama.cpp in this process through llama-cpp-python.

The binding parses a grammar only when it samples, and an invalid grammar crashes the process. So
each grammar is first tried on the model's vocabulary. A grammar that is empty or contains NUL would
constrain nothing, so it is refused.
"""

import ctypes
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Unpack

from lton._require import require
from lton.engines._reading import TokenReader, silencing_library
from lton.engines.engine import Chat, Engine, Pair
from lton.engines.generation import Generation, Spent, read_generation
from lton.engines.scoring import CachingScorer
from lton.engines.turns import tokenize_chat
from lton.errors import Code, GrammarError, LTONError
from lton.grammar.build import Options
from lton.grammar.emit import to_gbnf
from lton.schema.toolset import ToolSet

_GEMMA = "<start_of_turn>"
_GEMMA_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if not loop.previtem or loop.previtem.role != 'system' %}"
    "<start_of_turn>{{ 'model' if message.role == 'assistant' else 'user' }}\n{% endif %}"
    "{{ message.content }}{{ '\n\n' if message.role == 'system' else '<end_of_turn>\n' }}"
    "{% endfor %}{{ '<start_of_turn>model\n' }}"
)
"""The template of Gemma's turns, for base models whose files have its tokens but no template."""
_LIKELY = 64
"""The number of most likely tokens that are tried under a grammar before the whole vocabulary."""
_SOME = 512
"""The number of tokens that are tried at once to find one that a grammar forbids."""
_PIECE = 512
_STEP = 256
_TEMPLATES = 16
"""The maximum number of cached chat templates."""


def load(path: str | Path, *, context: int = 4096, threads: int = 1) -> Any:
    """Load a GGUF file as a `llama_cpp.Llama`.

    `context` is a number of tokens, rounded up to a multiple of 256. Raises `LTONError` if the file
    is missing or llama.cpp cannot load it.
    """
    context = -(-context // _STEP) * _STEP  # otherwise the context is larger than the binding knows
    library = require("llama_cpp", "local")
    if not Path(path).is_file():
        raise LTONError(Code.MODEL, f"no model file {str(path)!r}")
    options = {"n_ctx": context, "n_threads": threads, "n_threads_batch": threads}
    try:
        with silencing_library(library):
            return library.Llama(model_path=str(path), verbose=False, **options)
    except (ValueError, RuntimeError, OSError) as error:
        raise LTONError(Code.MODEL, f"llama.cpp cannot load {str(path)!r}: {error}") from error


def constraint(tools: ToolSet, llm: Any, **options: Unpack[Options]) -> Any:
    """Return the `LlamaGrammar` that lets a model write only a call to one of the tools.

    The options are those of `lton.grammar.to_gbnf`; the default form works best with models. Raises
    `GrammarError` if llama.cpp refuses the grammar.
    """
    gbnf = to_gbnf(tools, **options)
    check_grammar(gbnf, llm)
    return require("llama_cpp", "local").LlamaGrammar.from_string(gbnf, verbose=False)


def check_grammar(gbnf: str, llm: Any) -> None:
    """Raise `GrammarError` if llama.cpp rejects a grammar, or if the grammar allows every token.

    The grammar must parse, and forbid at least one first token. llama.cpp prints syntax errors on
    standard error.
    """
    library = require("llama_cpp", "local")
    numpy = require("numpy", "local")
    vocabulary = library.llama_model_get_vocab(llm.model)
    tokens = numpy.arange(library.llama_vocab_n_tokens(vocabulary))
    with _open_sampler(vocabulary, gbnf) as sampler:
        # Try chunks: the first usually has a forbidden token, and the whole vocabulary takes long.
        chunks = (tokens[at : at + _SOME] for at in range(0, len(tokens), _SOME))
        if not any(_apply_sampler(sampler, chunk, 0.0 * chunk).any() for chunk in chunks):
            raise GrammarError(Code.GRAMMAR, "the grammar constrains nothing in llama.cpp")


@contextmanager
def _open_sampler(vocabulary: Any, gbnf: str) -> Iterator[Any]:
    """Yield llama.cpp's sampler for a grammar. Raises `GrammarError` if llama.cpp refuses it."""
    library = require("llama_cpp", "local")
    sampler = None
    if gbnf.strip() and "\0" not in gbnf:
        sampler = library.llama_sampler_init_grammar(vocabulary, gbnf.encode(), b"root")
    if not sampler:
        raise GrammarError(Code.GRAMMAR, "llama.cpp refuses the grammar")
    try:
        yield sampler
    finally:
        library.llama_sampler_free(sampler)


def _apply_sampler(sampler: Any, tokens: Any, logits: Any) -> Any:
    library = require("llama_cpp", "local")
    numpy = require("numpy", "local")
    kind = numpy.dtype([("id", "int32"), ("logit", "float32"), ("p", "float32")], align=True)
    data = numpy.zeros(len(tokens), dtype=kind)
    data["id"] = tokens
    data["logit"] = logits
    pointer = data.ctypes.data_as(ctypes.POINTER(library.llama_token_data))
    array = library.llama_token_data_array(
        data=pointer, size=len(tokens), selected=-1, sorted=False
    )
    library.llama_sampler_apply(sampler, ctypes.byref(array))
    return data["logit"]


def complete(
    llm: Any,
    messages: Sequence[Mapping[str, str]],
    tools: ToolSet,
    *,
    max_tokens: int = 256,
    temperature: float = 0.0,
    seed: int = 0,
    **options: Unpack[Options],
) -> Generation:
    """Send a chat to a `llama_cpp.Llama` and return the tool calls in its answer.

    Raises `GrammarError` before sampling if the constraint cannot be applied, `DecodeError` for
    errors that the grammar cannot prevent, and `IncompleteError` at `max_tokens`.
    """
    grammar = constraint(tools, llm, **options)
    completion = llm.create_completion(
        LlamaEngine(llm).prompt(messages),
        grammar=grammar,
        logit_bias=dict.fromkeys(textless_tokens(llm).tolist(), -math.inf),
        max_tokens=max_tokens,
        temperature=temperature,
        seed=seed,
    )
    choice = completion["choices"][0]
    usage = completion["usage"]
    ended = choice["finish_reason"] == "stop"  # the usage does not count the end of the turn
    spent = Spent(prompt=usage["prompt_tokens"], sampled=usage["completion_tokens"] + ended)
    cut = choice["finish_reason"] == "length"
    return read_generation(choice["text"], tools, spent, cut=cut, **options)


def textless_tokens(llm: Any) -> Any:
    """Return an array of the special tokens without text, except those that end a turn.

    llama.cpp's grammars allow these tokens wherever their names may occur, such as inside a string.
    In the text they would be missing: `"12<filename>34"` would become `"1234"`.
    """
    array = vars(llm).get("_lton_textless")
    if array is None:
        library = require("llama_cpp", "local")
        numpy = require("numpy", "local")
        vocabulary = library.llama_model_get_vocab(llm.model)
        kinds = library.LLAMA_TOKEN_ATTR_CONTROL | library.LLAMA_TOKEN_ATTR_UNKNOWN
        tokens = [
            token
            for token in range(library.llama_vocab_n_tokens(vocabulary))
            if library.llama_vocab_get_attr(vocabulary, token) & kinds
            and not library.llama_vocab_is_eog(vocabulary, token)
        ]
        array = vars(llm)["_lton_textless"] = numpy.asarray(tokens, dtype="int32")
    return array


def tokenize(llm: Any, text: str, special: bool = False) -> list[int]:
    """Return the tokens of a string. With `special`, special tokens in it are recognized."""
    tokens: list[int] = llm.tokenize(text.encode(), add_bos=False, special=special)
    return tokens


class LlamaEngine(CachingScorer):
    """An engine for a `llama_cpp.Llama`. Temperature 0 is greedy; otherwise the seed decides.

    Scores are cached, and so are up to 256 MiB of the states after contexts. So if the tools stay
    the same, the model reads only the question.
    """

    def __init__(self, llm: Any, *, temperature: float = 0.0, seed: int = 0) -> None:
        super().__init__()
        self.llm = llm
        self.library = require("llama_cpp", "local")
        self.numpy = require("numpy", "local")
        self.vocabulary = self.library.llama_model_get_vocab(llm.model)
        self.size = self.library.llama_vocab_n_tokens(self.vocabulary)
        self.temperature = temperature
        self.random = self.numpy.random.default_rng(seed)
        self.pending: int | None = None
        """The last sampled token, which is read when the next token is needed."""
        self.before = self.numpy.empty(0, dtype="int32")
        """The tokens before the pending token."""
        self.reading = TokenReader(llm)
        self.known_scores = self.reading.memory.known_scores

    @property
    def read(self) -> int:
        return self.reading.read

    def prompt(self, messages: Chat) -> list[int]:
        template = self.llm.metadata.get("tokenizer.chat_template")
        if template is None:
            turns = len(self.llm.tokenize(_GEMMA.encode(), add_bos=False, special=True)) == 1
            template = _GEMMA_TEMPLATE if turns else ""

        def lay_out(messages: Sequence[Mapping[str, str]]) -> str:
            bos, eos = (
                self._text(get_token()) for get_token in (self.llm.token_bos, self.llm.token_eos)
            )
            text: str = _make_formatter(template, bos, eos)(messages=messages).prompt
            return text

        try:
            return tokenize_chat(
                messages, partial(_with_system, lay_out), partial(tokenize, self.llm)
            )
        except LTONError:
            raise
        except Exception as error:  # a template may raise any error
            msg = f"the model's template cannot render the chat: {error}"
            raise LTONError(Code.MODEL, msg) from error

    def _text(self, token: int) -> str:
        if token == -1:
            return ""
        text: bytes = self.library.llama_vocab_get_text(self.vocabulary, token)
        return text.decode()

    def tokenize(self, text: str) -> list[int]:
        return tokenize(self.llm, text)

    def feed(self, tokens: Sequence[int]) -> int:
        self.pending = None
        self.before = self.numpy.asarray(tokens, dtype="int32")
        return self.reading.feed(tokens)

    @property
    def identity(self) -> str:
        """The model's name, number of parameters, and size in bytes."""
        name = self.llm.metadata.get("general.name", "")
        parameters = self.library.llama_model_n_params(self.llm.model)
        return f"{name}/{parameters}/{self.library.llama_model_size(self.llm.model)}"

    def read_state(self, tokens: Sequence[int]) -> tuple[int, Sequence[float]]:
        read = self.feed(tokens[:-1])
        self.library.llama_set_embeddings(self.llm.ctx, True)
        try:
            read += self.feed(tokens)
            pointer = self.library.llama_get_embeddings_ith(self.llm.ctx, -1)
            size = self.library.llama_model_n_embd(self.llm.model)
            state: list[float] = self.numpy.ctypeslib.as_array(pointer, shape=(size,)).tolist()
        finally:
            self.library.llama_set_embeddings(self.llm.ctx, False)
        return read, state

    def constrain(self, gbnf: str) -> AbstractContextManager[Any]:
        return _open_sampler(self.vocabulary, gbnf)

    def sample(self, grammar: Any) -> bytes | None:
        self.advance()
        logits = self._logits(-1).copy()
        logits[textless_tokens(self.llm)] = -self.numpy.inf
        pick = self._greedy if self.temperature <= 0 else self._any
        token = self.pending = pick(grammar, logits)
        self.library.llama_sampler_accept(grammar, token)
        is_end = self.library.llama_vocab_is_eog(self.vocabulary, token)
        return None if is_end else self.piece(token)

    def advance(self) -> None:
        """Feed the last sampled token to the model, even if other engines have used it since."""
        if self.pending is not None:
            self.before = self.numpy.append(self.before, self.numpy.int32(self.pending))
            self.pending = None
        self.reading.feed(self.before.tolist())

    def compute_likelihoods(self, pairs: Sequence[Pair]) -> list[float]:
        before = self.reading.cache_state()
        try:
            return [self._score_text(context, text) for context, text in pairs]
        finally:
            self.reading.restore_common_start(before)
            self.reading.memory.states.pop(before, None)

    def _score_text(self, context: Sequence[int], text: Sequence[int]) -> float:
        if not text:
            return 0.0
        tokens = [*context, *text]
        start = len(context) - 1  # the last token before the text predicts the text's first token
        same = self.reading.restore_common_start(tokens[:start])
        if same < start:  # other texts may follow the same context
            self.reading.feed(tokens[:start])
            same = len(self.reading.cache_state())
        rows = self.reading.iterate_decoded_batches(tokens[same:-1], start)
        return sum(self._log_probability(row, token) for row, token in zip(rows, text, strict=True))

    def _log_probability(self, row: int, token: int) -> float:
        logits = self._logits(row)
        most = logits.max()
        others = self.numpy.exp(logits - most).sum(dtype="float64")
        return float(logits[token] - most) - math.log(others)

    def _logits(self, at: int) -> Any:
        pointer = self.library.llama_get_logits_ith(self.llm.ctx, at)
        return self.numpy.ctypeslib.as_array(pointer, shape=(self.size,))

    def pick(self, scores: Sequence[float]) -> int:
        weighed = self.numpy.asarray(scores)
        if self.temperature <= 0:
            return int(weighed.argmax())
        weights = self.numpy.exp((weighed - weighed.max()) / self.temperature)
        return int(self.random.choice(len(weights), p=weights / weights.sum()))

    def _greedy(self, grammar: Any, logits: Any) -> int:
        likely = self.numpy.argpartition(logits, -_LIKELY)[-_LIKELY:]
        for tokens in (likely, self.numpy.arange(self.size)):
            allowed = _apply_sampler(grammar, tokens, logits[tokens])
            best = int(allowed.argmax())
            if allowed[best] > -self.numpy.inf:
                return int(tokens[best])
        raise GrammarError(Code.GRAMMAR, "the grammar allows no token")

    def _any(self, grammar: Any, logits: Any) -> int:
        allowed = _apply_sampler(grammar, self.numpy.arange(self.size), logits).astype("float64")
        if allowed.max() == -self.numpy.inf:
            raise GrammarError(Code.GRAMMAR, "the grammar allows no token")
        return self.pick(allowed)

    def piece(self, token: int) -> bytes:
        buffer = ctypes.create_string_buffer(_PIECE)
        size = self.library.llama_token_to_piece(self.vocabulary, token, buffer, _PIECE, 0, False)
        return buffer.raw[: max(size, 0)]


def _with_system(
    lay_out: Callable[[Sequence[Mapping[str, str]]], str], messages: Sequence[Mapping[str, str]]
) -> str:
    """Render a chat, even if its template refuses system messages."""
    try:
        return lay_out(messages)
    except ValueError:  # raised by `raise_exception` in a template
        if len(messages) < 2 or [message["role"] for message in messages[:2]] != ["system", "user"]:
            raise
        system, user, *others = messages
        both = f"{system['content']}\n\n{user['content']}"
        return lay_out([{"role": "user", "content": both}, *others])


@lru_cache(_TEMPLATES)
def _make_formatter(template: str, bos: str, eos: str) -> Any:
    format_ = require("llama_cpp.llama_chat_format", "local")
    template = template or format_.CHATML_CHAT_TEMPLATE
    return format_.Jinja2ChatFormatter(template=template, bos_token=bos, eos_token=eos)


def engine_of(model: Any, *, temperature: float, seed: int) -> Engine:
    """Return an engine for a llama-cpp-python or Outlines model; return other engines unchanged."""
    llm = model if hasattr(model, "eval") else getattr(model, "model", None)
    if hasattr(llm, "eval"):
        return LlamaEngine(llm, temperature=temperature, seed=seed)
    engine: Engine = model
    return engine
