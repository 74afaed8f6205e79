"""Test guided generation with a real model: calls are valid, and few tokens are sampled."""

from contextlib import suppress
from typing import Any

import pytest

from lton import IncompleteError, ToolSet, decode, encode
from lton.cli import main
from lton.engines.llamacpp import check_grammar
from lton.errors import ContextFullError
from lton.generate import ask as ask_guided
from lton.generate.spelling import write_value_gbnf
from lton.grammar.gbnf import write_gbnf
from lton.grammar.satisfiable import has_values
from lton_bench import bfcl
from lton_bench.demo import DEFINITIONS, QUESTIONS, demo_tools
from lton_bench.direct import direct
from lton_bench.rivals import json_grammar
from lton_bench.scaffolds import named

CASES = bfcl.load(["simple_python"])[:20]


@pytest.mark.parametrize(
    ("scaffold", "cases"), [("call", 20), ("python", 6), ("json", 6), ("lines", 6)]
)
def test_every_call_is_valid(llm: Any, scaffold: str, cases: int) -> None:
    """Each scaffold gives calls that can be encoded, with a few sampled tokens.

    In the keyed scaffold, strings without a comma do not end (see the next test).
    """
    sampled = 0
    for case in CASES[:cases]:
        tools = ToolSet.from_tools(case.tools)
        answer = ask_guided(llm, case.question, tools, scaffold=named(scaffold), max_tokens=96)
        assert decode(encode(answer.calls, tools), tools) == answer.calls
        assert [call.name for call in answer.calls] == [tool.name for tool in tools]
        assert answer.spent.prompt > 0
        sampled += answer.spent.sampled
    assert sampled < 20 * cases


def test_the_keyed_scaffold_ends_in_calls_or_in_an_error(llm: Any) -> None:
    """Most calls in the keyed scaffold are complete, and no incomplete call is returned."""
    valid = 0
    for case in CASES[:8]:
        tools = ToolSet.from_tools(case.tools)
        with suppress(IncompleteError):
            answer = ask_guided(llm, case.question, tools, scaffold=named("keyed"), max_tokens=48)
            valid += decode(encode(answer.calls, tools), tools) == answer.calls
    assert valid > 4


def test_guided_calls_take_a_fraction_of_the_tokens(llm: Any) -> None:
    """JSON under its grammar is also valid, and takes at least three times as many sampled
    tokens.
    """
    tokens = [0, 0]
    for case in CASES[:6]:
        tools = ToolSet.from_tools(case.tools)
        reply = direct(llm, case.question, tools, form="json")
        assert len(reply.calls) == 1
        tokens[0] += ask_guided(llm, case.question, tools).spent.sampled
        tokens[1] += reply.spent.sampled
    assert tokens[0] * 3 < tokens[1]


@pytest.mark.parametrize(
    ("layout", "question"),
    [
        ("order(items:{int})", "Order 3 apples and 2 pears."),
        ("find(by:int|(name city?))", "Find Anna in Oslo."),
        ("tag(labels:str|[str])", "Tag it with red and blue."),
    ],
)
def test_maps_and_unions(llm: Any, layout: str, question: str) -> None:
    """The parts of maps and unions are written one by one, and are valid."""
    tools = ToolSet.from_prompt(layout)
    answer = ask_guided(llm, question, tools, max_tokens=60)
    assert decode(encode(answer.calls, tools), tools) == answer.calls
    assert answer.spent.sampled < 60


def test_lengths_are_right_however_the_model_counts(llm: Any) -> None:
    """Lengths are filled in afterwards, so they are right, and the text is read without tools."""
    for case in CASES[:4]:
        tools = ToolSet.from_tools(case.tools)
        answer = ask_guided(llm, case.question, tools, scaffold=named("tagged"))
        assert decode(answer.text) == answer.calls


@pytest.mark.parametrize("cue", ["type", "description", "both"])
def test_cues_are_read_and_not_sampled(llm: Any, cue: str) -> None:
    """Cues cost prefilled tokens and no sampled tokens, and calls stay valid."""
    tools, question = demo_tools(), QUESTIONS[0][0]
    plain = ask_guided(llm, question, tools, scaffold=named("python-lines"), weigh=False)
    cued = ask_guided(llm, question, tools, scaffold=named("python-lines", cue), weigh=False)
    assert decode(encode(cued.calls, tools), tools) == cued.calls
    assert cued.spent.prefilled > plain.spent.prefilled


def test_a_seed_reproduces(llm: Any) -> None:
    """The same seed gives the same answer, and seeds differ."""
    tools = ToolSet.from_prompt("roll(dice:int sides:int)")

    def ask(seed: int) -> str:
        return ask_guided(llm, "Roll some dice.", tools, temperature=1.5, seed=seed).text

    assert ask(3) == ask(3)
    assert len({ask(seed) for seed in range(4)}) > 1


def test_a_budget_ends_the_answer(llm: Any) -> None:
    """A budget of three tokens is too small for a call, and a few more allow a call without
    optional arguments.
    """
    tools, question = demo_tools(), QUESTIONS[0][0]
    with pytest.raises(IncompleteError):
        ask_guided(llm, question, tools, max_tokens=3)
    several = ask_guided(llm, question, tools, max_tokens=40, parallel=True)
    assert several.calls[0].name == "weather.v1"
    assert several.spent.sampled <= 40


def test_no_call_is_a_choice(llm: Any) -> None:
    """With "auto" the model may decline: the answer is a call or none."""
    answer = ask_guided(llm, "Tell me a joke.", demo_tools(), tool_choice="auto")
    assert answer.calls or answer.text == "none"


def test_llama_cpp_reads_the_grammar_of_every_value(llm: Any) -> None:
    """llama.cpp reads the grammars of the values of all BFCL parameters, and of calls in JSON."""
    types = set()
    for function in bfcl.functions(bfcl.CATEGORIES):
        tools = ToolSet.from_tools([function])
        types |= {param.type for tool in tools for param in tool.args.params}
        check_grammar(write_gbnf(json_grammar(tools)), llm)
    for node in filter(has_values, types):
        check_grammar(write_value_gbnf(node), llm)
    assert len(types) > 300


def test_a_context_that_is_full_is_an_error(llm: Any) -> None:
    """A question that is longer than the context is an error with its own code."""
    with pytest.raises(ContextFullError, match="context"):
        ask_guided(llm, "again " * 2100, demo_tools())


def test_the_command(llm: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """`lton generate` prints the calls, and the tokens and time on standard error."""
    question, _ = QUESTIONS[0]
    arguments = ["generate", "-t", str(DEFINITIONS), "--model", llm.model_path]
    assert main([*arguments, question]) == 0
    out, err = capfd.readouterr()
    assert out.startswith("weather.v1 ")
    assert "weather.v1\n  city: " in err
    assert "tokens sampled" in err
