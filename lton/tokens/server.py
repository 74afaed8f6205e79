"""Count tokens with a model's server, or estimate them if the server does not answer.

Each endpoint and model is probed once, and has a state for the session.

    unknown      not probed, or without an answer yet; probed again after some counts
    supported    it has counted, and stays supported if it stops answering
    unsupported  it has no such path, or answers without a count; never asked again

The state is used only on the thread of `_http`. The only lock makes the first of several concurrent
counts probe for all of them.
"""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Self, TypeAlias, TypeVar

from lton._http import Asker, NoAnswerError, Why, run
from lton.tokens._dialects import PROBE, PROBES, CountingApi
from lton.tokens.cache import TurnCache
from lton.tokens.counting import ByteHeuristic, Count, Counter, Messages, TokenCounter

TIMEOUT_S = 2.0
"""The time limit in seconds for a request and its answer."""
AT_ONCE = 4
"""The maximum number of concurrent requests; more would not make a tokenizer faster."""
PAUSES = (10, 640)
"""The number of counts to estimate after a failure, doubled each time up to the second value."""
_BATCH_SIZE = 2**17
LOWEST = 0.5
HIGHEST = 3.0
"""Limits of the ratio of a count to its estimate. Ratios beyond them are reduced to the limits."""
_PRIOR = 100.0  # tokens of an assumed correct estimate
_LATER = (Why.AWAY, Why.FAULT)
T = TypeVar("T")


@dataclass(slots=True)
class _Pair:
    supported: bool | None = None
    dialect: CountingApi | None = None
    probes: tuple[Callable[..., Awaitable[CountingApi]], ...] = PROBES  # not yet refused
    chats: bool = True
    waits: int = 0
    pause: int = PAUSES[0]
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def note_refusal(self, why: Why) -> None:
        """Record that a probe failed."""
        if why in _LATER:
            self.note_failure(why)
        else:
            self.probes = self.probes[1:]
            self.supported = None if self.probes else False

    def note_failure(self, why: Why) -> None:
        if why is Why.NEVER:
            self.supported = False
        elif why in _LATER and not self.waits:
            self.waits = self.pause
            self.pause = min(2 * self.pause, PAUSES[1])

    def note_success(self) -> None:
        self.pause = PAUSES[0]

    def may_ask_server(self, counts: int) -> bool:
        """Return whether to query the server now. Each skipped count shortens the wait."""
        waited, self.waits = self.waits, max(0, self.waits - counts)
        return not waited and self.supported is not False


_Key: TypeAlias = tuple[int, str, str]
_pairs: dict[_Key, _Pair] = {}


def _key_of(endpoint: str, model: str) -> _Key:
    # A forked process probes again, because a thread that it lacks may hold `asking`.
    return os.getpid(), _base_url(endpoint), model


def tokenize_supported(endpoint: str, model: str) -> bool | None:
    """Return whether a server can count a model's tokens, or None if this is not yet known."""
    pair = _pairs.get(_key_of(endpoint, model))
    return pair.supported if pair else None


