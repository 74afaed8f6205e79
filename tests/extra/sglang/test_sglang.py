"""Test the detector in SGLang's own classes."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from tests.integrations.cases import TEXTS, TOOLS

function_call = pytest.importorskip("sglang.srt.function_call.function_call_parser")

from sglang.srt.entrypoints.openai.protocol import Tool, ToolChoice  # noqa: E402
from sglang.srt.plugins import load_plugins  # noqa: E402


def parser() -> Any:
    load_plugins()  # finds our entry point
    return function_call.FunctionCallParser([Tool(**tool) for tool in TOOLS], "lton")


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_stream_says_what_the_whole_says(text: str) -> None:
    content, calls = parser().parse_non_stream(text)
    expected = [(call.name, call.parameters) for call in calls]
    for seed in range(30):
        random = Random(seed)
        at = sorted(random.sample(range(1, len(text)), k=min(seed, len(text) - 1)))
        streaming, pieces, calls_by_index = parser(), "", dict[int, list[str]]()
        chunks = [text[start:end] for start, end in pairwise([0, *at, len(text)])]
        for more, items in [
            *map(streaming.parse_stream_chunk, chunks),
            streaming.parse_stream_end(),
        ]:
            pieces += more
            for item in items:
                if item.name:
                    assert item.tool_index == len(calls_by_index)
                    calls_by_index[item.tool_index] = [item.name, ""]
                calls_by_index[item.tool_index][1] += item.parameters
        assert pieces == content
        assert [tuple(call) for call in calls_by_index.values()] == expected


def test_what_is_said() -> None:
    content, calls = parser().parse_non_stream(TEXTS["one"])
    assert content == ""
    assert [(call.name, call.parameters) for call in calls] == [
        ("weather", '{"city":"Paris","days":3}')
    ]


@pytest.mark.parametrize(
    "choice", ["auto", "required", ToolChoice(function={"name": "news"})], ids=str
)
def test_a_request_gets_a_structural_tag_that_xgrammar_takes(choice: Any) -> None:
    import xgrammar

    kind, tag = parser().get_structure_constraint(choice, parallel_tool_calls=False)
    assert kind == "structural_tag"
    assert ("weather" in tag.model_dump_json()) == isinstance(choice, str)
    assert xgrammar.Grammar.from_structural_tag(tag)
