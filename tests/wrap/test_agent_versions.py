"""Test how versions of an agent are compared (`make test-agents` runs them)."""

from dataclasses import replace
from typing import Any

import pytest

from tests.extra.agents.runs import Run
from tests.extra.agents.versions import differences

QUESTION = {"role": "user", "content": [{"type": "text", "text": "Hi"}]}
BODY = {"model": "m", "messages": [QUESTION], "tools": [{"name": "Read", "input_schema": {}}]}
PINNED = Run(0, "", {"a.txt": "x"}, [BODY])


def with_body(**members: Any) -> Run:
    return replace(PINNED, bodies=[{**BODY, **members}])


@pytest.mark.parametrize(
    ("newest", "sentences"),
    [
        (PINNED, []),
        (replace(PINNED, said="other words"), []),
        (with_body(model="other"), []),
        (replace(PINNED, status=1), ["it ends with status 1 instead of 0"]),
        (replace(PINNED, folder={"a.txt": "y"}), ["it leaves another content in a.txt"]),
        (replace(PINNED, folder={}), ["it leaves another content in a.txt"]),
        (replace(PINNED, bodies=[BODY, BODY]), ["it sends 2 requests instead of 1"]),
        (with_body(thinking={}), ["it also sends the field thinking"]),
        (
            with_body(tools=[{"type": "function", "function": {"name": "View", "strict": True}}]),
            [
                "it no longer sends the field input_schema of tools",
                "it no longer sends the tool Read",
                "it also sends the field function of tools",
                "it also sends the field strict of tools",
                "it also sends the field type of tools",
                "it also sends the tool View",
            ],
        ),
        (
            with_body(messages=[{"role": "system", "content": [{"type": "image", "url": "x"}]}]),
            [
                "it no longer sends messages of user",
                "it no longer sends parts of type text",
                "it no longer sends the field content in messages of user",
                "it no longer sends the field role in messages of user",
                "it no longer sends the field text in parts of type text",
                "it no longer sends the field type in parts of type text",
                "it also sends messages of system",
                "it also sends parts of type image",
                "it also sends the field content in messages of system",
                "it also sends the field role in messages of system",
                "it also sends the field type in parts of type image",
                "it also sends the field url in parts of type image",
            ],
        ),
    ],
)
def test_a_difference_is_named(newest: Run, sentences: list[str]) -> None:
    """Each difference in the end, the files or the features of requests has a sentence."""
    assert differences(PINNED, newest) == sentences
