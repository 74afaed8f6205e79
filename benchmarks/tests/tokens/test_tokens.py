"""Test the token benchmark: its counts, the figures from the counts, and the report."""

import json
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lton.cli import run_program
from lton.errors import Code, MissingExtraError
from lton.schema import Call, ToolSet
from lton.tokens import counter
from lton_bench.tokens import break_even, command, costs, measure, report, results, stats
from lton_bench.tokens.formats import BASELINE, FORMATS
from lton_bench.tokens.measure import Measured, shares
from lton_bench.tokens.pieces import Answer, Piece, Shown, Turn, text_of

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results" / "tokens.json"
PAGE = Path(__file__).parents[3] / "docs" / "results" / "tokens.md"
WAIT = {
    "name": "wait",
    "parameters": {
        "type": "object",
        "properties": {"minutes": {"type": "integer"}, "why": {"type": "string"}},
        "required": ["minutes", "why"],
    },
}
TURN = Turn((Call("wait", {"minutes": 5, "why": "so it is"}),), (WAIT,))
NAMES = ("o200k", "bytes")


def measured(*some: Any) -> Measured:
    (data_set,) = measure.measure(shares("own", len(some), some), NAMES, processes=1).values()
    return data_set


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count in threads: a process would import everything again."""

    def start_pool(count: int, mp_context: Any) -> Executor:
        return ThreadPoolExecutor(1)

    monkeypatch.setattr(measure, "ProcessPoolExecutor", start_pool)


# --- counting -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wait() -> Measured:
    """Measure a call twice, in a process as the benchmark does."""
    return measured(TURN, TURN)


def test_a_text_counts_as_its_tokenizer_says(wait: Measured) -> None:
    """The counts of each format and tokenizer equal the tokenizer's own."""
    toolset = ToolSet.from_tools([WAIT])
    for form in FORMATS:
        text = text_of(form.write(TURN.calls, toolset))
        expected = tuple(counter(name).count(text).tokens for name in NAMES)
        assert wait.counts[form.name] == [expected] * 2


def test_roles_share_out_all_tokens(wait: Measured) -> None:
    """The tokens of all roles add up to the tokens of the format."""
    for form in FORMATS:
        total = sum(counts[0] for counts in wait.counts[form.name] if counts)
        assert sum(wait.roles[form.name].values()) == pytest.approx(total)
    assert set(wait.roles["LTON wire"]) == {"name", "value", "punctuation"}
    assert wait.roles[BASELINE]["key"] > 4


def test_tokens_over_a_border_are_shared_by_bytes() -> None:
    """A token over a border is divided by bytes: a fifth of ` wait` belongs to the space."""
    roles: dict[str, float] = dict.fromkeys(("punctuation", "name"), 0.0)
    measure._share_out([Piece(" ", "punctuation"), Piece("wait", "name")], roles)
    assert roles == pytest.approx({"punctuation": 0.2, "name": 0.8})


@pytest.mark.usefixtures("in_this_process")
def test_answers_and_definitions_have_formats_of_their_own() -> None:
    """Answers and definitions have their own formats; a format that cannot write an answer has no
    count.
    """
    rows = Answer("list", [{"a": 1}, {"a": 2}], {"type": "array"})
    deep = Answer("list", [{"a": [1]}], {"type": "array"})
    figures = measured(rows, deep)
    assert figures.counts["CSV"][0] is not None
    assert figures.counts["CSV"][1] is None
    assert figures.roles == {}
    described = {"type": "function", "function": {**WAIT, "description": "Do nothing."}}
    definitions = measured(Shown((described,)))
    signature, schema = definitions.counts["LTON"][0], definitions.counts[BASELINE][0]
    assert signature is not None
    assert schema is not None
    assert signature[0] < schema[0] / 2


