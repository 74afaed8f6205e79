"""Test the server of the studies before mistral.rs, with a real model."""

from dataclasses import replace

import pytest

from lton.probe.asking import ChatClient
from lton_bench.demo import model_path
from lton_bench.study.servers.mistral_server import serving

pytestmark = pytest.mark.engines


def test_mistral_rs_answers_in_the_chat_completions_api() -> None:
    """The whole answer and the streamed answer are equal, and other paths are refused."""
    tool = {"name": "weather", "parameters": {"type": "object", "properties": {}}}
    tools = [{"type": "function", "function": tool}]
    with serving(model_path()) as url:
        client = ChatClient(url=url, model="default", tools=tools)
        whole, streamed = (
            client.ask("Hi!", stream=is_streamed, max_tokens=4) for is_streamed in (False, True)
        )
        refused = client.ask("Hi!", stream=False, max_tokens=-1)
    assert whole.text
    assert whole.error == ""
    assert replace(streamed, seconds=whole.seconds) == whole
    assert refused.error
