"""Test the benchmarks' rankers that use a model: a model of words, llama.cpp and llmlingua."""

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Any

import pytest

from lton.context.compress import Unit, compress
from lton.context.compress.units import Shared
from lton.engines.engine import Pair
from lton.tokens import counter
from lton_bench.compress.rankers import Likelihood, LLMLingua, LLMLingua2

O200K = counter("o200k")
NOTES = "The clerk had tea. The museum opens in June. It rained. The clerk had tea again."


def unit(text: str, **more: Any) -> Unit:
    return Unit(0, len(text), text, **more)


class Frequencies:
    """A model of words: common English words and words of the prompt are likely."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.often = Counter(["the", "it", "in", "had", "a", "when", "does"] * 9)
        self.asked = 0

    def tokenize(self, text: str) -> list[int]:
        words = text.lower().replace(".", " .").replace("?", " ?").split() or ["\n"]
        self.words += [word for word in dict.fromkeys(words) if word not in self.words]
        return [self.words.index(word) for word in words]

    def score_pairs(self, pairs: Sequence[Pair]) -> tuple[int, list[float]]:
        ((tokens, text),) = pairs
        self.asked += 1
        read = Counter(self.words[token] for token in tokens)
        total = 400 + sum(read.values())

        def likely(token: int) -> float:
            word = self.words[token]
            return log((1 + self.often[word] + 50 * read[word]) / total)

        return len(tokens), [sum(map(likely, text))]


def test_a_unit_that_foretells_the_question_is_worth_most() -> None:
    model = Frequencies()
    ranker = Likelihood(model, name="words")
    excerpt = compress(NOTES, budget=10, counter=O200K, query="museum opens?", ranker=ranker)
    assert excerpt.text == "[…] The museum opens in June. […]"
    count = model.asked
    assert (
        compress(NOTES, budget=10, counter=O200K, query="museum opens?", ranker=ranker) == excerpt
    )
    assert model.asked == count


def test_without_a_question_what_was_not_expected_is_worth_most() -> None:
    units = [unit(text) for text in NOTES.split(". ")]
    scores = Likelihood(Frequencies(), name="words").score([*units, unit("-", role="frame")], None)
    assert min(scores[:3]) > scores[3]  # it was said before
    assert scores[4] == 0
    texts = [("tea", 0), ("tea", 0), ("word " * 300, 0), ("tea", 0), ("tea", 1)]
    units = [unit(text, shared=Shared(document)) for text, document in texts]
    first, again, _, far, other = Likelihood(Frequencies(), name="words").score(units, None)
    assert first == far == other > again  # after many tokens, and in another text, all is new


def test_what_is_known_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lton_bench.compress.rankers._MOST", 2)
    model = Frequencies()
    ranker = Likelihood(model, name="words")
    units = [unit(text) for text in "abcde"]
    assert ranker.score(units, "f") == ranker.score(units, "f")
    assert model.asked > len(units)


def test_llmlingua_ranks_by_its_losses() -> None:
    """Units score by the loss of the question after them, or by their own loss without a
    question.
    """

    class Compressor:
        def get_condition_ppl(self, text: str, question: str, how: str) -> float:
            assert how == ("after" if question else "none")
            return 1.0 if "June" in text else 2.0

    ranker = LLMLingua(Compressor(), name="m")
    assert ranker.id == "llmlingua:m"
    units = [unit("tea"), unit("June"), unit("-", role="frame")]
    assert ranker.score(units, "When?") == [-2.0, -1.0, 0.0]
    assert ranker.score(units, None) == [2.0, 1.0, 0.0]


def test_llmlingua_2_ranks_by_the_words_that_it_keeps() -> None:
    """LLMLingua-2 ranks by the words that it keeps; a stand-in for its encoder keeps names."""

    class Compressor:
        def compress_prompt_llmlingua2(
            self, context: list[str], *, rate: float, return_word_label: bool
        ) -> dict[str, str]:
            (text,) = context
            assert (rate, return_word_label) == (0.5, True)
            words = [f"\u2581{word} {int(word.istitle())}" for word in text.split()]
            return {"fn_labeled_original_prompt": "\t\t|\t\t".join(["[UNK] 1", *words])}

    ranker = LLMLingua2(Compressor(), name="m", rate=0.5)
    assert ranker.id == "llmlingua2:m:0.5"
    units = [unit(text) for text in ("some tea", "in June", "Anna Lee", "-")]
    assert ranker.score(units, "When?") == [0, 0.5, 1, 0]
    assert ranker.score([], None) == []
    text = "No one had tea. Anna Lee met Bob Ray. The rain went on and on."
    short = compress(text, budget=9, counter=O200K, ranker=ranker)
    assert short.text == "[…] Anna Lee met Bob Ray. […]"


@pytest.mark.model
def test_a_real_model(llm: Any) -> None:
    from lton.engines.llamacpp import LlamaEngine

    ranker = Likelihood(LlamaEngine(llm), name="SmolLM2-135M-Instruct.Q4_1")
    excerpt = compress(
        NOTES, budget=8, counter=O200K, query="When does the museum open?", ranker=ranker
    )
    assert excerpt.text == "The museum opens in June."
