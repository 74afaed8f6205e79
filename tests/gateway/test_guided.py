"""Test the answers and refusals of a model in the gateway's process."""

from dataclasses import replace
from typing import Any

import pytest

from lton import Call
from lton.apis.answer_notes import AssistantMessage
from lton.apis.chat_api import read_chat
from lton.apis.chat_writer import ChatWriter
from lton.apis.messages_writer import MessagesWriter
from lton.apis.refusals import RefusedError
from lton.apis.responses_writer import ResponsesWriter
from lton.chat import ContentDelta, Finish, ToolCallEnd, ToolCallStart
from lton.chat.repeats import AGAIN, REPEATED
from lton.cli import main
from lton.engines import Generation
from lton.engines.generation import Spent
from lton.engines.server import ServerEngine
from lton.engines.sglang import SglangEngine
from lton.engines.vllm import VllmEngine
from lton.events import Argument, CallEnd, CallStart, Prose
from lton.gateway.upstreams.guided import GuidedExchange, HeldDeltas, limit_to_one_call
from lton.gateway.upstreams.local import ServerSlot
from tests.gateway.conftest import CITY, chat

OSLO = [
    CallStart("weather"),
    Argument("city", "Oslo"),
    Argument("days", 3),
    CallEnd(Call("weather", {"city": "Oslo", "days": 3})),
]
STOP = [CallStart("stop"), CallEnd(Call("stop", {}))]
USAGE = {"prompt_tokens": 7, "cached_tokens": 5, "completion_tokens": 3}


def ended(*, sampled: int = 3, exhausted: bool = False, why: str = "") -> Generation:
    return Generation(
        calls=[], text="…", spent=Spent(sampled=sampled), exhausted=exhausted, why=why
    )


def summarize_deltas(*events: Any) -> tuple[list[tuple[str, str]], str, int]:
    """Return the calls, the finish reason, and the number of calls that were begun."""
    speaker = HeldDeltas()
    deltas = [delta for event in events for delta in speaker.feed(event)]
    whole = AssistantMessage.from_deltas(deltas)
    starts = [delta for delta in deltas if isinstance(delta, ToolCallStart)]
    assert [delta.index for delta in starts] == [*range(len(starts))]
    return [(call.name, call.written) for call in whole.calls], whole.reason, len(starts)


def test_calls_are_json() -> None:
    both = [("weather", '{"city":"Oslo","days":3}'), ("stop", "{}")]
    assert summarize_deltas(*OSLO, *STOP, ended()) == (both, "tool_calls", 2)


def test_a_call_is_given_when_nothing_can_take_it_back() -> None:
    speaker = HeldDeltas()
    kinds = [[type(delta) for delta in speaker.feed(event)] for event in (*OSLO, ended())]
    assert [len(kind) for kind in kinds] == [0, 0, 0, 0, 4]
    assert kinds[-1][-2:] == [ToolCallEnd, Finish]


def test_a_call_that_was_made_twice_is_given_once() -> None:
    speaker = HeldDeltas()
    events = [*OSLO, *OSLO[:-1], ended(exhausted=True, why=AGAIN)]
    whole = AssistantMessage.from_deltas(delta for event in events for delta in speaker.feed(event))
    assert ([call.name for call in whole.calls], whole.reason) == (["weather"], "tool_calls")
    (note,) = whole.notes
    assert (note["code"], note["arguments"]) == ("repeated_call", whole.calls[0].written)


def test_a_call_that_was_given_up_for_another_tool_is_not_given() -> None:
    assert summarize_deltas(*OSLO[:2], *STOP, ended()) == ([("stop", "{}")], "tool_calls", 1)


def test_an_answer_whose_only_call_has_no_end_is_an_error_that_says_so() -> None:
    one = exchange()
    why = f"{REPEATED} before a call was complete"
    one.try_take_next_request()
    for event in (*OSLO[:2], ended(exhausted=True, why=why)):
        one.receive_event({"event": event, "usage": USAGE})
    with pytest.raises(RefusedError) as caught:
        one.build_response()
    assert caught.value.code == "empty_answer"
    (note,) = AssistantMessage.from_deltas(one.choices[0].deltas).notes
    assert REPEATED in note["error"]
    assert note["arguments"] == '{"city":"Oslo"'


@pytest.mark.parametrize("parallel", [None, False, True])
def test_several_calls_are_what_a_client_asks_for(parallel: bool | None) -> None:
    client_request = read_chat(chat(parallel_tool_calls=parallel))
    assert limit_to_one_call(client_request).parallel is (parallel is True)


@pytest.mark.parametrize(
    ("events", "whole", "started_calls"),
    [
        (OSLO[:2], [], 0),
        (OSLO, [], 0),  # an argument more may have been to come
        ([*OSLO, *STOP[:1]], ["weather"], 1),
        ([*OSLO, *STOP], ["weather"], 1),
        ([], [], 0),
    ],
)
def test_a_call_that_the_limit_cut_is_never_whole(
    events: list[Any], whole: list[str], started_calls: int
) -> None:
    calls, reason, started = summarize_deltas(*events, ended(sampled=9, exhausted=True))
    assert ([name for name, _ in calls], reason, started) == (whole, "length", started_calls)


def exchange(**more: Any) -> GuidedExchange:
    client_request = read_chat(chat(**more))
    return GuidedExchange(client_request, ChatWriter(client_request.model))