def test_shares_cover_everything_once() -> None:
    """The shares of a data set cover each item once."""
    cut = shares("x", 2 * measure.SHARE + 1)
    assert [(share.first, share.last) for share in cut] == [
        (0, measure.SHARE),
        (measure.SHARE, 2 * measure.SHARE),
        (2 * measure.SHARE, 2 * measure.SHARE + 1),
    ]


# --- figures ------------------------------------------------------------------------------------


def test_ratios() -> None:
    """Ratios are ratios of sums, or means over units; the interval is around the mean."""
    ours = [(1, 10), (3, 10)] * 20
    theirs = [(4, 10), (4, 20)] * 20
    comparison = stats.compare(ours, theirs)
    assert comparison is not None
    assert comparison.by_tokenizer == pytest.approx((0.5, 2 / 3))
    assert comparison.tokens == (80, 400)
    assert comparison.mean == pytest.approx((0.5 * 2 / 3) ** 0.5)
    assert comparison.mean_of_units == pytest.approx((0.5 * 0.75) ** 0.5)
    assert comparison.low < comparison.mean < comparison.high
    assert comparison == stats.compare(ours, theirs)


def test_units_that_a_format_does_not_take_are_left_out_on_both_sides() -> None:
    """Units that a format cannot write are left out of the baseline too, so that the format does
    not look cheap.
    """
    comparison = stats.compare([None, (2,)], [(100,), (4,)])
    assert comparison is not None
    assert (comparison.units, comparison.by_tokenizer) == (1, (0.5,))
    assert stats.compare([None], [(1,)]) is None


def test_nothing_at_all_costs_nothing() -> None:
    """Calls without arguments have no tokens for values."""
    comparison = stats.compare([(0,)], [(4,)])
    assert comparison is not None
    assert comparison.mean == 0


def test_conversations_pay_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """The break-even number of calls is higher if signatures are added to the JSON than if they
    replace it.
    """
    monkeypatch.setattr(costs, "SAMPLES", 2)
    rows = list(costs.conversations(["o200k"]))
    assert [row["tools"] for row in rows[::2]] == list(costs.SIZES)
    for row in rows:
        assert row["instead"] <= row["beside"]
        assert row["beside"] * (row["call"]["JSON"] - row["call"]["LTON"]) >= row["shown"]["LTON"]
        assert row["conversation"]["100"] < 1


# --- the committed results ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def committed() -> dict[str, Any]:
    results_of_run: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return results_of_run


def test_the_reports_are_those_of_the_results(committed: dict[str, Any]) -> None:
    """The tables in Markdown and in the documents are generated from the file of results."""
    assert report.markdown(committed) == RESULTS.with_suffix(".md").read_text("utf-8")
    assert report.summary_table(committed) in PAGE.read_text("utf-8")


def test_goals_follow_from_the_results(committed: dict[str, Any]) -> None:
    """Each verdict on a goal is computed from the results."""
    assert list(results.goals(committed)) == committed["goals"]


def test_the_results_are_of_enough_tokenizers_and_data(committed: dict[str, Any]) -> None:
    """The results cover at least ten tokenizers, every data set, and every format for each data set
    of calls.
    """
    assert len(committed["tokenizers"]) >= 10
    assert committed["datasets"][results.KEPT]["calls"] == 3302
    for data in committed["datasets"].values():
        for figures in data["formats"].values():
            assert len(figures["ratio"]) == len(figures["tokens"]) == len(committed["tokenizers"])
            assert figures["low"] <= figures["mean"] <= figures["high"]
        if data["kind"] == "calls":
            assert set(data["formats"]) == {form.name for form in FORMATS}


@pytest.mark.usefixtures("in_this_process")
def test_the_first_turns_count_as_committed_ones_do(committed: dict[str, Any]) -> None:
    """A run with one small data set gives the same figures for it as the committed run."""
    name = "losing_tiny"
    names = [tokenizer for tokenizer in ("o200k", "cl100k") if tokenizer in committed["tokenizers"]]
    places = [committed["tokenizers"].index(name) for name in names]
    run_results = results.Run(tokenizers=names, only=[name]).results()
    for form, figures in run_results["datasets"][name]["formats"].items():
        expected = committed["datasets"][name]["formats"][form]
        assert list(figures["tokens"]) == [expected["tokens"][index] for index in places]


