"""Test that conversations of clients are read and written unchanged, and are the same in
every API.
"""

import gzip
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Call
from lton.chat import (
    Message,
    Other,
    Text,
    Thought,
    ToolCall,
    ToolResult,
    from_anthropic,
    from_openai,
    from_responses,
    to_anthropic,
    to_openai,
    to_responses,
)
from lton.errors import Code, ConversionError

TAU = [
    json.loads(line)["messages"]
    for line in gzip.decompress(
        (Path(__file__).parent / "tau-airline.jsonl.gz").read_bytes()
    ).splitlines()
]
"""100 conversations of agents: sierra-research/tau-bench, MIT (LICENSE.tau-bench)."""

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
SPELLED = '{ "city":"Oslo" }'
"""Arguments as a model wrote them: with spaces that must not change."""


def called(name: str = "look", arguments: Any = SPELLED, **more: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": "call_1", "type": "function", "function": function, **more}


CHATS: dict[str, list[Any]] = {
    "roles": [
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": "Hi", "name": "Ann"},
        {"role": "assistant", "content": "Hello."},
    ],
    "parts": [
        {"role": "system", "content": [{"type": "text", "text": "Look."}]},
        {"role": "user", "content": [{"type": "text", "text": "What is it?"}, IMAGE]},
        {"role": "user", "content": []},
        {"role": "user", "content": ""},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
    ],
    "calls beside null, beside prose, beside nothing": [
        {"role": "assistant", "content": None, "tool_calls": [called()]},
        {"role": "tool", "tool_call_id": "call_1", "content": "fog"},
        {"role": "assistant", "content": "I look.", "tool_calls": [called(index=0), called()]},
        {"role": "tool", "tool_call_id": "call_1", "name": "look", "content": '{"sky": 1.0}'},
        {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "?"}]},
        {"role": "assistant", "tool_calls": [called(arguments="")]},
        {"role": "tool", "tool_call_id": "call_1", "content": ""},
    ],
    "what the SDK's model_dump gives": [
        {
            "role": "assistant",
            "content": "Hello.",
            "refusal": None,
            "annotations": [],
            "audio": None,
            "function_call": None,
            "tool_calls": None,
        }
    ],
    "a refusal, and a spoken answer without content": [
        {"role": "assistant", "content": None, "refusal": "I will not."},
        {"role": "assistant", "audio": {"id": "audio_1"}},
    ],
    "broken arguments": [
        {"role": "assistant", "content": None, "tool_calls": [called(arguments='{"city": "Os')]},
        {"role": "assistant", "content": None, "tool_calls": [called(arguments="[1]")]},
    ],
    "thoughts of llama.cpp and of vLLM": [
        {"role": "assistant", "content": "5", "reasoning_content": "2 + 3"},
        {"role": "assistant", "content": "5", "reasoning": "2 + 3", "reasoning_content": None},
        {"role": "assistant", "content": "5", "reasoning": "2 + 3", "reasoning_content": "2 + 3"},
        {"role": "assistant", "content": "5", "reasoning_content": ""},
    ],
    "signatures of Gemini, fields of a function": [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [called(extra_content={"google": {"thought_signature": "x"}})],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "1",
                    "type": "function",
                    "function": {"name": "f", "arguments": "{}", "strict": True},
                }
            ],
        },
    ],
    "a custom tool": [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "1", "type": "custom", "custom": {"name": "run", "input": '{"a": 1}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
    ],
}

