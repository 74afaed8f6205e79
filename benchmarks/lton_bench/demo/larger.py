"""Ask a model in four ways: by its server's tool calling, with rescued calls, and in LTON."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lton._require import require
from lton.chat import Message, render, to_openai
from lton.engines import server
from lton.engines.generation import Generation
from lton.errors import LTONError
from lton.gateway.native.rescues import Allowed, read_calls
from lton.generate import guided
from lton.schema import Call, ToolSet
from lton_bench.demo import QUESTIONS

__all__ = ["ASKED", "WAYS", "Answered", "answers", "is_right"]

ASKED: Sequence[tuple[str, Call | None]] = (
    *QUESTIONS,
    (
        "Show me at most 3 closed issues about login in the repo acme/web.",
        Call(
            "search_issues", {"query": "login", "repo": "acme/web", "state": "closed", "limit": 3}
        ),
    ),
    (
        "I need the forecast for Oslo in Fahrenheit, 2 days ahead.",
        Call("weather.v1", {"city": "Oslo", "days": 2, "unit": "F"}),
    ),
    ("Translate 'good morning' into French.", None),
    ("What is the capital of Italy?", None),
)
"""Questions with the expected call; the last two expect none."""
WAYS = ("native", "rescued", "LTON", "guided")
_MOST = 96
"""The most tokens of an answer."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a question in one way."""

    calls: Sequence[Call]
    sampled: int
    seconds: float


def answers(
    url: str, definitions: Sequence[Mapping[str, Any]], tools: ToolSet
) -> dict[str, list[Answered]]:
    """Ask the model of a llama.cpp server all questions in all ways, one way after the other.

    In this order the server reads the tools once per way. Rescued calls are read from the native
    answer, as `lton serve --calls native` does.
    """
    native = [_native(url, question, definitions, tools) for question, _ in ASKED]
    engine = server.load(url)

    def direct(question: str) -> Generation:
        shown = render([Message.saying("user", question)], tools).messages
        return server.complete(
            engine, to_openai(shown), tools, tool_choice="auto", max_tokens=_MOST
        )

    def valued(question: str) -> Generation:
        return guided(engine, question, tools, tool_choice="auto", max_tokens=_MOST)

    try:
        return {
            "native": [own for own, _ in native],
            "rescued": [read for _, read in native],
            "LTON": [_timed(direct, question) for question, _ in ASKED],
            "guided": [_timed(valued, question) for question, _ in ASKED],
        }
    finally:
        engine.close()


def is_right(calls: Sequence[Call], wanted: Call | None) -> bool:
    """Return whether calls are as expected; options with their default values may be added.

    >>> is_right([Call("wait", {"minutes": 5, "loud": False})], Call("wait", {"minutes": 5}))
    True
    """
    if wanted is None or not calls:
        return not calls and wanted is None
    [*others, call] = calls
    said = {
        name: value for name, value in call.arguments.items() if value or name in wanted.arguments
    }
    return not others and (call.name, said) == (wanted.name, dict(wanted.arguments))


def _native(
    url: str, question: str, definitions: Sequence[Mapping[str, Any]], tools: ToolSet
) -> tuple[Answered, Answered]:
    """Return the calls of the server's own tool calling, and the rescued calls."""
    messages = to_openai([Message.saying("user", question)])
    body = {"messages": messages, "tools": definitions, "temperature": 0, "max_tokens": _MOST}
    began = time.perf_counter()
    httpx = require("httpx2", "tokens")
    said = httpx.post(f"{url}/v1/chat/completions", json=body, timeout=300).raise_for_status()
    seconds = time.perf_counter() - began
    [choice], sampled = said.json()["choices"], said.json()["usage"]["completion_tokens"]
    calls = _calls(choice["message"])
    allowed = Allowed(tools=tools, names=frozenset(tools.by_name), parallel=False)
    found = None if calls else read_calls(choice["message"].get("content") or "", allowed).rescue
    read = [Call(call.name, json.loads(call.written)) for call in found.calls] if found else calls
    return Answered(calls, sampled, seconds), Answered(read, sampled, seconds)


def _calls(message: Mapping[str, Any]) -> list[Call]:
    made = [each["function"] for each in message.get("tool_calls") or ()]
    with suppress(ValueError):
        return [Call(each["name"], json.loads(each["arguments"])) for each in made]
    return []


def _timed(ask: Callable[[str], Generation], question: str) -> Answered:
    began, calls, sampled = time.perf_counter(), list[Call](), _MOST
    with suppress(LTONError):  # an answer in words that has not come to its end
        answer = ask(question)
        calls, sampled = answer.calls, answer.spent.sampled
    return Answered(calls, sampled, time.perf_counter() - began)
