"""Test that a measured model's state decides whether a message of the user needs a tool."""

import json
from collections.abc import Sequence
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

import pytest

from lton import Call, LTONError, ToolSet
from lton.chat import Message, from_openai
from lton.engines import Generation
from lton.generate.need import (
    FirstTokenLine,
    NeedLine,
    caution_about_tools,
    find_first_token_line,
    find_line,
    store_line_of_model,
    user_file,
)
from lton.probe.calibration import (
    LabelledTurn,
    Measured,
    area_under_curve,
    fit_line,
    iterate_measured_states,
    shipped_turns,
)
from tests.generate.scripted import Scripted, Weighing, guided

TOOLS = ToolSet.from_prompt("walk(miles:int)\nwait(minutes:int)")
ASKED = [Message.saying("user", "Wait 5 minutes.")]
LINE = NeedLine(weights=(1.0,), constant=0.0, messages=2)


class Stated(Weighing):
    """A model with the state that its test gives it."""

    identity = "a model of tests"

    def __init__(self, state: float, *pieces: str | None) -> None:
        super().__init__({}, {}, *pieces, fits={"walk": -30.0, "wait": -20.0})
        self.state = state

    def read_state(self, tokens: Sequence[int]) -> tuple[int, Sequence[float]]:
        return self.feed(tokens), [self.state]


@pytest.fixture(autouse=True)
def _measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    store_line_of_model(Stated.identity, LINE)


def ask(engine: Any, messages: Sequence[Message] = ASKED, **options: Any) -> Generation:
    """Ask with optional calls."""
    return guided(engine, messages, TOOLS, tool_choice="auto", **options)


def test_the_state_decides_and_the_likelihood_chooses_the_tool() -> None:
    """A message that needs a tool gets the likeliest one, and otherwise words."""
    call_answer = ask(Stated(2.0, "5", ")"))
    assert call_answer.calls == [Call("wait", {"minutes": 5})]
    assert call_answer.confidence == pytest.approx(0.8808, abs=1e-4)
    prose_answer = ask(Stated(-2.0, "Gladly.", None))
    assert (prose_answer.calls, prose_answer.prose) == ([], "Gladly.")
    assert prose_answer.confidence == pytest.approx(0.8808, abs=1e-4)


@pytest.mark.parametrize(("least", "calls"), [(0.0, 1), (0.6, 1), (0.9, 0), (1.0, 0)])
def test_the_least_confidence_moves_along_the_curve(least: float, calls: int) -> None:
    """A higher least confidence declines more messages."""
    pieces = ["5", ")"] if calls else ["Gladly.", None]
    assert len(ask(Stated(2.0, *pieces), least_confidence=least).calls) == calls


@pytest.mark.parametrize(
    ("annotations", "need", "is_called"),
    [
        ({}, 0.6, True),
        ({"readOnlyHint": True}, 0.6, True),
        ({"readOnlyHint": False}, 0.6, False),
        ({"destructiveHint": False}, 0.6, False),
        ({"destructiveHint": False}, 0.7, True),
        ({"destructiveHint": True}, 0.7, False),
        ({"destructiveHint": True}, 0.85, True),
        ({"destructiveHint": True, "readOnlyHint": True}, 0.6, True),
    ],
)
def test_tools_that_may_destroy_need_larger_odds(
    annotations: dict[str, bool], need: float, is_called: bool
) -> None:
    """The odds are four times as large for destructive tools, and twice for those that change."""
    properties = {"minutes": {"type": "integer"}}
    schema = {"type": "object", "properties": properties, "required": ["minutes"]}
    wait = {"name": "wait", "parameters": schema, "annotations": annotations}
    pieces = ["5", ")"] if is_called else ["Gladly.", None]
    engine = Stated(log(need / (1 - need)), *pieces)
    answer = guided(engine, ASKED, ToolSet.from_tools([wait]), tool_choice="auto")
    assert bool(answer.calls) == is_called


def test_a_tool_without_hints_among_others_with_hints_may_change_something() -> None:
    """Hints count only if some tool has them. Then a tool without a hint is not read-only."""
    hinted = ToolSet.from_tools(
        [{"name": "read", "annotations": {"readOnlyHint": True}}, {"name": "send"}]
    )
    read, send = hinted
    assert (caution_about_tools([read], hinted), caution_about_tools([read, send], hinted)) == (
        1.0,
        2.0,
    )
    assert caution_about_tools(TOOLS, TOOLS) == 1.0


@pytest.mark.parametrize(("head", "calls"), [(-2.0, 1), (-3.0, 0)])
def test_a_dangerous_tool_must_be_likelier_than_words(head: float, calls: int) -> None:
    """Without a measured line, the odds of the first tokens are compared with the same factor."""
    wait = {"name": "wait", "annotations": {"destructiveHint": True}}
    tools = ToolSet.from_tools([wait])
    earlier = [*ASKED, Message.saying("assistant", "Done."), Message.saying("user", "Again!")]
    pieces = [")"] if calls else ["Gladly.", None]
    engine = Weighing({"n": -3.5, "w": head}, {}, *pieces)
    answer = guided(engine, earlier, tools, tool_choice="auto")
    assert len(answer.calls) == calls


