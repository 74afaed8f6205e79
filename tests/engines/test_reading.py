"""Test that the real model reports likelihoods of texts, and is unchanged afterwards."""

import math
import re
from pathlib import Path
from typing import Any

import pytest

import lton
from lton._require import require
from lton.engines import scoring
from lton.engines.llamacpp import LlamaEngine, load
from lton.errors import ContextFullError
from lton_bench.demo import model_path
from tests.engines.scripted_scorer import ScriptedScorer

TEXTS = (" Paris", " Berlin, in Germany", " a")


def test_the_binding_is_used_through_its_public_names() -> None:
    """The engine uses only public names of the binding, except for the log callback."""
    private = re.compile(r"\b(?:llm|library|model)\._[a-z]\w*")
    modules = Path(lton.__file__).parent.rglob("*.py")
    names = [one for path in modules for one in private.findall(path.read_text("utf-8"))]
    assert names == ["library._logger"]


@pytest.mark.model
def test_a_model_says_how_likely_texts_are(llm: Any) -> None:
    """The scores equal the sums over tokens that are read one by one."""
    engine = LlamaEngine(llm)
    tokens = engine.tokenize("The capital of France is")
    texts = [engine.tokenize(text) for text in TEXTS]
    read, scores = engine.score_pairs([(tokens, text) for text in texts])
    assert read == len(tokens) + sum(map(len, texts)) - 1  # the last is read for each of them
    for text, score in zip(texts, scores, strict=True):
        total = 0.0
        for at, token in enumerate(text):
            engine.feed([*tokens, *text[:at]])
            logits = engine._logits(-1).astype("float64")
            total += float(logits[token] - engine.numpy.logaddexp.reduce(logits))
        assert math.isclose(score, total, rel_tol=0.02)
    assert scores[0] > scores[1]


@pytest.mark.model
def test_what_is_read_aside_leaves_the_answer_where_it_was() -> None:
    """After scoring, only the last token of the answer is read again, and scores are cached."""
    engine = LlamaEngine(load(model_path(), context=256))
    asked_tokens, unasked = (
        engine.tokenize(f"A list of towns by country. {country}: the capital is")
        for country in ("France", "...")
    )
    texts = [engine.tokenize(text) for text in TEXTS]
    pairs = [(unasked, text) for text in texts]
    alone = LlamaEngine(load(model_path(), context=256)).score_pairs(pairs)[1]
    engine.feed(asked_tokens)
    read, scores = engine.score_pairs(pairs)
    assert read > 0
    assert scores == pytest.approx(alone, rel=0.05)
    assert engine.score_pairs(pairs) == (0, scores)
    assert engine.reading.held_tokens() == asked_tokens
    assert [*engine.reading.memory.states] == [tuple(unasked[:-1])]  # for what follows it
    assert engine.feed(asked_tokens) == 1  # what says the next token was lost
    assert engine.feed(asked_tokens) == 0
    grown = [*unasked, *texts[0]]
    read = engine.score_pairs([(grown, text) for text in texts])[0]
    assert read <= sum(map(len, texts)) + len(texts[0])
    assert [*engine.reading.memory.states] == [tuple(grown[:-1])]
    other = LlamaEngine(engine.llm)
    assert other.score_pairs(pairs) == (0, scores)


@pytest.mark.model
def test_what_a_reset_takes_is_read_again(llm: Any) -> None:
    """After the owner has reset the model, the prompt is read again."""
    engine = LlamaEngine(llm)
    tokens = engine.tokenize("One, two, three,")
    for _ in range(2):
        engine.feed(tokens)
        llm.reset()
        assert engine.feed(tokens) == len(tokens)


@pytest.mark.model
def test_a_text_may_be_longer_than_a_batch() -> None:
    """A text that is longer than a batch is read in several passes, with the same score."""
    engine = LlamaEngine(load(model_path(), context=2048))
    tokens, long = engine.tokenize("One, two"), engine.tokenize(" three, four" * 180)
    assert len(long) > engine.llm.n_batch
    (whole,) = engine.score_pairs([(tokens, long)])[1]
    (head,) = engine.score_pairs([(tokens, long[:100])])[1]
    (tail,) = engine.score_pairs([([*tokens, *long[:100]], long[100:])])[1]
    assert whole == pytest.approx(head + tail, rel=0.02)


def test_a_number_of_scores_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The most recent scores are cached, up to a limit."""
    monkeypatch.setattr(scoring, "_KNOWN", 2)
    scorer = ScriptedScorer()
    reads = [scorer.score_pairs([([token], [0])])[0] for token in (1, 2, 1, 3, 1, 2)]
    assert reads == [1, 1, 0, 1, 0, 1]


def test_equal_pairs_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal pairs are computed once, also if there are more pairs than are cached."""
    monkeypatch.setattr(scoring, "_KNOWN", 2)
    scorer = ScriptedScorer()
    pairs = [([1], [2]), ([1], [3]), ([1], [2]), ([1], [4]), ([1], [])]
    assert scorer.score_pairs(pairs) == (3, [-2.0, -3.0, -2.0, -4.0, 0.0])
    assert scorer.score_pairs(pairs[-2:]) == (0, [-4.0, 0.0])
    assert scorer.score_pairs([]) == (0, [])


