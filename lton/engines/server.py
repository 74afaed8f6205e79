"""Run a model on a llama.cpp server.

Each value and each choice is a request with a streamed answer. The engine closes the stream at the
end of the value, but the server stops a little later: in 20 answers of SmolLM2, it sampled 36
surplus tokens in 39 requests, in addition to 110 used tokens. Each request sends the text so far as
tokens. The server reads only the tokens that its slot does not have yet.
"""

import asyncio
import json
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from random import Random
from typing import Any, Unpack

from lton._http import Asker, most, run
from lton.engines.engine import common
from lton.engines.generation import Generation, Spent, generated
from lton.engines.scoring import TokenScorer
from lton.engines.turns import read_turns
from lton.errors import Code, ContextFullError, GrammarError, LTONError, ServerError
from lton.grammar.build import Options
from lton.grammar.requests import request
from lton.schema.toolset import ToolSet

TIMEOUT_S = 60.0
"""The timeout in seconds for an answer or event; a server may first read a long prompt."""
LIMIT = 1024
_TEXTS = 1024
_WIDTH = 200
_LIKELIEST = 64
"""The number of tokens that one answer of the server scores; others are queried one by one."""
_FORCED = 1e6
"""The bias that forces a token. The server reports the token's probability without the bias."""


def constraint(tools: ToolSet, **options: Unpack[Options]) -> dict[str, Any]:
    r"""Return the request fields that let the model write only a call to one of the tools.

    The options are those of `lton.grammar.to_gbnf`; the default form works best with models.
    `lton.grammar.request` supports other servers.

    >>> constraint(ToolSet.from_prompt("stop"))
    {'grammar': 'root ::= "stop" "(" ")"\n'}
    """
    return request(tools, "llama-server", **options)


def check_grammar(gbnf: str, engine: "ServerEngine") -> None:
    """Raise `GrammarError` if the server cannot sample a token under a grammar."""
    if not gbnf.strip() or "\0" in gbnf:
        raise GrammarError(Code.GRAMMAR, "the grammar constrains nothing in llama.cpp")
    engine.feed(engine.tokenize("?"))
    with engine.constrain(gbnf) as grammar:
        engine.sample(grammar)


def complete(
    engine: "ServerEngine",
    messages: Sequence[Mapping[str, str]],
    tools: ToolSet,
    *,
    max_tokens: int = 256,
    **options: Unpack[Options],
) -> Generation:
    """Send a chat to a server and return the tool calls in the model's answer.

    The engine decides the temperature and the seed. Raises `GrammarError` before sampling if the
    server refuses the grammar, `DecodeError` for errors that the grammar cannot prevent,
    `IncompleteError` at `max_tokens`, and the other errors of `ServerEngine`.
    """
    prompt, pieces = engine.prompt(messages), list[bytes | None]()
    engine.feed(prompt)
    with engine.constrain(constraint(tools, **options)["grammar"]) as grammar:
        while pieces[-1:] != [None] and len(pieces) < max_tokens:
            pieces.append(engine.sample(grammar))
    text = b"".join(filter(None, pieces)).decode("utf-8", "replace")
    spent = Spent(prompt=len(prompt), sampled=len(pieces))
    return generated(text, tools, spent, cut=pieces[-1:] != [None], **options)


