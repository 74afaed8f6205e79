"""Test stock clients with `--calls native`: native and rescued calls (`make test-gateway`)."""

from typing import Any

import pytest

from tests.gateway.native import OSLO, WRITTEN, Raw, Serve, request, stream, whole

pytestmark = [
    pytest.mark.clients,
    pytest.mark.filterwarnings("ignore"),  # of the clients
]
CALL = [("weather", WRITTEN)]
SAID: list[tuple[str, Any, str]] = [("So:", CALL, "So:"), (f"```json\n{OSLO}\n```", (), "")]
EVERY = pytest.mark.parametrize(("text", "calls", "content"), SAID, ids=["native", "rescued"])


@EVERY
def test_openai_reads_chats(serve: Serve, raw: Raw, text: str, calls: Any, content: str) -> None:
    openai = pytest.importorskip("openai", exc_type=ImportError)
    raw.chunks, raw.whole = stream("chat", text, calls), whole("chat", text, calls)
    body: Any = request("chat")
    with openai.OpenAI(base_url=f"{serve().base_url}/v1", api_key="x") as client:
        choices = [client.chat.completions.create(**body).choices[0]]
        with client.chat.completions.stream(**body) as events:
            choices.append(events.get_final_completion().choices[0])

    for choice in choices:
        (call,) = choice.message.tool_calls
        assert (call.function.name, call.function.arguments) == ("weather", WRITTEN)
        assert (choice.message.content or "", choice.finish_reason) == (content, "tool_calls")


@EVERY
def test_openai_reads_responses(
    serve: Serve, raw: Raw, text: str, calls: Any, content: str
) -> None:
    openai = pytest.importorskip("openai", exc_type=ImportError)
    raw.chunks, raw.whole = stream("responses", text, calls), whole("responses", text, calls)
    body: Any = request("responses")
    with openai.OpenAI(base_url=f"{serve().base_url}/v1", api_key="x") as client:
        responses = [client.responses.create(**body)]
        with client.responses.stream(**body) as events:
            kinds = [event.type for event in events]
            responses.append(events.get_final_response())

    assert "response.function_call_arguments.done" in kinds
    for response in responses:
        assert response.output_text == content
        call = response.output[-1]
        assert (call.type, call.name, call.arguments) == ("function_call", "weather", WRITTEN)


@EVERY
def test_anthropic_reads_messages(
    serve: Serve, raw: Raw, text: str, calls: Any, content: str
) -> None:
    anthropic = pytest.importorskip("anthropic", exc_type=ImportError)
    raw.chunks, raw.whole = stream("messages", text, calls), whole("messages", text, calls)
    body: Any = request("messages")
    with anthropic.Anthropic(base_url=str(serve().base_url), api_key="x") as client:
        messages = [client.messages.create(**body)]
        with client.messages.stream(**body) as events:
            messages.append(events.get_final_message())

    for message in messages:
        *blocks, use = message.content
        assert "".join(block.text for block in blocks) == content
        assert (use.name, use.input, message.stop_reason) == (
            "weather",
            {"city": "Oslo"},
            "tool_use",
        )


@EVERY
@pytest.mark.parametrize("server", ["responses", "messages"])
def test_openai_reads_chats_of_servers_of_other_apis(
    serve: Serve, raw: Raw, text: str, calls: Any, content: str, server: str
) -> None:
    openai = pytest.importorskip("openai", exc_type=ImportError)
    raw.chunks = stream(server, text, calls)
    body: Any = request("chat")
    url = f"{serve(upstream_api=server).base_url}/v1"
    with (
        openai.OpenAI(base_url=url, api_key="x") as client,
        client.chat.completions.stream(**body) as events,
    ):
        choice = events.get_final_completion().choices[0]

    (call,) = choice.message.tool_calls
    assert (call.function.name, call.function.arguments) == ("weather", WRITTEN)
    assert (choice.message.content or "", choice.finish_reason) == (content, "tool_calls")


@EVERY
@pytest.mark.parametrize("server", ["chat", "messages"])
def test_openai_reads_responses_of_servers_of_other_apis(
    serve: Serve, raw: Raw, text: str, calls: Any, content: str, server: str
) -> None:
    openai = pytest.importorskip("openai", exc_type=ImportError)
    raw.chunks = stream(server, text, calls)
    body: Any = request("responses")
    url = f"{serve(upstream_api=server).base_url}/v1"
    with (
        openai.OpenAI(base_url=url, api_key="x") as client,
        client.responses.stream(**body) as events,
    ):
        response = events.get_final_response()

    assert response.output_text == content
    call = response.output[-1]
    assert (call.type, call.name, call.arguments) == ("function_call", "weather", WRITTEN)
