"""Models that answer guided: a request at a time in each slot, in this process or on a server."""

import asyncio
import json
import secrets
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from queue import LifoQueue
from time import time
from typing import Any, TypeAlias

from lton.engines.generation import Generation, Spent
from lton.engines.server import ServerEngine
from lton.engines.vllm import VllmEngine
from lton.errors import ContextFullError, IncompleteError, LTONError, ServerError
from lton.gateway.apis.protocol import RefusedError
from lton.gateway.upstreams.http import HttpUpstream
from lton.generate import stream

WAITING = 64
"""Requests that wait for the model, or are answered; more are asked to come later."""
_END = None
MakeEngine: TypeAlias = Callable[..., Any]
"""Gets the engine of a slot; its arguments are `temperature` and `seed`."""


class LocalUpstream:
    """An engine for each slot, which answers a request at a time on a thread.

    What a slot has read is kept: the one that was used last is asked first, so what requests begin
    with is read once by a client that asks one thing after the other. `name` is what `/v1/models`
    lists. Others wait, `waiting` at most with those that are answered. Whoever stops reading an
    answer stops the model before its next token.
    """

    def __init__(
        self, slots: Sequence[MakeEngine], name: str = "", *, waiting: int = WAITING
    ) -> None:
        self.name, self.most = name, waiting
        self.created = int(time())
        self.workers = ThreadPoolExecutor(len(slots), "lton-model")
        self.free = LifoQueue[MakeEngine]()
        for make in slots:
            self.free.put(make)
        self.running = 0

    async def look(self) -> None:
        """Warn of nothing: the model is here."""

    async def close(self) -> None:
        """Answer no more. What is being answered has been stopped by its client's leaving."""
        self.workers.shutdown(wait=False, cancel_futures=True)

    async def stream(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> AsyncGenerator[Mapping[str, Any], None]:
        """Generate what the arguments of `lton.generate.stream` ask for; get its events.

        Each comes with the tokens so far. Raises `RefusedError`: 429 where too many wait, 400 for
        a conversation that the context has no room for, 500 where the model's answer is no call.
        """
        del path, headers
        if self.running >= self.most:
            words = f"{self.most} requests wait for the model: try again later"
            raise RefusedError(429, words, "rate_limit_error", retry_after="1")
        events: asyncio.Queue[dict[str, Any] | BaseException | None] = asyncio.Queue()
        gone = threading.Event()
        loop = asyncio.get_running_loop()

        def give(event: dict[str, Any] | BaseException | None) -> None:
            loop.call_soon_threadsafe(events.put_nowait, event)

        self.running += 1
        work = self.workers.submit(self._work, body, gone, give)
        try:
            while (event := await events.get()) is not _END:
                if isinstance(event, BaseException):
                    raise event
                yield event
        finally:
            gone.set()
            work.cancel()
            self.running -= 1

    def _work(self, body: Mapping[str, Any], gone: threading.Event, give: Any) -> None:
        """Generate in a free slot, and give each event to the loop; the end once it is free again.

        So whoever asks on after the end is answered in the same slot.
        """
        make = self.free.get()  # there is one: there are no more threads than slots
        end: BaseException | None = _END
        try:
            for event in self._events(make, dict(body), gone):
                give(event)
        except ContextFullError as error:
            end = RefusedError(400, str(error), param="messages", code="context_length_exceeded")
        except ServerError as error:
            end = RefusedError(502, str(error), "server_error", code="upstream_failed")
        except LTONError as error:
            end = RefusedError(500, f"the model wrote no call: {error}", "server_error")
        except ValueError as error:  # no tool can be called
            end = RefusedError(400, str(error), param="tools")
        except BaseException as error:  # the loop has to know, or it would wait for ever
            end = error
        self.free.put(make)
        give(end)

    def _events(
        self, make: MakeEngine, body: dict[str, Any], gone: threading.Event
    ) -> Iterator[dict[str, Any]]:
        if (seed := body.pop("seed")) is None:
            seed = secrets.randbits(32)
        engine = _CountingEngine(make(temperature=body.pop("temperature"), seed=seed), gone)
        try:
            for event in stream(engine, **body):
                yield {"event": event, "usage": engine.usage}
        except IncompleteError as error:  # there is no call
            spent = Spent(sampled=engine.sampled)
            event = Generation(calls=[], text=error.doc, spent=spent, exhausted=True, why=error.msg)
            yield {"event": event, "usage": engine.usage}

    @asynccontextmanager
    async def open(
        self, method: str, target: str, content: bytes, headers: Mapping[str, str]
    ) -> AsyncIterator["LocalReply"]:
        """Get the list of models, which is one. Raises `RefusedError`, 404, for all else."""
        del content, headers
        path = target.partition("?")[0]
        model = {"id": self.name, "object": "model", "created": self.created, "owned_by": "lton"}
        if method == "GET" and path == "/v1/models":
            yield LocalReply({"object": "list", "data": [model]})
        elif method == "GET" and path == f"/v1/models/{self.name}":
            yield LocalReply(model)
        else:
            raise RefusedError(404, f"Invalid URL ({method} {path})", code="not_found")


class ServerSlot:
    """One slot of a llama.cpp or vLLM server; its engine stays for all answers.

    The engine is made when it is first asked for: until then nobody may need an HTTP client.
    """

    def __init__(self, url: str, number: int, key: str | None, *, is_vllm: bool) -> None:
        kind = VllmEngine if is_vllm else ServerEngine
        self._make = partial(kind, url, slot=number, key=key)
        self._engine: ServerEngine | None = None

    def __call__(self, *, temperature: float, seed: int) -> ServerEngine:
        """Return the engine, for another answer."""
        self._engine = self._engine or self._make()
        return self._engine.again(temperature=temperature, seed=seed)

    def close(self) -> None:
        if self._engine:
            self._engine.close()


class GuidedServer:
    """A server that answers requests with tools guided, and all others as it does by itself."""

    def __init__(self, server: HttpUpstream, slots: Sequence[ServerSlot]) -> None:
        self.server, self.slots, self.models = server, slots, LocalUpstream(slots)

    def stream(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> AsyncGenerator[Mapping[str, Any], None]:
        """Get the events of an answer; that to a guided request has no path."""
        return (self.server if path else self.models).stream(path, body, headers)

    def open(
        self, method: str, target: str, content: bytes, headers: Mapping[str, str]
    ) -> AbstractAsyncContextManager[Any]:
        return self.server.open(method, target, content, headers)

    async def look(self) -> None:
        await self.server.look()

    async def close(self) -> None:
        await self.models.close()
        await self.server.close()
        for slot in self.slots:
            await asyncio.to_thread(slot.close)


@dataclass(frozen=True)
class LocalReply:
    """An answer of this process, as the client of a server would have it."""

    value: Any
    status_code: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "application/json"})

    async def aiter_raw(self) -> AsyncIterator[bytes]:
        yield json.dumps(self.value).encode()


