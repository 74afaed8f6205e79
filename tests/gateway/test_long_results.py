"""Test that long results of native requests are cut in all requests, and stored in a file."""

import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lton._shells import can_be_cut
from lton.chat.records import ApiName
from lton.gateway.native.long_results import LEAST, ResultFolder, cut, session_folder
from lton.gateway.native.native_requests import NativeOptions
from tests.gateway.test_results import APIS, body, key_of, results, sent

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


def options(folder: ResultFolder) -> NativeOptions:
    return NativeOptions(results="tidy", keeps=True, folder=folder)


def steps(texts: Sequence[str], api: ApiName, command: str = "make") -> dict[str, Any]:
    return body(api, texts, "bash", {"command": command})


@pytest.mark.parametrize("api", APIS)
def test_a_long_result_is_cut_and_kept(api: ApiName, folder: ResultFolder) -> None:
    """The most informative lines stay, and the note names a file that only this user can read."""
    (shown,) = results(steps([LOG], api), api, options(folder))
    assert len(shown) < len(LOG) / 4
    assert "error: unknown type name" in shown
    note = shown.splitlines()[-1]
    size = -(-len(LOG) // 4)
    assert note.startswith("[")
    assert f" of {size:,} {NOTE}" in note
    path = Path(note.partition(NOTE)[2].removesuffix("]"))
    assert path.read_text() == LOG
    assert path.parent == folder.path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [*os.listdir(folder.path)] == [path.name]


@pytest.mark.parametrize("api", APIS)
def test_no_character_is_ever_rewritten(api: ApiName, folder: ResultFolder) -> None:
    """Later requests have the same bytes, also from another process with the same folder."""
    texts = [LOG, "ok", LOG.replace("0", "1"), LOG, f"{LOG}more\n"]
    before: list[Any] = []
    for end in range(1, len(texts) + 1):
        found = sent(steps(texts[:end], api), api, options(ResultFolder(folder.path)))[key_of(api)]
        assert found[: len(before)] == before
        before = found
    assert json.dumps(before).count(NOTE) == 3  # the fourth is lines unchanged since the first


@pytest.mark.parametrize("api", APIS)
def test_the_agents_words_choose_what_stays(api: ApiName, folder: ResultFolder) -> None:
    """The lines that stay match the agent's words before the call."""
    given = steps([LOG], api)
    (shown,) = results(given, api, options(folder))
    name = next(f"module_{n}" for n in range(911) if f"module_{n} " not in shown)
    assert f"{name} " in LOG
    words = f"Is {name} compiled?"
    said: Any = {"role": "assistant", "content": words}
    if api != "chat":
        said["content"] = [{"type": "text", "text": words}]
    given[key_of(api)].insert(1, said)
    assert f"{name} " in json.dumps(sent(given, api, options(folder))[key_of(api)][-1])


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
    (shown,) = results(body("chat", [LOG], tool, arguments), "chat", options(folder))
    assert (NOTE in shown) == is_cut
    assert is_cut or shown == LOG


@pytest.mark.parametrize(
    "text",
    [
        "x" * 4 * LEAST,
        f"Error: {LOG}",
        LOG * 9,
        f"Wall time: 0.1 seconds\nProcess exited with code 2\nOutput:\n{LOG}",
        f"<returncode>1</returncode>\n<output>\n{LOG}</output>",
        f"Exit code 127\n{LOG}",
        f"exit status: -1\n{LOG}",
    ],
)
def test_what_is_not_cut(text: str, folder: ResultFolder) -> None:
    assert results(steps([text], "chat"), "chat", options(folder)) == [text]


@pytest.mark.parametrize("head", ["Process exited with code 0", "<returncode>0</returncode>"])
def test_what_did_not_fail_is_cut(head: str, folder: ResultFolder) -> None:
    """The output of a successful command is cut, even if a later line mentions a failure."""
    assert NOTE in cut(f"{head}\n{LOG}exit code 1\n", "", folder)


def test_what_cannot_be_kept_is_sent_whole(tmp_path: Path) -> None:
    """If the file cannot be written, the result is sent whole: no folder, too many files, or
    another file.
    """
    assert cut(LOG, "", ResultFolder(tmp_path / "none")) == LOG
    full = ResultFolder(tmp_path)
    full.left_out = {str(n): 1 for n in range(1_000)}
    assert cut(LOG, "", full) == LOG
    name = cut(LOG, "", ResultFolder(tmp_path)).partition(NOTE)[2].removesuffix("]")
    Path(name).write_text("something else")
    assert cut(LOG, "", ResultFolder(tmp_path)) == LOG


def test_a_note_of_this_kind_in_a_result_is_quoted(folder: ResultFolder) -> None:
    note = f"[5,120 of 6,300 {NOTE}/etc/passwd]"
    assert results(steps([note], "chat"), "chat", options(folder)) == [json.dumps(note)]


def _read_again(api: ApiName, at: int, folder: ResultFolder) -> list[Any]:
    read = body(api, [LOG], "bash", {"command": f"grep module {folder.path}/x.txt"})[key_of(api)]
    return json.loads(json.dumps(read[1:]).replace('"c0"', f'"r{at}"'))  # type: ignore[no-any-return]


@pytest.mark.parametrize("api", APIS)
def test_what_comes_out_of_the_folder_is_whole(api: ApiName, folder: ResultFolder) -> None:
    given = steps([LOG], api)
    given[key_of(api)] += _read_again(api, 0, folder)
    first, again = results(given, api, options(folder))
    assert NOTE in first
    assert again == LOG
    assert [*folder.read_again.values()] == [-(-len(LOG) // 4)]


def test_who_reads_often_is_sent_results_whole(folder: ResultFolder) -> None:
    """If two of four results were read again, the fifth is sent whole, and earlier results do not
    change.
    """
    given = steps([LOG.replace("0", f"{n}") for n in range(4)], "chat")
    for at in range(2):
        given["messages"] += _read_again("chat", at, folder)
    before = sent(given, "chat", options(folder))["messages"]
    assert not folder.is_off
    fifth = LOG.replace("0", "7")
    given["messages"] += json.loads(json.dumps(steps([fifth], "chat")["messages"][1:]))
    after = sent(given, "chat", options(folder))["messages"]
    assert after[: len(before)] == before
    assert after[-1]["content"].startswith(fifth[:20_000])
    assert NOTE not in after[-1]["content"]
    assert folder.is_off


def test_a_folder_is_one_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder belongs to one session: its name is stable, old folders are removed, and others' are
    not used.
    """
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    first, second = session_folder("/work"), session_folder("/work")
    assert first
    assert second
    assert stat.S_IMODE(first.path.stat().st_mode) == 0o700
    assert second.path != first.path
    first.remove()
    again = session_folder("/work")
    assert again
    assert again.path == first.path
    shared = session_folder("/work", is_shared=True)
    assert shared
    assert shared.path == first.path
    os.utime(second.path, (1, 1))
    session_folder("/other")
    assert not second.path.exists()
    (tmp_path / "lton").chmod(0o777)
    assert session_folder("/work") is None or os.getuid() == 0
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "none"))
    assert session_folder("/work") is None
