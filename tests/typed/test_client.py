"""Test that the answers of a wrapped client are instances of classes."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import pytest

import lton
from lton.errors import ConversionError, DecodeError, EncodeError, IncompleteError
from lton.typed import AsyncTypedClient, Partial, TypedClient
from lton.typed.open_json import read_open_object
from tests.typed.scripted import (
    Anthropic,
    Block,
    OpenAI,
    chat_chunks,
    completion,
    message,
    message_events,
    use,
)

OSLO = '{"city": "Oslo", "days": 2}'
BAD = '{"city": "Oslo", "days": "many"}'
ASKED = [{"role": "user", "content": "What is the weather in the capital of Norway?"}]


@dataclass
class Weather:
    """Get the weather of a city."""

    city: str
    days: int = 1


@dataclass
class Trip:
    """Plan a trip."""

    stops: list[Weather]


def _openai(*answers: Any, is_async: bool = False) -> tuple[Any, Any]:
    fake = OpenAI(*answers, is_async=is_async)
    return lton.openai(fake, model="m"), fake.script


def _anthropic(*answers: Any, is_async: bool = False) -> tuple[Any, Any]:
    fake = Anthropic(*answers, is_async=is_async)
    return lton.anthropic(fake, model="m"), fake.script


def test_a_call_is_an_instance() -> None:
    """The class is offered as the only tool, and its call becomes an instance."""
    client, script = _openai(completion(None, ("Weather", OSLO)))

    assert client.create(Weather, messages=ASKED, temperature=0) == Weather("Oslo", 2)

    [request] = script.requests
    [tool] = request.pop("tools")
    assert tool["function"]["parameters"]["required"] == ["city"]
    choice = {"type": "function", "function": {"name": "Weather"}}
    assert request == {
        "model": "m", "messages": ASKED, "temperature": 0, "tool_choice": choice,
    }  # fmt: skip
    assert client.models == "models"


def test_a_message_is_an_instance() -> None:
    """The same for Anthropic's API."""
    client, script = _anthropic(message(use("Weather", OSLO)))

    assert client.create(Weather, messages=ASKED, max_tokens=99) == Weather("Oslo", 2)

    [request] = script.requests
    assert request["tool_choice"] == {"type": "tool", "name": "Weather"}
    assert request["tools"][0]["input_schema"]["required"] == ["city"]


def test_unions_and_lists() -> None:
    """A union offers several tools, and a list takes any number of calls."""
    trip = '{"stops": [{"city": "Rome"}]}'
    client, script = _openai(
        completion(None, ("Trip", trip)), completion(None, ("Weather", OSLO), ("Trip", trip))
    )

    assert client.create(Weather | Trip, messages=ASKED) == Trip([Weather("Rome")])
    instances = client.create(list[Weather | Trip], messages=ASKED)
    assert instances == [Weather("Oslo", 2), Trip([Weather("Rome")])]
    assert [request["tool_choice"] for request in script.requests] == ["required", "required"]

    client, script = _anthropic(message(use("Trip", trip)))
    assert client.create(Weather | Trip, messages=ASKED) == Trip([Weather("Rome")])
    assert script.requests[0]["tool_choice"] == {"type": "any"}


def test_the_model_is_told_its_error() -> None:
    """The next request has the answer, and the error as the result of each of its calls."""
    client, script = _openai(
        completion(None, ("Weather", BAD)), completion(None, ("Weather", OSLO))
    )

    assert client.create(Weather, messages=ASKED) == Weather("Oslo", 2)

    question, answer, result = script.requests[1]["messages"]
    assert (question, answer["tool_calls"][0]["id"]) == (ASKED[0], "c0")
    assert (result["role"], result["tool_call_id"]) == ("tool", "c0")
    assert "expected an integer" in result["content"]
    assert "'many'" in result["content"]

    client, script = _anthropic(message(use("Weather", BAD)), message(use("Weather", OSLO)))
    assert client.create(Weather, messages=ASKED) == Weather("Oslo", 2)
    [block] = script.requests[1]["messages"][-1]["content"]
    assert (block["type"], block["tool_use_id"], block["is_error"]) == ("tool_result", "t0", True)


