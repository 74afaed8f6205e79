"""Test that a model on a local server leaves a loop of equal calls with equal results."""

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

import pytest

from lton import ToolSet
from lton.apis import registry
from lton.chat import ToolCall
from lton.gateway.native.repeated_turns import (
    COPIES,
    MOST_IGNORED,
    NOTE,
    CalledTurn,
    Loop,
    LoopCheck,
    find_imitated_turn,
    find_loop,
    with_repeated_turns_noted,
)
from lton.gateway.native.result_forms import read_arguments
from lton.gateway.serving import LocalApi
from tests.gateway.native import APIS, OSLO, WRITTEN, Raw, Serve, post, request
from tests.gateway.test_inquiries import BETWEEN, STREAMED, answer_in_turn, found_in, notes_of

REGISTERED = {str(name): api for name, api in registry.APIS.items()}
WORDS = "It is cold there."
MOST_EQUAL = COPIES + MOST_IGNORED
"""The equal calls that a model makes in a row."""
CALL = ("", [("weather", WRITTEN)])
MADE: Any = [("weather", {"city": "Oslo"})]
ANSWERS = [CALL, (OSLO, []), ("I look again.", CALL[1])]
"""The next call of the loop: native, as text, and after words."""
MadeTurn: TypeAlias = tuple[Sequence[tuple[str, Any]], Sequence[str]]
"""The calls of one answer, and their results."""


def called(city: str, *results: str) -> MadeTurn:
    """Return a turn with equal calls for a city, one for each result."""
    return [("weather", {"city": city})] * len(results), results


def messages_of(api: str, turns: Sequence[MadeTurn]) -> list[Any]:
    """Return the messages of some turns, as a client of an API sends them."""
    messages = list[Any]()
    if api == "gemini":  # its calls need no ids
        for calls, results in turns:
            parts = [{"functionCall": {"name": name, "args": args}} for name, args in calls]
            answers = [
                {"functionResponse": {"name": name, "response": {"output": result}}}
                for (name, _), result in zip(calls, results, strict=True)
            ]
            messages += [{"role": "model", "parts": parts}, {"role": "user", "parts": answers}]
        return messages
    for number, (calls, results) in enumerate(turns):
        ids = [f"call_{number}_{index}" for index in range(len(calls))]
        turn_calls = [
            (id_, name, json.dumps(arguments))
            for id_, (name, arguments) in zip(ids, calls, strict=True)
        ]
        if api == "chat":
            tool_calls = [
                {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}
                for id_, name, arguments in turn_calls
            ]
            messages.append({"role": "assistant", "content": None, "tool_calls": tool_calls})
            messages += [
                {"role": "tool", "tool_call_id": id_, "content": result}
                for id_, result in zip(ids, results, strict=True)
            ]
        elif api == "responses":
            messages += [
                {"type": "function_call", "call_id": id_, "name": name, "arguments": arguments}
                for id_, name, arguments in turn_calls
            ]
            messages += [
                {"type": "function_call_output", "call_id": id_, "output": result}
                for id_, result in zip(ids, results, strict=True)
            ]
        else:
            uses = [
                {"type": "tool_use", "id": id_, "name": name, "input": json.loads(arguments)}
                for id_, name, arguments in turn_calls
            ]
            messages.append({"role": "assistant", "content": uses})
            blocks = [
                {"type": "tool_result", "tool_use_id": id_, "content": result}
                for id_, result in zip(ids, results, strict=True)
            ]
            messages.append({"role": "user", "content": blocks})
    return messages


def body_of(api: str, turns: Sequence[MadeTurn], **more: Any) -> dict[str, Any]:
    body = {"contents": [QUESTION]} if api == "gemini" else request(api, **more)
    key = REGISTERED[api].conversation_key
    return {**body, key: [*body[key], *messages_of(api, turns)]}


QUESTION = {"role": "user", "parts": [{"text": "Is it cold?"}]}
IN_BODIES = pytest.mark.parametrize("api", REGISTERED)
OSLO_TURN = called("Oslo", "4 degrees")
WARM = called("Oslo", "5 degrees")
BERGEN_TURN = called("Bergen", "7 degrees")


