"""Test the bill of sessions with the short definitions of `lton wrap --lean`."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from lton.tokens import counter
from lton_bench.gateway import bill_lean

USAGE = {
    "input_tokens": 3,
    "cache_creation_input_tokens": 1_000,
    "cache_read_input_tokens": 20_000,
    "output_tokens": 10,
}
TOOLS = [
    {
        "name": name,
        "description": f"{name} things. " * 60,
        "input_schema": {"type": "object", "properties": {key: {"type": "string"} for key in keys}},
    }
    for name, keys in {"Agent": ["prompt", "kind"], "Read": ["path"]}.items()
]


def answer(number: int, *calls: tuple[str, dict[str, Any]], **usage: Any) -> str:
    """Return the lines of an answer: each call has a line of its own, as in real logs."""
    blocks: list[Any] = [{"type": "tool_use", "name": name, "input": it} for name, it in calls]
    lines = [
        {
            "type": "assistant",
            "message": {
                "role": "assistant",
                "id": f"msg_{number}",
                "content": [block],
                "usage": {**USAGE, **usage},
            },
        }
        for block in blocks or [{"type": "text", "text": "Done."}]
    ]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def write_folder(folder: Path, last_calls: list[tuple[str, dict[str, Any]]]) -> None:
    folder.mkdir()
    read = ("Read", {"path": "a"})
    earlier = "".join(answer(number, read, read) for number in range(5))
    (folder / "1.jsonl").write_text(f"no JSON\n[1]\n{earlier}")
    last = [answer(number, read) for number in range(4)]
    last.insert(1, answer(9, *last_calls))
    (folder / "2.jsonl").write_text("".join(last))
    (folder / "3.jsonl").write_text(answer(1))


def test_a_session_is_billed_with_short_definitions(tmp_path: Path) -> None:
    """Every request saves the shortened tokens at the cache's price; pieces are one request."""
    write_folder(tmp_path / "project", [])
    leans = dict(bill_lean.rows(tmp_path / "project", {"tools": TOOLS}, counter("o200k")))
    assert [*leans] == ["1.jsonl", "2.jsonl"]
    lean = leans["2.jsonl"]
    assert (lean.requests, [*lean.shortened], lean.called) == (5, ["Agent"], [])
    assert lean.bill == pytest.approx(5 * (3 + 1_250 + 2_000 + 50))
    assert lean.saved == pytest.approx(5 * 0.1 * lean.shortened["Agent"])


@pytest.mark.parametrize(
    ("call", "called"),
    [
        (("Agent", {"prompt": "x"}), ["Agent"]),
        (("Task", {"prompt": "x", "kind": "y"}), ["Agent"]),
        (("Other", {"prompt": "x", "z": "y"}), []),
    ],
)
def test_a_called_tool_costs_a_cache(
    call: tuple[str, dict[str, Any]], called: list[str], tmp_path: Path
) -> None:
    """After the call of a shortened tool, the prompt is written again, and nothing is saved."""
    write_folder(tmp_path / "project", [call])
    lean = dict(bill_lean.rows(tmp_path / "project", {"tools": TOOLS}, counter("o200k")))["2.jsonl"]
    tokens = lean.shortened["Agent"]
    assert lean.called == called
    expected = 2 * 0.1 * tokens - 20_000 * 1.15 if called else 5 * 0.1 * tokens
    assert lean.saved == pytest.approx(expected)


def test_writes_for_an_hour_have_their_price() -> None:
    usage = {**USAGE, "cache_creation": {"ephemeral_1h_input_tokens": 400}}
    request = bill_lean.Request(usage)
    assert request.price == pytest.approx(3 + 600 * 1.25 + 400 * 2 + 2_000 + 50)
    assert request.write_price == 2


def test_the_command_writes_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each session has a row, and each folder a last one."""
    write_folder(tmp_path / "project", [])
    (tmp_path / "request.json").write_text(json.dumps({"tools": TOOLS}))
    words = [str(tmp_path / "request.json"), str(tmp_path / "project")]
    monkeypatch.setattr(sys, "argv", ["bill_lean", *words])
    bill_lean.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == [
        "| project: 1.jsonl",
        "| project: 2.jsonl",
        "| **project**, 2 sessions",
    ]
    assert "0 more expensive" in lines[-1]
