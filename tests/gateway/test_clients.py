"""Test stock clients and agents with the gateway and a scripted upstream (`make test-gateway`).

The agents run the model's calls, and the results are in the model's next prompt.
"""

import importlib
import json
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.gateway import agents
from tests.gateway.agents import Tools
from tests.gateway.conftest import Script, ran_once
from tests.gateway.native import Raw, Serve, stream, whole

pytestmark = [
    pytest.mark.clients,
    pytest.mark.filterwarnings("ignore"),  # of the frameworks
]

ANSWER = "It is 40.1 F in Oslo, and nobody knows of Atlantis."
TURNS = [
    '!call weather(city="Oslo", days=2)\n!call fahrenheit(celsius=4.5)',
    '!call weather(city="Atlantis", days=1)',
    ANSWER,
]
CALLED = [("weather", "Oslo", 2), ("fahrenheit", 4.5), ("weather", "Atlantis", 1)]
AGENTS: dict[Callable[[str, Tools], str], str] = {
    agents.openai_chat: "openai",
    agents.openai_chat_streamed: "openai",
    agents.openai_chat_async: "openai",
    agents.openai_responses: "openai",
    agents.openai_responses_streamed: "openai",
    agents.openai_responses_async: "openai",
    agents.anthropic_messages: "anthropic",
    agents.anthropic_messages_streamed: "anthropic",
    agents.litellm_chat: "litellm",
    agents.litellm_streamed: "litellm",
    agents.openai_agents: "agents",
    agents.openai_agents_streamed: "agents",
    agents.pydantic_ai: "pydantic_ai",
    agents.pydantic_ai_streamed: "pydantic_ai",
    agents.langgraph: "langchain",
    agents.langgraph_streamed: "langchain",
}
MUST_CALL: dict[Callable[[str, Tools], str], str] = {
    agents.smolagents: "smolagents",
    agents.smolagents_streamed: "smolagents",
}
"""Those whose answer is a call, too."""
SECRETIVE = (agents.openai_agents, agents.openai_agents_streamed)
"""Those that tell the model of an error, but not which."""


def needs(module: str) -> None:
    pytest.importorskip(module, exc_type=ImportError)


def pieces(text: str, size: int = 5) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def prompt(script: Script, turn: int) -> str:
    contents = [message["content"] for message in script.asked[turn]["messages"]]
    # smolagents sends texts as lists of parts, and so they are passed on.
    return "\n".join(
        content if isinstance(content, str) else "".join(part["text"] for part in content)
        for content in contents
    )


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.__name__)
def test_an_agent_calls_tools_and_reads_what_they_gave(
    agent: Callable[[str, Tools], str], url: str, script: Script
) -> None:
    needs(AGENTS[agent])
    script.turns = [pieces(turn) for turn in TURNS]
    tools = Tools()

    answer = agent(f"{url}/v1", tools)

    assert answer == ANSWER
    assert sorted(tools.called) == sorted(CALLED)  # some run two at once
    assert all("tools" not in body for body in script.asked)
    assert "weather Get the weather of a city." in prompt(script, 0)
    second, third = prompt(script, 1), prompt(script, 2)
    assert TURNS[0] in second
    assert '!result weather "4.5 degrees Celsius"' in second
    assert "!result fahrenheit 40.1" in second
    assert third.startswith(second)  # nothing that was said is said otherwise later
    assert TURNS[1] in third
    failed = "An error occurred" if agent in SECRETIVE else "no city Atlantis"
    assert failed in third[len(second) :]


@pytest.mark.parametrize("engine", ["vllm", "plain"])
@pytest.mark.parametrize("agent", AGENTS | MUST_CALL, ids=lambda agent: agent.__name__)
def test_an_agent_runs_a_call_once_that_a_model_makes_twice(
    agent: Callable[[str, Tools], str],
    engine: str,
    options: Namespace,
    script: Script,
    request: pytest.FixtureRequest,
) -> None:
    """A call that the model repeats runs once; none of these clients sets `parallel_tool_calls`."""
    needs((AGENTS | MUST_CALL)[agent])
    options.engine = engine
    url: str = request.getfixturevalue("url")
    again = '!call weather(city="Oslo", days=2)\n!call weather(days=2, city="Oslo")\n'
    end = f'!call final_answer(answer="{ANSWER}")' if agent in MUST_CALL else ANSWER
    script.turns = [pieces(again * 3), pieces(end)]
    tools = Tools()

    assert agent(f"{url}/v1", tools) == ANSWER
    assert tools.called == CALLED[:1]
    ran_once(agent.__name__)
    assert all("parallel_tool_calls" not in body for body in script.asked)


@pytest.mark.parametrize("agent", MUST_CALL)
def test_smolagents_must_always_call(
    agent: Callable[[str, Tools], str], url: str, script: Script
) -> None:
    needs("smolagents")
    final = f'!call final_answer(answer="{ANSWER}")'
    script.turns = [pieces(turn) for turn in (*TURNS[:2], final)]
    tools = Tools()

    assert agent(f"{url}/v1", tools) == ANSWER
    assert sorted(tools.called) == sorted(CALLED)  # some run two at once
    assert "4.5 degrees Celsius" in prompt(script, 1)
    assert "no city Atlantis" in prompt(script, 2)
    assert not any("stop" in body for body in script.asked)


class _LoopingModel(list[Any]):
    """The answers of a model that makes a call again and again, and has words without tools."""

    def __init__(self, raw: Raw, call: Sequence[bytes], words: Sequence[bytes]) -> None:
        super().__init__([call, words])
        self.raw = raw

    def pop(self, _: Any = 0) -> Any:
        """Return the chunks of the next answer, whose call has an id of its own."""
        call, words = self
        id_ = f"call_of_{len(self.raw.bodies)}".encode()
        has_tools = json.loads(self.raw.bodies[-1]).get("tools")
        return [chunk.replace(b"call_0", id_) for chunk in call] if has_tools else words


