"""Test the named rankers, and a ranker of a caller."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from lton.context import ContextManager
from lton.context.compress import BM25, Unit, ranker_named
from lton.context.manager import replay_log
from lton.errors import SectionError
from lton.stores import open_store
from lton.tokens import counter

O200K = counter("o200k")
NOTES = "The clerk had tea. The museum opens in June. It rained. The clerk had tea again."


class Longest:
    """Rank units by their length."""

    id = "longest"

    def score(self, units: Sequence[Unit], query: str | None) -> Sequence[float]:
        return [float(len(unit.text)) for unit in units]


def test_a_manager_ranks_by_what_it_is_given(tmp_path: Path) -> None:
    """The audit names the ranker of a manager, and a new manager must use the same one."""
    log_file = tmp_path / "log"
    store = open_store("memory:")
    ranker = Longest()
    manager = ContextManager(budget=22, counter=O200K, store=store, audit=log_file, ranker=ranker)
    image = manager.ingest(refs=[("notes", NOTES * 5)], query="museum opens?")
    assert image.ranker == "longest"
    assert "museum opens" in image.text
    content = log_file.read_bytes()
    assert replay_log(content, store, counter, ranker=lambda _: ranker) == 1
    with pytest.raises(SectionError, match="lexical"):
        replay_log(content, store, counter)
    units = [Unit(0, 3, "tea")]
    assert ranker_named("bm25").score(units, "tea") == BM25().score(units, "tea")
