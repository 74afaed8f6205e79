"""Test that the effect of retries is counted, with a scripted model."""

from dataclasses import dataclass, field
from typing import Any

from lton.errors import Code
from lton_bench.study.calls.retrying import Count, count, from_case, row
from lton_bench.study.tasks import Case

TOOL = {
    "name": "wait",
    "description": "",
    "parameters": {
        "type": "dict",
        "properties": {"minutes": {"type": "integer"}},
        "required": ["minutes"],
    },
}
CASE = Case(
    category="c",
    id="1",
    messages=[{"role": "user", "content": "Wait 5 minutes."}],
    tools=[{"type": "function", "function": TOOL}],
    answers=[{"wait": {"minutes": [5]}}],
)


@dataclass
class Chat:
    """A model that returns scripted answers of ten tokens each, and records its prompts."""

    texts: list[str]
    shown: list[str] = field(default_factory=list)
    sampled: list[int] = field(default_factory=list)
    prompts: list[int] = field(default_factory=list)

    def __call__(self, messages: list[dict[str, Any]]) -> str:
        self.shown.append(messages[-1]["content"])
        self.sampled.append(10)
        self.prompts.append(100)
        return self.texts.pop(0)


def test_what_is_right_at_first_and_what_after_all() -> None:
    """Answers count as right at first, right after an error, never readable, or readable but
    wrong.
    """
    total = Count()
    wrong = "wait(minutes=soon)"
    texts = ["wait(minutes=5)", wrong, "wait(minutes=5)", wrong, wrong, wrong, "wait(minutes=6)"]
    chat = Chat(texts)
    count(chat, [from_case(CASE)] * 4, total)
    assert total == Count(
        cases=4,
        read=2,
        right=1,
        read_after=3,
        right_after=2,
        first=40,
        sampled=70,
        prompts=700,
    )
    assert Code.TYPE.value in chat.shown[2]
    assert row("m | k", total) == "| m | k | 4 | 2 | 3 | 1 | 2 | 10 | 18 | 175 |"
