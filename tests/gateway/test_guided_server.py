"""Test `lton serve --calls guided` in front of a llama.cpp server with SmolLM2."""

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from lton.gateway.serving import build_application
from lton_bench.demo import start_server
from tests.gateway import native
from tests.gateway.conftest import Served
from tests.gateway.native import PATHS, calls_of

pytestmark = pytest.mark.server
DAYS = {"type": "integer", "minimum": 1, "maximum": 9}
CITY = {"type": "string", "enum": ["Oslo", "Rome", "Lima"]}
TOOLS = {
    "get_weather": {"city": CITY, "days": DAYS},
    "stop_music": {},
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Return the address of a gateway that detects that the template shows no tools."""
    server = start_server(2048)
    options = native.options(server.listening_address, calls="auto", engine="llama.cpp", quiet=True)
    served = Served(build_application(options))
    yield served.url
    served.close()
    del server


def body(api: str, **more: Any) -> dict[str, Any]:
    question = "What is the weather in Rome for the next 3 days?"
    tools = []
    for name, properties in TOOLS.items():
        schema = {"type": "object", "properties": properties, "required": [*properties]}
        if api == "messages":
            tools.append({"name": name, "input_schema": schema})
        elif api == "responses":
            tools.append({"type": "function", "name": name, "parameters": schema})
        else:
            function = {"name": name, "parameters": schema}
            tools.append({"type": "function", "function": function})
    key = "input" if api == "responses" else "messages"
    members = {key: [{"role": "user", "content": question}], "model": "m", "tools": tools}
    return members | ({"max_tokens": 64} if api == "messages" else {}) | more


@pytest.mark.parametrize("api", [*PATHS])
def test_a_model_without_tools_calls_the_right_one(url: str, api: str) -> None:
    """The program writes the names, and the model chooses the values."""
    required = {"type": "any"} if api == "messages" else "required"
    reply = httpx2.post(url + PATHS[api], json=body(api, tool_choice=required), timeout=120)
    assert reply.status_code == 200
    assert calls_of(api, reply.json()) == [("get_weather", {"city": "Rome", "days": 3})]


def test_an_answer_is_streamed_and_says_what_it_took(url: str) -> None:
    chat_request = body("chat", stream=True, tool_choice="required", top_p=0.9)
    chat_request["stream_options"] = {"include_usage": True}
    reply = httpx2.post(url + PATHS["chat"], json=chat_request, timeout=120)
    events = [json.loads(line[6:]) for line in reply.text.splitlines() if "{" in line]
    deltas = [choice["delta"] for event in events for choice in event["choices"]]
    calls = [call for delta in deltas for call in delta.get("tool_calls") or ()]
    names = [call["function"]["name"] for call in calls if call["function"].get("name")]
    assert names == ["get_weather"]
    assert events[-1]["usage"]["completion_tokens"] < 20


def test_what_has_no_tools_is_the_servers(url: str) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 4}
    reply = httpx2.post(url + PATHS["chat"], json=body, timeout=120).json()
    assert reply["choices"][0]["message"]["content"]
    assert "tool_calls" not in reply["choices"][0]["message"]
