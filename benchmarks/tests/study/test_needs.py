"""Test the study of messages that need a tool: its messages, its judge and its tables."""

import json
from pathlib import Path
from typing import Any

import pytest

from lton import Call
from lton.probe.calibration import LabelledTurn, area_under_curve, read_turns, shipped_turns
from lton_bench.study.calls import needs
from lton_bench.study.calls.needs import Answer, is_right, main, markdown
from lton_bench.study.packed import content

TURNS = read_turns(needs.CONVERSATIONS)


def test_the_reported_messages_are_not_those_that_models_are_measured_with() -> None:
    """No tool and no message is in both halves, and lengths say nothing in either."""
    shipped = shipped_turns()
    assert {turn.text for turn in TURNS}.isdisjoint(turn.text for turn in shipped)
    assert {turn.domain for turn in TURNS}.isdisjoint(turn.domain for turn in shipped)
    lengths = [float(len(turn.text)) for turn in TURNS if turn.needs_tool]
    unwanted = [float(len(turn.text)) for turn in TURNS if not turn.needs_tool]
    assert (len(lengths), len(unwanted)) == (66, 96)
    assert 0.45 < area_under_curve(lengths, unwanted) < 0.55


def test_every_wanted_call_fits_its_schema() -> None:
    """The first right value of each argument makes a call that the tools accept."""
    for turn in (*TURNS, *shipped_turns()):
        for call in turn.calls:
            first_values = {name: values[0] for name, values in call["arguments"].items()}
            arguments = {name: value for name, value in first_values.items() if value is not None}
            first_call = Call(call["name"], arguments)
            assert is_right(turn, [first_call]) is (len(turn.calls) == 1)
            assert first_call.name in turn.tools.by_name


@pytest.mark.parametrize(
    ("arguments", "right"),
    [
        ({"city": "oslo.", "days": 3.0, "on": True, "tags": ["b", "a"]}, True),
        ({"city": "Rome", "days": 3, "on": True, "tags": ["a", "b"]}, False),
        ({"city": "Oslo", "days": 3, "on": 1, "tags": ["a", "b"]}, False),
        ({"city": "Oslo", "days": 3, "on": True}, False),
        ({"city": "Oslo", "days": 3, "on": True, "tags": ["a", "b"], "unit": "C"}, True),
        ({"city": "Oslo", "days": 3, "on": True, "tags": ["a", "b"], "more": 1}, False),
    ],
)
def test_a_call_is_judged_by_what_its_values_mean(arguments: dict[str, Any], right: bool) -> None:
    """Case, a final full stop and the order of a list do not matter."""
    expected = {
        "name": "f",
        "arguments": {
            "city": ["Oslo"],
            "days": [3],
            "on": [True],
            "tags": [["a", "b"]],
            "unit": [None, "C"],
        },
    }
    turn = LabelledTurn("d", "wanted", "?", TURNS[0].tools, (), [expected])
    assert is_right(turn, [Call("f", arguments)]) is right
    assert not is_right(turn, [])
    assert not is_right(turn, [Call("g", arguments)])


def answer(kind: str, need: float | None, calls: int | None = None, word: float = 0.5) -> Answer:
    right = None if calls is None else True
    return Answer("m", "d", kind, "?" * len(kind), word, need, calls, right)


def test_the_tables_count_lost_and_unwanted_calls() -> None:
    """The curve compares the ways, and the default point is given for each kind."""
    rows = [
        answer("wanted", 0.9, 1),
        answer("follow_up", 0.4, 0, word=-0.5),
        answer("no_tool", 0.6),
        answer("small_talk", 0.1, word=-1.0),
    ]
    page = markdown(rows)
    assert "| m | state | 0.750 | 0.50 | 0.50 | 0.50 | 0.50 |" in page
    assert "| m | 2 | 1 | 2 | 2 | 1 |" in page
    state = "| m | state | 0 of 1 | 1 of 1 | 0 of 1 | 0 of 0 | 1 of 1 | 0 of 0 | 0 of 0 | 0 of 0 |"
    assert state in page
    unmeasured = markdown([answer("wanted", None, 1), answer("no_tool", None, word=-1.0)])
    assert "state" not in unmeasured.partition("Servers")[0].partition("Guided")[2]
    assert "| m | 1 | 1 | 1 | 1 | 0 |" in unmeasured


def test_recorded_answers_make_the_page_again(tmp_path: Path) -> None:
    """The tables of the page are those of the recorded answers, which are not asked again."""
    recorded = Path("benchmarks/results/study/needs.jsonl")
    lines = content(recorded)
    models = {json.loads(line)["model"] for line in lines.splitlines()}
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "needs.jsonl").write_bytes(lines)
    options = [word for model in sorted(models) for word in ("--model", model)]
    main([*options, "--out", str(tmp_path)])
    assert (tmp_path / "needs.md").read_text() == Path("benchmarks/results/needs.md").read_text()
    assert models >= {"qwen-0.5b", "qwen-1.5b"}
