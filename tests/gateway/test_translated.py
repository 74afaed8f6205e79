"""Test native calls between clients and servers of different APIs."""

import json
from pathlib import Path
from typing import Any

import pytest

from lton._json import minified
from lton.tokens.counting import ByteHeuristic
from tests.gateway.native import (
    CALLED,
    ENDED,
    OSLO,
    WRITTEN,
    Raw,
    Serve,
    calls_in,
    calls_of,
    count_increase,
    objects,
    post,
    read,
    request,
    sse,
    stream,
    tool,
)

CLIENTS = ["chat", "responses", "messages"]
PAIRS = [
    (client, server)
    for client in CLIENTS
    for server in ("chat", "responses", "messages")
    if client != server
]
BOTH = pytest.mark.parametrize(("client", "server"), PAIRS)


def sent_body(raw: Raw) -> Any:
    return json.loads(raw.bodies[-1])


def text_of(client: str, answer: Any) -> str:
    if client == "chat":
        return str(answer["choices"][0]["message"]["content"] or "")
    if client == "messages":
        return "".join(block["text"] for block in answer["content"] if block["type"] == "text")
    items = [item for item in answer["output"] if item["type"] == "message"]
    return "".join(part["text"] for item in items for part in item["content"])


SAID = [
    ("It may be cold.", (), "It may be cold."),
    ("So:", [("weather", WRITTEN), ("stop", "{}")], "So:"),
    ("", [("weather", WRITTEN)], ""),
    ("", [("stop", "")], ""),
    ('{"answer": 42}', (), '{"answer": 42}'),
]


@BOTH
@pytest.mark.parametrize(("text", "calls", "read_text"), SAID)
def test_an_answer_is_in_the_api_of_its_client(
    serve: Serve,
    raw: Raw,
    client: str,
    server: str,
    text: str,
    calls: Any,
    read_text: str,
) -> None:
    raw.chunks = stream(server, text, calls)
    gateway = serve(upstream_api=server)

    streamed = post(gateway, client, request(client, stream=True)).content
    answer = post(gateway, client, request(client)).json()

    expected = [(name, arguments or "{}") for name, arguments in calls]
    assert read(client, streamed) == (
        read_text,
        expected,
        CALLED[client] if calls else ENDED[client],
    )
    assert text_of(client, answer) == read_text
    received = calls_in(client, answer) if calls or client != "chat" else []
    assert received == [(name, json.loads(arguments)) for name, arguments in expected]
    usage = answer["usage"]
    both = [usage.get(f"{side}_tokens", 0) for side in ("input", "output")]
    assert usage.get("total_tokens", sum(both)) == 10


@BOTH
def test_the_server_is_asked_in_its_own_api(
    serve: Serve,
    raw: Raw,
    client: str,
    server: str,
) -> None:
    raw.chunks = stream(server, "Yes.")
    strict = tool(client, "weather")
    (strict["function"] if client == "chat" else strict)["strict"] = True
    limit = "max_output_tokens" if client == "responses" else "max_tokens"
    more: dict[str, Any] = {limit: 77, "temperature": 0.5, "tool_choice": "required"}
    if client == "messages":
        more["tool_choice"] = {"type": "any", "disable_parallel_tool_use": True}
    else:
        more["parallel_tool_calls"] = False

    post(
        serve(upstream_api=server),
        client,
        request(client, tools=[strict], **more),
    )

    body = sent_body(raw)
    assert (body["model"], body["temperature"], body["stream"]) == ("m", 0.5, True)
    (definition,) = body["tools"]
    own = tool(server, "weather")
    (own["function"] if server == "chat" else own)["strict"] = True
    assert definition == own
    match server:
        case "messages":
            assert body["tool_choice"] == {"type": "any", "disable_parallel_tool_use": True}
            assert body["max_tokens"] == 77
            assert raw.headers[-1]["anthropic-version"]
        case "responses":
            assert (body["tool_choice"], body["max_output_tokens"]) == ("required", 77)
            assert (body["store"], body["parallel_tool_calls"]) == (False, False)
        case _:
            assert (body["tool_choice"], body["max_tokens"]) == ("required", 77)
            assert body["parallel_tool_calls"] is False


