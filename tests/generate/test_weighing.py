"""A tool, or a value of a list, is chosen by what the question adds to its likelihood."""

import math
from typing import Any

import pytest

from lton import Call, ToolSet
from lton._require import require
from lton.demo import model_path
from lton.engines.llamacpp import LlamaEngine, load
from lton.errors import ContextFullError
from lton.generate import guided, stream
from tests.generate.scripted import Scripted, Weighing

TOOLS = ToolSet.from_prompt("walk(miles:int)\nwait(minutes:int)")


def test_what_stands_first_does_not_win_for_that() -> None:
    """`walk` is likelier, and would be whatever was asked; nothing is sampled to choose."""
    engine = Weighing({"walk(": -1, "wait(": -3}, {"walk(": -1, "wait(": -7}, "5", ")")
    answer = guided(engine, "Wait 5 minutes.", TOOLS)
    assert answer.calls == [Call("wait", {"minutes": 5})]
    assert engine.scored == [["walk(", "wait("]] * 2
    assert answer.spent.sampled == 2


def test_no_call_is_weighed_too() -> None:
    """As one more text."""
    table = {"walk(": -1.0, "wait(": -1.0, "none": -5.0}
    engine = Weighing(table, {**table, "none": -9.0})
    assert guided(engine, "Thank you.", TOOLS, tool_choice="auto").calls == []


def test_a_name_that_begins_another_is_weighed() -> None:
    """Where nothing stands behind a name to end it, as behind `none`."""
    tools = ToolSet.from_prompt("none_of(x:int)\nwait(minutes:int)")
    table = {"none_of ": -1.0, "wait ": -1.0, "none": -2.0}
    engine = Weighing({**table, "wait ": 0.0}, table, "7", None)
    answer = guided(engine, "?", tools, tool_choice="auto", scaffold="keyed")
    assert answer.calls == [Call("wait", {"minutes": 7})]


def test_a_value_of_a_list_is_weighed() -> None:
    """With what ends it, which tells 1 from 10; nothing is sampled but what follows."""
    tools = ToolSet.from_prompt("wait(hours:1|10 why?)")
    unasked = {"wait(hours=1,": -1.0, "wait(hours=10,": -2.0}
    engine = Weighing({**unasked, "wait(hours=1,": -4.0}, unasked, ")")
    answer = guided(engine, "?", tools)
    assert answer.calls == [Call("wait", {"hours": 10})]
    assert (engine.scored, answer.spent.sampled) == ([[*unasked]] * 2, 1)


@pytest.mark.parametrize("engine", [Weighing({}, {}, "it", "5", ")"), Scripted("it", "5", ")")])
def test_otherwise_the_model_samples_a_name(engine: Scripted) -> None:
    """If it is asked to, or cannot weigh."""
    answer = guided(engine, "?", TOOLS, weigh=type(engine) is Scripted)
    assert answer.calls == [Call("wait", {"minutes": 5})]


def test_one_tool_is_no_choice_and_many_are_not_weighed() -> None:
    """It would take longer than to write the answer."""
    assert guided(Weighing({}, {}, "5", ")"), "?", TOOLS.select("wait")).calls
    many = ToolSet.from_prompt("\n".join(f"tool{n}()" for n in range(33)))
    assert guided(Weighing({}, {}, "9", None), "?", many).calls == [Call("tool9", {})]


@pytest.mark.model
@pytest.mark.parametrize("is_ours", [True, False])
def test_a_model_says_how_likely_texts_are(llm: Any, is_ours: bool) -> None:
    """The sums are those of its tokens one by one, also where one text is read after the other."""
    if not is_ours:
        llm = require("llama_cpp", "llamacpp").Llama(
            str(model_path()), n_ctx=256, n_threads=1, verbose=False
        )
    engine = LlamaEngine(llm)
    tokens = engine.tokenize("The capital of France is")
    texts = [engine.tokenize(text) for text in (" Paris", " Berlin, in Germany", " a")]
    long = sum(map(len, texts)) - len(texts)
    read, scores = engine.score(tokens, texts)
    assert read == len(tokens) + long
    for text, score in zip(texts, scores, strict=True):
        total = 0.0
        for at, token in enumerate(text):
            engine.feed([*tokens, *text[:at]])
            logits = engine._logits(-1).astype("float64")
            total += float(logits[token] - engine.numpy.logaddexp.reduce(logits))
        assert math.isclose(score, total, rel_tol=0.02)
    assert scores[0] > scores[1]
    for aside in (True, False):
        read, again = engine.score(tokens, texts, aside=aside)
        assert read == 1 + long
        assert again == pytest.approx(scores, rel=0.02)
    assert engine.feed([*tokens, texts[2][0]]) == 1
    assert engine.feed(tokens) == 1  # what says the next token is not kept


