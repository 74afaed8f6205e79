"""The real model says how likely texts are, with what it has read kept, and kept apart."""

import math
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import lton
from lton._require import require
from lton.engines import _sequences
from lton.engines._sequences import Sequences
from lton.engines.llamacpp import LlamaEngine, load
from lton.errors import ContextFullError
from lton_bench.demo import model_path


def test_private_attributes_of_the_binding_are_used_in_one_module() -> None:
    """A version of llama-cpp-python that has others breaks nothing else."""
    private = re.compile(r"\b(?:llm|library|model)\._[a-z]")
    modules = Path(lton.__file__).parent.rglob("*.py")
    assert [path.name for path in modules if private.search(path.read_text("utf-8"))] == [
        "_sequences.py"
    ]


@pytest.mark.model
@pytest.mark.parametrize("is_ours", [True, False])
def test_a_model_says_how_likely_texts_are(llm: Any, is_ours: bool) -> None:
    """The sums are those of its tokens one by one, also where one text is read after the other."""
    if not is_ours:
        llm = require("llama_cpp", "local").Llama(
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
    read, again = engine.score(tokens, texts, aside=True)
    assert read == 0
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
    engine.sequences.beside.known.clear()
    assert engine.score(unasked, texts, aside=True)[0] > long  # in the place of the answer, then
    assert engine.sequences.beside.aside == []
    with pytest.raises(ContextFullError, match="the context of"):
        engine.score(full, texts, aside=True)


@pytest.mark.model
def test_what_a_reset_takes_is_read_again(llm: Any) -> None:
    """Whoever has the model may do with it what he wants between two answers."""
    engine = LlamaEngine(llm)
    tokens, texts = engine.tokenize("One, two, three,"), [engine.tokenize(" four")]
    for _ in range(2):
        engine.score(tokens, texts)
        engine.sequences.beside.known.clear()
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


NAMES = (" a large city", " Paris, of course", " Rome, of course", " a", " Oslo, I am sure")


@pytest.mark.model
@pytest.mark.parametrize("fed", [True, False])
@pytest.mark.parametrize("repeated", [1, 8])
def test_only_what_can_win_is_read_to_its_end(llm: Any, fed: bool, repeated: int) -> None:
    """The winner is that of all readings; what lost says no less than it would to its end."""
    engine = LlamaEngine(llm)
    tokens = engine.tokenize("The capital of France is")
    texts = [
        engine.tokenize(f"{name}{' indeed' * rank}") for rank in range(repeated) for name in NAMES
    ]
    less = [-float(index % 3) for index in range(len(texts))]
    every, whole = engine.score(tokens, texts)
    engine.feed(tokens[:-1])
    if fed:
        engine.feed(tokens)
    read, found = engine.score(tokens, texts, less=less)
    first = engine.pick([one - other for one, other in zip(whole, less, strict=True)])
    assert engine.pick([one - other for one, other in zip(found, less, strict=True)]) == first
    assert found[first] == pytest.approx(whole[first], rel=0.05)
    assert all(one >= other - 0.5 for one, other in zip(found, whole, strict=True))
    assert read <= every if repeated == 1 else read < every
    assert engine.sequences.held() == [*tokens, *texts[first][:-1]]
    assert engine.feed([*tokens, *texts[first]]) == 1


@pytest.mark.model
def test_who_draws_lots_wants_every_text_to_its_end(llm: Any) -> None:
    engine = LlamaEngine(llm, temperature=1.0)
    tokens = engine.tokenize("The capital of France is")
    texts = [engine.tokenize(name) for name in NAMES]
    read, found = engine.score(tokens, texts, less=[-1.0] * len(texts))
    assert found == pytest.approx(LlamaEngine(llm).score(tokens, texts)[1], rel=0.05)
    assert read >= sum(map(len, texts)) - len(texts)
    assert engine.sequences.held() == tokens


def test_only_so_many_scores_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that were asked for last."""
    monkeypatch.setattr(_sequences, "_KNOWN", 2)
    monkeypatch.setattr(Sequences, "__init__", lambda _: None)
    monkeypatch.setattr(Sequences, "_score", lambda *_, **__: (7, [-1.0]))
    sequences = Sequences()  # type: ignore[call-arg]
    sequences.beside = _sequences._Beside()
    reads = [sequences.score([token], [[0]], aside=True)[0] for token in (1, 2, 1, 3, 1, 2)]
    assert reads == [7, 7, 0, 7, 0, 7]
    assert sequences.score([1], [[0]], aside=False)[0] == 7


@pytest.mark.model
@pytest.mark.parametrize("size", [4, 240])
def test_what_prompts_begin_with_is_kept(size: int) -> None:
    """Their rests are read side by side, or one after the other where there is no room."""
    engine = LlamaEngine(load(model_path(), context=256))
    begins = [engine.tokenize(f"A {name} is in the house.\n") for name in ("dog", "small fish")]
    questions = [engine.tokenize(text) for text in ("Does it bark?", "Can it swim far?")]
    answer = engine.tokenize("There was a time" + (size - 4) * " once")
    for number, rest in enumerate([*questions, questions[0]]):
        prompts = [([*begin, *rest], len(begin)) for begin in begins]
        alone = [engine.score(begin, [rest])[1][0] for begin in begins]
        engine.feed(answer)
        read, scores = engine.sequences.foretell(prompts, aside=True)
        engine.sequences.settle(None)
        assert scores == pytest.approx(alone, rel=0.02)
        if size < 100:
            assert engine.feed(answer) == 1  # what was read before is there
            begun = 0 if number else sum(len(begin) - 1 for begin in begins)
            assert read == begun + len(begins) * len(rest)
    assert scores[0] > scores[1]


@pytest.mark.model
@pytest.mark.parametrize("own", [True, False])
def test_the_model_is_after_the_prompt_that_is_picked(own: bool) -> None:
    """What all begin with is not read again. A `Llama` as it comes reads one after the other."""
    plain = partial(
        require("llama_cpp", "local").Llama,
        str(model_path()),
        n_ctx=256,
        n_threads=1,
        verbose=False,
    )
    engine = LlamaEngine(load(model_path(), context=256) if own else plain())
    begins = [engine.tokenize(f"Mind: a {name} is in the house.\n") for name in ("cat", "dog")]
    rest = engine.tokenize("Does it bark?")
    prompts = [([*begin, *rest], len(begin)) for begin in begins]
    engine.feed([*begins[1], *engine.tokenize("It barks")])
    read, best, _ = engine.foretell(prompts)
    assert best == 1
    if own:
        shared = len(engine.tokenize("Mind: a"))
        assert read == sum(len(begin) - 1 - shared + len(rest) for begin in begins)
        assert engine.sequences.held() == prompts[1][0][:-1]
        assert engine.feed(prompts[1][0]) == 1
    after = [*prompts[1][0], *engine.tokenize("Yes")]
    engine.feed(after)
    logits = engine._logits(-1).copy()
    other = LlamaEngine(load(model_path(), context=256))
    other.feed(after)
    assert logits == pytest.approx(other._logits(-1), abs=1)


@pytest.mark.model
def test_states_are_kept_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that was used last is kept longest."""
    engine = LlamaEngine(load(model_path(), context=256))
    prompts = [(engine.tokenize(f"{letter} is a letter. Which?"), 4) for letter in "ABC"]
    read = [engine.foretell([prompt], aside=True)[0] for prompt in prompts]
    states = engine.sequences.beside.states
    assert len(states) == 3
    monkeypatch.setattr(_sequences, "_KEPT", 2 * len(next(iter(states.values()))))
    again = [engine.foretell([prompts[index]], aside=True)[0] for index in (0, 2)]
    assert again == [read[0] - 3, read[2] - 3]
    engine.foretell([(engine.tokenize("D is a letter. Which?"), 4)], aside=True)
    assert engine.foretell([prompts[1]], aside=True)[0] == read[1]
    assert engine.foretell([prompts[0]], aside=True)[0] == read[0]


@pytest.mark.model
def test_what_is_read_aside_counts_what_it_shares() -> None:
    """Two prompts that begin as the answer does, one after the other, where both have no room."""
    engine = LlamaEngine(load(model_path(), context=256))
    held = [*range(1000, 1180)]
    engine.feed(held)
    one, two = [*held[:72], *range(3000, 3054)], [*held[:21], *range(5000, 5107)]
    read, *_ = engine.foretell([(one, 73), (two, 75)], aside=True)
    assert read > len(one) - 72


@pytest.mark.model
def test_a_context_is_as_large_as_the_binding_knows() -> None:
    """llama.cpp has multiples of 256 tokens."""
    llm = load(model_path(), context=300)
    assert llm.n_ctx() == len(llm.input_ids) == 512
    engine = LlamaEngine(llm)
    engine.feed([*range(1000, 1500)])
    with pytest.raises(ContextFullError):
        engine.feed([*range(1000, 1513)])


@pytest.mark.model
def test_a_model_of_ones_own_may_have_any_context() -> None:
    """llama.cpp makes 512 tokens of 300, of which the binding has 300."""
    llm = require("llama_cpp", "local").Llama(
        str(model_path()), n_ctx=300, n_threads=1, verbose=False
    )
    engine = LlamaEngine(llm)
    engine.feed([*range(1000, 1290)])
    with pytest.raises(ContextFullError, match="the context of 300 tokens is full"):
        engine.feed([*range(1000, 1310)])


@pytest.mark.model
@pytest.mark.parametrize("is_foretold", [True, False])
def test_what_is_interrupted_is_as_if_nothing_had_been_read(
    monkeypatch: pytest.MonkeyPatch, is_foretold: bool
) -> None:
    """Somebody presses Ctrl-C between two passes; what the next one says is right."""
    engine = LlamaEngine(load(model_path(), context=512))
    prompts = [(engine.tokenize(f"A {name} is here. Does it bark?"), 5) for name in ("cat", "dog")]
    tokens, texts = prompts[0][0], [engine.tokenize(text) for text in (" Yes, it does", " No")]
    ask: Any = (
        (lambda: engine.sequences.foretell(prompts, aside=True))
        if is_foretold
        else (lambda: engine.score(tokens, texts, aside=True))
    )
    read, scores = ask()
    engine = LlamaEngine(load(model_path(), context=512))
    engine.feed(tokens[:3])
    decode = engine.library.llama_decode

    def interrupt(*arguments: Any) -> Any:
        decode(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(engine.library, "llama_decode", interrupt)
        with pytest.raises(KeyboardInterrupt):
            ask()
    again, found = ask()
    assert again == read
    assert found == pytest.approx(scores, rel=0.02)
    assert engine.feed(tokens) == len(tokens)


@pytest.mark.model
def test_what_was_read_aside_gives_way_to_whoever_has_the_model() -> None:
    """The owner's own texts fit into the context as if nobody else had read."""
    engine = LlamaEngine(load(model_path(), context=256))
    texts = [engine.tokenize(" Paris"), engine.tokenize(" Oslo, in Norway")]
    engine.score(engine.tokenize("One, two" * 40), texts, aside=True)
    assert engine.sequences.beside.aside
    llm = engine.llm
    words = llm.tokenize(b"again " * 220)[:220]
    llm.reset()
    llm.eval(words)
    assert engine.sequences.beside.aside == []
    read, scores = engine.score(engine.tokenize("The capital of France is"), texts)
    assert read > len(texts[1])
    assert scores[0] > scores[1]


@pytest.mark.model
def test_an_answer_goes_on_when_others_have_read(llm: Any) -> None:
    """The owner of the model, or another engine, may read between two of its tokens."""

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
