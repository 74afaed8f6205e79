"""Test that the benchmark of layouts makes the layouts that it times, and reports its goal."""

import pytest

from lton_bench.context import layouts


def test_the_table_has_a_row_for_each_size_and_budget(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(layouts, "SIZES", (10, 20))
    layouts.main()
    head, *rows, verdict = capsys.readouterr().out.splitlines()
    assert head.split("  ")[:3] == ["sections", "budget", "counting ms"]
    assert [row.split()[:2] for row in rows] == [
        [size, share] for size in ("10", "20") for share in ("100%", "50%", "10%")
    ]
    assert verdict.startswith("goal: 20 sections in 50 ms beside counting: m")
