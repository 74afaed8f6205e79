"""Test that a request is repeated without tools after an empty answer to an unreadable call."""

import json
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lton.gateway.serving import application
from tests.gateway import native
from tests.gateway.conftest import Served, chat
from tests.gateway.native import PATHS, objects, stream, whole

CALL = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>'


class Ollama:
    """A server that drops the text of a call if the request has tools, as Ollama's parsers do."""

    def __init__(self, owner: str, text: str = CALL) -> None:
        self.owner, self.text = owner, text
        self.bodies: list[Any] = []
        routes = [Route(PATHS["chat"], self.answer, methods=["POST"])]
        self.app = Starlette(routes=[*routes, Route("/v1/models", self.models)])

    async def models(self, _: Request) -> Response:
        return JSONResponse({"data": [{"id": "m", "owned_by": self.owner}]})

    async def answer(self, asked: Request) -> Response:
        body = await asked.json()
        if not body:
            return JSONResponse({"error": {"message": "[] is too short - 'messages'"}}, 400)
        if body.get("max_tokens") == 1:  # a probe: the prompt is longer with a tool
            tokens = {"prompt_tokens": 9 + 30 * ("tools" in body), "completion_tokens": 1}
            return JSONResponse(json.loads(whole("chat", "Hi")) | {"usage": tokens})
        self.bodies.append(body)
        text = "" if "tools" in body else self.text
        if body.get("stream"):
            return Response(b"".join(stream("chat", text)), media_type="text/event-stream")
        return Response(whole("chat", text), media_type="application/json")


def answered(server: Ollama, *, streamed: bool = False, **options: Any) -> tuple[Any, str]:
    upstream = Served(server.app)
    how = {"engine": "auto", "calls": "auto", "quiet": True, **options}
    served = Served(application(native.options(upstream.url, **how)))
    headers = {"x-lton-calls": "native"} if options.get("engine") == "plain" else {}
    url = served.url + PATHS["chat"]
    found = httpx2.post(url, json=chat(stream=streamed), headers=headers)
    metrics = httpx2.get(served.url + "/metrics").text
    served.close()
    upstream.close()
    return found, metrics


def test_a_lost_call_is_read_from_an_answer_without_tools() -> None:
    """The client receives the call once, and the tokens of both answers."""
    server = Ollama("library")
    found, metrics = answered(server)
    (call,) = found.json()["choices"][0]["message"]["tool_calls"]
    assert call["function"]["name"] == "weather"
    assert json.loads(call["function"]["arguments"]) == {"city": "Oslo"}
    assert found.json()["usage"]["completion_tokens"] == 6
    assert ["tools" in each for each in server.bodies] == [True, False]
    assert "weather(city" in json.dumps(server.bodies[1]["messages"])
    assert "lton_retries_total 1.0" in metrics


def test_a_stream_of_a_lost_call_has_one_beginning() -> None:
    """The stream has one beginning, because nothing is sent before the second answer."""
    server = Ollama("library")
    found, _ = answered(server, streamed=True)
    deltas = [each["choices"][0]["delta"] for each in objects(found.content) if each["choices"]]
    assert sum("role" in each for each in deltas) == 1
    calls = [each for delta in deltas for each in delta.get("tool_calls", ())]
    assert [each["function"]["name"] for each in calls if each.get("id")] == ["weather"]
    assert "".join(each["function"].get("arguments", "") for each in calls) == '{"city":"Oslo"}'
    assert ["tools" in each for each in server.bodies] == [True, False]


def test_prose_that_was_lost_stays_prose() -> None:
    """A second answer without a call is passed on as prose."""
    found, _ = answered(Ollama("library", "It is cold."))
    message = found.json()["choices"][0]["message"]
    assert (message["content"], message.get("tool_calls")) == ("It is cold.", None)


@pytest.mark.parametrize(
    ("owner", "options"),
    [
        ("library", {"calls": "native"}),
        ("library", {"engine": "plain"}),
        ("vllm", {}),
        ("somebody", {}),
    ],
)
def test_tools_are_left_out_only_for_ollama_and_auto(owner: str, options: dict[str, Any]) -> None:
    """Other servers and modes get the same request once more, and then return an error."""
    server = Ollama(owner)
    found, _ = answered(server, **options)
    assert (found.status_code, found.json()["error"]["code"]) == (502, "empty_answer")
    assert ["tools" in each for each in server.bodies] == [True, True]
