"""Serve local or remote models with guided generation: one request at a time per slot."""

import asyncio
import json
import secrets
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from queue import LifoQueue
from time import time
from typing import Any, TypeAlias

from lton.apis.refusals import RefusedError
from lton.engines.engine import Chat, Pair, StateReader, prefetch
from lton.engines.generation import Generation, Spent
from lton.engines.server import ServerEngine
from lton.engines.sglang import SglangEngine
from lton.engines.vllm import VllmEngine
from lton.errors import ContextFullError, IncompleteError, LTONError, ServerError
from lton.gateway.upstreams.http_upstream import HttpUpstream
from lton.generate import stream

WAITING = 64  # requests that are queued or in progress; more are refused
_END = None
MakeEngine: TypeAlias = Callable[..., Any]  # takes `temperature` and `seed`


class LocalUpstream:
    """Runs one engine per slot, and answers requests on one thread per slot.

    Slots cache the prompts that they have read. The most recently used slot is preferred, so the
    start of the prompt is cached for a client that sends one request after another. `/v1/models`
    lists `name`. At most `waiting` requests are queued or in progress. Closing the generator stops
    the model before its next token.
    """

    def __init__(
        self, slots: Sequence[MakeEngine], name: str = "", *, waiting: int = WAITING
    ) -> None:
        self.name = name
        self.most = waiting
        self.created = int(time())
        self.workers = ThreadPoolExecutor(len(slots), "lton-model")
        self.free = LifoQueue[MakeEngine]()
        for make in slots:
            self.free.put(make)
        self.running = 0

    @property
    def has_free_slot(self) -> bool:
        """Whether a request would be answered at once."""
        return not self.free.empty()

    async def check_reachable(self) -> None: ...

    async def close(self) -> None:
        """Stop the threads. All answers to disconnected clients have already stopped."""
        self.workers.shutdown(wait=False, cancel_futures=True)

    async def iterate_events(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> AsyncGenerator[Mapping[str, Any], None]:
        """Generate an answer and yield its events with token counts. Raises `RefusedError`."""
        del path, headers
        if self.running >= self.most:
            words = f"{self.most} requests wait for the model: try again later"
            raise RefusedError(429, words, "rate_limit_error", retry_after="1")
        events: asyncio.Queue[dict[str, Any] | BaseException | None] = asyncio.Queue()
        disconnected = threading.Event()
        loop = asyncio.get_running_loop()

        def put_event(event: dict[str, Any] | BaseException | None) -> None:
            loop.call_soon_threadsafe(events.put_nowait, event)

        self.running += 1
        work = self.workers.submit(self._generate, body, disconnected, put_event)
        try:
            while (event := await events.get()) is not _END:
                if isinstance(event, BaseException):
                    raise event
                yield event
        finally:
            disconnected.set()
            work.cancel()
            self.running -= 1

    def _generate(self, body: Mapping[str, Any], disconnected: threading.Event, give: Any) -> None:
        """Generate an answer in a free slot, and free the slot before the last event is sent."""
        make = self.free.get()  # never blocks, because there are as many slots as threads
        end: BaseException | None = _END
        try:
            for event in self._iterate_generated_events(make, dict(body), disconnected):
                give(event)
        except ContextFullError as error:
            end = RefusedError(400, str(error), param="messages", code="context_length_exceeded")
        except ServerError as error:
            end = RefusedError(502, str(error), "server_error", code="upstream_failed")
        except LTONError as error:
            end = RefusedError(500, f"the model wrote no call: {error}", "server_error")
        except ValueError as error:  # no tool can be called
            end = RefusedError(400, str(error), param="tools")
        except BaseException as error:  # otherwise the event loop would wait forever
            end = error
        self.free.put(make)
        give(end)

    def _iterate_generated_events(
        self, make: MakeEngine, body: dict[str, Any], disconnected: threading.Event
    ) -> Iterator[dict[str, Any]]:
        if (seed := body.pop("seed")) is None:
            seed = secrets.randbits(32)
        engine = _CountingEngine(make(temperature=body.pop("temperature"), seed=seed), disconnected)
        try:
            for event in stream(engine, **body):
                yield {"event": event, "usage": engine.usage}
        except IncompleteError as error:  # the answer ended before a call
            tokens = Spent(sampled=engine.sampled)
            event = Generation(
                calls=[], text=error.doc, spent=tokens, exhausted=True, why=error.msg
            )
            yield {"event": event, "usage": engine.usage}

    @asynccontextmanager
    async def opening_request(
        self, method: str, target: str, content: bytes, headers: Mapping[str, str]
    ) -> AsyncIterator["LocalReply"]:
        """Return the list of models. Raises `RefusedError` (404) for other paths."""
        del content, headers
        path = target.partition("?")[0]
        model = {"id": self.name, "object": "model", "created": self.created, "owned_by": "lton"}
        pages: dict[str, Any] = {"/v1/models": {"object": "list", "data": [model]}}
        pages[f"/v1/models/{self.name}"] = model
        if method != "GET" or path not in pages:
            raise RefusedError(404, f"Invalid URL ({method} {path})", code="not_found")
        yield LocalReply(pages[path])


_ENGINES: Mapping[str, type[ServerEngine]] = {"vllm": VllmEngine, "sglang": SglangEngine}
"""The engines of servers other than llama.cpp's."""


class ServerSlot:
    """A slot on a server, with an engine that is created on first use.

    `engine` returns the name of the server's engine (`--engine`).
    """

    def __init__(
        self, url: str, number: int, key: str | None, *, engine: Callable[[], str]
    ) -> None:
        self._url = url
        self._number = number
        self._key = key
        self._engine_name = engine
        self._engine: ServerEngine | None = None

    def __call__(self, *, temperature: float, seed: int) -> ServerEngine:
        if self._engine is None:
            kind = _ENGINES.get(self._engine_name(), ServerEngine)
            self._engine = kind(self._url, slot=self._number, key=self._key)
        return self._engine.set_sampling(temperature=temperature, seed=seed)

    def close(self) -> None:
        if self._engine:
            self._engine.close()


class GuidedServer:
    """Answers requests with tools by guided generation on a server, and forwards all others."""

    def __init__(self, server: HttpUpstream, slots: Sequence[ServerSlot]) -> None:
        self.server = server
        self.slots = slots
        self.models = LocalUpstream(slots)

    def iterate_events(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> AsyncGenerator[Mapping[str, Any], None]:
        return (self.server if path else self.models).iterate_events(path, body, headers)

    def opening_request(
        self, method: str, target: str, content: bytes, headers: Mapping[str, str]
    ) -> AbstractAsyncContextManager[Any]:
        return self.server.opening_request(method, target, content, headers)

    async def check_reachable(self) -> None:
        await self.server.check_reachable()

    async def close(self) -> None:
        await self.models.close()
        await self.server.close()
        for slot in self.slots:
            await asyncio.to_thread(slot.close)


@dataclass(frozen=True)
class LocalReply:
    """An answer generated in this process, with the attributes of a server's answer."""

    value: Any
    status_code: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "application/json"})

    async def aiter_raw(self) -> AsyncIterator[bytes]:
        yield json.dumps(self.value).encode()


