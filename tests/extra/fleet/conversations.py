"""The upstream of a fleet, and the agents that use it, with answers that are known in advance.

Each conversation and each turn has a number: the last message of a user or a tool contains a mark
such as `#7:3#`. The upstream answers by this mark, so a repeated request gets the same answer. It
stores the requests of each turn.
"""

import asyncio
import json
import re
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": CITY}}]
MARK = re.compile(r"#(\d+):(\d+)#")
WORDS = 6
"""Pieces of the text of an answer."""
LOOKS = 7
"""Every so many turns a model that was shown pointers looks at the result of an early turn."""
PATH = "/v1/chat/completions"
_HEAD = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}


def words(number: int, turn: int) -> list[str]:
    return [f"word{index}-{number}-{turn} " for index in range(WORDS)]


def city(number: int, turn: int) -> str:
    return f"city {number} {turn}"


def result(number: int, turn: int) -> str:
    """Return the tool's result for a turn, which is long enough to be omitted later."""
    lines = [f"It is {hour * turn % 40} degrees at {hour} h" for hour in range(24)]
    return "\n".join([f"#{number}:{turn + 1}#", city(number, turn), *lines])


class Model:
    """The upstream, which stores requests by conversation and turn."""

    def __init__(self, pause_s: float) -> None:
        self.pause_s = pause_s
        self.sent: dict[tuple[int, int], list[str]] = defaultdict(list)
        """The messages of each request, as JSON."""
        self.looked = 0
        self.wrong: list[str] = []
        """Results that were asked for by their pointers, and were not what had been sent."""

    def app(self) -> Starlette:
        async def models(_: Request) -> JSONResponse:
            return JSONResponse({"object": "list", "data": [{"id": "m", "object": "model"}]})

        return Starlette(
            routes=[Route(PATH, self.answer, methods=["POST"]), Route("/v1/models", models)]
        )

    async def answer(self, request: Request) -> StreamingResponse:
        body = await request.json()
        text = json.dumps(body["messages"])
        number, turn = max((int(a), int(b)) for a, b in MARK.findall(text))
        self.sent[number, turn].append(text)
        pieces = _native(number, turn) if "tools" in body else self._lton(body, number, turn)
        return StreamingResponse(self._events(pieces), media_type="text/event-stream")

    def _lton(self, body: Any, number: int, turn: int) -> Iterator[dict[str, Any]]:
        *before, last = (message["content"] for message in body["messages"])
        pointers = re.findall(r"\[(t\d+) left out", "\n".join([*before, last]))
        if turn % LOOKS == 0 and pointers:
            if last.count("#") == 0 or MARK.findall(last)[-1] == (str(number), str(turn)):
                yield {"content": f'!call recall("{pointers[0]}")'}
                return
            self.looked += 1
            mark = MARK.findall(last)[-1]
            if result(number, int(mark[1]) - 1) not in last:
                self.wrong.append(last)
        for word in words(number, turn):
            yield {"content": word}
        yield {"content": f'\n!call weather(city="{city(number, turn)}")'}

    async def _events(self, pieces: Iterator[dict[str, Any]]) -> AsyncIterator[bytes]:
        for piece in pieces:
            yield _event(piece)
            await asyncio.sleep(self.pause_s)
        yield _event({}, "stop")
        yield b"data: [DONE]\n\n"


def _native(number: int, turn: int) -> Iterator[dict[str, Any]]:
    for word in words(number, turn):
        yield {"content": word}
    arguments = json.dumps({"city": city(number, turn)})
    function = {"name": "weather", "arguments": arguments}
    yield {"tool_calls": [{"index": 0, "id": "1", "type": "function", "function": function}]}


