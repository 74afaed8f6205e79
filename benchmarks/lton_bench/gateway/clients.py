"""Clients that stream from a server again and again, and check each answer."""

import asyncio
import json
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx2

from lton_bench.gateway.processes import resident
from lton_bench.gateway.scripted import TOOL, WORDS, words_of


async def load(url: str, clients: int, seconds: float) -> tuple[Counter[str], list[float]]:
    """Run clients for some seconds; return the outcomes, and the times to first content.

    Each client asks at least once, also on a machine that is too busy for more.
    """
    counts: Counter[str] = Counter()
    times: list[float] = []
    end = time.perf_counter() + seconds
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=clients)
    async with httpx2.AsyncClient(base_url=url, limits=limits, timeout=60) as http:

        async def ask_again(number: int) -> None:
            await asyncio.sleep(number / clients)  # not all in one moment
            counts[await _ask(http, number, times)] += 1
            while time.perf_counter() < end:
                number += clients
                counts[await _ask(http, number, times)] += 1

        await asyncio.gather(*(ask_again(number) for number in range(clients)))
    return counts, times


async def _ask(
    http: httpx2.AsyncClient, number: int, times: list[float], tool: dict[str, Any] = TOOL
) -> str:
    body = {"model": "m", "messages": [_write_message(number)], "tools": [tool], "stream": True}
    answer = _Answer()
    try:
        async with http.stream("POST", "/v1/chat/completions", json=body) as reply:
            if reply.status_code != 200:
                return _report_wrong("refused", (await reply.aread()).decode())
            async for line in reply.aiter_lines():
                if line.startswith("data: {"):
                    answer.take(json.loads(line[6:]))
    except (httpx2.HTTPError, KeyError, ValueError) as error:
        return _report_wrong("lost", f"{_root(error)!r} after {answer}")
    times.append(answer.first)
    if answer.error or not answer.reason:
        return _report_wrong(
            "refused" if answer.error else "lost", f"{answer.error} after {answer}"
        )
    return answer.judged(number)


@dataclass
class _Answer:
    """An answer, as far as it was received."""

    content: str = ""
    arguments: str = ""
    reason: str | None = None
    error: Any = None
    first: float = 0.0
    """The seconds until the first content."""
    began: float = field(default_factory=time.perf_counter, repr=False)

    def take(self, event: dict[str, Any]) -> None:
        if "error" in event:
            self.error = event["error"]
            return
        for choice in event["choices"]:
            delta, self.reason = choice["delta"], choice.get("finish_reason") or self.reason
            self.content += delta.get("content") or ""
            if self.content and not self.first:
                self.first = time.perf_counter() - self.began
            for call in delta.get("tool_calls") or ():
                self.arguments += call["function"].get("arguments") or ""

    def judged(self, number: int) -> str:
        if {int(digits) for digits in re.findall(r"\d+", self.content + self.arguments)} != {
            number
        }:
            return "crossed"
        text = "".join(words_of(number))
        try:
            right = json.loads(self.arguments) == {"number": number, "text": text[len(text) // 2 :]}
        except ValueError:
            right = False
        return (
            "right" if right and self.content.split() == text.split()[: WORDS // 2] else "garbled"
        )


def _root(error: BaseException) -> BaseException:
    cause = error.__cause__ or error.__context__
    return _root(cause) if cause else error


def _report_wrong(what: str, why: str) -> str:
    """Print the reason why an answer is wrong."""
    print(f"{what}: {why[:300]}", file=sys.stderr, flush=True)
    return what


async def soak(url: str, process: int, requests: int, clients: int = 16) -> list[float]:
    """Send requests with different tools; return the memory after each tenth, in megabytes.

    Raises `RuntimeError` for a wrong answer.
    """
    numbers = iter(range(requests))
    sizes = [resident(process)]
    async with httpx2.AsyncClient(base_url=url, timeout=60) as http:

        async def ask_next() -> None:
            for number in numbers:
                tool = {**TOOL["function"], "description": f"Note the number {number}."}
                await (_ask_chat, _ask_streamed, _ask_responses)[number % 3](http, number, tool)
                if (number + 1) % (requests // 10) == 0:
                    sizes.append(resident(process))
                    print(f"{number + 1:7} requests: {sizes[-1]:.1f} MB", flush=True)

        await asyncio.gather(*(ask_next() for _ in range(clients)))
    return sizes


async def _ask_chat(http: httpx2.AsyncClient, number: int, tool: dict[str, Any]) -> None:
    tools = [{"type": "function", "function": tool}]
    body = {"model": "m", "messages": [_write_message(number)], "tools": tools}
    reply = (await http.post("/v1/chat/completions", json=body)).json()
    _check(number, reply["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"])


async def _ask_streamed(http: httpx2.AsyncClient, number: int, tool: dict[str, Any]) -> None:
    if await _ask(http, number, [], {"type": "function", "function": tool}) != "right":
        raise RuntimeError(f"the answer {number} is not right")


async def _ask_responses(http: httpx2.AsyncClient, number: int, tool: dict[str, Any]) -> None:
    body = {
        "model": "m",
        "input": [_write_message(number)],
        "tools": [{"type": "function", **tool}],
    }
    reply = (await http.post("/v1/responses", json=body)).json()
    _check(number, reply["output"][-1]["arguments"])


def _write_message(number: int) -> dict[str, Any]:
    return {"role": "user", "content": f"Note the number {number}."}


def _check(number: int, arguments: str) -> None:
    if json.loads(arguments)["number"] != number:
        raise RuntimeError(f"the answer {number} is not right: {arguments}")