PIXEL = "data:image/png;base64,AAAA"
CALL = {"name": "weather", "arguments": WRITTEN}
LOOK: dict[str, list[Any]] = {
    "chat": [
        {"type": "text", "text": "Look"},
        {"type": "image_url", "image_url": {"url": PIXEL}},
    ],
    "responses": [
        {"type": "input_text", "text": "Look"},
        {"type": "input_image", "image_url": PIXEL},
    ],
    "messages": [
        {"type": "text", "text": "Look"},
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
        },
    ],
}
CALLING = [{"id": "c1", "type": "function", "function": CALL}]
HISTORY: dict[str, dict[str, Any]] = {
    "chat": {
        "messages": [
            {"role": "developer", "content": "Be kind."},
            {"role": "user", "content": LOOK["chat"]},
            {"role": "assistant", "content": "Yes.", "tool_calls": CALLING},
            {"role": "tool", "tool_call_id": "c1", "content": "cold"},
        ]
    },
    "responses": {
        "instructions": "Be kind.",
        "input": [
            {"role": "user", "content": LOOK["responses"]},
            {"role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]},
            {"type": "function_call", "call_id": "c1", **CALL},
            {"type": "function_call_output", "call_id": "c1", "output": "cold"},
        ],
    },
    "messages": {
        "system": [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": LOOK["messages"]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": "s"},
                    {"type": "text", "text": "Yes."},
                    {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Oslo"}},
                ],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "cold"}],
            },
        ],
    },
}


@BOTH
def test_a_conversation_is_said_in_the_api_of_the_server(
    serve: Serve,
    raw: Raw,
    client: str,
    server: str,
) -> None:
    raw.chunks = stream(server, "Yes.")
    body = {**request(client), **HISTORY[client]}

    post(serve(upstream_api=server), client, body)

    server_request = sent_body(raw)
    match server:
        case "messages":
            assert server_request["system"] == "Be kind."
            question, answer, result = server_request["messages"]
            image = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
            assert question["content"][1] == {"type": "image", "source": image}
            use = {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Oslo"}}
            assert answer["content"] == [{"type": "text", "text": "Yes."}, use]
            block = {"type": "tool_result", "tool_use_id": "c1", "content": "cold"}
            assert result == {"role": "user", "content": [block]}
        case "chat":
            system, question, answer, result = server_request["messages"]
            assert system == {"role": "system", "content": "Be kind."}
            assert question["content"][1] == {"type": "image_url", "image_url": {"url": PIXEL}}
            assert answer["content"] == "Yes."
            assert answer["tool_calls"][0]["function"] == CALL
            assert result == {"role": "tool", "tool_call_id": "c1", "content": "cold"}
        case _:
            system, question, message, call, result = server_request["input"]
            assert question["content"][1] == {"type": "input_image", "image_url": PIXEL}
            assert system["role"] == ("system" if client == "messages" else "developer")
            assert message["role"] == "assistant"
            assert call == {"type": "function_call", "call_id": "c1", **CALL}
            assert result == {"type": "function_call_output", "call_id": "c1", "output": "cold"}


def result_with_image(call_id: str) -> dict[str, Any]:
    content = [{"type": "text", "text": f"of {call_id}"}, LOOK["messages"][1]]
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def said(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


@pytest.mark.parametrize(
    ("turns", "order"),
    [
        ([[result_with_image("c1"), said("Why?")]], [["image 1", "Why?"]]),
        ([[said("So."), result_with_image("c1"), said("Why?")]], [["So.", "image 1", "Why?"]]),
        (
            [[result_with_image("c1"), result_with_image("c2"), said("Why?")]],
            [["image 1", "image 2", "Why?"]],
        ),
        (
            [[result_with_image("c1")], [result_with_image("c2"), said("Why?")]],
            [["image 1", "image 2", "Why?"]],
        ),
        ([[result_with_image("c1")], [said("Why?")]], [["image 1"], ["Why?"]]),
    ],
)
def test_an_image_of_a_result_stays_before_the_text_after_it(
    serve: Serve, raw: Raw, turns: list[list[Any]], order: list[list[str]]
) -> None:
    """Chat has no images in results, so they follow the results, in the order of the client."""
    raw.chunks = stream("chat", "Yes.")
    use = HISTORY["messages"]["messages"][1]
    users = [{"role": "user", "content": content} for content in turns]
    messages = [{"role": "user", "content": "Look"}, use, *users]

    post(serve(upstream_api="chat"), "messages", request("messages", messages=messages))

    _, _, *received = sent_body(raw)["messages"]
    results = [message for message in received if message["role"] == "tool"]
    assert received[: len(results)] == results
    shown = [_seen_in(message["content"]) for message in received[len(results) :]]
    assert shown == order


def _seen_in(content: Any) -> list[str]:
    """Return the texts of a message and its images, each by the label in front of it."""
    if isinstance(content, str):
        return [content]
    seen: list[str] = []
    for part in content:
        if part["type"] == "image_url":
            seen[-1] = seen[-1].removeprefix("[").removesuffix(" of the results]")
        else:
            seen.append(part["text"])
    return seen


def test_an_error_about_an_item_names_the_member_of_the_client(serve: Serve, raw: Raw) -> None:
    """A part that the server's API lacks is in the conversation of the client's request."""
    body = request("responses")
    body["input"] = [*body["input"], {"type": "mystery"}]

    reply = post(serve(upstream_api="chat"), "responses", body)

    error = reply.json()["error"]
    assert (reply.status_code, error["param"]) == (400, "input")
    assert "mystery" in error["message"]


@pytest.mark.parametrize("server", ["chat", "responses"])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("no such city", "error: no such city"),
        ([{"type": "text", "text": "no such city"}], "error: no such city"),
        ("Error: no such city", "Error: no such city"),
        (None, "error: "),
    ],
)
def test_a_result_that_is_an_error_says_so(
    serve: Serve, raw: Raw, server: str, content: Any, expected: str
) -> None:
    """A failed result begins with "error: ", because OpenAI's APIs have no `is_error`."""
    raw.chunks = stream(server, "Yes.")
    messages = json.loads(json.dumps(HISTORY["messages"]["messages"]))
    messages[-1]["content"][0] |= {"is_error": True, "content": content}

    post(serve(upstream_api=server), "messages", request("messages", messages=messages))

    result = sent_body(raw)["messages" if server == "chat" else "input"][-1]
    assert result["content" if server == "chat" else "output"] == expected


