"""Rankers for `lton.context.compress` that score units with a language model.

With a question a unit is worth the mean log-probability of the question's tokens after it
(LongLLMLingua, arXiv:2310.06839, §4.1). Without one it is worth the mean surprise of its own tokens
after what comes before it (LLMLingua, arXiv:2310.05736). Scores are hundredths, so that small
differences between machines change no order.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Protocol

from lton.context.compress import Unit

_CHUNK = 256
"""Tokens before a unit that the model reads, at most about."""
_WORDS = "\t\t|\t\t"
"""What LLMLingua-2 writes between words."""
_AHEAD = 1_000
"""Characters in which the next word of a text is looked for."""
_MOST = 100_000
"""Scores that are kept."""


class Likely(Protocol):
    """A model that says how likely texts are: `LlamaEngine` of `lton.engines.llamacpp` is one."""

    def tokenize(self, text: str) -> list[int]:
        """Get the tokens of a text."""
        ...

    def score(
        self, tokens: Sequence[int], texts: Sequence[Sequence[int]]
    ) -> tuple[int, list[float]]:
        """Get how many tokens were read, and the log-probability of each text after the tokens."""
        ...


class Likelihood:
    """Ranks by a local model. The `name` of the model is part of what the audit says.

    What was asked once is not asked again. A question is asked after each unit, so the time is
    that of reading the units, and the question as often.

    >>> class Same:
    ...     def tokenize(self, text):
    ...         return list(text.encode())
    ...     def score(self, tokens, texts):
    ...         return 0, [-float(sum(token not in tokens for token in text)) for text in texts]
    >>> units = [Unit(0, 4, "rain, sun"), Unit(6, 3, "rain, sun")]
    >>> Likelihood(Same(), name="same").score(units, "rain")
    [0.0, -0.6]
    """

    def __init__(self, model: Likely, *, name: str) -> None:
        self.id = f"likelihood:{name}"
        self._model = model
        self._known: dict[tuple[str, str], float] = {}

    def score(self, units: Sequence[Unit], query: str | None) -> Sequence[float]:
        """Get the score of each unit, a logarithm; frames get 0."""
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
        """Get the mean log-probability of a text's tokens."""
        if (before, text) not in self._known:
            if len(self._known) >= _MOST:
                self._known.clear()
            tokens = self._model.tokenize(text)
            _, (found,) = self._model.score(self._model.tokenize(before), [tokens])
            self._known[before, text] = round(found / len(tokens), 2) + 0.0  # no -0.0
        return self._known[before, text]


class Lingua(Protocol):
    """The part of `llmlingua.PromptCompressor` that is asked."""

    @property
    def get_condition_ppl(self) -> Callable[..., float]:
        """Get what gets the mean loss of a text, or of a question after it."""
        ...


class LLMLingua:
    """Ranks as LLMLingua and LongLLMLingua rank: by a `PromptCompressor` of the real `llmlingua`.

    What is chosen stays whole units within the budget, which LLMLingua's own compression does not
    promise. Scores are hundredths.
    """

    def __init__(self, compressor: Lingua, *, name: str) -> None:
        self.id = f"llmlingua:{name}"
        self._loss = compressor.get_condition_ppl

    def score(self, units: Sequence[Unit], query: str | None) -> Sequence[float]:
        """Get the score of each unit, a logarithm; frames get 0."""
        how, sign = ("after", -1) if query else ("none", 1)
        return [
            0.0
            if each.role == "frame"
            else sign * round(float(self._loss(each.text, query or "", how)), 2)
            for each in units
        ]


class Lingua2(Protocol):
    """The part of `llmlingua.PromptCompressor(…, use_llmlingua2=True)` that is asked."""

    def compress_prompt_llmlingua2(
        self, context: list[str], *, rate: float, return_word_label: bool
    ) -> Mapping[str, Any]:
        """Get its answer, with each word of the texts and whether it is kept."""
        ...


class LLMLingua2:
    """Ranks as LLMLingua-2 does (arXiv:2403.12968): by the share of words that its encoder keeps.

    No package has its weights, and what is not asked does not matter to it. What is chosen stays
    whole units within the budget. `rate` is the share of the tokens that it is to keep.
    """

    def __init__(self, compressor: Lingua2, *, name: str, rate: float = 0.33) -> None:
        self.id = f"llmlingua2:{name}:{rate}"
        self._compressor, self._rate = compressor, rate

    def score(self, units: Sequence[Unit], query: str | None) -> Sequence[float]:  # noqa: ARG002 - it asks nothing
        """Get the score of each unit, from 0 to 1."""
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
