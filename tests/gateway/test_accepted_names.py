"""Test that ids and names of calls are such that the receiving API accepts them."""

import json
import re
from typing import Any

import pytest

from lton.apis import registry
from lton.apis.accepted_names import accepted_name
from tests.gateway.native import APIS, CITY, WRITTEN, Raw, Serve, post, read, request, stream, tool

ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
NAMES = ["weather.v1", "w" * 200, "weather/now", "Wetter für"]


def call(call_id: str, name: str = "weather") -> dict[str, Any]:
    function = {"name": name, "arguments": WRITTEN}
    return {"id": call_id, "type": "function", "function": function}


def chat(*turns: list[str], name: str = "weather") -> list[dict[str, Any]]:
    """Return a conversation whose turns have calls with these ids."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "hi"}]
    for turn in turns:
        calls = [call(id_, name) for id_ in turn]
        messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        messages += [
            {"role": "tool", "tool_call_id": id_, "content": f"{at}"} for at, id_ in enumerate(turn)
        ]
    return messages


def responses(*turns: list[str], name: str = "weather") -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = [{"role": "user", "content": "hi"}]
    for turn in turns:
        items += [
            {"type": "function_call", "call_id": id_, "name": name, "arguments": WRITTEN}
            for id_ in turn
        ]
        items += [
            {"type": "function_call_output", "call_id": id_, "output": f"{at}"}
            for at, id_ in enumerate(turn)
        ]
    return items


def blocks(body: Any, kind: str) -> list[Any]:
    contents = [
        message["content"] for message in body["messages"] if isinstance(message["content"], list)
    ]
    return [block for content in contents for block in content if block["type"] == kind]


IDS = [
    [["functions.weather:0"]],
    [["call|1", "call|2"]],
    [["call 1", "call_1", "call.1"]],
    [["x" * 500]],
    [["functions.weather:0"], ["functions.weather:0"]],
    [["call_0"], ["call_0", "call_1"]],
    [["", ""], [""]],
]


@pytest.mark.parametrize("client", ["chat", "responses"])
@pytest.mark.parametrize("turns", IDS)
def test_ids_are_valid_and_belong_together(
    serve: Serve, raw: Raw, client: str, turns: list[list[str]]
) -> None:
    """Each call has an id of its own, which its result names, and which is the same next time."""
    key, write = ("messages", chat) if client == "chat" else ("input", responses)
    gateway = serve(upstream_api="messages")
    raw.chunks = stream("messages", "Yes.")
    for count in (len(turns), len(turns), len(turns) - 1):
        body = request(client) | {key: write(*turns[:count])}
        assert post(gateway, client, body).status_code == 200

    bodies = [json.loads(body) for body in raw.bodies]
    ids = [block["id"] for block in blocks(bodies[0], "tool_use")]
    results = blocks(bodies[0], "tool_result")
    assert [result["tool_use_id"] for result in results] == ids
    assert all(map(ID.fullmatch, ids))
    assert len(set(ids)) == len(ids) == sum(map(len, turns))
    assert bodies[1] == bodies[0]
    assert bodies[0]["messages"][: len(bodies[2]["messages"]) - 1] == bodies[2]["messages"][:-1]


def test_valid_ids_stay_as_they_are(serve: Serve, raw: Raw) -> None:
    raw.chunks = stream("messages", "Yes.")
    body = request("chat") | {"messages": chat(["call_aB-1", "toolu_2"])}
    post(serve(upstream_api="messages"), "chat", body)
    uses = blocks(json.loads(raw.bodies[-1]), "tool_use")
    assert [use["id"] for use in uses] == ["call_aB-1", "toolu_2"]


@pytest.mark.parametrize("client", APIS)
@pytest.mark.parametrize("server", APIS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("streamed", [True, False])
def test_a_refused_name_is_sent_as_another_and_comes_back(
    serve: Serve, raw: Raw, client: str, server: str, name: str, streamed: bool
) -> None:
    """The server sees a valid name in tools and choices, and the client sees its own name."""
    if client == server:
        return
    accepted = accepted_name(name, registry.APIS[server])  # type: ignore[index]
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", accepted)
    raw.chunks = stream(server, "", [(accepted, WRITTEN)])
    named = {"function": {"name": name}} if client == "chat" else {"name": name}
    choice = {"type": "tool" if client == "messages" else "function", **named}
    body = request(client, stream=streamed, tools=[tool(client, name, CITY)], tool_choice=choice)

    reply = post(serve(upstream_api=server), client, body)

    received = json.loads(raw.bodies[-1])
    assert minified_names(received) == {accepted}
    if streamed:
        assert read(client, reply.content)[1] == [(name, WRITTEN)]
    else:
        assert json.dumps(name) in json.dumps(reply.json())
        assert accepted not in reply.text


def minified_names(body: Any) -> set[str]:
    """Return the names in the tools and the choice of a request."""
    holders = [*body["tools"], body["tool_choice"]]
    return {str((holder.get("function") or holder)["name"]) for holder in holders}


def test_names_in_a_history_are_those_of_the_tools(serve: Serve, raw: Raw) -> None:
    raw.chunks = stream("messages", "Yes.")
    tools = [tool("chat", "weather.v1", CITY)]
    body = request("chat", tools=tools) | {"messages": chat(["call_1"], name="weather.v1")}
    post(serve(upstream_api="messages"), "chat", body)
    received = json.loads(raw.bodies[-1])
    (use,) = blocks(received, "tool_use")
    assert (
        use["name"]
        == received["tools"][0]["name"]
        == accepted_name("weather.v1", registry.APIS["messages"])
    )


def test_names_are_distinct_and_stable() -> None:
    names = [
        accepted_name(name, registry.APIS["messages"]) for name in ("a.b", "a/b", "a_b", "a b")
    ]
    assert len(set(names)) == 4
    assert names[2] == "a_b"
    assert accepted_name("a.b", registry.APIS["messages"]) == names[0]
    assert len(accepted_name("x" * 65, registry.APIS["chat"])) == 64
    assert accepted_name("x" * 65, registry.APIS["messages"]) == "x" * 65


def test_blanks_that_anthropic_refuses_are_left_out(serve: Serve, raw: Raw) -> None:
    """Blank texts, and the blank at the end of a last turn, are no content."""
    raw.chunks = stream("messages", "Yes.")
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": [{"type": "text", "text": " "}, {"type": "text", "text": "a"}]},
        {"role": "assistant", "content": "The answer is \n"},
    ]
    post(serve(upstream_api="messages"), "chat", request("chat") | {"messages": messages})
    sent_messages = json.loads(raw.bodies[-1])["messages"]
    assert [message["role"] for message in sent_messages] == ["user", "user", "assistant"]
    assert "The answer is" in json.dumps(sent_messages[-1])
    assert "The answer is " not in json.dumps(sent_messages[-1])
    assert '" "' not in json.dumps(sent_messages)