SIGNED = {
    "messages": {"messages": [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "SECRET"}]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "SECRET", "signature": "SECRET"},
            {"type": "redacted_thinking", "data": "SECRET"},
            {"type": "text", "text": "Yes.", "cache_control": {"type": "ephemeral"}},
        ]},
        {"role": "user", "content": "!"},
    ]},
    "responses": {"input": [
        {"role": "user", "content": "?"},
        {"type": "reasoning", "id": "rs_1", "encrypted_content": "SECRET",
         "summary": [{"type": "summary_text", "text": "SECRET"}]},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "!"},
    ]},
}  # fmt: skip


@BOTH
def test_a_signed_thought_goes_to_no_other_api(
    serve: Serve, raw: Raw, client: str, server: str, tmp_path: Path
) -> None:
    """A signed thought is refused for another API, and unchanged for its own API."""
    if client == "chat":  # which has none
        return
    raw.chunks, log = stream(server, "Yes."), tmp_path / "log.jsonl"
    more: dict[str, Any] = {
        "messages": {"thinking": {"type": "enabled"}},
        "responses": {"include": ["x"]},
    }
    body = {**request(client, **more[client]), **SIGNED[client]}

    post(serve(upstream_api=server, log=log), client, body)
    server_request = sent_body(raw)
    raw.chunks = stream(client, "Yes.")
    post(serve(upstream_api=client, results="lton"), client, body)

    assert "SECRET" not in json.dumps(server_request)
    assert len(server_request["input" if server == "responses" else "messages"]) == 3
    *_, line = map(json.loads, log.read_text().splitlines())
    expected = {"messages": ["cache_control", "thinking"], "responses": ["include", "thinking"]}
    assert line["dropped"] == expected[client]
    assert json.loads(raw.bodies[-1]) == body


@BOTH
@pytest.mark.parametrize("streamed", [True, False])
def test_a_text_that_is_nothing_but_a_call_is_that_call(
    serve: Serve,
    raw: Raw,
    client: str,
    server: str,
    streamed: bool,
) -> None:
    raw.chunks = stream(server, f"```json\n{OSLO}\n```")
    gateway = serve(upstream_api=server)

    with count_increase(gateway) as grown:
        reply = post(gateway, client, request(client, stream=streamed))

    if streamed:
        assert read(client, reply.content) == ("", [("weather", WRITTEN)], CALLED[client])
    else:
        assert calls_of(client, reply.json()) == [("weather", {"city": "Oslo"})]
    assert grown["lton_rescued_calls_total"] == 1


