"""Test replaying the conversations of logs, and the table of costs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lton.chat import Message, Thought, ToolCall, ToolResult
from lton.chat.records import Other, Text
from lton.cost import records
from lton.tokens import counter
from lton_bench import replay as replaying
from lton_bench.replay import Conversations, chat_of, main, replay

ROOT = Path(__file__).parents[3]
SESSIONS = ROOT / "tests/cost/sessions"


def said(*texts: str) -> list[dict[str, str]]:
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]


def test_requests_that_go_on_with_each_other_are_one_conversation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Requests that continue each other are one conversation, even if two conversations are
    interleaved.
    """
    monkeypatch.setattr(replaying, "_OPEN", 2)
    found = Conversations()
    for texts in (["a"], ["x"], ["a", "b", "c"], ["x", "y", "z"], ["only"]):
        for record in records({"model": "m", "messages": said(*texts)}):
            found.add(record)
    ended = [[each.text for each in messages] for messages in found.end()]
    assert ended == [["a", "b", "c"], ["x", "y", "z"], ["only"]]


def test_a_chat_is_what_can_be_sent_again() -> None:
    """Blocks of one turn become one message; a last call and content other than text are left
    out.
    """
    image = Other({"type": "image"})
    messages = [
        Message("system", (Text("S"),)),
        Message("developer", (Text("D", {"type": "input_text"}),)),
        Message("user", (Text("Look"), image)),
        Message("assistant", (Thought("hm"), Text("I look."))),
        Message("assistant", (ToolCall("f", {"a": 1}, "1"),)),
        Message("tool", (ToolResult((Text("x"), image), "1"),)),
        Message("assistant", (Text("More."), ToolCall("f", {}, "2"))),
    ]
    call = {"name": "f", "arguments": '{"a":1}'}
    assert chat_of(messages) == [
        {"role": "system", "content": "SD"},
        {"role": "user", "content": "Look"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [{"id": "1", "type": "function", "function": call}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "x"},
        {"role": "assistant", "content": "More."},
    ]


def test_the_command_prints_each_way(capsys: pytest.CaptureFixture[str]) -> None:
    """The first row is the unchanged conversation, and the other rows are relative to it."""
    logs = [str(SESSIONS / f"{name}.jsonl") for name in ("claude-code", "codex", "qwen-code")]
    assert main(logs) == 0
    out = capsys.readouterr().out
    head, *lines = out.splitlines()
    assert head.startswith("3 conversations")
    assert lines[0].split()[-6:-4] != lines[3].split()[-6:-4]
    rows = {line.split("  ")[0]: line.split()[-5:] for line in lines[:5]}
    assert [*rows] == [
        "as it is",
        "first sight",
        "first sight and pays (default)",
        "the same, JSON in short",
        "clear always",
    ]
    assert rows["as it is"][0] == "1.000"
    assert float(rows["the same, JSON in short"][0]) < 1
    assert (rows["as it is"][-1], rows["first sight"][-1]) == ("0", "0")


def test_the_prices_of_a_cache_are_those_of_the_bill(capsys: pytest.CaptureFixture[str]) -> None:
    """If reading from the cache is free, a request is billed only for its new tokens."""
    billed: dict[str, str] = {}
    for prices in ("openai", "local", "1,1"):
        assert main(["--prices", prices, str(SESSIONS / "codex.jsonl")]) == 0
        out, _ = capsys.readouterr()
        assert f"{'given' if prices == '1,1' else prices} prices (written to a cache 1," in out
        tokens, billed[prices] = out.splitlines()[1].split()[-7:-5]
    assert billed["1,1"] == tokens
    assert len({*billed.values()}) == 3


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ([""], "no answer"),
        (["", "x" * 99], "more than 50 characters"),
    ],
)
def test_what_cannot_be_sent_again_is_named(
    texts: list[str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "_MOST", 50)
    told: list[str] = []
    found = [tuple(Message.saying(each["role"], each["content"]) for each in said(*texts))]  # type: ignore[arg-type]
    assert replay(found, counter("bytes"), told.append).startswith("0 conversations")
    assert why in told[0]


def test_a_conversation_without_its_user_is_left_out() -> None:
    told: list[str] = []
    replay([(Message.saying("assistant", "Hi"),)], counter("bytes"), told.append)
    assert told == ["conversation 1 is left out: it does not begin with its user"]


def failing(error: Exception) -> Callable[..., Any]:
    def measure(*_: Any) -> Any:
        raise error

    return measure


def test_what_fails_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A conversation that fails is in no row, and is reported."""
    found = [[Message.saying("user", "Hi"), Message.saying("assistant", "Ho")]] * 2
    told: list[str] = []
    ways = {"a": failing(AssertionError("another view"))}
    monkeypatch.setattr(replaying, "ways", lambda _: ways)
    assert replay(found, counter("bytes"), told.append).startswith("0 conversations")
    assert told == [f"conversation {number} is left out: another view" for number in (1, 2)]


def test_an_empty_log_is_no_conversation(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text(json.dumps({"tools": []}))
    assert main([str(log)]) == 1
