"""Stores: every kind keeps the same promises, also when its process is killed."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton.context.stores import Store, digest_of, open_store
from lton.errors import Code, StoreError

ROOT = Path(__file__).parent.parent.parent
WRITER = """
import sys
from lton.context.stores import open_store

store = open_store(sys.argv[1])
at = len(store.entries("log"))
while True:
    entry = b"%d " % at * 300
    assert store.append("log", entry, at=at, contents=[b"beside %d" % at])
    print(at, flush=True)
    at += 1
"""
"""Appends, and acknowledges what it has appended, until it is killed."""


@pytest.fixture(params=["memory:", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    url = f"sqlite:///{tmp_path}/store.db" if request.param == "sqlite" else request.param
    with open_store(url) as opened:
        yield opened


KINDS = pytest.mark.parametrize("kind", ["memory:", "sqlite:///:memory:"])


@KINDS
@given(st.lists(st.tuples(st.sampled_from("ab"), st.binary(max_size=30))))
def test_a_log_is_what_was_appended_to_it(kind: str, appended: list[tuple[str, bytes]]) -> None:
    """In order, whatever it is, and each content is there by its digest."""
    with open_store(kind) as store:
        logs: dict[str, list[bytes]] = {"a": [], "b": []}
        for log, entry in appended:
            assert store.append(log, entry, at=len(logs[log]), contents=[entry, entry + b"!"])
            assert not store.append(log, b"late", at=len(logs[log]))
            logs[log].append(entry)
        for log, entries in logs.items():
            assert store.entries(log) == entries
            assert store.entries(log, 1) == entries[1:]
        for _, entry in appended:
            assert store.get(digest_of(entry)) == entry
            assert store.get(digest_of(entry + b"!")) == entry + b"!"


def test_nothing_of_a_refused_append_is_kept(store: Store) -> None:
    assert not store.append("log", b"entry", at=1, contents=[b"content"])
    for content in (b"entry", b"content"):
        with pytest.raises(StoreError, match="has no content") as caught:
            store.get(digest_of(content))
        assert caught.value.code == Code.STORE
    assert store.entries("log") == []


def test_no_content_has_a_digest_that_is_none(store: Store) -> None:
    with pytest.raises(StoreError, match="has no content"):
        store.get("not hexadecimal")


def test_names_of_logs_are_new(store: Store) -> None:
    """Also where somebody took the next name."""
    first = store.new_log()
    assert (first, store.new_log()) == ("chat-1", "chat-2")
    assert store.append("chat-3", b"entry", at=0)
    assert store.new_log() == "chat-4"


def test_threads_share_a_store(store: Store) -> None:
    """Each entry is appended once, at the position that its thread was told."""

    def work(mark: bytes) -> None:
        for number in range(20):
            at = len(store.entries("log"))
            while not store.append("log", b"%s %d" % (mark, number), at=at):
                at = len(store.entries("log"))

    threads = [threading.Thread(target=work, args=(mark,)) for mark in (b"a", b"b", b"c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = store.entries("log")
    assert sorted(found) == sorted(b"%c %d" % (m, n) for m in b"abc" for n in range(20))


def test_contents_are_kept_once(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/store.db") as store:
        for at in range(50):
            assert store.append("log", b"the same", at=at, contents=[b"x" * 100_000])
    database = sqlite3.connect(tmp_path / "store.db")
    assert database.execute("SELECT count(*) FROM contents").fetchone() == (2,)
    database.close()


def _killed(url: str, after: int) -> int:
    """Let a process append, kill it when it has acknowledged so many; get its last number."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, url], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    told = [int(writer.stdout.readline()) for _ in range(after)]
    writer.kill()
    rest, _ = writer.communicate()
    assert writer.returncode != 0
    return max(told + [int(line) for line in rest.splitlines()])


def check_kills(tmp_path: Path, times: int) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    for turn in range(times):
        last = _killed(url, after=1 + turn % 7)
        with open_store(url) as store:
            found = store.entries("log")
            assert len(found) >= last + 1
            assert found == [b"%d " % at * 300 for at in range(len(found))]
            assert store.get(digest_of(b"beside %d" % (len(found) - 1)))
            assert store.append("log", b"%d " % len(found) * 300, at=len(found))


@pytest.mark.untraced
def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path) -> None:
    """And nothing is half there; the next process goes on."""
    check_kills(tmp_path, 30)


@pytest.mark.deep
def test_what_was_acknowledged_is_there_after_500_kills(tmp_path: Path) -> None:
    check_kills(tmp_path, 500)


def test_two_processes_share_a_store(tmp_path: Path) -> None:
    """While one appends, another reads what is acknowledged, and appends to its own log."""
    url = f"sqlite:///{tmp_path}/store.db"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, url], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    with open_store(url) as store:
        for at in range(20):
            told = int(writer.stdout.readline())
            assert len(store.entries("log")) > told
            assert store.append("mine", b"%d" % at, at=at)
        writer.kill()
        writer.stdout.close()
        writer.wait()
        assert len(store.entries("mine")) == 20


@pytest.mark.parametrize("url", ["sqlite:///", "sqlite:", "redis://", "", "memory"])
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(StoreError, match="expected"):
        open_store(url)


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    """A file of something else is left alone."""
    (tmp_path / "text").write_text("no database" * 100)
    with pytest.raises(StoreError, match="not a database"):
        open_store(f"sqlite:///{tmp_path}/text")
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE mine (x)")
    other.close()
    with pytest.raises(StoreError, match="of something else"):
        open_store(f"sqlite:///{tmp_path}/other.db")
    with pytest.raises(StoreError, match="unable to open"):
        open_store(f"sqlite:///{tmp_path}/no/such/folder/store.db")


def test_a_changed_content_is_found(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    with open_store(url) as store:
        assert store.append("log", b"entry", at=0)
        database = sqlite3.connect(tmp_path / "store.db")
        database.execute("UPDATE contents SET content = ?", (b"entri",))
        database.commit()
        database.close()
        with pytest.raises(StoreError, match="no longer what it was"):
            store.entries("log")
        with pytest.raises(StoreError, match="no longer what it was"):
            store.get(digest_of(b"entry"))
