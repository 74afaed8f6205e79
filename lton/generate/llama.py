"""llama.cpp in this process, as an engine."""

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lton._require import require
from lton.errors import Code, GrammarError, LTONError
from lton.generate.engine import Engine, common
from lton.generate.sequences import SEQUENCES, Sequences

_GEMMA = "<start_of_turn>"
_GEMMA_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if not loop.previtem or loop.previtem.role != 'system' %}"
    "<start_of_turn>{{ 'model' if message.role == 'assistant' else 'user' }}\n{% endif %}"
    "{{ message.content }}{{ '\n\n' if message.role == 'system' else '<end_of_turn>\n' }}"
    "{% endfor %}{{ '<start_of_turn>model\n' }}"
)
"""Gemma's turns, for its base models: their files carry the tokens, but no template."""
_LIKELY = 64
"""So many of the likeliest tokens are put to a grammar before the whole vocabulary is."""
_PIECE = 512


def load(path: str | Path, *, context: int = 4096, threads: int = 1) -> Any:
    """Load a model file (GGUF) as a `llama_cpp.Llama`, with room to weigh choices side by side.

    Raises `LTONError` for a file that is not there, or that llama.cpp cannot load.
    """
    library = require("llama_cpp", "llamacpp")
    if not Path(path).is_file():
        raise LTONError(Code.MODEL, f"no model file {str(path)!r}")
    options = {"n_ctx": context, "n_threads": threads, "n_threads_batch": threads}
    try:
        with _silent(library):
            llm = library.Llama(model_path=str(path), verbose=False, **options)
            # `Llama` has no option for several sequences: its context is made again.
            llm._ctx.close()
            llm.context_params.n_seq_max, llm.context_params.kv_unified = SEQUENCES, True
            llm._ctx = type(llm._ctx)(model=llm._model, params=llm.context_params, verbose=False)
            return llm
    except (ValueError, RuntimeError, OSError) as error:
        raise LTONError(Code.MODEL, f"llama.cpp cannot load {str(path)!r}: {error}") from error


@contextmanager
def _silent(library: Any) -> Iterator[None]:
    """Keep warnings off the screen, which llama-cpp-python 0.3.36 prints as if they were errors."""
    nothing = library.llama_log_callback(lambda *_: None)
    library.llama_log_set(nothing, None)
    try:
        yield
    finally:
        library.llama_log_set(library._logger.llama_log_callback, None)


