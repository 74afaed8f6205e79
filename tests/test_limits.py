"""Test that each row of the table of limits has a probe with linear work, stopped by the limit."""

import sys
from importlib import import_module

import pytest

from docs.site.assemble import limit_of
from fuzz.limits.growth import PROBES, read_limits
from fuzz.limits.probe import Probe, count_growth, find_outcome
from tests.steps import GROWTH

pytestmark = pytest.mark.untraced
ROWS = read_limits()
_LOWERED = 200


def test_each_row_has_a_probe_and_each_probe_a_row() -> None:
    """Each row of the table has a probe, and each probe has a row."""
    assert [*ROWS] == [*PROBES]


@pytest.mark.parametrize("name", PROBES)
def test_twice_as_much_takes_at_most_two_and_a_half_times_the_steps(name: str) -> None:
    """Twice the input takes at most two and a half times the steps."""
    assert count_growth(PROBES[name]) < GROWTH


@pytest.mark.parametrize(
    "name",
    [name for name, row in ROWS.items() if "limit" in row and row.get("over") != "lowered"],
)
def test_more_than_the_limit_is_the_error_of_the_table(name: str) -> None:
    """Input at the limit is accepted, and larger input raises the error of the table."""
    row, most = ROWS[name], limit_of(ROWS[name]["limit"])
    few, many = (most // 2, 2 * most) if row.get("over") == "about" else (most, most + 1)
    assert find_outcome(PROBES[name], few) != row["error"]
    assert find_outcome(PROBES[name], many) == row["error"]


@pytest.mark.parametrize(
    "name", [name for name, row in ROWS.items() if row.get("over") == "lowered"]
)
def test_more_than_a_lowered_limit_is_the_error_of_the_table(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit that takes long to reach is lowered for the test, in every module that imported
    it.
    """
    row = ROWS[name]
    module_name, constant = row["limit"].split(":")
    usual = getattr(import_module(module_name), constant)
    for loaded_name, module in list(sys.modules.items()):
        if loaded_name.startswith("lton.") and vars(module).get(constant) is usual:
            monkeypatch.setattr(module, constant, _LOWERED)
    assert find_outcome(PROBES[name], _LOWERED // 4) != row["error"]
    assert find_outcome(PROBES[name], 4 * _LOWERED) == row["error"]


def test_a_limit_says_what_more_leads_to() -> None:
    """Each limit is a number above 0, and its row names the error."""
    limited = {name: row for name, row in ROWS.items() if "limit" in row}
    assert len(limited) > 30
    for name, row in limited.items():
        assert row["error"], name
        assert limit_of(row["limit"]) > 0, name


def test_quadratic_work_is_found() -> None:
    """The test can fail: quadratic work takes four times the steps for twice the input."""
    quadratic = Probe(
        lambda n: [*range(n)],
        lambda all_of: [all_of.count(i) + sum(map(abs, [i])) for i in all_of for _ in all_of],
        50,
    )
    assert count_growth(quadratic) > GROWTH