class _GoneError(Exception):
    """Raised if the client has disconnected."""


class _CountingEngine:
    def __init__(self, engine: Any, disconnected: threading.Event) -> None:
        self.engine = engine
        self.tokenize = engine.tokenize
        self.constrain = engine.constrain
        self.pick = engine.pick
        if isinstance(engine, StateReader):
            self.identity = engine.identity
            self.read_state = engine.read_state
        self.gone = disconnected
        self.prompt_tokens = 0
        self.cached: int | None = None
        self.sampled = 0

    @property
    def usage(self) -> dict[str, int]:
        return {
            "prompt_tokens": self.prompt_tokens,
            "cached_tokens": self.prompt_tokens if self.cached is None else self.cached,
            "completion_tokens": self.sampled,
        }

    def prompt(self, messages: Chat) -> list[int]:
        tokens: list[int] = self.engine.prompt(messages)
        self.prompt_tokens = self.prompt_tokens or len(tokens)  # later prompts are additional
        return tokens

    def feed(self, tokens: Sequence[int]) -> int:
        self._check()
        read: int = self.engine.feed(tokens)
        if self.cached is None:
            self.cached = max(0, min(len(tokens) - read, self.prompt_tokens))
        return read

    def score_pairs(self, pairs: Sequence[Pair]) -> tuple[int, list[float]]:
        self._check()
        scores: tuple[int, list[float]] = self.engine.score_pairs(pairs)
        return scores

    def prefetch(self, chats: Sequence[Chat], texts: Sequence[str]) -> None:
        self._check()
        prefetch(self.engine, chats=chats, texts=texts)

    def sample(self, grammar: Any) -> Any:
        self._check()
        self.sampled += 1
        return self.engine.sample(grammar)

    def _check(self) -> None:
        if self.gone.is_set():
            raise _GoneError
