"""Count tokens as a model would: by its own vocabulary, by its server, or by a rule of thumb."""

from lton.tokens.cache import TurnCache
from lton.tokens.counting import Count, TokenCounter, Vocabulary
from lton.tokens.registry import counter, names

__all__ = ["Count", "TokenCounter", "TurnCache", "Vocabulary", "counter", "names"]
