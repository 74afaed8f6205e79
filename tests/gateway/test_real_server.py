"""Test the gateway with a real llama.cpp server: rules that hold for any output (`make
test-gateway`).
"""

import json
from argparse import Namespace
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx2
import jsonschema
import pytest

from lton.gateway.serving import build_application
from lton_bench.demo import start_server
from tests.gateway import agents
from tests.gateway.agents import CHAT, LIMIT, MODEL, RESPONSES, SCHEMAS, Tools
from tests.gateway.conftest import Served, events
from tests.gateway.test_serve import PATH, joined, without_ids

pytestmark = [pytest.mark.server, pytest.mark.filterwarnings("ignore")]

ASKED = "What is the weather in Oslo for 3 days? And what is 4.5 degrees in Fahrenheit?"


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    pytest.importorskip("xllamacpp")
    server = start_server(context=2048)
    yield server.listening_address
    del server  # which ends it


@pytest.fixture
def upstream(llama: str) -> str:
    return llama


@pytest.fixture
def client(options: Namespace, request: pytest.FixtureRequest) -> Iterator[httpx2.Client]:
    options.engine = "llama.cpp"
    with httpx2.Client(base_url=request.getfixturevalue("url"), timeout=120) as client:
        yield client


@pytest.fixture
def api(client: httpx2.Client) -> str:
    return f"{client.base_url}/v1".replace("//v1", "/v1")


def body(**more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": ASKED}]
    members = {"model": MODEL, "messages": messages, "tools": CHAT, "max_tokens": LIMIT}
    return {**members, "temperature": 0, **more}


def fits(calls: list[Any]) -> bool:
    for call in calls:
        jsonschema.validate(json.loads(call["arguments"]), SCHEMAS[call["name"]])
    return True


@pytest.mark.parametrize(
    "more",
    [
        {"tool_choice": "required", "parallel_tool_calls": False},
        {
            "tool_choice": {"type": "function", "function": {"name": "fahrenheit"}},
            "parallel_tool_calls": False,
        },
        {"tool_choice": "auto"},
    ],
    ids=["required", "named", "auto"],
)
def test_calls_fit_and_a_stream_is_the_same(client: httpx2.Client, more: Any) -> None:
    whole = client.post(PATH, json=body(**more)).json()
    stream = client.post(
        PATH, json=body(stream=True, stream_options={"include_usage": True}, **more)
    )
    stream_events = events(stream)

    (choice,) = whole["choices"]
    message, streamed = without_ids(choice["message"]), joined(stream_events)
    assert choice["finish_reason"] == streamed["finish_reason"]
    if choice["finish_reason"] != "length":  # what was cut is left out of the one alone
        assert message == without_ids(streamed["message"])
    assert fits(message["tool_calls"])
    if more["tool_choice"] != "auto":
        assert choice["finish_reason"] in ("tool_calls", "length")
        assert len(message["tool_calls"]) == (choice["finish_reason"] == "tool_calls")
        assert not message["content"]
    for usage in (whole["usage"], stream_events[-1]["usage"]):
        assert usage["prompt_tokens"] > 50
        assert 0 < usage["completion_tokens"] <= LIMIT
    assert (
        stream_events[-1]["usage"]["prompt_tokens_details"]["cached_tokens"] > 50
    )  # it was read before


@pytest.mark.parametrize("stream", [False, True])
def test_no_call_is_given_twice(client: httpx2.Client, stream: bool) -> None:
    """Each call is returned once, although the model repeats most calls."""
    for city in ("Oslo", "Madrid", "Rome"):
        messages = [{"role": "user", "content": f"What is the weather in {city}?"}]
        more = {"messages": messages, "tool_choice": "required", "stream": stream}
        reply = client.post(PATH, json=body(**more))
        choice = joined(events(reply)) if stream else reply.json()["choices"][0]
        calls = [json.dumps(call["function"]) for call in choice["message"].get("tool_calls", ())]
        assert calls or choice["finish_reason"] == "length"
        assert len(calls) == len(set(calls))


def test_what_the_server_refuses_is_passed_on(client: httpx2.Client) -> None:
    long = [{"role": "user", "content": "cold " * 3000}]
    for stream in (False, True):
        refused = client.post(PATH, json=body(messages=long, stream=stream))

        assert refused.status_code == 400
        error = refused.json()["error"]
        assert error["type"] == "exceed_context_size_error"
        assert error["n_prompt_tokens"] > error["n_ctx"]


def test_a_format_without_tools_is_the_servers_own(client: httpx2.Client) -> None:
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMAS["fahrenheit"]}}
    request_body = body(response_format=form)
    del request_body["tools"]

    choice = client.post(PATH, json=request_body).json()["choices"][0]

    assert choice["finish_reason"] in ("stop", "length")
    if choice["finish_reason"] == "stop":
        jsonschema.validate(json.loads(choice["message"]["content"]), SCHEMAS["fahrenheit"])


@pytest.fixture
def planned(options: Namespace, client: httpx2.Client) -> Iterator[httpx2.Client]:
    """Return a gateway with a window, and one without."""
    options.context, options.tokenizer = (
        "window=1400,reserve=128,hot=2,clear=always,rounds=1",
        "smollm2",
    )
    served = Served(build_application(options))
    with httpx2.Client(base_url=served.url, timeout=120) as planning:
        yield planning
    served.close()


