"""Test `context`: the requests of long conversations, and the answers to clients."""

import itertools
import json
import signal
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lton.apis.chat_api import read_chat
from lton.apis.refusals import RefusedError
from lton.apis.registry import APIS
from lton.gateway.apis.client_apis import ClientApi
from lton.gateway.command import make_options
from lton.gateway.exchange import Exchange
from lton.gateway.serving import build_application
from lton.gateway.upstreams.server_kinds import UPSTREAM_KINDS
from lton.gateway.window.context_options import ContextOptions
from lton.gateway.window.prompt import PromptFitter, try_begin_fitted
from lton.tokens import counter
from tests.gateway.conftest import JSON, TOOLS, Script, Served, chat, events
from tests.gateway.test_process import serving
from tests.gateway.test_serve import PATH, joined, without_ids

STORY = "".join(f"line {at}: it is {at} degrees in Oslo\n" for at in range(60))
SMALL = "window=6000,reserve=500,hot=2,clear=always"


def user_message(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def calling(number: int) -> list[dict[str, Any]]:
    function = {"name": "weather", "arguments": json.dumps({"city": f"city {number}"})}
    call = {"id": f"c{number}", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    story = STORY.replace("Oslo", f"city {number}")
    return [message, {"role": "tool", "tool_call_id": call["id"], "content": f"{number}\n{story}"}]


def history(turns: int) -> list[dict[str, Any]]:
    return [
        user_message("How warm is it?"),
        *(message for n in range(turns) for message in calling(n)),
    ]


@pytest.fixture
def options(upstream: str) -> Namespace:
    return make_options(upstream=upstream, engine="vllm", calls="lton", context=SMALL)


def sent_text(script: Script, at: int = -1) -> str:
    """Return all text that the model received."""
    return "\n".join(message["content"] for message in script.asked[at]["messages"])


def figure(client: httpx2.Client, name: str) -> float:
    lines = client.get("/metrics").text.splitlines()
    return next(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))


@pytest.mark.parametrize("depth", [250, 700, 900])
def test_what_is_nested_deep_is_sent_as_it_is(
    client: httpx2.Client, script: Script, depth: int
) -> None:
    script.pieces = ["Yes."]
    part = {"type": "image_url", "image_url": {"url": "http://a/b", "more": "DEEP"}}
    body = json.dumps(chat(messages=[{"role": "user", "content": [part]}]))

    reply = client.post(
        PATH, content=body.replace('"DEEP"', f"{'[' * depth}1{']' * depth}"), headers=JSON
    )

    assert reply.status_code == 200


def test_old_results_are_pointers_and_the_client_sees_no_reading_of_them(
    client: httpx2.Client, script: Script
) -> None:
    script.turns = [["Let me look.\n", '!call recall("t2")'], ["It is 0 degrees."]]

    reply = client.post(PATH, json=chat(messages=history(5))).json()

    (choice,) = reply["choices"]
    assert choice["finish_reason"] == "stop"
    assert choice["message"] == {
        "role": "assistant",
        "content": "Let me look.\nIt is 0 degrees.",
    }
    first, second = script.asked
    assert "[t2 left out" in sent_text(script, 0)
    assert "recall" in first["messages"][0]["content"]
    assert "0\nline 0:" not in sent_text(script, 0)
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert "line 59: it is 59" in second["messages"][-1]["content"]
    assert reply["usage"]["prompt_tokens"] == 14
    assert reply["usage"]["completion_tokens"] == 6
    assert figure(client, "lton_context_base_calls_total") == 1
    assert figure(client, "lton_calls_total") == 0
    full, now = (figure(client, f'lton_context_tokens_total{{kind="{kind}"}}') for kind in KINDS)
    assert full > 2 * now


KINDS = ("full", "sent")
USAGE = {"stream_options": {"include_usage": True}}


def cuts(text: str, size: int) -> list[Any]:
    return [text[at : at + size] for at in range(0, len(text), size)]


ROUNDS = (
    ["Hm.\n!call recall(t2)", "Well.\n!call recall(t3)\n!call recall(t9)", "It is 0."],
    ['Hm.\n!call recall(t2)\n!call weather(city="Oslo")\n!call recall(t3)\n!call stop()'],
    ["!call recall(t2)", 'So.\n!call weather(city="Oslo", days=3)\n!call stop()'],
    ["!call recall(", "Sorry."],
    ["Never STOP.\n!call recall(t2)", "It"],
)


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
@pytest.mark.parametrize("answers", ROUNDS)
def test_streams_come_to_the_same_however_they_are_cut(
    client: httpx2.Client, script: Script, answers: list[str], size: int
) -> None:
    body = chat(messages=history(5), stop=["STOP"])
    script.turns = [[answer] for answer in answers]
    whole = client.post(PATH, json=body).json()
    script.turns = [cuts(answer, size) for answer in answers]
    more = {"stream": True, "stream_options": {"include_usage": True}}
    reply = client.post(PATH, json=body | more)
    stream_events = events(reply)

    (choice,), message = whole["choices"], joined(stream_events)
    assert message["finish_reason"] == choice["finish_reason"]
    assert without_ids(message["message"]) == without_ids(choice["message"])
    assert stream_events[-1]["usage"] == whole["usage"]
    for text in (reply.text, json.dumps(whole)):
        assert "recall" not in text
        assert "context_" not in text
    assert len({event["id"] for event in stream_events}) == 1


def answered(answers: list[list[str]], *, streamed: bool) -> tuple[Any, Any, list[Any]]:
    """Return the message, the usage and the requests, without a real server."""
    asked_for: list[Any] = []
    client_request = read_chat(chat(messages=history(4), stream=streamed) | USAGE)
    planner = PromptFitter(ContextOptions.from_section(SMALL), counter("bytes"))
    exchange = try_begin_fitted(
        planner,
        client_request,
        ClientApi(APIS["chat"]).make_writer(client_request),
        lambda request: Exchange(
            request, ClientApi(APIS["chat"]).make_writer(request), UPSTREAM_KINDS["plain"]
        ),
    )
    assert exchange is not None
    output = b""
    while (body := exchange.try_take_next_request()) is not None:
        asked_for.append(body["messages"])
        for piece in (*answers[min(len(asked_for), len(answers)) - 1], ""):
            output += exchange.receive_event(
                {"choices": [{"index": 0, "delta": {"content": piece}}]}
            )
    try:
        exchange.refuse_empty_answer()
    except RefusedError as refusal:
        return {"finish_reason": refusal.code, "message": {}}, exchange.sum_usage(), asked_for
    if not streamed:
        whole = exchange.build_response()
        return whole["choices"][0], whole["usage"], asked_for
    lines = (output + exchange.write_end()).decode().split("\n\n")
    stream_events = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    return joined(stream_events), stream_events[-1]["usage"], asked_for


WORDS = (
    "Hm.",
    "\n",
    "\n!call recall(t2)\n",
    "\n!call stop()\n",
    "\n!call file_read(f1)\n",
    " <think>",
)
"""Calls have lines of their own: where one breaks, prose before it that a stream has sent already
cannot be taken back, and the model is not asked again (CHECKS.md)."""


@settings(deadline=None)
@given(st.data())
def test_whatever_a_model_says_a_stream_is_the_same_answer(data: st.DataObject) -> None:
    texts = data.draw(
        st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map("".join), min_size=1, max_size=3)
    )
    places = [data.draw(st.sets(st.integers(0, len(text)))) for text in texts]
    pieces = [
        [text[a:b] for a, b in itertools.pairwise(sorted({0, len(text)} | cuts))]
        for text, cuts in zip(texts, places, strict=True)
    ]
    whole, usage, bodies = answered([[text] for text in texts], streamed=False)
    stream, streamed_usage, asked_for_it = answered(pieces, streamed=True)

    assert stream["finish_reason"] == whole["finish_reason"]
    assert without_ids(stream["message"]) == without_ids(whole["message"])
    assert usage == streamed_usage
    assert len(bodies) == len(asked_for_it)
    names = [call["name"] for call in without_ids(whole["message"])["tool_calls"]]
    assert set(names) <= {"stop"}