USE = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"city": "Oslo"}}
ANTHROPIC: dict[str, dict[str, Any]] = {
    "plain": {
        "system": "Be kind.",
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": [{"type": "text", "text": "Hello."}]},
        ],
    },
    "a prompt that is cached": {
        "system": [
            {"type": "text", "text": "Be kind."},
            {"type": "text", "text": "Rules", "cache_control": {"type": "ephemeral"}},
        ],
        "messages": [],
    },
    "a system prompt of one block": {
        "system": [{"type": "text", "text": "Be kind."}],
        "messages": [],
    },
    "thoughts, a call, a result": {
        "messages": [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": "EqQB"},
                    {"type": "thinking", "thinking": "", "signature": "EqQC"},
                    {"type": "redacted_thinking", "data": "EmwK"},
                    {"type": "text", "text": "I look."},
                    USE,
                    {**USE, "id": "toolu_2", "cache_control": {"type": "ephemeral"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "fog"},
                    {"type": "tool_result", "tool_use_id": "toolu_2"},
                ],
            },
        ]
    },
    "results of every kind": {
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "1", "content": "no", "is_error": True},
                    {"type": "tool_result", "tool_use_id": "2", "content": [], "is_error": False},
                    {
                        "type": "tool_result",
                        "tool_use_id": "3",
                        "content": [
                            {"type": "text", "text": "a"},
                            {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
                        ],
                    },
                    {"type": "text", "text": "Go on."},
                ],
            }
        ]
    },
    "tools of the server": {
        "messages": [
            {
                "role": "assistant",
                "content": [
                    {"type": "server_tool_use", "id": "1", "name": "web_search", "input": {}},
                    {"type": "web_search_tool_result", "tool_use_id": "1", "content": []},
                    {"type": "text", "text": "Fog.", "citations": [{"url": "https://x"}]},
                ],
            }
        ]
    },
}

FUNCTION_CALL = {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": SPELLED}
RESPONSES: dict[str, dict[str, Any]] = {
    "what agents send first": {
        "instructions": "Be kind.",
        "input": [
            {"role": "developer", "content": "Briefly."},
            {"role": "user", "content": "Hi"},
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "What is it?"},
                    {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
                ],
            },
        ],
    },
    "what agents replay": {
        "input": [
            {"role": "user", "content": "Hi"},
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "Looks."}],
                "encrypted_content": None,
            },
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [
                    {"type": "output_text", "text": "I look.", "annotations": [], "logprobs": []}
                ],
            },
            {**FUNCTION_CALL, "id": "fc_1", "status": "completed"},
            {**FUNCTION_CALL, "call_id": "call_2", "arguments": '{"ci'},
            {"type": "function_call_output", "call_id": "call_1", "output": "fog"},
            {
                "type": "function_call_output",
                "call_id": "call_2",
                "output": [{"type": "input_text", "text": "no city"}],
                "status": "completed",
            },
            {"role": "assistant", "content": "Fog."},
        ],
    },
    "texts and thoughts in any order": {
        "input": [
            FUNCTION_CALL,
            {"role": "assistant", "content": "One."},
            {"type": "reasoning", "summary": []},
            {"role": "assistant", "content": [], "type": "message"},
            {
                "type": "reasoning",
                "id": "rs_2",
                "content": [{"type": "reasoning_text", "text": "a"}],
            },
            {"role": "assistant", "content": "Two.", "phase": "commentary"},
            FUNCTION_CALL,
        ]
    },
    "tools of the API": {
        "input": [
            FUNCTION_CALL,
            {"type": "web_search_call", "id": "ws_1", "status": "completed"},
            {"type": "item_reference", "id": "msg_7"},
            {"type": "custom_tool_call", "call_id": "1", "name": "run", "input": "{}"},
            {"type": "custom_tool_call_output", "call_id": "1", "output": "ok"},
            {"type": "function_call_output", "call_id": "call_1", "output": ""},
        ]
    },
}


@pytest.mark.parametrize("messages", CHATS.values(), ids=CHATS)
def test_openai_comes_back(messages: list[Any]) -> None:
    """Messages of OpenAI's chat are read and written unchanged, and the input is not modified."""
    before = json.dumps(messages)
    assert to_openai(from_openai(messages)) == messages
    assert json.dumps(messages) == before


def test_real_conversations_come_back() -> None:
    """100 conversations of real agents are read and written unchanged."""
    assert len(TAU) == 100
    for messages in TAU:
        assert to_openai(from_openai(messages)) == messages


