"""The benchmark of contexts, on the conversations that it makes up."""

import gzip
import json
import re
from pathlib import Path

import pytest

from lton.tokens import counter
from lton_bench import context, context_peers


def test_the_table_says_what_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of data in a file; and every result was recalled before it says so."""
    monkeypatch.setattr(context, "TURNS", 60)
    (chat, _) = context.sample()
    data = tmp_path / "chats.jsonl.gz"
    data.write_bytes(gzip.compress(json.dumps({"messages": chat[:81]}).encode()))
    context.main(["--data", str(data), "--tokenizer", "bytes"])
    printed = capsys.readouterr().out
    assert printed.startswith("1 sessions, 61 turns, bytes, hot window of 3 turns\n")
    saved = re.search(r"^pointers, clear_at_least=0 .* (\d+\.\d)%", printed, re.MULTILINE)
    assert saved is not None
    assert float(saved[1]) > 50
    assert printed.endswith("each result came back as it was.\n")


def test_tools_take_the_calls_that_were_made() -> None:
    (chat, _) = context.sample()
    assert context.tools_of([chat]).prompt() == "find_item\n item"
    assert context._schema([{"a": 1}, {"a": 2.5, "b": [True]}]) == {
        "type": "object",
        "properties": {
            "a": {"type": ["integer", "number"]},
            "b": {"type": "array", "items": {"type": ["boolean"]}},
        },
        "required": ["a"],
    }
    assert context._schema([None]) == {}


def test_what_others_drop_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of ours is, nor of who keeps a file; a result without its call is an orphan."""
    (chat, _) = context.sample()
    peers: dict[str, context_peers.Peer] = {
        "ours": context_peers.ours,
        "the last turn": lambda session, *_: (list(session[-2:]), False),
        "the same, in a file": lambda session, *_: (list(session[-2:]), True),
    }
    monkeypatch.setattr(context_peers, "PEERS", peers)
    rows = context_peers.compare([chat[:81]], counter("bytes"))
    assert [row["gone"] for row in rows] == [0, 59, 0]
    assert [row["orphans"] for row in rows] == [0, 1, 1]
    assert [row["not_users_first"] for row in rows] == [0, 1, 1]
    assert rows[0]["saved"] > 0.5
    assert context_peers.table(rows).count("\n") == 5