class LlamaEngine:
    """A `llama_cpp.Llama`. Greedy at temperature 0; else the seed decides."""

    def __init__(self, llm: Any, *, temperature: float = 0.0, seed: int = 0) -> None:
        self.llm = llm
        self.library = require("llama_cpp", "llamacpp")
        self.numpy = require("numpy", "llamacpp")
        self.vocabulary = self.library.llama_model_get_vocab(llm.model)
        self.size = self.library.llama_vocab_n_tokens(self.vocabulary)
        self.temperature = temperature
        self.random = self.numpy.random.default_rng(seed)
        self.pending: int | None = None
        """The token that was sampled last: it is read when another is wanted."""
        self.sequences = Sequences(llm, self._logits)

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        format_ = require("llama_cpp.llama_chat_format", "llamacpp")
        template = self.llm.metadata.get("tokenizer.chat_template")
        if template is None:
            turns = len(self.llm.tokenize(_GEMMA.encode(), add_bos=False, special=True)) == 1
            template = _GEMMA_TEMPLATE if turns else format_.CHATML_CHAT_TEMPLATE
        bos, eos = self.llm.token_bos(), self.llm.token_eos()
        text = self.llm._model.token_get_text
        chat = format_.Jinja2ChatFormatter(
            template=template,
            bos_token=text(bos) if bos != -1 else "",
            eos_token=text(eos) if eos != -1 else "",
        )
        response = chat(messages=list(messages))
        tokens: list[int] = self.llm.tokenize(
            response.prompt.encode(), add_bos=not response.added_special, special=True
        )
        return tokens

    def tokenize(self, text: str) -> list[int]:
        tokens: list[int] = self.llm.tokenize(text.encode(), add_bos=False, special=False)
        return tokens

    def feed(self, tokens: Sequence[int]) -> int:
        self.pending = None
        held = self.sequences.held()
        same = common(held, tokens)
        # The last is always read again unless it is where the model stands: it makes the logits.
        if same == len(tokens) and (same < len(held) or self.sequences.beside.is_stale):
            same -= 1
        self._read(tokens[same:], same)
        return len(tokens) - same

    def _read(self, tokens: Sequence[int], at: int) -> None:
        self.sequences.make_room(at, at + len(tokens))
        self.llm.n_tokens = at  # `eval` forgets what stands behind
        if tokens:
            self.llm.eval(tokens)
            self.sequences.beside.is_stale = False

    @contextmanager
    def constrain(self, gbnf: str) -> Iterator[Any]:
        sampler = self.library.llama_sampler_init_grammar(self.vocabulary, gbnf.encode(), b"root")
        if not sampler:
            raise GrammarError(Code.GRAMMAR, "llama.cpp refuses the grammar")
        try:
            yield sampler
        finally:
            self.library.llama_sampler_free(sampler)

    def sample(self, grammar: Any) -> bytes | None:
        if self.pending is not None:
            self._read([self.pending], self.llm.n_tokens)
        logits = self._logits(-1)
        token = (
            self._greedy(grammar, logits) if self.temperature <= 0 else self._any(grammar, logits)
        )
        self.library.llama_sampler_accept(grammar, token)
        self.pending = token
        return (
            None if self.library.llama_vocab_is_eog(self.vocabulary, token) else self.piece(token)
        )

    def score(
        self, tokens: Sequence[int], texts: Sequence[Sequence[int]], *, aside: bool = False
    ) -> tuple[int, list[float]]:
        """Get how many tokens were read, and how likely each text is to follow, as a logarithm.

        The model stands behind `tokens` then, or where it stood if it read them aside. That, and to
        read all texts in one pass, takes a model that `load` loaded, and room in its context; else
        one is read after the other, in the place of what was read before. No text is empty.
        """
        self.pending = None
        return self.sequences.score(tokens, texts, aside=aside)

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
        for some in (likely, self.numpy.arange(self.size)):
            left = self._allowed(grammar, some, logits[some])
            best = int(left.argmax())
            if left[best] > -self.numpy.inf:
                return int(some[best])
        raise GrammarError(Code.GRAMMAR, "the grammar allows no token")

    def _any(self, grammar: Any, logits: Any) -> int:
        left = self._allowed(grammar, self.numpy.arange(self.size), logits).astype("float64")
        if left.max() == -self.numpy.inf:
            raise GrammarError(Code.GRAMMAR, "the grammar allows no token")
        return self.pick(left)

    def _allowed(self, grammar: Any, tokens: Any, logits: Any) -> Any:
        """Get the logits, with minus infinity for what the grammar forbids."""
        kind = self.numpy.dtype(
            [("id", "int32"), ("logit", "float32"), ("p", "float32")], align=True
        )
        data = self.numpy.zeros(len(tokens), dtype=kind)
        data["id"], data["logit"] = tokens, logits
        pointer = data.ctypes.data_as(ctypes.POINTER(self.library.llama_token_data))
        array = self.library.llama_token_data_array(
            data=pointer, size=len(tokens), selected=-1, sorted=False
        )
        self.library.llama_sampler_apply(grammar, ctypes.byref(array))
        return data["logit"]

    def piece(self, token: int) -> bytes:
        """Get the bytes of a token."""
        buffer = ctypes.create_string_buffer(_PIECE)
        size = self.library.llama_token_to_piece(self.vocabulary, token, buffer, _PIECE, 0, False)
        return buffer.raw[: max(size, 0)]


def engine_of(model: Any, *, temperature: float, seed: int) -> Engine:
    """Get the engine of a model, which is a `llama_cpp.Llama` or an engine already."""
    if not hasattr(model, "eval"):
        engine: Engine = model
        return engine
    return LlamaEngine(model, temperature=temperature, seed=seed)