def test_calls_of_both_kinds_are_given_and_kept_beside(
    client: httpx2.Client, script: Script
) -> None:
    script.pieces = ['!call recall(t2)\n!call weather(city="Oslo")']
    messages = history(5)

    message = client.post(PATH, json=chat(messages=messages)).json()["choices"][0]["message"]
    (call,) = message["tool_calls"]
    messages += [message, {"role": "tool", "tool_call_id": call["id"], "content": "cold"}]
    script.asked.clear()
    script.pieces = ["Cold."]
    client.post(PATH, json=chat(messages=messages))

    assert call["function"]["name"] == "weather"
    text = sent_text(script)
    assert "!result weather cold" in text
    assert "!result recall" in text
    assert "0\nline 0: it is 0 degrees" in text


def test_rounds_have_an_end(client: httpx2.Client, script: Script) -> None:
    script.pieces = ['!call recall("t2")']

    choice = client.post(PATH, json=chat(messages=history(5))).json()["choices"][0]

    assert choice["finish_reason"] == "stop"
    assert len(script.asked) == 8 + 1 + 1  # what the last said is no call, so it is asked again
    assert "recall" not in script.asked[-1]["structured_outputs"]["grammar"]
    assert script.asked[-1]["messages"][0] == script.asked[0]["messages"][0]


