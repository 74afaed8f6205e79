"""An upstream that dies in the middle, or is not there: never an end, and the text that came."""

import json
from argparse import Namespace
from typing import Any

import httpx2
import pytest

from tests.gateway.conftest import Script, chat, events
from tests.gateway.test_serve import PATH

RESPONSES = "/v1/responses"


@pytest.mark.parametrize("path", [PATH, RESPONSES])
@pytest.mark.parametrize(
    "pieces", [["It may"], [b": waiting\n\n"], [b"data: {}\n\n"], [b'data: {"error": {}}\n\n']]
)
@pytest.mark.parametrize("tools", [True, False])
def test_a_stream_without_an_end_broke_off(
    client: httpx2.Client, script: Script, path: str, pieces: list[Any], tools: bool
) -> None:
    script.pieces, script.reason = pieces, None
    body = chat() if path == PATH else {"input": "?", "tools": []}
    if path == PATH and not tools:
        body = chat(n=2)

    whole = client.post(path, json=body)
    streamed = client.post(path, json={**body, "stream": True})

    assert whole.status_code == 502
    assert whole.json().get("partial", "") == ("It may" if pieces == ["It may"] else "")
    assert ("It may" in streamed.text) == (pieces == ["It may"])
    assert "error" in streamed.text
    assert '"finish_reason":"stop"' not in streamed.text


def test_an_upstream_that_is_not_there_is_named(
    options: Namespace, request: pytest.FixtureRequest
) -> None:
    options.upstream = "http://me:secret@127.0.0.1:1"
    client: httpx2.Client = request.getfixturevalue("client")

    said = client.post(PATH, json=chat())

    assert said.status_code == 502
    assert "http://127.0.0.1:1 cannot be reached" in said.json()["error"]["message"]


def test_responses_without_tools_are_by_their_schema(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["!call stop()\n", "No."]
    form = {"type": "json_schema", "name": "x", "schema": {"type": "object"}}

    found = client.post(RESPONSES, json={"input": "?", "text": {"format": form}}).json()
    last = events(client.post(RESPONSES, json={"input": "?", "stream": True}))[-1]

    assert found["output"][0]["content"][0]["text"] == "!call stop()\nNo."
    assert (found["status"], last["type"]) == ("completed", "response.completed")
    assert json.dumps(script.asked[0]["response_format"]["json_schema"]["schema"]) in str(
        json.dumps(form)
    )
