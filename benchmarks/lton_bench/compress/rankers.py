"""Rankers for `lton.context.compress` that score units with a language model.

With a question, the score of a unit is the mean log-probability of the question's tokens after the
unit (LongLLMLingua, arXiv:2310.06839, §4.1). Without a question, it is the mean surprise of the
unit's tokens after the text before it (LLMLingua, arXiv:2310.05736). Scores are rounded to
hundredths, so small differences between machines do not change the order.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Protocol

from lton.context.compress import Unit
from lton.engines.engine import Pair

_CHUNK = 256
"""The approximate number of tokens before a unit that the model reads."""
_WORDS = "\t\t|\t\t"
"""The separator of words in LLMLingua-2."""
_AHEAD = 1_000
"""The number of characters in which the next word is searched for."""
_MOST = 100_000
"""The number of cached scores."""


class Likely(Protocol):
    """A model that scores strings, such as `LlamaEngine` of `lton.engines.llamacpp`."""

    def tokenize(self, text: str) -> list[int]:
        """Return the tokens of a string."""
        ...

    def score_pairs(self, pairs: Sequence[Pair]) -> tuple[int, list[float]]:
        """Return the number of read tokens, and each text's log-probability after its context."""
        ...


class Likelihood:
    """Ranks units by a local model. The audit includes the `name` of the model.

    Scores are cached. The model reads each unit once, and the question after each unit.

    >>> class Same:
    ...     def tokenize(self, text):
    ...         return list(text.encode())
    ...     def score_pairs(self, pairs):
    ...         missing = [[token for token in text if token not in seen] for seen, text in pairs]
    ...         return 0, [-float(len(tokens)) for tokens in missing]
    >>> units = [Unit(0, 4, "rain, sun"), Unit(6, 3, "rain, sun")]
    >>> Likelihood(Same(), name="same").score(units, "rain")
    [0.0, -0.6]
    """

    def __init__(self, model: Likely, *, name: str) -> None:
        self.id = f"likelihood:{name}"
        self._model = model
        self._known: dict[tuple[str, str], float] = {}

    def score(self, units: Sequence[Unit], query: str | None) -> Sequence[float]:
        """Return the score of each unit, a logarithm; frames get 0."""
        if query:
            asked = f"\n{query}"
            return [
                0.0 if each.role == "frame" else self._mean(f"\n{each.title}\n{each.text}", asked)
                for each in units
            ]
        return self._surprises(units)

    def _surprises(self, units: Sequence[Unit]) -> list[float]:
        scores: list[float] = []
        before, size, document = "\n", 1, 0
        for unit in units:
            text = f"{unit.text}\n"
            length = len(self._model.tokenize(text))
            if unit.document != document or size + length > _CHUNK:
                before, size, document = "\n", 1, unit.document
            scores.append(0.0 if unit.role == "frame" else -self._mean(before, text))
            before, size = before + text, size + length
        return scores

    def _mean(self, before: str, text: str) -> float:
        """Return the mean log-probability of a string's tokens."""
        if (before, text) not in self._known:
            if len(self._known) >= _MOST:
                self._known.clear()
            tokens = self._model.tokenize(text)
            _, (found,) = self._model.score_pairs([(self._model.tokenize(before), tokens)])
            self._known[before, text] = round(found / len(tokens), 2) + 0.0  # no -0.0
        return self._known[before, text]


class Lingua(Protocol):
    """The methods of `llmlingua.PromptCompressor` that are used."""

    @property
    def get_condition_ppl(self) -> Callable[..., float]:
        """Return the mean loss of a passage, or of a question after the passage."""
        ...


class LLMLingua:
    """Ranks units as LLMLingua and LongLLMLingua do, by a `PromptCompressor` of `llmlingua`.

    Units stay whole and within the budget, which LLMLingua's own compression does not guarantee.
    Scores are rounded to hundredths.
    """

    def __init__(self, compressor: Lingua, *, name: str) -> None:
        self.id = f"llmlingua:{name}"
        self._loss = compressor.get_condition_ppl

    def score(self, units: Sequence[Unit], query: str | None) -> Sequence[float]:
        """Return the score of each unit, a logarithm; frames get 0."""
        how, sign = ("after", -1) if query else ("none", 1)
        return [
            0.0
            if each.role == "frame"
            else sign * round(float(self._loss(each.text, query or "", how)), 2)
            for each in units
        ]


class Lingua2(Protocol):
    """The methods of `llmlingua.PromptCompressor(…, use_llmlingua2=True)` that are used."""

    def compress_prompt_llmlingua2(
        self, context: list[str], *, rate: float, return_word_label: bool
    ) -> Mapping[str, Any]:
        """Return the answer, with each word and whether it is kept."""
        ...


class LLMLingua2:
    """Ranks units as LLMLingua-2 does (arXiv:2403.12968): by the share of words that it keeps.

    No package has the weights. The question has no effect. Units stay whole and within the budget.
    `rate` is the share of tokens that LLMLingua-2 should keep.
    """

    def __init__(self, compressor: Lingua2, *, name: str, rate: float = 0.33) -> None:
        self.id = f"llmlingua2:{name}:{rate}"
        self._compressor, self._rate = compressor, rate

    def score(self, units: Sequence[Unit], query: str | None) -> Sequence[float]:  # noqa: ARG002 - it asks nothing
        """Return the score of each unit, from 0 to 1."""
        text = "\n".join(unit.text for unit in units)
        ends = [*accumulate(len(unit.text) + 1 for unit in units)]
        answer = self._compressor.compress_prompt_llmlingua2(
            [text], rate=self._rate, return_word_label=True
        )
        kept, all_of = [0] * len(units), [0] * len(units)
        at = 0
        for said in answer["fn_labeled_original_prompt"].split(_WORDS):
            word, _, label = said.rpartition(" ")
            word = word.strip("\u2581 ")
            if (found := text.find(word, at, at + _AHEAD)) < 0:
                continue  # its tokenizer writes the word in another way
            at = found + len(word)
            unit = min(bisect_right(ends, found), len(units) - 1)
            all_of[unit] += 1
            kept[unit] += label == "1"
        return [round(some / max(1, each), 2) for some, each in zip(kept, all_of, strict=True)]
