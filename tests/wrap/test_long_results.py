"""Test how the hook cuts long results, and stores them in files."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from lton._shells import can_be_cut
from lton.wrap.long_results import (
    LEAST,
    ResultCutter,
    ResultFolder,
    cut_to_budget,
    try_make_session_folder,
)

LOG = "".join(
    f"[{n:04d}] compiling module_{n * 37 % 911} of the project with flags -O{n % 3}\n"
    if n != 400
    else "src/parser.c:88:5: error: unknown type name 'token_t'\n"
    for n in range(700)
)
NOTE = "tokens left out; all of it: "


@pytest.fixture
def folder(tmp_path: Path) -> ResultFolder:
    return ResultFolder(tmp_path)


def show_result(
    text: str, folder: ResultFolder, tool: str = "Bash", arguments: Any = None, words: str = ""
) -> str:
    """Return the result of a call as the model is shown it."""
    cutter = ResultCutter(folder, words=words)
    cutter.note_call("c", tool, {"command": "make"} if arguments is None else arguments)
    return cutter.shorten_result(text, "c", text)


def test_a_long_result_is_cut_and_kept(folder: ResultFolder) -> None:
    """The most informative lines stay, and the note names a file that only this user can read."""
    result = show_result(LOG, folder)
    assert len(result) < len(LOG) / 4
    assert "error: unknown type name" in result
    note = result.splitlines()[-1]
    assert note.startswith("[")
    assert f" of {-(-len(LOG) // 4):,} {NOTE}" in note
    path = Path(note.partition(NOTE)[2].removesuffix("]"))
    assert path.read_text() == LOG
    assert path.parent == folder.path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert show_result(LOG, ResultFolder(folder.path)) == result


def test_the_agents_words_choose_what_stays(folder: ResultFolder) -> None:
    """The lines that stay match the agent's words before the call."""
    result = show_result(LOG, folder)
    name = next(f"module_{n}" for n in range(911) if f"module_{n} " not in result)
    assert f"{name} " in LOG
    assert f"{name} " in show_result(LOG, folder, words=f"Is {name} compiled?")


@pytest.mark.parametrize(
    ("tool", "arguments", "is_cut"),
    [
        ("Bash", {"command": "npm test 2>&1 | tail -n 900"}, True),
        ("Bash", {"command": "git diff main"}, True),
        ("Bash", {"command": "rg -n parser src"}, True),
        ("exec_command", {"cmd": ["bash", "-lc", "make"]}, True),
        ("Grep", {"pattern": "x"}, True),
        ("WebFetch", {"url": "https://example.org"}, True),
        ("mcp__tracker__list_issues", {}, True),
        ("Read", {"file_path": "a"}, False),
        ("Edit", {"file_path": "a"}, False),
        ("Write", {"file_path": "a"}, False),
        ("NotebookRead", {"path": "a"}, False),
        ("mcp__files__read_text_file", {"path": "a"}, False),
        ("mcp__files__get_file_contents", {"path": "a"}, False),
        ("ToolSearch", {"query": "a"}, False),
        ("mcp__playwright__browser_snapshot", {}, False),
        ("Task", {"prompt": "a"}, False),
        ("Bash", {"command": "cat a.py"}, False),
        ("Bash", {"command": "cd src && sed -n 1,900p a.py"}, False),
        ("Bash", {"command": "git show HEAD:a.py"}, False),
        ("Bash", {"command": "python -c 'print(open(\"a.py\").read())'"}, False),
        ("BashOutput", {"bash_id": "1"}, False),
        ("write_stdin", {"session_id": 1, "chars": "cat a\n"}, False),
        ("lookup", {}, False),
    ],
)
def test_what_a_model_may_edit_by_is_shown_whole(
    tool: str, arguments: Any, folder: ResultFolder, *, is_cut: bool
) -> None:
    """Only results of commands, searches and the web are cut, and results of unknown tools are
    whole.
    """
    assert can_be_cut(tool, arguments) == is_cut
    result = show_result(LOG, folder, tool, arguments)
    assert (NOTE in result) == is_cut
    assert is_cut or result == LOG


@pytest.mark.parametrize(
    "text",
    [
        "x" * 4 * LEAST,
        LOG * 9,
        f"Wall time: 0.1 seconds\nProcess exited with code 2\nOutput:\n{LOG}",
        f"<returncode>1</returncode>\n<output>\n{LOG}</output>",
        f"Exit code 127\n{LOG}",
        f"exit status: -1\n{LOG}",
    ],
)
def test_what_is_not_cut(text: str, folder: ResultFolder) -> None:
    assert show_result(text, folder) == text


@pytest.mark.parametrize("head", ["Process exited with code 0", "<returncode>0</returncode>"])
def test_what_did_not_fail_is_cut(head: str, folder: ResultFolder) -> None:
    """The output of a successful command is cut, even if a later line mentions a failure."""
    assert NOTE in cut_to_budget(f"{head}\n{LOG}exit code 1\n", "", folder)


def test_what_cannot_be_kept_is_sent_whole(tmp_path: Path) -> None:
    """If the file cannot be written, the result is sent whole: no folder, too many files, or
    another file.
    """
    assert cut_to_budget(LOG, "", ResultFolder(tmp_path / "none")) == LOG
    full = ResultFolder(tmp_path)
    full.left_out = {str(n): 1 for n in range(1_000)}
    assert cut_to_budget(LOG, "", full) == LOG
    name = cut_to_budget(LOG, "", ResultFolder(tmp_path)).partition(NOTE)[2].removesuffix("]")
    Path(name).write_text("something else")
    assert cut_to_budget(LOG, "", ResultFolder(tmp_path)) == LOG


def test_who_reads_often_is_sent_results_whole(folder: ResultFolder) -> None:
    """What is read from the folder is whole, and counted; after two such reads, all is whole."""
    cutter = ResultCutter(folder)
    for at in range(5):
        cutter.note_call(f"c{at}", "Bash", {"command": "make"})
    texts = [LOG.replace("0", f"{at}") for at in range(5)]
    assert all(
        NOTE in cutter.shorten_result(text, f"c{at}", text) for at, text in enumerate(texts[:4])
    )
    for at in range(2):
        cutter.note_call(f"r{at}", "Bash", {"command": f"grep module {folder.path}/x.txt"})
        assert cutter.shorten_result(LOG, f"r{at}", LOG) == LOG
    assert folder.read_again == dict.fromkeys(("r0", "r1"), -(-len(LOG) // 4))
    assert not folder.is_off
    assert cutter.shorten_result(texts[4], "c4", texts[4]) == texts[4]
    assert folder.is_off


def test_a_folder_is_one_sessions(tmp_path: Path) -> None:
    """A folder belongs to one session: its name is stable, old folders are removed, and others' are
    not used.
    """
    base = tmp_path / "lton"
    first = try_make_session_folder("/work", base)
    assert first
    assert stat.S_IMODE(first.path.stat().st_mode) == 0o700
    again = try_make_session_folder("/work", base)
    assert again
    assert again.path == first.path
    os.utime(first.path, (1, 1))
    assert try_make_session_folder("/other", base)
    assert not first.path.exists()
    base.chmod(0o777)
    assert try_make_session_folder("/work", base) is None or os.getuid() == 0
    assert try_make_session_folder("/work", tmp_path / "none" / "lton") is None
