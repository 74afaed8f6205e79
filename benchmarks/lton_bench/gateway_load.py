"""Many clients that stream at once, before an upstream that is scripted: what a gateway adds.

    python -m lton_bench.gateway_load [--clients 200] [--seconds 60] [--workers 1 2]
        [--litellm PROGRAM]
    python -m lton_bench.gateway_load --requests 20000

Each client asks again and again, for as long as the run takes, and is sent prose and a call, ten
chunks a second, by a server that says the client's own number in both. An answer is *refused* if
there is an error in its place or at its end, *lost* if it does not end, *crossed* if it has
another's number, and *garbled* if anything else of it is wrong. Why is said on standard error.
The same load is put to the upstream itself, to a proxy that only forwards (`bare_proxy`), to
`lton serve` with native calls and with calls in LTON, and to LiteLLM's proxy if its program is
given, one after the other. Times are from the request to the first byte of content. Each server is
a process of its own; its memory is what is resident after a second and at the end. With `--workers`
that load is put to `lton serve --calls lton` with each of these numbers of workers.
All share the same cores. So the processor time of an answer is printed, too, of the server, of the
upstream and of the clients: if the sum is near the time of a core, all of them wait.

With `--requests` so many go through `lton serve`, as fast as they can: each has tools that no other
has, so that nothing kept of an earlier one is of use, and they take turns in chat streamed, chat
whole and responses. What is printed is the memory at each tenth; caches fill in the first half, so
the second is what counts.
"""

import argparse
import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

CHUNKS_A_SECOND = 10
WORDS = 12
"""Chunks of an answer."""
MOST_GROWTH = 8.0
"""Megabytes that the second half of many requests may add; a leak of a kilobyte a request is 10."""
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "note",
        "parameters": {
            "type": "object",
            "properties": {"number": {"type": "integer"}, "text": {"type": "string"}},
            "required": ["number", "text"],
        },
    },
}


# --- the upstream ---------------------------------------------------------------------------------


def upstream(pause_s: float = 1 / CHUNKS_A_SECOND) -> Starlette:
    """Return a server that answers in LTON if the request is in LTON, and else in JSON."""

    async def answer(request: Request) -> StreamingResponse:
        body = await request.json()
        number = int(re.findall(r"number (\d+)", json.dumps(body["messages"]))[-1])
        pieces = _json(number) if "tools" in body else _lton(number)
        return StreamingResponse(_events(pieces, pause_s), media_type="text/event-stream")

    async def models(_: Request) -> JSONResponse:
        return JSONResponse({"object": "list", "data": [{"id": "m", "object": "model"}]})

    return Starlette(
        routes=[
            Route("/v1/chat/completions", answer, methods=["POST"]),
            Route("/v1/models", models),
        ]
    )


def _text(number: int) -> list[str]:
    return [f"{number} " for _ in range(WORDS)]


def _lton(number: int) -> Iterator[dict[str, Any]]:
    for word in _text(number)[: WORDS // 2]:
        yield {"content": word}
    yield {"content": f'\n!call note(number={number}, text="'}
    for word in _text(number)[WORDS // 2 :]:
        yield {"content": word}
    yield {"content": '")'}


def _json(number: int) -> Iterator[dict[str, Any]]:
    for word in _text(number)[: WORDS // 2]:
        yield {"content": word}
    function = {"name": "note", "arguments": ""}
    yield {"tool_calls": [{"index": 0, "id": "1", "type": "function", "function": function}]}
    yield _arguments(f'{{"number":{number},"text":"')
    for word in _text(number)[WORDS // 2 :]:
        yield _arguments(word)
    yield _arguments('"}')


def _arguments(text: str) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "function": {"arguments": text}}]}


async def _events(pieces: Iterator[dict[str, Any]], pause_s: float) -> AsyncIterator[bytes]:
    head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}

    def event(delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n".encode()

    for piece in pieces:
        yield event(piece)
        await asyncio.sleep(pause_s)
    yield event({}, "stop")
    yield b"data: [DONE]\n\n"


# --- the clients ----------------------------------------------------------------------------------


async def load(url: str, clients: int, seconds: float) -> tuple[Counter[str], list[float]]:
    """Let clients ask until the time ends; return the outcomes of the answers and the times."""
    counts: Counter[str] = Counter()
    times: list[float] = []
    end = time.perf_counter() + seconds
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=clients)
    async with httpx2.AsyncClient(base_url=url, limits=limits, timeout=60) as http:

        async def ask_again(number: int) -> None:
            await asyncio.sleep(number / clients)  # not all in one moment
            while time.perf_counter() < end:
                counts[await _ask(http, number, times)] += 1
                number += clients

        await asyncio.gather(*(ask_again(number) for number in range(clients)))
    return counts, times