def test_a_planned_conversation_goes_on_where_another_is_refused(
    client: httpx2.Client, planned: httpx2.Client
) -> None:
    """Tokens are counted with the model's own template, so the server never gets too long a
    prompt.
    """
    messages: list[Any] = [{"role": "user", "content": ASKED}]
    for turn in range(6):
        function = {"name": "weather", "arguments": json.dumps({"city": f"city {turn}"})}
        call = {"id": f"c{turn}", "type": "function", "function": function}
        report = " ".join(f"{hour} o'clock {turn} degrees," for hour in range(60))
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": report},
        ]
    request_body = body(messages=messages, tool_choice="required", parallel_tool_calls=False)
    reply = planned.post(PATH, json=request_body)

    assert client.post(PATH, json=request_body).status_code == 400
    assert reply.status_code == 200, reply.text
    message = reply.json()["choices"][0]["message"]
    assert {call["function"]["name"] for call in message.get("tool_calls", ())} <= set(SCHEMAS)
    assert fits([call["function"] for call in message.get("tool_calls", ())])
    assert 'action="pointer"} 4.0' in planned.get("/metrics").text


def test_definitions_in_tiers_are_read_once_and_what_is_asked_is_answered(
    client: httpx2.Client, options: Namespace
) -> None:
    """Descriptions that the model requests are returned to the model, and the client sees only its
    own calls.
    """
    options.show = "names"
    functions = [
        {**tool["function"], "name": f"{tool['function']['name']}_{number}"}
        for number in range(8)
        for tool in CHAT
    ]
    many: list[Any] = [{"type": "function", "function": function} for function in functions]
    messages: list[Any] = [{"role": "user", "content": "Describe the tool weather_3, then use it."}]
    request_body = body(
        tools=many, messages=messages, tool_choice="required", parallel_tool_calls=False
    )
    served = Served(build_application(options))
    with httpx2.Client(base_url=served.url, timeout=120) as showing:
        first = showing.post(PATH, json=request_body).json()
        message = first["choices"][0]["message"]
        calls = message.get("tool_calls", ())
        results = [{"role": "tool", "tool_call_id": call["id"], "content": "7"} for call in calls]
        request_body["messages"] = [
            *messages,
            message,
            *results,
            {"role": "user", "content": "And 4?"},
        ]
        second = showing.post(PATH, json=request_body).json()
    served.close()
    whole = client.post(PATH, json=request_body | {"max_tokens": 1}).json()

    assert {call["function"]["name"] for call in calls} <= {
        function["name"] for function in functions
    }
    assert second["usage"]["prompt_tokens"] < whole["usage"]["prompt_tokens"]
    assert second["usage"]["prompt_tokens_details"]["cached_tokens"] > 100  # the definitions


@pytest.mark.clients
def test_openai_streams_responses(api: str) -> None:
    import openai

    with (
        openai.OpenAI(base_url=api, api_key="x", max_retries=0, timeout=120) as client,
        client.responses.stream(
            model=MODEL,
            input=ASKED,
            tools=RESPONSES,
            tool_choice="required",
            max_output_tokens=LIMIT,
            temperature=0,
        ) as stream,
    ):
        *_, last = stream

    reply: Any = last.response
    assert reply.status in ("completed", "incomplete")
    if reply.status == "completed":
        assert reply.output
        assert fits([{"name": call.name, "arguments": call.arguments} for call in reply.output])
    assert reply.usage.output_tokens <= LIMIT


def run_openai_agents(api: str, tools: Tools) -> None:
    import agents as framework

    # At the limit of tokens or turns: the model's own business.
    with suppress(framework.exceptions.AgentsException):
        # One call a turn: a small model would go on until the limit, and a cut answer has no call.
        settings: Any = {"max_tokens": LIMIT, "temperature": 0, "parallel_tool_calls": False}
        agents.openai_agents(api, tools, turns=2, tool_choice="required", **settings)


def run_pydantic_ai(api: str, tools: Tools) -> None:
    from pydantic import BaseModel
    from pydantic_ai import exceptions
    from pydantic_ai.usage import UsageLimits

    class Place(BaseModel):
        city: str

    settings: Any = {"max_tokens": LIMIT, "temperature": 0}
    agent = agents._pydantic_ai(api, tools, output_type=Place, model_settings=settings)
    with suppress(exceptions.AgentRunError):
        output = agent.run_sync(ASKED, usage_limits=UsageLimits(request_limit=2)).output
        tools.called.append(("weather", output.city, 1))


def run_langchain(api: str, tools: Tools) -> None:
    model = agents.langchain_model(api, max_tokens=LIMIT, temperature=0)
    langchain_tools = {tool.name: tool for tool in agents.langchain_tools(tools)}
    message = model.bind_tools(
        [*langchain_tools.values()], tool_choice="any", parallel_tool_calls=False
    ).invoke(ASKED)
    for call in message.tool_calls:
        langchain_tools[call["name"]].invoke(call)


def run_smolagents(api: str, tools: Tools) -> None:
    from smolagents import AgentError

    with suppress(AgentError):
        agents.smolagents(api, tools, steps=1, max_tokens=LIMIT, temperature=0)


@pytest.mark.clients
@pytest.mark.parametrize(
    ("module", "run"),
    [
        ("agents", run_openai_agents),
        ("pydantic_ai", run_pydantic_ai),
        ("langchain", run_langchain),
        ("smolagents", run_smolagents),
    ],
)
def test_an_agent_is_given_calls_that_fit(module: str, run: Any, api: str) -> None:
    pytest.importorskip(module, exc_type=ImportError)
    tools = Tools(cities=())

    run(api, tools)

    for name, *values in tools.called:
        kinds = (str, int) if name == "weather" else (int | float,)
        assert all(isinstance(value, kind) for value, kind in zip(values, kinds, strict=True))
    assert tools.called or module == "smolagents"  # which may call its final answer at once
