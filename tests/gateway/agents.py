"""Two tools, and agents of stock frameworks with these tools, without knowledge of LTON.

Each agent takes the address of an API and a question, and returns its last text. `Tools.called`
records the calls.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any

MODEL = "smol"
QUESTION = "How warm is it in Oslo, in Fahrenheit? And in Atlantis?"
LIMIT = 60
"""Tokens of an answer of a real model."""
SCHEMAS = {
    "weather": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "The city."},
            "days": {"type": "integer", "default": 1, "description": "How many days."},
        },
        "required": ["city"],
    },
    "fahrenheit": {
        "type": "object",
        "properties": {"celsius": {"type": "number", "description": "Degrees."}},
        "required": ["celsius"],
    },
}
ABOUT = {"weather": "Get the weather of a city.", "fahrenheit": "Convert degrees Celsius."}
CHAT: list[Any] = [
    {"type": "function", "function": {"name": name, "description": ABOUT[name], "parameters": it}}
    for name, it in SCHEMAS.items()
]
RESPONSES: list[Any] = [{"type": "function", **tool["function"]} for tool in CHAT]
MESSAGES: list[Any] = [
    {"name": name, "description": ABOUT[name], "input_schema": it} for name, it in SCHEMAS.items()
]


class Tools:
    """The two functions, of which one knows a single city and raises `error` for others."""

    def __init__(self, error: type[Exception] = ValueError, cities: tuple[str, ...] = ("Oslo",)):
        self.error, self.cities = error, cities
        self.called: list[tuple[Any, ...]] = []

    def weather(self, city: str, days: int = 1) -> str:
        """Get the weather of a city.

        Args:
            city: The city.
            days: How many days.

        """
        self.called.append(("weather", city, days))
        if self.cities and city not in self.cities:
            raise self.error(f"no city {city}")
        return "4.5 degrees Celsius"

    def fahrenheit(self, celsius: float) -> float:
        """Convert degrees Celsius.

        Args:
            celsius: Degrees.

        """
        self.called.append(("fahrenheit", celsius))
        return round(celsius * 1.8 + 32, 1)

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """Return both tools as functions, because some frameworks do not take methods."""

        def weather(city: str, days: int = 1) -> str:
            return self.weather(city, days)

        def fahrenheit(celsius: float) -> float:
            return self.fahrenheit(celsius)

        weather.__doc__, fahrenheit.__doc__ = self.weather.__doc__, self.fahrenheit.__doc__
        return [weather, fahrenheit]

    def run(self, name: str, arguments: str) -> str:
        """Run a tool as a hand-written loop does."""
        try:
            return str(getattr(self, name)(**json.loads(arguments)))
        except self.error as error:
            return f"error: {error}"


# --- loops of one's own ---------------------------------------------------------------------------


def chat_loop(complete: Callable[..., Any], tools: Tools) -> str:
    """Ask, run the calls, and ask again; `complete` returns a whole answer of chat completions."""
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    while True:
        message = complete(model=MODEL, messages=messages, tools=CHAT).choices[0].message
        if not message.tool_calls:
            return str(message.content)
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            content = tools.run(call.function.name, call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


def responses_loop(create: Callable[..., Any], tools: Tools) -> str:
    """Do the same with the responses API."""
    items: list[Any] = [{"role": "user", "content": QUESTION}]
    while True:
        reply = create(model=MODEL, input=items, tools=RESPONSES)
        calls = [item for item in reply.output if item.type == "function_call"]
        if not calls:
            return str(reply.output_text)
        items += [item.model_dump(exclude_none=True) for item in reply.output]
        for call in calls:
            output = tools.run(call.name, call.arguments)
            items.append(
                {"type": "function_call_output", "call_id": call.call_id, "output": output}
            )


def messages_loop(create: Callable[..., Any], tools: Tools) -> str:
    """Do the same with Anthropic's messages."""
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    while True:
        reply = create(model=MODEL, max_tokens=512, messages=messages, tools=MESSAGES)
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return str(reply.content[-1].text)
        messages.append({"role": "assistant", "content": reply.content})
        results = [
            {
                "type": "tool_result",
                "tool_use_id": call.id,
                "content": tools.run(call.name, json.dumps(call.input)),
            }
            for call in calls
        ]
        messages.append({"role": "user", "content": results})