class _GoneError(Exception):
    """Whoever asked has left."""


class _CountingEngine:
    """An engine that stops where nobody wants the answer, and counts what the answer takes."""

    def __init__(self, engine: Any, gone: threading.Event) -> None:
        self.engine = engine
        self.tokenize, self.constrain = engine.tokenize, engine.constrain
        self.pick = engine.pick
        self.gone = gone
        self.prompt_tokens = 0
        self.cached: int | None = None
        self.sampled = 0

    @property
    def usage(self) -> dict[str, int]:
        """The tokens so far: of the prompt, those of them that were not read anew, and sampled."""
        return {
            "prompt_tokens": self.prompt_tokens,
            "cached_tokens": self.prompt_tokens if self.cached is None else self.cached,
            "completion_tokens": self.sampled,
        }

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        tokens: list[int] = self.engine.prompt(messages)
        self.prompt_tokens = self.prompt_tokens or len(tokens)  # others are read beside it
        return tokens

    def feed(self, tokens: Sequence[int]) -> int:
        self._check()
        read: int = self.engine.feed(tokens)
        self._read_first(len(tokens) - read)
        return read

    def score(self, *args: Any, **how: Any) -> Any:
        self._check()
        return self.engine.score(*args, **how)

    def foretell(self, *args: Any, **how: Any) -> Any:
        self._check()
        return self.engine.foretell(*args, **how)

    def sample(self, grammar: Any) -> Any:
        self._check()
        self.sampled += 1
        return self.engine.sample(grammar)

    def _check(self) -> None:
        if self.gone.is_set():
            raise _GoneError

    def _read_first(self, kept: int) -> None:
        if self.cached is None:
            self.cached = max(0, min(kept, self.prompt_tokens))