class ServerCounter(Counter):
    """Counts tokens with a model's server: llama.cpp, vLLM, SGLang, or Anthropic's API.

    `endpoint` is the address of the server, or its OpenAI address (`…/v1`). The first count detects
    the API, with the limit `timeout_s` for each request. If the server cannot count, no error is
    raised. Instead, the count of `fallback` (a quarter of the bytes) is scaled by earlier counts.
    `cache` stores the counts of the server.

    vLLM and SGLang read names of special tokens in text as tokens. So a space is inserted into
    these names, and the count is not exact.

    `client` is an `httpx2.AsyncClient`, for example with a key. No other code may use it
    afterwards. With `enabled=False` no request is sent.

    >>> counter = ServerCounter("http://localhost:8080/v1", "qwen", enabled=False)
    >>> counter.id, counter.count("hello world")
    ('server:http://localhost:8080#qwen', Count(tokens=3, exact=False))
    """

    def __init__(
        self,
        endpoint: str,
        model: str,
        *,
        fallback: TokenCounter | None = None,
        client: Any = None,
        timeout_s: float = TIMEOUT_S,
        enabled: bool = True,
        cache: TurnCache | None = None,
    ) -> None:
        self.base = _base_url(endpoint)
        super().__init__(f"server:{self.base}#{model}", exact=True)
        self.model = model
        self.enabled = enabled and bool(self.base)
        self.cache = TurnCache() if cache is None else cache
        self.fallback = fallback or ByteHeuristic()
        self._sums = (_PRIOR, _PRIOR)  # the tokens counted by the server, and their estimates
        self._lock = threading.Lock()
        self._asker = Asker(client, timeout_s)

    @property
    def exact(self) -> bool:
        """Whether the server is known to count tokens exactly."""
        pair = _pairs.get(_key_of(self.base, self.model))
        dialect = pair.dialect if self.enabled and pair and pair.supported else None
        return bool(dialect and dialect.exact)

    @property
    def factor(self) -> float:
        """The factor that corrects estimates: the server's counts so far, divided by the estimates.

        With it, the estimate for all 168 modules of Python is 0.7 % off with o200k (6.7 % without
        it) and 0.9 % with SmolLM2 (4.0 %). The estimate of a single file improves little.
        """
        actual, estimate = self._sums
        return actual / estimate

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        """Count the tokens of several strings."""
        texts = list(texts)
        counts = {text: count for text in set(texts) if (count := self._find_known_count(text))}
        unknown = [text for text in dict.fromkeys(texts) if text not in counts]
        answers = self._ask_all(self._count_texts(unknown)) if unknown else []
        for text, answer in zip_longest(unknown, answers):
            if answer:
                self.cache.put(self.id, text, answer)
                self._learn_factor(answer.tokens, self.fallback.count(text).tokens)
            counts[text] = answer or self._scale_estimate(self.fallback.count(text))
        return [counts[text] for text in texts]

    def count_messages(self, messages: Messages, tools: Messages = ()) -> Count:
        """Count a conversation's tokens in the server's chat template, up to the answer."""
        counts = self._ask_all(self._count_conversations([(messages, tools)]))
        if counts:
            return counts[0]
        if not self.exact:
            return self._scale_estimate(self.fallback.count_messages(messages, tools))
        return super().count_messages(messages, tools)  # this server counts only strings

    def count_tools(self, tools: Messages) -> Count:
        """Count the tokens that tools add to a request, or 0 if the template ignores tools."""
        if not tools:
            return Count(0, exact=True)
        probe = [{"role": "user", "content": PROBE}]
        counts = self._ask_all(self._count_conversations([(probe, tools), (probe, ())]))
        if not counts:
            return self._scale_estimate(self.fallback.count_tools(tools))
        return Count(max(0, counts[0].tokens - counts[1].tokens), counts[0].exact)

    def close(self) -> None:
        """Close the pooled connections. Later counts open new connections."""
        if self.enabled:
            run(self._asker.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _scale_estimate(self, estimate: Count) -> Count:
        # Rounding up would add half a token to each short string of a list.
        return Count(round(estimate.tokens * self.factor), exact=False)

    def _learn_factor(self, actual: int, estimate: int) -> None:
        bounded = min(max(actual, LOWEST * estimate), HIGHEST * estimate)
        with self._lock:
            self._sums = (self._sums[0] + bounded, self._sums[1] + estimate)

    def _find_known_count(self, text: str) -> Count | None:
        if not text:
            return Count(0, exact=True)
        try:
            text.encode()
        except UnicodeEncodeError:  # JSON cannot express lone surrogates, and servers refuse them
            return self._scale_estimate(self.fallback.count(text))
        return self.cache.get(self.id, text) if self.enabled else None

    def _ask_all(self, work: Coroutine[Any, Any, list[T]]) -> list[T]:
        if self.enabled:
            return run(work)
        work.close()
        return []

    # --- on the thread of `_http` -----------------------------------------------------------------

    async def _post_json(self, path: str, body: dict[str, Any]) -> Any:
        return await self._asker.post(self.base + path, body)

    async def _find_server(self, counts: int) -> _Pair | None:
        """Detect the server's API. Return the server's state, or None if it cannot count now."""
        pair = _pairs.setdefault(_key_of(self.base, self.model), _Pair())
        async with pair.asking:
            if not pair.may_ask_server(counts):
                return None
            while pair.supported is None and not pair.waits:
                try:
                    pair.dialect = await pair.probes[0](self._post_json, self.model)
                    pair.supported = True
                    pair.pause = PAUSES[0]
                except NoAnswerError as no:
                    pair.note_refusal(no.why)
        return pair if pair.supported else None

    async def _count_texts(self, texts: list[str]) -> list[Count | None]:
        counts: list[Count | None] = [None] * len(texts)
        pair = await self._find_server(len(texts))
        if pair is None or pair.dialect is None:
            return counts
        dialect = pair.dialect
        todo = _iterate_batches_of_indexes(texts, pair.dialect.batch)

        async def count_batches() -> None:
            for indexes in todo:
                batch_counts = await self._count_batch(
                    pair, dialect, [texts[index] for index in indexes]
                )
                for index, count in zip(indexes, batch_counts, strict=True):
                    counts[index] = count

        await asyncio.gather(*(count_batches() for _ in range(AT_ONCE)))
        return counts

    async def _count_batch(
        self, pair: _Pair, dialect: CountingApi, texts: list[str]
    ) -> list[Count | None]:
        if pair.waits or not pair.supported:
            return [None] * len(texts)
        try:
            counts = await dialect.count_texts(self._post_json, texts)
        except NoAnswerError as no:
            if no.why is Why.NOT_THIS and len(texts) > 1:  # it refuses a string, or all lists
                return [(await self._count_batch(pair, dialect, [text]))[0] for text in texts]
            pair.note_failure(no.why)
            return [None] * len(texts)
        pair.note_success()
        return list(counts)

    async def _count_conversations(
        self, conversations: list[tuple[Messages, Messages]]
    ) -> list[Count]:
        pair = await self._find_server(1)
        if pair is None or pair.dialect is None or not pair.chats:
            return []
        try:
            counts = [
                await pair.dialect.count_messages(self._post_json, *conversation)
                for conversation in conversations
            ]
        except NoAnswerError as no:
            if no.why is Why.NEVER:
                pair.chats = False  # the server may still count strings
            elif no.why is Why.AWAY:
                pair.note_failure(no.why)
            return []  # llama.cpp answers 500 for an image that it cannot read
        pair.note_success()
        return counts


def _base_url(endpoint: str) -> str:
    # The path for counting is next to the OpenAI address, not below it.
    return endpoint.strip().rstrip("/").removesuffix("/v1").rstrip("/")


def _iterate_batches_of_indexes(texts: list[str], most: int) -> Iterator[list[int]]:
    batch: list[int] = []
    size = 0
    for index, text in enumerate(texts):
        if batch and (len(batch) == most or size + len(text) > _BATCH_SIZE):
            yield batch
            batch = []
            size = 0
        batch.append(index)
        size += len(text)
    if batch:
        yield batch