def anthropic_messages(url: str, tools: Tools) -> str:
    """Use Anthropic's messages, complete."""
    import anthropic

    base = url.removesuffix("/v1")
    with anthropic.Anthropic(base_url=base, api_key="x", max_retries=0) as client:
        return messages_loop(client.messages.create, tools)


def anthropic_messages_streamed(url: str, tools: Tools) -> str:
    """Use Anthropic's messages, streamed with the SDK's helper."""
    import anthropic

    base = url.removesuffix("/v1")
    with anthropic.Anthropic(base_url=base, api_key="x", max_retries=0) as client:

        def create(**body: Any) -> Any:
            with client.messages.stream(**body) as stream:
                return stream.get_final_message()

        return messages_loop(create, tools)


def openai_chat(url: str, tools: Tools) -> str:
    """Use chat completions, complete."""
    import openai

    with openai.OpenAI(base_url=url, api_key="x", max_retries=0) as client:
        return chat_loop(client.chat.completions.create, tools)


def openai_chat_streamed(url: str, tools: Tools) -> str:
    """Use chat completions, streamed with the SDK's helper."""
    import openai

    with openai.OpenAI(base_url=url, api_key="x", max_retries=0) as client:

        def complete(**body: Any) -> Any:
            with client.chat.completions.stream(**body) as stream:
                for _ in stream:
                    pass
                return stream.get_final_completion()

        return chat_loop(complete, tools)


def openai_chat_async(url: str, tools: Tools) -> str:
    """Use chat completions with the asynchronous client."""
    import openai

    async def one(body: dict[str, Any]) -> Any:
        async with openai.AsyncOpenAI(base_url=url, api_key="x", max_retries=0) as client:
            return await client.chat.completions.create(**body)

    return chat_loop(lambda **body: asyncio.run(one(body)), tools)


def openai_responses(url: str, tools: Tools) -> str:
    """Use responses, complete."""
    import openai

    with openai.OpenAI(base_url=url, api_key="x", max_retries=0) as client:
        return responses_loop(client.responses.create, tools)


def openai_responses_streamed(url: str, tools: Tools) -> str:
    """Use responses, streamed with the SDK's strict helper."""
    import openai

    with openai.OpenAI(base_url=url, api_key="x", max_retries=0) as client:

        def create(**body: Any) -> Any:
            with client.responses.stream(**body) as stream:
                for _ in stream:
                    pass
                return stream.get_final_response()

        return responses_loop(create, tools)


def openai_responses_async(url: str, tools: Tools) -> str:
    """Use responses with the asynchronous client, streamed: the last event contains the whole
    response.
    """
    import openai

    async def one(body: dict[str, Any]) -> Any:
        async with openai.AsyncOpenAI(base_url=url, api_key="x", max_retries=0) as client:
            stream = await client.responses.create(**body, stream=True)
            events = [event async for event in stream]
            return events[-1].response

    return responses_loop(lambda **body: asyncio.run(one(body)), tools)


def litellm_chat(url: str, tools: Tools, *, stream: bool = False) -> str:
    """Use LiteLLM as a library."""
    import litellm

    def complete(**body: Any) -> Any:
        body |= {"model": f"openai/{MODEL}", "api_base": url, "api_key": "x"}
        if not stream:
            return litellm.completion(**body)
        return litellm.stream_chunk_builder([*litellm.completion(**body, stream=True)])

    return chat_loop(complete, tools)


def litellm_streamed(url: str, tools: Tools) -> str:
    """Use LiteLLM as a library, streamed."""
    return litellm_chat(url, tools, stream=True)


# --- frameworks -----------------------------------------------------------------------------------