@pytest.mark.parametrize("body", ANTHROPIC.values(), ids=ANTHROPIC)
def test_anthropic_comes_back(body: dict[str, Any]) -> None:
    """Messages of Anthropic's API are read and written unchanged."""
    before = json.dumps(body)
    assert to_anthropic(from_anthropic(**body)) == body
    assert json.dumps(body) == before


@pytest.mark.parametrize("body", RESPONSES.values(), ids=RESPONSES)
def test_responses_come_back(body: dict[str, Any]) -> None:
    """Items of OpenAI's responses API are read and written unchanged."""
    before = json.dumps(body)
    assert to_responses(from_responses(**body)) == body
    assert json.dumps(body) == before


def test_a_bare_input_is_a_message_of_the_user() -> None:
    """A bare string as the input of the responses API is a message of the user."""
    assert from_responses("Hi") == from_responses([{"role": "user", "content": "Hi"}])


def of_anthropic(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    return from_anthropic(**to_anthropic(messages))


def of_responses(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    return from_responses(**to_responses(messages))


def contents_of(messages: tuple[Message, ...]) -> list[object]:
    """Return the content of a conversation that every API can express, in order."""
    return [
        (part.name, part.arguments, part.id)
        if isinstance(part, ToolCall)
        else (part.call_id, part.text)
        if isinstance(part, ToolResult)
        else part.text
        for message in messages
        for part in message.parts
        if isinstance(part, ToolCall | ToolResult) or (isinstance(part, Text) and part.text)
    ]


@pytest.mark.parametrize("through", [of_anthropic, of_responses])
def test_a_conversation_is_the_same_in_each_api(
    through: Callable[[tuple[Message, ...]], tuple[Message, ...]],
) -> None:
    """Text, calls with ids and results survive the conversion to another API and then to
    OpenAI's.
    """
    for messages in TAU:
        conversation = from_openai(messages)
        back = through(conversation)
        assert contents_of(back) == contents_of(conversation)
        again = to_openai(back)
        assert contents_of(from_openai(again)) == contents_of(conversation)
        assert [message["role"] for message in again] == [message["role"] for message in messages]


def test_a_turn_of_anthropic_in_openai() -> None:
    """Thoughts, prose and calls become one message; each result becomes a message before the user's
    text.
    """
    (_, answered), (errors, *_) = (
        from_anthropic(ANTHROPIC[name]["messages"])
        for name in ("thoughts, a call, a result", "results of every kind")
    )
    turn = from_anthropic(ANTHROPIC["thoughts, a call, a result"]["messages"])
    assert to_openai(turn) == [
        {
            "role": "assistant",
            "content": "I look.",
            "reasoning_content": "Hm.",
            "tool_calls": [
                {
                    "id": f"toolu_{number}",
                    "type": "function",
                    "function": {"name": "look", "arguments": '{"city":"Oslo"}'},
                }
                for number in (1, 2)
            ],
        },
        {"role": "tool", "tool_call_id": "toolu_1", "content": "fog"},
        {"role": "tool", "tool_call_id": "toolu_2", "content": ""},
    ]
    assert answered.role == "tool"
    assert errors.role == "user"
    assert [result.is_error for result in errors.results] == [True, False, False]


def test_a_turn_of_openai_in_the_others() -> None:
    """Calls become blocks or items, and the results of one turn become one user message of
    Anthropic's API.
    """
    turn = from_openai(CHATS["calls beside null, beside prose, beside nothing"][2:5])
    look = {"type": "tool_use", "id": "call_1", "name": "look", "input": {"city": "Oslo"}}
    assert to_anthropic(turn)["messages"] == [
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, look, look]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": '{"sky": 1.0}'},
                {"type": "tool_result", "tool_use_id": "call_2", "content": "?"},
            ],
        },
    ]
    assert to_responses(turn)["input"] == [
        {"role": "assistant", "content": "I look."},
        FUNCTION_CALL,
        FUNCTION_CALL,
        {"type": "function_call_output", "call_id": "call_1", "output": '{"sky": 1.0}'},
        {"type": "function_call_output", "call_id": "call_2", "output": "?"},
    ]


