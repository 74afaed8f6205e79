"""Feed tokens to a `llama_cpp.Llama` and cache states of the model.

Only public functions of llama.cpp are used. A state is a copy of the model's cache after some
tokens. Restoring a state takes milliseconds, and reading the tokens again may take seconds.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_uint8
from dataclasses import dataclass, field
from typing import Any

from lton._require import require
from lton.engines.engine import FrozenPair, count_common_start
from lton.errors import Code, ContextFullError

_KEPT = 256 << 20
"""The maximum bytes of cached states."""


@contextmanager
def silencing_library(library: Any) -> Iterator[None]:
    """Suppress warnings that llama-cpp-python prints."""
    nothing = library.llama_log_callback(lambda *_: None)
    library.llama_log_set(nothing, None)
    try:
        yield
    finally:
        library.llama_log_set(library._logger.llama_log_callback, None)


@dataclass(slots=True)
class _Memory:
    states: dict[tuple[int, ...], Any] = field(default_factory=dict)
    """States by the tokens that were read, least recently used first."""
    known_scores: dict[FrozenPair, float] = field(default_factory=dict)
    """The cached likelihoods of texts after contexts."""
    is_fresh: bool = False
    """Whether the logits are those after the last token."""


class TokenReader:
    """Feeds tokens to a model, and caches the model's states."""

    def __init__(self, llm: Any) -> None:
        self.llm = llm
        self.library = require("llama_cpp", "local")
        self.memory: _Memory = vars(llm).setdefault("_lton_memory", _Memory())
        self.read = 0
        """The number of tokens that the model has read so far."""

    @property
    def size(self) -> int:
        """The size of the context in tokens, which llama.cpp rounds up to a multiple of 256."""
        size: int = min(self.llm.n_ctx(), len(self.llm.input_ids))
        return size

    def held_tokens(self) -> list[int]:
        tokens: list[int] = self.llm.input_ids[: self.llm.n_tokens].tolist()
        return tokens

    def restore_common_start(self, tokens: Sequence[int]) -> int:
        """Restore the state that shares the longest prefix with `tokens`. Return its length."""
        states = self.memory.states
        target = tuple(tokens)
        same = count_common_start(self.held_tokens(), target)
        prefix = max((key for key in states if target[: len(key)] == key), key=len, default=())
        if len(prefix) > same:
            state = states[prefix] = states.pop(prefix)
            self._hold_tokens(0)
            if self.library.llama_state_seq_set_data(self.llm.ctx, state, len(state), 0):
                self.llm.input_ids[: len(prefix)] = prefix
                same = self.llm.n_tokens = len(prefix)
            else:
                same = 0
        self._hold_tokens(same)
        return same

    def _hold_tokens(self, count: int) -> None:
        if count < self.llm.n_tokens:
            self.memory.is_fresh = False
            self.llm.n_tokens = count

    def cache_state(self, most: int = _KEPT) -> tuple[int, ...]:
        """Cache the state of the model and return the tokens read so far."""
        states = self.memory.states
        tokens = tuple(self.held_tokens())
        size = self.library.llama_state_seq_get_size(self.llm.ctx, 0)
        for key in [key for key in states if tokens[: len(key)] == key]:  # a continuation
            del states[key]
        state = (c_uint8 * size)()
        if self.library.llama_state_seq_get_data(self.llm.ctx, state, size, 0):
            states[tokens] = state
        while states and sum(map(len, states.values())) > most:
            del states[next(iter(states))]
        return tokens

    def feed(self, tokens: Sequence[int]) -> int:
        """Feed the model the tokens that it has not read yet, and return their number."""
        same = self.restore_common_start(tokens)
        if same == len(tokens) and not self.memory.is_fresh:  # the last token computes the logits
            same -= 1
            self._hold_tokens(same)
        for _ in self.iterate_decoded_batches(tokens[same:], len(tokens)):
            pass
        return len(tokens) - same

    def iterate_decoded_batches(self, tokens: Sequence[int], start: int) -> Iterator[int]:
        """Feed tokens to the model. Yield, for each token from `start` on, the index of its logits.

        The last token always has logits. Raises `ContextFullError` if the tokens do not fit.
        """
        llm = self.llm
        library = self.library
        position = self.llm.n_tokens
        if position + len(tokens) > self.size:
            raise ContextFullError(Code.CONTEXT, f"the context of {self.size} tokens is full")
        batch = library.llama_batch_init(llm.n_batch, 0, 1)
        try:
            for begin in range(0, len(tokens), llm.n_batch):
                piece = tokens[begin : begin + llm.n_batch]
                # Remove the tokens of an interrupted call, which follow the current tokens.
                library.llama_memory_seq_rm(library.llama_get_memory(llm.ctx), 0, position, -1)
                batch.n_tokens = len(piece)
                last = len(piece) - 1
                for row, token in enumerate(piece):
                    batch.token[row] = token
                    batch.pos[row] = position + row
                    batch.n_seq_id[row] = 1
                    batch.seq_id[row][0] = 0
                    batch.logits[row] = position + row >= start or row == last
                self.memory.is_fresh = False
                if failed := library.llama_decode(llm.ctx, batch):
                    msg = f"llama.cpp has no room for {len(piece)} more tokens: {failed}"
                    raise ContextFullError(Code.CONTEXT, msg)
                llm.input_ids[position : position + len(piece)] = piece
                position = llm.n_tokens = position + len(piece)
                self.memory.is_fresh = True
                self.read = self.read + len(piece)
                yield from (
                    row for row in range(len(piece)) if position - len(piece) + row >= start
                )
        finally:
            library.llama_batch_free(batch)
