"""Run `make context-demo`: an agent of 60 turns, and a model with a small window.

A real llama.cpp server has a window of 4,096 tokens, and the unchanged `openai` client sends the
whole conversation each time. First `lton serve` runs with default options, until the server
refuses; then with `--context window=4096`, to the end. SmolLM2 is too small for an agent, so each
call is forced (`tool_choice`).
"""

import argparse
import json
import random
from typing import Any

import httpx2

from lton_bench.demo import start_server
from tests.gateway.agents import MODEL
from tests.gateway.demo import say, serving

WINDOW = 4096
PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS: list[Any] = [
    {
        "type": "function",
        "function": {"name": "read_log", "description": "Read a log.", "parameters": PATH},
    }
]
CALLED: Any = {"type": "function", "function": {"name": "read_log"}}


def result(turn: int, size: int) -> str:
    """Return a log with the given number of lines, of about seven tokens each."""
    generator = random.Random(turn)
    words = ("started", "stopped", "failed", "waits", "is ready")
    lines = (f"worker {generator.randrange(40)} {generator.choice(words)}" for _ in range(size))
    return f"log {turn}\n" + "\n".join(lines)


def converse(url: str, turns: int, size: int) -> tuple[int, str]:
    """Continue until all turns are done or one is refused, and return their number and the
    reason.
    """
    from openai import BadRequestError, OpenAI

    messages: list[Any] = [{"role": "user", "content": "Read the logs, one after the other."}]
    with OpenAI(base_url=f"{url}/v1", api_key="none", timeout=300, max_retries=0) as client:
        for turn in range(1, turns + 1):
            try:
                response: Any = client.chat.completions.create(
                    model=MODEL,
                    messages=messages,
                    tools=TOOLS,
                    tool_choice=CALLED,
                    parallel_tool_calls=False,
                    max_tokens=32,
                    temperature=0,
                )
            except BadRequestError as error:
                return turn - 1, str(error)
            message = response.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            messages += [
                {"role": "tool", "tool_call_id": call.id, "content": result(turn, size)}
                for call in message.tool_calls or ()
            ]
            if turn % 10 == 0 or turn == 1:
                usage = response.usage
                cached = usage.prompt_tokens_details.cached_tokens
                say(f"turn {turn:>2}: a prompt of {usage.prompt_tokens} tokens, {cached} cached")
    return turns, ""


def figures(url: str) -> dict[str, float]:
    """Return the figures about the context from `/metrics`."""
    lines = httpx2.get(f"{url}/metrics").text.splitlines()
    metrics = [line.rsplit(" ", 1) for line in lines if line.startswith("lton_context")]
    return {
        name.removeprefix("lton_context_"): float(value)
        for name, value in metrics
        if "_created" not in name
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--lines", type=int, default=60, help="of a result")
    parser.add_argument("--planned", action="store_true", help="leave out what is refused")
    arguments = parser.parse_args()
    turns, size = arguments.turns, arguments.lines
    say(f"starting a llama.cpp server with SmolLM2-135M and a window of {WINDOW} tokens ...")
    server = start_server(context=WINDOW)
    if not arguments.planned:
        with serving(server.listening_address) as url:
            finished, why = converse(url, turns, size)
            say(f"lton serve: {finished} of {turns} turns; {why[:120]}")
    context = f"window={WINDOW},reserve=256,hot=2,clear=always"
    with serving(server.listening_address, "--calls", "lton", "--set", f"context={context}") as url:
        finished, why = converse(url, turns, size)
        say(f"lton serve --set context={context}: {finished} of {turns} turns {why[:120]}")
        print(json.dumps(figures(url), indent=1), flush=True)
    assert finished == turns


if __name__ == "__main__":
    main()