def test_rounds_have_an_end_without_a_grammar(
    script: Script, options: Namespace, request: pytest.FixtureRequest
) -> None:
    options.engine, options.context = "plain", f"{SMALL},rounds=2"
    client: httpx2.Client = request.getfixturevalue("client")
    script.pieces = ["Hm.\n!call recall(t2)"]

    choice = client.post(PATH, json=chat(messages=history(5))).json()["choices"][0]

    assert (choice["finish_reason"], choice["message"]["content"]) == ("stop", "Hm.\nHm.\nHm.")
    assert len(script.asked) == 3


def test_the_limit_is_that_of_all_rounds(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["!call recall(t2)"]

    reply = client.post(PATH, json=chat(messages=history(5), max_tokens=7)).json()

    assert [body["max_tokens"] for body in script.asked] == [7, 4, 1]
    assert reply["choices"][0]["finish_reason"] == "length"
    assert reply["usage"]["completion_tokens"] == 9


@pytest.mark.parametrize("piece", [": waiting\n\n", "It may"])
def test_an_upstream_that_breaks_off_is_named_as_that(
    client: httpx2.Client, script: Script, piece: str
) -> None:
    """The error says that the upstream broke off, and includes the received text."""
    is_text = not piece.startswith(":")
    script.pieces, script.reason = [piece if is_text else piece.encode()], None

    whole = client.post(PATH, json=chat(messages=history(5)))
    streamed = client.post(PATH, json=chat(messages=history(5), stream=True))

    assert (whole.status_code, whole.json().get("partial")) == (502, piece if is_text else None)
    for text in (whole.text, streamed.text):
        assert "broke off" in text
        assert "empty_answer" not in text


@pytest.mark.parametrize("choice", ["none", "required", "auto", "named"])
def test_the_choice_is_the_clients_and_base_tools_may_be_called(
    client: httpx2.Client, script: Script, choice: str
) -> None:
    script.turns, script.pieces = [["!call recall(t2)"], ["!call stop()"]], ["Done."]
    named = {"type": "function", "function": {"name": "stop"}}

    body = chat(messages=history(5), tool_choice=named if choice == "named" else choice)
    message = client.post(PATH, json=body).json()["choices"][0]["message"]

    grammar = script.asked[0]["structured_outputs"]["grammar"]
    assert "recall" in grammar
    assert ("weather" in grammar) == (choice in ("required", "auto"))
    assert ("stop" in grammar) == (choice != "none")
    assert bool(message.get("tool_calls")) == (choice != "none")


def test_a_base_tool_whose_name_is_taken_is_renamed(client: httpx2.Client, script: Script) -> None:
    own = {"type": "function", "function": {"name": "recall", "parameters": {"type": "object"}}}
    script.turns = [["!call context_recall(t2)"], ["!call recall()"]]

    body = chat(messages=history(5), tools=[*TOOLS, own])
    message = client.post(PATH, json=body).json()["choices"][0]["message"]

    assert [call["function"]["name"] for call in message["tool_calls"]] == ["recall"]
    assert "Notes call it recall." in sent_text(script, 0)
    assert "line 59" in script.asked[1]["messages"][-1]["content"]


def test_what_is_short_is_sent_as_it_is(
    client: httpx2.Client, script: Script, upstream: str
) -> None:
    script.pieces = ["No."]
    client.post(PATH, json=chat(messages=history(1), max_tokens=5))
    planned = Served(build_application(_without_context(upstream)))
    with httpx2.Client(base_url=planned.url) as other:
        other.post(PATH, json=chat(messages=history(1), max_tokens=5))
    planned.close()

    assert script.asked[0] == script.asked[1]
    script.reply = {"choices": []}
    plain = {"messages": [user_message("Hi")], "strange": 1}
    assert client.post(PATH, json=plain).json() == script.reply
    assert script.asked[-1] == plain


def _without_context(upstream: str) -> Namespace:
    return make_options(upstream=upstream, engine="vllm", calls="lton")


def test_a_conversation_without_tools_is_compacted(client: httpx2.Client, script: Script) -> None:
    answers = [{"role": "assistant", "content": f"Story {n}. {STORY}"} for n in range(12)]
    messages = [
        message for n, one in enumerate(answers) for message in (user_message(f"More {n}!"), one)
    ]
    script.turns = [['!call file_regex(f1 "line 7:")'], ["Seven."]]

    reply = client.post(PATH, json={"model": "m", "messages": [*messages, user_message("Line 7?")]})

    assert reply.json()["choices"][0]["message"]["content"] == "Seven."
    assert "Line 7?" in sent_text(script, 0)
    assert f"Story 2. {STORY}" not in sent_text(script, 0)
    assert "it is 7 degrees" in script.asked[1]["messages"][-1]["content"]
    assert figure(client, 'lton_context_decisions_total{action="compacted"}') == 1


def test_what_does_not_fit_is_refused(client: httpx2.Client, script: Script) -> None:
    reply = client.post(PATH, json=chat(messages=[user_message("cold " * 9000)]))

    assert reply.status_code == 400
    assert reply.json()["error"]["code"] == "context_length_exceeded"
    assert not script.asked


def test_an_unpaired_conversation_is_sent_as_it_came(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["No."]
    messages = [*history(3), calling(7)[0], user_message("Well?")]

    assert client.post(PATH, json=chat(messages=messages)).status_code == 200
    assert "line 30: it is 30 degrees in city 0" in sent_text(script)
    assert figure(client, 'lton_context_unplanned_total{code="E710"}') == 1


def test_a_result_that_has_no_room_is_read_in_parts(client: httpx2.Client, script: Script) -> None:
    many = "\n!call recall(".join(["!call recall(t2)", *(f"t{n})" for n in range(3, 11))])
    script.turns = [[many], ["Much."]]

    client.post(PATH, json=chat(messages=history(10)))

    text = sent_text(script, 1)
    assert len(text) / 4 < 5500 * 1.05
    assert "for which there was no room" in text


def test_responses_are_planned(client: httpx2.Client, script: Script) -> None:
    items: list[Any] = [{"role": "user", "content": "How warm is it?"}]
    for n in range(5):
        call = {"type": "function_call", "call_id": f"c{n}", "name": "weather"}
        items.append(call | {"arguments": json.dumps({"city": str(n)})})
        items.append({"type": "function_call_output", "call_id": f"c{n}", "output": STORY})
    tools = [{"type": "function", **tool["function"]} for tool in TOOLS]
    body = {"model": "m", "input": items, "tools": tools}
    script.turns = [["!call recall(t2)"], ["Cold."]] * 2

    whole = client.post("/v1/responses", json=body).json()
    stream_events = events(client.post("/v1/responses", json=body | {"stream": True}))

    for reply in (whole, stream_events[-1]["response"]):
        assert [item["type"] for item in reply["output"]] == ["message"]
        assert reply["output"][0]["content"][0]["text"] == "Cold."
        assert reply["usage"]["input_tokens"] == 14
    assert "[t2 left out" in sent_text(script, 0)


def test_the_log_has_what_was_done(
    script: Script, options: Namespace, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    options.log = str(tmp_path / "log.jsonl")
    client: httpx2.Client = request.getfixturevalue("client")
    script.turns = [["!call recall(t2)"], ["Cold."]]

    client.post(PATH, json=chat(messages=history(5)))

    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [line["completions"] for line in lines] == [["!call recall(t2)"], ["Cold."]]
    assert lines[0]["context"]["pointers"] == 3
    assert lines[0]["context"]["saved"] > 1000
    assert lines[0]["context"]["origin"] == "new"
    # The agent asked once: what the second round cost is ours alone.
    estimates = [line["billed"]["estimated"] for line in lines]
    assert estimates[0]["asked"]["billed"] > estimates[0]["sent"]["billed"] > 0
    assert (estimates[1]["asked"]["billed"], estimates[1]["sent"]["read"] > 0) == (0, True)


@pytest.fixture
def two(options: Namespace, tmp_path: Path, script: Script) -> Iterator[list[httpx2.Client]]:
    """Return two gateways with the same store."""
    options.context = f"{SMALL},store={tmp_path}/store.db"
    served = [Served(build_application(options)) for _ in range(2)]
    script.pieces = ["Cold."]
    with httpx2.Client(base_url=served[0].url) as one, httpx2.Client(base_url=served[1].url) as two:
        yield [one, two]
    for gateway in served:
        gateway.close()


def origins(clients: list[httpx2.Client]) -> dict[str, float]:
    counts = dict[str, float]()
    for client in clients:
        for line in client.get("/metrics").text.splitlines():
            if line.startswith("lton_context_requests_total{"):
                origin = line.split('"')[1]
                counts[origin] = counts.get(origin, 0) + float(line.rsplit(" ", 1)[1])
    return counts


def test_gateways_share_a_store(two: list[httpx2.Client], script: Script) -> None:
    """Each request is the one that a single gateway would send, also after a restart."""
    for turns in range(1, 12):
        two[turns % 2].post(PATH, json=chat(messages=history(turns)))
    there = [body["messages"] for body in script.asked]
    script.asked.clear()
    assert origins(two) == {"new": 1, "continued": 10}

    two[0].post(PATH, json=chat(messages=history(11)))
    two[1].post(PATH, json=chat(messages=history(11)))

    assert script.asked[0]["messages"] == script.asked[1]["messages"] == there[-1]
    assert "[t2 left out" in sent_text(script)


def test_a_changed_history_is_a_branch(two: list[httpx2.Client], script: Script) -> None:
    long = history(8)
    two[0].post(PATH, json=chat(messages=long))
    changed = [*long[:9], *calling(99), *long[11:]]
    two[1].post(PATH, json=chat(messages=changed))
    two[0].post(PATH, json=chat(messages=[*long, user_message("So?")]))
    script.turns = [["!call recall(t6)"], ["Yes."]] * 2
    for client, messages, line_number in ((two[0], changed, "99"), (two[1], long, "4")):
        script.asked.clear()
        client.post(PATH, json=chat(messages=messages))
        assert f"{line_number}\nline 0:" in script.asked[1]["messages"][-1]["content"]

    assert origins(two)["branched"] >= 1


def test_a_process_that_is_killed_is_started_again(
    upstream: str, script: Script, tmp_path: Path
) -> None:
    context = ("--port", "0", "--set", f"context={SMALL},store={tmp_path}/store.db")
    script.pieces = ["Cold."]
    for turns in range(1, 7):
        if turns % 3 == 1:
            with serving(upstream, *context) as (child, url):
                for more in range(3):
                    httpx2.post(url + PATH, json=chat(messages=history(turns + more)), timeout=30)
                child.send_signal(signal.SIGKILL)
                child.wait()
    there = script.asked[-1]["messages"]
    script.turns = [["!call recall(t2)"], ["Cold."]]
    with serving(upstream, *context) as (_, url):
        reply = httpx2.post(url + PATH, json=chat(messages=history(6)), timeout=30)
        figures = httpx2.get(url + "/metrics").text

    assert reply.json()["choices"][0]["message"]["content"] == "Cold."
    assert script.asked[-2]["messages"] == there
    assert "[t5]" in sent_text(script, -2)
    assert "line 59" in script.asked[-1]["messages"][-1]["content"]
    assert 'lton_context_requests_total{origin="continued"} 1.0' in figures


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no option ''"),
        ("windows=1", "no option 'windows'"),
        ("window=x", "window: expected a whole number, found 'x'"),
        ("window=-1", "window: expected a whole number, found '-1'"),
        ("window", "expected window=VALUE"),
        ("window=1,window=2", "once"),
        ("reserve=1", "expected window=TOKENS"),
        ("window=9,compact_at=x", "compact_at: expected a number"),
        ("window=9,rounds=0", "rounds"),
        ("window=9,reserve=9", "reserve"),
        ("window=99,pointer=long", "pointer one of"),
    ],
)
def test_options_are_checked_by_name(options: Namespace, text: str, message: str) -> None:
    options.context = text or " "
    with pytest.raises(ValueError, match="context") as caught:
        build_application(options)
    assert message in str(caught.value)


def test_options_are_those_of_transcripts() -> None:
    context = ContextOptions.from_section("window=8192, hot=2,store=a.db,compact_at=0.5")

    assert (context.window, context.reserve, context.store) == (8192, 2048, "a.db")
    assert context.options == {
        "window": 8192,
        "short_json": False,
        "hot_turns": 2,
        "compact_at": 0.5,
    }
    priced = ContextOptions.from_section("window=8192,prices=local,clear=never")
    assert priced.options["prices"].read == 0
    with pytest.raises(ValueError, match="prices: expected one of anthropic"):
        ContextOptions.from_section("window=8192,prices=free")