def test_words_are_answered_with_an_error() -> None:
    """An answer without a call gets a message of the user."""
    client, script = _openai(completion("It rains."), completion(None, ("Weather", OSLO)))

    assert client.create(Weather, messages=ASKED) == Weather("Oslo", 2)
    assert [message["role"] for message in script.requests[1]["messages"]] == [
        "user",
        "assistant",
        "user",
    ]
    assert "found none" in script.requests[1]["messages"][2]["content"]

    text = Block(type="text", text="It rains.")
    client, script = _anthropic(message(text), message(use("Weather", OSLO)))
    assert client.create(Weather, messages=ASKED) == Weather("Oslo", 2)
    assert "found none" in script.requests[1]["messages"][2]["content"]


def test_calls_in_text_are_read() -> None:
    """A call that a local server left in the text of the answer is read."""
    client, _ = _openai(completion('Weather(city="Oslo", days=2)'))

    assert client.create(Weather, messages=ASKED) == Weather("Oslo", 2)


def test_doubtful_calls_are_not_instances() -> None:
    """A call between prose is uncertain, and the error says why."""
    client, _ = _openai(completion('For example, `Weather(city="Oslo")` would do.'))

    with pytest.raises(DecodeError, match="expected a call, found") as caught:
        client.create(Weather, messages=ASKED, max_retries=0)
    assert caught.value.code == "E101"


def test_the_last_error_is_raised() -> None:
    """After `max_retries` errors the error is raised."""
    client, script = _openai(*[completion(None, ("Weather", BAD))] * 3)

    with pytest.raises(EncodeError) as caught:
        client.create(Weather, messages=ASKED)
    assert (caught.value.code, len(script.requests)) == ("E203", 3)


def test_two_calls_are_too_many_for_one_instance() -> None:
    """A class wants one call."""
    client, _ = _openai(completion(None, ("Weather", OSLO), ("Weather", OSLO)))

    with pytest.raises(DecodeError, match="expected one call, found 2"):
        client.create(Weather, messages=ASKED, max_retries=0)


def test_a_cut_answer_is_incomplete() -> None:
    """An answer that a limit ended is not asked again, because it would be cut again."""
    cut = completion(None, ("Weather", '{"city": "Os'), reason="length")
    client, script = _openai(cut)

    with pytest.raises(IncompleteError) as caught:
        client.create(Weather, messages=ASKED)
    assert (caught.value.code, len(script.requests)) == ("E110", 1)

    client, _ = _anthropic(message(use("Weather", "{}"), reason="max_tokens"))
    with pytest.raises(IncompleteError):
        client.create(Weather, messages=ASKED)


PIECES = [
    (0, "Weather", ""),
    (0, "", '{"city": "Os'),
    (0, "", 'lo", "days": 2}'),
    (1, "Trip", '{"stops": ['),
    (1, "", "]}"),
]
PARTIALS = [
    Partial("Weather", {"city": "Os"}),
    Partial("Weather", {"city": "Oslo", "days": 2}),
    Partial("Weather", {"city": "Oslo", "days": 2}, Weather("Oslo", 2)),
    Partial("Trip", {"stops": []}),
    Partial("Trip", {"stops": []}),
    Partial("Trip", {"stops": []}, Trip([])),
]


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_streams(name: str) -> None:
    """A stream yields the arguments as they arrive, and an instance at the end of each call."""
    wrap = {"openai": _openai, "anthropic": _anthropic}[name]
    chunks = {"openai": chat_chunks, "anthropic": message_events}[name](*PIECES)
    client, script = wrap(chunks, chunks)

    assert [*client.stream_partial(Weather | Trip, messages=ASKED)] == PARTIALS
    assert [*client.stream(Weather | Trip, messages=ASKED)] == [Weather("Oslo", 2), Trip([])]
    assert script.requests[0]["stream"] is True


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_streams_of_text(name: str) -> None:
    """A call in streamed text is read at its end."""
    wrap = {"openai": _openai, "anthropic": _anthropic}[name]
    pieces = [(None, "", "Weather("), (None, "", 'city="Oslo")')]
    chunks = {"openai": chat_chunks, "anthropic": message_events}[name](*pieces)
    client, _ = wrap(chunks)

    assert [*client.stream(Weather, messages=ASKED)] == [Weather("Oslo")]