def ask(serve: Serve, client: str, server: str, turns: Sequence[MadeTurn], **more: Any) -> Any:
    """Send a conversation to a gateway before a local server."""
    gateway = serve(upstream_api=server, retry=1)
    return post(gateway, client, body_of(client, turns, **more))


@BETWEEN
@STREAMED
@pytest.mark.parametrize("answer", ANSWERS)
def test_a_model_that_ignores_the_notes_answers_in_words(
    serve: Serve, raw: Raw, client: str, server: str, streamed: bool, answer: Any
) -> None:
    """The repeated call is not made, and a note says so."""
    answer_in_turn(raw, server, answer, (WORDS, []))
    reply = ask(serve, client, server, [OSLO_TURN] * MOST_EQUAL, stream=streamed)

    assert found_in(client, reply, streamed=streamed) == (WORDS, [])
    (note,) = notes_of(reply, streamed=streamed)
    assert (note["code"], note["name"]) == ("looping_call", "weather")
    first, second = map(json.loads, raw.bodies)
    assert first["tools"]
    assert not second.get("tools")
    assert second[REGISTERED[server].conversation_key] == first[REGISTERED[server].conversation_key]


@BETWEEN
@STREAMED
@pytest.mark.parametrize("city", ["Bergen", "Oslo"])
def test_other_calls_are_made(
    serve: Serve, raw: Raw, client: str, server: str, streamed: bool, city: str
) -> None:
    """After a changed result, the same call is another call, too."""
    call = ("", [("weather", json.dumps({"city": city}))])
    answer_in_turn(raw, server, call)
    last = [] if city == "Bergen" else [WARM]
    reply = ask(serve, client, server, [OSLO_TURN] * MOST_EQUAL + last, stream=streamed)

    assert found_in(client, reply, streamed=streamed) == ("", [("weather", {"city": city})])
    assert len(raw.bodies) == 1


@BETWEEN
@STREAMED
def test_words_of_a_model_in_a_loop_are_passed_on(
    serve: Serve, raw: Raw, client: str, server: str, streamed: bool
) -> None:
    """The model may end the loop itself."""
    answer_in_turn(raw, server, (WORDS, []))
    reply = ask(serve, client, server, [OSLO_TURN] * MOST_EQUAL, stream=streamed)

    assert found_in(client, reply, streamed=streamed) == (WORDS, [])
    assert len(raw.bodies) == 1


@BETWEEN
@STREAMED
def test_without_words_the_call_is_made(
    serve: Serve, raw: Raw, client: str, server: str, streamed: bool
) -> None:
    """If the model says nothing without tools, the client gets the call, and no error."""
    answer_in_turn(raw, server, CALL, ("", []))
    reply = ask(serve, client, server, [OSLO_TURN] * MOST_EQUAL, stream=streamed)

    assert found_in(client, reply, streamed=streamed) == ("", MADE)
    assert len(raw.bodies) == 2


@pytest.mark.parametrize(
    "more", [{"tool_choice": "required"}, {"repeat_tool_calls": True}, {"n": 2}]
)
def test_a_call_that_is_meant_is_made(serve: Serve, raw: Raw, more: Any) -> None:
    """A required call, and a client that allows repeated calls, are respected."""
    answer_in_turn(raw, "chat", CALL)
    reply = ask(serve, "chat", "chat", [OSLO_TURN] * MOST_EQUAL, **more)

    assert found_in("chat", reply, streamed=False) == ("", MADE)
    (body,) = map(json.loads, raw.bodies)
    assert (NOTE in json.dumps(body)) is ("repeat_tool_calls" not in more)


@pytest.mark.parametrize("api", APIS)
def test_without_retries_no_byte_changes(serve: Serve, raw: Raw, api: str) -> None:
    """`--retry 0`, the default before hosted APIs, passes loops on."""
    answer_in_turn(raw, api, CALL)
    body = json.dumps(body_of(api, [OSLO_TURN] * 9)).encode()
    post(serve(upstream_api=api, retry=0), api, body)

    assert raw.bodies == [body]


def test_calls_in_lton_have_the_notes(serve: Serve, raw: Raw) -> None:
    """Calls in LTON are written after the same results."""
    answer_in_turn(raw, "chat", (WORDS, []))
    post(serve(calls="lton", retry=1), "chat", body_of("chat", [OSLO_TURN] * COPIES))

    assert NOTE in raw.bodies[-1].decode()