def test_a_turn_of_responses_in_openai() -> None:
    """The items of a turn become one message, and the following messages contain the results of its
    calls.
    """
    turn = from_responses(RESPONSES["what agents replay"]["input"])
    assert [message.role for message in turn] == ["user", "assistant", "tool", "tool", "assistant"]
    assistant = to_openai(turn)[1]
    assert (assistant["content"], assistant["reasoning_content"]) == ("I look.", "Looks.")
    assert [call["id"] for call in assistant["tool_calls"]] == ["call_1", "call_2"]
    assert [call["function"]["arguments"] for call in assistant["tool_calls"]] == [SPELLED, '{"ci']


def test_made_by_hand() -> None:
    """Records that were made in code are written in the usual way of each API."""
    chat = [
        Message.saying("system", "Be kind."),
        Message("assistant", (Thought("Hm."), ToolCall("look", {"city": "Zürich"}, "1"))),
        Message("tool", (ToolResult((Text("fog"),), "1", "look", is_error=True),)),
    ]
    spelled = '{"city":"Zürich"}'
    assert to_openai(chat)[1:] == [
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "Hm.",
            "tool_calls": [
                {
                    "id": "1",
                    "type": "function",
                    "function": {"name": "look", "arguments": spelled},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "1", "name": "look", "content": "fog"},
    ]
    assert to_anthropic(chat) == {
        "system": "Be kind.",
        "messages": [
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "1", "name": "look", "input": {"city": "Zürich"}}
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "1",
                        "content": "fog",
                        "is_error": True,
                    }
                ],
            },
        ],
    }
    thought = {"type": "reasoning_text", "text": "Hm."}
    assert to_responses(chat)["input"] == [
        {"role": "system", "content": "Be kind."},
        {"type": "reasoning", "summary": [], "content": [thought]},
        {"type": "function_call", "call_id": "1", "name": "look", "arguments": spelled},
        {"type": "function_call_output", "call_id": "1", "output": "fog"},
    ]


@pytest.mark.parametrize(
    ("call_arguments", "arguments"),
    [
        ("{}", {}),
        ("", {}),
        (SPELLED, {"city": "Oslo"}),
        ({"a": 1.0}, {"a": 1.0}),
        ('{"a": NaN}', '{"a": NaN}'),
        ('{"a": 1, "a": 2}', '{"a": 1, "a": 2}'),
        ("[" * 100_000, "[" * 100_000),
        ("[1]", "[1]"),
        ([1, 2], "[1,2]"),
        (None, "null"),
    ],
)
def test_arguments_are_a_mapping_or_text(call_arguments: Any, arguments: object) -> None:
    """Arguments that are not an object, or that repeat a key, stay a string."""
    call = ToolCall("look", call_arguments)
    assert call.arguments == arguments
    if isinstance(arguments, str):
        with pytest.raises(ConversionError, match=r"expected a.* of arguments|arguments in JSON"):
            _ = call.call
        assert to_anthropic([Message("assistant", (call,))])["messages"][0]["content"] == [
            {"type": "tool_use", "name": "look", "input": {"INVALID_JSON": arguments}}
        ]
    else:
        assert call.call == Call("look", arguments)


def test_a_custom_tool_takes_text() -> None:
    """The input of a custom tool is text, even if it looks like JSON; other tools take objects."""
    (message, answered) = from_openai(CHATS["a custom tool"])
    assert message.calls[0].arguments == '{"a": 1}'
    assert to_responses([message, answered])["input"] == [
        {"type": "custom_tool_call", "call_id": "1", "name": "run", "input": '{"a": 1}'},
        {"type": "custom_tool_call_output", "call_id": "1", "output": "ok"},
    ]


def test_blocks_come_as_text_of_another_api() -> None:
    """A list of text blocks is read as text, and written as the kind of block that the API uses."""
    texts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    chat = from_openai([{"role": role, "content": texts} for role in ("user", "assistant")])
    kinds = [{block["type"] for block in item["content"]} for item in to_responses(chat)["input"]]
    assert kinds == [{"input_text"}, {"output_text"}]
    assert to_anthropic(chat)["messages"][0]["content"] == texts