def test_a_state_is_read_only_where_it_was_measured() -> None:
    """It decides neither after a result, nor about a required call, nor without weighing."""
    call = {"id": "1", "function": {"name": "wait", "arguments": '{"minutes": 5}'}}
    result = from_openai(
        [
            {"role": "user", "content": "Wait 5 minutes."},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "done"},
        ]
    )

    class Unread(Stated):
        def read_state(self, tokens: Sequence[int]) -> tuple[int, Sequence[float]]:
            raise AssertionError(tokens)

    engine = Unread(0.0, "Gladly.", None)
    engine.said = {False: {"wait(": -1.0, "walk(": -2.0, "n": 0.0, "w": -1.0}, True: {}}
    engine.said[True] = {"wait(": -1.0, "walk(": -1.0}
    assert ask(engine, result).calls == []
    required = guided(Unread(0.0, "5", ")"), ASKED, TOOLS)
    assert required.calls == [Call("wait", {"minutes": 5})]
    assert ask(Unread(0.0, "none", None, "Gladly.", None), weigh=False).calls == []


def test_lines_are_found_by_the_weights_of_a_model(tmp_path: Path) -> None:
    """What the user measured comes first, and a file of another program is no line."""
    assert find_line(Scripted()) is None
    assert find_line(Stated(0.0)) == LINE
    other = replace(LINE, constant=1.0)
    assert store_line_of_model(Stated.identity, other) == user_file()
    assert user_file().is_relative_to(tmp_path)
    assert find_line(Stated(0.0)) == other
    for text in ("", "[]", '{"a model of tests": {}}', '{"a model of tests": 7}', "\0"):
        user_file().write_text(text)
        assert find_line(Stated(0.0)) is None
        assert find_first_token_line("server/7/9") is None
    user_file().unlink()
    assert find_line(Stated(0.0)) is None


def test_both_kinds_of_lines_are_stored_in_one_file() -> None:
    """A line through states and a line through first tokens do not replace each other."""
    first = FirstTokenLine(weights={"a": 1.0}, constant=-1.0, messages=2)
    store_line_of_model("server/7/9", first)
    assert find_first_token_line("server/7/9") == first
    assert find_line(Stated(0.0)) == LINE
    assert find_first_token_line(Stated.identity) is None


def test_shipped_lines_have_a_weight_for_each_number_of_a_state() -> None:
    """Each shipped line was fitted to all shipped turns."""
    path = Path(__file__).parents[2] / "lton/generate/need_lines.json"
    lines = json.loads(path.read_text("utf-8"))
    sizes = {name.split("/")[0]: len(line["weights"]) for name, line in lines.items()}
    assert sizes["Qwen2.5 Coder 0.5B Instruct AWQ"] == 896
    assert sizes["Qwen2.5 Coder 1.5B Instruct GGUF"] == 1536
    assert {line["messages"] for line in lines.values()} == {len(shipped_turns())}
    first_tokens = find_first_token_line("server/630167424/485452288")
    assert first_tokens is not None
    assert len(first_tokens.weights) == 360


def test_the_length_of_a_message_says_nothing_about_its_need() -> None:
    """Otherwise a rule that looks at lengths would seem to work."""
    turns = shipped_turns()
    lengths = [float(len(turn.text)) for turn in turns if turn.needs_tool]
    unwanted = [float(len(turn.text)) for turn in turns if not turn.needs_tool]
    assert (len(lengths), len(unwanted)) == (66, 96)
    assert 0.45 < area_under_curve(lengths, unwanted) < 0.55


def measure(score: float, domain: str, *, needs_tool: bool) -> Measured:
    """Return a message whose state is a score and a number that says nothing."""
    calls = [{"name": "wait", "arguments": {"minutes": [5]}}] if needs_tool else []
    turn = LabelledTurn(domain, "wanted", "?", TOOLS, ASKED, calls)
    return Measured(turn, [score, 1.0])


def test_a_line_is_fitted_to_conversations_that_it_has_not_seen() -> None:
    """The figures are those of conversations that were left out in turn."""
    measured = [
        measure(score + shift, domain, needs_tool=score > 0)
        for domain, shift in (("a", 0.0), ("b", 0.1), ("c", -0.1))
        for score in (-3.0, -2.0, -1.0, 1.0, 2.0, 3.0)
    ]
    fit = fit_line(measured)
    assert (fit.area, fit.lost, fit.needed_count) == (1.0, 0, 9)
    assert (fit.declined, fit.unneeded_count) == (9, 9)
    assert isinstance(fit.line, NeedLine)
    likely = fit.line.probability_of_call([3.0, 1.0])
    unlikely = fit.line.probability_of_call([-3.0, 1.0])
    assert likely > 0.5 > unlikely
    strict = fit_line(measured, most_lost=0.5)
    assert strict.lost == 4
    assert isinstance(strict.line, NeedLine)
    assert strict.line.probability_of_call([1.0, 1.0]) < 0.5
    assert "area under the curve 1.000" in fit.describe_figures()


def test_a_server_shows_no_states() -> None:
    """The error names what would show them."""
    with pytest.raises(LTONError, match="servers show no states") as raised:
        list(iterate_measured_states(Scripted(), shipped_turns()))
    assert raised.value.hint == "name the model's GGUF file"