def _event(delta: dict[str, Any], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return f"data: {json.dumps({**_HEAD, 'choices': [choice]})}\n\n".encode()


# --- the agents -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Broken:
    """A failed answer: the machine that gave it, and the error that the agent received."""

    gateway: str
    at: float
    has_begun: bool
    told: str


@dataclass
class Agents:
    """Agents that talk to a model at an address, each until its last turn."""

    url: str
    count: int
    turns: int
    is_compressing: bool = True
    """Whether each leaves a result at `/v1/compress` in its first turn, and gets it in its last."""
    done: int = 0
    """Turns."""
    running: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """Answers that stream now, by the machine that gives them."""
    served: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    broken: list[Broken] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    async def talk(self) -> None:
        connector = aiohttp.TCPConnector(limit=0)
        timeout = aiohttp.ClientTimeout(total=None, sock_read=600)
        async with aiohttp.ClientSession(self.url, connector=connector, timeout=timeout) as http:
            await asyncio.gather(*(self._conversation(http, at) for at in range(self.count)))

    async def _conversation(self, http: aiohttp.ClientSession, number: int) -> None:
        await asyncio.sleep(number * 0.02)
        messages: list[dict[str, Any]] = [{"role": "user", "content": f"How warm? #{number}:1#"}]
        name = await self._store_result(http, number) if self.is_compressing else ""
        for turn in range(1, self.turns + 1):
            while (answer := await self._ask(http, number, messages)) is None:
                await asyncio.sleep(0.2)
            self._check(answer, number, turn)
            messages += [answer, _answered(answer, number, turn)]
            self.done += 1
        if name:
            await self._check_kept(http, number, name)

    async def _ask(
        self, http: aiohttp.ClientSession, number: int, messages: list[dict[str, Any]]
    ) -> dict[str, Any] | None:
        """Request an answer, and return None if it breaks off."""
        body = {"model": "m", "messages": messages, "tools": TOOLS, "stream": True}
        calls = {"x-lton-calls": "native"} if is_native(number) else {}
        gateway, has_begun, answer = "", False, _Answer()
        try:
            async with http.post(PATH, json=body, headers=calls) as reply:
                gateway = reply.headers.get("x-gateway", "")
                self.running[gateway] += 1
                try:
                    if reply.status != 200:
                        raise ConnectionError(f"{reply.status}: {await reply.text()}")
                    has_begun = True
                    async for line in reply.content:
                        answer.take(line)
                finally:
                    self.running[gateway] -= 1
        except (aiohttp.ClientError, ConnectionError, TimeoutError) as error:
            self.broken.append(Broken(gateway, time.monotonic(), has_begun, repr(error)))
            return None
        self.served[gateway] += 1
        if not answer.is_done:  # as if it were whole: nobody was told
            self.wrong.append(f"an answer of {number} ended in silence: {answer}")
        return answer.message()

    def _check(self, answer: dict[str, Any], number: int, turn: int) -> None:
        (call,) = answer["tool_calls"]
        right = (" ".join(words(number, turn)).split(), {"city": city(number, turn)})
        if (answer["content"].split(), json.loads(call["function"]["arguments"])) != right:
            self.wrong.append(f"{number}:{turn} {answer}")

    async def _store_result(self, http: aiohttp.ClientSession, number: int) -> str:
        """Store a result, and return its hash."""
        message = {"role": "tool", "tool_call_id": "1", "content": result(number, 0) * 9}
        while True:
            async with http.post("/v1/compress", json={"messages": [message]}) as reply:
                if reply.status == 200 and (names := re.findall("hash=(\\w+)", await reply.text())):
                    return str(names[0])
            await asyncio.sleep(0.2)

    async def _check_kept(self, http: aiohttp.ClientSession, number: int, name: str) -> None:
        async with http.get(f"/v1/retrieve/{name}") as reply:
            original = await reply.json()
        if original.get("original_content") != result(number, 0) * 9:
            self.wrong.append(f"what {number} left at /v1/compress is {original}")


@dataclass
class _Answer:
    content: str = ""
    arguments: str = ""
    own: str = ""
    is_done: bool = False

    def take(self, line: bytes) -> None:
        """Process a line of a stream; raise `ConnectionError` if it is an error."""
        if line.startswith(b"data: [DONE]"):
            self.is_done = True
        elif line.startswith(b"data: "):
            event = json.loads(line[6:])
            if "error" in event:
                raise ConnectionError(event["error"]["message"])
            delta = event["choices"][0]["delta"]
            self.content += delta.get("content") or ""
            for call in delta.get("tool_calls") or ():
                self.own = call.get("id") or self.own
                self.arguments += call["function"].get("arguments") or ""

    def message(self) -> dict[str, Any]:
        function = {"name": "weather", "arguments": self.arguments}
        call = {"id": self.own, "type": "function", "function": function}
        return {"role": "assistant", "content": self.content, "tool_calls": [call]}


def is_native(number: int) -> bool:
    """Return whether a conversation has native calls; the others use a window."""
    return number % 2 == 1


def _answered(answer: dict[str, Any], number: int, turn: int) -> dict[str, Any]:
    own = answer["tool_calls"][0]["id"]
    return {"role": "tool", "tool_call_id": own, "content": result(number, turn)}
