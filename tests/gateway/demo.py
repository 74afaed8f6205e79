"""Run `make serve-demo`: a real llama.cpp server, `lton serve` in front of it, and a stock agent.

SmolLM2 has 135 million parameters, and is too small for an agent. So each turn forces one call,
with OpenAI's `tool_choice`, and only the last answer is the model's own. In addition to the two
tools, the agent has the tools of an MCP server.
"""

import itertools
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from lton_bench.demo import start_server
from tests.gateway.agents import CHAT, MODEL, Tools

QUESTION = "How warm is it in Oslo today, in Fahrenheit?"
STEPS: tuple[Any, ...] = ("weather", "fahrenheit", None)
"""The tool of each turn; None is the answer."""
LIMIT = 48
SERVER = Path("benchmarks/lton_bench/mcp/memory.json")
MORE: list[Any] = [
    {
        "type": "function",
        "function": {
            "name": tool["name"],
            "description": tool["description"],
            "parameters": tool["inputSchema"],
        },
    }
    for tool in json.loads(SERVER.read_text())["tools"]
]
COLUMNS = [(kind, notation) for kind in ("prompt", "completion") for notation in ("lton", "json")]
BEGAN = time.monotonic()


def say(text: str) -> None:
    print(f"{time.monotonic() - BEGAN:5.1f} s  {text}", flush=True)


@contextmanager
def serving(upstream: str, *more: str) -> Iterator[str]:
    options = ("--upstream", upstream, "--port", "0", "--tokenizer", "smollm2", *more)
    command = (sys.executable, "-m", "lton", "serve", *options)
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    try:
        yield child.stdout.readline().strip()
    finally:
        child.terminate()
        child.wait()


def main() -> None:
    say("starting a llama.cpp server with SmolLM2-135M ...")
    server = start_server(context=2048)
    say(f"it listens at {server.listening_address}; starting lton serve before it ...")
    with serving(server.listening_address) as url:
        say(f"it listens at {url}; an agent with {len(CHAT + MORE)} tools asks: {QUESTION}")
        say("the first answer takes longest: its server has yet to read all of the tools ...")
        tools, rows = Tools(cities=()), [figures(url)]
        from openai import OpenAI

        with OpenAI(base_url=f"{url}/v1", api_key="none", timeout=100) as client:
            messages: list[Any] = [{"role": "user", "content": QUESTION}]
            for tool in STEPS:
                turn(client, messages, tools, tool)
                rows.append(figures(url))
    assert [name for name, *_ in tools.called] == ["weather", "fahrenheit"]
    say("tokens of SmolLM2, as they were and as JSON (what a chat template adds is in neither):")
    print(f"{'request':>9} {'prompt':>8} {'as JSON':>8} {'written':>8} {'as JSON':>8}")
    for number, (before, after) in enumerate(itertools.pairwise(rows), 1):
        show(str(number), [b - a for a, b in zip(before, after, strict=True)])
    show("together", rows[-1])
    say("done")


def turn(client: Any, messages: list[Any], tools: Tools, tool: str | None) -> None:
    """Ask once, and run the calls."""
    choice: Any = {"type": "function", "function": {"name": tool}} if tool else "none"
    response = client.chat.completions.create(
        model=MODEL,
        messages=messages,
        tools=CHAT + MORE,
        tool_choice=choice,
        parallel_tool_calls=False,
        max_tokens=LIMIT,
        temperature=0,
    )
    message: Any = response.choices[0].message
    messages.append(message.model_dump(exclude_none=True))
    for call in message.tool_calls or ():
        result = tools.run(call.function.name, call.function.arguments)
        say(f"the model calls {call.function.name} {call.function.arguments} -> {result}")
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    if message.content:
        say(f"the model says {message.content!r}")


def figures(url: str) -> list[int]:
    """Return the counts of the gateway so far, by `COLUMNS`."""
    lines = httpx2.get(f"{url}/metrics").text.splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    names = [f'lton_tokens_total{{kind="{kind}",notation="{how}"}}' for kind, how in COLUMNS]
    return [int(float(values.get(name, 0))) for name in names]


def show(name: str, figures: list[int]) -> None:
    print(f"{name:>9} " + " ".join(f"{value:>8}" for value in figures), flush=True)


if __name__ == "__main__":
    main()
