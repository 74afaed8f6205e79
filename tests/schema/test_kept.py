"""Test the caches of tools, of their shown text, and of their grammars."""

import pickle

import pytest

from lton import ToolSet
from lton.apis.chat_api import read_chat
from lton.errors import SchemaError
from lton.grammar.requests import make_cached_request, request
from lton.integrations.tool_parser import find_callable_tools
from lton.schema.toolset import compile_cached_tools

TOOLS = [{"type": "function", "function": {"name": "stop", "description": "Stop."}}]


def test_all_who_read_definitions_have_the_same_tools() -> None:
    body = {"model": "m", "messages": [], "tools": TOOLS}
    assert read_chat(body).tools is find_callable_tools(body)


def test_definitions_that_are_wrong_are_wrong_each_time() -> None:
    for _ in range(2):
        with pytest.raises(SchemaError) as caught:
            compile_cached_tools('[{},{"name":""}]')
        assert caught.value.pointer == "/0"


def test_a_grammar_is_kept_for_equal_tools() -> None:
    tools, same = (ToolSet.from_tools(TOOLS) for _ in range(2))
    cached = make_cached_request(tools, "vllm", sigil=True)
    assert cached == request(tools, "vllm", sigil=True)
    assert make_cached_request(same, "vllm", sigil=True) is cached
    assert make_cached_request(tools, "vllm", sigil=False) != cached


def test_what_is_kept_with_tools_is_theirs() -> None:
    """Cached texts belong to their toolset, with and without descriptions; copies are equal with
    the same hash.
    """
    tools = ToolSet.from_tools(TOOLS)
    for _ in range(2):
        assert "Stop." in tools.prompt()
        assert "Stop." not in tools.prompt(descriptions=False)
    copy = pickle.loads(pickle.dumps(tools))
    assert (copy, hash(copy)) == (tools, hash(tools))
    assert hash(tools.select()) != hash(tools)
