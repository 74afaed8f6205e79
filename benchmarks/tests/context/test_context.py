"""Test the benchmark of contexts, on invented conversations."""

import gzip
import json
from pathlib import Path

import pytest

from lton.tokens import counter
from lton_bench.context import bills
from lton_bench.context.__main__ import main


def test_the_table_says_what_is_billed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table shows the bill of conversations in a file, and each result was recalled
    unchanged.
    """
    monkeypatch.setattr(bills, "TURNS", 30)
    (chat, _) = bills.sample()
    data = tmp_path / "chats.jsonl.gz"
    data.write_bytes(gzip.compress(json.dumps({"messages": chat[:41]}).encode()))
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
    """Return the made-up conversations, of 10 turns, and make the programs use them."""
    chats = [chat[:41] for chat in bills.sample()]
    monkeypatch.setattr(bills, "sample", lambda: chats)
    monkeypatch.setattr(bills, "TURNS", 10)
    return chats


def test_the_parts_of_the_bill_are_all_of_it(
    short_chats: list[bills.Chat], capsys: pytest.CaptureFixture[str]
) -> None:
    joined, tokenizer = short_chats[:1], counter("bytes")
    shares = bills.parts(joined, tokenizer)
    pays, base = (
        bills.measure(joined, way, tokenizer) for way in (bills.transcript_way(), bills.as_it_is)
    )
    assert sum(shares.values()) == pytest.approx(pays.billed[0] / base.billed[0])
    assert shares["tool"] > shares["user"] > shares["system"]
    main(["--parts", "--tokenizer", "bytes"])
    assert "made up: system 0." in capsys.readouterr().out


def test_quotations_are_of_earlier_results() -> None:
    long = "The quick brown fox jumps over the lazy dog and back"
    chat = [
        {"role": "tool", "content": long},
        {"role": "assistant", "content": f"It says: {long[5:50]}."},
        {"role": "assistant", "content": "It says nothing."},
    ]
    quotations = bills.quotations(chat)
    assert {len(quotation) for quotation in quotations.values()} == {6, 0}
    without_results = bills.measure([chat[:2]], lambda *_: iter([[]]), counter("bytes"))
    assert (without_results.quoting, without_results.harmed) == (1, 1)
    unchanged = bills.measure([chat[:2]], bills.as_it_is, counter("bytes"))
    assert (unchanged.quoting, unchanged.harmed, unchanged.rewritten) == (1, 0, 0)