@pytest.mark.model
def test_what_is_read_aside_leaves_the_answer_where_it_stood() -> None:
    """Both are read once, and share what they begin with, until the context has no more room."""
    engine = LlamaEngine(load(model_path(), context=256))
    asked, unasked = (
        engine.tokenize(f"A list of towns by country. {country}: the capital is")
        for country in ("France", "...")
    )
    texts = [engine.tokenize(text) for text in (" Paris", " Oslo, in Norway")]
    alone = [engine.score(tokens, texts)[1] for tokens in (asked, unasked)]
    long = sum(map(len, texts)) - len(texts)
    engine.feed(engine.tokenize("Something else"))
    read, scores = engine.score(asked, texts)
    assert read == len(asked) + long
    assert scores == pytest.approx(alone[0], rel=0.05)
    read, scores = engine.score(unasked, texts, aside=True)
    assert read == len(unasked) - 7 + long  # "A list of towns by country."
    assert scores == pytest.approx(alone[1], rel=0.05)
    more = [*asked, *texts[0]]
    assert engine.feed(more) == 1
    assert engine.score([*unasked, *texts[0]], texts, aside=True)[0] == 1 + long
    assert engine.feed(more) == 1
    most = engine.llm.n_ctx()
    full = (more * most)[:most]
    assert engine.feed(full) == most - len(more)
    assert engine.sequences.beside.aside == []
    assert engine.score(unasked, texts, aside=True)[0] > long  # in the place of the answer, then
    assert engine.sequences.beside.aside == []
    with pytest.raises(ContextFullError, match="the context of"):
        engine.score(full, texts, aside=True)


@pytest.mark.model
def test_answers_that_are_written_by_turns_do_not_mix(llm: Any) -> None:
    """Two engines share a model: what stands beside the answer is of whoever read there last."""
    tools = ToolSet.from_prompt(
        "light(room:kitchen|bedroom on:bool)\nmusic(style:jazz|rock loud:bool)"
    )
    questions = ["Turn the light in the bedroom off.", "Play loud rock music!"]
    alone = [[*stream(llm, question, tools)] for question in questions]
    by_turns = zip(*(stream(llm, question, tools) for question in questions), strict=True)
    for found, expected in zip(zip(*by_turns, strict=True), alone, strict=True):
        assert [*found[:-1]] == expected[:-1]  # but for the tokens that were read
    assert alone[0][0] != alone[1][0]


@pytest.mark.model
def test_what_a_reset_takes_is_read_again(llm: Any) -> None:
    """Whoever has the model may do with it what he wants between two answers."""
    engine = LlamaEngine(llm)
    tokens, texts = engine.tokenize("One, two, three,"), [engine.tokenize(" four")]
    for _ in range(2):
        engine.score(tokens, texts)
        read, _ = engine.score([*tokens[:-1], *texts[0]], texts, aside=True)
        assert read == 1
        llm.reset()
        llm._ctx.kv_cache_clear()
        assert engine.score(tokens, texts)[0] == len(tokens)


@pytest.mark.model
def test_more_texts_than_sequences_and_longer_ones_than_a_batch() -> None:
    """They are read in several passes, and say the same."""
    engine = LlamaEngine(load(model_path(), context=2048))
    tokens, word = engine.tokenize("One, two"), engine.tokenize(" three")
    texts = [[*word, number] for number in range(1000, 1040)]
    assert len(engine.score(tokens, texts)[1]) == 40
    long = [engine.tokenize(" three, four" * 180), word]
    assert len(long[0]) > engine.llm.n_batch
    scores = engine.score(tokens, long)[1]
    assert scores[1] == pytest.approx(engine.score(tokens, [word, texts[0]])[1][0], rel=0.02)
    assert scores[0] < scores[1]
