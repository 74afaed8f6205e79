"""Test that the gateway asks again, with the error, for an unreadable or unfit call."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from lton.gateway.command import make_options
from lton.gateway.serving import allowed_retries
from tests.gateway.native import (
    APIS,
    WRITTEN,
    Raw,
    Serve,
    calls_in,
    count_increase,
    objects,
    post,
    read,
    request,
    stream,
    whole,
)

WRONG = [("weather", '{"town":"Oslo"}')]
UNREAD = '{"name": "weather", "arguments": {"town": "Oslo"}}'
Answer = tuple[str, Any]


@dataclass
class Model(Raw):
    """A model that makes a right call only after it was told the error."""

    api: str = "chat"
    wrong: Answer = ("", WRONG)
    learns: bool = True
    told: str = "no parameter 'town'"
    reason: str = ""
    refuses: int = 0

    async def answer(self, request: Request) -> Response:
        request_text = (await request.body()).decode()
        is_told = self.learns and self.told in request_text and "weather" in request_text
        is_right = is_told and not self.refuses
        text, calls = ("", [("weather", WRITTEN)]) if is_right else self.wrong
        self.chunks = stream(self.api, text, calls)
        self.whole = whole(self.api, text, calls)
        if self.reason:
            finish = b'"finish_reason": "tool_calls"', f'"finish_reason": "{self.reason}"'.encode()
            self.chunks = [chunk.replace(*finish) for chunk in self.chunks]
            self.whole = self.whole.replace(*finish)
        if is_told and self.refuses:
            self.bodies.append(await request.body())
            return Response(b'{"error": {"message": "no results"}}', self.refuses)
        return await super().answer(request)


@pytest.fixture(scope="module")
def the_only_raw() -> Raw:
    return Model()


def answered(api: str, reply: Any, streamed: bool) -> tuple[list[Any], dict[str, Any]]:
    """Return the calls and the usage that a client receives."""
    if not streamed:
        return calls_in(api, reply.json()), reply.json()["usage"]
    _, calls, _ = read(api, reply.content)
    received = [event for event in objects(reply.content) if "usage" in str(event)]
    usage = received[-1].get("usage") or received[-1].get("response", {}).get("usage")
    return [(name, json.loads(arguments)) for name, arguments in calls], usage


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("wrong", [("", WRONG), (UNREAD, ())], ids=["a misfit", "a text"])
def test_a_wrong_call_is_asked_for_again_with_the_error(
    serve: Serve, raw: Model, api: str, streamed: bool, wrong: Answer
) -> None:
    """The model gets the error, and the usage and the metrics include the tokens of both
    answers.
    """
    gateway = serve(upstream_api=api, retry=1)
    raw.api, raw.wrong = api, wrong

    with count_increase(gateway) as grown:
        reply = post(gateway, api, request(api, stream=streamed))

    calls, usage = answered(api, reply, streamed)
    assert calls == [("weather", {"city": "Oslo"})]
    assert len(raw.bodies) == 2
    assert usage.get("completion_tokens", usage.get("output_tokens")) == 6
    assert grown["lton_retries_total"] == 1
    assert grown['lton_reported_tokens_total{kind="output"}'] == 6
    assert grown["lton_calls_total"] == 1


@pytest.mark.parametrize("client", ["messages", "responses"])
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(
    "wrong",
    [("", WRONG), (UNREAD, ()), ("", [("weather", '{"city": "Os')])],
    ids=["a misfit", "a text", "no JSON"],
)
def test_a_wrong_call_of_a_server_of_another_api_is_asked_for_again(
    serve: Serve, raw: Model, client: str, streamed: bool, wrong: Answer
) -> None:
    gateway = serve(upstream_api="chat", retry=1)
    raw.wrong = wrong
    raw.told = "error"

    reply = post(gateway, client, request(client, stream=streamed))

    calls, usage = answered(client, reply, streamed)
    assert calls == [("weather", {"city": "Oslo"})]
    assert usage["output_tokens"] == 6
    assert len(raw.bodies) == 2


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(("retry", "requests"), [(0, 1), (1, 2), (3, 4)])
def test_it_is_asked_so_often_and_then_passed_on(
    serve: Serve, raw: Model, streamed: bool, retry: int, requests: int
) -> None:
    """After the given number of retries, the client gets the last answer."""
    gateway = serve(upstream_api="chat", retry=retry)
    raw.learns = False

    reply = post(gateway, "chat", request("chat", stream=streamed))

    assert answered("chat", reply, streamed)[0] == [("weather", {"town": "Oslo"})]
    assert len(raw.bodies) == requests


@pytest.mark.parametrize("client", ["chat", "messages"])
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("refuses", [400, 500])
def test_a_server_that_refuses_the_errors_costs_no_answer(
    serve: Serve, raw: Model, client: str, streamed: bool, refuses: int
) -> None:
    """If the server refuses the second request, the client gets the first answer."""
    gateway = serve(upstream_api="chat", retry=1)
    raw.refuses = refuses

    reply = post(gateway, client, request(client, stream=streamed))

    assert reply.status_code == 200
    assert answered(client, reply, streamed)[0] == [("weather", {"town": "Oslo"})]
    assert len(raw.bodies) == 2
    if client == "chat":
        assert reply.content == (b"".join(raw.chunks) if streamed else raw.whole)


@pytest.mark.parametrize(
    ("calls", "error"),
    [
        ([("weather", '{"city": ')], "expected a JSON object"),
        ([("wether", WRITTEN)], "no tool 'wether'"),
        ([("weather", WRITTEN), ("weather", '{"city": [5]}')], "expected a string"),
    ],
    ids=["not JSON", "no such tool", "one of two"],
)
def test_each_call_has_its_result(serve: Serve, raw: Model, calls: Any, error: str) -> None:
    """The second request follows the API: arguments are JSON, and each call has a result."""
    gateway = serve(upstream_api="chat", retry=1)
    raw.wrong, raw.told = ("", calls), error

    reply = post(gateway, "chat", request("chat", stream=True))

    assert answered("chat", reply, streamed=True)[0] == [("weather", {"city": "Oslo"})]
    (called,) = (
        message for message in json.loads(raw.bodies[1])["messages"] if "tool_calls" in message
    )
    results = [
        message for message in json.loads(raw.bodies[1])["messages"] if message["role"] == "tool"
    ]
    assert [result["tool_call_id"] for result in results] == [e["id"] for e in called["tool_calls"]]
    assert all(json.loads(e["function"]["arguments"]) is not None for e in called["tool_calls"])
    assert sum(error in result["content"] for result in results) == 1


@pytest.mark.parametrize(
    ("wrong", "more"),
    [
        (("I look. ", WRONG), {"stream": True}),
        (("It may be cold.", ()), {}),
        (('{"name": "Oslo", "age": 5}', ()), {}),
        (("", WRONG), {"tools": [{"type": "web_search", "name": "weather"}]}),
        ((UNREAD, ()), {"response_format": {"type": "json_object"}}),
        ((UNREAD, ()), {"tool_choice": "none"}),
    ],
    ids=[
        "text was sent",
        "prose",
        "JSON",
        "an unknown tool",
        "JSON is wanted",
        "no call is allowed",
    ],
)
def test_what_is_no_wrong_call_or_was_sent_is_not_asked_for_again(
    serve: Serve, raw: Model, wrong: Answer, more: Any
) -> None:
    raw.wrong = wrong

    post(serve(upstream_api="chat", retry=1), "chat", request("chat", **more))

    assert len(raw.bodies) == 1


@pytest.mark.parametrize(
    ("client", "ending"), [("chat", b'"length"'), ("messages", b'"max_tokens"')]
)
@pytest.mark.parametrize("streamed", [True, False])
def test_a_call_that_a_limit_cut_is_not_asked_for_again(
    serve: Serve, raw: Model, client: str, ending: bytes, streamed: bool
) -> None:
    """A call that a limit cut off is not asked for again."""
    gateway = serve(upstream_api="chat", retry=1)
    raw.wrong = "", [("weather", '{"city": "Os')]
    raw.reason = "length"

    reply = post(gateway, client, request(client, stream=streamed))

    assert ending in reply.content
    assert len(raw.bodies) == 1


def test_a_string_for_an_integer_is_mended_and_reported(serve: Serve, raw: Model) -> None:
    """A string for an integer is repaired and reported, in text and in a native call."""
    days = {"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]}
    tools = [{"type": "function", "function": {"name": "weather", "parameters": days}}]
    gateway, body = serve(upstream_api="chat", retry=0), request("chat", tools=tools)

    raw.wrong = '{"name": "weather", "arguments": {"days": "3"}}', ()
    with count_increase(gateway) as rescued:
        first = post(gateway, "chat", body)
    raw.wrong = "", [("weather", '{"days": "3"}')]
    with count_increase(gateway) as native:
        second = post(gateway, "chat", body)

    assert calls_in("chat", first.json()) == [("weather", {"days": 3})]
    assert rescued['lton_repairs_total{code="L120"}'] == 1
    assert calls_in("chat", second.json()) == [("weather", {"days": 3})]
    assert native['lton_checked_calls_total{fit="fits"}'] == 1
    assert native['lton_repairs_total{code="L120"}'] == 1


@pytest.mark.parametrize(("retry", "turns"), [(0, 1), (1, 2)])
def test_calls_in_lton_follow_the_same_option(
    serve: Serve, raw: Model, retry: int, turns: int
) -> None:
    gateway = serve(upstream_api="chat", calls="lton", engine="vllm", retry=retry)
    raw.wrong = "!call weather(town=Oslo)", ()

    post(gateway, "chat", request("chat", stream=True))

    assert len(raw.bodies) == turns
    assert (raw.told in raw.bodies[-1].decode()) is (retry > 0)


@pytest.mark.parametrize(
    ("url", "retry", "retries"),
    [
        ("http://127.0.0.1:1", None, 1),
        ("https://api.openai.com", None, 0),
        ("https://models.example", None, 0),
        ("https://models.example", 2, 2),
    ],
)
def test_hosted_models_are_asked_again_only_on_request(
    url: str, retry: int | None, retries: int
) -> None:
    """Hosted models are asked again only on request, because each answer is paid for."""
    assert allowed_retries(make_options(upstream=url, retry=retry)) == retries
