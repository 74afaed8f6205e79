"""Test the sums of what other levers could save on recorded sessions."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from lton.tokens import counter
from lton_bench.gateway import bill_levers
from lton_bench.gateway.bill_levers import Servers, Session

BYTES = counter("bytes")
FILE = "the first line of a file\n" * 10
WARM = {"cache_creation_input_tokens": 100, "cache_read_input_tokens": 9_000}
COLD = {"cache_creation_input_tokens": 9_100, "cache_read_input_tokens": 0}


def answer(number: int, name: str, arguments: Any, **usage: int) -> dict[str, Any]:
    """Return the line of an answer with one call, whose id is the number."""
    call = {"type": "tool_use", "id": f"call_{number}", "name": name, "input": arguments}
    counts = {"input_tokens": 0, "output_tokens": 10, **WARM, **usage}
    message = {"role": "assistant", "id": f"msg_{number}", "content": [call], "usage": counts}
    return {"type": "assistant", "message": message}


def result(number: int, content: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": content}
    return {"type": "user", "message": {"role": "user", "content": [block, "odd"]}}


def read_lines(folder: Path, *lines: Any) -> Session:
    log = folder / "session.jsonl"
    log.write_text("not JSON\n[1]\n" + "".join(f"{json.dumps(line)}\n" for line in lines))
    return bill_levers.read_session(log)


def read_twice(*, usage: dict[str, int], command: str = "", part: Any = None) -> list[Any]:
    """Return a session that reads a file twice, and then makes three requests."""
    path = {"file_path": "a.py"}
    return [
        answer(0, "Read", {**path, **(part or {})}),
        result(0, FILE),
        answer(1, "Read", path),
        result(1, [{"type": "text", "text": "another text of this file"}]),
        answer(2, "Bash", {"command": "ls"}, **usage),
        result(2, "a.py"),
        answer(3, "Bash", {"command": command}),
    ]


def test_a_superseded_result_is_replaced_in_a_cold_cache(tmp_path: Path) -> None:
    """The rewritten request saves at the price of writing, and a later one at that of reading."""
    session = read_lines(tmp_path, *read_twice(usage=COLD))
    saving = bill_levers.replace_superseded(session, BYTES)

    tokens = BYTES.count(FILE).tokens - bill_levers.NOTE_TOKENS
    assert saving.saved == pytest.approx(tokens * (1.25 + 0.1))
    assert saving.harmed == 0


def test_a_part_of_a_file_is_superseded_by_the_whole(tmp_path: Path) -> None:
    """The whole file shows the part, and a part does not show the whole file."""
    lines = read_twice(usage=COLD, part={"offset": 3})
    assert bill_levers.replace_superseded(read_lines(tmp_path, *lines), BYTES).saved > 0
    lines[0], lines[2] = answer(0, "Read", {"file_path": "a.py"}), lines[0]
    lines[2]["message"]["id"] = "msg_1"
    lines[2]["message"]["content"][0]["id"] = "call_1"
    assert bill_levers.replace_superseded(read_lines(tmp_path, *lines), BYTES).saved == 0


def test_nothing_is_replaced_in_a_warm_cache(tmp_path: Path) -> None:
    session = read_lines(tmp_path, *read_twice(usage=WARM))
    assert bill_levers.replace_superseded(session, BYTES).saved == 0


def test_a_quotation_of_a_replaced_result_is_harmed(tmp_path: Path) -> None:
    session = read_lines(tmp_path, *read_twice(usage=COLD, command="the first line of a file"))
    assert bill_levers.replace_superseded(session, BYTES).harmed == 1


def test_compacted_results_save_nothing(tmp_path: Path) -> None:
    """After a compaction, the prompt has no earlier result."""
    small = {"cache_creation_input_tokens": 900, "cache_read_input_tokens": 0}
    session = read_lines(tmp_path, *read_twice(usage=small))
    assert bill_levers.replace_superseded(session, BYTES).saved == 0


def test_an_edit_by_lines_saves_the_old_text(tmp_path: Path) -> None:
    """It saves the text in the answer, and in later prompts until a compaction."""
    edit = {"file_path": "a.py", "old_string": "x" * 104, "new_string": "y"}
    lines = [answer(0, "Edit", edit), answer(1, "Bash", {}), answer(2, "Bash", {})]
    saving = bill_levers.edit_by_lines(read_lines(tmp_path, *lines), BYTES)
    assert saving.saved == pytest.approx(20 * (5 + 1.25 + 0.1))
    lines[2]["message"]["usage"] |= {"cache_read_input_tokens": 0}
    saving = bill_levers.edit_by_lines(read_lines(tmp_path, *lines), BYTES)
    assert saving.saved == pytest.approx(20 * (5 + 1.25))
    saving = bill_levers.edit_by_lines(read_lines(tmp_path, lines[0]), BYTES)
    assert saving.saved == pytest.approx(20 * 5)


def test_deferred_definitions_are_loaded_by_requests(tmp_path: Path) -> None:
    """The first requests load definitions, which later requests contain."""
    session = read_lines(tmp_path, answer(0, "Bash", {}, **COLD), answer(1, "Bash", {}))
    saving = bill_levers.defer_definitions(session, Servers(10, 1_000, 100))

    loads = 2 * ((9_100 + 100) * 0.1 + 40 * 5 + 140 * 1.25) + 140 * 0.1
    assert saving.base == pytest.approx(1_000 * 1.35)
    assert saving.saved == pytest.approx(900 * 1.35 - loads)


def test_the_program_prints_a_row_for_each_lever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answers of other origin are no requests, and short sessions are left out."""
    folder = tmp_path / "project"
    folder.mkdir()
    lines = [*read_twice(usage=COLD), answer(4, "Bash", {}), answer(5, "Bash", {})]
    error = answer(6, "Bash", {})
    error["isApiErrorMessage"] = True
    synthetic = answer(7, "Bash", {})
    synthetic["message"]["model"] = "<synthetic>"
    text = {"type": "text", "text": "Done."}
    again = answer(5, "Bash", {}, output_tokens=20)
    again["message"]["content"] = [text]
    read_lines(folder, *lines, error, synthetic, again, result(99, "of another session"))
    (folder / "short.jsonl").write_text(json.dumps(answer(0, "Bash", {})))
    monkeypatch.setattr(sys, "argv", ["bill_levers", str(folder)])
    bill_levers.main()

    rows = capsys.readouterr().out.splitlines()
    assert rows[2].startswith("| superseded results | project: 1 | 6 | 0.")
    assert len(rows) == 2 + 2 * 4