@pytest.mark.model
def test_what_prompts_begin_with_is_kept() -> None:
    """For the next question to the same tools, only the question is read."""
    engine = LlamaEngine(load(model_path(), context=256))
    begins = [engine.tokenize(f"A {name} is in the house.\n") for name in ("small fish", "dog")]
    answer = engine.tokenize("There was a time")
    for number, text in enumerate(("Does it bark?", "Does it bark loud?", "Does it bark?")):
        question = engine.tokenize(text)
        pairs = [(begin, question) for begin in begins]
        engine.feed(answer)
        read, scores = engine.score_pairs(pairs)
        best = engine.pick(scores)
        assert best == 1
        if number == 1:
            assert read == len(pairs) * len(question)
        if number == 2:
            assert read == 0
        assert engine.feed(answer) <= 1
        assert engine.feed([*begins[best], *question]) <= len(question) + 1


@pytest.mark.model
def test_states_are_kept_up_to_a_size() -> None:
    """States are cached up to a total size, and the most recently used state is kept longest."""
    engine = LlamaEngine(load(model_path(), context=256))
    reading, states = engine.reading, engine.reading.memory.states
    for token in (1000, 2000, 3000):
        reading.feed([token, token + 1])
        reading.cache_state()
    assert [*states] == [(1000, 1001), (2000, 2001), (3000, 3001)]
    size = len(states[1000, 1001])
    assert reading.restore_common_start([1000, 1001, 1002]) == 2
    reading.feed([4000, 4001])
    reading.cache_state(2 * size)
    assert [*states] == [(1000, 1001), (4000, 4001)]


@pytest.mark.model
def test_a_state_that_cannot_be_restored_is_read(llm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = LlamaEngine(llm)
    engine.feed([1000, 1001])
    engine.reading.cache_state()
    engine.feed([2000])
    monkeypatch.setattr(engine.library, "llama_state_seq_set_data", lambda *_: 0)
    assert engine.feed([1000, 1001, 1002]) == 3


@pytest.mark.model
def test_a_context_is_as_large_as_the_binding_knows() -> None:
    """The usable context is the one that the binding reports: 300 tokens, although llama.cpp
    allocates 512.
    """
    engine = LlamaEngine(load(model_path(), context=300))
    assert engine.llm.n_ctx() == len(engine.llm.input_ids) == 512
    engine.feed([*range(1000, 1500)])
    with pytest.raises(ContextFullError):
        engine.feed([*range(1000, 1513)])
    own = require("llama_cpp", "local").Llama(
        str(model_path()), n_ctx=300, n_threads=1, verbose=False
    )
    with pytest.raises(ContextFullError, match="the context of 300 tokens is full"):
        LlamaEngine(own).feed([*range(1000, 1310)])


@pytest.mark.model
@pytest.mark.parametrize("raised", [KeyboardInterrupt, ContextFullError])
def test_what_is_interrupted_was_not_read(
    monkeypatch: pytest.MonkeyPatch, raised: type[BaseException]
) -> None:
    """After an interrupt, or a lack of room, the next answer is right."""
    engine = LlamaEngine(load(model_path(), context=512))
    tokens, texts = engine.tokenize("Does it bark?"), [engine.tokenize(text) for text in TEXTS]
    pairs = [(tokens, text) for text in texts]
    scores = engine.score_pairs(pairs)[1]
    engine.known_scores.clear()
    engine.feed([1000])
    decode = engine.library.llama_decode

    def interrupt(*arguments: Any) -> Any:
        decode(*arguments)
        if raised is KeyboardInterrupt:
            raise KeyboardInterrupt
        return 1

    with monkeypatch.context() as patched:
        patched.setattr(engine.library, "llama_decode", interrupt)
        with pytest.raises(raised):
            engine.score_pairs(pairs)
    assert engine.score_pairs(pairs)[1] == pytest.approx(scores, rel=0.02)


@pytest.mark.model
def test_an_answer_goes_on_when_others_have_read(llm: Any) -> None:
    """An answer continues correctly after another engine, or the owner, has used the model in
    between.
    """

    def write(between: Any) -> bytes:
        llm.reset()
        engine = LlamaEngine(llm)
        engine.feed(engine.tokenize("Once upon a time there was"))
        text = b""
        with engine.constrain("root ::= [a-zA-Z ,.]+") as grammar:
            for _ in range(6):
                text += engine.sample(grammar) or b""
                between()
        return text

    other = LlamaEngine(llm)
    alone = write(lambda: None)
    assert write(lambda: llm.create_completion("Something else", max_tokens=2)) == alone
    assert write(lambda: other.feed(other.tokenize("Once upon another"))) == alone
    assert write(llm.reset) == alone
