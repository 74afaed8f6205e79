"""Test the page of the calls that servers deliver, made from figures of `lton probe`."""

from lton import ToolSet
from lton.probe.asking import GivenAnswer
from lton.probe.outcome import AskedWay
from lton.probe.questions import QUESTIONS, TOOLS
from lton_bench.study.servers.questions import check, markdown


def test_a_row_says_what_one_way_brought() -> None:
    """Shares refer to the questions that need a call, and have intervals."""
    way = AskedWay("the server", ToolSet.from_tools(TOOLS))
    for question in QUESTIONS:
        calls = (question.call,) if question.call and question.call.name == "read_file" else ()
        way.add_reply(question, GivenAnswer(calls=calls, text="Yes.", prompt=100, sampled=10))
    page = markdown({"a server: a model": {"the server": way.to_figures()}})
    assert "## a server: a model" in page
    assert "| the server | 3 | 3 | 0.188 [0.066, 0.430] |" in page
    assert "| 8 of 8 | 100 | 10 |" in page


def test_calls_are_compared_with_what_the_model_wrote() -> None:
    """A call with a value that the model did not write is invented, and a surplus call is
    doubled.
    """
    wrote = '```json\n{"name": "wait", "arguments": {"minutes": 5, "why": "tea"}}\n```'
    cases = [
        ([{"minutes": 5, "why": "tea"}], {"invented": 0, "doubled": 0}),
        ([{"minutes": 5, "why": "tea"}] * 2, {"invented": 0, "doubled": 1}),
        ([{"minutes": 5, "why": ["cake"]}], {"invented": 1, "doubled": 0}),
        ([], {"invented": 0, "doubled": 0}),
    ]
    for arguments, expected in cases:
        calls = [{"name": "wait", "arguments": argument} for argument in arguments]
        alone = {"answers": [{"text": wrote, "calls": []}]}
        through = {"answers": [{"text": "", "calls": calls}]}
        assert check({"the server": alone, "`lton serve`": through}) == expected
