"""Test the gateway with clients: complete answers, streams, errors, and clients that leave."""

import json
import time
from argparse import Namespace
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Any

import httpx2
import pytest

from lton.gateway.serving import build_application
from tests.gateway.conftest import CITY, JSON, TOOLS, Script, Served, chat, events

PATH = "/v1/chat/completions"
TEXT = 'It may be.\n!call weather(city="Oslo", days=3)\n!call stop()'


def joined(events: list[Any]) -> dict[str, Any]:
    """Return the message that clients build from the pieces of a stream."""
    message: dict[str, Any] = {}
    calls: list[dict[str, Any]] = []
    reason = None
    for event in events:
        for choice in event["choices"]:
            delta, reason = choice["delta"], choice["finish_reason"] or reason
            for key in ("role", "content", "reasoning_content"):
                if delta.get(key) is not None:
                    message[key] = message.get(key, "") + delta[key]
            for call in delta.get("tool_calls", ()):
                if call["index"] == len(calls):
                    assert set(call) == {"index", "id", "type", "function"}
                    calls.append(
                        {"id": call["id"], "type": call["type"], "function": {**call["function"]}}
                    )
                else:
                    assert call["index"] == len(calls) - 1
                    assert set(call) == {"index", "function"}
                    calls[-1]["function"]["arguments"] += call["function"]["arguments"]
    if calls:
        message["tool_calls"] = calls
    return {"message": message, "finish_reason": reason}


def without_ids(message: dict[str, Any]) -> dict[str, Any]:
    calls = [call["function"] for call in message.get("tool_calls", ())]
    return {**message, "content": message.get("content") or None, "tool_calls": calls}


def test_an_answer_has_its_calls(client: httpx2.Client, script: Script) -> None:
    script.pieces = [TEXT]

    reply = client.post(PATH, json=chat()).json()

    (choice,) = reply["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["content"] == "It may be."
    assert [call["function"] for call in choice["message"]["tool_calls"]] == [
        {"name": "weather", "arguments": '{"city":"Oslo","days":3}'},
        {"name": "stop", "arguments": "{}"},
    ]
    assert reply["usage"] == {
        "prompt_tokens": 7,
        "completion_tokens": 3,
        "total_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": 0},
    }
    (body,) = script.asked
    assert "tools" not in body
    assert "weather" in body["messages"][0]["content"]
    assert "weather" in body["structured_outputs"]["grammar"]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_streams_come_to_the_same_however_they_are_cut(
    client: httpx2.Client, script: Script, size: int
) -> None:
    script.pieces = [TEXT[at : at + size] for at in range(0, len(TEXT), size)]

    whole = client.post(PATH, json=chat()).json()["choices"][0]
    reply = client.post(PATH, json=chat(stream=True, stream_options={"include_usage": True}))
    stream_events = events(reply)

    assert reply.headers["content-type"].startswith("text/event-stream")
    assert reply.text.endswith("data: [DONE]\n\n")
    message = joined(stream_events)
    assert message["finish_reason"] == whole["finish_reason"]
    assert without_ids(message["message"]) == without_ids(whole["message"])
    assert stream_events[-1]["choices"] == []
    assert stream_events[-1]["usage"]["total_tokens"] == 10
    assert len({event["id"] for event in stream_events}) == 1


def test_a_call_that_the_limit_cut_cannot_be_run(client: httpx2.Client, script: Script) -> None:
    script.pieces, script.reason = ['!call weather(city="Oslo", days=3'], "length"

    whole = client.post(PATH, json=chat(tool_choice="required")).json()["choices"][0]
    cut = joined(events(client.post(PATH, json=chat(tool_choice="required", stream=True))))

    assert (whole["finish_reason"], whole["message"].get("tool_calls")) == ("length", None)
    (note,) = whole["lton"]["notes"]
    assert (note["code"], note["name"], note["reason"]) == ("cut_call", "weather", "length")
    assert note["arguments"] == '{"city":"Oslo"'
    assert cut["finish_reason"] == "length"
    with pytest.raises(json.JSONDecodeError):
        json.loads(cut["message"]["tool_calls"][0]["function"]["arguments"])


