"""Test reading requests of the two APIs, and refusing unsupported parameters by name."""

from typing import Any

import pytest

from lton import Call, decode, encode
from lton.apis.chat_api import read_chat
from lton.apis.refusals import RefusedError
from lton.apis.responses_api import read_responses
from lton.grammar import Named, to_gbnf
from tests.grammar.acceptors import gbnf_accepts

USER = [{"role": "user", "content": "Hi"}]
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def function(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": CITY}}


def flat(name: str) -> dict[str, Any]:
    return {"type": "function", "name": name, "parameters": CITY, "strict": True}


def chat(**more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": USER, "tools": [function("a"), function("b")], **more}


@pytest.mark.parametrize(
    ("given", "choice", "names"),
    [
        (None, "auto", ["a", "b"]),
        ("auto", "auto", ["a", "b"]),
        ("none", "none", ["a", "b"]),
        ("required", "required", ["a", "b"]),
        ("any", "required", ["a", "b"]),
        ({"type": "function", "function": {"name": "b"}}, Named("b"), ["b"]),
        (
            {
                "type": "allowed_tools",
                "allowed_tools": {"mode": "required", "tools": [function("b")]},
            },
            "required",
            ["b"],
        ),
    ],
)
def test_choices_are_read_in_all_their_spellings(given: Any, choice: Any, names: list[str]) -> None:
    asked = read_chat(chat(tool_choice=given))

    assert (asked.choice, [tool.name for tool in asked.callable]) == (choice, names)
    assert [tool.name for tool in asked.tools] == ["a", "b"]  # what is shown stays the same


def test_choices_of_responses_are_flat() -> None:
    body = {"input": "Hi", "tools": [flat("a"), flat("b")]}

    named = read_responses({**body, "tool_choice": {"type": "function", "name": "a"}})
    tools = [{"type": "function", "name": "b"}]
    allowed = {"type": "allowed_tools", "mode": "auto", "tools": tools}

    assert named.choice == Named("a")
    assert [tool.name for tool in read_responses({**body, "tool_choice": allowed}).callable] == [
        "b"
    ]


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (chat(functions=[]), "functions"),
        (chat(tool_choice={"type": "function", "function": {"name": "c"}}), "tool_choice"),
        (chat(tool_choice="sometimes"), "tool_choice"),
        (chat(tool_choice={"type": "function", "function": "b"}), "tool_choice"),
        (
            chat(tool_choice={"type": "allowed_tools", "allowed_tools": {"tools": []}}),
            "tool_choice",
        ),
        (
            chat(
                tool_choice={
                    "type": "allowed_tools",
                    "allowed_tools": {"mode": "auto", "tools": [function("c")]},
                }
            ),
            "tool_choice",
        ),
        (chat(tools=[function("a"), function("a")]), "tools"),
        (chat(tools=[{"type": "web_search"}]), "tools[0].type"),
        (chat(tools=["a"]), "tools[0].type"),
        (chat(tools={}), "tools"),
        (chat(messages=None), "messages"),
        (chat(messages="Hi"), "messages"),
        (chat(messages=[123]), "messages"),
        (chat(messages=[{}]), "messages"),
        (chat(messages=[{"role": 1, "content": "Hi"}]), "messages"),
        (chat(messages=[{"role": "user", "content": 1}]), "messages"),
        (chat(messages=[{"role": "robot"}]), "messages"),
        (chat(model=1), "model"),
        (chat(n=0), "n"),
        (chat(n=17), "n"),
        (chat(n=True), "n"),
        (chat(max_tokens="4"), "max_tokens"),
        (chat(max_completion_tokens=0), "max_completion_tokens"),
        (chat(stop=[1]), "stop"),
        (chat(stop=["x"] * 65), "stop"),
        (chat(stream="yes"), "stream"),
        (chat(stream=1), "stream"),
        (chat(parallel_tool_calls="no"), "parallel_tool_calls"),
        (chat(repeat_tool_calls=0), "repeat_tool_calls"),
        (chat(stream_options={"include_usage": "true"}), "include_usage"),
        (chat(tools=[], tool_choice="required"), "tool_choice"),
        (
            chat(tools=None, tool_choice={"type": "function", "function": {"name": "a"}}),
            "tool_choice",
        ),
        (chat(stream_options=[]), "stream_options"),
        (chat(response_format={"type": "yaml"}), "response_format"),
    ],
)
def test_what_is_wrong_is_refused_by_its_name(body: dict[str, Any], param: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read_chat(body)

    assert (refused.value.status, refused.value.param) == (400, param)


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"conversation": "c"}, "conversation"),
        ({"prompt": {"id": "p"}}, "prompt"),
        ({"background": True}, "background"),
        ({"background": "no"}, "background"),
        ({"input": None}, "input"),
        ({"input": [{"type": "item_reference", "id": "msg_1"}]}, "input"),
        ({"input": [{"type": "message", "role": "nobody", "content": "?"}]}, "input"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"truncation": "auto"}, "truncation"),
        ({"tools": [{"type": "web_search"}]}, "tools[0].type"),
        ({"instructions": 1}, "instructions"),
        ({"input": 1}, "input"),
        ({"text": {"format": {"type": "json_schema"}}}, "text.format"),
    ],
)
def test_responses_refuse_what_needs_memory(more: dict[str, Any], param: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read_responses({"input": "Hi", **more})

    assert (refused.value.status, refused.value.param) == (400, param)


def test_what_the_gateway_does_not_read_is_passed_on() -> None:
    asked = read_chat(
        chat(temperature=0.5, seed=1, stop="x", max_tokens=9, parallel_tool_calls=False)
    )

    assert asked.other_fields == {"model": "m", "temperature": 0.5, "seed": 1}
    assert (asked.stop, asked.max_tokens, asked.parallel) == (("x",), 9, False)


@pytest.mark.parametrize(
    ("choice", "left", "names"),
    [
        ("auto", "required", ["a", "b", "answer"]),
        ("none", Named("answer"), ["answer"]),
        ("required", "required", ["a", "b"]),
    ],
)
def test_an_answer_in_json_is_a_tool_of_its_own(choice: str, left: Any, names: list[str]) -> None:
    form = {"type": "json_schema", "json_schema": {"name": "place", "schema": CITY}}

    asked = read_chat(chat(tool_choice=choice, response_format=form))

    assert (asked.choice, [tool.name for tool in asked.callable]) == (left, names)
    assert asked.answer == ("" if choice == "required" else "answer")


def test_an_answer_in_json_without_a_schema_is_any_object() -> None:
    asked = read_chat(chat(tools=None, response_format={"type": "json_object"}))

    call = Call(asked.answer, {"name": "Ann", "tags": ["a", {"b": 1}]})
    assert decode(encode(call, asked.callable), asked.callable) == [call]
    assert gbnf_accepts(to_gbnf(asked.callable), encode(call, asked.callable, form="punctuated"))


def test_the_answer_has_a_name_that_no_tool_has() -> None:
    form = {"format": {"type": "json_schema", "name": "place", "schema": CITY}}

    asked = read_responses({"input": "Hi", "tools": [flat("answer")], "text": form})

    assert asked.answer == "answer_2"
