"""Test that the speed benchmark checks every answer, and that its checks can fail."""

import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from rich.console import Console
from rich.progress import Progress

from lton import Call, decode, encode
from lton._syntax import Form
from lton_bench.speed import cliffs, contestants
from lton_bench.speed import report as speed_report
from lton_bench.speed.__main__ import DECODE_GOALS, QUICK, RESULTS, wrong
from lton_bench.speed.calls import SHAPES, TOOLS, source
from lton_bench.speed.contestants import Batch, Contestant
from lton_bench.speed.growth import ladder
from lton_bench.speed.nests import errors, nests, reading_error
from lton_bench.speed.streams import CHUNKS, streams
from lton_bench.speed.timing import Clock

pytestmark = pytest.mark.untraced

WEATHER = Call("weather.v1", {"city": "San Leandro", "days": 7, "unit": "C"})
FILE = Call("write_file", {"path": "a.py", "content": 'print("é")\n'})
ONE = [Batch(calls=[call], definitions=TOOLS) for call in (WEATHER, FILE)]
MANY = [Batch(calls=[WEATHER, FILE, FILE], definitions=TOOLS, many=True)]


@pytest.mark.parametrize("batches", [ONE, MANY], ids=["one a text", "many a text"])
@pytest.mark.parametrize("make", [contestants.encoders, contestants.decoders])
def test_every_contestant_gets_the_calls_back(
    make: Callable[..., list[Contestant]], batches: list[Batch]
) -> None:
    """Every contestant returns the calls, so each one does the whole work."""
    verdicts = {one.name: one.count_wrong(batches) for one in make(batches)}
    assert len(verdicts) >= 10
    assert set(verdicts.values()) == {(0, False)}


def reader(work: Callable[..., Any], texts: list[str]) -> Contestant:
    return Contestant(
        name="LTON wire",
        work=work,
        columns=(texts, [batch.tools for batch in MANY]),
        to_value=contestants.from_calls,
        units=3,
    )


TEXT = encode(MANY[0].calls, MANY[0].tools)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TEXT, (0, False)),
        (TEXT.replace("7", "8"), (1, False)),
        (TEXT.replace(",7 ", ",7.0 "), (1, False)),
        (TEXT.replace("é", "e"), (2, False)),
        (TEXT.splitlines()[0], (3, False)),
        (TEXT.replace("weather", "Weather"), (3, True)),
    ],
    ids=["right", "a number", "a type", "two strings", "calls lost", "refused"],
)
def test_a_wrong_answer_is_counted(text: str, expected: tuple[int, bool]) -> None:
    """Values, types and the number of calls are compared, and an exception counts as wrong."""
    assert reader(decode, [text]).count_wrong(MANY) == expected


def test_a_rival_that_changes_a_type_is_marked() -> None:
    """toon-format has one kind of number, so 2.0 becomes 2, and the table marks this."""
    definition = TOOLS[2]
    numbers = {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}
    function = {**definition["function"], "name": "half", "parameters": numbers}
    batch = Batch(calls=[Call("half", {"x": 2.0})], definitions=[{"function": function}])
    wrong = {one.name: one.count_wrong([batch])[0] for one in contestants.decoders([batch])}
    assert [name for name, count in wrong.items() if count] == [contestants.TOON]


def test_the_run_fails_if_lton_is_wrong_and_only_then() -> None:
    """The exit status depends on LTON's own answers, and a contestant that raises is not timed."""
    right = contestants.decoders(MANY)
    refused = reader(decode, ["nothing"])
    others = [one for one in right if one.name != refused.name]
    with Progress(console=Console(quiet=True), auto_refresh=False) as progress:
        clock = Clock(replace(QUICK, scale=0.0), progress)
        good, bad = (
            clock.section("a race", "call", (MANY, entered), 1.0, DECODE_GOALS)
            for entered in (right, [*others, refused])
        )
    assert wrong({"races": [good], "growth": []}) == 0
    assert wrong({"races": [bad], "growth": []}) == 3
    assert {row["name"]: row for row in bad["rows"]}[refused.name] == {
        "name": refused.name,
        "wrong": 3,
        "raised": True,
    }
    assert [goal["met"] for goal in bad["goals"]] == [None] * 3


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_the_size_it_says(shape: str) -> None:
    """The texts for growth have the sizes in the table."""
    batches, rungs = ladder(shape, QUICK)
    for size, batch in batches.items():
        assert len(encode(batch.calls, batch.tools)) == pytest.approx(size, rel=0.15)
    assert {name for name, *_ in rungs} >= {"json.loads", "LTON encode", "LTON decode"}


@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_source_text_has_its_size(ascii_only: bool) -> None:
    """The source text has a million characters that LTON can write, in ASCII or beyond."""
    text = source(1_000_000, ascii_only=ascii_only)
    assert len(text) == 1_000_000
    assert "\0" not in text
    assert text.isascii() == ascii_only


@pytest.mark.parametrize("form", ["wire", "punctuated"])
def test_the_streams_get_the_calls_back(form: Form) -> None:
    """Streams return the calls in chunks of any size, as for the whole text."""
    entered = streams(MANY, form)
    assert len(entered) == 1 + len(CHUNKS)
    assert {one.count_wrong(MANY) for one in entered} == {(0, False)}


def test_errors_are_errors_and_nests_come_back() -> None:
    """A text that is timed as an error raises one, and nested values are read back."""
    assert {one.count_wrong(ONE[:1]) for one in errors(ONE[:1])} == {(0, False)}
    assert reading_error(decode, TEXT, MANY[0].tools) is None
    assert {one.count_wrong(ONE) for one in nests(ONE)} == {(0, False)}


def test_the_report_is_rendered_from_the_figures() -> None:
    """speed.md agrees with speed.json, including missed goals."""
    figures = json.loads((RESULTS / "speed.json").read_text("utf-8"))
    text = (RESULTS / "speed.md").read_text("utf-8")
    assert text == speed_report.markdown(figures)
    goals = [goal for part in (*figures["races"], *figures["growth"]) for goal in part["goals"]]
    assert len(goals) > 10
    assert text.count("| missed |") == sum(goal["met"] is False for goal in goals)


@pytest.mark.parametrize("reads", [True, False])
def test_what_is_crossed_gets_the_calls_back(reads: bool) -> None:
    """Every shape is written and read in every form, and the answers are compared."""
    for name, batches in cliffs.shapes(32):
        runners = cliffs.make_entrants(batches[:2], reads=reads)
        assert len(runners) == 7
        verdicts = {one.name: one.count_wrong(batches[:2]) for one in runners}
        assert set(verdicts.values()) == {(0, False)}, (name, verdicts)


def test_the_report_of_cliffs_is_rendered_from_the_figures() -> None:
    """cliffs.md agrees with cliffs.json."""
    figures = json.loads((RESULTS / "cliffs.json").read_text("utf-8"))
    assert (RESULTS / "cliffs.md").read_text("utf-8") == cliffs.markdown(figures)
    assert len(figures["rows"]) >= 10


def test_no_line_on_the_terminal_is_cut() -> None:
    """At 100 columns, no line is wrapped or shortened."""
    figures = json.loads((RESULTS / "speed.json").read_text("utf-8"))
    narrow, wide = (_screen_lines(figures, width) for width in (100, 200))
    assert len(narrow) > 100
    assert narrow == wide
    assert max(map(len, narrow)) <= 100


def _screen_lines(figures: Any, width: int) -> list[str]:
    screen = StringIO()
    speed_report.show(figures, Console(file=screen, width=width))
    return [line.rstrip() for line in screen.getvalue().splitlines()]
