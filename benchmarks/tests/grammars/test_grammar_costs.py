"""Test that the grammar benchmark checks every text, and that its checks can fail."""

import json
from io import StringIO
from typing import Any

import llguidance
import pytest
from rich.console import Console

from lton import Call, ToolSet, decode
from lton_bench.grammars import masks
from lton_bench.grammars import report as grammars_report
from lton_bench.grammars.__main__ import RESULTS, emission, judge, lost
from lton_bench.grammars.engines import O200K, Llguidance
from lton_bench.grammars.masks import measure
from lton_bench.grammars.report import FORM_NAMES
from lton_bench.grammars.sides import JSON_SCHEMA, Group, quote_strings
from lton_bench.grammars.tools import MAX_LENGTH, WRITE_FILE, Known, of_servers

pytestmark = pytest.mark.untraced

TOOL = WRITE_FILE
FORMS = ["wire, unbounded", "keyed, unbounded", "punctuated, unbounded"]
ROWS = [f"{form}{what}" for form in FORM_NAMES for what in (", by default", "", ", unbounded")]


class Bytes:
    """A vocabulary with one token for each byte."""

    def __init__(self) -> None:
        self.tokenizer = llguidance.LLTokenizer("byte")
        self.end = self.tokenizer.eos_token
        special = [b""] * (self.tokenizer.vocab_size - 256)
        self.tokens = [*(bytes([byte]) for byte in range(256)), *special]

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def for_llguidance(self) -> Any:
        return self.tokenizer


@pytest.fixture(autouse=True)
def _engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masks, "_engine", [Llguidance(Bytes())])


def rows(*contents: str, max_length: int | None = None) -> dict[str, dict[str, Any]]:
    calls = [Call("write_file", {"content": content, "path": "a.py"}) for content in contents]
    group = Group.of([Known(TOOL, calls)], len(calls), max_length)
    return {row["name"]: row for row in measure([group], 1)}


def test_calls_of_real_tools_are_accepted_on_both_sides() -> None:
    """The first of the 72 MCP tools, with the calls of `lton probe`, is accepted on both sides."""
    groups = of_servers()
    assert len(groups) == 72
    assert sum(bool(group.calls) for group in groups) == 60
    measurements = measure([Group.of(groups[:6], 10, None)], 1)
    assert {row["name"] for row in measurements} == {JSON_SCHEMA, *ROWS}
    assert not any(row["lost"] or row["refused"] for row in measurements)


def test_both_sides_accept_a_call() -> None:
    """Every side has masks for the tokens of its own text and the end."""
    measurements = rows("pass")
    assert list(measurements) == [JSON_SCHEMA, *ROWS]
    assert {row["lost"] for row in measurements.values()} == {0}
    assert measurements[JSON_SCHEMA]["tokens"] == 1 + len(
        '{"name":"write_file","arguments":{"path":"a.py","content":"pass"}}'
    )
    assert measurements["wire"]["tokens"] == 1 + len("write_file a.py pass")
    assert measurements["wire, by default"]["tokens"] == 1 + len('write_file "a.py" "pass"')


def test_strings_are_quoted_but_for_those_that_a_type_lists() -> None:
    """Strings are quoted, also in arrays and maps, except labels and strings of patterns that no
    quotes fit.
    """
    tools = ToolSet.from_tools(
        [
            {
                "name": "go",
                "parameters": {
                    "properties": {
                        "via": {"type": "array", "items": {"type": "string"}},
                        "unit": {"enum": ["km", "mi"]},
                        "code": {"type": "string", "pattern": "^[a-z]{2}$"},
                        "more": {"type": "object"},
                    },
                    "required": ["via", "unit", "code", "more"],
                },
            }
        ]
    )
    arguments = {"via": ["Rome", "San Remo"], "unit": "km", "code": "de", "more": {"a": {"b": "c"}}}
    call = Call("go", arguments)
    text = quote_strings(call, tools, "keyed")
    assert text == 'go via=["Rome","San Remo"] unit=km code=de more={a {b "c"}}'
    assert decode(text, tools) == [call]


def test_a_call_that_one_side_does_not_accept_is_counted_and_timed_for_none() -> None:
    """A call that one side refuses is counted and not timed, such as a string that cannot be
    quoted.
    """
    measurements = rows("pass", "two\nlines")
    assert {
        name: row["lost"] for name, row in measurements.items() if row["lost"]
    } == dict.fromkeys(ROWS[:6], 1)
    assert measurements["wire"]["tokens"] == 1 + len("write_file a.py pass")
    assert measurements["punctuated"]["tokens"] == 1 + len(
        'write_file(path="a.py", content="pass")'
    )


def test_bounds_are_in_both_sides() -> None:
    """The longest string that the schema allows is accepted, and a longer one cannot be written."""
    assert {row["lost"] for row in rows("x" * MAX_LENGTH, max_length=MAX_LENGTH).values()} == {0}


def section(engine: str, **ratios: float) -> dict[str, Any]:
    row = {"name": FORMS[0], "lost": 0, "refused": "", "ratios": ratios}
    return {
        "what": "tools",
        "engine": engine,
        "vocabulary": O200K,
        "size": 20,
        "max_length": None,
        "calls": 1,
        "rows": [row],
    }


@pytest.mark.parametrize(
    ("ratio", "verdict"), [({"call": 0.9}, "met"), ({"call": 1.1}, "missed"), ({}, "missed")]
)
def test_a_goal_is_judged_by_its_ratio(ratio: dict[str, float], verdict: str) -> None:
    """A goal is met by its ratio, and not met without a measurement."""
    sections = [section("xgrammar", **ratio)]
    goals = [goal for goal in judge(sections) if goal["measure"] == "call"]
    figures = {"goals": goals, "sections": [], "versions": {}, "platform": "here"}
    (line,) = [
        line
        for line in grammars_report.markdown({**figures, "emission": EMISSION}).splitlines()
        if "masks of a call" in line and line.startswith("|")
    ]
    assert line.endswith(f"| {verdict} |")


EMISSION = {"from_tools": 1.0, "rows": []}


def test_a_lost_or_refused_text_of_lton_fails_the_run() -> None:
    """A lost or refused text of LTON fails the run, and one of JSON Schema is a result."""
    good = section("xgrammar")
    json_row = {**good["rows"][0], "name": JSON_SCHEMA, "lost": 5}
    lossy = {**good["rows"][0], "lost": 2}
    refused = {**good["rows"][0], "refused": "too large"}
    assert lost({"sections": [{**good, "rows": [json_row]}]}) == 0
    assert lost({"sections": [{**good, "rows": [json_row, lossy, refused]}]}) == 3


def test_the_committed_figures_can_be_shown() -> None:
    """The committed report shows the committed figures."""
    figures = json.loads((RESULTS / "grammars.json").read_text("utf-8"))
    markdown = grammars_report.markdown(figures)
    assert markdown == (RESULTS / "grammars.md").read_text("utf-8")
    page = (RESULTS.parents[1] / "docs/results/grammars.md").read_text("utf-8")
    assert grammars_report.summary_table(figures) in page
    output = StringIO()
    grammars_report.show(figures, Console(file=output, width=132))
    assert max(map(len, output.getvalue().splitlines())) <= 132


@pytest.mark.deep
def test_emission_is_linear() -> None:
    """The grammar of ten times as many tools has ten times the size."""
    for row in emission(1)["rows"]:
        assert row["growth"] < 1.05
        assert row["ns"] > 0
