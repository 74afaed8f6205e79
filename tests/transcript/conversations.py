"""Conversations for the tests of contexts, and a counter whose tokens are characters."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lton.stores import Store, open_store
from lton.tokens.counting import Count, Counter
from lton.transcript import Transcript

TAU = Path(__file__).parent.parent / "chat" / "tau-airline.jsonl.gz"
"""100 conversations of agents: sierra-research/tau-bench, MIT (LICENSE.tau-bench)."""


class Characters(Counter):
    """Count one token for each character."""

    def __init__(self) -> None:
        super().__init__("characters", exact=True)

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        return [Count(len(text), exact=True) for text in texts]


def tau(count: int) -> list[list[dict[str, Any]]]:
    """Return the first conversations of tau-bench's airline."""
    lines = gzip.decompress(TAU.read_bytes()).splitlines()[:count]
    return [json.loads(line)["messages"] for line in lines]


def user_message(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant_message(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def calling(
    *ids: str, name: str = "read", arguments: str = '{"path":"src/a.py"}'
) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    calls = [{"id": id_, "type": "function", "function": function} for id_ in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(id_: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": content, **more}


def transcript(*messages: Any, store: Store | None = None, **options: Any) -> Transcript:
    """Return a transcript that counts characters, clears at once, and has one recent turn."""
    settings: dict[str, Any] = {
        "counter": Characters(),
        "hot_turns": 1,
        "clear": "always",
        "window": 90_000,
    }
    chat = Transcript(store=store or open_store("memory:"), **(settings | options))
    for message in messages:
        chat.append(message)
    return chat


def contents(chat: Transcript) -> list[Any]:
    """Return the contents of the shown messages."""
    return [message["content"] for message in chat.render().messages]
