"""Test the table of cases that decides on the road of a request."""

from dataclasses import fields
from itertools import product
from typing import Any, get_args

import pytest

from lton.gateway.roads import CASES, Road, RoadFacts, RoadMode, choose_road

ROADS: list[tuple[dict[str, Any], Road]] = [
    ({"mode": "off", "has_tools": True}, Road.FORWARD),
    ({"mode": "guided", "has_tools": True, "has_api": True}, Road.GUIDED),
    ({"mode": "guided", "has_tools": False, "has_api": True}, Road.NATIVE),
    ({"mode": "guided", "has_tools": False}, Road.TRANSLATED),
    ({"mode": "native", "has_tools": True, "has_api": True}, Road.NATIVE),
    ({"mode": "native", "has_tools": True, "may_be_guided": True}, Road.GUIDED),
    ({"mode": "native", "has_tools": False, "may_be_guided": True}, Road.TRANSLATED),
    ({"mode": "native", "has_tools": False}, Road.TRANSLATED),
    ({"mode": "lton", "has_tools": True, "has_api": True}, Road.LTON),
    ({"mode": "lton", "has_tools": True, "only_counts": True}, Road.COUNTED),
    ({"mode": "lton", "has_tools": False, "only_counts": True}, Road.FORWARD),
    ({"mode": "lton", "has_tools": False, "may_be_fitted": True}, Road.FITTED),
    ({"mode": "lton", "has_tools": False, "has_own_text": True}, Road.FORWARD),
    ({"mode": "lton", "has_tools": False, "has_api": True}, Road.TEXT),
]


@pytest.mark.parametrize(("facts", "road"), ROADS)
def test_the_first_case_that_fits_decides(facts: dict[str, Any], road: Road) -> None:
    assert choose_road(RoadFacts(**facts)) is road


def test_every_case_decides_for_some_request() -> None:
    """No case is hidden by the cases before it, and every request has a road."""
    flags = [field.name for field in fields(RoadFacts) if field.name != "mode"]
    deciding = set[int]()
    for mode, *values in product(get_args(RoadMode), *[(True, False)] * len(flags)):
        facts = {"mode": mode, **dict(zip(flags, values, strict=True))}
        fits = [all(facts[name] == value for name, value in case.items()) for case, _ in CASES]
        deciding.add(fits.index(True))
        assert choose_road(RoadFacts(**facts)) is CASES[fits.index(True)][1]
    assert deciding == {*range(len(CASES))}
