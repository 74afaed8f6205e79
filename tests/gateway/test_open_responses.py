"""Run the cases of Open Responses, checked by the types of its specification.

The cases come from its compliance suite. Each is requested complete and streamed, with a tool, and
text cases also without tools. Errors and incomplete ends are checked, too. The types are in the
package `openresponses-types`.
"""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from lton.gateway.command import make_options
from tests.gateway.conftest import CITY, Script, events

pytestmark = pytest.mark.clients
PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
WEATHER = {"type": "function", "name": "weather", "description": "Get it.", "parameters": CITY}
BODY = {"model": "m", "tools": [WEATHER]}


def message(role: str, content: Any) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": content}


ASKED = message("user", "Is it cold in Oslo?")
CASES: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    "text": ({"input": [ASKED]}, "No.", ["message"]),
    "system prompt": ({"input": [message("system", "Be brief."), ASKED]}, "No.", ["message"]),
    "a call": (
        {"input": [ASKED]},
        'Let me see.\n!call weather(city="Oslo")',
        ["message", "function_call"],
    ),
    "an image": (
        {
            "input": [
                message(
                    "user",
                    [
                        {"type": "input_text", "text": "What is it?"},
                        {"type": "input_image", "image_url": PIXEL},
                    ],
                )
            ]
        },
        "A dot.",
        ["message"],
    ),
    "phases": (
        {
            "input": [
                {**message("assistant", "Let me think."), "phase": "commentary"},
                {**message("assistant", "Hello!"), "phase": "final_answer"},
                ASKED,
            ]
        },
        "No.",
        ["message"],
    ),
    "several turns": (
        {"input": [message("user", "I am Alice."), message("assistant", "Hello!"), ASKED]},
        "No.",
        ["message"],
    ),
}


CALLED = {
    "index": 0,
    "id": "1",
    "type": "function",
    "function": {"name": "weather", "arguments": '{"city":"Oslo"}'},
}


@pytest.fixture(params=["lton", "native"])
def options(upstream: str, request: pytest.FixtureRequest) -> Namespace:
    """Return the options of a server of chat completions whose answers become responses, in both
    modes.
    """
    return make_options(upstream=upstream, engine="vllm", calls=request.param, upstream_api="chat")


def output_pieces(text: str, mode: str) -> list[Any]:
    """Return the pieces of a text, whose call is native in native mode."""
    prose, sigil, _ = text.partition("\n!call")
    is_call = bool(sigil) and mode == "native"
    return [*prose, {"tool_calls": [CALLED]}] if is_call else [*text]


ASKED_WITH = [
    *((case, BODY) for case in CASES),
    *((case, {"model": "m"}) for case in CASES if case != "a call"),
]


def event_types() -> Iterator[tuple[str, Any]]:
    """Return the types of events by their "type"."""
    from openresponses_types import types

    for name, model in vars(types).items():
        if name.endswith("StreamingEvent"):
            (kind,) = model.model_fields["type"].annotation
            yield kind.value, model


@pytest.mark.parametrize(("case", "body"), ASKED_WITH)
def test_an_answer_is_what_open_responses_says(
    client: httpx2.Client, options: Namespace, script: Script, case: str, body: dict[str, Any]
) -> None:
    from openresponses_types.types import ResponseResource

    members, text, kinds = CASES[case]
    script.pieces = output_pieces(text, options.calls)

    reply = client.post("/v1/responses", json={**body, **members})

    assert reply.status_code == 200
    answer = reply.json()
    ResponseResource.model_validate(answer)
    assert [item["type"] for item in answer["output"]] == kinds
    assert answer["status"] == "completed"


@pytest.mark.parametrize(("case", "body"), ASKED_WITH)
def test_events_are_what_open_responses_says(
    client: httpx2.Client, options: Namespace, script: Script, case: str, body: dict[str, Any]
) -> None:
    members, text, kinds = CASES[case]
    script.pieces = output_pieces(text, options.calls)

    stream_events = events(client.post("/v1/responses", json={**body, "stream": True, **members}))

    models = dict(event_types())
    for event in stream_events:
        models[event["type"]].model_validate(event)
    assert [
        event["item"]["type"] for event in stream_events if "item.done" in event["type"]
    ] == kinds
    assert stream_events[-1]["type"] == "response.completed"
    assert len(stream_events) > len(text) / 2


def test_an_image_and_a_history_reach_the_model(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["Yes."]
    for case in ("an image", "several turns"):
        client.post("/v1/responses", json={**BODY, **CASES[case][0]})

    requests = filter(None, script.asked)  # a probe of the server is empty
    messages = [message for request in requests for message in request["messages"]]
    image, *turns = (message for message in messages if message["role"] != "system")
    assert image["content"][0] == {"type": "text", "text": "What is it?"}
    assert image["content"][1] == {"type": "image_url", "image_url": {"url": PIXEL}}
    assert [turn["content"] for turn in turns] == ["I am Alice.", "Hello!", ASKED["content"]]


BROKEN = b"data: oh\n\n"
ENDS: list[tuple[list[Any], str, str]] = [
    (["No"], "length", "incomplete"),
    (['!call weather(city="Oslo"'], "length", "incomplete"),
    (["No"], "content_filter", "incomplete"),
    (["No", BROKEN], "stop", "failed"),
    (['No.\n!call weather(city="Oslo"', BROKEN], "stop", "failed"),
]


@pytest.mark.parametrize(("pieces", "reason", "kind"), ENDS)
@pytest.mark.parametrize("body", [BODY, {"model": "m"}])
def test_an_end_that_is_none_is_what_open_responses_says(
    client: httpx2.Client,
    script: Script,
    pieces: list[Any],
    reason: str,
    kind: str,
    body: dict[str, Any],
) -> None:
    from openresponses_types.types import ErrorPayload, ResponseResource

    script.pieces, script.reason = pieces, reason
    request_body = {**body, "input": "?"}

    stream_events = events(client.post("/v1/responses", json={**request_body, "stream": True}))
    whole = client.post("/v1/responses", json=request_body)

    models = dict(event_types())
    assert [models[event["type"]].model_validate(event) for event in stream_events]
    assert stream_events[-1]["type"] == f"response.{kind}"
    if kind == "failed":
        assert whole.status_code == 502
        ErrorPayload.model_validate(whole.json()["error"])
    else:
        ResponseResource.model_validate(whole.json())
        assert whole.json()["status"] == kind


WRONG: list[tuple[dict[str, Any], int]] = [
    ({"input": 5}, 400),
    ({"input": [message("nobody", "?")]}, 400),
    ({"input": "?", "previous_response_id": "resp_1"}, 400),
    ({"input": "?", "tool_choice": {"type": "function", "name": "none"}}, 400),
    ({"input": "?"}, 502),  # the upstream says nothing
]


@pytest.mark.parametrize(("wrong", "status"), WRONG)
@pytest.mark.parametrize("stream", [False, True])
def test_an_error_is_what_open_responses_says(
    client: httpx2.Client,
    options: Namespace,
    script: Script,
    wrong: dict[str, Any],
    status: int,
    stream: bool,
) -> None:
    from openresponses_types.types import ErrorPayload, ResponseResource

    script.pieces = []
    reply = client.post("/v1/responses", json={**BODY, "stream": stream, **wrong})

    if options.calls == "native" and status == 502:  # it is an answer of this server
        response = events(reply)[-1]["response"] if stream else reply.json()
        assert ResponseResource.model_validate(response)
        assert (response["status"], response["output"]) == ("completed", [])
        return
    assert reply.status_code == status
    ErrorPayload.model_validate(reply.json()["error"])
