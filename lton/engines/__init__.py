"""Models that run: a module for each engine, with the same verbs in each.

`load` gets a model, `constraint` what makes it write calls alone, `check_grammar` says whether the
engine takes a grammar, `complete` lets it write calls, and the module's `Engine` (`LlamaEngine`,
`OutlinesEngine`, `ServerEngine`) is what `lton.generate` works with.
"""

from lton.engines.engine import Engine, Scorer
from lton.engines.generation import Generation, Spent

__all__ = ["Engine", "Generation", "Scorer", "Spent"]
