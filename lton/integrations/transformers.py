"""Constrain transformers' `generate()` to calls, with a logits processor.

    processor = CallProcessor(tools, tokenizer)
    model.generate(**inputs, logits_processor=[processor])

This needs torch, transformers and `llguidance`, which the extra `local` installs.
"""

from typing import Any, Unpack

from lton._require import require
from lton.errors import Code, GrammarError
from lton.grammar import Options, to_lark
from lton.schema.toolset import ToolSet

_NO_FORCING = '%llguidance {"no_forcing": true}\n'
"""Otherwise llguidance would allow only one sequence of tokens for text that is certain."""


class CallProcessor:
    """A logits processor that makes a model write calls to the tools and then stop.

    Make a new processor for each call to `generate()`. Beam search is not supported, because it
    reorders the rows. The options are those of `lton.grammar.to_lark`. Always decode the answer,
    because a grammar cannot check everything.

    Raises `GrammarError` if llguidance refuses the grammar. `generate()` raises it if the model
    samples a token that the grammar does not allow.
    """

    def __init__(self, tools: ToolSet, tokenizer: Any, **options: Unpack[Options]) -> None:
        self._library = require("llguidance", "local")
        guided_tokenizer = require("llguidance.hf", "local").from_tokenizer(tokenizer)
        self._end: int = tokenizer.eos_token_id
        grammar = self._library.LLMatcher.grammar_from_lark(_NO_FORCING + to_lark(tools, **options))
        self._first = self._library.LLMatcher(guided_tokenizer, grammar)
        self._check(self._first)
        self._rows: list[Any] = []
        self._read = 0

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Set the scores of all tokens that the grammar does not allow to minus infinity."""
        if not self._rows:
            self._rows = [self._first.deep_copy() for _ in range(len(input_ids))]
            self._read = input_ids.shape[1]
        for matcher, tokens in zip(self._rows, input_ids[:, self._read :].tolist(), strict=True):
            for token in tokens:
                if not matcher.is_stopped():
                    matcher.consume_token(token)
                    self._check(matcher)
        self._read = input_ids.shape[1]
        for row, matcher in enumerate(self._rows):
            if not matcher.is_stopped():
                # Either may be longer: some tokens of a tokenizer have no score.
                bias = list(matcher.compute_logit_bias())[: scores.shape[1]]
                allowed = scores.new_tensor(bias) > 0
                scores[row, : len(allowed)].masked_fill_(~allowed, -float("inf"))
                scores[row, len(allowed) :] = -float("inf")
                self._check(matcher)
            else:
                end_score = scores[row, self._end].clone()
                scores[row] = -float("inf")
                scores[row, self._end] = end_score
        return scores

    @staticmethod
    def _check(matcher: Any) -> None:
        if matcher.is_error():
            raise GrammarError(Code.GRAMMAR, f"llguidance: {matcher.get_error()}")
