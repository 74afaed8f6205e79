"""Test the benchmark of contexts, on invented conversations."""

import gzip
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lton.tokens import TurnCache, counter
from lton_bench.context import bills, pictures
from lton_bench.context import peers as context_peers
from lton_bench.context.__main__ import main


def test_the_table_says_what_is_billed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table shows the bill of conversations in a file, and each result was recalled
    unchanged.
    """
    monkeypatch.setattr(bills, "TURNS", 60)
    (chat, _) = bills.sample()
    data = tmp_path / "chats.jsonl.gz"
    data.write_bytes(gzip.compress(json.dumps({"messages": chat[:81]}).encode()))
    main(["--tau", str(data), "--tokenizer", "bytes"])
    printed = capsys.readouterr().out
    rows = [[cell.strip() for cell in line.split("|")] for line in printed.splitlines()]
    names = [cells[1] for cells in rows if len(cells) > 8]
    assert names[:-1] == ["billed cost", "---", *bills.WAYS]
    assert rows[7][2:] == rows[4][2:], "a gateway sends what a transcript shows"
    as_it_is, first, pays, short, always = (list(map(float, cells[2:4])) for cells in rows[2:7])
    assert as_it_is == first == [1, 1], "JSON stays, and nothing else is long"
    assert max(pays) <= 1
    assert max(short) < 1
    assert [cells[4] for cells in rows[2:6]] == ["0, 0"] * 4
    assert rows[3][7] == "0", "first sight rewrites nothing"
    assert always != pays
    assert printed.endswith("came back byte for byte.\n")


@pytest.fixture
def short_chats(monkeypatch: pytest.MonkeyPatch) -> list[bills.Chat]:
    """Return the made-up conversations, of 20 turns, and make the programs use them."""
    chats = [chat[:81] for chat in bills.sample()]
    monkeypatch.setattr(bills, "sample", lambda: chats)
    monkeypatch.setattr(bills, "TURNS", 20)
    return chats


def test_the_parts_of_the_bill_are_all_of_it(
    short_chats: list[bills.Chat], capsys: pytest.CaptureFixture[str]
) -> None:
    joined, tokenizer = short_chats[:1], counter("bytes")
    found = bills.parts(joined, tokenizer)
    pays, base = (bills.measure(joined, way, tokenizer) for way in (bills.shown(), bills.as_it_is))
    assert sum(found.values()) == pytest.approx(pays.billed[0] / base.billed[0])
    assert found["tool"] > found["user"] > found["system"]
    main(["--parts", "--tokenizer", "bytes"])
    assert "made up: system 0." in capsys.readouterr().out


def test_pictures_show_the_parts_and_the_bills(
    short_chats: list[bills.Chat], tmp_path: Path
) -> None:
    """The pictures have the same bytes in each run, in light and dark colours."""
    chats = {"tau, 200 turns": short_chats}
    found = dict(pictures.pictures(chats, counter("bytes")))
    assert found == dict(pictures.pictures(chats, counter("bytes")))
    assert [*found] == ["context-parts.svg", "context-bills.svg"]
    parts, costs = found.values()
    assert ">results<" in parts
    assert "tau-bench, 200 turns (mean of 2 sessions)" in costs
    for svg in found.values():
        assert ElementTree.fromstring(svg).tag.endswith("svg")
        assert svg.count("prefers-color-scheme:dark") == 1
    main(["--tokenizer", "bytes", "--out", str(tmp_path)])
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(found)


def test_parts_are_those_of_all_requests() -> None:
    """A part counts in each request that contains it, so early parts count most often."""
    (chat, _) = bills.sample()
    tokenizer = counter("bytes")
    system, user = (TurnCache().count(tokenizer, each).tokens for each in chat[:2])
    found = pictures.requested([chat[:5]], tokenizer, 7)
    assert found["definitions"] == 14  # two requests
    assert (found["system"], found["user"]) == (2 * system, 2 * user)
    assert found["calls"] > 0
    assert found["tool"] > 0
    assert found["assistant"] == 0  # it is the last answer


def test_quotations_are_of_earlier_results() -> None:
    long = "The quick brown fox jumps over the lazy dog and back"
    chat = [
        {"role": "tool", "content": long},
        {"role": "assistant", "content": f"It says: {long[5:50]}."},
        {"role": "assistant", "content": "It says nothing."},
    ]
    found = bills.quotations(chat)
    assert {len(each) for each in found.values()} == {6, 0}
    gone = bills.measure([chat[:2]], lambda *_: iter([[]]), counter("bytes"))
    assert (gone.quoting, gone.harmed) == (1, 1)
    kept = bills.measure([chat[:2]], bills.as_it_is, counter("bytes"))
    assert (kept.quoting, kept.harmed, kept.rewritten) == (1, 0, 0)


def test_what_others_drop_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bench reports text that other libraries drop, and results without their calls; LTON drops
    nothing.
    """
    (chat, _) = bills.sample()
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
