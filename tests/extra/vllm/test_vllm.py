"""Test the tool parser in vLLM's own classes."""

import json
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from tests.integrations.cases import TEXTS, TOOLS

vllm_parser = pytest.importorskip("vllm.parser.parser_manager")

from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest  # noqa: E402
from vllm.entrypoints.openai.responses.protocol import ResponsesRequest  # noqa: E402


class Tokenizer:
    """A tokenizer that the parser stores and never uses."""

    def get_vocab(self) -> dict[str, int]:
        return {}


@pytest.fixture(scope="module")
def parser_class() -> Any:
    """Return the parser that the server builds for its flags, found by our entry point."""
    from vllm.plugins import load_general_plugins
    from vllm.tool_parsers import ToolParserManager

    load_general_plugins()
    assert "lton" in ToolParserManager.list_registered()
    return vllm_parser.ParserManager.get_parser(tool_parser_name="lton", enable_auto_tools=True)


def chat(**more: Any) -> Any:
    messages = [{"role": "user", "content": "?"}]
    return ChatCompletionRequest.model_validate(
        {"model": "m", "messages": messages, "tools": TOOLS, **more}
    )


def cuts(text: str) -> Iterator[list[str]]:
    """Yield ways to cut a text: in characters, whole, and at random."""
    yield list(text)
    yield [text]
    for seed in range(30):
        random = Random(seed)
        at = sorted(random.sample(range(1, len(text)), k=min(4, len(text) - 1)))
        yield [text[start:end] for start, end in pairwise([0, *at, len(text)])]


def streamed(parser: Any, pieces: list[str], request: Any) -> tuple[str, str, list[list[str]]]:
    """Return content, thoughts, and each call's name and arguments, joined as a client does."""
    content, thoughts, calls, ids = "", "", dict[int, list[str]](), list[str]()
    for number, piece in enumerate([*pieces, ""]):  # the last is the end of the turn
        delta = parser.parse_delta(
            piece, [number], request, prompt_token_ids=[1], finished=number == len(pieces)
        )
        if delta is None:
            continue
        content += delta.content or ""
        thoughts += delta.reasoning or ""
        for call in delta.tool_calls:
            if call.id:
                assert call.index == len(calls)
                assert call.type == "function"
                ids.append(call.id)
                calls[call.index] = [call.function.name, ""]
            assert call.index == len(calls) - 1
            assert call.id or call.function.name is None
            calls[call.index][1] += call.function.arguments
    assert len(set(ids)) == len(calls)
    return content, thoughts, list(calls.values())


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_stream_says_what_the_whole_says(parser_class: Any, text: str) -> None:
    request = chat()
    _, content, calls = parser_class(Tokenizer(), request.tools).parse(
        text, request, enable_auto_tools=True
    )
    expected = [[call.name, call.arguments] for call in calls or ()]
    for pieces in cuts(text):
        reply = streamed(parser_class(Tokenizer(), request.tools), pieces, request)
        assert (reply[0] or None, reply[2]) == (content, expected)


def test_what_is_said(parser_class: Any) -> None:
    def read(name: str) -> Any:
        return streamed(parser_class(Tokenizer(), chat().tools), [TEXTS[name]], chat())

    assert read("prose") == (TEXTS["prose"], "", [])
    assert read("one") == ("", "", [["weather", '{"city":"Paris","days":3}']])
    assert read("thought") == ("Hm.", "!call news()", [["news", '{"city":"x"}']])
    content, _, ((name, arguments),) = read("no arguments closed")
    assert (content, name) == ("", "weather")
    with pytest.raises(json.JSONDecodeError):
        json.loads(arguments)
    assert read("unknown tool") == (TEXTS["unknown tool"], "", [])


@pytest.mark.parametrize(
    ("choice", "begins"),
    [
        ("auto", "root ::= "),
        ("required", "root ::= "),
        ({"type": "function", "function": {"name": "news"}}, 'root ::= "!call news'),
    ],
)
def test_a_request_gets_a_grammar_that_vllm_takes(
    parser_class: Any, choice: Any, begins: str
) -> None:
    from vllm.sampling_params import SamplingParams
    from vllm.v1.structured_output.backend_xgrammar import validate_xgrammar_grammar

    schema = {"name": "s", "schema": {"type": "object"}}
    form = {"type": "json_schema", "json_schema": schema} if choice != "auto" else None
    request = chat(tool_choice=choice, response_format=form, parallel_tool_calls=False)
    adjusted = parser_class(Tokenizer(), request.tools).adjust_request(request)
    assert adjusted.response_format is None
    assert adjusted.structured_outputs.grammar.startswith(begins)
    params = adjusted.to_sampling_params(100, {})
    assert params.structured_outputs.grammar == adjusted.structured_outputs.grammar
    validate_xgrammar_grammar(SamplingParams(structured_outputs=params.structured_outputs))


def test_a_request_of_responses_gets_one_too(parser_class: Any) -> None:
    tools = [{"type": "function", "strict": None, **tool["function"]} for tool in TOOLS]
    request = ResponsesRequest.model_validate(
        {"model": "m", "input": "?", "tools": tools, "tool_choice": "required"}
    )
    adjusted = parser_class(Tokenizer(), request.tools).adjust_request(request)
    assert "!call news" in adjusted.structured_outputs.grammar
    _, _, calls = parser_class(Tokenizer(), request.tools).parse(TEXTS["one"], request, True)
    assert [call.name for call in calls] == ["weather"]


def test_what_is_left_alone(parser_class: Any) -> None:
    for more in ({"tool_choice": "none"}, {"structured_outputs": {"regex": "a"}}):
        request = chat(**more)
        before = request.model_dump()
        adjusted = parser_class(Tokenizer(), request.tools).adjust_request(request)
        assert adjusted.model_dump() == before
    request = chat(tool_choice="none")
    reply = streamed(parser_class(Tokenizer(), request.tools), list(TEXTS["one"]), request)
    assert reply == (TEXTS["one"], "", [])


def test_json_beside_tools_is_refused(parser_class: Any) -> None:
    request = chat(response_format={"type": "json_object"})
    with pytest.raises(ValueError, match="response_format with tools"):
        parser_class(Tokenizer(), request.tools).adjust_request(request)
