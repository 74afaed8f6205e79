"""Test that every kind of store follows the same rules, even if its process is killed."""

import re
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lton._require import write_install_command
from lton.errors import Code, MissingExtraError, StoreError
from lton.stores import Store, open_store, postgres
from lton.stores.contents import digest_of
from tests.stores.postgres import Server

ROOT = Path(__file__).parent.parent.parent
WRITER = """
import sys
from lton.stores import open_store

store = open_store(sys.argv[1])
at = len(store.entries("log"))
while True:
    entry = b"%d " % at * 300
    assert store.append("log", entry, at=at, contents=[b"beside %d" % at])
    print(at, flush=True)
    at += 1
"""
"""Appends, and acknowledges what it has appended, until it is killed."""
SHARER = """
import sys
from lton.stores import open_store

store, mark = open_store(sys.argv[1]), sys.argv[2]
while True:
    at = len(store.entries("log"))
    entry = f"{mark} {at} ".encode() * 200
    if store.append("log", entry, at=at, contents=[b"beside " + entry]):
        print(at, flush=True)
"""
"""Shares a log with others."""


POSTGRES = pytest.param("postgres", marks=pytest.mark.postgres)


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of a new store of a kind."""
    if request.param == "postgres":
        server: Server = request.getfixturevalue("server")
        return server.new()
    return f"sqlite:///{tmp_path}/store.db" if request.param == "sqlite" else "memory:"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with Server() as started:
        yield started


ALL = pytest.mark.parametrize("url", ["memory", "sqlite", POSTGRES], indirect=True)
SHARED = pytest.mark.parametrize("url", ["sqlite", POSTGRES], indirect=True)
numbers = count(1)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url) as opened:
        yield opened


@ALL
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(["a", "b\0é"]), st.binary(max_size=30))))
def test_a_log_is_what_was_appended_to_it(store: Store, appended: list[tuple[str, bytes]]) -> None:
    """A log has its entries in order, and each content can be read by its digest."""
    number = next(numbers)  # examples share the store, and have logs of their own
    logs: dict[str, list[bytes]] = {f"{number}a": [], f"{number}b\0é": []}
    for name, entry in appended:
        log = f"{number}{name}"
        assert store.append(log, entry, at=len(logs[log]), contents=[entry, entry + b"!"])
        assert not store.append(log, b"late", at=len(logs[log]))
        logs[log].append(entry)
    for log, entries in logs.items():
        assert store.entries(log) == entries
        assert store.entries(log, 1) == entries[1:]
    for _, entry in appended:
        assert store.get(digest_of(entry)) == entry
        assert store.get(digest_of(entry + b"!")) == entry + b"!"


@ALL
def test_nothing_of_a_refused_append_is_kept(store: Store) -> None:
    assert not store.append("log", b"entry", at=1, contents=[b"content"])
    for content in (b"entry", b"content"):
        with pytest.raises(StoreError, match="has no content") as caught:
            store.get(digest_of(content))
        assert caught.value.code == Code.STORE
    assert store.entries("log") == []


@ALL
def test_no_content_has_a_digest_that_is_none(store: Store) -> None:
    with pytest.raises(StoreError, match="has no content"):
        store.get("not hexadecimal")


@ALL
def test_names_of_logs_are_new(store: Store) -> None:
    """New logs have unused names, even if another process takes the next name."""
    first = store.new_log()
    assert (first, store.new_log()) == ("chat-1", "chat-2")
    assert store.append("chat-3", b"entry", at=0)
    assert store.new_log() == "chat-4"


@ALL
def test_threads_share_a_store(store: Store) -> None:
    """With several threads, each entry is appended once, at the reported position."""

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
    entries = store.entries("log")
    assert sorted(entries) == sorted(b"%c %d" % (m, n) for m in b"abc" for n in range(20))


def test_contents_are_kept_once(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/store.db") as store:
        for at in range(50):
            assert store.append("log", b"the same", at=at, contents=[b"x" * 100_000])
    database = sqlite3.connect(tmp_path / "store.db")
    assert database.execute("SELECT count(*) FROM contents").fetchone() == (2,)
    database.close()


def _killed(url: str, after: int) -> int:
    """Let a process append, kill it after the given number of entries, and return the last
    number.
    """
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, url], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    acknowledged = [int(writer.stdout.readline()) for _ in range(after)]
    writer.kill()
    remainder, _ = writer.communicate()
    assert writer.returncode != 0
    return max(acknowledged + [int(line) for line in remainder.splitlines()])


def check_kills(url: str, times: int) -> None:
    for turn in range(times):
        last = _killed(url, after=1 + turn % 7)
        with open_store(url) as store:
            entries = store.entries("log")
            assert len(entries) >= last + 1
            assert entries == [b"%d " % at * 300 for at in range(len(entries))]
            assert store.get(digest_of(b"beside %d" % (len(entries) - 1)))
            assert store.append("log", b"%d " % len(entries) * 300, at=len(entries))


@pytest.mark.untraced
@SHARED
def test_what_was_acknowledged_is_there_after_a_kill(url: str) -> None:
    """After a kill, all acknowledged entries are there and none is partial, and the next process
    continues.
    """
    check_kills(url, 30)


@pytest.mark.deep
@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_what_was_acknowledged_is_there_after_500_kills(url: str) -> None:
    check_kills(url, 500)


@pytest.mark.postgres
@pytest.mark.parametrize("url", ["postgres"], indirect=True)
@pytest.mark.parametrize("part", range(10))
def test_a_server_of_databases_keeps_it_through_500_kills(url: str, part: int) -> None:
    check_kills(url, 50)  # in parts: pytest takes a test of two minutes for one that hangs


@pytest.mark.postgres
@pytest.mark.parametrize("url", ["postgres"], indirect=True)
def test_what_was_acknowledged_is_there_after_the_server_dies(url: str, server: Server) -> None:
    """After the server dies, all acknowledged entries are there, and clients connect again."""
    with open_store(url) as store:
        for turn in range(5):
            writer = subprocess.Popen(
                [sys.executable, "-c", WRITER, url],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            assert writer.stdout is not None
            acknowledged = [int(writer.stdout.readline()) for _ in range(5 + turn)]
            server.stop("immediate")
            acknowledged += map(int, writer.communicate()[0].splitlines())
            server.start()
            entries = store.entries("log")
            assert len(entries) > max(acknowledged)
            assert entries == [b"%d " % at * 300 for at in range(len(entries))]
    with pytest.raises(StoreError, match="closed"):
        store.entries("log")


@pytest.mark.postgres
@pytest.mark.parametrize("url", ["postgres"], indirect=True)
def test_a_server_that_starts_again_is_waited_for(
    url: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store waits for a server that restarts, without a second append; a missing server is an
    error at once afterwards.
    """
    with open_store(url) as store:
        assert store.append("log", b"0", at=0)
        server.stop("immediate")
        starting = threading.Timer(1, server.start)
        starting.start()
        assert store.append("log", b"1", at=1)
        starting.join()
        assert not store.append("log", b"other", at=1)
        assert store.entries("log") == [b"0", b"1"]

        monkeypatch.setattr(postgres, "PATIENCE_S", 0.5)
        server.stop("immediate")
        with pytest.raises(StoreError, match="does not work"):
            store.entries("log")
        monkeypatch.setattr(postgres, "_PAUSE_S", None)  # a second wait would be an error
        for _ in range(20):
            with pytest.raises(StoreError, match="does not work"):
                store.entries("log")
        server.start()
        assert store.entries("log") == [b"0", b"1"]


