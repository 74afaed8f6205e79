"""Answer many questions after one passage greedily, and read the passage only once.

llama.cpp's server also reads a prefix once, but answers the questions one by one. Here all
questions are sequences that share the cache of the passage, so each step is one batch for all
questions. On a CPU this is several times as fast. This module needs the C API of llama-cpp-python.
"""

from collections.abc import Sequence
from ctypes import create_string_buffer
from pathlib import Path
from typing import Any

import numpy as np

from lton_bench.internals import require

_CONTEXT = 10_240
_PIECE = 64


class BatchReader:
    """A model that answers up to `questions` questions about a passage at once."""

    def __init__(self, path: Path, *, questions: int = 12, threads: int = 1) -> None:
        self._api = api = require("llama_cpp", "local")
        api.llama_backend_init()
        model = api.llama_model_load_from_file(str(path).encode(), api.llama_model_default_params())
        options = api.llama_context_default_params()
        options.n_ctx = options.n_batch = _CONTEXT
        options.n_seq_max, options.kv_unified = questions + 1, True
        options.n_threads = options.n_threads_batch = threads
        self._context = api.llama_init_from_model(model, options)
        self._vocab = api.llama_model_get_vocab(model)
        self._size = api.llama_vocab_n_tokens(self._vocab)
        self._memory = api.llama_get_memory(self._context)
        self._batch = api.llama_batch_init(_CONTEXT, 0, 1)
        self._held: list[int] = []

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a string, in which special tokens are recognized."""
        data = text.encode()
        found = (self._api.llama_token * (len(data) + 8))()
        size = self._api.llama_tokenize(
            self._vocab, data, len(data), found, len(found), False, True
        )
        return list(found[:size])

    def ask(self, text: str, questions: Sequence[str], most: int) -> list[str]:
        """Return the first line of the answer to each question, with at most `most` tokens."""
        self._read(self.tokens(text))
        start = len(self._held)
        rows: list[tuple[int, int, int, bool]] = []
        live, ends = {}, {}
        for number, question in enumerate(questions, 1):
            self._api.llama_memory_seq_cp(self._memory, 0, number, -1, -1)
            asked = self.tokens(question)
            last = len(asked) - 1
            rows += [(token, start + at, number, at == last) for at, token in enumerate(asked)]
            live[number], ends[number] = len(rows) - 1, start + len(asked)
        said = dict.fromkeys(live, b"")
        for step in range(most):
            self._decode(rows)
            rows = []
            for number, at in live.items():
                token = self._best(at)
                piece = self._piece(token)
                is_over = self._api.llama_vocab_is_eog(self._vocab, token)
                if not is_over and not (b"\n" in piece and said[number].strip()):
                    said[number] += piece
                    rows.append((token, ends[number] + step, number, True))
            live = {number: at for at, (_, _, number, _) in enumerate(rows)}
            if not rows:
                break
        for number in said:
            self._api.llama_memory_seq_rm(self._memory, number, -1, -1)
        return [each.decode("utf-8", "replace").strip() for each in said.values()]

    def _read(self, tokens: list[int]) -> None:
        """Read tokens into the first sequence, and reuse the beginning that it already has."""
        known = 0
        for one, other in zip(tokens, self._held, strict=False):
            if one != other:
                break
            known += 1
        self._api.llama_memory_seq_rm(self._memory, 0, known, -1)
        if tokens[known:]:
            self._decode([(t, at, 0, False) for at, t in enumerate(tokens[known:], known)])
        self._held = tokens

    def _decode(self, rows: Sequence[tuple[int, int, int, bool]]) -> None:
        batch: Any = self._batch
        batch.n_tokens = len(rows)
        for at, (token, position, sequence, is_asked) in enumerate(rows):
            batch.token[at], batch.pos[at] = token, position
            batch.n_seq_id[at], batch.seq_id[at][0] = 1, sequence
            batch.logits[at] = is_asked
        if self._api.llama_decode(self._context, batch):
            raise RuntimeError("the context is full")

    def _best(self, at: int) -> int:
        logits = self._api.llama_get_logits_ith(self._context, at)
        return int(np.ctypeslib.as_array(logits, (self._size,)).argmax())

    def _piece(self, token: int) -> bytes:
        buffer = create_string_buffer(_PIECE)
        size = self._api.llama_token_to_piece(self._vocab, token, buffer, _PIECE, 0, False)
        return buffer.raw[:size]
