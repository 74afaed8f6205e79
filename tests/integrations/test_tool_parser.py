"""Test the code that the tool parsers of servers share, without a server."""

import json

import pytest

from lton.integrations.tool_parser import (
    Stream,
    constraint,
    find_callable_tools,
    openai_calls,
    parse_whole_answer,
)
from tests.integrations.cases import TEXTS, TOOLS

FLAT = [{"type": "function", **tool["function"]} for tool in TOOLS]


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_characters_say_what_the_whole_says(text: str) -> None:
    tools = find_callable_tools({"tools": TOOLS})
    stream, complete = Stream(tools, call_id=lambda: "1"), parse_whole_answer(text, tools)
    pieces = [*map(stream.feed, text), stream.flush()]
    assert "".join(piece.content for piece in pieces) == complete.content
    assert "".join(piece.thoughts for piece in pieces) == complete.thoughts
    for index, call in enumerate(complete.calls):
        more = [call for piece in pieces for call in piece.calls if call.index == index]
        assert [delta.name for delta in more if delta.id] == [call.name]
        assert "".join(delta.arguments for delta in more) == call.arguments
    assert not stream.flush()
    assert not stream.feed("more")


def test_a_cut_call_is_no_json_and_nothing_after_a_broken_one_is_content() -> None:
    tools = find_callable_tools({"tools": TOOLS})
    for text in (TEXTS["no arguments closed"], '!call weather(city=3.5.2 "?)\nindeed'):
        answer = parse_whole_answer(text, tools)
        assert answer.content == ""
        with pytest.raises(json.JSONDecodeError):
            json.loads(answer.calls[0].arguments)
    assert parse_whole_answer(TEXTS["one"], None).content == TEXTS["one"]


def test_a_call_is_given_once_and_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    text = '!call weather(city="Rome", days=1)\n!call weather(days=1, city="Rome")\n!result=4'
    answer = parse_whole_answer(text, find_callable_tools({"tools": TOOLS}))
    assert [call.arguments for call in answer.calls] == ['{"city":"Rome","days":1}']
    assert answer.content == ""
    assert [record.message.partition(":")[0] for record in caplog.records] == ["left out"] * 2


def test_chat_and_responses_ask_for_the_same() -> None:
    for chat, responses in (
        ("auto", "auto"),
        (None, "auto"),
        ("required", "required"),
        ({"type": "function", "function": {"name": "news"}}, {"type": "function", "name": "news"}),
    ):
        nested = constraint({"tools": TOOLS, "tool_choice": chat}, "vllm")
        flat = constraint({"tools": FLAT, "tool_choice": responses}, "vllm")
        assert nested == flat
        assert "!call news" in nested["structured_outputs"]["grammar"]


def test_what_gets_no_grammar() -> None:
    cases: list[dict[str, object]]
    cases = [{"tool_choice": "none"}, {"ebnf": "root ::= x"}, {"tools": []}]
    for more in cases:
        assert constraint({"tools": TOOLS, **more}, "sglang") == {}
    with pytest.raises(ValueError, match="response_format with tools"):
        constraint({"tools": TOOLS, "text": {"format": {"type": "json_object"}}}, "vllm")
    with pytest.raises(ValueError, match="tool_choice: expected"):
        constraint({"tools": TOOLS, "tool_choice": 1}, "vllm")


def test_later_pieces_of_a_call_repeat_neither_id_nor_name() -> None:
    stream = Stream(find_callable_tools({"tools": TOOLS}), call_id=lambda: "1")
    first, later = stream.feed('!call weather(city="Pa'), stream.feed('ris")')
    [opener] = openai_calls(first)
    assert (opener["id"], opener["type"], opener["function"]["name"]) == (
        "1",
        "function",
        "weather",
    )
    assert openai_calls(later) == [{"index": 0, "function": {"arguments": 'ris"'}}]