@pytest.mark.parametrize(
    ("before", "text", "name"),
    [
        ("Hi.\n", '!call weather(city="Os', ""),
        ("Hi.\n", "!call stop()", "stop"),
        ("", '{"name": "weather", "arguments": {"city": "Oslo"}}', "weather"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_call_that_the_limit_cut_is_seen_also_where_it_is_read_leniently(
    script: Script,
    options: Namespace,
    request: pytest.FixtureRequest,
    before: str,
    text: str,
    name: str,
    stream: bool,
) -> None:
    options.engine = "plain"
    client: httpx2.Client = request.getfixturevalue("client")
    script.pieces, script.reason = [before + text], "length"

    reply = client.post(PATH, json=chat(stream=stream))

    stream_events = events(reply) if stream else []
    choice = joined(stream_events) if stream else reply.json()["choices"][0]
    assert (choice["finish_reason"], choice["message"].get("tool_calls")) == ("length", None)
    (note,) = (stream_events[-1]["choices"][0] if stream else choice)["lton"]["notes"]
    assert (note["code"], note["name"], note["reason"]) == ("cut_call", name, "length")
    assert note["arguments"] == text.rstrip("}")
    with pytest.raises(json.JSONDecodeError):
        json.loads(note["arguments"])


@pytest.mark.parametrize("engine", ["plain", "vllm"])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("before", "choice", "stop"),
    [("", "auto", "Observation:"), ("Look.\n", "auto", "sunny"), ("", "auto", "\n")],
)
def test_a_stop_after_a_call_leaves_the_call(
    script: Script,
    options: Namespace,
    request: pytest.FixtureRequest,
    engine: str,
    stream: bool,
    before: str,
    choice: str,
    stop: str,
) -> None:
    """A call that ended before the stop sequence is delivered in both APIs."""
    options.engine = engine
    client: httpx2.Client = request.getfixturevalue("client")
    script.pieces = [before, '!call weather(city="Oslo")\n', "Observation: sunny", "\nIt is."]

    body = chat(stream=stream, stop=stop, tool_choice=choice)
    response = client.post(PATH, json=body)
    tools = [{"name": "weather", "input_schema": CITY}]
    request_body = {"model": "m", "max_tokens": 9, "messages": body["messages"], "tools": tools}
    request_body |= {"stream": stream, "stop_sequences": [stop]}
    message = client.post("/v1/messages", json=request_body)

    one = joined(events(response)) if stream else response.json()["choices"][0]
    (call,) = one["message"]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"city": "Oslo"}
    assert one["finish_reason"] == "tool_calls"
    assert "It is" not in response.text + message.text
    assert '"type":"tool_use"' in message.text
    assert '"stop_reason":"tool_use"' in message.text
    assert f'"stop_sequence":{json.dumps(stop)}' in message.text


COPIES = '!call weather(city="Oslo", days=3)\n!call weather(days=3, city="Oslo")\n!call stop()'


@pytest.mark.parametrize("engine", ["llama.cpp", "vllm", "sglang", "plain"])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("repeat", [False, True])
def test_a_call_is_given_once_unless_it_may_be_repeated(
    script: Script,
    options: Namespace,
    request: pytest.FixtureRequest,
    engine: str,
    stream: bool,
    repeat: bool,
) -> None:
    options.engine, script.prompt = engine, "MESSAGES"
    client: httpx2.Client = request.getfixturevalue("client")
    if engine == "llama.cpp":
        script.pieces = [b'data: {"content":' + json.dumps(COPIES).encode() + b',"stop":true}\n\n']
        script.reason = None
    else:
        script.pieces = [*COPIES]

    reply = client.post(PATH, json=chat(stream=stream, repeat_tool_calls=repeat))

    choice = joined(events(reply)) if stream else reply.json()["choices"][0]
    names = [call["function"]["name"] for call in choice["message"]["tool_calls"]]
    assert names.count("weather") == 1 + repeat
    assert choice["finish_reason"] == "tool_calls"
    assert ('"code":"repeated_call"' in reply.text) is not repeat
    assert "repeat_tool_calls" not in script.asked[-1]
    dropped = 'lton_left_out_total{code="repeated_call"} 1.0'
    assert (dropped in client.get("/metrics").text) is not repeat


def test_an_option_lets_calls_be_repeated_unless_a_request_says_otherwise(
    script: Script, options: Namespace, request: pytest.FixtureRequest
) -> None:
    options.repeat_tool_calls = True
    client: httpx2.Client = request.getfixturevalue("client")
    script.pieces = [COPIES]
    for more, count in (({}, 3), ({"repeat_tool_calls": False}, 1)):
        message = client.post(PATH, json=chat(**more)).json()["choices"][0]["message"]
        assert len(message["tool_calls"]) == count


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "text", ["", "!result weather {degrees 4}", "!result=4", "!error it failed"]
)
def test_an_answer_of_nothing_is_asked_for_again_and_then_an_error(
    script: Script,
    options: Namespace,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    text: str,
    stream: bool,
) -> None:
    options.log = str(tmp_path / "log.jsonl")
    client: httpx2.Client = request.getfixturevalue("client")
    script.turns = [[text], ["Four degrees."], [text], [text]]

    good = client.post(PATH, json=chat(stream=stream))
    bad = client.post(PATH, json=chat(stream=stream))

    choice = joined(events(good)) if stream else good.json()["choices"][0]
    assert choice["message"]["content"] == "Four degrees."
    assert (
        "the model said nothing" in script.asked[1]["messages"][-1]["content"]
        or text[:6] == "!error"
    )
    assert (bad.status_code, bad.json()["error"]["code"]) == (502, "empty_answer")
    line = json.loads((tmp_path / "log.jsonl").read_text().splitlines()[-1])
    assert line["completions"] == [text]


