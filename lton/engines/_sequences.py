"""The sequences of a llama.cpp context: the answer's, and those that are read beside it.

Sequences share the cells of what they begin with. So texts that are to be compared are read in one
pass, each in a sequence of its own, and none is read again when the answer goes on.

llama-cpp-python (0.3.36, which is pinned) has no interface for that. What this package uses of its
private attributes is in this module, and nowhere else.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from ctypes import c_uint8
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import accumulate
from math import inf
from typing import Any

from lton._require import require
from lton.engines.engine import common
from lton.errors import Code, ContextFullError

_MAIN, _ASIDE, _TEXTS = 0, 1, 2
SEQUENCES = _TEXTS + 32
"""The answer's, one for what is read aside, and one for each text that is compared."""
_TOGETHER = 24
"""So many tokens of texts are read in one pass, if a text that cannot win need not be read."""
_KNOWN = 256
"""So many scores of what was read aside are kept."""
_KEPT = 256 << 20
"""Bytes of states that are kept."""


def widen(llm: Any) -> Any:
    """Give a `llama_cpp.Llama` room for so many sequences; get it again."""
    # `Llama` has no option for that: its context is made again.
    llm._ctx.close()
    llm.context_params.n_seq_max, llm.context_params.kv_unified = SEQUENCES, True
    beside = vars(llm)["_lton_beside"] = _Beside()
    context = _yielding(type(llm._ctx), beside)
    llm._ctx = context(model=llm._model, params=llm.context_params, verbose=False)
    return llm


def _yielding(base: Any, beside: "_Beside") -> Any:
    """Get a class of contexts in which what was read aside gives way to what others read."""
    library = require("llama_cpp", "local")

    def decode(context: Any, batch: Any) -> None:
        if beside.aside:
            try:
                with silent(library):
                    base.decode(context, batch)
            except RuntimeError:
                context.kv_cache_seq_rm(_ASIDE, 0, -1)
                beside.forget()
            else:
                return
        base.decode(context, batch)

    return type(base.__name__, (base,), {"decode": decode})


@contextmanager
def silent(library: Any) -> Iterator[None]:
    """Keep warnings off the screen, which llama-cpp-python prints as if they were errors."""
    nothing = library.llama_log_callback(lambda *_: None)
    library.llama_log_set(nothing, None)
    try:
        yield
    finally:
        library.llama_log_set(library._logger.llama_log_callback, None)


@dataclass(slots=True)
class _Row:
    """A token to be read at a place in some sequences.

    `foretells` are the texts whose next token comes after it, by index, and those tokens.
    """

    token: int
    at: int
    sequences: Collection[int]
    foretells: Sequence[tuple[int, int]] = ()


@dataclass(slots=True)
class _Beside:
    """What is in a context beside the answer, whoever read it: engines share a model."""

    aside: list[int] = field(default_factory=list)
    """What was read aside; so much of it is `shared` with the answer."""
    shared: int = 0
    is_stale: bool = True
    """The logits are not known to be those after the answer."""
    known: dict[bytes, list[float]] = field(default_factory=dict)
    """Scores by what was read aside for them: agents ask the same tools again and again."""
    reader: object = None
    """Which engine has read or sampled last."""
    states: dict[bytes, Any] = field(default_factory=dict)
    """What the model is in after the beginnings of prompts."""
    prompts: dict[int, Sequence[int]] = field(default_factory=dict)
    """Prompts that were read side by side, by their sequences, up to where one is settled on."""

    def forget(self) -> None:
        """Forget what was read aside."""
        self.aside, self.shared = [], 0


