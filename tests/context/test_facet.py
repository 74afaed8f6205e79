"""Test that layouts in bytes equal the output of FACET's reference implementation.

`tests/context/facet/record.py` recorded this output. Each section of these cases can be cut to
exactly its `min`. If a section cannot, because its `min` is larger than the section or inside a
character, the reference implementation neither cuts nor drops it, and may exceed the budget: this
is the first of the faults that `test_layout.py` lists.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from lton.context import CriticalOverflowError, Section, lay_out
from lton.tokens.counting import TokenCounter

LINES = (Path(__file__).parent / "facet" / "cases.jsonl").read_text("utf-8").splitlines()
CASES: list[dict[str, Any]] = [json.loads(line) for line in LINES]
REFUSED = [case for case in CASES if "required" in case]
FITTED = [case for case in CASES if case.get("overflow") == 0]
OVERRUN = [case for case in CASES if case.get("overflow")]


def trim(text: str, size: int, counter: TokenCounter) -> str:
    return text.strip()


def sections(case: dict[str, Any]) -> list[Section]:
    return [
        Section(
            f"s{number}",
            section["text"],
            priority=section["priority"],
            min=section["min"],
            shrink=section["shrink"],
            strategy=trim if section["strategy"] else None,
        )
        for number, section in enumerate(case["sections"])
    ]


def test_there_are_cases_of_each_kind() -> None:
    assert min(len(REFUSED), len(FITTED), len(OVERRUN)) >= 15


@pytest.mark.parametrize("case", FITTED)
def test_the_same_texts_are_shown(case: dict[str, Any]) -> None:
    layout = lay_out(sections(case), budget=case["budget"], units="bytes")
    assert [layout.text[decision.start : decision.end] for decision in layout.decisions] == case[
        "texts"
    ]


@pytest.mark.parametrize("case", REFUSED)
def test_the_same_critical_sections_are_too_large(case: dict[str, Any]) -> None:
    with pytest.raises(CriticalOverflowError) as caught:
        lay_out(sections(case), budget=case["budget"], units="bytes")
    assert caught.value.required == case["required"]


@pytest.mark.parametrize("case", OVERRUN)
def test_what_overruns_there_fits_here(case: dict[str, Any]) -> None:
    size = sum(len(text.encode()) for text in case["texts"])
    assert size == case["budget"] + case["overflow"] > case["budget"]
    layout = lay_out(sections(case), budget=case["budget"], units="bytes")
    assert len(layout.text.encode()) == layout.tokens <= case["budget"]
