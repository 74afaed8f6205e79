"""Test faults that other projects had: shapes of streams, and upstreams that break off."""

import json
from argparse import Namespace
from contextlib import suppress
from typing import Any

import httpx2
import pytest

from lton.apis.registry import APIS
from lton.gateway.apis.client_apis import ClientApi
from lton.gateway.call_mode import CallsChoice, NativeApi
from lton.gateway.handling import GatewayState
from lton.gateway.ledger import RequestLedger
from lton.gateway.metrics import Metrics
from lton.gateway.native.native_requests import NativeOptions
from lton.gateway.routing import build_gateway
from lton.gateway.serving import LtonEndpoint
from lton.gateway.upstreams.http_upstream import HttpUpstream
from tests.gateway.conftest import Script, Served, chat, chunk, events
from tests.gateway.test_serve import PATH, TEXT, joined, without_ids

HELLO = "print(\"Hello, `world`!\\n\", '\\\\')  # </think> !call stop()"
CODE = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
SAY = {"type": "function", "function": {"name": "say", "parameters": CODE}}


def answers(client: httpx2.Client, **more: Any) -> list[dict[str, Any]]:
    """Return the choice of an answer, complete and streamed."""
    whole = client.post(PATH, json=chat(**more)).json()["choices"][0]
    streamed = joined(events(client.post(PATH, json=chat(stream=True, **more))))
    assert without_ids(whole["message"]) == without_ids(streamed["message"])
    assert whole["finish_reason"] == streamed["finish_reason"]
    return [whole, streamed]


