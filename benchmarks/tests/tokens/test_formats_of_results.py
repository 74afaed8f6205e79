"""Test the data of the table of formats: recordings of APIs, and calls with nested arguments."""

import json
from pathlib import Path
from typing import Any

import pytest

from lton_bench.tokens import api_results as formats

TOOL = {"name": "find", "parameters": {"type": "object", "properties": {"at": {"type": "object"}}}}
ASKED = [{"function": [TOOL]}, {"function": [TOOL]}, {"function": [TOOL]}]
RIGHT: list[dict[str, Any]] = [
    {"ground_truth": {"find": {"at": {"x": 1}}}},
    {"ground_truth": [{"find": {"at": {}}}, {"find": {}}]},
    {"ground_truth": {"find": {"at": 3}}},
]


def lines(values: list[Any]) -> str:
    return "\n".join(map(json.dumps, values))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with files for all sources."""
    for name in ("_REPLAYED", "_CASSETTES", "_NOTION", "_ACEBENCH"):
        monkeypatch.setattr(formats, name, tmp_path)
    return tmp_path


def test_answers_are_taken_out_of_recordings(folder: Path) -> None:
    """Answers are extracted from recordings without requests, headers and the login."""
    (folder / "a.txt").write_text("https\nGET\n{'k': 1}\n200\n[('a', 'b')]\n[{\"id\":1}]\n\n")
    assert formats.github("a") == [[{"id": 1}]]
    responses = [
        {"response": {"body": {"string": text}}} for text in ('{"token":1}', '{"a":2}', "")
    ]
    (folder / "b.json").write_text(json.dumps({"interactions": responses}))
    assert formats.reddit("b") == [{"a": 2}]
    requests = [("/query", '{"c":3}'), ("/query", '{"c":30}'), ("/search", '{"c":300}')]
    interactions = [
        {"request": {"uri": uri}, "response": {"content": text}} for uri, text in requests
    ]
    (folder / "c.yaml").write_text(json.dumps({"interactions": interactions}))  # JSON is YAML
    assert formats.notion("c", "/query") == [{"c": 30}]


def test_calls_that_break_their_schema_are_left_out(folder: Path) -> None:
    """Calls that violate their schema are left out; other calls of the same question are kept."""
    (folder / "possible_answer").mkdir()
    for kind in ("object_deep", "object_short"):
        questions, right = (ASKED, RIGHT) if kind == "object_deep" else ([], [])
        (folder / f"data_normal_atom_{kind}.json").write_text(lines(questions))
        (folder / "possible_answer" / f"data_normal_atom_{kind}.json").write_text(lines(right))
    arguments = [call.call.arguments for call in formats.nested_calls()]
    assert arguments == [{"at": {"x": 1}}, {"at": {}}, {}]


def test_a_table_has_its_numbers_on_the_right() -> None:
    """Columns of numbers are aligned to the right, and the first column to the left."""
    assert formats.table(["a", "b"], [["x", "1"]]) == "| a | b |\n| --- | ---: |\n| x | 1 |\n"
