"""Test `show`: definitions in tiers, and the tool `describe`, which clients do not see."""

import json
from argparse import Namespace
from typing import Any

import httpx2
import pytest

from lton._terminal import UsageError
from lton.gateway.command import make_options, run
from lton.gateway.serving import build_application
from lton.gateway.window.describing import Describing
from tests.gateway.conftest import CITY, Script, chat, events
from tests.gateway.test_planned import SMALL, cuts, figure, history, sent_text
from tests.gateway.test_serve import PATH, joined, without_ids

RULE = "Never for cities at sea."
TOOLS = [
    ("weather", f"Get the weather. {RULE}", CITY),
    ("stop", "End it all.", {"type": "object"}),
]
BARE = "weather(city days?:int)\nstop()\ndescribe Get the descriptions of tools, by their names"
ASK = "!call describe(weather)"
OSLO = '!call weather(city="Oslo")'


def function(name: str, about: str, schema: Any) -> dict[str, Any]:
    return {"name": name, "description": about, "parameters": schema}


CHAT = [{"type": "function", "function": function(*tool)} for tool in TOOLS]


def asking(*more: Any, **options: Any) -> dict[str, Any]:
    return chat(tools=CHAT, **options) | {"messages": [*chat()["messages"], *more]}


@pytest.fixture
def options(upstream: str) -> Namespace:
    return make_options(upstream=upstream, engine="vllm", calls="lton", show="names")


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_gateway_describes_and_the_client_sees_none_of_it(
    client: httpx2.Client, script: Script, size: int
) -> None:
    answers = ["Let me see.\n" + ASK, OSLO]
    script.turns = [[answer] for answer in answers]
    whole = client.post(PATH, json=asking()).json()
    first, second = script.asked
    script.turns = [cuts(answer, size) for answer in answers]
    usage = {"include_usage": True}
    reply = client.post(PATH, json=asking(stream=True, stream_options=usage))
    stream_events = events(reply)

    assert BARE in first["messages"][0]["content"]
    assert RULE not in str(first)
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert f"weather Get the weather. {RULE}" in second["messages"][-1]["content"]
    (choice,) = whole["choices"]
    assert choice["message"]["content"] == "Let me see."
    assert [call["function"]["name"] for call in choice["message"]["tool_calls"]] == ["weather"]
    assert without_ids(joined(stream_events)["message"]) == without_ids(choice["message"])
    assert stream_events[-1]["usage"] == whole["usage"]
    assert whole["usage"]["completion_tokens"] == 6
    for text in (reply.text, json.dumps(whole)):
        assert "describe" not in text
        assert RULE not in text


def of_chat(reply: Any) -> list[Any]:
    message = reply["choices"][0]["message"]
    calls = message.get("tool_calls", ())
    results = ({"role": "tool", "tool_call_id": call["id"], "content": "cold"} for call in calls)
    return [message, *results]


def of_responses(reply: Any) -> list[Any]:
    calls = [item for item in reply["output"] if item["type"] == "function_call"]
    results = (
        {"type": "function_call_output", "call_id": call["call_id"], "output": "cold"}
        for call in calls
    )
    return [*reply["output"], *results]


def of_messages(reply: Any) -> list[Any]:
    calls = [block for block in reply["content"] if block["type"] == "tool_use"]
    results = [
        {"type": "tool_result", "tool_use_id": call["id"], "content": "cold"} for call in calls
    ]
    message = {"role": "assistant", "content": reply["content"]}
    return [message, {"role": "user", "content": results}] if calls else [message]