def test_what_imitates_an_answer_beside_text_is_reported(
    client: httpx2.Client, script: Script
) -> None:
    script.pieces = ["!result=4\nIt is 4."]
    choice = client.post(PATH, json=chat()).json()["choices"][0]
    assert choice["message"]["content"] == "It is 4."
    assert [(note["code"], note["text"]) for note in choice["lton"]["notes"]] == [
        ("imitated_answer", "!result=4")
    ]


@pytest.mark.parametrize(("text", "content"), [("!call stop()", None), ("Yes.", "")])
def test_the_first_delta_before_calls_has_no_content(
    client: httpx2.Client, script: Script, text: str, content: str | None
) -> None:
    script.pieces = [text]
    first = events(client.post(PATH, json=chat(stream=True)))[0]
    assert first["choices"][0]["delta"] == {"role": "assistant", "content": content}


OWN = {"index": 0, "id": "x", "function": {"name": "weather", "arguments": '{"city":'}}
REST = {"index": 0, "function": {"arguments": '"Oslo"}'}}


@pytest.mark.parametrize("stream", [False, True])
def test_calls_of_the_upstreams_own_are_given(
    client: httpx2.Client, script: Script, stream: bool
) -> None:
    """Native calls of the upstream are returned once, also next to calls in text."""
    script.pieces = [
        "Yes.\n!call weather(city=Oslo)",
        {"tool_calls": [OWN]},
        {"tool_calls": [REST]},
    ]
    script.pieces += [{"tool_calls": [{"index": 1, "function": {"name": "stop", "arguments": ""}}]}]
    reply = client.post(PATH, json=chat(stream=stream))
    choice = joined(events(reply)) if stream else reply.json()["choices"][0]
    calls = [call["function"] for call in choice["message"]["tool_calls"]]
    assert calls == [
        {"name": "weather", "arguments": '{"city":"Oslo"}'},
        {"name": "stop", "arguments": "{}"},
    ]
    assert choice["finish_reason"] == "tool_calls"


@pytest.mark.parametrize(
    "call",
    [
        OWN,
        OWN | {"function": {"name": "wether", "arguments": "{}"}},
        OWN | {"function": {"name": "weather", "arguments": "[]"}},
        OWN | {"function": {"name": "weather", "arguments": '{"city":[5]}'}},
        OWN | {"function": {"name": "weather", "arguments": 5}},
        {"index": 0, "function": 5},
        5,
    ],
)
def test_a_call_of_the_upstreams_own_that_is_wrong_is_an_error(
    client: httpx2.Client, script: Script, call: Any
) -> None:
    script.pieces = [{"tool_calls": [call]}]
    reply = client.post(PATH, json=chat())
    assert (reply.status_code, reply.json()["error"]["type"]) == (502, "upstream_error")


def test_thoughts_are_no_content(client: httpx2.Client, script: Script) -> None:
    script.pieces = [{"reasoning_content": "!call stop()"}, "<think>!call stop()\n</think>", "No."]

    message = client.post(PATH, json=chat()).json()["choices"][0]["message"]

    assert message["content"] == "No."
    assert "tool_calls" not in message
    assert message["reasoning_content"].count("!call stop()") == 2