@BOTH
@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (f"<think>Not {OSLO}.</think>\n{OSLO}", [("weather", WRITTEN)]),
        (f"<think>Not {OSLO}.</think>", []),
        (f"<think>Not {OSLO}.", []),
    ],
)
def test_a_call_after_a_thought_is_that_call(
    serve: Serve, raw: Raw, client: str, server: str, text: str, calls: Any
) -> None:
    raw.chunks = stream(server, text)
    gateway = serve(upstream_api=server)

    prose, received, _ = read(client, post(gateway, client, request(client, stream=True)).content)

    assert (prose.strip(), received) == (text.rpartition("\n")[0] or text, calls)


@BOTH
@pytest.mark.parametrize("streamed", [True, False])
def test_equal_calls_are_all_given(
    serve: Serve, raw: Raw, client: str, server: str, streamed: bool
) -> None:
    """Calls with ids of their own may both be meant."""
    again = [("weather", WRITTEN), ("weather", WRITTEN), ("weather", '{"city":"Ost"}')]
    raw.chunks = stream(server, "", again)

    reply = post(serve(upstream_api=server), client, request(client, stream=streamed))

    if streamed:
        assert read(client, reply.content)[1] == again
    else:
        cities = [arguments["city"] for _, arguments in calls_of(client, reply.json())]
        assert cities == ["Oslo", "Oslo", "Ost"]
    assert "repeated_call" not in reply.text


@BOTH
def test_a_call_that_a_limit_cut_is_none(serve: Serve, raw: Raw, client: str, server: str) -> None:
    raw.chunks = [
        chunk.replace(b'"tool_calls"}', b'"length"}')
        .replace(b'"stop_reason": "tool_use"', b'"stop_reason": "max_tokens"')
        .replace(b"response.completed", b"response.incomplete")
        for chunk in stream(server, "", [("weather", '{"city": "Os')])
    ]
    gateway = serve(upstream_api=server)

    streamed = post(gateway, client, request(client, stream=True)).content
    answer = post(gateway, client, request(client)).json()

    assert b"cut_call" in streamed
    assert "cut_call" in json.dumps(answer)
    if client == "chat":
        (choice,) = answer["choices"]
        assert choice["finish_reason"] == "length"
        assert "tool_calls" not in choice["message"]
    elif client == "messages":
        assert (answer["stop_reason"], answer["content"]) == ("max_tokens", [])
    else:
        assert (answer["status"], answer["output"]) == ("incomplete", [])


@BOTH
def test_a_stream_that_breaks_off_is_an_error(
    serve: Serve,
    raw: Raw,
    client: str,
    server: str,
) -> None:
    raw.chunks = stream(server, OSLO)[:8]
    gateway = serve(upstream_api=server)

    streamed = post(gateway, client, request(client, stream=True)).content
    answer = post(gateway, client, request(client))

    assert b"broke off" in streamed
    assert b"tool_calls" not in streamed
    assert answer.status_code == 502
    assert answer.json()["partial"]


@BOTH
def test_thoughts_are_thoughts(serve: Serve, raw: Raw, client: str, server: str) -> None:
    first, *others = stream(server, "Yes.")
    thought = {
        "chat": sse({"choices": [{"index": 0, "delta": {"reasoning_content": "Hm."}}]}),
        "responses": sse({"type": "response.reasoning_text.delta", "delta": "Hm."}),
        "messages": sse(
            {
                "type": "content_block_delta",
                "index": 9,
                "delta": {"type": "thinking_delta", "thinking": "Hm."},
            }
        ),
    }[server]
    raw.chunks = [first, thought, *others]

    stream_events = objects(
        post(serve(upstream_api=server), client, request(client, stream=True)).content
    )

    expected = {
        "chat": '"reasoning_content": "Hm."',
        "responses": '"response.reasoning_text.delta"',
        "messages": '"thinking": "Hm."',
    }[client]
    assert expected in json.dumps(stream_events)


