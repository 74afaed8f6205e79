"""Run models that write calls, with one module for each engine.

`load` loads or connects to a model, `constraint` limits the model to calls, `check_grammar` checks
that the engine accepts a grammar, and `complete` returns an answer. `LlamaEngine`, `ServerEngine`,
`VllmEngine` and `SglangEngine` are engines for `lton.generate`.

- `engine` defines the methods that generation needs, and `generation` the result.
- `llamacpp`, `outlines`, `server`, `vllm` and `sglang` are the engines.
- `scoring` caches the likelihoods of texts, `_forcing` writes grammars that force a text, and
  `_reading` reads tokens with llama-cpp-python.
- `_link` sends requests to a server, `_sampled_stream` reads its streams, `_server_tokens` and
  `_joined_tokens` tokenize several texts in one request, and `_layouts` keeps chat templates.
- `check` tests whether a server applies grammars.
- `turns` prevents the contents of messages from being read as special tokens.
"""

from lton.engines.engine import Engine, Scorer
from lton.engines.generation import Generation, Spent

__all__ = ["Engine", "Generation", "Scorer", "Spent"]