def test_the_break_even_is_that_of_the_results(committed: Any) -> None:
    """The committed table and picture of the break-even agree with the committed results."""
    kinds = break_even.kinds(committed)
    assert RESULTS.with_name("break-even.md").read_text("utf-8") == break_even.table(kinds)
    assert RESULTS.with_name("break-even.svg").read_text("utf-8") == break_even.picture(kinds)


def test_no_number_of_tools_pays_off_if_a_signature_is_longer() -> None:
    kind = {"LTON": break_even.Costs(100, 20, 5), "JSON": break_even.Costs(0, 20, 10)}
    assert break_even.first(kind, "JSON", calls=1) is None
    assert "| never, never, never |" in break_even.table(
        {"tools": kind | {"TypeScript": kind["JSON"]}}
    )


# --- the command --------------------------------------------------------------------------------


@pytest.mark.usefixtures("in_this_process")
def test_calls_of_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of calls and a file of tools give results as files, and on the screen."""
    monkeypatch.setattr(command, "NAMES", ("o200k",))
    monkeypatch.setattr(command, "openai_ranks", lambda _: {b"a": 0})  # packing takes seconds
    calls, tools = tmp_path / "calls.jsonl", tmp_path / "tools.json"
    calls.write_text('{"name": "wait", "arguments": {"minutes": 5, "why": "so it is"}}\n' * 3)
    tools.write_text(json.dumps([WAIT]))
    own = ["--data", str(calls), "--tools", str(tools), "--tokenizer", "o200k"]
    assert run_program(command, [*own, "--limit", "2", "--out", str(tmp_path / "out")]) == 0
    saved = tmp_path / "out" / "tokens.json"
    figures = json.loads(saved.read_text())
    assert figures["datasets"]["own"]["calls"] == 2
    assert figures["conversations"] == []
    assert run_program(command, ["--render", str(saved)]) == 0
    assert "LTON wire" in capsys.readouterr().out
    assert run_program(command, ["--render", str(saved), "--out", str(tmp_path)]) == 0
    assert (tmp_path / "tokens.json").read_text() == saved.read_text()
    assert "LTON wire" in (tmp_path / "tokens.html").read_text()
    page = (tmp_path / "out" / "tokens.html").read_text("utf-8")
    assert '<h3 id="table-0">Your calls</h3>' in page
    assert page.index("table-0") < page.index('id="try"')
    assert "so it is" in page


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--dataset", "nope", "--tokenizer", "bytes"], "expected one of"),
        (["--data", "x.jsonl"], "--data needs --tools"),
        (["--tokenizer", "nope"], "expected a file, a URL or one of"),
    ],
)
def test_usage(options: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each incorrect use of the command gives an error of one line."""
    assert run_program(command, options) == 2
    assert reason in capsys.readouterr().err


def test_tokenizers_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing tokenizers are named, and the others are used."""

    def find(name: str) -> Any:
        if name == "gemma3":
            raise MissingExtraError(Code.EXTRA, "no Gemma")
        return counter(name)

    monkeypatch.setattr(results, "counter", find)
    names, missing = results.available(["o200k", "gemma3"])
    assert names == ["o200k"]
    assert "no Gemma" in missing["gemma3"]


def test_a_page_without_the_mark_is_refused(tmp_path: Path) -> None:
    """A page without the mark is refused, and nothing is written."""
    path = tmp_path / "page.md"
    path.write_text("# Mine\n")
    with pytest.raises(ValueError, match="expected the line"):
        report.update_page(path, "<!-- table -->\n| |\n")
