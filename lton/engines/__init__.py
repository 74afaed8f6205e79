"""Models that run: a module for each engine, with the same verbs in each.

`load` gets a model, `constraint` what makes it write calls alone, `check_grammar` says whether the
engine takes a grammar, `complete` lets it write calls, and the module's `Engine` (`LlamaEngine`,
`OutlinesEngine`, `ServerEngine`, `VllmEngine`) is what `lton.generate` works with.

- `engine` says what is asked of an engine, and `generation` what comes of it.
- `llamacpp`, `outlines`, `server` and `vllm` are the engines.
- `check` asks a server whether it keeps a grammar, and `scoring` for the scores of texts.
- `_sequences` has all that uses private attributes of llama-cpp-python.
- `turns` lets no content of a message be read as a special token.
"""

from lton.engines.engine import Engine, Scorer
from lton.engines.generation import Generation, Spent

__all__ = ["Engine", "Generation", "Scorer", "Spent"]