@pytest.mark.postgres
@pytest.mark.parametrize("url", ["postgres"], indirect=True)
def test_an_append_whose_answer_was_lost_was_made(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An append whose answer was lost is neither repeated nor mistaken for another one."""
    with open_store(url) as store:
        assert isinstance(store, postgres.PostgresStore)
        calls, faults = list[bool](), store._convert_errors

        @contextmanager
        def lost() -> Iterator[None]:
            """Let the first append succeed, and end its connection before the answer."""
            with faults():
                yield
                if not calls:
                    calls.append(True)
                    store._database.close()
                    raise store._psycopg.OperationalError("the connection is lost")

        monkeypatch.setattr(store, "_convert_errors", lost)
        assert store.append("log", b"mine", at=0)
        assert calls
        assert not store.append("log", b"other", at=0)
        assert store.entries("log") == [b"mine"]


@pytest.mark.postgres
@pytest.mark.parametrize("url", ["postgres"], indirect=True)
def test_two_writers_of_one_log_and_the_server_are_killed(url: str, server: Server) -> None:
    """If two writers of one log and the server are killed, each position has the entry of its
    writer.
    """
    acknowledged: dict[int, bytes] = {}
    with open_store(url):
        pass  # makes the tables
    for turn in range(6):
        writers = {
            mark: subprocess.Popen(
                [sys.executable, "-c", SHARER, url, mark],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            for mark in (f"{turn}a", f"{turn}b")
        }
        first_lines = {mark: _line(writer) for mark, writer in writers.items()}
        if turn % 2:
            server.stop("immediate")
        else:
            for writer in writers.values():
                writer.kill()
        for mark, writer in writers.items():
            for at in map(int, (first_lines[mark] + writer.communicate()[0]).splitlines()):
                assert at not in acknowledged
                acknowledged[at] = f"{mark} {at} ".encode() * 200
        if turn % 2:
            server.start()
        with open_store(url) as store:
            entries = store.entries("log")
            assert {at: entries[at] for at in acknowledged} == acknowledged
            assert len(set(entries)) == len(entries)
            for entry in acknowledged.values():
                assert store.get(digest_of(b"beside " + entry)) == b"beside " + entry


def _line(writer: "subprocess.Popen[str]") -> str:
    assert writer.stdout is not None
    return writer.stdout.readline()


@pytest.mark.postgres
@pytest.mark.parametrize("url", ["postgres"], indirect=True)
def test_two_that_append_the_same_wait_for_each_other_in_no_circle(url: str) -> None:
    """Two writers with the same contents in different orders do not wait for each other in a
    circle.
    """

    def work(number: int) -> None:
        with open_store(url) as store:
            for at in range(30):
                contents = [b"%d %d" % (at, index) for index in range(20)]
                turned = contents[:: 1 - number % 2 * 2]
                outcomes.append(store.append(f"log {number}", b"entry", at=at, contents=turned))

    outcomes: list[bool] = []
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [True] * 120


@SHARED
def test_two_processes_share_a_store(url: str) -> None:
    """While one process appends, another reads acknowledged entries, and appends to its own log."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, url], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    with open_store(url) as store:
        for at in range(20):
            acknowledged = int(writer.stdout.readline())
            assert len(store.entries("log")) > acknowledged
            assert store.append("mine", b"%d" % at, at=at)
        writer.kill()
        writer.stdout.close()
        writer.wait()
        assert len(store.entries("mine")) == 20


@pytest.mark.parametrize("url", ["sqlite:///", "sqlite:", "redis://", "", "memory"])
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(StoreError, match="expected"):
        open_store(url)


def test_a_library_that_is_not_there_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(
        MissingExtraError,
        match=re.escape(
            f"psycopg is not installed; {write_install_command('psycopg[binary]>=3.2,<4')}"
        ),
    ):
        open_store("postgresql://localhost")


@pytest.mark.postgres
def test_a_server_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="does not work"):
        open_store(f"postgresql:///postgres?host={tmp_path}")