@pytest.mark.parametrize("client", ["chat", "responses"])
def test_what_was_read_of_a_cache_is_said(serve: Serve, raw: Raw, client: str) -> None:
    first, *others = stream("messages", "Yes.")
    usage = b'"usage": {"cache_read_input_tokens": 90, "cache_creation_input_tokens": 3, '
    raw.chunks = [first.replace(b'"usage": {', usage), *others]

    usage_of_client = post(serve(upstream_api="messages"), client, request(client)).json()["usage"]

    details = usage_of_client[
        "prompt_tokens_details" if client == "chat" else "input_tokens_details"
    ]
    assert usage_of_client["prompt_tokens" if client == "chat" else "input_tokens"] == 100
    assert details["cached_tokens"] == 90


def test_tokens_of_native_calls_are_counted_as_they_are_sent(serve: Serve) -> None:
    """The tokens are those of the translated request, with tools as JSON and without LTON."""
    body = request("messages")
    count = serve(upstream_api="chat").post("/v1/messages/count_tokens", json=body).json()

    text = f"{minified(body['tools'])}\n{body['messages'][0]['content']}"
    assert count == {"input_tokens": ByteHeuristic().count(text).tokens}


def test_calls_that_all_have_the_place_0_are_several(serve: Serve, raw: Raw) -> None:
    """Calls that all have index 0, as from Gemini, are separate, unless a name or an id is
    repeated.
    """
    raw.chunks = stream("chat", "", [("weather", WRITTEN), ("weather", '{"city":"Rome"}')])
    raw.chunks = [chunk.replace(b'"index": 1, "', b'"index": 0, "') for chunk in raw.chunks]
    reply = post(serve(upstream_api="chat"), "messages", request("messages", stream=True))

    _, calls, _ = read("messages", reply.content)
    assert calls == [("weather", WRITTEN), ("weather", '{"city":"Rome"}')]


