"""Test that arguments are judged one by one, and counted by the kind of their parameter."""

from typing import Any

import pytest

from lton_bench import bfcl
from lton_bench.study.calls.conditions import BASELINES
from lton_bench.study.calls.kinds import KINDS, OURS, by_kind, kind
from lton_bench.study.tasks import reported


@pytest.mark.parametrize(
    ("schema", "value", "of"),
    [
        ({"type": "string"}, "Paris", "text"),
        ({"type": "string"}, "x" * 40, "text of 40 characters or more"),
        ({"type": "string"}, "May 2024", "date or time"),
        ({"type": "string"}, "14:30", "date or time"),
        ({"type": "string"}, "x**2", "code or formula"),
        ({"type": "string", "enum": ["a", "b"]}, "a", "one of a list"),
        ({"type": "array", "items": {"type": "string"}}, ["a"], "array of texts"),
        ({"type": "array", "items": {"type": "integer"}}, [1], "array of numbers"),
        ({"type": "array", "items": {"type": "array"}}, [[1]], "other array"),
        ({"type": "array"}, [1], "other array"),
        ({"type": "boolean"}, True, "boolean"),
        ({"type": "object"}, {}, "object"),
        ({}, "a", "any value"),
    ],
)
def test_a_parameter_has_a_kind(schema: dict[str, Any], value: object, of: str) -> None:
    assert kind(schema, value) == of
    assert of in KINDS


def test_each_argument_counts_for_itself() -> None:
    """In an answer without a call, or with another tool, no argument is right."""
    cases = reported()["simple_python"][:30]
    golden = {
        case.id: {"id": case.id, "calls": [[name, arguments]]}
        for case in cases
        for name, arguments in bfcl.gold(case)
    }
    no_call = {id_: {"id": id_, "calls": None} for id_ in golden}
    another = {id_: {"id": id_, "calls": [["no_tool", {}]]} for id_ in golden}
    answers: Any = {OURS: golden, BASELINES[0]: no_call, BASELINES[1]: another}
    rows = by_kind(answers)
    assert sum(row["arguments"] for row in rows) >= len(cases)
    for row in rows:
        assert row["right"] == {OURS: 1.0, BASELINES[0]: 0.0, BASELINES[1]: 0.0}
        assert row["difference"]["difference"]["value"] == 1
    assert [row["kind"] for row in rows] == [of for of in KINDS if of in {r["kind"] for r in rows}]
    del answers[OURS]
    assert "difference" not in by_kind(answers)[0]
    assert by_kind({OURS: {}}) == []