async def _ask(
    http: httpx2.AsyncClient, number: int, times: list[float], tool: dict[str, Any] = TOOL
) -> str:
    body = {"model": "m", "messages": [_asked(number)], "tools": [tool], "stream": True}
    answer = _Answer()
    try:
        async with http.stream("POST", "/v1/chat/completions", json=body) as reply:
            if reply.status_code != 200:
                return _told("refused", (await reply.aread()).decode())
            async for line in reply.aiter_lines():
                if line.startswith("data: {"):
                    answer.take(json.loads(line[6:]))
    except (httpx2.HTTPError, KeyError, ValueError) as error:
        return _told("lost", f"{_root(error)!r} after {answer}")
    times.append(answer.first)
    if answer.error or not answer.reason:
        return _told("refused" if answer.error else "lost", f"{answer.error} after {answer}")
    return answer.judged(number)


@dataclass
class _Answer:
    """What has come of an answer."""

    content: str = ""
    arguments: str = ""
    reason: str | None = None
    error: Any = None
    first: float = 0.0
    """When the first content came."""
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
        if {int(found) for found in re.findall(r"\d+", self.content + self.arguments)} != {number}:
            return "crossed"
        text = "".join(_text(number))
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


def _told(what: str, why: str) -> str:
    """Print why an answer is not right."""
    print(f"{what}: {why[:300]}", file=sys.stderr, flush=True)
    return what