@pytest.mark.parametrize("calls", ["native", "lton"])
def test_a_search_for_tools_goes_on_in_chat(serve: Serve, raw: Raw, calls: str) -> None:
    """A search for tools by Claude Code is translated to chat, although chat has no references."""
    raw.chunks = stream("chat", "Good.")
    use = {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Oslo"}}
    references = [{"type": "tool_reference", "tool_name": "stop"}]
    result = {"type": "tool_result", "tool_use_id": "c1", "content": references}
    messages = [
        {"role": "user", "content": "Stop"},
        {"role": "system", "content": "stop is deferred"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]
    client = serve(upstream_api="chat", calls=calls)
    reply = post(client, "messages", request("messages", messages=messages, stream=True))

    assert reply.status_code == 200
    sent_messages = json.loads(raw.bodies[-1])["messages"]
    assert "The tool stop can be called now." in json.dumps(sent_messages)
    assert {"role": "system", "content": "stop is deferred"} in sent_messages
    assert '"type": "tool_reference"' not in json.dumps(sent_messages)


def test_functions_of_a_namespace_are_tools(serve: Serve, raw: Raw) -> None:
    space = {"type": "namespace", "name": "crm", "tools": [tool("responses", "weather")]}
    raw.chunks = stream("chat", "", [("weather", WRITTEN)])
    gateway = serve(upstream_api="chat")
    body = request("responses", tools=[space, tool("responses", "stop")])

    (item,) = post(gateway, "responses", body).json()["output"]
    streamed = objects(post(gateway, "responses", {**body, "stream": True}).content)

    assert [tool["function"]["name"] for tool in sent_body(raw)["tools"]] == ["weather", "stop"]
    assert (item["namespace"], item["name"]) == ("crm", "weather")
    added = [event["item"] for event in streamed if event["type"] == "response.output_item.added"]
    assert [item["namespace"] for item in added] == ["crm"]


@pytest.mark.parametrize("server", ["chat", "messages"])
def test_namespaces_may_have_functions_of_one_name(serve: Serve, raw: Raw, server: str) -> None:
    """The server sees different names, also in earlier calls, and the client its own."""
    spaces = [
        {"type": "namespace", "name": name, "tools": [tool("responses", "weather")]}
        for name in ("north", "south")
    ]
    call = {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": WRITTEN}
    output_items = [
        {"role": "user", "content": "Is it cold?"},
        {**call, "namespace": "north"},
        {"type": "function_call_output", "call_id": "call_1", "output": "It is."},
    ]
    body = request("responses", tools=[*spaces, tool("responses", "weather")], input=output_items)
    raw.chunks = stream(server, "", [("south__weather", WRITTEN), ("weather", WRITTEN)])
    gateway = serve(upstream_api=server)

    answer = post(gateway, "responses", body).json()
    streamed = objects(post(gateway, "responses", {**body, "stream": True}).content)

    tools = [tool.get("function", tool)["name"] for tool in sent_body(raw)["tools"]]
    assert tools == ["north__weather", "south__weather", "weather"]
    assert json.dumps(sent_body(raw)["messages"]).count('"north__weather"') == 1
    for response in (answer, streamed[-1]["response"]):
        items = [(item.get("namespace"), item["name"]) for item in response["output"]]
        assert items == [("south", "weather"), (None, "weather")]
        assert [tool.get("name") for tool in response["tools"]] == ["north", "south", "weather"]


@pytest.mark.parametrize("inner", [[1], [{"type": "function", "name": 5}], "no list"])
def test_odd_namespaces_are_refused(serve: Serve, inner: Any) -> None:
    """A namespace of a wrong shape is an error of the client, next to functions of one name."""
    spaces = [
        {"type": "namespace", "name": name, "tools": [tool("responses", "weather")]}
        for name in ("north", "south")
    ]
    odd = {"type": "namespace", "name": "odd", "tools": inner}
    body = request("responses", tools=[*spaces, odd], input=[5, {"type": "function_call"}])
    assert post(serve(upstream_api="chat"), "responses", body).status_code == 400


SOUND = [{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}]
OWN = "API of this client"


@pytest.mark.parametrize(
    ("client", "server", "more", "param", "way_out"),
    [
        ("responses", "chat", {"tools": [{"type": "mcp"}]}, "tools[0].type", "/v1/responses"),
        ("chat", "messages", {"tools": [{"type": "custom"}]}, "tools[0].type", "/v1/chat"),
        ("chat", "messages", {"response_format": {"type": "json_object"}}, "response_format", OWN),
        ("chat", "messages", {"seed": 1}, "seed", OWN),
        ("chat", "messages", {"logprobs": True}, "logprobs", OWN),
        ("chat", "responses", {"logprobs": True, "top_logprobs": 2}, "logprobs", OWN),
        ("chat", "messages", {"modalities": ["text", "audio"]}, "modalities", OWN),
        ("chat", "messages", {"prediction": {"type": "content"}}, "prediction", OWN),
        ("chat", "messages", {"web_search_options": {"a": 1}}, "web_search_options", OWN),
        ("responses", "chat", {"top_logprobs": 2}, "top_logprobs", OWN),
        ("chat", "responses", {"n": 2}, "n", "one answer"),
        ("chat", "responses", {"messages": SOUND}, "messages", OWN),
        ("responses", "chat", {"input": [{"type": "strange", "id": "w"}]}, "input", OWN),
    ],
)
def test_what_cannot_be_said_is_refused_with_the_way_out(
    serve: Serve,
    raw: Raw,
    client: str,
    server: str,
    more: Any,
    param: str,
    way_out: str,
) -> None:
    reply = post(serve(upstream_api=server), client, request(client, **more))

    error = reply.json()["error"]
    assert (reply.status_code, error["param"]) == (400, param)
    assert way_out in error["message"]
    assert raw.bodies == []


OWN_TOOLS: dict[str, Any] = {
    "messages": {
        "messages": [
            {"role": "user", "content": "What is new?"},
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "server_tool_use",
                        "id": "s1",
                        "name": "web_search",
                        "input": {"q": 1},
                    },
                    {
                        "type": "web_search_tool_result",
                        "tool_use_id": "s1",
                        "content": [{"title": "News", "url": "http://a", "encrypted_content": "X"}],
                    },
                    {"type": "text", "text": "Much."},
                ],
            },
            {"role": "user", "content": "And now?"},
        ]
    },
    "responses": {
        "input": [
            {"role": "user", "content": "What is new?"},
            {"type": "web_search_call", "id": "w", "name": "web_search", "action": {"q": 1}},
            {"type": "image_generation_call", "id": "i", "result": "A" * 9999, "title": "News"},
            {"role": "assistant", "content": "Much."},
            {"role": "user", "content": "And now?"},
        ]
    },
}


