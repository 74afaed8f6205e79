"""`make serve-demo`: a real llama.cpp server, `lton serve` before it, and a stock agent.

SmolLM2 has 135 million parameters, and is no agent: so what it is to call is forced, a tool a turn,
as OpenAI's `tool_choice` does. What it says in the end is its own.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openai

from lton._json import minified
from lton.tokens import counter
from tests.gateway.agents import CHAT, MODEL, Tools
from tests.tokens.llama_server import start

QUESTION = "How warm is it in Oslo today, in Fahrenheit?"
STEPS: tuple[Any, ...] = ("weather", "fahrenheit", None)
"""The tool of each turn; None is the answer."""
LIMIT = 48
BEGAN = time.monotonic()


def say(text: str) -> None:
    print(f"{time.monotonic() - BEGAN:5.1f} s  {text}", flush=True)


@contextmanager
def serving(upstream: str, log: Path) -> Iterator[str]:
    command = (sys.executable, "-m", "lton", "serve", "--upstream", upstream, "--port", "0")
    child = subprocess.Popen(
        (*command, "--log", str(log)), stdout=subprocess.PIPE, text=True, env=os.environ
    )
    assert child.stdout is not None
    try:
        yield child.stdout.readline().strip()
    finally:
        child.terminate()
        child.wait()


def main() -> None:
    say("starting a llama.cpp server with SmolLM2-135M ...")
    server = start(context=2048)
    say(f"it listens at {server.listening_address}; starting lton serve before it ...")
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log.jsonl")
        with serving(server.listening_address, log) as url:
            say(f"it listens at {url}; OpenAI's client asks it: {QUESTION}")
            tools = Tools(cities=())
            with openai.OpenAI(base_url=f"{url}/v1", api_key="none", timeout=100) as client:
                messages: list[Any] = [{"role": "user", "content": QUESTION}]
                for tool in STEPS:
                    turn(client, messages, tools, tool)
            assert [name for name, *_ in tools.called] == ["weather", "fahrenheit"]
            compare(log)
    say("done")


def turn(client: openai.OpenAI, messages: list[Any], tools: Tools, tool: str | None) -> None:
    """Ask once, and run what is called."""
    choice: Any = {"type": "function", "function": {"name": tool}} if tool else "none"
    said = client.chat.completions.create(
        model=MODEL,
        messages=messages,
        tools=CHAT,
        tool_choice=choice,
        parallel_tool_calls=False,
        max_tokens=LIMIT,
        temperature=0,
    )
    message: Any = said.choices[0].message
    messages.append(message.model_dump(exclude_none=True))
    for call in message.tool_calls or ():
        result = tools.run(call.function.name, call.function.arguments)
        say(f"the model calls {call.function.name} {call.function.arguments} -> {result}")
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    if message.content:
        say(f"the model says {message.content!r}")


def compare(log: Path) -> None:
    """Print what each request cost, and what it would have cost as JSON, by the model's tokens."""
    count = counter("smollm2").count
    say("tokens of SmolLM2, as they were and as JSON (without what a chat template adds):")
    print(f"{'request':>9} {'prompt':>8} {'as JSON':>8} {'written':>8} {'as JSON':>8}")
    total = [0, 0, 0, 0]
    for number, line in enumerate(log.read_text().splitlines(), 1):
        texts = json.loads(line)["texts"]
        row = [count(texts[kind][notation]).tokens for kind, notation in COLUMNS]
        total = [*map(sum, zip(total, row, strict=True))]
        print(f"{number:>9} " + " ".join(f"{each:>8}" for each in row))
    print(f"{'together':>9} " + " ".join(f"{each:>8}" for each in total), flush=True)


COLUMNS = (("prompt", "lton"), ("prompt", "json"), ("completion", "lton"), ("completion", "json"))

if __name__ == "__main__":
    main()