class _LoopingWholes(_LoopingModel):
    """The same for answers that do not stream."""

    def pop(self, _: Any = 0) -> Any:
        (answer,) = super().pop()
        return answer


@pytest.mark.parametrize("form", ["native", "text"])
@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.__name__)
def test_an_agent_leaves_a_loop_of_a_local_model(
    agent: Callable[[str, Tools], str], form: str, serve: Serve, raw: Raw
) -> None:
    """Every agent ends in words before its own limit of turns, which would be an error."""
    needs(AGENTS[agent])
    arguments = json.dumps({"city": "Oslo", "days": 2})
    call = ("", [("weather", arguments)])
    if form == "text":
        call = (f'{{"name": "weather", "arguments": {arguments}}}', [])
    raw.turns = _LoopingModel(raw, stream("chat", *call), stream("chat", ANSWER))
    raw.wholes = _LoopingWholes(raw, [whole("chat", *call)], [whole("chat", ANSWER)])
    gateway = serve(upstream_api="chat", retry=1)
    tools = Tools()

    assert agent(f"{gateway.base_url}/v1".replace("//v1", "/v1"), tools) == ANSWER
    assert tools.called == CALLED[:1] * 5


def test_pydantic_ai_gets_an_output_of_a_type(url: str, script: Script) -> None:
    needs("pydantic_ai")
    from pydantic import BaseModel

    class Place(BaseModel):
        city: str
        is_warm: bool

    script.turns = [pieces(TURNS[0]), pieces('!call final_result(city="Oslo", is_warm=false)')]
    tools = Tools()
    agent = agents._pydantic_ai(f"{url}/v1", tools, output_type=Place)

    assert agent.run_sync(agents.QUESTION).output == Place(city="Oslo", is_warm=False)
    assert sorted(tools.called) == sorted(CALLED[:2])  # some run both at once


@pytest.mark.parametrize("strategy", ["ToolStrategy", "ProviderStrategy"])
def test_langchain_gets_an_answer_of_a_type(url: str, script: Script, strategy: str) -> None:
    """LangChain gets an answer of a type, by a tool for the answer, or by a format next to the
    tools.
    """
    needs("langchain")
    from pydantic import BaseModel

    class Place(BaseModel):
        """A place."""

        city: str
        is_warm: bool

    name = "Place" if strategy == "ToolStrategy" else "answer"
    script.turns = [pieces(TURNS[0]), pieces(f'!call {name}(city="Oslo", is_warm=false)')]
    tools = Tools()
    form = getattr(importlib.import_module("langchain.agents.structured_output"), strategy)(Place)

    answer = agents.langgraph(f"{url}/v1", tools, response_format=form)

    assert answer == Place(city="Oslo", is_warm=False)
    assert sorted(tools.called) == sorted(CALLED[:2])  # some run both at once


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_langchain_has_structured_output_without_tools(
    url: str, script: Script, method: str
) -> None:
    """A format without tools goes to the upstream unchanged, and a forced function is written in
    LTON.
    """
    needs("langchain_openai")
    from pydantic import BaseModel

    class Place(BaseModel):
        """A place."""

        city: str

    if method == "json_schema":
        message = {"role": "assistant", "content": '{"city":"Oslo"}'}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        ids = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
        script.reply = {**ids, "choices": [choice]}
    else:
        script.pieces = ['!call Place(city="Oslo")']
    model = agents.langchain_model(f"{url}/v1").with_structured_output(Place, method=method)

    assert model.invoke("Where?") == Place(city="Oslo")
    assert ("response_format" in script.asked[0]) == (method == "json_schema")


def test_openai_parses_strict_tools(url: str, script: Script) -> None:
    needs("openai")
    import openai
    from pydantic import BaseModel

    class Weather(BaseModel):
        city: str

    script.pieces = pieces('Yes.\n!call Weather(city="Oslo")')
    body: Any = {
        "model": "m",
        "messages": [{"role": "user", "content": "?"}],
        "tools": [openai.pydantic_function_tool(Weather)],
    }
    with openai.OpenAI(base_url=f"{url}/v1", api_key="x") as client:
        whole = client.chat.completions.parse(**body).choices[0].message
        with client.chat.completions.stream(
            **body, stream_options={"include_usage": True}
        ) as stream:
            kinds = {event.type for event in stream}
            final = stream.get_final_completion()

    for message in (whole, final.choices[0].message):
        assert message.content == "Yes."
        assert message.tool_calls[0].function.parsed_arguments == Weather(city="Oslo")
    assert "tool_calls.function.arguments.done" in kinds
    assert final.usage.total_tokens == 10


def test_openai_says_what_the_gateway_says(url: str, script: Script) -> None:
    needs("openai")
    import openai

    script.status, script.reply = 429, {"error": {"message": "too many", "type": "rate"}}
    messages: Any = [{"role": "user", "content": "?"}]
    with openai.OpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0) as client:
        with pytest.raises(openai.RateLimitError, match="too many"):
            client.chat.completions.create(model="m", messages=messages, tools=agents.CHAT)
        with pytest.raises(openai.BadRequestError) as refused:
            client.responses.create(
                model="m", input="?", tools=agents.RESPONSES, previous_response_id="resp_1"
            )

    assert (refused.value.param, refused.value.code) == (
        "previous_response_id",
        "unsupported_parameter",
    )
