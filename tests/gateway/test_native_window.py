"""Test `context` with native calls, for clients and servers of three APIs."""

import json
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from lton.gateway.serving import build_application
from tests.gateway.conftest import Served
from tests.gateway.native import (
    APIS,
    CALLED,
    ENDED,
    Raw,
    Serve,
    count_increase,
    objects,
    options,
    post,
    read,
    request,
    sse,
    stream,
    tool,
)

STORY = "".join(f"line {at}: it is {at} degrees in Oslo\n" for at in range(60))
SMALL = "window=6000,reserve=500,hot=2,clear=always"
LARGE = "window=60000,reserve=500,hot=2"
PAIRS = [(client, server) for client in APIS for server in APIS]
BOTH = pytest.mark.parametrize(("client", "server"), PAIRS)
SAME = pytest.mark.parametrize(("client", "server"), [(api, api) for api in APIS])
BASE = ["recall", "file_read", "file_regex", "extract_file"]
RECALL = ("recall", '{"result":"t2"}')
OSLO = ("weather", '{"city":"Oslo"}')


def user_message(api: str, text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def calling(api: str, number: int, text: str | None = None) -> list[dict[str, Any]]:
    """Return a call and its result, in the form of a client's API."""
    arguments: Any = {"city": f"city {number}"}
    key = f"c{number}"
    story = f"{number}\n{STORY.replace('Oslo', f'city {number}')}" if text is None else text
    if api == "messages":
        use = {"type": "tool_use", "id": key, "name": "weather", "input": arguments}
        result = {"type": "tool_result", "tool_use_id": key, "content": story}
        return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    function = {"name": "weather", "arguments": json.dumps(arguments)}
    if api == "responses":
        item = {"type": "function_call", "call_id": key, **function}
        return [item, {"type": "function_call_output", "call_id": key, "output": story}]
    call = {"id": key, "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return [message, {"role": "tool", "tool_call_id": key, "content": story}]


def history(api: str, turns: int) -> list[dict[str, Any]]:
    first = user_message(api, "How warm is it?")
    return [first, *(message for n in range(turns) for message in calling(api, n))]


def body(api: str, messages: list[Any], **more: Any) -> dict[str, Any]:
    return request(api, **{"input" if api == "responses" else "messages": messages}, **more)


def answer_of(api: str, reply: Any) -> list[Any]:
    """Return the items that a client appends to its conversation."""
    if api == "chat":
        return [reply["choices"][0]["message"]]
    return reply["output"] if api == "responses" else [{k: reply[k] for k in ("role", "content")}]


def results_for(api: str, reply: Any) -> list[Any]:
    """Return results for all calls of an answer."""
    if api == "chat":
        calls = reply["choices"][0]["message"].get("tool_calls", ())
        return [{"role": "tool", "tool_call_id": c["id"], "content": "cold"} for c in calls]
    if api == "responses":
        ids = [item["call_id"] for item in reply["output"] if "call_id" in item]
        return [{"type": "function_call_output", "call_id": c, "output": "cold"} for c in ids]
    ids = [block["id"] for block in reply["content"] if block["type"] == "tool_use"]
    return [
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": c, "content": "cold"} for c in ids],
        }
    ]


def sent_body(raw: Raw, at: int = -1) -> Any:
    return json.loads(raw.bodies[at])


def sent_messages(raw: Raw, at: int = -1) -> list[Any]:
    request_body = sent_body(raw, at)
    return list(request_body.get("input") or request_body["messages"])


def names(body: Any) -> list[str]:
    return [tool.get("name") or tool["function"]["name"] for tool in body["tools"]]


def paired(messages: list[Any]) -> tuple[list[str], list[str]]:
    """Return the ids of the calls and of the results in a request, in order."""
    calls, results = list[str](), list[str]()
    for message in messages:
        calls += [call["id"] for call in message.get("tool_calls") or ()]
        results += [message["tool_call_id"]] if message.get("role") == "tool" else []
        if message.get("type") == "function_call":
            calls.append(message["call_id"])
        if message.get("type") == "function_call_output":
            results.append(message["call_id"])
        for block in message["content"] if isinstance(message.get("content"), list) else ():
            calls += [block["id"]] if block["type"] == "tool_use" else []
            results += [block["tool_use_id"]] if block["type"] == "tool_result" else []
    return calls, results


def gateway(serve: Serve, server: str, **more: Any) -> httpx2.Client:
    return serve(**{"upstream_api": server, "context": SMALL, **more})


@BOTH
@pytest.mark.parametrize("is_streamed", [False, True])
def test_old_results_are_pointers_and_reading_them_is_hidden(
    serve: Serve, raw: Raw, client: str, server: str, is_streamed: bool
) -> None:
    """The second round begins with the bytes of the first, and ends with the result that was
    read.
    """
    ends = [stream(server, "Let me look.", [RECALL]), stream(server, "It is 0.", [OSLO])]
    here = gateway(serve, server)
    raw.turns = [*ends]

    with count_increase(here) as grown:
        reply = post(here, client, body(client, history(client, 5), stream=is_streamed))

    if is_streamed:
        assert read(client, reply.content) == ("Let me look.\nIt is 0.", [OSLO], CALLED[client])
    assert "recall" not in reply.text
    assert "context_" not in reply.text
    first, second = sent_messages(raw, 0), sent_messages(raw, 1)
    assert "[t2 left out" in json.dumps(first)
    assert "0\\nline 0:" not in json.dumps(first)
    assert second[: len(first)] == first
    assert "line 59: it is 59" in json.dumps(second[-1])
    assert names(sent_body(raw, 0)) == names(sent_body(raw, 1)) == ["weather", "stop", *BASE]
    calls, results = paired(second)
    assert calls == results
    assert grown["lton_context_base_calls_total"] == 1
    assert grown["lton_calls_total"] == 1


@BOTH
def test_hidden_rounds_are_put_back_byte_for_byte(
    serve: Serve, raw: Raw, client: str, server: str
) -> None:
    """Hidden rounds are restored in a turn with both kinds of calls, and before a turn."""
    here = gateway(serve, server, context=LARGE)
    both = stream(server, "So:", [RECALL, OSLO])
    reading = [("recall", '{"result":"t3"}'), ("recall", '{"result":"t99"}')]
    raw.turns = [stream(server, "Hm.", reading), both]
    messages = history(client, 5)

    reply = post(here, client, body(client, messages)).json()
    before = sent_messages(raw)
    messages += [*answer_of(client, reply), *results_for(client, reply)]
    raw.turns = [stream(server, "Cold.")]
    reply = post(here, client, body(client, messages)).json()
    after = sent_messages(raw)
    messages += [*answer_of(client, reply), user_message(client, "So?")]
    raw.turns = [stream(server, "Yes.")]
    post(here, client, body(client, messages))

    assert after[: len(before)] == before
    assert sent_messages(raw)[: len(after)] == after
    for conversation in (after, sent_messages(raw)):
        calls, results = paired(conversation)
        assert sorted(calls) == sorted(results)
        assert len(calls) == 5 + 4
        assert json.dumps(conversation).count("error: there is no turn 99") == 1
        assert json.dumps(conversation).count("line 59: it is 59 degrees in city 0") == 2
        assert json.dumps(conversation).count("cold") == 1


@BOTH
def test_a_clients_own_compaction_has_no_rounds(
    serve: Serve, raw: Raw, client: str, server: str
) -> None:
    here = gateway(serve, server, context=LARGE)
    raw.turns = [stream(server, "Hm.", [RECALL]), stream(server, "So:", [OSLO])]
    reply = post(here, client, body(client, history(client, 5))).json()
    turn = [*answer_of(client, reply), *results_for(client, reply)]
    raw.chunks = stream(server, "Yes.")

    post(here, client, body(client, [user_message(client, "In short: cold."), *turn]))

    calls, results = paired(sent_messages(raw))
    assert calls == results
    assert len(calls) == 1
    assert "recall" not in json.dumps(sent_messages(raw))


@SAME
def test_a_changed_turn_is_the_clients(serve: Serve, raw: Raw, client: str, server: str) -> None:
    """Hidden rounds are not restored before a turn that the client changed."""
    here = gateway(serve, server)
    raw.turns = [stream(server, "", [RECALL]), stream(server, "It is 0.")]
    messages = history(client, 5)
    reply = post(here, client, body(client, messages)).json()
    text = json.dumps(answer_of(client, reply)).replace("It is 0.", "It is 9.")
    raw.chunks = stream(server, "Yes.")

    post(here, client, body(client, [*messages, *json.loads(text), user_message(client, "So?")]))

    assert "It is 9." in json.dumps(sent_messages(raw))
    assert len(paired(sent_messages(raw))[0]) == 5


THINKING = [
    ({"type": "thinking", "thinking": "", "signature": ""}, ["thinking", "Hm", "signature", "S1"]),
    ({"type": "redacted_thinking", "data": "R1"}, []),
]


def thinking(calls: Any, text: str, mark: str = "S1") -> list[bytes]:
    """Return a stream of Anthropic's API that begins with a signed and a redacted thought."""
    opening, *others = (
        json.loads(event.split(b"data: ")[1]) for event in stream("messages", text, calls)
    )
    events = [opening]
    for index, (block, deltas) in enumerate(THINKING):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        for kind, value in zip(deltas[::2], deltas[1::2], strict=True):
            delta = {"type": f"{kind}_delta", kind: value.replace("S1", mark)}
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    shifted = ({**e, "index": e["index"] + len(THINKING)} if "index" in e else e for e in others)
    return [sse(event, event["type"]) for event in (*events, *shifted)]


@pytest.mark.parametrize("is_streamed", [False, True])
def test_signed_thoughts_stay_as_they_are(serve: Serve, raw: Raw, is_streamed: bool) -> None:
    """Signed thoughts are unchanged in hidden rounds, in the client's answer, and in later
    requests.
    """
    here = gateway(serve, "messages", context=LARGE)
    raw.turns = [thinking([RECALL], "", "S1"), thinking([OSLO], "So:", "S2")]
    messages = history("messages", 5)
    sure = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 1100}

    first = post(here, "messages", body("messages", messages, stream=is_streamed, **sure))
    reply = first.json() if not is_streamed else {"role": "assistant", "content": joined(first)}

    hm = {"type": "thinking", "thinking": "Hm", "signature": "S1"}
    redacted = {"type": "redacted_thinking", "data": "R1"}
    use = {"type": "tool_use", "id": "toolu_0", "name": "recall", "input": {"result": "t2"}}
    assert sent_messages(raw)[-2] == {"role": "assistant", "content": [hm, redacted, use]}
    assert sent_body(raw)["thinking"] == sure["thinking"]
    assert sent_body(raw)["max_tokens"] == 1097
    later = {**hm, "signature": "S2"}
    assert reply["content"][:4] == [hm, redacted, later, redacted]
    before = sent_messages(raw)
    messages += [*answer_of("messages", reply), *results_for("messages", reply)]
    raw.turns = [thinking([], "Cold.")]
    post(here, "messages", body("messages", messages))
    assert sent_messages(raw)[: len(before)] == before
    assert sent_messages(raw)[len(before)]["content"][:2] == [later, redacted]


