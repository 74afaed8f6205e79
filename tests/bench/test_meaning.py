"""Test the ranker that combines words and vectors, and the questions that measure it."""

from pathlib import Path
from typing import Any

import numpy

from lton.context.compress import LEXICAL, Unit
from lton_bench.compress import meaning
from lton_bench.compress.meaning import ALONE, Meaning

DATA = Path(__file__).parents[1] / "context" / "compressed" / "paraphrased.jsonl.gz"
TEXTS = ("It rained all day.", "The shop was shut.", "Nobody was at home.", "They sold bread.")
UNITS = [Unit(0, len(text), text) for text in TEXTS]


def embedding(asked: list[str]) -> meaning.Embed:
    """A stand-in for embeddings, in which texts about shops are similar to each other."""

    def embed(texts: Any) -> Any:
        asked.extend(texts)
        return numpy.array(
            [
                [1.0, 0.0] if any(w in t for w in ("shop", "bread", "buy")) else [0.0, 1.0]
                for t in texts
            ]
        )

    return embed


def test_meaning_is_mixed_in_and_vectors_are_kept() -> None:
    asked: list[str] = []
    known: dict[str, bytes] = {}
    alone = Meaning(embedding(asked), name="toy", weight=ALONE, known=known)
    assert list(alone.score(UNITS, "Where can I buy food?")) == [0, 1, 0, 1]
    assert sorted(asked) == sorted([*TEXTS, "Where can I buy food?"])
    mixed = Meaning(embedding(asked), name="toy", weight=2, known=known)
    words = LEXICAL.score(UNITS, "Where can I buy food?")
    scores = mixed.score(UNITS, "Where can I buy food?")
    assert [both - word for both, word in zip(scores, words, strict=True)] == [0, 2, 0, 2]
    assert len(asked) == 5
    assert (alone.id, mixed.id) == ("lexical+toy:inf", "lexical+toy:2")
    assert mixed.score(UNITS, None) == LEXICAL.score(UNITS, None)


def test_each_question_has_a_place_that_answers_it_and_few_of_its_words() -> None:
    asked = list(meaning.read(DATA))
    assert len(asked) == 120
    assert all(each.places for each in asked)
    kept = [each for each in asked if each.kept(LEXICAL, 1)]
    assert len(kept) == len(asked)
