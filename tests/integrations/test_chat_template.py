"""Compare the chat template for servers with `lton.chat` and `ToolSet.prompt`."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2.sandbox import ImmutableSandboxedEnvironment

from lton import Decoder, ToolSet
from lton._json import minified, read_value
from lton._syntax import FOR_MODELS
from lton.chat import from_openai, instructions, render
from lton.events import Answer, CallEnd, Prose
from lton.integrations.tool_parser import TEMPLATE
from lton_bench.packages import folder
from tests.strategies import NASTY_TEXTS, calls_for, examples, json_values, texts, toolsets
from tests.transcript.conversations import tau

LISTS = sorted((folder("lton_bench") / "mcp").glob("*.json"))


# As transformers has it, and with it vLLM and SGLang.
COMPILED = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True).from_string(
    TEMPLATE.read_text("utf-8")
)


def rendered(messages: list[dict[str, Any]], tools: Any = None, **more: Any) -> str:
    return COMPILED.render(messages=messages, tools=tools, add_generation_prompt=True, **more)


def functions(listing: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool.get("description", ""),
                "parameters": tool["inputSchema"],
            },
        }
        for tool in listing
    ]


def recorded() -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = []
    for path in LISTS:
        data = json.loads(path.read_text("utf-8"))
        tools += functions(data["tools"] if isinstance(data, dict) else data)
    return tools


def prompt_of(tool: dict[str, Any]) -> str:
    system = rendered([], [tool]).removeprefix("<|im_start|>system\n")
    return system.removesuffix("<|im_end|>\n<|im_start|>assistant\n")


def instructions_without_limits(tools: ToolSet) -> str:
    prompt = tools.prompt(primer=FOR_MODELS)
    return instructions(tools).replace(prompt, tools.prompt(primer=FOR_MODELS, limits=False))


def test_most_recorded_tools_are_shown_as_the_library_shows_them() -> None:
    """A template shows no limits. Else it shows nearly all tools as `ToolSet.prompt` does."""
    tools = recorded()
    differ = [
        tool["function"]["name"]
        for tool in tools
        if prompt_of(tool) != instructions_without_limits(ToolSet.from_tools([tool]))
    ]
    print(f"{len(tools) - len(differ)} of {len(tools)} as ToolSet.prompt has them; not: {differ}")
    assert len(tools) > 200
    assert len(differ) <= 0.07 * len(tools)


# --- histories ------------------------------------------------------------------------------------

PLACES = functions(
    [
        {
            "name": "look",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "unit": {"enum": ["C", "F", "true", "1", "_x", "s1"]},
                    "city": {"type": "string"},
                    "near": {"type": "array", "items": {"type": "string"}},
                    "days": {"type": ["integer", "null"]},
                    "size": {"type": "number"},
                    "at": {
                        "type": "object",
                        "properties": {"y": {"type": "number"}, "x": {"type": "boolean"}},
                        "required": ["x"],
                        "additionalProperties": False,
                    },
                    "how": {"anyOf": [{"enum": ["1", "null", "no"]}, {"type": "null"}]},
                    "tags": {"type": "object", "additionalProperties": {"type": "integer"}},
                    "any": {},
                },
                "required": ["city"],
                "additionalProperties": False,
            },
        },
        {"name": "stop", "inputSchema": {"type": "object", "properties": {}}},
    ]
)
Turn = tuple[str, str]


def as_servers_have_it(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages with arguments as objects, as vLLM and SGLang pass them to a template."""
    return [
        message | {"tool_calls": [parsed(call) for call in message["tool_calls"]]}
        if message.get("tool_calls")
        else message
        for message in messages
    ]