class ServerEngine(TokenScorer):
    """An engine for a llama.cpp server. Temperature 0 is greedy; otherwise the seed decides.

    To score a token, a request forces the token by a bias, and the server reports its probability
    without the bias. The results for a seed, and for nearly equal scores, may differ with another
    build of llama.cpp or with another state of its cache.

    `url` is the address of the server, with or without `/v1`. `slot` is a slot that no other client
    uses meanwhile. `limit` is the maximum number of tokens per request, in case the server does not
    notice that its stream was closed. `key` is the server's API key. `client` is as in
    `lton.tokens.server.ServerCounter`.

    Only used tokens count as sampled tokens. The number of read tokens is an upper bound, because
    the slot may also have surplus sampled tokens.

    Raises `ServerError` if the server cannot be reached, or its answer is invalid or late. Raises
    `GrammarError` if it refuses the grammar, and `ContextFullError` at the end of the context or at
    the limit.
    """

    path = "/completion"
    kind = "llama.cpp"
    read = 0

    def __init__(
        self,
        url: str,
        *,
        temperature: float = 0.0,
        seed: int = 0,
        slot: int = 0,
        limit: int = LIMIT,
        timeout_s: float = TIMEOUT_S,
        client: Any = None,
        key: str | None = None,
    ) -> None:
        super().__init__()
        self.temperature = temperature
        self.base = url.strip().rstrip("/").removesuffix("/v1").rstrip("/")
        self.asker = Asker(client, timeout_s, key)
        self.stream: type[SampledStream] = SampledStream
        self.limit = limit
        self.options = {
            "cache_prompt": True,
            "id_slot": slot,
            "n_predict": limit,
            "return_tokens": True,
            "samplers": ["temperature"],  # instead of the server's defaults
            "stream": True,
            "temperature": temperature,
        }
        self.random = Random(seed)  # noqa: S311 - no secret; each request gets a seed of its own
        self.held: list[int] = []
        """The tokens that the server's slot is known to have."""
        self.wanted: list[int] = []
        self.begins: tuple[int, ...] | None = None
        """The tokens with which every string begins, once known."""
        self.texts: dict[str, tuple[int, ...]] = {}
        """The tokens of each string. An `lru_cache` would keep the connections open."""

    def again(self, *, temperature: float, seed: int) -> "ServerEngine":
        """Set the temperature and the seed for another answer, without clearing any cache."""
        self.temperature = self.options["temperature"] = temperature
        self.random = Random(seed)  # noqa: S311 - as above
        return self

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        if self.begins is None:
            self.begins = self._tokens("", special=True, begins=True)
        return [*self.begins, *read_turns(messages, self._lay_out, self._tokens)]

    def _lay_out(self, messages: Sequence[Mapping[str, str]]) -> str:
        reply = self._ask_all("/apply-template", messages=list(messages))
        text = reply.get("prompt") if isinstance(reply, dict) else None
        if not isinstance(text, str):
            raise self.wrong("no prompt")
        return text

    def tokenize(self, text: str) -> list[int]:
        if text not in self.texts:
            if len(self.texts) >= _TEXTS:
                self.texts.clear()
            self.texts[text] = self._tokens(text)
        return list(self.texts[text])

    def _tokens(self, text: str, special: bool = False, begins: bool = False) -> tuple[int, ...]:
        reply = self._ask_all("/tokenize", content=text, add_special=begins, parse_special=special)
        return self._tokens_of(reply)

    def _tokens_of(self, reply: Any) -> tuple[int, ...]:
        tokens = reply.get("tokens") if isinstance(reply, dict) else None
        if not isinstance(tokens, list) or not all(type(token) is int for token in tokens):
            raise self.wrong("no tokens")
        return tuple(tokens)

    def _ask_all(self, path: str, **body: Any) -> Any:
        return run(self.asker.post(self.base + path, body))

    def feed(self, tokens: Sequence[int]) -> int:
        self.wanted = list(tokens)
        # The server reads the last token again.
        return len(tokens) - common(self.held, self.wanted[:-1])

    def follow(self, tokens: Sequence[int], wanted: Collection[int]) -> Mapping[int, float]:
        found: dict[int, float] = {}
        fixed = {"n_predict": 1, "stream": False}
        while missing := sorted(wanted - found.keys()):
            listed = _LIKELIEST if len(missing) > 1 else 1
            biased = {
                "logit_bias": [[missing[0], _FORCED]],
                "prompt": list(tokens),
                "n_probs": listed,
            }
            reply = self._ask_all("/completion", **self.options | fixed | biased)
            try:
                [first] = reply["completion_probabilities"]
                if first["id"] != missing[0]:
                    raise self.wrong("another token than was forced")
                for each in (*first["top_logprobs"], first):
                    found[each["id"]] = float(each["logprob"])
                self.read += int(reply["timings"]["prompt_n"])
            except (LookupError, TypeError, ValueError):
                raise self.wrong("no probabilities of tokens") from None
        self.held = list(tokens)
        return found

    def body(self, gbnf: str, seed: int) -> dict[str, Any]:
        """Return the body of a request for sampling under a grammar."""
        return {**self.options, "prompt": self.wanted, "grammar": gbnf, "seed": seed}

    @contextmanager
    def constrain(self, gbnf: str) -> Iterator["SampledStream"]:
        stream = self.stream(self, gbnf)
        try:
            yield stream
        finally:
            stream.close()

    def sample(self, grammar: "SampledStream") -> bytes | None:
        return grammar.sample()

    def close(self) -> None:
        """Close the pooled connections. Later requests open new connections."""
        run(self.asker.close())

    def wrong(self, what: str) -> ServerError:
        return ServerError(Code.SERVER, f"{self.base} does not answer like {self.kind}: {what}")