def test_a_cut_stream_is_an_error() -> None:
    """A stream that ends within a call raises an error after its partial arguments."""
    client, _ = _openai(chat_chunks((0, "Weather", '{"city": "Os')))
    partials = client.stream_partial(Weather, messages=ASKED)

    assert next(partials) == Partial("Weather", {"city": "Os"})
    with pytest.raises(ConversionError):
        next(partials)


def test_asynchronous_clients() -> None:
    """An asynchronous client is recognized, and does the same."""
    chunks = chat_chunks(*PIECES)
    client, script = _openai(
        completion(None, ("Weather", BAD)),
        completion(None, ("Weather", OSLO)),
        chunks,
        is_async=True,
    )

    async def ask() -> tuple[Weather, list[Any]]:
        instance = await client.create(Weather, messages=ASKED)
        return instance, [value async for value in client.stream(Weather | Trip, messages=ASKED)]

    assert isinstance(client, AsyncTypedClient)
    assert isinstance(_openai()[0], TypedClient)
    assert asyncio.run(ask()) == (Weather("Oslo", 2), [Weather("Oslo", 2), Trip([])])
    assert len(script.requests) == 3


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("", {}),
        ("{", {}),
        ('{"a', {}),
        ('{"a"', {}),
        ('{"a":', {}),
        ('{"a": tr', {}),
        ('{"a": 1', {}),
        ('{"a": 1,', {"a": 1}),
        ('{"a": "x', {"a": "x"}),
        ('{"a": "x\\', {"a": "x"}),
        ('{"a": "x\\\\', {"a": "x\\"}),
        ('{"a": "\\u00e', {"a": ""}),
        ('{"a": "\\u00e9', {"a": "é"}),
        ('{"a": "}{,', {"a": "}{,"}),
        ('{"a": [1, 2', {"a": [1]}),
        ('{"a": [{"b": 1}, {"c": "', {"a": [{"b": 1}, {"c": ""}]}),
        ('{"a": {"b": 1}', {"a": {"b": 1}}),
        ('{"a": 1}', {"a": 1}),
        ("[1", {}),
        ("}", {}),
        ("nonsense", {}),
    ],
)
def test_open_objects(text: str, members: object) -> None:
    """The members that have arrived are read, and no member is invented."""
    assert read_open_object(text) == members


def test_every_beginning_of_an_object_is_read() -> None:
    """Each prefix gives a part of the value."""
    value = {"a": ['x"y\\', {"b": "é\n"}], "c": "d", "e": {"f": ["g"]}}
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only)
        for end in range(len(text)):
            assert _is_part(read_open_object(text[:end]), value), text[:end]
        assert read_open_object(text) == value


def _is_part(part: Any, whole: Any) -> bool:
    match part:
        case dict():
            return all(key in whole and _is_part(part[key], whole[key]) for key in part)
        case list():
            return all(_is_part(*pair) for pair in zip(part, whole, strict=False))
    return bool(whole.startswith(part))


FOLLOW_UP = {"role": "user", "content": "And for three days?"}


def test_an_instance_is_an_earlier_answer() -> None:
    """An instance in the messages becomes its call and a result, as each API writes them."""
    client, script = _openai(completion(None, ("Weather", OSLO)))
    messages = [*ASKED, Weather("Oslo", 2), FOLLOW_UP]
    assert client.create(Weather, messages=messages) == Weather("Oslo", 2)
    question, answer, result, follow_up = script.requests[0]["messages"]
    [call] = answer["tool_calls"]
    assert call["function"] == {"name": "Weather", "arguments": '{"city":"Oslo","days":2}'}
    assert (result["tool_call_id"], result["content"]) == (call["id"], "accepted")
    assert (question, follow_up) == (ASKED[0], FOLLOW_UP)

    client, script = _anthropic(message(use("Weather", OSLO)))
    assert client.create(Weather, messages=messages) == Weather("Oslo", 2)
    _, answer, result, _ = script.requests[0]["messages"]
    [block] = answer["content"]
    assert (block["type"], block["input"]) == ("tool_use", {"city": "Oslo", "days": 2})
    assert result["content"][0]["tool_use_id"] == block["id"]