def test_requests_without_tools_go_through_untouched(client: httpx2.Client, script: Script) -> None:
    script.reply = {"id": "theirs", "choices": []}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}
    body = {"messages": [], "strange": [1], "stop": ["x"], "tools": [], "response_format": form}

    assert client.post(PATH, json=body).json() == script.reply
    assert client.post("/v1/embeddings?a=b", json={"input": "x"}).json() == script.reply
    assert client.get("/v1/models").json() == script.reply
    assert script.asked[0] == body


@pytest.mark.parametrize("streamed", [False, True])
def test_an_upstreams_error_is_passed_on(
    client: httpx2.Client, script: Script, streamed: bool
) -> None:
    script.status, script.reply = 429, {"error": {"message": "too many", "type": "rate"}}

    reply = client.post(PATH, json=chat(stream=streamed))

    assert (reply.status_code, reply.json()) == (429, script.reply)


def test_what_is_no_answer_is_an_error_of_the_api(client: httpx2.Client, script: Script) -> None:
    script.status, script.reply = 500, "<html>oh</html>"

    reply = client.post(PATH, json=chat())

    assert reply.status_code == 500
    assert reply.json()["error"]["type"] == "upstream_error"


def test_what_is_nested_too_deep_is_refused(client: httpx2.Client) -> None:
    """JSON that is nested so deep that it can be read but not written is refused."""
    function = {"name": "stop", "arguments": {"x": "DEEP"}}
    message = {"role": "assistant", "tool_calls": [{"id": "1", "function": function}]}
    body = json.dumps(chat(messages=[message]))
    for depth in (*range(940, 1000, 2), 100_000):
        deep = f"{'[' * depth}1{']' * depth}"
        assert (
            "an internal error of the gateway"
            not in client.post(PATH, content=body.replace('"DEEP"', deep), headers=JSON).text
        )


@pytest.mark.parametrize("piece", [b"data: oh\n\n", b'data: {"error": {"message": "oh"}}\n\n'])
def test_a_stream_that_breaks_ends_with_an_error(
    client: httpx2.Client, script: Script, piece: bytes
) -> None:
    script.pieces = ["I look.\n!call weather(ci", piece]

    stream_events = events(client.post(PATH, json=chat(stream=True)))

    assert "error" in stream_events[-1]
    assert client.post(PATH, json=chat()).status_code == 502


