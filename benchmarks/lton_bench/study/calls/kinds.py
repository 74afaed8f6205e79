"""Count right arguments by the kind of parameter.

The module counts the arguments that cannot be omitted, in cases of one tool and one call. In
answers without a call, and in answers that were cut off, all arguments are wrong.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from lton_bench.study.calls.answers import Sample
from lton_bench.study.calls.conditions import BASELINES
from lton_bench.study.figures import compare
from lton_bench.study.judge import judge_argument
from lton_bench.study.tasks import reported

__all__ = ["KINDS", "OURS", "by_kind", "kind"]

OURS = "guided, call"
"""The compared condition: the default of guided generation."""
_Wanted = tuple[str, Mapping[str, list[Any]], Mapping[str, Any]]
_CATEGORIES = ("simple_python", "live_simple", "simple_java", "simple_javascript")
_DATE = re.compile(r"\d{4}-\d\d|\d{1,2}[:/]\d\d|\b(19|20)\d\d\b")
_CODE = re.compile(r"[=(){};<>]|\*\*|\^")
_LONG = 40
_ITEMS = {"string": "array of texts", "integer": "array of numbers", "number": "array of numbers"}
KINDS = (
    "text",
    "text of 40 characters or more",
    "date or time",
    "code or formula",
    "integer",
    "number",
    "boolean",
    "one of a list",
    "array of texts",
    "array of numbers",
    "other array",
    "object",
    "any value",
)
"""The kinds of parameters; BFCL has no unions."""


def kind(schema: Mapping[str, Any], expected: object) -> str:
    """Return the kind of a parameter; for a string, the expected value decides.

    >>> kind({"type": "string"}, "Paris"), kind({"type": "string"}, "2024-02-29")
    ('text', 'date or time')
    >>> kind({"type": "array", "items": {"type": "string", "enum": ["a"]}}, ["a"])
    'one of a list'
    """
    declared, items = schema.get("type"), schema.get("items", {})
    if "enum" in schema or "enum" in items:
        return "one of a list"
    if declared == "array":
        return _ITEMS.get(items.get("type"), "other array")
    if declared != "string":
        return str(declared or "any value")
    text = str(expected)
    if _CODE.search(text):
        return "code or formula"
    if _DATE.search(text):
        return "date or time"
    return "text of 40 characters or more" if len(text) >= _LONG else "text"


def by_kind(answers: Mapping[str, Mapping[str, Sample]]) -> list[dict[str, Any]]:
    """Return the number of arguments of each kind, and the share of right ones by condition.

    `answers` has the same cases for each condition. The difference is ours minus the best of JSON's
    conditions for the kind.
    """
    right: dict[str, dict[str, list[bool]]] = {}
    for case, name, key, of in _arguments():
        by_condition = right.setdefault(of, {condition: [] for condition in answers})
        for condition, some in answers.items():
            if case in some:
                by_condition[condition].append(_is_right(some[case], name, key))
    rows = []
    for of in KINDS:
        shares = right.get(of, {})
        if not any(shares.values()):
            continue
        row: dict[str, Any] = {
            "kind": of,
            "arguments": len(next(iter(shares.values()))),
            "right": {name: sum(some) / len(some) for name, some in shares.items()},
        }
        rivals = [name for name in BASELINES if name in shares]
        if OURS in shares and rivals:
            best = max(rivals, key=lambda name: sum(shares[name]))
            row["difference"] = asdict(compare(shares[OURS], shares[best]))
        rows.append(row)
    return rows


@cache
def _expected_values() -> dict[str, _Wanted]:
    """Return by case the tool, and by parameter the right values and the schemas."""
    by_case: dict[str, _Wanted] = {}
    for category in _CATEGORIES:
        for case in reported()[category]:
            [[(name, acceptable)]] = [answer.items() for answer in case.answers]
            [tool] = case.tools
            by_case[case.id] = (name, acceptable, tool["function"]["parameters"]["properties"])
    return by_case


def _arguments() -> Iterator[tuple[str, str, str, str]]:
    """Yield the arguments that cannot be omitted: case, tool, parameter, kind."""
    for case, (name, acceptable, schemas) in _expected_values().items():
        for key, values in acceptable.items():
            if "" not in values:
                yield case, name, key, kind(schemas[key], values[0])


def _is_right(sample: Sample, name: str, key: str) -> bool:
    calls: Sequence[tuple[str, Mapping[str, Any]]] = sample["calls"] or ()
    if not calls or calls[0][0] != name or key not in calls[0][1]:
        return False
    _, acceptable, schemas = _expected_values()[sample["id"]]
    return judge_argument(calls[0][1][key], acceptable[key], schemas[key]) is None