async def soak(url: str, process: int, requests: int, clients: int = 16) -> list[float]:
    """Send requests, each with tools of its own; return the memory at each tenth, in megabytes.

    Raises `RuntimeError` for an answer that is not right.
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
    body = {"model": "m", "messages": [_asked(number)], "tools": tools}
    reply = (await http.post("/v1/chat/completions", json=body)).json()
    _check(number, reply["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"])


async def _ask_streamed(http: httpx2.AsyncClient, number: int, tool: dict[str, Any]) -> None:
    if await _ask(http, number, [], {"type": "function", "function": tool}) != "right":
        raise RuntimeError(f"the answer {number} is not right")


async def _ask_responses(http: httpx2.AsyncClient, number: int, tool: dict[str, Any]) -> None:
    body = {"model": "m", "input": [_asked(number)], "tools": [{"type": "function", **tool}]}
    reply = (await http.post("/v1/responses", json=body)).json()
    _check(number, reply["output"][-1]["arguments"])


def _asked(number: int) -> dict[str, Any]:
    return {"role": "user", "content": f"Note the number {number}."}


def _check(number: int, arguments: str) -> None:
    if json.loads(arguments)["number"] != number:
        raise RuntimeError(f"the answer {number} is not right: {arguments}")


# --- the servers ----------------------------------------------------------------------------------


@contextmanager
def started(
    command: Sequence[str], url: str, **variables: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server until it is no longer wanted. Raises `TimeoutError` if it does not answer."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(  # noqa: S603 - the commands of `main`
            command, stdout=log, stderr=log, env={**os.environ, **variables}
        )
        try:
            end = time.monotonic() + 120
            while True:
                try:
                    httpx2.get(f"{url}/v1/models", timeout=1)
                    break
                except httpx2.HTTPError:
                    if process.poll() is not None or time.monotonic() > end:
                        log.seek(0)
                        raise TimeoutError(log.read().decode(errors="replace")[-500:]) from None
                    time.sleep(0.1)
            yield process
        finally:
            process.terminate()
            process.wait()


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def resident(process: int) -> float:
    """Return the megabytes that a process and its children have in memory."""
    return sum(map(int, _listed("rss", process))) / 1024


def processor_s(process: int) -> float:
    """Return the seconds of the processor that a process and its children have had (Linux only)."""
    ticks = 0
    for each in _listed("pid", process):
        with suppress(FileNotFoundError):  # a child that has just ended
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])  # in the program, and in the kernel for it
    return ticks / os.sysconf("SC_CLK_TCK")


def _listed(field: str, process: int) -> list[str]:
    """Return what `ps` says of a process and its children."""
    listed = subprocess.run(  # noqa: S603 - a word and a number
        ["ps", "-o", f"{field}=", "--pid", str(process), "--ppid", str(process)],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
    )
    return listed.stdout.split()


def race(
    name: str, url: str, process: int, source: int, options: argparse.Namespace
) -> list[float]:
    """Put a server under load and print the results; return the times in milliseconds.

    They are the median, the 99th percentile, the processor time of an answer; last is the number of
    answers that were not right.
    `source` is the process of the upstream.
    """
    asyncio.run(load(url, min(options.clients, 10), 1))
    before = resident(process)
    spent = [-each for each in _spent(process, source)]
    counts, times = asyncio.run(load(url, options.clients, options.seconds))
    spent = [
        1000 * (now + then) / sum(counts.values())
        for now, then in zip(_spent(process, source), spent, strict=True)
    ]
    after = resident(process)
    first = sorted(1000 * each for each in times)
    p50, p99 = median(first), quantiles(first, n=100)[98]
    wrong = ", ".join(
        f"{counts[what]} {what}" for what in ("refused", "lost", "crossed", "garbled")
    )
    print(
        f"{name:11} {sum(counts.values()):6} answers, {wrong}; first byte p50 {p50:.1f} ms,"
        f" p99 {p99:.1f} ms; memory {before:.0f} -> {after:.0f} MB; processor an answer:"
        f" {spent[0]:.1f} ms, upstream {spent[1]:.1f}, clients {spent[2]:.1f}",
        flush=True,
    )
    return [p50, p99, spent[0], sum(counts.values()) - counts["right"]]


def _spent(process: int, source: int) -> list[float]:
    """Return the processor seconds of a server, of the upstream, and of the clients here."""
    return [processor_s(process), processor_s(source), time.process_time()]


def main() -> None:
    """Run the benchmark; the status is 1 if an answer was not right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--workers", type=int, nargs="+", default=[1], help="of lton serve")
    parser.add_argument("--litellm", metavar="PROGRAM", help="the program of litellm[proxy]")
    parser.add_argument("--requests", type=int, help="so many, and what memory grows by")
    parser.add_argument("--upstream", type=int, help=argparse.SUPPRESS)  # this process is it
    parser.add_argument("--pause", type=float, default=1 / CHUNKS_A_SECOND, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.upstream:
        uvicorn.run(upstream(options.pause), port=options.upstream, log_level="error")
        return
    if options.requests:
        sys.exit(_soak(max(options.requests, 10)))
    ports = [free_port() for _ in range(4)]
    urls = [f"http://127.0.0.1:{port}" for port in ports]
    here = [sys.executable, "-m"]
    bare_proxy = [*here, "lton_bench.bare_proxy", str(ports[3]), urls[0]]
    print(f"{options.clients} clients for {options.seconds:g} s each", flush=True)
    with started([*here, "lton_bench.gateway_load", "--upstream", str(ports[0])], urls[0]) as up:
        direct = race("upstream", urls[0], up.pid, up.pid, options)
        with started(bare_proxy, urls[3]) as process:
            bare = race("bare proxy", urls[3], process.pid, up.pid, options)
        serve = [*here, "lton", "serve", "--upstream", urls[0], "--port", str(ports[1])]
        serve += ["--engine", "vllm", "--calls"]
        ways = {"native": ["native"]}
        for workers in options.workers:
            name = "lton" if workers == 1 else f"{workers} workers"
            ways[name] = ["lton", "--workers", str(workers)]
        found = {"bare proxy": bare}
        for name, way in ways.items():
            with started([*serve, *way], urls[1]) as process:
                found[name] = race(name, urls[1], process.pid, up.pid, options)
        wrong = direct[-1] + sum(each[-1] for each in found.values())
        if options.litellm:
            found["litellm"] = _litellm(options, urls[0], ports[2], urls[2], up.pid)
    for name, (p50, p99, spent, _) in found.items():
        print(
            f"{name:11} adds p50 {p50 - direct[0]:.1f} ms, p99 {p99 - direct[1]:.1f} ms;"
            f" processor an answer: {spent / bare[2]:.2f} of the bare proxy's"
        )
    sys.exit(bool(wrong))


def _soak(requests: int) -> int:
    """Print what memory grows by, and say whether it is too much."""
    ports = [free_port() for _ in range(2)]
    urls = [f"http://127.0.0.1:{port}" for port in ports]
    here = [sys.executable, "-m"]
    source = [*here, "lton_bench.gateway_load", "--upstream", str(ports[0]), "--pause", "0"]
    serve = [*here, "lton", "serve", "--upstream", urls[0], "--port", str(ports[1])]
    with (
        started(source, urls[0]),
        started([*serve, "--calls", "lton", "--engine", "vllm"], urls[1]) as process,
    ):
        sizes = asyncio.run(soak(urls[1], process.pid, requests))
    half = len(sizes) // 2
    growth = sizes[-1] - sizes[half]
    print(
        f"{requests} requests: {sizes[0]:.1f} MB before, {sizes[half]:.1f} after half,"
        f" {sizes[-1]:.1f} at the end: {growth:+.1f} MB in the second half"
    )
    return growth > MOST_GROWTH


def _litellm(
    options: argparse.Namespace, upstream_url: str, port: int, url: str, source: int
) -> list[float]:
    parameters = {"model": "openai/m", "api_base": f"{upstream_url}/v1", "api_key": "none"}
    config = {
        "model_list": [{"model_name": "m", "litellm_params": parameters}],
        "litellm_settings": {"callbacks": [], "num_retries": 0},
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "config.yaml"
        file.write_text(json.dumps(config))  # JSON is YAML
        command = [
            options.litellm,
            "--config",
            str(file),
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
        ]
        # It refuses to start without a key; nobody but this program can reach it.
        weak = "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY"
        variables = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", weak: "true"}
        with started(command, url, **variables) as process:
            return race("litellm", url, process.pid, source, options)


if __name__ == "__main__":
    main()