def parsed(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    return call | {"function": function | {"arguments": json.loads(function["arguments"])}}


def turns(messages: Sequence[dict[str, Any]], tools: Any) -> list[Turn]:
    """Return the output of the template, split at its marks."""
    text = rendered(as_servers_have_it(messages), tools)
    *parts, last = text.removeprefix("<|im_start|>").split("<|im_end|>\n<|im_start|>")
    assert last == "assistant\n"
    return [(role, text) for role, _, text in (part.partition("\n") for part in parts)]


def as_chat_has_it(messages: Sequence[dict[str, Any]], tools: Any) -> list[Turn]:
    conversation = render(from_openai(messages), ToolSet.from_tools(tools) if tools else None)
    return [
        ("system" if message.role == "developer" and not index else message.role, message.text)
        for index, message in enumerate(conversation.messages)
    ]


def parse_turn(text: str, tools: Any) -> list[Any]:
    """Return the prose, calls and answers of a turn, with JSON strings as values."""
    decoder = Decoder(ToolSet.from_tools(tools) if tools else None, prose=True)
    decoder.feed(text)
    decoder.close()
    parts: list[Any] = []
    for event in decoder:
        match event:
            case Answer(result):
                value = result.value
                while type(value) is str and (inner := read_value(value)) != value:
                    value = inner  # one reads the JSON of a text that the other has as a text
                parts.append((result.name, value))
            case CallEnd() | Prose():
                parts.append(event)
    return parts


def said_by(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def calling(*calls: tuple[str, str, Any], content: Any = None) -> dict[str, Any]:
    """Return a message with calls, each given by id, name and arguments."""
    tool_calls = [
        {
            "id": id_,
            "type": "function",
            "function": {"name": name, "arguments": minified(arguments)},
        }
        for id_, name, arguments in calls
    ]
    return said_by("assistant", content, tool_calls=tool_calls)


def answered(id_: str, content: Any, **more: Any) -> dict[str, Any]:
    return said_by("tool", content, tool_call_id=id_, **more)


def test_a_history_is_shown_as_it_is_meant() -> None:
    messages = [
        said_by("system", "Be brief."),
        said_by("user", "Hi"),
        calling(
            ("a", "look", {"unit": "C", "city": 'a "b"', "at": {"y": 1e-7, "x": True}}),
            ("b", "stop", {}),
            content="Let me see.",
        ),
        answered("b", "Error: it did not stop"),
        answered("a", '{"sun": [1, 2.5]}'),
        said_by("assistant", "Sunny:\n!call me", reasoning_content="hm"),
        said_by("user", [{"type": "text", "text": "O"}, {"type": "text", "text": "K"}]),
        calling(
            ("a", "look", {"city": "two\nlines", "any": {"k": "v"}}), ("c", "gone", {"x": [1]})
        ),
        answered("a", "23"),
        answered("?", "cloudy", name="sky"),
    ]
    (system, *history) = turns(messages, PLACES)
    assert system == ("system", f"Be brief.\n\n{instructions(ToolSet.from_tools(PLACES))}")
    assert history == [
        ("user", "Hi"),
        (
            "assistant",
            "Let me see.\n!call look(city='a \"b\"', unit=C, at=(x=true, y=1e-7))\n!call stop()",
        ),
        ("user", '!result look \'{"sun": [1, 2.5]}\'\n!result stop "Error: it did not stop"'),
        ("assistant", "Sunny:\n> !call me"),
        ("user", "OK"),
        ("assistant", '!call look(city=```\ntwo\nlines\n```, any={k "v"})\n!call gone{x [1]}'),
        ("user", "!result look 23\n!result sky cloudy"),
    ]
    expected = as_chat_has_it(messages, PLACES)
    differ = [
        wanted_text
        for (_, actual), (_, wanted_text) in zip(history, expected[1:], strict=True)
        if actual != wanted_text
    ]
    assert differ == ['!result look {sun [1 2.5]}\n!result stop "Error: it did not stop"']


@pytest.mark.parametrize(
    "results",
    [
        [{"name": "stop"}, {"name": "look"}, {}],
        [{}, {"name": "stop"}, {"tool_call_id": "a"}],
        [{"tool_call_id": "a"}, {"tool_call_id": "a"}, {"tool_call_id": None}],
        [{"tool_call_id": "z"}, {"name": "walk"}, {}, {"tool_call_id": "a"}],
    ],
)
def test_results_answer_the_calls_that_chat_finds(results: list[dict[str, Any]]) -> None:
    """A result belongs to the call with its id, else its name, else by order."""
    calls = calling(
        ("a", "look", {"city": "Oslo"}), ("a", "stop", {}), ("b", "look", {"city": "Rome"})
    )
    answers = [said_by("tool", str(index), **reference) for index, reference in enumerate(results)]
    messages = [calls, *answers, said_by("assistant", "Yes."), said_by("tool", "9")]
    assert turns(messages, PLACES) == as_chat_has_it(messages, PLACES)


def test_arguments_that_came_as_a_text_are_a_line_of_json() -> None:
    """Arguments as a string stay a line of JSON, because Jinja cannot parse JSON."""
    text = rendered([calling(("a", "stop", {}))], PLACES)
    assert '<|im_start|>assistant\n{"name":"stop","arguments":{}}<|im_end|>' in text


def test_recorded_conversations_are_shown_as_they_are_meant() -> None:
    """Each turn is as in `lton.chat`, except for JSON results and tables in calls of unknown
    tools.
    """
    same, total = 0, 0
    for messages in tau(20):
        expected, actual_turns = as_chat_has_it(messages, None), turns(messages, None)
        assert [role for role, _ in actual_turns] == [role for role, _ in expected]
        assert [parse_turn(text, None) for _, text in actual_turns] == [
            parse_turn(text, None) for _, text in expected
        ]
        same += sum(one == other for one, other in zip(actual_turns, expected, strict=True))
        total += len(expected)
    print(f"{same} of {total} turns to the character")
    assert same > 0.75 * total


# What a text is in ChatML, and what Python and JSON have no one spelling of, are no part of this.
prose = (texts(30) | st.sampled_from([*NASTY_TEXTS, "!call stop()", " !result x", "!callous"])).map(
    lambda text: text.replace("<|im_", "<im_")
)


@st.composite
def conversations(draw: st.DrawFn, tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return turns of all kinds: several calls, results in any order, prose next to calls."""
    messages = [said_by("system", draw(prose))] if draw(st.booleans()) else []
    for number in range(draw(st.integers(1, 3))):
        messages.append(said_by("user", draw(prose)))
        calls = [
            (f"{number}-{index}", call.name, call.arguments)
            for index, call in enumerate(draw(calls_for(tools)))
        ]
        content = draw(st.none() | prose)
        messages.append(calling(*calls, content=content) | {"reasoning_content": draw(prose)})
        for id_, *_ in draw(st.permutations(calls)):
            plain = draw(prose | json_values().map(minified))
            messages.append(answered(id_, draw(st.sampled_from([plain, f"Error: {plain}"]))))
        messages.append(said_by("assistant", draw(prose)))
    return messages


def check_history(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> None:
    """Compare turn by turn: answers by value, everything else by character."""
    expected, actual_turns = as_chat_has_it(messages, tools)[1:], turns(messages, tools)[1:]
    assert [role for role, _ in actual_turns] == [role for role, _ in expected]
    for (role, actual), (_, wanted_text) in zip(actual_turns, expected, strict=True):
        if role == "user" and wanted_text.startswith("!result "):
            assert parse_turn(actual, tools) == parse_turn(wanted_text, tools)
        else:
            assert actual == wanted_text


@examples(200)
@given(conversations(PLACES))
def test_made_up_histories_are_shown_as_chat_shows_them(messages: list[dict[str, Any]]) -> None:
    check_history(messages, PLACES)


@examples(200)
@given(st.data())
def test_calls_of_made_up_tools_are_shown_as_chat_shows_them(data: st.DataObject) -> None:
    tools = data.draw(toolsets())
    check_history(data.draw(conversations(tools)), tools)
