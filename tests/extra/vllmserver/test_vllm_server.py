"""Test a real vLLM server with Qwen2.5-Coder-0.5B: directly, through the gateway, and guided."""

import json
import re
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from lton import Call, ToolSet
from lton.engines import vllm
from lton.engines.vllm import VllmEngine
from lton.errors import GrammarError
from lton.gateway import command as serve
from lton.generate import ask
from lton.probe.asking import ChatClient
from lton.probe.questions import QUESTIONS, TOOLS
from lton_bench.study.vllm_server import NAME, serving
from tests.engines.contract import check_characters_of_several_tokens
from tests.engines.test_pages import NESTED_CHANGES, NESTED_OUTPUT, printed

SET = ToolSet.from_tools(TOOLS)
WEATHER = QUESTIONS[0]
POEM = QUESTIONS[1]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving("--enable-auto-tool-choice", "--tool-call-parser", "hermes") as address:
        yield address


@pytest.fixture
def engine(url: str) -> Iterator[VllmEngine]:
    server_engine = vllm.load(url)
    yield server_engine
    server_engine.close()


def test_the_server_loses_calls_that_the_gateway_gives(url: str) -> None:
    """The gateway delivers calls that the server's parser does not read."""
    client = ChatClient(url=url, model=NAME, tools=TOOLS)
    settings = serve.make_options(upstream=url, engine="vllm", quiet=True)
    questions = [question for question in QUESTIONS if question.call][:4]
    listener = serve.find_free_port()
    with listener, serve.serve_on_thread(settings, listener):
        through = ChatClient(url=serve.address_of_listener(listener), model=NAME, tools=TOOLS)
        direct = [client.ask_question(question.text, stream=False).calls for question in questions]
        answers = [
            through.ask_question(question.text, stream=rank % 2 == 1).calls
            for rank, question in enumerate(questions)
        ]
    assert sum(map(bool, answers)) > sum(map(bool, direct))
    assert sum(map(len, answers)) == sum(map(bool, answers))  # each once


def test_tools_are_strict_until_the_server_refuses_a_schema(url: str) -> None:
    """vLLM accepts strict closed schemas until a pattern that its engine cannot compile turns
    strict off.
    """
    settings = serve.make_options(upstream=url, engine="vllm", calls="native", quiet=True)
    city: dict[str, Any] = {"type": "string"}
    schema = {"type": "object", "required": ["city"], "additionalProperties": False}
    listener = serve.find_free_port()
    with listener, serve.serve_on_thread(settings, listener):
        address = serve.address_of_listener(listener)
        for pattern in ({}, {"pattern": r"(a)\1"}):
            function = {
                "name": "get_weather",
                "parameters": schema | {"properties": {"city": city | pattern}},
            }
            tools = [{"type": "function", "function": function}]
            client = ChatClient(url=address, model=NAME, tools=tools)
            answer = client.ask_question("What is the weather in Oslo?", stream=False)
            assert [call.name for call in answer.calls] == ["get_weather"], answer
        metrics = client.fetch_json("/metrics").decode()
    assert 'lton_strict_requests_total{answer="taken"} 1.0' in metrics
    assert 'lton_strict_requests_total{answer="refused"} 1.0' in metrics


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages", "/v1/responses"])
def test_guided_calls_come_in_each_api(url: str, path: str) -> None:
    settings = serve.make_options(upstream=url, engine="vllm", calls="guided", quiet=True)
    function = TOOLS[0]["function"]
    key = "input" if path.endswith("responses") else "messages"
    body: dict[str, Any] = {key: [{"role": "user", "content": WEATHER.text}], "model": NAME}
    if path.endswith("messages"):
        schema = {"input_schema": function["parameters"]}
        body |= {"tools": [{"name": function["name"], **schema}], "max_tokens": 100}
        body["tool_choice"] = {"type": "any"}
    else:
        flat = {"type": "function", **function}
        body |= {"tools": [TOOLS[0] if path.endswith("completions") else flat]}
        body["tool_choice"] = "required"
    listener = serve.find_free_port()
    with listener, serve.serve_on_thread(settings, listener):
        data = json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(serve.address_of_listener(listener) + path, data, headers)
        with urllib.request.urlopen(request, timeout=300) as reply:
            text = reply.read().decode()
    assert "get_weather" in text
    assert "Oslo" in text


def test_the_engine_chooses_a_tool_and_declines(engine: VllmEngine) -> None:
    """The engine chooses a tool, or none, by the likelihood of the question after each tool."""
    assert WEATHER.call
    reply = ask(engine, WEATHER.text, SET)
    assert reply.calls == [Call(WEATHER.call.name, WEATHER.call.arguments)]
    assert ask(engine, POEM.text, SET, tool_choice="auto").calls == []


def test_the_page_prints_an_instance(url: str) -> None:
    """The program of the page works with this server, also with nested classes."""
    changes = {"http://127.0.0.1:8000": url, '"MODEL"': f'"{NAME}"'}
    [text] = printed("vllm.md", **changes)
    assert re.fullmatch(r"\[Weather\(city='[^']*', days=-?\d+\)\]\n", text), text
    [text] = printed("vllm.md", **NESTED_CHANGES, **changes)
    assert re.fullmatch(NESTED_OUTPUT, text), text


def test_a_call_under_a_grammar_is_one_request(engine: VllmEngine) -> None:
    chat = [{"role": "user", "content": "Call stop."}]
    tools = ToolSet.from_prompt("stop")
    reply = vllm.complete(engine, chat, tools, max_tokens=32)
    assert reply.calls == [Call("stop", {})]


def test_what_the_server_refuses_is_an_error(engine: VllmEngine) -> None:
    with pytest.raises(GrammarError):
        vllm.check_grammar("root ::= (", engine)


def test_characters_of_several_tokens(engine: VllmEngine) -> None:
    check_characters_of_several_tokens(engine, "𒀀𓂀")


def test_no_content_is_read_as_special(engine: VllmEngine) -> None:
    """An end-of-turn token in a user's message does not end the turn."""
    messages = [{"role": "user", "content": "a<|im_end|>b"}]
    plain = [{"role": "user", "content": "ab"}]
    [end] = engine.tokenize("<|im_end|>")
    counts = [engine.prompt(conversation).count(end) for conversation in (messages, plain)]
    assert counts[0] == counts[1]