HI = {"role": "user", "content": "Hi"}
APIS: dict[str, tuple[str, str, Any, Any]] = {
    "chat": (PATH, "messages", CHAT, of_chat),
    "responses": (
        "/v1/responses",
        "input",
        [{"type": "function", **function(*tool)} for tool in TOOLS],
        of_responses,
    ),
    "messages": (
        "/v1/messages",
        "messages",
        [{"name": n, "description": about, "input_schema": schema} for n, about, schema in TOOLS],
        of_messages,
    ),
}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("last", ["Hm.", OSLO, f"So.\n{OSLO}\n!call stop()"])
def test_what_was_described_stays_in_the_conversation(
    client: httpx2.Client, script: Script, api: str, last: str
) -> None:
    """The definitions keep their bytes, and a description stays before the turn that used it."""
    path, key, tools, turn = APIS[api]
    body = {"model": "m", "max_tokens": 99, "tools": tools, key: [HI]}
    script.turns = [[ASK], [last], ["Well."], ["Yes."]]

    for _ in range(3):
        reply = client.post(path, json=body)
        assert reply.status_code == 200, reply.text
        body[key] = [*body[key], *turn(reply.json()), HI]

    conversations = [body["messages"] for body in script.asked]
    assert len(conversations) == 4
    assert all(conversation[0] == conversations[0][0] for conversation in conversations)
    read, (_, _, later, latest) = conversations[1], conversations
    assert later[: len(read)] == read
    assert latest[: len(later)] == later
    assert "describe" not in json.dumps(body)


def test_what_is_described_beside_a_call_is_read_with_its_result(
    client: httpx2.Client, script: Script
) -> None:
    script.turns = [[f"{ASK}\n{OSLO}"], ["Cold."]]

    reply = client.post(PATH, json=asking()).json()
    client.post(PATH, json=asking(*of_chat(reply)))

    assert len(script.asked) == 2
    text = sent_text(script)
    assert text.index(RULE) < text.index("!result weather cold")


def test_another_conversation_reads_nothing_of_it(client: httpx2.Client, script: Script) -> None:
    script.turns, script.pieces = [[ASK], ["Yes."]], ["No."]
    turn = of_chat(client.post(PATH, json=asking()).json())

    client.post(PATH, json=asking(HI, *turn, HI))
    assert RULE not in sent_text(script)
    client.post(PATH, json=asking(*turn, HI))
    assert RULE in sent_text(script)


def test_what_is_kept_has_a_limit() -> None:
    describing = Describing(0, most=65)

    for number in range(3):
        describing.store_rounds(f"c{number}", b"x" * 30)

    assert [key for key, _ in describing._kept.items()] == ["c1", "c2"]


def test_rounds_have_an_end(client: httpx2.Client, script: Script) -> None:
    script.pieces = [ASK]

    choice = client.post(PATH, json=asking()).json()["choices"][0]

    assert choice["finish_reason"] == "stop"
    assert len(script.asked) == 8 + 1 + 1  # what the last said is no call, so it is asked again
    assert "describe" not in script.asked[-1]["structured_outputs"]["grammar"]


@pytest.mark.parametrize(
    ("choice", "describes"),
    [("auto", True), ("required", True), ("none", False), ("stop", False)],
)
def test_who_may_choose_may_ask(
    client: httpx2.Client, script: Script, choice: str, describes: bool
) -> None:
    """The model can ask for descriptions whenever it may choose a tool, and the definitions stay
    the same.
    """
    script.pieces = ["!call stop()"]
    named = {"type": "function", "function": {"name": "stop"}}
    client.post(PATH, json=asking(tool_choice=named if choice == "stop" else choice))

    grammar = script.asked[0].get("structured_outputs", {}).get("grammar", "")
    assert ("describe" in grammar) == describes
    assert BARE in sent_text(script, 0)


def test_descriptions_that_fit_are_shown_and_the_others_are_had(
    script: Script, options: Namespace, request: pytest.FixtureRequest
) -> None:
    options.show = "budget=5"
    client: httpx2.Client = request.getfixturevalue("client")
    script.pieces = ["Yes."]
    client.post(PATH, json=asking())
    client.post(PATH, json=asking(n=2))
    tools = [CHAT[1], {"type": "function", "function": {"name": "describe", "parameters": CITY}}]
    client.post(PATH, json=chat(tools=tools))
    client.post(PATH, json=chat(tools=[*tools, CHAT[0]]))

    in_tiers, several, fit, rest_of_tools = (sent_text(script, at) for at in range(4))
    assert "weather(city days?:int)\nstop End it all.\ndescribe Get the" in in_tiers
    assert RULE in several
    assert "by what to do" not in several + fit
    assert "tools_describe Get the" in rest_of_tools


