"""Test that the tasks are cut, can be solved, and are judged by their answers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lton._shells import can_be_cut
from lton_bench.study.cutting import CUT, TOOLS, WHOLE, Work, kept, lay_out, markdown, solve
from lton_bench.study.cutting_tasks import COMMAND, LEAST, Task, tasks
from lton_bench.study.sandbox import run

RECORDED = Path(__file__).parents[1] / "context" / "compressed"
ALL = tasks(RECORDED / "outputs.jsonl.gz", RECORDED / "tools.jsonl.gz")
TASK = Task(
    name="t",
    kind="build",
    program="make",
    words="",
    output="lines",
    question="Which?",
    answer="yes",
    more={"a.txt": "b b"},
)
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
    """Skip a test that runs commands if this machine forbids user namespaces."""
    try:
        run("true", tmp_path)
    except OSError:
        pytest.skip("needs namespaces of users")


def _says(*turns: Mapping[str, Any] | str) -> Any:
    """Return a model that returns these turns, and records its requests."""
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


def test_each_output_is_cut_and_has_what_its_answer_follows_from(tmp_path: Path) -> None:
    assert len({each.name for each in ALL}) == len(ALL) == 60
    for task in ALL:
        assert len(task.output.encode()) > LEAST
        assert task.is_shown(task.output)
        assert can_be_cut("bash", {"command": task.program})
        assert task.is_answered(task.answer)
        assert not task.is_answered(f"x{task.answer}")
        assert not task.is_answered(task.output)
    task = ALL[0]
    lay_out(task, tmp_path)
    assert run(COMMAND, tmp_path) == (task.output, 0)


def test_the_line_that_mends_a_module_is_the_answer() -> None:
    """The module has one wrong line; the question shows this line, and the answer is the right
    line.
    """
    found = [each for each in ALL if each.kind == "fix"]
    assert len(found) == 8
    for task in found:
        module = task.more["small.py"]
        assert module in task.question
        assert task.answer not in module
        assert "FAIL: " in task.output


def test_what_the_cut_outputs_have_is_counted() -> None:
    found = [each for each in ALL if each.name in ("compiler-14", "fix-clamp")]
    found.append(replace(found[-1], clue="not there"))
    assert sorted(kept(found)) == [("build", 2, 1), ("fix", 1, 1)]


def test_a_task_is_solved_by_a_short_reply_with_the_answer(tmp_path: Path) -> None:
    """A reply with the answer may follow calls, but a call with the answer is not a reply."""
    search = _call("bash", command="grep -c lines .ci/log")
    cases: list[tuple[list[Any], bool]] = [
        (["yes"], True),
        ([search, "It says yes."], True),
        (["It may say yes.\nAnswer: no"], False),
        (["x" * 300 + "\nAnswer: yes"], True),
        (["yes " * 100], False),
        ([_call("bash", command=f"echo yes {at}") for at in range(5)], False),
    ]
    for number, (turns, expected) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        ask = _says(*turns)
        is_solved, usages, done = solve(ask, TASK, folder)
        assert is_solved is expected
        assert len(usages) == len(turns)
        assert done[-1] == (turns[-1] if isinstance(turns[-1], str) else "")
        last = [each["content"] for each in ask.asked[-1]]
        assert ("1\n" in last) is (search in turns)
    assert ask.asked[0][-1]["content"].startswith("Which? Quote the line ")
    assert ask.asked[0][-3]["content"] == "lines"


def test_calls_that_fail_get_an_error(tmp_path: Path) -> None:
    """The model gets the error of a failed call, and nothing outside of the folder changes."""
    (tmp_path / "outside").write_text("a")
    folder = tmp_path / "project"
    folder.mkdir()
    turns: list[Any] = [
        _call("bash", cmd="ls"),
        _call("edit", path="a.txt"),
        _call("bash", command="echo x > ../outside"),
        "yes",
    ]
    ask = _says(*turns)
    is_solved, _, _ = solve(ask, TASK, folder)
    assert is_solved
    results = [each["content"] for each in ask.asked[-1] if each["role"] == "tool"][-3:]
    for result, words in zip(results, ["expected", "expected", "Read-only"], strict=True):
        assert words in result
    assert (tmp_path / "outside").read_text() == "a"
    assert (folder / "a.txt").read_text() == "b b"
    assert str(TOOLS).count("'function': {'name': 'bash'") == 1


def test_a_disposable_machine_needs_no_sandbox(tmp_path: Path) -> None:
    assert run("echo x > ../outside; pwd", tmp_path, is_confined=False) == (f"{tmp_path}\n", 0)
    (tmp_path.parent / "outside").unlink()


def test_a_model_that_repeats_itself_is_stopped(tmp_path: Path) -> None:
    again = _call("bash", command="echo a")
    is_solved, usages, done = solve(_says(again, again, again, "yes"), TASK, tmp_path)
    assert (is_solved, len(usages), done) == (False, 2, ['bash {"command": "echo a"}', ""])


def test_the_page_compares_pairs() -> None:
    """The page compares only tasks that were done in both ways."""
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
    assert "minus the share with whole results is -0.500" in page
    assert "1 only with whole results" in page
    assert (
        "prompt tokens with cut results, relative to whole results, are 0.40 [0.30, 0.50]" in page
    )
    assert "cut in 2 tasks, and the model read a whole result in 1" in page
    assert "| test | 2 | 1 | 1 | 2 | -0.500 [" in page