def openai_agents(
    url: str, tools: Tools, *, stream: bool = False, turns: int = 10, **settings: Any
) -> str:
    """Use openai-agents with its default, the responses API."""
    import agents
    import openai

    agents.set_tracing_disabled(True)

    async def run() -> str:
        async with openai.AsyncOpenAI(base_url=url, api_key="x", max_retries=0) as client:
            agent = agents.Agent(
                name="agent",
                model=agents.OpenAIResponsesModel(MODEL, client),
                model_settings=agents.ModelSettings(**settings),
                tools=[agents.function_tool(function) for function in tools.functions],
            )
            if not stream:
                return str((await agents.Runner.run(agent, QUESTION, max_turns=turns)).final_output)
            running = agents.Runner.run_streamed(agent, QUESTION)
            async for _ in running.stream_events():
                pass
            return str(running.final_output)

    return asyncio.run(run())


def openai_agents_streamed(url: str, tools: Tools) -> str:
    """Use openai-agents, streamed."""
    return openai_agents(url, tools, stream=True)


def pydantic_ai(url: str, tools: Tools, **settings: Any) -> str:
    """Use an agent of pydantic-ai, complete."""
    return str(_pydantic_ai(url, tools, **settings).run_sync(QUESTION).output)


def pydantic_ai_streamed(url: str, tools: Tools) -> str:
    """Use an agent of pydantic-ai, streamed."""

    async def run() -> str:
        async with _pydantic_ai(url, tools).run_stream(QUESTION) as stream:
            return str(await stream.get_output())

    return asyncio.run(run())


def _pydantic_ai(url: str, tools: Tools, **more: Any) -> Any:
    from pydantic_ai import Agent, ModelRetry
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    tools.error = ModelRetry  # how one says there that a call was wrong
    model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=url, api_key="x"))
    return Agent(model, tools=tools.functions, **more)


def langgraph(url: str, tools: Tools, *, stream: bool = False, **more: Any) -> Any:
    """Use an agent of LangChain, which is a graph of LangGraph."""
    from langchain.agents import create_agent

    agent = create_agent(langchain_model(url), langchain_tools(tools), **more)
    question: Any = {"messages": [{"role": "user", "content": QUESTION}]}
    if not stream:
        state = agent.invoke(question)
        return state["structured_response"] if more else state["messages"][-1].content
    pieces = list[str]()
    for message, _ in agent.stream(question, stream_mode="messages"):
        if message.type == "AIMessageChunk":
            pieces.append(str(message.content))
    return "".join(pieces)


def langgraph_streamed(url: str, tools: Tools) -> str:
    """Use an agent of LangChain, streamed."""
    return str(langgraph(url, tools, stream=True))


def langchain_model(url: str, **more: Any) -> Any:
    """Return LangChain's model."""
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model=MODEL, base_url=url, api_key="x", max_retries=0, **more)


def langchain_tools(tools: Tools) -> list[Any]:
    """Return the tools in LangChain's form, with exceptions returned to the model."""
    from langchain_core.tools import StructuredTool, ToolException

    tools.error = ToolException
    return [
        StructuredTool.from_function(function, parse_docstring=True, handle_tool_error=True)
        for function in tools.functions
    ]


def smolagents(url: str, tools: Tools, *, stream: bool = False, steps: int = 4, **more: Any) -> str:
    """Use an agent of smolagents, which must always call a tool, and ends with a call."""
    from smolagents import OpenAIModel, ToolCallingAgent, tool

    model = OpenAIModel(MODEL, api_base=url, api_key="x", **more)
    agent = ToolCallingAgent(
        [tool(function) for function in tools.functions],
        model,
        max_steps=steps,
        verbosity_level=0,
        max_tool_threads=1,
        stream_outputs=stream,
    )
    return str(agent.run(QUESTION))


def smolagents_streamed(url: str, tools: Tools) -> str:
    """Use an agent of smolagents, streamed."""
    return smolagents(url, tools, stream=True)