@pytest.mark.postgres
@pytest.mark.parametrize("url", ["postgres"], indirect=True)
def test_a_content_that_somebody_changed_is_found(url: str) -> None:
    """A content that was changed outside the store is found, if its tables allow such changes."""
    import psycopg

    with open_store(url) as store:
        assert store.append("log", b"entry", at=0)
        with psycopg.connect(url) as database:
            database.execute("UPDATE lton_contents SET content = %s", (b"entri",))
        with pytest.raises(StoreError, match="is damaged"):
            store.entries("log")


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    """A file with other data is refused and not changed."""
    (tmp_path / "text").write_text("no database" * 100)
    with pytest.raises(StoreError, match="not a database"):
        open_store(f"sqlite:///{tmp_path}/text")
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE mine (x)")
    other.close()
    with pytest.raises(StoreError, match="of another program"):
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
        with pytest.raises(StoreError, match="is damaged"):
            store.entries("log")
        with pytest.raises(StoreError, match="is damaged"):
            store.get(digest_of(b"entry"))


@pytest.mark.parametrize(
    ("damage", "entry"),
    [
        ("UPDATE entries SET position = 7 WHERE position = 1", 1),
        ("DELETE FROM entries WHERE position = 0", 0),
        ("DELETE FROM contents WHERE content = CAST('c' AS BLOB)", 2),
        ("UPDATE entries SET digest = 'text' WHERE position = 2", 2),
    ],
)
def test_a_log_with_a_gap_is_found(tmp_path: Path, damage: str, entry: int) -> None:
    """A log with a missing entry is an error; earlier, entries were skipped and writers waited for
    ever.
    """
    with open_store(f"sqlite:///{tmp_path}/store.db") as store:
        assert all(
            store.append("log", content, at=at) for at, content in enumerate([b"a", b"b", b"c"])
        )
        with sqlite3.connect(tmp_path / "store.db") as database:
            database.execute(damage)
        database.close()
        with pytest.raises(StoreError, match=f"entry {entry} of log is damaged"):
            store.entries("log")


def test_names_that_are_no_text_are_refused(tmp_path: Path) -> None:
    for name in ("a\0b", "\ud800"):
        with pytest.raises(StoreError):
            open_store(f"sqlite:///{tmp_path}/{name}")
    with open_store(f"sqlite:///{tmp_path}/store.db") as store, pytest.raises(StoreError):
        store.entries("beside-\ud800")


def test_a_database_in_memory_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store("sqlite:///:memory:") as store:
        assert store.append("notes", b"first", at=0)
        assert store.entries("notes") == [b"first"]
    assert [*tmp_path.iterdir()] == []
