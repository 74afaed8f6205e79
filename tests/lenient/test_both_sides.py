"""Test both sides of lenient reading: calls that are meant, and texts that are no calls."""

import pytest

from tests.lenient import evidence_sets
from tests.lenient.evidence_sets import Reading

pytestmark = pytest.mark.untraced


@pytest.mark.parametrize("name", ["unseen texts", "containers", "prose, then a call"])
def test_no_call_of_somebody_else_is_certain(name: str) -> None:
    """If no syntax is named, no call next to other text is certain, in any spelling."""
    counts = evidence_sets.readings_of_others()[name]
    assert counts.total() >= 250
    assert sum(count for (reading, _), count in counts.items() if reading is Reading.CERTAIN) == 0


def test_containers_hold_back_calls_in_known_syntaxes() -> None:
    """With all syntaxes named, at most 2 in 100 calls in containers are certain."""
    counts = evidence_sets.readings_of_others()["containers"]
    certain = sum(count for (_, named), count in counts.items() if named is Reading.CERTAIN)
    assert certain <= 0.02 * counts.total()


@pytest.mark.parametrize("group", ["def", "records", "variables", "answers in JSON"])
def test_what_only_looks_like_a_call_is_not_certain(group: str) -> None:
    """Definitions, records, variables and other JSON answers give no certain call."""
    readings = evidence_sets.readings_of_no_calls()[group]
    assert readings.total() >= 25
    assert readings[Reading.CERTAIN] == 0


def test_templates_and_signatures_are_rarely_certain() -> None:
    """Only placeholders that are ordinary words are taken for values."""
    readings = evidence_sets.readings_of_no_calls()
    certain = sum(readings[group][Reading.CERTAIN] for group in ("template", "signature"))
    assert certain <= 8


def test_whole_answers_are_certain_without_a_named_syntax() -> None:
    """An answer that is only calls is right in at least 95 of 100 cases, in 44 syntaxes."""
    outcomes = evidence_sets.outcomes_of_meant()
    for group in ("only_calls", "other_family", "think"):
        plain, _ = outcomes[group]
        assert plain["right"] >= 0.95 * plain.total(), group
        assert plain["lost"] == 0, group


def test_native_calls_after_prose_need_a_named_syntax() -> None:
    """Calls after prose are uncertain, and certain if the syntax is named, without a colon."""
    plain, named = evidence_sets.outcomes_of_meant()["native_after_prose"]
    assert plain["uncertain"] == plain.total() == 72
    assert named["right"] >= 65
    assert named["other"] == 0