@pytest.mark.parametrize(("client", "server"), [pair for pair in PAIRS if pair[0] in OWN_TOOLS])
def test_a_history_with_tools_of_a_provider_goes_on(
    serve: Serve, raw: Raw, client: str, server: str
) -> None:
    """The calls and results of a provider's own tool become text, without parts that no model can
    read.
    """
    raw.chunks = stream(server, "Less.")

    reply = post(serve(upstream_api=server), client, {**request(client), **OWN_TOOLS[client]})

    assert reply.status_code == 200, reply.text
    text = json.dumps(sent_body(raw)).replace("\\", "")
    assert "[web_search, a tool of the provider" in text
    assert '"q":1' in text
    assert "News" in text
    assert "Much." in text
    assert "encrypted_content" not in text
    assert "A" * 99 not in text


def test_an_image_of_a_result_says_which_result_it_is_of(serve: Serve, raw: Raw) -> None:
    """Images of a result follow in a user message, and their numbers are in the result."""
    raw.chunks = stream("chat", "Yes.")
    image = LOOK["messages"][1]
    uses = [{"type": "tool_use", "id": f"c{n}", "name": "weather", "input": {}} for n in (1, 2)]
    results = [
        {"type": "tool_result", "tool_use_id": "c1", "content": [image]},
        {"type": "tool_result", "tool_use_id": "c2", "content": [LOOK["messages"][0], image]},
    ]
    messages = [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]

    post(serve(upstream_api="chat"), "messages", request("messages", messages=messages))

    *_, first, second, pictures = sent_body(raw)["messages"]
    label = "[image {} of the results]"
    assert first == {"role": "tool", "tool_call_id": "c1", "content": label.format(1)}
    assert second["content"] == [
        {"type": "text", "text": "Look"},
        {"type": "text", "text": label.format(2)},
    ]
    assert pictures == {
        "role": "user",
        "content": [
            {"type": "text", "text": label.format(1)},
            LOOK["chat"][1],
            {"type": "text", "text": label.format(2)},
            LOOK["chat"][1],
        ],
    }


@BOTH
@pytest.mark.parametrize("streamed", [True, False])
def test_a_text_that_stops_an_answer_is_named(
    serve: Serve, raw: Raw, client: str, server: str, streamed: bool
) -> None:
    """The stop sequence that ended the answer is reported, although the server's API does not name
    it.
    """
    if client == "responses":
        return
    raw.chunks = stream(server, "Yes. END of it.")
    key = "stop_sequences" if client == "messages" else "stop"

    body = request(client, stream=streamed, **{key: ["END"]})
    reply = post(serve(upstream_api=server), client, body)

    if streamed:
        assert read(client, reply.content)[::2] == (
            "Yes. ",
            "stop_sequence" if client == "messages" else "stop",
        )
    else:
        assert text_of(client, reply.json()) == "Yes. "
    if client == "messages":
        assert '"stop_sequence":"END"' in reply.text
    assert "END" not in json.dumps(sent_body(raw)) or server == "messages"


@BOTH
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("city", ["Oslo", "END"])
def test_a_call_as_text_may_end_at_a_stop(
    serve: Serve, raw: Raw, client: str, server: str, city: str, streamed: bool
) -> None:
    """A call before the stop sequence is rescued, and arguments may contain the sequence."""
    if client == "responses":
        return
    text = f"<tool_call>{OSLO.replace('Oslo', city)}</tool_call>\nEND <tool_call>"
    raw.chunks = stream(server, text)
    key = "stop_sequences" if client == "messages" else "stop"

    body = request(client, stream=streamed, **{key: ["END"]})
    reply = post(serve(upstream_api=server), client, body)

    if streamed:
        calls = [("weather", minified({"city": city}))]
        assert read(client, reply.content) == ("", calls, CALLED[client])
    else:
        assert calls_of(client, reply.json()) == [("weather", {"city": city})]


@BOTH
@pytest.mark.parametrize("streamed", [True, False])
def test_a_text_without_an_end_is_ended(
    serve: Serve, raw: Raw, client: str, server: str, streamed: bool
) -> None:
    """An answer that repeats itself is ended."""
    *raw.chunks, _, _ = stream(server, "It may be. " * 2000)

    reply = post(serve(upstream_api=server), client, request(client, stream=streamed))

    reasons = {"chat": "length", "responses": "incomplete", "messages": "max_tokens"}
    assert reply.status_code == 200
    assert reasons[client] in reply.text
    assert "repeated_text" in reply.text