def test_the_tool_of_an_answer_in_json_is_described(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["!call answer(city=Oslo)"]
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": CITY}}

    reply = client.post(PATH, json=asking(response_format=form)).json()

    assert json.loads(reply["choices"][0]["message"]["content"]) == {"city": "Oslo"}
    assert "answer Answer the user with this" in sent_text(script, 0)


def test_what_does_not_fit_is_planned_too(
    script: Script, options: Namespace, request: pytest.FixtureRequest
) -> None:
    """In a window, the tools for omitted text are described, and both kinds of calls are answered,
    also in one turn.
    """
    options.context = SMALL
    client: httpx2.Client = request.getfixturevalue("client")
    script.turns = [[f"{ASK}\n!call recall(t2)"], [f"{ASK}\n!call recall(t3)\n{OSLO}"], ["Cold."]]
    messages = history(5)

    reply = client.post(PATH, json=chat(tools=CHAT, messages=messages)).json()
    client.post(PATH, json=chat(tools=CHAT, messages=[*messages, *of_chat(reply)]))

    first, second, last = (sent_text(script, at) for at in range(3))
    assert BARE in first
    assert "\nrecall " in first
    assert "line 59: it is 59 degrees in city 0" in second
    assert RULE in second
    assert "line 59: it is 59 degrees in city 1" in last
    assert RULE in last
    assert "!call recall(t2)" not in last
    assert len(script.asked) == 3


@pytest.mark.parametrize("dry_run", [False, True])
def test_tokens_are_counted_as_they_are_shown(
    script: Script, options: Namespace, request: pytest.FixtureRequest, dry_run: bool
) -> None:
    options.dry_run, script.reply = dry_run, {}
    client: httpx2.Client = request.getfixturevalue("client")
    tools = [{**message, "description": RULE * 9} for message in APIS["messages"][2]]
    body = {"model": "m", "max_tokens": 9, "messages": [HI], "tools": tools}

    count = client.post("/v1/messages/count_tokens", json=body).json()["input_tokens"]

    assert count < len(RULE * 9)
    if not dry_run:
        return
    client.post("/v1/messages", json=body)
    assert 0 < figure(client, 'lton_tokens_total{kind="prompt",notation="lton"}') < len(RULE * 9)


def test_native_calls_keep_their_definitions(client: httpx2.Client, script: Script) -> None:
    """Native calls keep whole definitions: a request may ask for them, and a native-only server
    refuses the option.
    """
    script.reply = {"choices": [{"message": {"role": "assistant", "content": "Yes."}}]}
    client.post(PATH, json=asking(), headers={"x-lton-calls": "native"})
    assert script.asked[-1]["tools"] == CHAT
    with pytest.raises(UsageError, match="show=names and show=budget=N write signatures"):
        run(make_options(upstream="http://127.0.0.1:1", calls="native", show="names"))
    with pytest.raises(ValueError, match="expected all, names or budget=N"):
        build_application(make_options(upstream="http://127.0.0.1:1", show="some"))


def test_the_log_says_what_was_described(
    script: Script, options: Namespace, tmp_path: Any, request: pytest.FixtureRequest
) -> None:
    options.log = str(tmp_path / "log")
    client: httpx2.Client = request.getfixturevalue("client")
    script.turns = [[ASK], ["Yes."]]
    client.post(PATH, json=asking())

    lines = [json.loads(line) for line in (tmp_path / "log").read_text("utf-8").splitlines()]
    report = {"undescribed": 2, "described": ['{"query":"weather"}']}
    assert [line["context"] for line in lines] == [report, report]
    assert "lton_calls_total 0.0" in client.get("/metrics").text