def answer_with(one: GuidedExchange, *events: Any) -> dict[str, Any]:
    assert one.try_take_next_request() is not None
    for event in events:
        one.receive_event({"event": event, "usage": USAGE})
        if one.is_done:
            break
    assert one.try_take_next_request() is None
    return one.build_response()


def test_an_answer_has_the_tokens_that_were_read_before() -> None:
    one = exchange()
    reply = answer_with(one, *OSLO, ended())
    assert reply["choices"][0]["finish_reason"] == "tool_calls"
    assert reply["usage"] == {
        "prompt_tokens": 7,
        "completion_tokens": 3,
        "total_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": 5},
    }
    assert one.choices[0].text == "…"


@pytest.mark.parametrize("writer", [ChatWriter, ResponsesWriter, MessagesWriter])
def test_an_answer_says_how_sure_the_model_was(writer: Any) -> None:
    client_request = read_chat(chat())
    one = GuidedExchange(client_request, writer(client_request.model), least_confidence=0.5)
    request = one.try_take_next_request()
    assert request is not None
    assert request["least_confidence"] == 0.5
    for event in (*OSLO, replace(ended(), confidence=0.8125)):
        output = one.receive_event({"event": event, "usage": USAGE})
    assert output == b""
    reply = one.build_response()
    answer = reply["choices"][0] if writer is ChatWriter else reply
    assert answer["lton"] == {"confidence": 0.812}


def test_a_stream_says_how_sure_the_model_was() -> None:
    one = exchange(stream=True)
    one.try_take_next_request()
    events = (*OSLO, replace(ended(), confidence=0.5))
    output = b"".join(one.receive_event({"event": event, "usage": USAGE}) for event in events)
    assert output.count(b'"lton":{"confidence":0.5}') == 1


def test_stops_end_prose() -> None:
    reply = answer_with(
        exchange(stop="Obs:"), Prose("I see. O"), Prose("bs: x"), Prose("y"), ended()
    )
    (choice,) = reply["choices"]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("I see. ", "stop")


def test_an_answer_in_json_is_content() -> None:
    schema = {"type": "json_schema", "json_schema": {"name": "a", "schema": CITY}}
    for tools in ({}, {"tools": None}):
        one = exchange(response_format=schema, **tools)
        answer = one.request.answer
        events = [CallStart(answer), Argument("city", "Oslo"), CallEnd(Call(answer, {}))]
        (choice,) = answer_with(one, *events, ended())["choices"]
        assert choice["message"] == {"role": "assistant", "content": '{"city":"Oslo"}'}
        assert choice["finish_reason"] == "stop"


def test_what_is_asked_is_what_generation_takes() -> None:
    allowed = {"mode": "required", "tools": [{"type": "function", "function": {"name": "stop"}}]}
    choice = {"type": "allowed_tools", "allowed_tools": allowed}
    one = exchange(tool_choice=choice, max_tokens=5, temperature=0.5, seed=3)
    body = one.try_take_next_request()
    assert body is not None
    names = ("tool_choice", "parallel", "max_tokens", "temperature", "seed")
    assert [body[name] for name in names] == ["required", True, 5, 0.5, 3]
    assert [tool.name for tool in body["tools"]] == ["stop"]
    assert body["show"](body["tools"]).startswith("weather")
    assert body["show"](body["tools"]) in one.prompt[0][1]


@pytest.mark.parametrize(
    ("param", "value"),
    [("n", 2), ("top_p", 0.5), ("logprobs", True), ("temperature", "hot"), ("seed", 0.5)],
)
def test_what_is_not_done_is_refused_by_its_name(param: str, value: Any) -> None:
    with pytest.raises(RefusedError) as caught:
        exchange(**{param: value})
    assert (caught.value.status, caught.value.param) == (400, param)
    assert exchange(top_p=1.0, logprobs=False, presence_penalty=0).try_take_next_request()


@pytest.mark.parametrize(
    ("seed", "bits"), [(None, None), (0, 0), (2**31, 2**31), (-1, 2**32 - 1), (2**40 + 3, 3)]
)
def test_any_integer_is_a_seed(seed: int | None, bits: int | None) -> None:
    body = exchange(seed=seed).try_take_next_request()
    assert body is not None
    assert body["seed"] == bits


def test_content_is_streamed() -> None:
    one = exchange(stream=True)
    one.try_take_next_request()
    output = one.receive_event({"event": Prose("Hi"), "usage": USAGE})
    assert b'"content":"Hi"' in output
    assert [*one.choices[0].deltas] == [ContentDelta("Hi")]


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--model", "a.gguf", "--upstream", "http://x"],
        ["--model", "a.gguf", "--set", "dry-run=true"],
    ],
)
def test_there_is_one_to_ask(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", *options]) == 2
    assert "upstream" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--set", "slots=0", "slots: expected a number from 1 to"),
        ("--set", "least-confidence=nan", "least-confidence: expected a number from 0 to 1"),
    ],
)
def test_what_is_out_of_range_is_refused(
    option: str, value: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--model", "a.gguf", option, value]) == 2
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "engine"),
    [("llama.cpp", ServerEngine), ("vllm", VllmEngine), ("sglang", SglangEngine)],
)
def test_a_slot_has_the_engine_of_the_server(name: str, engine: type[ServerEngine]) -> None:
    """The engine is made once, and gets the seed of each answer."""
    slot = ServerSlot("http://127.0.0.1:1", 0, None, engine=lambda: name)
    sampler = slot(temperature=0.5, seed=1)
    assert type(sampler) is engine
    assert slot(temperature=0.0, seed=2) is sampler
    assert sampler.temperature == 0
    slot.close()
