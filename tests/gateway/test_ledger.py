"""Test that the requests of clients of every API are counted part by part."""

import re
from typing import Any

import pytest

from lton._json import minified
from lton.apis.api import Api
from lton.apis.chat_api import read_chat
from lton.apis.client_requests import Definition, TranslatedRequest
from lton.apis.conversations import KnownConversations
from lton.apis.prompt_parts import iterate_prompt_parts
from lton.apis.registry import APIS
from lton.gateway.exchange import Exchange
from lton.gateway.ledger import RequestLedger
from lton.gateway.metrics import Metrics
from lton.gateway.native.native_requests import NativeOptions, read_native
from lton.gateway.native.passthrough import NativeExchange
from lton.gateway.upstreams.server_kinds import UPSTREAM_KINDS

CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
NAMES = ("weather", "stop")
CALLS = [
    {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
    for name in NAMES
]
CONVERSATION = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Is it cold in Oslo?"},
    {"role": "assistant", "content": "Let me look.", "tool_calls": CALLS[:1]},
    {"role": "tool", "tool_call_id": "weather", "content": "-3"},
    {"role": "assistant", "content": None, "tool_calls": CALLS[1:]},
    {"role": "tool", "tool_call_id": "stop", "content": "done"},
]
TOOLS = [{"type": "function", "function": {"name": name, "parameters": CITY}} for name in NAMES]
EACH_API = pytest.mark.parametrize("api", APIS.values(), ids=[*APIS])


def request_in(api: Api) -> dict[str, Any]:
    """Return a request with a system prompt, two tools, two calls and their results."""
    request = read_chat({"model": "m", "messages": CONVERSATION, "tools": TOOLS})
    tools = tuple(
        Definition(name=name, description="d", parameters=CITY, strict=None) for name in NAMES
    )
    body = api.write_request(TranslatedRequest(request=request, tools=tools))
    return {"model": "m", **body, "stream": False}


@EACH_API
def test_a_request_has_the_same_parts_in_every_api(api: Api) -> None:
    """Definitions, the system prompt, messages, calls and results are parts of their own."""
    parts = [*iterate_prompt_parts(request_in(api), api)]
    definitions = [(part.role, part.tool) for part in parts if part.role == "tools"]
    assert definitions == [("tools", "weather"), ("tools", "stop")]
    assert parts[2].role == "system"
    assert "Be brief." in parts[2].text
    texts = [part for part in parts[3:] if "Is it cold" in part.text or "Let me look" in part.text]
    assert [part.role for part in texts] == ["user", "assistant"]
    tools = [part.tool for part in parts[3:] if part.tool]
    assert tools == ["weather", "weather", "stop", "stop"]


def ledger() -> RequestLedger:
    """Return a ledger in which every character is a token."""
    return RequestLedger(Metrics(), len)


@EACH_API
def test_the_bill_of_a_request_has_its_messages(api: Api) -> None:
    """Each member of a request is counted once: as parts, or as an option."""
    body = request_in(api)
    native = read_native(body, minified(body).encode(), api, NativeOptions())
    billed = ledger()
    billed.record_native(NativeExchange(native))
    entry = billed.history.find_request_with_number(1)
    assert entry is not None
    text_of_parts = "".join(part["asked"] for part in entry["parts"])
    assert all(text in text_of_parts for text in ("Be brief.", "Is it cold", "-3", "done"))
    assert {"weather", "stop"} <= billed.history.summarize_bills()["tools"].keys()
    whole = len(minified(body))
    line = 'lton_tokens_total{kind="request",notation="json"} '
    (tokens,) = re.findall(
        f"^{re.escape(line)}(.+)$", billed.metrics.write_exposition().decode(), re.M
    )
    assert 0.8 * whole < float(tokens) <= whole


@EACH_API
def test_calls_of_lton_are_billed_in_every_api(api: Api) -> None:
    """The bill compares the client's request with the prompt in LTON."""
    request = api.read_request(request_in(api))
    assert request.api == api.name
    billed = ledger()
    billed.record_exchange(Exchange(request, api.make_writer(request), UPSTREAM_KINDS["vllm"]))
    entry = billed.history.find_request_with_number(1)
    assert entry is not None
    assert any("Is it cold" in (part["asked"] or "") for part in entry["parts"])


def calls_after(question: str, api: Api, answer: str) -> int:
    """Return how many calls are read from an answer to a question."""
    messages = read_chat({"messages": [{"role": "user", "content": question}]}).messages
    body = {**request_in(api), api.conversation_key: api.write_messages(messages)}
    request = api.read_request(body)
    exchange = Exchange(request, api.make_writer(request), UPSTREAM_KINDS["plain"])
    exchange.try_take_next_request()
    reader = exchange.choices[0].reader
    reader.feed(answer)
    reader.close()
    return len(reader.reply.calls)


@EACH_API
def test_messages_of_users_are_echoes_in_every_api(api: Api) -> None:
    """A call that a user's message contains word for word is not a call of the model."""
    call_text = '{"name": "weather", "arguments": {"city": "Oslo"}}'
    assert calls_after("Is it cold in Oslo?", api, call_text) == 1
    assert calls_after(f"What is {call_text}?", api, call_text) == 0


@EACH_API
def test_known_messages_are_found_in_every_api(api: Api) -> None:
    """The work on earlier messages is cached under the API's own key."""
    messages = api.write_messages(read_chat({"messages": CONVERSATION[1:]}).messages) * 5
    body = {api.conversation_key: messages}
    conversations = KnownConversations()
    first = conversations.with_known_messages(body, api.conversation_key)[api.conversation_key]
    assert first is not messages
    again = conversations.with_known_messages({**body}, api.conversation_key)[api.conversation_key]
    assert again[0] is first[0]