def joined(reply: Any) -> list[Any]:
    """Return the blocks of a stream, as Anthropic's client joins them."""
    blocks, pieces = list[Any](), ""
    for event in objects(reply.content):
        match event:
            case {"type": "content_block_start", "content_block": block}:
                blocks.append(dict(block))
                pieces = ""
            case {"type": "content_block_delta", "delta": {"partial_json": piece}}:
                pieces += piece
            case {"type": "content_block_delta", "delta": delta}:
                key = next(member for member in delta if member != "type")
                blocks[-1][key] += delta[key]
            case {"type": "content_block_stop"} if pieces:
                blocks[-1]["input"] = json.loads(pieces)
    return blocks


def test_items_that_only_responses_have_reach_the_client(serve: Serve, raw: Raw) -> None:
    """Encrypted thoughts and a call of a custom tool reach the client, also next to a hidden
    call.
    """
    here = gateway(serve, "responses", context=LARGE)
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "E"}
    patch = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_p", "name": "patch"}
    patch |= {"input": "*** Begin", "status": "completed"}
    events = [json.loads(e.split(b"data: ")[1]) for e in stream("responses", "", [RECALL])]
    opening, *middle, last = events
    stream_events = [opening]
    for index, item in enumerate((thought, patch)):
        for kind in ("added", "done"):
            data = {"output_index": index, "item": item}
            stream_events.append({"type": f"response.output_item.{kind}", **data})
    stream_events += [{**e, "output_index": e["output_index"] + 2} for e in middle]
    last["response"]["output"] = [thought, patch, *last["response"]["output"]]
    raw.turns = [[sse(event, event["type"]) for event in (*stream_events, last)]] * 2
    messages = history("responses", 5)

    answer = post(here, "responses", body("responses", messages)).json()
    streamed = post(here, "responses", body("responses", messages, stream=True))

    assert answer["output"] == [thought, patch]
    assert read("responses", streamed.content) == ("", [], "completed")
    assert objects(streamed.content)[-1]["response"]["output"] == [thought, patch]
    before = sent_messages(raw)
    output = {"type": "custom_tool_call_output", "call_id": "call_p", "output": "Done."}
    raw.turns = [stream("responses", "Good.")]
    post(here, "responses", body("responses", [*messages, thought, patch, output]))
    assert sent_messages(raw)[: len(before)] == before
    kinds = [message["type"] for message in sent_messages(raw)[len(before) :]]
    assert kinds[:3] == ["reasoning", "custom_tool_call", "function_call"]
    assert sorted(kinds[3:]) == ["custom_tool_call_output", "function_call_output"]