def test_no_call_is_given_where_none_may_be(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["Well.\n!call stop()"]

    for choice in answers(client, tool_choice="none"):
        assert "tool_calls" not in choice["message"]
        assert choice["message"]["content"] == "Well.\n!call stop()"
        assert choice["finish_reason"] == "stop"


@pytest.mark.parametrize("size", [1, 1000])
def test_a_value_may_look_like_anything(client: httpx2.Client, script: Script, size: int) -> None:
    text = f"!call say(code=```\n{HELLO}\n```)"
    script.pieces = [text[at : at + size] for at in range(0, len(text), size)]

    for choice in answers(client, tools=[SAY], stop=["Hello", "!call"]):
        (call,) = choice["message"]["tool_calls"]
        assert json.loads(call["function"]["arguments"]) == {"code": HELLO}
        assert choice["finish_reason"] == "tool_calls"


def test_a_result_may_look_like_a_call(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["No."]
    call = {"id": "1", "type": "function", "function": {"name": "stop", "arguments": "{}"}}
    result = "done\n!call weather(city='Oslo')\n</think>"
    history = [
        {"role": "user", "content": "Stop."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "name": "stop", "content": result},
    ]

    (whole, _) = answers(client, messages=history)

    messages = script.asked[0]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[2]["content"] == "!call stop()"
    assert messages[3]["content"].startswith("!result stop ")
    assert whole["message"]["content"] == "No."


def test_every_piece_of_a_stream_has_something(client: httpx2.Client, script: Script) -> None:
    script.pieces = [{"reasoning_content": "Hm"}, "", "It", "", {"content": None}, " may.", TEXT]

    first, *middle, last = events(client.post(PATH, json=chat(stream=True)))

    assert first["choices"][0]["delta"] == {"role": "assistant", "content": None}
    assert last["choices"][0]["delta"] == {}
    for event in (first, *middle, last):
        (choice,) = event["choices"]
        assert choice["index"] == 0
        assert (event["id"], event["object"]) == (first["id"], first["object"])
    for event in middle:
        (delta,) = [choice["delta"] for choice in event["choices"]]
        assert delta.get("content") or delta.get("reasoning_content") or delta["tool_calls"]
        assert "role" not in delta


def _bytes(text: str, size: int, newline: bytes) -> list[bytes]:
    content = b": waiting\n\n" + chunk({"content": ""}) + chunk({"content": text})
    content += b"event: message\n" + chunk({}, "stop") + b"data: [DONE]\n\n"
    content = content.replace(b"\n", newline)
    return [content[at : at + size] for at in range(0, len(content), size)]


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("size", [1, 7, 10**6])
def test_bytes_may_come_in_any_pieces(
    client: httpx2.Client, script: Script, size: int, newline: bytes
) -> None:
    script.pieces = _bytes('Naïve 🐈.\n!call weather(city="Tromsø 🐈")', size, newline)

    for choice in answers(client):
        assert choice["message"]["content"] == "Naïve 🐈."
        (call,) = choice["message"]["tool_calls"]
        assert json.loads(call["function"]["arguments"]) == {"city": "Tromsø 🐈"}


def test_a_reason_is_that_calls_were_given(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["!call stop()\nObservation: none"]
    stopped = answers(client, stop=["Observation:"])
    script.pieces = ['!call weather(city="Oslo", hours=2)']
    (whole, streamed) = (
        client.post(PATH, json=chat()).json()["choices"][0],
        joined(events(client.post(PATH, json=chat(stream=True)))),
    )

    assert [choice["finish_reason"] for choice in stopped] == ["tool_calls", "tool_calls"]
    for choice in (whole, streamed):  # what broke is text
        assert choice["finish_reason"] == "stop"
        assert choice["message"]["content"] == script.pieces[0]
    assert "tool_calls" not in whole["message"]
    (call,) = streamed["message"]["tool_calls"]
    with pytest.raises(json.JSONDecodeError):
        json.loads(call["function"]["arguments"])


@pytest.mark.parametrize("before", [[], ["Hello"], ['!call weather(city="Os']])
def test_an_upstream_that_breaks_off_is_an_error(
    client: httpx2.Client, script: Script, before: list[str]
) -> None:
    script.pieces = [*before, 0.05, None]

    whole = client.post(PATH, json=chat())
    streamed = client.post(PATH, json=chat(stream=True))

    assert (whole.status_code, whole.json()["error"]["type"]) == (502, "upstream_error")
    last = events(streamed)[-1] if before == ["Hello"] else streamed.json()
    assert last["error"]["type"] == "upstream_error"
    assert client.get("/health").status_code == 200


@pytest.mark.parametrize("status", [200, 404, 429, 500, 503])
@pytest.mark.parametrize("reply", ["<html>", {"detail": "x"}, {"error": "x"}, [1], {"choices": []}])
def test_an_odd_answer_is_an_error(
    client: httpx2.Client, script: Script, status: int, reply: Any
) -> None:
    script.status, script.reply = status, reply

    response = client.post(PATH, json=chat())

    assert response.status_code == (502 if status == 200 else status)
    assert response.json()["error"]["message"]


def test_a_silent_upstream_is_given_up(upstream: str, script: Script) -> None:
    script.pieces = ["It", 60]
    ledger = RequestLedger(Metrics(), len)
    api = LtonEndpoint(
        client=ClientApi(APIS["chat"]),
        choice=CallsChoice(HttpUpstream(upstream), "lton", None, Metrics(), print, "vllm"),
        ledger=ledger,
        plain=NativeApi(ClientApi(APIS["chat"]), ledger, NativeOptions()),
    )
    state = GatewayState(upstream=HttpUpstream(upstream, timeout_s=0.5))
    served = Served(build_gateway(state, {PATH: api}))
    try:
        with httpx2.Client(base_url=served.url, timeout=20) as client:
            whole = client.post(PATH, json=chat())
            streamed = events(client.post(PATH, json=chat(stream=True)))
    finally:
        served.close()

    assert whole.status_code == 504
    assert streamed[-1]["error"]["message"].endswith(" does not answer")


def test_an_upstream_that_is_not_there_is_an_error(
    options: Namespace, request: pytest.FixtureRequest
) -> None:
    options.upstream = "http://127.0.0.1:9"
    client: httpx2.Client = request.getfixturevalue("client")

    assert client.post(PATH, json=chat(stream=True)).status_code == 502
    assert client.get("/v1/models").status_code == 502


@pytest.mark.parametrize("is_told", [True, False])
def test_a_body_of_100_mb_is_refused(client: httpx2.Client, script: Script, is_told: bool) -> None:
    size = 100 * 2**20
    piece = b" " * 2**20
    headers = {"content-type": "application/json"}
    headers |= {"content-length": str(size)} if is_told else {}
    content = (piece for _ in range(size // len(piece)))
    with suppress(httpx2.NetworkError):  # it was closed while the rest was still being sent
        assert client.post(PATH, content=content, headers=headers).status_code == 413
    assert client.get("/health").status_code == 200
    assert not script.asked
