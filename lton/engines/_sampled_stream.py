"""Read the stream of tokens that a server samples under a grammar."""

import asyncio
import json
from collections import deque
from contextlib import suppress
from random import Random
from typing import Any, Protocol

from lton._http import Asker, most, run
from lton.engines._link import Link
from lton.errors import Code, ContextFullError, GrammarError, LTONError, ServerError

_WIDTH = 200
"""The maximum length of a server's message in an error."""


class StreamingEngine(Protocol):
    """What a stream needs to know of its engine."""

    path: str
    base: str
    limit: int
    asker: Asker
    link: Link
    random: Random
    slot_tokens: list[int]
    prompt_tokens: list[int]

    def request_body(self, gbnf: str, seed: int) -> dict[str, Any]:
        """Return the body of a request for sampling under a grammar."""


class SampledStream:
    """The stream of tokens that a server samples under a grammar."""

    def __init__(self, engine: StreamingEngine, gbnf: str) -> None:
        self.engine = engine
        self.data = json.dumps(engine.request_body(gbnf, engine.random.getrandbits(32))).encode()
        self.most = most(self.data)
        self.reply: Any = None
        self.chunks: Any = None
        self.buffer = bytearray()
        self.counted = 0
        """The number of tokens that the server has reported."""
        self.ended = False
        self.unsaid = 0
        """The number of tokens at the last event without text."""
        self.pieces: deque[bytes | None] = deque()

    def sample(self) -> bytes | None:
        """Return the text of the next token, or b"" if the token is a part of a character."""
        engine = self.engine
        while not self.pieces:
            try:
                self.take_event(run(self.read_event()))
            except TimeoutError:
                msg = f"{engine.base} sent nothing for {engine.asker.timeout_s:g} s"
                raise ServerError(Code.SERVER, msg) from None
            except (engine.asker.httpx.HTTPError, engine.asker.httpx.InvalidURL, OSError) as error:
                raise ServerError(Code.SERVER, f"{engine.base} broke off: {error}") from error
            except LTONError:
                raise
            except (ValueError, RecursionError) as error:
                raise engine.link.make_error("an event that cannot be read") from error
        return self.pieces.popleft()

    def take_event(self, event: Any) -> None:
        """Process an event, which contains one token and the number of tokens so far."""
        content, count, stop = (event.get(key) for key in ("content", "tokens_predicted", "stop"))
        if not isinstance(content, str) or type(count) is not int or type(stop) is not bool:
            raise self.engine.link.make_error("an event without its fields")
        new = count - self.counted
        if not (stop or new) or not 0 <= new <= self.engine.limit - self.counted:
            raise self.engine.link.make_error("tokens that are not counted")
        if self.unsaid and not (stop and count == self.unsaid):
            # A special token has no text, although grammars allow it where its name may occur.
            msg = f"{self.engine.base} sampled a token that has no text"
            raise GrammarError(Code.GRAMMAR, msg)
        if not (content or stop):  # the end of the turn; parts of characters have no event
            self.unsaid = count
            return
        why = event.get("stop_type")
        if stop and why == "limit":
            msg = f"{self.engine.base} ended it: the limit of tokens, or the context"
            raise ContextFullError(Code.CONTEXT, msg)
        if stop and why != "eos":
            raise self.engine.link.make_error(f"the stream ends for {why!r}")
        pieces: list[bytes | None] = []
        if content:
            pieces.append(content.encode())
        if stop:
            pieces.append(None)
        self.pieces += [*[b""] * (new - len(pieces)), *pieces]
        self.counted = count
        self.ended = stop
        if not stop:
            last = event.get("tokens") or [-1]
            self.engine.slot_tokens += [*[-1] * (new - 1), last[-1]]

    # --- on the thread of `_http` -----------------------------------------------------------------

    async def read_event(self) -> Any:
        async with asyncio.timeout(self.engine.asker.timeout_s):
            if self.reply is None:
                await self._open_stream()
            skipped = 0
            line = await self._read_line(self.most)
            while not line.startswith((b"data:", b"err")):
                skipped += len(line) + 1
                line = await self._read_line(self.most - skipped)
        data = line.partition(b":")[2].strip()
        event = {} if data == b"[DONE]" else json.loads(data)
        if not isinstance(event, dict):
            raise ValueError(event)
        if line.startswith(b"err") or "error" in event:
            raise self._make_refusal(event.get("error", event))
        return event

    async def _open_stream(self) -> None:
        # This needs its own connection, because servers silently close it after a stream.
        url = f"{self.engine.base}{self.engine.path}"
        self.reply = await self.engine.asker.open(url, self.data, Connection="close")
        self.chunks = self.reply.aiter_raw()
        if self.reply.status_code == 200:
            self.engine.slot_tokens = list(self.engine.prompt_tokens)
            return
        try:
            async for chunk in self.chunks:
                self.buffer += chunk
                if len(self.buffer) > self.most:
                    break
            error = json.loads(self.buffer)["error"]
        except (ValueError, RecursionError, LookupError, TypeError):
            error = f"status {self.reply.status_code}"
        raise self._make_refusal(error)

    async def _read_line(self, most: int) -> bytes:
        while (end := self.buffer.find(b"\n")) < 0:
            if len(self.buffer) > most:
                raise self.engine.link.make_error("an event that is too long")
            chunk = await anext(self.chunks, b"")
            if not chunk:
                raise ServerError(Code.SERVER, f"{self.engine.base} broke off in the middle")
            self.buffer += chunk
        line = bytes(self.buffer[:end])
        del self.buffer[: end + 1]
        return line

    def _make_refusal(self, error: Any) -> LTONError:
        fields = error if isinstance(error, dict) else {}
        message = str(fields.get("message", error))[:_WIDTH]
        replace_unprintable = "".join(char if char.isprintable() else "\ufffd" for char in message)
        msg = f"{self.engine.base} says: {replace_unprintable}"
        if fields.get("type") == "exceed_context_size_error":
            return ContextFullError(Code.CONTEXT, msg)
        if "grammar" in replace_unprintable.lower():
            return GrammarError(Code.GRAMMAR, msg)
        return ServerError(Code.SERVER, msg)

    def close(self) -> None:
        if self.counted and not self.ended:
            del self.engine.slot_tokens[
                -1:
            ]  # sampled, but perhaps not read before the stream was closed
        if self.reply is not None:
            with suppress(self.engine.asker.httpx.HTTPError, OSError):
                run(asyncio.wait_for(self._end_stream(), self.engine.asker.timeout_s))

    async def _end_stream(self) -> None:
        # Close the chunks, too: the garbage collector might close them on another thread.
        await self.chunks.aclose()
        await self.reply.aclose()