@SAME
def test_what_fits_goes_on_as_it_is_with_the_tools(
    serve: Serve, raw: Raw, client: str, server: str
) -> None:
    """In a request that fits, cache marks, images, unknown members and the tool choice keep their
    places.
    """
    here = gateway(serve, server)
    raw.chunks = stream(server, "Yes.")
    image = {
        "chat": {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        "responses": {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        "messages": {"type": "image", "source": {"type": "url", "url": "http://a/b"}},
    }[client]
    kind = "input_text" if client == "responses" else "text"
    mark = {"cache_control": {"type": "ephemeral"}} if client == "messages" else {}
    messages = [
        user_message(client, "Hm"),
        *calling(client, 1, "cold"),
        {"role": "user", "content": [image, {"type": kind, "text": "So?", **mark}]},
    ]
    if mark:
        messages[2]["content"][0] |= mark
    choice: Any = {"type": "any"} if client == "messages" else "required"
    request_body = body(client, messages, strange={"a": [1]}, tool_choice=choice, temperature=0.5)

    post(here, client, request_body)

    received = sent_body(raw)
    assert received["tools"][:2] == request_body["tools"]
    assert names(received)[2:] == BASE
    now, then = sent_messages(raw), list(messages)
    if client == "messages":  # the two messages of a user are one
        then[2:] = [{"role": "user", "content": [*messages[2]["content"], *messages[3]["content"]]}]
    assert now == then
    for key in ("strange", "tool_choice", "temperature", "model"):
        assert received[key] == request_body[key]


@BOTH
def test_a_short_request_without_tools_goes_through(
    serve: Serve, raw: Raw, client: str, server: str
) -> None:
    here = gateway(serve, server)
    raw.chunks, raw.whole = stream(server, "Yes."), b'{"as": "it is"}'
    request_body = body(client, [user_message(client, "Hm")])
    del request_body["tools"]

    reply = post(here, client, request_body)

    assert reply.status_code in (200, 502)
    assert "tools" not in sent_body(raw)
    if client == server:
        assert json.loads(raw.bodies[-1]) == request_body


@BOTH
def test_a_conversation_without_tools_is_compacted(
    serve: Serve, raw: Raw, client: str, server: str
) -> None:
    here = gateway(serve, server)
    messages = list[Any]()
    for n in range(12):
        messages += [
            user_message(client, f"More {n}!"),
            {"role": "assistant", "content": f"{n} {STORY}"},
        ]
    search = ("file_regex", '{"file":"f1","pattern":"line 7:"}')
    raw.turns = [stream(server, "", [search]), stream(server, "Seven.")]
    request_body = body(client, [*messages, user_message(client, "Line 7?")], stream=True)
    del request_body["tools"]

    reply = post(here, client, request_body)

    assert read(client, reply.content) == ("Seven.", [], ENDED[client])
    assert names(sent_body(raw)) == BASE
    assert "Line 7?" in json.dumps(sent_messages(raw, 0))
    assert f"2 {STORY}" not in json.dumps(sent_messages(raw, 0))
    assert "it is 7 degrees" in json.dumps(sent_messages(raw, 1)[-1])


@BOTH
def test_rounds_have_an_end(serve: Serve, raw: Raw, client: str, server: str) -> None:
    """After the last hidden round, only the client's tools are offered."""
    here = gateway(serve, server, context=f"{SMALL},rounds=2")
    raw.chunks = stream(server, "Hm.", [RECALL])

    reply = post(here, client, body(client, history(client, 5), stream=True))

    assert read(client, reply.content) == ("Hm.\nHm.\nHm.", [], ENDED[client])
    assert [names(json.loads(body))[2:] for body in raw.bodies] == [BASE, BASE, []]


@BOTH
def test_the_limit_is_that_of_all_rounds(serve: Serve, raw: Raw, client: str, server: str) -> None:
    here = gateway(serve, server)
    raw.chunks = stream(server, "", [RECALL])
    limit = "max_output_tokens" if client == "responses" else "max_tokens"

    post(here, client, body(client, history(client, 5), **{limit: 7}))

    key = "max_output_tokens" if server == "responses" else "max_tokens"
    assert [json.loads(body)[key] for body in raw.bodies] == [7, 4, 1]


@BOTH
def test_what_does_not_fit_is_refused(serve: Serve, raw: Raw, client: str, server: str) -> None:
    here = gateway(serve, server)

    reply = post(here, client, body(client, [user_message(client, "cold " * 9000)]))

    assert reply.status_code == 400
    assert not raw.bodies


@SAME
def test_an_unpaired_conversation_goes_through(
    serve: Serve, raw: Raw, client: str, server: str
) -> None:
    here = gateway(serve, server)
    raw.whole = b'{"as": "it is"}'
    request_body = body(
        client, [*history(client, 3), calling(client, 7)[0], user_message(client, "Well?")]
    )

    with count_increase(here) as grown:
        post(here, client, request_body)

    assert json.loads(raw.bodies[-1]) == request_body
    assert grown['lton_context_unplanned_total{code="E710"}'] == 1


@BOTH
@pytest.mark.parametrize("choice", ["none", "required", "named"])
def test_the_choice_is_the_clients(
    serve: Serve, raw: Raw, client: str, server: str, choice: str
) -> None:
    here = gateway(serve, server)
    raw.chunks = stream(server, "Hm.", [("stop", "{}")])
    named = {
        "chat": {"type": "function", "function": {"name": "stop"}},
        "responses": {"type": "function", "name": "stop"},
        "messages": {"type": "tool", "name": "stop"},
    }
    own = {"none": {"type": "none"}, "required": {"type": "any"}, "named": named["messages"]}
    forms = {api: {"none": "none", "required": "required", "named": named[api]} for api in APIS}
    forms["messages"] = own

    post(here, client, body(client, history(client, 5), tool_choice=forms[client][choice]))

    assert sent_body(raw)["tool_choice"] == forms[server][choice]
    assert names(sent_body(raw))[-4:] == BASE


def test_a_list_of_allowed_tools_has_the_base_tools(serve: Serve, raw: Raw) -> None:
    here = gateway(serve, "chat")
    raw.chunks = stream("chat", "Hm.")
    listed = [{"type": "function", "function": {"name": "stop"}}]
    choice = {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": listed}}

    post(here, "chat", body("chat", history("chat", 5), tool_choice=choice))

    allowed = sent_body(raw)["tool_choice"]["allowed_tools"]["tools"]
    assert [tool["function"]["name"] for tool in allowed] == ["stop", *BASE]


@BOTH
def test_a_base_tool_whose_name_is_taken_is_renamed(
    serve: Serve, raw: Raw, client: str, server: str
) -> None:
    here = gateway(serve, server)
    ours = ("context_recall", '{"result":"t2"}')
    raw.turns = [stream(server, "", [ours]), stream(server, "", [("recall", "{}")])]
    own = tool(client, "recall", {"type": "object"})

    reply = post(here, client, body(client, history(client, 5), tools=[own], stream=True))

    assert read(client, reply.content) == ("", [("recall", "{}")], CALLED[client])
    assert names(sent_body(raw, 0)) == ["recall", "context_recall", *BASE[1:]]
    assert "Notes call it recall." in json.dumps(sent_body(raw, 0)["tools"])
    assert "line 59" in json.dumps(sent_messages(raw, 1)[-1])


def test_a_hidden_call_that_the_model_wrote_as_text_is_read(serve: Serve, raw: Raw) -> None:
    here = gateway(serve, "chat")
    text = '<tool_call>{"name": "recall", "arguments": {"result": "t2"}}</tool_call>'
    raw.turns = [stream("chat", text), stream("chat", "Cold.")]

    with count_increase(here) as grown:
        reply = post(here, "chat", body("chat", history("chat", 5), stream=True))

    assert read("chat", reply.content) == ("Cold.", [], "stop")
    assert "line 59" in json.dumps(sent_messages(raw, 1)[-1])
    assert paired(sent_messages(raw, 1))[0] == paired(sent_messages(raw, 1))[1]
    assert grown.get("lton_calls_total", 0) == 0


@BOTH
def test_a_hidden_call_that_is_broken_is_asked_for_again(
    serve: Serve, raw: Raw, client: str, server: str
) -> None:
    here = gateway(serve, server)
    raw.turns = [stream(server, "Hm.", [("recall", '{"res')]), stream(server, "Sorry.")]

    reply = post(here, client, body(client, history(client, 5), stream=True))

    assert read(client, reply.content) == ("Hm.\nSorry.", [], ENDED[client])
    assert "!error" in json.dumps(sent_messages(raw, 1)[-1])


def test_an_empty_answer_is_valid_where_the_api_allows_one(serve: Serve, raw: Raw) -> None:
    here = gateway(serve, "messages")
    raw.chunks = stream("messages", "")

    reply = post(here, "messages", body("messages", history("messages", 5)))

    assert (reply.status_code, reply.json()["content"]) == (200, [])
    assert len(raw.bodies) == 1


@pytest.fixture
def three(raw: Raw, tmp_path: Path) -> Iterator[list[httpx2.Client]]:
    """Return three gateways with the same store."""
    upstream = Served(raw.app)
    store = f"{SMALL},store={tmp_path}/store.db"
    settings = options(upstream.url, context=store, upstream_api="chat")
    served = [Served(build_application(Namespace(**vars(settings)))) for _ in range(3)]
    clients = [httpx2.Client(base_url=gateway.url, timeout=20) for gateway in served]
    yield clients
    for client, gateway in zip(clients, served, strict=True):
        client.close()
        gateway.close()
    upstream.close()


def conversation(gateways: list[httpx2.Client], raw: Raw) -> list[Any]:
    """Return the requests to the server in six turns, each through the next gateway."""
    messages, requests = history("chat", 5), list[Any]()
    for turn in range(6):
        raw.turns = [stream("chat", "", [RECALL]), stream("chat", f"So {turn}:", [OSLO])]
        here = gateways[turn % len(gateways)]
        reply = post(here, "chat", body("chat", messages)).json()
        requests += [sent_messages(raw, -2), sent_messages(raw)]
        messages += [*answer_of("chat", reply), *results_for("chat", reply)]
    return requests


def test_gateways_share_a_store(three: list[httpx2.Client], serve: Serve, raw: Raw) -> None:
    """Each turn goes to another gateway, which sends the bytes that a single gateway would send."""
    one = conversation([gateway(serve, "chat", context=f"{SMALL},rounds=7")], raw)

    assert conversation(three, raw) == one
    for messages in one:
        calls, results = paired(messages)
        assert calls == results
    assert "So 4:" in json.dumps(one[-1])
    assert json.dumps(one[-1]).count('"recall"') >= 2


def test_the_log_has_what_was_done(serve: Serve, raw: Raw, tmp_path: Path) -> None:
    here = gateway(serve, "chat", log=str(tmp_path / "log.jsonl"))
    raw.turns = [stream("chat", "", [RECALL]), stream("chat", "Cold.")]

    post(here, "chat", body("chat", history("chat", 5)))

    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    lines = [line for line in lines if "failed" not in line]  # of the fixture's first request
    assert [line["text"] for line in lines] == ["", "Cold."]
    assert lines[0]["context"]["pointers"] == 3
    estimates = [line["billed"]["estimated"] for line in lines]
    assert estimates[0]["asked"]["billed"] > estimates[0]["sent"]["billed"] > 0
    assert estimates[1]["asked"]["billed"] == 0


def test_a_note_after_the_newest_message_keeps_its_cache_mark(serve: Serve, raw: Raw) -> None:
    """The list of files after the newest message keeps the message's cache mark."""
    here = gateway(serve, "messages")
    many = [("recall", json.dumps({"result": f"t{n}"})) for n in range(2, 11)]
    raw.turns = [stream("messages", "", many), stream("messages", "Much.")]
    mark = {"cache_control": {"type": "ephemeral"}}
    messages = history("messages", 10)

    reply = post(here, "messages", body("messages", messages)).json()
    assert "for which there was no room" in json.dumps(sent_messages(raw))
    last = {"role": "user", "content": [{"type": "text", "text": "So?", **mark}]}
    raw.turns = [stream("messages", "Yes.")]
    post(here, "messages", body("messages", [*messages, *answer_of("messages", reply), last]))

    (block,) = sent_messages(raw)[-1]["content"]
    assert block["text"].startswith("So?\n\n[")
    assert block["cache_control"] == mark["cache_control"]


def test_a_turn_of_several_items_is_put_back(serve: Serve, raw: Raw) -> None:
    """A turn with two texts and two thoughts, of a client of the responses API, is restored."""
    here = gateway(serve, "responses", context=f"{LARGE},rounds=6")

    def turn(text: str, calls: Any, number: int) -> list[bytes]:
        thought = {"type": "reasoning", "id": f"rs_{number}", "summary": []}
        opening, *others = (
            json.loads(e.split(b"data: ")[1]) for e in stream("responses", text, calls)
        )
        added = [
            {"type": f"response.output_item.{kind}", "output_index": 0, "item": thought}
            for kind in ("added", "done")
        ]
        others = [{**e, "output_index": 1} if "output_index" in e else e for e in others]
        return [sse(event, event["type"]) for event in (opening, *added, *others)]

    raw.turns = [turn("Hm.", [RECALL], 1), turn("So:", [OSLO], 2)]
    messages = history("responses", 5)
    reply = post(here, "responses", body("responses", messages)).json()
    kinds = [item["type"] for item in reply["output"]]
    assert kinds == ["reasoning", "message", "reasoning", "message", "function_call"]
    before = sent_messages(raw)
    messages += [*answer_of("responses", reply), *results_for("responses", reply)]
    raw.turns = [stream("responses", "Cold.")]
    post(here, "responses", body("responses", messages))

    assert sent_messages(raw)[: len(before)] == before
    last = [message.get("type", "message") for message in sent_messages(raw)[len(before) :]]
    assert last == ["reasoning", "message", "function_call", "function_call_output"]


@pytest.mark.parametrize(
    ("api", "more"),
    [
        ("messages", {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}),
        ("chat", {"logprobs": True}),
        ("chat", {"n": 2}),
    ],
)
def test_what_cannot_be_read_whole_goes_through(
    serve: Serve, raw: Raw, api: str, more: dict[str, Any]
) -> None:
    here = gateway(serve, api)
    raw.whole = b'{"as": "it is"}'
    request_body = body(api, history(api, 5), **more)

    post(here, api, request_body)

    assert json.loads(raw.bodies[-1]) == request_body


@BOTH
def test_rounds_without_tools_of_the_client_have_an_end(
    serve: Serve, raw: Raw, client: str, server: str
) -> None:
    here = gateway(serve, server, context=f"{SMALL},rounds=1")
    messages = list[Any]()
    for n in range(12):
        messages += [
            user_message(client, f"More {n}!"),
            {"role": "assistant", "content": f"{n} {STORY}"},
        ]
    raw.chunks = stream(server, "Hm.", [RECALL])
    request_body = body(client, [*messages, user_message(client, "Line 7?")], stream=True)
    del request_body["tools"]

    reply = post(here, client, request_body)

    assert read(client, reply.content) == ("Hm.\nHm.", [], ENDED[client])
    first, last = (json.loads(body) for body in raw.bodies)
    assert names(first) == names(last) == BASE
    none = {"type": "none"} if server == "messages" else "none"
    assert first.get("tool_choice") in (None, "auto", {"type": "auto"})
    assert last["tool_choice"] == none
