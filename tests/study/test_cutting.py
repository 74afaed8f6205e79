"""Test that the tasks print enough to be cut, can be solved, and are unsolved at the start."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from lton_bench.study.cutting import CUT, TOOLS, WHOLE, Work, kept, lay_out, markdown, solve
from lton_bench.study.cutting_tasks import LEAST, Task, tasks
from lton_bench.study.sandbox import run

OUTPUTS = Path(__file__).parents[1] / "context" / "compressed" / "outputs.jsonl.gz"
ALL = tasks(OUTPUTS)
WORK = Work(
    model="m",
    task="t",
    kind="test",
    way=WHOLE,
    is_solved=True,
    requests=2,
    prompt=1_000,
    sampled=20,
    cuts=0,
    read_again=0,
    seconds=1.0,
    said=(),
)


@pytest.fixture(autouse=True)
def _needs_namespaces(tmp_path: Path) -> None:
    """Skip a test that runs commands if this machine forbids namespaces of users."""
    try:
        run("true", tmp_path)
    except OSError:
        pytest.skip("needs namespaces of users")


def _says(*turns: Mapping[str, Any] | str) -> Any:
    """Return a model that says these turns, and keeps what it was asked."""
    asked: list[Sequence[Mapping[str, Any]]] = []

    def ask(chat: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        turn = turns[len(asked)]
        asked.append(list(chat))
        message: dict[str, Any] = {"content": turn if isinstance(turn, str) else None}
        if not isinstance(turn, str):
            function = {"name": turn["name"], "arguments": json.dumps(turn["arguments"])}
            message["tool_calls"] = [{"id": "c", "type": "function", "function": function}]
        usage = {"prompt_tokens": 10, "completion_tokens": 1}
        return {"choices": [{"message": message}], "usage": usage}

    ask.asked = asked  # type: ignore[attr-defined]
    return ask


def _call(name: str, **arguments: str) -> Mapping[str, Any]:
    return {"name": name, "arguments": arguments}


def _made(task: Task, folder: Path) -> tuple[str, int]:
    lay_out(task, folder)
    return run(task.command, folder)


def test_each_log_is_cut_and_has_the_answer(tmp_path: Path) -> None:
    for number, task in enumerate(each for each in ALL if each.kind == "log"):
        folder = tmp_path / str(number)
        folder.mkdir()
        text, status = _made(task, folder)
        assert status == 0
        assert len(text.encode()) > LEAST
        assert task.is_answered(text)
        assert not task.is_answered(f"x{task.answer}")


@pytest.mark.parametrize("kind", ["build", "test"])
def test_each_project_fails_at_first(kind: str, tmp_path: Path) -> None:
    """The output is long enough to be cut, and names a mistake."""
    if kind == "build" and not (which("make") and which("gcc")):
        pytest.skip("needs make and gcc")
    found = [each for each in ALL if each.kind == kind]
    assert len(found) == 8
    for task in found:
        folder = tmp_path / task.name
        folder.mkdir()
        text, status = _made(task, folder)
        assert status != 0
        assert task.is_shown(text)
        assert len(text.encode()) > LEAST
        assert ("error: " if kind == "build" else "FAIL: ") in text


def test_what_the_cut_outputs_have_is_counted() -> None:
    found = [each for each in ALL if each.name in ("compiler-14", "test-1")]
    found.append(replace(found[0], answer="not there"))
    assert list(kept(found)) == [("log", 2, 1), ("test", 1, 1)]


def test_a_project_that_is_mended_is_solved(tmp_path: Path) -> None:
    """Changed tests are restored before the project is judged."""
    task = next(each for each in ALL if each.name == "test-1")
    wrong, right = "min(low, max(value, high))", "max(low, min(value, high))"
    edit = _call("edit", path="small.py", old=wrong, new=right)
    spoil = _call("bash", command="echo > test_small.py")
    cases: list[tuple[list[Any], bool]] = [
        ([edit, "Done."], True),
        ([spoil, "Done."], False),
        (["Done."], False),
    ]
    for number, (turns, expected) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        ask = _says(*turns)
        is_solved, usages, done = solve(ask, task, folder)
        assert is_solved is expected
        assert len(usages) == len(turns)
        assert done[-1] == "Done."
    assert [each["content"] for each in ask.asked[0] if each["role"] == "user"][-1] == task.prompt


def test_calls_that_fail_get_an_error(tmp_path: Path) -> None:
    """The model is shown the error, and nothing outside of the folder is changed."""
    (tmp_path / "outside").write_text("a")
    folder = tmp_path / "project"
    folder.mkdir()
    task = Task(name="t", kind="log", prompt="", files={"a.txt": "b b"}, command="", answer="yes")
    turns: list[Any] = [
        _call("edit", path="a.txt", old="b", new="c"),
        _call("edit", path="../outside", old="a", new="c"),
        _call("edit", path="none.txt", old="a", new="c"),
        _call("bash", cmd="ls"),
        _call("bash", command="echo x > ../outside"),
        "yes",
    ]
    ask = _says(*turns)
    is_solved, _, _ = solve(ask, task, folder)
    assert is_solved
    results = [each["content"] for each in ask.asked[-1] if each["role"] == "tool"][-5:]
    for result, words in zip(
        results,
        ["found it 2 times", "outside", "No such file", "expected", "Read-only"],
        strict=True,
    ):
        assert words in result
    assert (tmp_path / "outside").read_text() == "a"
    assert (folder / "a.txt").read_text() == "b b"
    assert [each["function"]["name"] for each in TOOLS] == ["bash", "edit"]


def test_a_model_that_repeats_itself_is_stopped(tmp_path: Path) -> None:
    task = Task(name="t", kind="log", prompt="", files={}, command="", answer="yes")
    again = _call("bash", command="echo a")  # the first call is that of the task
    is_solved, usages, done = solve(_says(again, again, again, "yes"), task, tmp_path)
    assert (is_solved, len(usages), done) == (False, 2, ['bash {"command": "echo a"}'] * 2 + [""])


def test_the_page_compares_pairs() -> None:
    """A task that was done in one way only is left out."""
    found = [
        WORK,
        replace(WORK, way=CUT, is_solved=False, prompt=500, cuts=1, read_again=1),
        replace(WORK, task="u"),
        replace(WORK, task="u", way=CUT, prompt=300, cuts=1),
        replace(WORK, task="v"),
    ]
    page = markdown(found, [("test", 8, 7)])
    assert "| test | 8 | 7 |" in page
    assert "## m: 2 tasks" in page
    assert "Cut less whole: -0.500" in page
    assert "1 only with whole ones" in page
    assert "prompt tokens: 0.40 [0.30, 0.50]" in page
    assert "cut in 2 tasks, and the whole of one was read again in 1" in page
    assert "| test | 2 | 1 | 1 | 2 |" in page