def test_guided_calls_have_the_notes(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guided calls are written after the same results."""
    bodies = list[Any]()
    begin = LocalApi.try_begin_exchange

    def record(api: LocalApi, body: Any, headers: Any = None) -> Any:
        bodies.append(body)
        return begin(api, body, headers)

    monkeypatch.setattr(LocalApi, "try_begin_exchange", record)
    post(serve(calls="guided", retry=1), "chat", body_of("chat", [OSLO_TURN] * COPIES))

    assert NOTE in json.dumps(bodies[-1])


# --- loops ----------------------------------------------------------------------------------------


def turns_of(letters: str) -> list[CalledTurn]:
    """Return turns that are equal if their letters are."""
    return [CalledTurn((("weather", letter),), (letter,)) for letter in letters]


@pytest.mark.parametrize(
    ("letters", "ignored", "following"),
    [
        ("", None, ""),
        ("AA", None, ""),
        ("AAA", 0, "A"),
        ("AAAA", 1, "A"),
        ("BCAAAAAAAAA", 2, "A"),
        ("AABAA", None, ""),
        ("ABABA", None, ""),
        ("ABABAB", 0, "A"),
        ("ABABABA", 1, "B"),
        ("XABABABAB", 2, "A"),
        ("AABAABAAB", 0, "A"),
        ("ABCABCABC", 0, "A"),
        ("ABCDABCDABCDAB", 2, "C"),
        ("ABCDEABCDEABCDE", None, ""),
    ],
)
def test_a_loop_has_up_to_four_turns(letters: str, ignored: int | None, following: str) -> None:
    """Three copies are a loop, and each further turn ignores a note."""
    loop = find_loop(turns_of(letters))

    if ignored is None:
        assert loop is None
    else:
        assert loop is not None
        assert loop.ignored == ignored
        assert loop.next_calls == (("weather", following),)


def noted_results(api: str, turns: Sequence[MadeTurn], *more: Any) -> tuple[str, Any]:
    """Return which results have a note, as letters, and the loop at the end."""
    key = REGISTERED[api].conversation_key
    body = body_of(api, turns)
    body = {**body, key: [*body[key], *more]}
    before = json.dumps(body)
    noted, last_turns = with_repeated_turns_noted(body, REGISTERED[api])
    assert json.dumps(body) == before
    results = [json.dumps(result) for result in noted[key] if "degrees" in json.dumps(result)]
    return "".join("x" if NOTE in result else "." for result in results), find_loop(last_turns)


@IN_BODIES
def test_repeated_results_have_notes(api: str) -> None:
    """The notes stay the same when the conversation goes on."""
    turns = [OSLO_TURN] * 4 + [BERGEN_TURN] + [OSLO_TURN, BERGEN_TURN] * 3
    for count in range(len(turns) + 1):
        marks, _ = noted_results(api, turns[:count])
        assert marks == "..xx....xxx"[:count]


@IN_BODIES
def test_the_last_turn_is_that_of_the_last_results(api: str) -> None:
    """Not if the user has said something since, or if a result is missing."""
    api_object = REGISTERED[api]
    key = api_object.conversation_key
    _, last_turns = with_repeated_turns_noted(body_of(api, [OSLO_TURN, BERGEN_TURN]), api_object)
    turn = find_imitated_turn(last_turns)
    assert turn is not None
    ((name, arguments),) = turn.next_calls
    assert (name, read_arguments(arguments)) == ("weather", {"city": "Bergen"})
    body = body_of(api, [OSLO_TURN])
    question = QUESTION if api == "gemini" else {"role": "user", "content": "And now?"}
    for messages in ([*body[key], question], body[key][:-1], []):
        _, last_turns = with_repeated_turns_noted({**body, key: messages}, api_object)
        assert find_imitated_turn(last_turns) is None


@IN_BODIES
def test_without_a_loop_the_body_is_the_same_object(api: str) -> None:
    """A changed result, or other arguments, are no repetition."""
    body = body_of(api, [OSLO_TURN, WARM, OSLO_TURN, OSLO_TURN, BERGEN_TURN, OSLO_TURN])
    noted, last_turns = with_repeated_turns_noted(body, REGISTERED[api])

    assert noted is body
    assert len(last_turns) == 6
    assert find_loop(last_turns) is None


@IN_BODIES
def test_parallel_calls_are_one_turn(api: str) -> None:
    """Equal calls of one answer are no loop, and all of their results are compared."""
    key = REGISTERED[api].conversation_key
    assert noted_results(api, [called("Oslo", *["4 degrees"] * 5)])[1] is None
    changing = [called("Oslo", "4 degrees", f"{number} degrees") for number in range(5)]
    assert noted_results(api, changing)[1] is None
    noted, last_turns = with_repeated_turns_noted(
        body_of(api, [called("Oslo", "4 degrees", "5 degrees")] * 3), REGISTERED[api]
    )
    assert find_loop(last_turns) is not None
    assert json.dumps(noted[key]).count(NOTE) == 2


@IN_BODIES
def test_a_message_of_the_user_begins_anew(api: str) -> None:
    """The user may ask the same again, and turns before a question are no loop at its end."""
    question = QUESTION if api == "gemini" else {"role": "user", "content": "And now?"}
    marks, loop = noted_results(api, [OSLO_TURN] * 3, question)
    assert (marks, loop) == ("..x", None)
    more = messages_of(api, [OSLO_TURN] * 2)
    assert noted_results(api, [OSLO_TURN] * 2, question, *more)[1] is None


def test_a_missing_argument_equals_its_default() -> None:
    """So a call with the default is the same call."""
    days = {"type": "integer", "default": 1}
    parameters = {"type": "object", "properties": {"city": {"type": "string"}, "days": days}}
    tools = ToolSet.from_tools([{"name": "weather", "parameters": parameters}])
    check = LoopCheck(Loop(0, (("weather", {"city": "Oslo"}),)))
    cases: list[tuple[Any, bool]] = [
        ({"city": "Oslo", "days": 1}, False),
        ('{"city": "Oslo"}', False),
        ({"city": "Oslo", "days": 2}, True),
        ("Oslo", True),
    ]
    for given, is_made in cases:
        unmade = check.decline_calls(None, [ToolCall("weather", given)], tools)
        assert (not unmade) is is_made, given


def test_a_conversation_in_one_text_has_no_turns() -> None:
    """The Responses API takes a text in place of messages."""
    body = {"input": "Is it cold?"}
    assert with_repeated_turns_noted(body, REGISTERED["responses"]) == (body, ())


def test_odd_messages_are_no_turns() -> None:
    """Results without calls, calls without results, and what is no message are passed over."""
    turns = messages_of("chat", [OSLO_TURN] * 3)
    odd = [None, {"role": "tool", "tool_call_id": "other", "content": "4 degrees"}]
    odd += [turns[0], turns[0], {"role": "developer", "content": "Be brief."}]
    assert noted_results("chat", [OSLO_TURN] * 2, *odd)[1] is None
    marks, loop = noted_results("chat", [OSLO_TURN] * 3, *turns[:1])
    assert (marks, loop) == ("..x", None)
    lost = messages_of("chat", [called("Oslo", "4 degrees", "4 degrees")])
    marks, loop = noted_results(
        "chat", [OSLO_TURN] * 2, *lost[:2], *messages_of("chat", [OSLO_TURN])
    )
    assert (marks, loop is None) == ("...x", False)


def test_parts_of_a_result_are_compared_without_cache_marks() -> None:
    """Agents move these marks. A result of several parts has one note."""
    key = REGISTERED["messages"].conversation_key
    body = body_of("messages", [OSLO_TURN] * 3)
    marks: list[Any] = [{}, {}, {"cache_control": {"type": "ephemeral"}}]
    for index, mark in zip((2, 4, 6), marks, strict=True):
        text = {"type": "text", "text": "degrees", **mark}
        parts: list[Any] = [{"type": "text", "text": "4"}, text, "odd"]
        body[key][index]["content"][0]["content"] = parts
    noted, last_turns = with_repeated_turns_noted(body, REGISTERED["messages"])
    assert find_loop(last_turns) is not None
    noted_parts = noted[key][-1]["content"][0]["content"]
    assert noted_parts == [{**parts[0], "text": f"4\n\n{NOTE}"}, *parts[1:]]