@pytest.mark.parametrize("server", ["responses", "messages"])
def test_a_format_goes_on_where_the_api_has_one(serve: Serve, raw: Raw, server: str) -> None:
    raw.chunks = stream(server, '{"name": "weather", "arguments": {"city": "Oslo"}}')
    schema = {"type": "object", "properties": {}}
    form = {"type": "json_schema", "json_schema": {"name": "place", "schema": schema}}

    answer = post(serve(upstream_api=server), "chat", request("chat", response_format=form)).json()

    assert text_of("chat", answer) == OSLO
    body = sent_body(raw)
    if server == "messages":
        assert body["output_config"]["format"] == {"type": "json_schema", "schema": schema}
    else:
        assert body["text"]["format"] == {"type": "json_schema", "name": "place", "schema": schema}


@BOTH
@pytest.mark.parametrize("odd", [b"data: 5\n\n", b"data: {\n\n"])
def test_a_hostile_event_is_an_error(
    serve: Serve,
    raw: Raw,
    client: str,
    server: str,
    odd: bytes,
) -> None:
    raw.chunks = [*stream(server, "Yes.")[:2], odd]

    reply = post(serve(upstream_api=server), client, request(client))

    assert reply.status_code == 502
    assert "not a JSON object" in reply.text


def test_fields_that_ask_for_nothing_are_not_refused(serve: Serve, raw: Raw) -> None:
    raw.chunks = stream("messages", "Yes.")
    body = request("chat", logprobs=False, top_logprobs=0, modalities=["text"], prediction=None)
    assert post(serve(upstream_api="messages"), "chat", body).status_code == 200


def test_fields_of_both_apis_of_openai_go_on(serve: Serve, raw: Raw) -> None:
    shared = {"prompt_cache_key": "k", "safety_identifier": "s"}
    raw.chunks = stream("responses", "Yes.")
    post(serve(upstream_api="responses"), "chat", request("chat", verbosity="low", **shared))
    assert sent_body(raw)["text"] == {"verbosity": "low"}
    assert shared.items() <= sent_body(raw).items()

    raw.chunks = stream("chat", "Yes.")
    body = request("responses", text={"verbosity": "low"}, **shared)
    post(serve(upstream_api="chat"), "responses", body)
    assert sent_body(raw)["verbosity"] == "low"
    assert shared.items() <= sent_body(raw).items()


@pytest.mark.parametrize("calls", ["native", "lton"])
def test_a_stream_begins_with_an_estimate_of_the_input(serve: Serve, raw: Raw, calls: str) -> None:
    """Anthropic's clients read the input tokens from the first event. The real count is later."""
    raw.chunks = stream("chat", "Yes.")
    request_body = request("messages", stream=True)
    reply = post(serve(upstream_api="chat", calls=calls), "messages", request_body)

    first, *_, delta, _ = objects(reply.content)
    assert 20 < first["message"]["usage"]["input_tokens"] < len(json.dumps(request_body)) / 4
    assert delta["usage"]["input_tokens"] == 7


@pytest.mark.parametrize("client", ["responses", "messages"])
@pytest.mark.parametrize("streamed", [True, False])
def test_details_of_a_thought_are_a_thought(
    serve: Serve, raw: Raw, client: str, streamed: bool
) -> None:
    details = [
        {"type": "reasoning.text", "text": "I look "},
        {"type": "reasoning.summary", "summary": "outside."},
        {"type": "reasoning.encrypted", "data": "SECRET"},
    ]
    first, *others = stream("chat", "Yes.")
    event = json.loads(first.split(b"data: ")[1])
    event["choices"][0]["delta"]["reasoning_details"] = details
    raw.chunks = [sse(event), *others]
    reply = post(serve(upstream_api="chat"), client, request(client, stream=streamed))
    assert "I look " in reply.text
    assert "outside." in reply.text
    assert "SECRET" not in reply.text


@pytest.mark.parametrize("server", ["chat", "responses"])
def test_a_refusal_is_a_refusal(serve: Serve, raw: Raw, server: str) -> None:
    first, *others = stream(server, "")
    if server == "chat":
        choice = {"index": 0, "delta": {"refusal": "No."}, "finish_reason": None}
        raw.chunks = [first, sse({"choices": [choice]}), *others]
    else:
        kind = "response.refusal.delta"
        raw.chunks = [first, sse({"type": kind, "output_index": 0, "delta": "No."}, kind), *others]
    reply = post(serve(upstream_api=server), "messages", request("messages"))
    assert reply.json()["stop_reason"] == "refusal"
    assert text_of("messages", reply.json()) == "No."