class SampledStream:
    """The stream of tokens that a server samples under a grammar."""

    def __init__(self, engine: ServerEngine, gbnf: str) -> None:
        self.engine = engine
        self.data = json.dumps(engine.body(gbnf, engine.random.getrandbits(32))).encode()
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
                self.take(run(self.event()))
            except TimeoutError:
                msg = f"{engine.base} sent nothing for {engine.asker.timeout_s:g} s"
                raise ServerError(Code.SERVER, msg) from None
            except (engine.asker.httpx.HTTPError, engine.asker.httpx.InvalidURL, OSError) as error:
                raise ServerError(Code.SERVER, f"{engine.base} broke off: {error}") from error
            except LTONError:
                raise
            except (ValueError, RecursionError) as error:
                raise engine.wrong("an event that cannot be read") from error
        return self.pieces.popleft()

    def take(self, event: Any) -> None:
        """Process an event, which contains one token and the number of tokens so far."""
        content, count, stop = (event.get(key) for key in ("content", "tokens_predicted", "stop"))
        if not isinstance(content, str) or type(count) is not int or type(stop) is not bool:
            raise self.engine.wrong("an event without its fields")
        new = count - self.counted
        if not (stop or new) or not 0 <= new <= self.engine.limit - self.counted:
            raise self.engine.wrong("tokens that are not counted")
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
            raise self.engine.wrong(f"the stream ends for {why!r}")
        pieces = [content.encode()] * bool(content) + [None] * stop
        self.pieces += [*[b""] * (new - len(pieces)), *pieces]
        self.counted = count
        self.ended = stop
        if not stop:
            last = event.get("tokens") or [-1]
            self.engine.held += [*[-1] * (new - 1), last[-1]]

    # --- on the thread of `_http` -----------------------------------------------------------------

    async def event(self) -> Any:
        async with asyncio.timeout(self.engine.asker.timeout_s):
            if self.reply is None:
                await self._open()
            passed = 0
            while not (line := await self._line(self.most - passed)).startswith((b"data:", b"err")):
                passed += len(line) + 1
        said = line.partition(b":")[2].strip()
        event = {} if said == b"[DONE]" else json.loads(said)
        if not isinstance(event, dict):
            raise ValueError(event)
        if line.startswith(b"err") or "error" in event:
            raise self._refusal(event.get("error", event))
        return event

    async def _open(self) -> None:
        # This needs its own connection, because servers silently close it after a stream.
        url = f"{self.engine.base}{self.engine.path}"
        self.reply = await self.engine.asker.open(url, self.data, Connection="close")
        self.chunks = self.reply.aiter_raw()
        if self.reply.status_code == 200:
            self.engine.held = list(self.engine.wanted)
            return
        try:
            async for chunk in self.chunks:
                self.buffer += chunk
                if len(self.buffer) > self.most:
                    break
            error = json.loads(self.buffer)["error"]
        except (ValueError, RecursionError, LookupError, TypeError):
            error = f"status {self.reply.status_code}"
        raise self._refusal(error)

    async def _line(self, most: int) -> bytes:
        while (end := self.buffer.find(b"\n")) < 0:
            if len(self.buffer) > most:
                raise self.engine.wrong("an event that is too long")
            chunk = await anext(self.chunks, b"")
            if not chunk:
                raise ServerError(Code.SERVER, f"{self.engine.base} broke off in the middle")
            self.buffer += chunk
        line = bytes(self.buffer[:end])
        del self.buffer[: end + 1]
        return line

    def _refusal(self, error: Any) -> LTONError:
        fields = error if isinstance(error, dict) else {}
        message = str(fields.get("message", error))[:_WIDTH]
        said = "".join(char if char.isprintable() else "\ufffd" for char in message)
        msg = f"{self.engine.base} says: {said}"
        if fields.get("type") == "exceed_context_size_error":
            return ContextFullError(Code.CONTEXT, msg)
        if "grammar" in said.lower():
            return GrammarError(Code.GRAMMAR, msg)
        return ServerError(Code.SERVER, msg)

    def close(self) -> None:
        if self.counted and not self.ended:
            del self.engine.held[-1:]  # sampled, but perhaps not read before the stream was closed
        if self.reply is not None:
            with suppress(self.engine.asker.httpx.HTTPError, OSError):
                run(asyncio.wait_for(self._end(), self.engine.asker.timeout_s))

    async def _end(self) -> None:
        # Close the chunks, too: the garbage collector might close them on another thread.
        await self.chunks.aclose()
        await self.reply.aclose()


load = ServerEngine