@pytest.mark.parametrize(
    ("read", "value", "path"),
    [
        (from_openai, ["Hi"], "/0"),
        (from_openai, [{}], "/0"),
        (from_openai, [{"role": 1}], "/0"),
        (from_openai, [{"role": "function", "name": "f", "content": ""}], "/0"),
        (from_openai, [{"role": "user", "content": 7}], "/0/content"),
        (from_openai, [{"role": "user", "content": {"text": "a"}}], "/0/content"),
        (from_openai, [{"role": "user", "content": ["a", 7]}], "/0/content/1"),
        (from_openai, [{"role": "assistant", "function_call": {"name": "f"}}], "/0"),
        (from_openai, [{"role": "assistant", "tool_calls": {"a": 1}}], "/0/tool_calls"),
        (from_openai, [{"role": "assistant", "tool_calls": [7]}], "/0/tool_calls/0"),
        (from_openai, [{"role": "assistant", "tool_calls": [{"id": "1"}]}], "/0/tool_calls/0"),
        (from_anthropic, [{"role": "tool", "content": ""}], "/0"),
        (from_anthropic, [{"role": "user", "content": [7]}], "/0/content/0"),
        (from_responses, [7], "/0"),
        (from_responses, [{"role": "user", "content": "a"}, {}], "/1"),
        (from_responses, [{"role": "tool", "content": "a"}], "/0"),
        (from_responses, [{"role": "user", "content": 7}], "/0/content"),
    ],
)
def test_what_is_no_message(
    read: Callable[[Any], tuple[Message, ...]], value: Any, path: str
) -> None:
    """An invalid message raises an error with its place and the value found."""
    with pytest.raises(ConversionError, match=r"expected .*, found ") as caught:
        read(value)
    assert (caught.value.code, caught.value.path) == (Code.CONVERSION, path)


def test_what_another_api_cannot_say() -> None:
    """An image or a built-in tool stays with its own API; one that was made in code is written
    unchanged.
    """
    chat = from_openai(CHATS["parts"])
    for write in (to_anthropic, to_responses):
        with pytest.raises(ConversionError, match="image_url") as caught:
            write(chat)
        assert caught.value.path == "/1"
    assert to_anthropic([Message("user", (Other(IMAGE),))])["messages"][0]["content"] == [IMAGE]


WORDS = "text tool_use tool_result thinking reasoning message function_call {}".split()
ANYTHING = st.recursive(
    st.none() | st.integers() | st.text(max_size=2) | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from("type text id name arguments input function content".split()), inner
        )
    ),
    max_leaves=8,
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool", "system", None])},
        optional={
            "type": st.sampled_from(WORDS),
            **dict.fromkeys(("content", "name", "tool_calls", "arguments", "output"), ANYTHING),
        },
    ),
    max_size=4,
)


@pytest.mark.parametrize("read", [from_openai, from_anthropic, from_responses])
@given(ANYTHING | MESSAGES)
@pytest.mark.untraced
def test_no_other_error(read: Callable[[Any], tuple[Message, ...]], value: Any) -> None:
    """Any input is either read as messages that every API can express, or raises
    `ConversionError`.
    """
    with suppress(ConversionError):
        messages = read(value)
        assert all(isinstance(message, Message) for message in messages)
        for write in (to_openai, to_anthropic, to_responses):
            with suppress(ConversionError):
                write(messages)


def test_what_the_system_says_later_stays_there_in_anthropics_api() -> None:
    """A later system message keeps its place in Anthropic's API:

    Claude Code lists deferred tools in this way.
    """
    messages = [{"role": "user", "content": "Hi"}, {"role": "system", "content": "Also: wait"}]
    neutral = from_anthropic(messages, "Be kind.")
    assert [message.role for message in neutral] == ["system", "user", "system"]
    assert to_anthropic(neutral) == {"messages": messages, "system": "Be kind."}