@pytest.mark.parametrize(
    "event",
    [
        {"choices": 5},
        {"choices": [None]},
        {"choices": [{"index": "0", "delta": {"content": "x"}}]},
        {"choices": [{"index": -1, "delta": {"content": "x"}, "finish_reason": "stop"}]},
        {"choices": [{"index": 1, "delta": {"content": "x"}, "finish_reason": "stop"}]},
        {"choices": [{"index": 0, "delta": "x"}]},
        {"choices": [{"index": 0, "delta": {"reasoning_content": 5}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": ["stop"]}]},
    ],
)
def test_an_event_that_the_api_does_not_have_is_the_upstreams_fault(
    client: httpx2.Client, script: Script, event: dict[str, Any]
) -> None:
    script.pieces = [b"data: " + json.dumps(event).encode() + b"\n\n"]

    reply = client.post(PATH, json=chat())

    assert (reply.status_code, reply.json()["error"]["type"]) == (502, "upstream_error")


def test_a_text_that_comes_as_parts_is_content(client: httpx2.Client, script: Script) -> None:
    """Content may be a list of parts, and the index of the choice may be missing."""
    delta = {"content": [{"type": "text", "text": "It is "}, {"type": "text", "text": "cold."}]}
    choice = {"index": None, "delta": delta, "finish_reason": "stop"}
    script.pieces = [f"data: {json.dumps({'choices': [choice]})}\n\n".encode()]

    (answer_choice,) = client.post(PATH, json=chat()).json()["choices"]

    assert (answer_choice["message"]["content"], answer_choice["finish_reason"]) == (
        "It is cold.",
        "stop",
    )


def test_counts_that_are_none_count_nothing(client: httpx2.Client, script: Script) -> None:
    usage = {"prompt_tokens": "7", "completion_tokens": 3, "prompt_tokens_details": [1]}
    end = {"choices": [], "usage": usage}
    script.reason = None
    script.pieces = ["Yes.", b"data: " + json.dumps(end).encode() + b"\n\ndata: [DONE]\n\n"]

    assert client.post(PATH, json=chat()).json()["usage"]["total_tokens"] == 3


def test_a_stream_that_ends_without_a_reason_is_an_answer(
    client: httpx2.Client, script: Script
) -> None:
    script.pieces, script.reason = ["No.", b"data: [DONE]\n\n"], None

    choice = client.post(PATH, json=chat()).json()["choices"][0]

    assert (choice["message"]["content"], choice["finish_reason"]) == ("No.", "stop")


def test_a_wrong_call_is_asked_for_once_more(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["!call wether(city='Oslo')"]

    choice = client.post(PATH, json=chat()).json()["choices"][0]

    first, again = (body["messages"] for body in script.asked)
    assert again[: len(first)] == first
    assert "wether" in again[-1]["content"]
    assert choice["message"]["content"] == "!call wether(city='Oslo')"


def connection_ends(script: Script, count: int = 1) -> bool:
    end = time.monotonic() + 5
    while time.monotonic() < end:
        if len(script.left) >= count:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("before", [[], ["Hello", "!call weather(city='Os"]])
def test_the_upstream_is_stopped_when_a_client_leaves(
    client: httpx2.Client, script: Script, before: list[str], streamed: bool
) -> None:
    script.pieces = [*before, 60]

    with pytest.raises(httpx2.TimeoutException):
        client.post(PATH, json=chat(stream=streamed), timeout=0.5)

    assert connection_ends(script)
    assert (
        'lton_clients_left_total{endpoint="/v1/chat/completions"} 1.0'
        in client.get("/metrics").text
    )


@pytest.mark.parametrize("streamed", [False, True])
def test_a_model_that_repeats_a_call_is_stopped(
    client: httpx2.Client, script: Script, streamed: bool
) -> None:
    """A repeated call stops the model, and the tokens so far are counted if the upstream reports
    them.
    """
    call = "!call weather(city=Oslo, days=3)\n"
    token_usage = {"prompt_tokens": 7, "completion_tokens": 24}
    usage_event = {"choices": [{"index": 0, "delta": {}}], "usage": token_usage}
    script.pieces = [call, f"data: {json.dumps(usage_event)}\n\n".encode(), call, "!call st", 60]

    if streamed:
        options = {"include_usage": True}
        stream_events = events(client.post(PATH, json=chat(stream=True, stream_options=options)))
        choice, usage = joined(stream_events), stream_events[-1]["usage"]
    else:
        reply = client.post(PATH, json=chat()).json()
        choice, usage = reply["choices"][0], reply["usage"]

    assert connection_ends(script)
    assert len(choice["message"]["tool_calls"]) == 1
    assert choice["finish_reason"] == "tool_calls"
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (7, 24)


@pytest.mark.parametrize("stream", [False, True])
def test_choices_that_the_upstream_does_not_give_are_no_answers(
    client: httpx2.Client, script: Script, stream: bool
) -> None:
    script.pieces = ["Yes."]
    reply = client.post(PATH, json=chat(n=3, stream=stream))
    answers = events(reply) if stream else [reply.json()]
    assert {choice["index"] for answer in answers for choice in answer["choices"]} == {0}
    assert script.asked[0]["n"] == 3


SAME = ["It may be. "] * 1000


@pytest.mark.parametrize("engine", ["plain", "vllm"])
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    "pieces",
    [SAME, ['!call weather(city="', *["Oslo, "] * 1000], [{"reasoning_content": "a"}] * 5000],
)
def test_a_model_that_repeats_a_text_without_an_end_is_stopped(
    script: Script,
    options: Namespace,
    request: pytest.FixtureRequest,
    engine: str,
    streamed: bool,
    pieces: list[Any],
) -> None:
    options.engine = engine
    client: httpx2.Client = request.getfixturevalue("client")
    script.pieces = [*pieces, 60]

    reply = client.post(PATH, json=chat(stream=streamed))

    assert connection_ends(script)
    stream_events = events(reply) if streamed else []
    choice = joined(stream_events) if streamed else reply.json()["choices"][0]
    assert choice["finish_reason"] == "length"
    assert "the model repeated itself" in reply.text
    notes = (stream_events[-1]["choices"][0] if streamed else choice)["lton"]["notes"]
    assert [note["code"] for note in notes] == [
        "cut_call" if "!call" in str(pieces[0]) else "repeated_text"
    ]
    if pieces is SAME:
        assert 4096 <= len(choice["message"]["content"]) < 6000
    assert len(script.asked) == 1


@pytest.mark.parametrize("tools", [TOOLS, []])
def test_a_text_that_repeats_itself_and_ends_is_an_answer(
    client: httpx2.Client, script: Script, tools: list[Any]
) -> None:
    """A text that repeats itself and ends is an answer, and responses without tools have the same
    limit.
    """
    flat = [{"type": "function", **tool["function"]} for tool in tools]
    for piece, more, status in ((SAME[:300], [], "completed"), (SAME, [60], "incomplete")):
        script.pieces = [*piece, *more]
        answer = client.post("/v1/responses", json={"input": "?", "tools": flat}).json()
        assert answer["status"] == status
    script.pieces, script.reason = ["".join(SAME)], None
    script.reply = {
        "choices": [{"index": 0, "message": {"content": "".join(SAME)}, "finish_reason": "stop"}]
    }
    answer = client.post("/v1/responses", json={"input": "?", "tools": flat}).json()
    assert (answer["status"], answer.get("lton")) == ("completed", None)
    assert answer["output"][0]["content"][0]["text"].count("may") == 1000


def test_an_event_may_have_its_data_in_several_lines(client: httpx2.Client, script: Script) -> None:
    """An event may have several data lines, comments and any line ends, and come in pieces."""
    event = (
        b': hi\r\n\r\ndata: {"choices": [{"index": 0, \ndata: "delta": {"content": "Yes."}}]}\n\n'
    )
    script.pieces = [event[:40], event[40:-1], event[-1:]]
    reply = client.post(PATH, json=chat()).json()
    assert reply["choices"][0]["message"]["content"] == "Yes."


def test_an_address_may_have_a_user(options: Namespace, script: Script) -> None:
    """The user and password in an address become a header, and no error shows the password."""
    script.pieces = ["Yes."]
    options.upstream = options.upstream.replace("//", "//me:p%40ss@")
    served = Served(build_application(options))
    reply = httpx2.post(served.url + PATH, json=chat(), timeout=20)
    served.close()
    assert reply.status_code == 200
    assert script.headers[-1]["authorization"] == httpx2.BasicAuth("me", "p@ss")._auth_header


def test_a_connection_is_kept_for_the_next_request(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["Hello."]
    for _ in range(3):
        assert client.post(PATH, json=chat(stream=True)).text.endswith("data: [DONE]\n\n")

    assert len(set(script.ports)) == 1


def test_a_connection_that_closes_as_it_is_used_again_is_replaced(options: Namespace) -> None:
    answer = json.dumps({"choices": [{"index": 0, "message": {"content": "Hello."}}]}).encode()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    requests: list[int] = []

    class Closing(BaseRequestHandler):
        def handle(self) -> None:
            """Answer the first request of a connection, and close the connection at the second."""
            number = len(requests)
            for at_once in range(2):
                got = b""
                while not got.endswith(b"}"):
                    piece = self.request.recv(65536)
                    if not piece:
                        return
                    got += piece
                requests.append(number)
                if not at_once:
                    self.request.sendall(head % len(answer) + answer)

    with ThreadingTCPServer(("127.0.0.1", 0), Closing) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        options.upstream = f"http://127.0.0.1:{server.server_address[1]}"
        served = Served(build_application(options))
        with httpx2.Client(base_url=served.url, timeout=20) as client:
            replies = [client.post(PATH, json=chat()).json() for _ in range(2)]
        served.close()
        server.shutdown()

    assert [reply["choices"][0]["message"]["content"] for reply in replies] == ["Hello."] * 2
    assert requests == [0, 0, 2]


def test_a_stream_that_stays_open_after_its_end_is_left(
    client: httpx2.Client, script: Script
) -> None:
    script.pieces, script.reason = ["Hello.", b"data: [DONE]\n\n", 60], None

    assert joined(events(client.post(PATH, json=chat(stream=True))))["message"]["content"]
    assert connection_ends(script)


def test_a_wrong_key_is_refused_and_a_right_one_goes_no_further(
    script: Script, options: Namespace, request: pytest.FixtureRequest
) -> None:
    options.api_key = "secret"
    client: httpx2.Client = request.getfixturevalue("client")
    script.pieces = ["No."]

    wrong = client.post(PATH, json=chat(), headers={"authorization": "Bearer wrong"})
    right = client.post(PATH, json=chat(), headers={"authorization": "Bearer secret"})

    assert (wrong.status_code, wrong.json()["error"]["code"]) == (401, "invalid_api_key")
    assert right.status_code == 200
    assert "authorization" not in script.headers[0]
    assert client.get("/health").json() == {"status": "ok"}


def test_a_dry_run_only_counts(
    script: Script, options: Namespace, request: pytest.FixtureRequest
) -> None:
    options.dry_run = True
    client: httpx2.Client = request.getfixturevalue("client")
    script.reply = {"choices": []}

    assert client.post(PATH, json=chat()).json() == script.reply
    assert script.asked[0]["tools"] == TOOLS
    figures = client.get("/metrics").text
    assert 'lton_tokens_total{kind="prompt",notation="json"}' in figures


def test_a_log_on_a_full_disk_takes_no_answer(
    options: Namespace, script: Script, caplog: pytest.LogCaptureFixture
) -> None:
    options.log, script.pieces = "/dev/full", [TEXT]
    served = Served(build_application(options))

    with httpx2.Client(base_url=served.url, timeout=20) as client:
        assert client.post(PATH, json=chat()).status_code == 200

    served.close()
    assert "a request is not in the log /dev/full: No space left on device" in caplog.text


def test_the_log_has_requests_beside_their_lton_and_no_keys(
    script: Script, options: Namespace, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    options.log = str(tmp_path / "log.jsonl")
    client: httpx2.Client = request.getfixturevalue("client")
    script.pieces = [TEXT]

    client.post(PATH, json=chat(), headers={"authorization": "Bearer secret"})

    text = (tmp_path / "log.jsonl").read_text()
    line = json.loads(text)
    assert line["request"]["tools"] == TOOLS
    assert line["completions"] == [TEXT]
    assert "secret" not in text


_HALF = "a\ud83d"
_CALLED = {"id": _HALF, "type": "function", "function": {"name": _HALF, "arguments": _HALF}}


@pytest.mark.parametrize(
    "more",
    [
        {"messages": [{"role": "user", "content": _HALF}]},
        {
            "messages": [
                {"role": "assistant", "tool_calls": [_CALLED]},
                {"role": "tool", "tool_call_id": _HALF, "content": _HALF},
            ]
        },
        {"model": _HALF},
        {"user": _HALF},
        {"tools": [{"type": "function", "function": {"name": "stop", "description": _HALF}}]},
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_half_a_character_of_the_client_breaks_no_answer(
    script: Script,
    options: Namespace,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    more: dict[str, Any],
    stream: bool,
) -> None:
    """A lone surrogate of the client is replaced for the upstream, and unchanged in the log."""
    options.log, options.engine = str(tmp_path / "log.jsonl"), "plain"
    client: httpx2.Client = request.getfixturevalue("client")
    script.pieces = ["!call stop()"]
    reply = client.post(PATH, content=json.dumps(chat(stream=stream, **more)), headers=JSON)
    assert (reply.status_code, '"error"' in reply.text) == (200, False)
    [body] = script.asked
    assert "a\ufffd" in json.dumps(body, ensure_ascii=False)
    line = json.loads((tmp_path / "log.jsonl").read_text())
    assert line["request"] == chat(stream=stream, **more)


def test_tools_that_no_call_can_be_of_are_refused(client: httpx2.Client) -> None:
    never = {"type": "object", "properties": {"a": False}, "required": ["a"]}
    tools = [{"type": "function", "function": {"name": "f", "parameters": never}}]
    reply = client.post(PATH, json=chat(tools=tools))
    assert (reply.status_code, reply.json()["error"]["param"]) == (400, "tools")


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 100_000, b"\xff"])
def test_what_is_no_request_is_refused(client: httpx2.Client, body: bytes) -> None:
    reply = client.post(PATH, content=body, headers=JSON)

    assert reply.status_code == 400
    assert reply.json()["error"]["type"] == "invalid_request_error"
