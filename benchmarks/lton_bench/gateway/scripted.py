"""Serve scripted streams of prose and a call, which contain the client's number.

python -m lton_bench.gateway.scripted PORT [--pause 0]
"""

import argparse
import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

CHUNKS_A_SECOND = 10
WORDS = 12
"""The number of words in an answer, one per chunk."""
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


def upstream(pause_s: float = 1 / CHUNKS_A_SECOND) -> Starlette:
    """Return a server that answers in LTON to requests without tools, and otherwise in JSON."""

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


def words_of(number: int) -> list[str]:
    """Return the words of the answer to the client with this number."""
    return [f"{number} " for _ in range(WORDS)]


def _lton(number: int) -> Iterator[dict[str, Any]]:
    for word in words_of(number)[: WORDS // 2]:
        yield {"content": word}
    yield {"content": f'\n!call note(number={number}, text="'}
    for word in words_of(number)[WORDS // 2 :]:
        yield {"content": word}
    yield {"content": '")'}


def _json(number: int) -> Iterator[dict[str, Any]]:
    for word in words_of(number)[: WORDS // 2]:
        yield {"content": word}
    function = {"name": "note", "arguments": ""}
    yield {"tool_calls": [{"index": 0, "id": "1", "type": "function", "function": function}]}
    yield _arguments(f'{{"number":{number},"text":"')
    for word in words_of(number)[WORDS // 2 :]:
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


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("port", type=int)
    parser.add_argument("--pause", type=float, default=1 / CHUNKS_A_SECOND, help="in seconds")
    options = parser.parse_args()
    uvicorn.run(upstream(options.pause), port=options.port, log_level="error")


if __name__ == "__main__":
    main()
