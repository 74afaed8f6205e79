"""Test `--calls native`: unchanged bytes, rescued calls, and refused requests."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import lton
from lton.apis import registry
from lton.gateway.native.native_requests import NativeOptions, read_native
from lton.gateway.native.passthrough import NativeExchange
from tests.gateway.native import (
    APIS,
    CALLED,
    OSLO,
    WRITTEN,
    Raw,
    Serve,
    calls_of,
    count_increase,
    objects,
    post,
    read,
    request,
    sse,
    stream,
    tool,
    whole,
)

# --- byte for byte --------------------------------------------------------------------------------

STRANGE = {
    "chat": b'{"model" : "m","messages":[{"role":"user","content":"Z\\u00fcrich"}],\n "tools":['
    b'{"type":"custom","custom":{"name":"sh"}},{"type":"function","function":{"name":"weather"},'
    b'"cache_control":{"type":"ephemeral"}}],"tool_choice":"auto","unknown":{"b":1,"a":1.50}}',
    "responses": b'{"model" : "m","input":"Hi", "tools":[{"type":"web_search"},{"type":"namespace",'
    b'"name":"n","tools":[{"type":"function","name":"weather","defer_loading":true}]},{"type":'
    b'"tool_search"},{"type":"mcp","server_label":"x"}],"previous_response_id":"r1", "store":true}',
    "messages": b'{"model" :"m","max_tokens":9,"system":[{"type":"text","text":"","cache_control":'
    b'{"type":"ephemeral"}}],"messages":[{"role":"user","content":"Hi"}],"tools":[{"type":'
    b'"computer_20250124","name":"computer"},{"name":"weather","input_schema":{"type":"object"}}],'
    b'"thinking":{"type":"enabled","budget_tokens":1024}}',
}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("calls", ["native", "auto", "lton"])
def test_a_body_goes_through_byte_for_byte(serve: Serve, raw: Raw, api: str, calls: str) -> None:
    """The body stays the same if the option, the detected server or a header selects native
    calls.
    """
    raw.whole = whole(api, "It may be.")
    client = serve(calls=calls, upstream_api=api)

    reply = post(
        client, api, STRANGE[api], **{"x-lton-calls": "native"} if calls != "native" else {}
    )

    assert raw.bodies == [STRANGE[api]]
    assert reply.content == raw.whole
    assert (reply.headers["request-id"], reply.headers["x-ratelimit-remaining"]) == ("req_1", "7")
    assert "set-cookie" not in reply.headers


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("size", [1, pytest.param(7, marks=pytest.mark.deep), 100_000])
@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("It may be cold.", ()),
        ("Look: ", [("weather", WRITTEN), ("weather", '{"city":"Bergen"}'), ("stop", "{}")]),
        ("", [("weather", WRITTEN), ("weather", '{"city": "Ost"}')]),
        ("```python\nprint(1)\n```", ()),
        ('{"answer": 42}', ()),
        ("<html><p>Hi</p></html>", ()),
        (f"{OSLO} is what you asked for", ()),
        (f"Here you are:\n```json\n{OSLO}\n```", ()),
    ],
)
def test_a_stream_goes_through_byte_for_byte(
    serve: Serve, raw: Raw, api: str, size: int, text: str, calls: Any
) -> None:
    content = b"".join(stream(api, text, calls))
    raw.chunks = [content[at : at + size] for at in range(0, len(content), size)]
    raw.whole = whole(api, text, calls)
    client = serve()

    assert post(client, api, request(api, stream=True)).content == content
    assert post(client, api, request(api)).content == raw.whole


@pytest.mark.parametrize("api", APIS)
def test_line_ends_comments_and_unknown_events_go_through(serve: Serve, raw: Raw, api: str) -> None:
    first, *others = stream(api, "Yes.", ())
    strange = b': hi\r\n\r\nevent: new\r\ndata: {"type": "new", "n": [1]}\r\n\r\n'
    raw.chunks = [first, strange, *others]

    reply = post(serve(), api, request(api, stream=True))

    assert reply.content == b"".join(raw.chunks)
    assert reply.headers["content-type"].startswith("text/event-stream")


def test_headers_that_a_server_needs_go_on_and_ours_do_not(serve: Serve, raw: Raw) -> None:
    raw.whole = whole("messages", "Yes.")
    client_headers = {
        "x-api-key": "k",
        "anthropic-version": "v",
        "anthropic-beta": "a,b",
        "cookie": "c",
    }

    client = serve()
    client.post(
        "/v1/messages?beta=true",
        json=request("messages"),
        headers={**client_headers, "x-lton-calls": "native"},
    )

    (headers,), (path,) = raw.headers, raw.paths
    assert path == "/v1/messages?beta=true"
    assert {name: headers.get(name) for name in client_headers} == {
        **client_headers,
        "cookie": None,
    }
    assert "x-lton-calls" not in headers


@pytest.mark.parametrize(
    ("api", "header", "value"),
    [("chat", "authorization", "Bearer k"), ("messages", "x-api-key", "k")],
)
def test_the_key_of_the_server_is_in_its_own_header(
    serve: Serve, raw: Raw, api: str, header: str, value: str
) -> None:
    raw.whole = whole(api, "Yes.")
    client = serve(upstream_key="k", upstream_api=api)

    post(client, api, request(api), authorization="Bearer mine", **{"x-api-key": "mine"})

    credentials = {name: raw.headers[0].get(name) for name in ("authorization", "x-api-key")}
    assert credentials == {"authorization": None, "x-api-key": None, header: value}


@pytest.mark.parametrize("header", ["authorization", "x-api-key"])
def test_the_key_of_the_gateway_goes_no_further(serve: Serve, raw: Raw, header: str) -> None:
    raw.whole = whole("messages", "Yes.")
    client = serve(api_key="ours")

    assert post(client, "messages", request("messages"), **{header: "wrong"}).status_code == 401
    assert post(client, "messages", request("messages"), **{header: "ours"}).status_code == 200
    assert header not in raw.headers[-1]


# --- rescues --------------------------------------------------------------------------------------

CALLS = [
    OSLO,
    f"\n {OSLO}\n",
    f"```json\n{OSLO}\n```",
    f"```\n{OSLO}\n```",
    f"<tool_call>\n{OSLO}\n</tool_call>",
    f"[TOOL_CALLS][{OSLO}]",
    '{"tool_calls": [{"function": {"name": "weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}}]}',
    "<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>",
    '```tool_code\nweather(city="Oslo")\n```',
    '[weather(city="Oslo")]',
    f"{OSLO}\n{OSLO}",
]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("text", CALLS)
def test_a_text_that_is_nothing_but_a_call_is_that_call(
    serve: Serve, raw: Raw, tmp_path_factory: pytest.TempPathFactory, api: str, text: str
) -> None:
    raw.chunks, raw.whole = stream(api, text), whole(api, text)
    log = tmp_path_factory.getbasetemp() / "log"
    client = serve(log=str(log))
    log.unlink(missing_ok=True)

    with count_increase(client) as grown:
        streamed = post(client, api, request(api, stream=True)).content
        answer = post(client, api, request(api)).json()

    assert read(api, streamed) == ("", [("weather", WRITTEN)], CALLED[api])
    assert calls_of(api, answer) == [("weather", {"city": "Oslo"})]
    assert grown["lton_rescued_calls_total"] == 2
    assert grown["lton_calls_total"] == 2
    assert any(name.startswith("lton_repairs_total") for name in grown)
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert [line["rescued"] for line in lines] == [[["weather", WRITTEN]]] * 2
    assert all(line["text"] == text and line["repairs"] for line in lines)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("text", "reason", "more"),
    [
        (OSLO, "length", {}),
        (OSLO[:-2], "length", {}),
        ('{"name": "unknown", "arguments": {}}', "stop", {}),
        ('{"name": "weather", "arguments": {"town": "Oslo"}}', "stop", {}),
        (f"{OSLO}\nThat is all.", "stop", {}),
        (f"<tool_call>{OSLO}</tool_call>\n<tool_response>4</tool_response>", "stop", {}),
        ("```\nstop\n```", "stop", {}),
        ("stop", "stop", {}),
        ('```python\nweather(city="Oslo")\n```', "stop", {}),
        (OSLO, "stop", {"tool_choice": {"type": "none"}}),
        (OSLO, "stop", {"tool_choice": "none"}),
        (OSLO, "stop", {"tool_choice": {"type": "strange"}}),
        (OSLO, "stop", {"tools": []}),
        (OSLO, "stop", {"response_format": {"type": "json_object"}}),
        (OSLO, "stop", {"text": {"format": {"type": "json_object"}}}),
        (OSLO, "stop", {"output_config": {"format": {"type": "json_schema"}}}),
    ],
)
def test_any_other_text_is_left_as_it_is(
    serve: Serve, raw: Raw, api: str, text: str, reason: str, more: Any
) -> None:
    raw.chunks, raw.whole = stream(api, text, reason=reason), whole(api, text, reason=reason)
    client = serve()

    with count_increase(client) as grown:
        assert post(client, api, request(api, stream=True, **more)).content == b"".join(raw.chunks)
        assert post(client, api, request(api, **more)).content == raw.whole

    assert "lton_rescued_calls_total" not in grown


@pytest.mark.parametrize("api", APIS)
def test_only_a_tool_that_may_be_called_is_rescued(serve: Serve, raw: Raw, api: str) -> None:
    raw.whole = whole(api, OSLO)
    client = serve()

    def named(name: str) -> dict[str, Any]:
        if api == "chat":
            return {"type": "function", "function": {"name": name}}
        return {"type": "tool" if api == "messages" else "function", "name": name}

    with count_increase(client) as grown:
        other = post(client, api, request(api, tool_choice=named("stop")))
    same = post(client, api, request(api, tool_choice=named("weather")))

    assert other.status_code == 200
    assert "lton_rescued_calls_total" not in grown
    assert calls_of(api, same.json()) == [("weather", {"city": "Oslo"})]


THOUGHT = f"<think>Not {OSLO} yet.</think>"


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("after", [f"\n\n{OSLO}", f"```json\n{OSLO}\n```"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_call_after_a_thought_is_that_call(
    serve: Serve, raw: Raw, monkeypatch: pytest.MonkeyPatch, api: str, after: str, size: int
) -> None:
    monkeypatch.setattr("tests.gateway.native.pieces.__defaults__", (size,))
    raw.chunks, raw.whole = stream(api, THOUGHT + after), whole(api, THOUGHT + after)
    client = serve()

    answer_bytes = post(client, api, request(api, stream=True)).content
    answer = post(client, api, request(api)).json()

    text, calls, reason = read(api, answer_bytes)
    assert (text.strip(), calls, reason) == (THOUGHT, [("weather", WRITTEN)], CALLED[api])
    assert CALLED[api] in (answer_text := json.dumps(answer))
    assert (answer_text.count("Oslo"), answer_text.count("weather")) == (2, 2)
    if api == "responses":
        last = json.dumps(objects(answer_bytes)[-1]["response"]["output"])
        assert (last.count("Oslo"), last.count("weather")) == (2, 2)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    "text",
    [
        THOUGHT,
        f"<think>{OSLO}",
        f"{THOUGHT}So: {OSLO}",
        f"{THOUGHT}{OSLO}</think>",
        f"<think>a</think><think>{OSLO}</think>",
        f"<think>a{OSLO}</thinking>{OSLO}",
    ],
)
def test_no_call_inside_of_a_thought_is_made(serve: Serve, raw: Raw, api: str, text: str) -> None:
    raw.chunks, raw.whole = stream(api, text), whole(api, text)
    client = serve()

    assert post(client, api, request(api, stream=True)).content == b"".join(raw.chunks)
    assert post(client, api, request(api)).content == raw.whole


def test_a_thought_of_chat_is_given_as_it_comes(serve: Serve, raw: Raw) -> None:
    raw.chunks = stream("chat", "<think>Hm, hm, hm.</think>" + OSLO)[:7]
    raw.breaks = True

    reply = post(serve(), "chat", request("chat", stream=True))

    assert reply.content.startswith(b"".join(raw.chunks))


def test_a_rescued_function_has_its_namespace(serve: Serve, raw: Raw) -> None:
    space = {"type": "namespace", "name": "crm", "tools": [tool("responses", "weather")]}
    body = request("responses", tools=[space, {"type": "web_search"}])
    raw.whole, raw.chunks = whole("responses", OSLO), stream("responses", OSLO)
    client = serve()

    (item,) = post(client, "responses", body).json()["output"]
    streamed = objects(post(client, "responses", {**body, "stream": True}).content)

    assert (item["namespace"], item["name"]) == ("crm", "weather")
    assert streamed[-1]["response"]["output"][0]["namespace"] == "crm"


def test_two_functions_of_one_name_are_not_guessed(serve: Serve, raw: Raw) -> None:
    spaces = [
        {"type": "namespace", "name": name, "tools": [tool("responses", "weather")]}
        for name in ("crm", "erp")
    ]
    raw.whole = whole("responses", OSLO)

    assert post(serve(), "responses", request("responses", tools=spaces)).content == raw.whole


def test_text_is_held_only_while_it_may_be_a_call(serve: Serve, raw: Raw) -> None:
    """Text is sent as soon as it cannot be a call, even in a stream that never ends."""
    raw.chunks = stream("chat", "```json\nno call\n```")[:8]
    raw.breaks = True

    reply = post(serve(), "chat", request("chat", stream=True))

    assert reply.content.startswith(b"".join(raw.chunks))


@pytest.mark.parametrize("api", ["responses", "messages"])
def test_thoughts_stay_before_a_rescued_call(serve: Serve, raw: Raw, api: str) -> None:
    kind, data = {
        "responses": (
            "response.output_item.added",
            {"output_index": 0, "item": {"type": "reasoning", "id": "rs_1", "summary": []}},
        ),
        "messages": (
            "content_block_start",
            {"index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        ),
    }[api]
    first, *others = stream(api, OSLO)
    if api == "messages":
        others = [other.replace(b'"index": 0', b'"index": 1') for other in others]
        thought = sse({"type": kind, **data}, kind)
        thought += sse({"type": "content_block_stop", "index": 0}, "content_block_stop")
    else:
        others = [other.replace(b'"output_index": 0', b'"output_index": 1') for other in others]
        thought = sse({"type": kind, "sequence_number": 1, **data}, kind)
    raw.chunks = [first, thought, *others]

    stream_events = objects(post(serve(), api, request(api, stream=True)).content)

    assert thought.split(b"\n\n")[0] in b"".join(
        sse(event, event["type"]) for event in stream_events
    )
    key = "output_index" if api == "responses" else "index"
    indexes = [
        event[key]
        for event in stream_events
        if "added" in event["type"] or ("start" in event["type"] and key in event)
    ]
    assert indexes == [0, 1]


# --- equal calls ----------------------------------------------------------------------------------

AGAIN = [("weather", WRITTEN), ("weather", '{ "city" : "Oslo" }'), ("stop", "{}")]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("size", [1, 100_000])
@pytest.mark.parametrize("repeat", [None, True, False])
def test_equal_calls_are_given_as_they_come(
    serve: Serve, raw: Raw, api: str, size: int, repeat: bool | None
) -> None:
    """Calls with ids of their own may both be meant, whatever the request says of repetitions."""
    content = b"".join(stream(api, "So:", AGAIN))
    raw.chunks = [content[at : at + size] for at in range(0, len(content), size)]
    raw.whole = whole(api, "So:", AGAIN)
    client, more = serve(), {} if repeat is None else {"repeat_tool_calls": repeat}

    with count_increase(client) as grown:
        streamed = post(client, api, request(api, stream=True, **more)).content
        answer = post(client, api, request(api, **more)).content

    assert (streamed, answer) == (content, raw.whole)
    assert grown["lton_calls_total"] == 6
    assert [json.loads(body) for body in raw.bodies] == [request(api, stream=True), request(api)]


def test_calls_that_come_in_one_piece_are_given_as_they_come(serve: Serve, raw: Raw) -> None:
    def entry(index: int, city: str) -> dict[str, Any]:
        function = {"name": "weather", "arguments": json.dumps({"city": city})}
        return {"index": index, "id": f"c{index}", "type": "function", "function": function}

    first, *_, end, usage, last = stream("chat", "", [("stop", "{}")])
    delta = {"content": "So", "tool_calls": [entry(0, "Oslo"), entry(1, "Oslo"), entry(2, "Ost")]}
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    raw.chunks = [first, sse({"choices": [choice]}), end, usage, last]

    answer = post(serve(), "chat", request("chat", stream=True)).content

    assert answer == b"".join(raw.chunks)


# --- checks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", APIS)
def test_native_calls_are_checked_and_never_changed(serve: Serve, raw: Raw, api: str) -> None:
    wrong = [("weather", WRITTEN), ("weather", '{"city":5}'), ("nobody", "{}")]
    raw.chunks = stream(api, "", wrong)
    client = serve()

    with count_increase(client) as grown:
        assert post(client, api, request(api, stream=True)).content == b"".join(raw.chunks)

    fits = {name: count for name, count in grown.items() if "lton_checked_calls_total" in name}
    assert fits["lton_checked_calls_total" + '{fit="fits"}'] == 1
    assert fits["lton_checked_calls_total" + '{fit="E203"}'] == 1
    assert len(fits) == 3


def test_tools_that_cannot_be_read_are_no_error(serve: Serve, raw: Raw) -> None:
    raw.whole = whole("chat", OSLO)
    odd: list[Any] = [
        tool("chat", "weather"),
        tool("chat", "odd", {"type": "nothing", "properties": 5}),
    ]
    odd += [{"type": "function"}, 5, {"type": "function", "function": {"name": 7}}]

    answer = post(serve(), "chat", request("chat", tools=odd)).json()

    assert calls_of("chat", answer) == [("weather", {"city": "Oslo"})]


# --- what breaks ----------------------------------------------------------------------------------


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("text", ["It may be cold in Oslo.", OSLO])
@pytest.mark.parametrize("breaks", [True, False])
def test_a_stream_that_breaks_off_is_an_error_and_no_call(
    serve: Serve, raw: Raw, api: str, text: str, breaks: bool
) -> None:
    """The error is the same whether the connection ends with an error or is just closed."""
    raw.chunks, raw.breaks = stream(api, text)[:9], breaks

    answer = post(serve(), api, request(api, stream=True)).content

    assert answer.startswith(b"".join(raw.chunks))
    ending = answer[len(b"".join(raw.chunks)) :]
    assert b"broke off" in ending
    assert {"chat": b"[DONE]", "responses": b"response.failed", "messages": b"event: error"}[
        api
    ] in ending
    assert not any(mark in ending for mark in (b"tool_calls", b"function_call", b"tool_use"))


@pytest.mark.parametrize("api", APIS)
def test_what_a_server_refuses_is_passed_on(serve: Serve, raw: Raw, api: str) -> None:
    client = serve()
    raw.status, raw.whole = 429, b'{"type":"error", "error":{"type":"overloaded"}}'

    reply = post(client, api, request(api, stream=True))

    assert (reply.status_code, reply.content) == (429, raw.whole)


@pytest.mark.parametrize("api", APIS)
def test_an_error_inside_of_a_stream_is_passed_on(serve: Serve, raw: Raw, api: str) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    raw.chunks = [*stream(api, OSLO)[:6], sse(error, "error")]

    answer = post(serve(), api, request(api, stream=True)).content

    assert answer == b"".join(raw.chunks)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    "hostile",
    [
        b"data: no json\n\n",
        b"data: [1]\n\n",
        b"data: " + b"[" * 5000 + b"\n\n",
        b"data: \xff\xfe\n\n",
    ],
)
@pytest.mark.parametrize("is_one_chunk", [True, False])
def test_a_hostile_event_ends_the_stream(
    serve: Serve, raw: Raw, api: str, hostile: bytes, is_one_chunk: bool
) -> None:
    """Content before the hostile event is sent, even if it came in the same chunk."""
    before, after = stream(api, "It may be.")[:4], stream(api, "It may be.")[4:]
    raw.chunks = [*before, hostile, *after]
    if is_one_chunk:
        raw.chunks = [b"".join(raw.chunks)]

    answer = post(serve(), api, request(api, stream=True)).content

    assert answer.startswith(b"".join(before))
    assert b"not a JSON object" in answer
    assert hostile not in answer


ODD: list[Any] = [
    {"choices": 5}, {"choices": [5]}, {"choices": [{"delta": 5}]}, {"choices": [{"index": "a"}]},
    {"choices": [{"index": 0, "delta": {"content": 5, "tool_calls": 5}}]},
    {"choices": [{"index": 0, "delta": {"tool_calls": [5, {"index": "x", "function": {}}]}}]},
    {"choices": [{"index": 0, "delta": {"tool_calls": [{"function": 5}]}}], "usage": 5},
    {"type": 5}, {"type": "response.output_item.added", "item": 5, "output_index": "x"},
    {"type": "response.output_item.done"}, {"type": "response.content_part.added", "part": []},
    {"type": "response.output_text.delta", "output_index": {}},
    {"type": "message_start", "message": 5}, {"type": "content_block_start", "index": 0},
    {"type": "content_block_delta", "index": 0, "delta": 5}, {"type": "message_delta", "usage": []},
    {"type": "content_block_stop", "index": 99}, {"type": "message_delta", "delta": 5},
]  # fmt: skip


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("odd", ODD, ids=json.dumps)
def test_what_no_api_says_is_passed_on(serve: Serve, raw: Raw, api: str, odd: Any) -> None:
    first, *others = stream(api, "It may be.", [("stop", "{}")])
    raw.chunks = [first, sse(odd), *others]
    client = serve()

    assert post(client, api, request(api, stream=True)).content == b"".join(raw.chunks)
    raw.whole = json.dumps(odd).encode()
    assert post(client, api, request(api)).status_code in (200, 502)


def test_an_event_has_a_limit(serve: Serve, raw: Raw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lton.apis.sse.MAX_EVENT", 1000)
    raw.chunks = [b"data: " + b"x" * 600, b"x" * 600]

    response = post(serve(), "chat", request("chat", stream=True))

    assert (response.status_code, response.json()["error"]["message"]) == (
        502,
        "an event from the upstream is too long",
    )


def test_what_is_held_has_a_limit(serve: Serve, raw: Raw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lton.gateway.native.calls_in_text.MAX_HELD", 500)
    raw.chunks = stream("chat", OSLO)

    assert post(serve(), "chat", request("chat", stream=True)).content == b"".join(raw.chunks)


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", APIS)
def test_strict_is_said_of_tools_whose_schema_allows_it(serve: Serve, raw: Raw, api: str) -> None:
    raw.whole = whole(api, "Yes.")
    tools = [tool(api, "weather"), tool(api, "stop", {"type": "object"}), {"type": "web_search"}]
    given_tool = tool(api, "given")
    (given_tool["function"] if api == "chat" else given_tool)["strict"] = False

    post(serve(strict="always"), api, request(api, tools=[*tools, given_tool]))

    sent_tools = json.loads(raw.bodies[0])["tools"]
    holders = [tool.get("function", tool) for tool in sent_tools]
    assert [holder.get("strict") for holder in holders] == [True, None, None, False]
    holders[0].pop("strict")
    assert sent_tools == [*tools, given_tool]


def test_results_are_shortened_where_that_is_asked_for(serve: Serve, raw: Raw) -> None:
    raw.whole = whole("chat", "Yes.")
    rows = json.dumps([{"id": n, "name": f"n{n}"} for n in range(5)])
    body = request("chat")
    body["messages"] += [
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "weather", "arguments": rows}}]},
        {"role": "tool", "tool_call_id": "1", "content": rows},
        {"role": "user", "content": rows},
    ]  # fmt: skip

    post(serve(results="short"), "chat", body)

    messages = json.loads(raw.bodies[0])["messages"]
    assert messages[2]["content"] == "[5(id name)\n0 n0\n1 n1\n2 n2\n3 n3\n4 n4]"
    assert [messages[n] for n in (0, 1, 3)] == [body["messages"][n] for n in (0, 1, 3)]


def test_a_number_loses_no_digit(serve: Serve, raw: Raw) -> None:
    raw.whole = whole("chat", "Yes.")
    rows = '[{"id": 1, "at": 0.12345678901234567890}, {"id": 2, "at": 1}]'
    message = {"role": "tool", "tool_call_id": "1", "content": rows}

    post(serve(results="short"), "chat", {**request("chat"), "messages": [message]})

    assert json.loads(raw.bodies[0])["messages"] == [message]


def test_a_header_chooses_for_a_request(serve: Serve, raw: Raw) -> None:
    call_text = '!call weather(city="Oslo")'
    raw.whole, raw.chunks = whole("chat", call_text), stream("chat", call_text)
    client = serve()

    off = post(client, "chat", request("chat"), **{"x-lton-calls": "off"})
    lton = post(client, "chat", request("chat"), **{"x-lton-calls": "LTON"})
    wrong = post(client, "chat", request("chat"), **{"x-lton-calls": "maybe"})

    assert off.content == raw.whole
    assert "tools" not in json.loads(raw.bodies[1])
    assert calls_of("chat", lton.json()) == [("weather", {"city": "Oslo"})]
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "unknown_calls")
    assert "expected off, native, lton or guided, found 'maybe'" in wrong.text


def test_a_text_that_comes_whole_is_one(serve: Serve, raw: Raw) -> None:
    """The text of an answer may come in one piece, as with some servers of the responses API."""
    part = {"type": "output_text", "text": "Yes.", "annotations": []}
    item = {"type": "message", "id": "msg_1", "role": "assistant", "content": [part]}
    kinds = ("response.output_item.added", "response.output_item.done")
    events = [{"type": kind, "output_index": 0, "item": item} for kind in kinds]
    events.append({"type": "response.completed", "response": {"output": [item]}})
    raw.chunks = [f"data: {json.dumps(event)}\n\n".encode() for event in events]

    answer = post(serve(), "responses", request("responses", stream=True))

    assert answer.content == b"".join(raw.chunks)


# --- what all roads have --------------------------------------------------------------------------


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("calls", [(), [("weather", WRITTEN)]])
def test_a_text_without_an_end_is_ended(serve: Serve, raw: Raw, api: str, calls: Any) -> None:
    """An answer that repeats itself is ended."""
    text = "It may be. " * 2000
    raw.chunks = stream(api, text, calls)

    reply = post(serve(upstream_api=api), api, request(api, stream=True))

    answer_text, received, reason = read(api, reply.content)
    assert 4096 <= len(answer_text) < 6000
    assert text.startswith(answer_text)
    assert received == []
    assert reason == {"chat": "length", "responses": "incomplete", "messages": "max_tokens"}[api]
    assert b"repeated_text" in reply.content


@pytest.mark.parametrize("api", APIS)
def test_a_chunk_that_nothing_touches_costs_few_calls(api: str) -> None:
    """A chunk of an ordinary token calls few functions of the library."""
    body = request(api, stream=True)
    native = read_native(body, b"", registry.APIS[api], NativeOptions())  # type: ignore[index]
    exchange, counts = NativeExchange(native), list[int]()
    home = str(Path(lton.__file__).parent)

    def count(frame: Any, event: str, _: Any) -> None:
        counts[-1] += event == "call" and frame.f_code.co_filename.startswith(home)

    chunks, out = stream(api, "It may be cold. " * 4), list[bytes]()
    for chunk in chunks:
        counts.append(0)
        sys.setprofile(count)
        out += exchange.feed_chunk(chunk)
        sys.setprofile(None)
    assert b"".join(out) == b"".join(chunks)
    assert 10 < sorted(counts)[len(counts) // 2] <= 32
