"""Test that the package for TypeScript reads leniently as the library does."""

import shutil
from collections.abc import Callable, Iterator

import pytest

from fuzz.javascript_lenient import (
    SCRIPT,
    Sample,
    answer_of,
    conformance_samples,
    differences,
    made_samples,
    shown_samples,
    verdict_samples,
)
from lton import ToolSet, decode_lenient

needs_package = pytest.mark.skipif(
    shutil.which("node") is None or not (SCRIPT.parents[1] / "dist" / "lenient.js").exists(),
    reason="js is not built, or node not installed",
)
WAIT = [{"name": "wait", "parameters": {"properties": {"minutes": {"type": "integer"}}}}]


def every(samples: Iterator[Sample], step: int) -> list[Sample]:
    """Return the samples with one in `step` of their texts."""
    return [
        Sample(sample.definitions, sample.standard, sample.questions[::step]) for sample in samples
    ]


@needs_package
@pytest.mark.parametrize(
    "samples",
    [
        lambda: every(conformance_samples(), 3),
        lambda: every(verdict_samples(), 5),
        lambda: every(shown_samples(), 20),
        lambda: list(made_samples(500, 7)),
    ],
    ids=["suite", "verdicts", "shown", "made"],
)
def test_reads_as_the_library(samples: Callable[[], list[Sample]]) -> None:
    """Calls, repairs, errors and doubts are the same (`make test-js` compares all texts)."""
    sample_list = samples()
    assert sum(len(sample.questions) for sample in sample_list) > 300
    assert list(differences(sample_list)) == []


@needs_package
def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that both sides read differently is reported with both answers."""
    sample = Sample(WAIT, standard=False, questions=[("wait 5", {}), ("wait +5", {})])
    assert list(differences([sample])) == []
    tools = ToolSet.from_tools(WAIT)
    monkeypatch.setattr(
        "fuzz.javascript_lenient.answer_of",
        lambda result: {**answer_of(result), "complete": len(result.repairs) == 0},
    )
    ((text, _, ours, theirs),) = differences([sample])
    assert (text, ours != theirs) == ("wait +5", True)
    assert decode_lenient("wait 5", tools).repairs == ()