class Sequences:
    """What is read beside the answer of a `llama_cpp.Llama`; `logits` gets those of a row."""

    def __init__(self, llm: Any, logits: Callable[[int], Any]) -> None:
        self.llm = llm
        self.logits = logits
        self.numpy = require("numpy", "local")
        self.library = require("llama_cpp", "local")
        self.wide = self.library.llama_n_seq_max(llm.ctx) >= SEQUENCES
        self.beside: _Beside = vars(llm).setdefault("_lton_beside", _Beside())

    @property
    def size(self) -> int:
        """The tokens that there is room for: llama.cpp has a multiple of 256, the binding not."""
        size: int = min(self.llm.n_ctx(), len(self.llm.input_ids))
        return size

    def held(self) -> list[int]:
        """Get the tokens that are in the answer's sequence."""
        tokens: list[int] = self.llm.input_ids[: self.llm.n_tokens].tolist()
        return tokens

    def make_room(self, at: int, end: int) -> None:
        """Let the answer be read from one place to another.

        What was read aside is forgotten if it would not fit beside that, or if it shares what is
        read anew. Raises `ContextFullError` if the context is too small for the answer alone.
        """
        size = self.size
        if end > size:
            raise ContextFullError(Code.CONTEXT, f"the context of {size} tokens is full")
        beside = self.beside
        if at < beside.shared or end + len(beside.aside) - beside.shared > size:
            self._forget()

    def score(
        self,
        tokens: Sequence[int],
        texts: Sequence[Sequence[int]],
        *,
        aside: bool,
        less: Sequence[float] | None = None,
    ) -> tuple[int, list[float]]:
        """Get how many tokens were read, and the logarithm of each text's probability.

        With `less` a text that cannot be the likeliest less that is not read to its end, and what
        was read of it is its score; the likeliest is kept, for the answer goes on with it.
        """
        if not aside:
            with self._whole():
                return self._score(tokens, texts, aside=False, less=less)
        key, known = sha256(repr((tokens, texts)).encode()).digest(), self.beside.known
        if key in known:
            known[key] = known.pop(key)  # the last to be forgotten
            return 0, known[key]
        with self._whole():
            read, known[key] = self._score(tokens, texts, aside=True, less=None)
        if len(known) > _KNOWN:
            del known[next(iter(known))]
        return read, known[key]

    def _score(
        self,
        tokens: Sequence[int],
        texts: Sequence[Sequence[int]],
        *,
        aside: bool,
        less: Sequence[float] | None,
    ) -> tuple[int, list[float]]:
        after, found = len(tokens), [0.0] * len(texts)
        first = [(index, text[0]) for index, text in enumerate(texts)]
        is_read = not (aside or self.beside.is_stale) and self.held() == [*tokens]
        if is_read:
            self._add(-1, first, found)
        self.beside.is_stale = True
        main, own, at = self._enter(tokens, texts, aside=aside, is_read=is_read)
        groups = (
            (range(len(texts))[rank : rank + len(own)] for rank in range(0, len(texts), len(own)))
            if less is None
            else _likeliest(texts, found, less, len(own), is_read=is_read)
        )
        read, best = 0, -1
        whole = [index for index, text in enumerate(texts) if len(text) == 1]
        for group in groups:
            some = dict(zip(group, own, strict=False))
            both = {main, *some.values()}
            rows = [_Row(token, place, both) for place, token in enumerate(tokens[at:], at)]
            if rows:  # with the first of the texts
                rows[-1].foretells = first
            for index, sequence in some.items():
                if sequence != main:
                    self.llm._ctx.kv_cache_seq_cp(main, sequence, 0, at)
                pairs = zip(texts[index], texts[index][1:], strict=False)
                for place, (token, then) in enumerate(pairs, after):
                    rows.append(_Row(token, place, [sequence], [(index, then)]))
            self._read(rows, found)
            read, at = read + len(rows), after
            whole += group
            if less is not None and len(own) > 1 and whole:
                best = max(whole, key=lambda index: found[index] - less[index])
            self._leave(main, some, best, after)
        if main == _MAIN:
            held = [*tokens, *texts[best][:-1]] if best >= 0 else tokens
            self.llm.input_ids[: len(held)] = held
            self.llm.n_tokens = len(held)
        return read, found

    def foretell(
        self, prompts: Sequence[tuple[Sequence[int], int]], *, aside: bool
    ) -> tuple[int, list[float]]:
        """Get how many tokens were read, and the logarithm of how likely each makes its own rest.

        What was read is there until it is settled which of them the answer is to, if any.
        """
        with self._whole():
            return self._foretell(prompts, aside=aside)

    def _foretell(
        self, prompts: Sequence[tuple[Sequence[int], int]], *, aside: bool
    ) -> tuple[int, list[float]]:
        read, found = 0, [0.0] * len(prompts)
        if not aside:
            self.llm.n_tokens = common(self.held(), *[tokens for tokens, _ in prompts])
            self._forget()
            self.llm._ctx.kv_cache_seq_rm(_MAIN, self.llm.n_tokens, -1)
        left = list(range(len(prompts)))
        while left:
            sizes = accumulate(len(prompts[index][0]) for index in left)
            room = self.size - len(self.held()) if self.wide else 0
            count = min(sum(size <= room for size in sizes), SEQUENCES - _TEXTS)
            self.settle(None)
            if count:
                self._forget()
                read += self._beside_each_other(prompts, left[:count], found)
            else:
                tokens, at = prompts[left[0]]
                one, [found[left[0]]] = self.score(tokens[:at], [tokens[at:]], aside=True)
                read, count = read + one, 1
            left = left[count:]
        return read, found

    def _beside_each_other(
        self,
        prompts: Sequence[tuple[Sequence[int], int]],
        some: Sequence[int],
        found: list[float],
    ) -> int:
        """Read some prompts in two passes; get how many tokens. What they begin with is kept."""
        self.beside.is_stale = True
        held = self.held()
        begins, ends, new = list[_Row](), list[_Row](), dict[int, bytes]()
        for sequence, index in enumerate(some, _TEXTS):
            tokens, at = prompts[index]
            begun = at - 1  # the token before the rest foretells its first
            key = sha256(repr(tokens[:begun]).encode()).digest()
            if begun and not self._restore(key, sequence):
                new[sequence] = key
                same = common(held, tokens[:begun])
                self.llm._ctx.kv_cache_seq_cp(_MAIN, sequence, 0, same)
                begins += [_Row(tokens[place], place, [sequence]) for place in range(same, begun)]
            for place in range(begun, len(tokens) - 1):
                ends.append(_Row(tokens[place], place, [sequence], [(index, tokens[place + 1])]))
            self.beside.prompts[sequence] = tokens[:-1]
        self._read(begins, found)
        for sequence, key in new.items():
            self._keep(key, sequence)
        self._read(ends, found)
        return len(begins) + len(ends)

    def settle(self, tokens: Sequence[int] | None) -> None:
        """Let the answer be to the prompt of these tokens, if it was read side by side last."""
        for sequence, read in self.beside.prompts.items():
            if tokens is not None and read == tokens[:-1]:
                self.llm._ctx.kv_cache_seq_rm(_MAIN, 0, -1)
                self.llm._ctx.kv_cache_seq_cp(sequence, _MAIN, 0, -1)
                self.llm.input_ids[: len(read)] = read
                self.llm.n_tokens = len(read)
            self.llm._ctx.kv_cache_seq_rm(sequence, 0, -1)
        self.beside.prompts.clear()

    def _keep(self, key: bytes, sequence: int) -> None:
        """Keep the state of a sequence, and of the others those used last."""
        size = self.library.llama_state_seq_get_size(self.llm.ctx, sequence)
        state = (c_uint8 * size)()
        states = self.beside.states
        if self.library.llama_state_seq_get_data(self.llm.ctx, state, size, sequence):
            states[key] = state
        while states and sum(map(len, states.values())) > _KEPT:
            del states[next(iter(states))]

    def _restore(self, key: bytes, sequence: int) -> bool:
        """Say whether the state of this key is kept, and in the sequence now."""
        states = self.beside.states
        if key not in states:
            return False
        state = states[key] = states.pop(key)  # the last to be forgotten
        restore = self.library.llama_state_seq_set_data
        return bool(restore(self.llm.ctx, state, len(state), sequence))

    def _enter(
        self, tokens: Sequence[int], texts: Sequence[Sequence[int]], *, aside: bool, is_read: bool
    ) -> tuple[int, Sequence[int], int]:
        """Leave in a sequence what is there of some tokens, but for the last unless it is read.

        Get that sequence, those for the texts, and how much of the tokens is there.
        """
        after, size, beside = len(tokens), self.size, self.beside
        if self.wide:
            last = self.library.llama_memory_seq_pos_max(self.llm._ctx.memory, _ASIDE)
            if last != len(beside.aside) - 1:  # the model's state was reset or restored
                self._forget()
        held = self.held()
        last = after if is_read else after - 1
        at, begun = (min(common(one, tokens), last) for one in (held, beside.aside))
        if aside:
            cells = len(held) + after - (min(beside.shared, begun) if begun >= at else at)
        else:
            cells = after + len(beside.aside) - beside.shared
        wide = self.wide and cells + sum(map(len, texts)) <= size
        main = _ASIDE if wide and aside else _MAIN
        if main == _MAIN:
            self.make_room(at, after + max(map(len, texts)))
        elif begun >= at:
            at, beside.aside = begun, [*tokens]
            beside.shared = min(beside.shared, at)
        else:
            self._forget()
            self.llm._ctx.kv_cache_seq_cp(_MAIN, _ASIDE, 0, at)
            beside.shared, beside.aside = at, [*tokens]
        self.llm._ctx.kv_cache_seq_rm(main, at, -1)
        return main, (range(_TEXTS, SEQUENCES) if wide else [main]), at

    def _leave(self, main: int, some: Mapping[int, int], best: int, after: int) -> None:
        """Leave the sequences of some texts, and the best of them in the main one."""
        for index, sequence in some.items():
            if index == best:
                self.llm._ctx.kv_cache_seq_rm(main, after, -1)
                self.llm._ctx.kv_cache_seq_cp(sequence, main, after, -1)
            self.llm._ctx.kv_cache_seq_rm(sequence, after if sequence == main else 0, -1)

    def _forget(self) -> None:
        if self.wide:
            self.llm._ctx.kv_cache_seq_rm(_ASIDE, 0, -1)
        self.beside.forget()

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Let the context hold nothing if this ends before its time: nobody knows what it held."""
        try:
            yield
        except BaseException:  # somebody may press Ctrl-C
            self.llm._ctx.kv_cache_clear()
            self.llm.n_tokens = 0
            self.beside.forget()
            self.beside.prompts.clear()
            self.beside.is_stale = True
            raise

    def _read(self, rows: Sequence[_Row], found: list[float]) -> None:
        """Read rows in one pass, or a few, and add what they foretell."""
        batch, size = self.llm._batch.batch, self.llm.n_batch
        for start in range(0, len(rows), size):
            some = rows[start : start + size]
            batch.n_tokens = len(some)
            for rank, row in enumerate(some):
                batch.token[rank], batch.pos[rank] = row.token, row.at
                batch.n_seq_id[rank], batch.logits[rank] = len(row.sequences), bool(row.foretells)
                for index, sequence in enumerate(row.sequences):
                    batch.seq_id[rank][index] = sequence
            failed = self.library.llama_decode(self.llm.ctx, batch)
            if failed:  # not even what is aside may give way: it is what is read
                msg = f"llama.cpp has no room for {len(some)} tokens more: {failed}"
                raise ContextFullError(Code.CONTEXT, msg)
            for rank, row in enumerate(some):
                if row.foretells:
                    self._add(rank, row.foretells, found)

    def _add(self, rank: int, foretells: Iterable[tuple[int, int]], found: list[float]) -> None:
        """Add what the logits of a row say."""
        logits = self.logits(rank).astype("float64")
        most = logits.max()
        whole = most + self.numpy.log(self.numpy.exp(logits - most).sum())
        for index, token in foretells:
            found[index] += float(logits[token] - whole)


def _likeliest(
    texts: Sequence[Sequence[int]],
    found: Sequence[float],
    less: Sequence[float],
    most: int,
    *,
    is_read: bool,
) -> Iterator[Sequence[int]]:
    """Get the texts to read at a time, by index, up to where none that is left can win.

    What is found of a text only sinks while more of it is read. Where there is much to read, what
    comes before the texts is read first, which says how likely each begins, if it is not read yet.
    """
    best, left = -inf, [*range(len(texts))]
    if not is_read and (len(texts) > most or sum(map(len, texts)) - len(texts) > _TOGETHER):
        yield ()
        is_read = True
    if is_read:
        left = [index for index in left if len(texts[index]) > 1]
        short = set(range(len(texts))).difference(left)
        best = max((found[index] - less[index] for index in short), default=best)
    while left := [index for index in left if found[index] - less[index] >= best]:
        left.sort(key=lambda index: less[index] - found[index])
        sizes = accumulate(len(texts[index]) - 1 for index in left[:most])
        group = left[: max(1, sum(size <= _TOGETHER for size in sizes))]
        yield group
        best = max(best, *(found[index] - less[index] for index in group))
        left = left[len(group) :]
