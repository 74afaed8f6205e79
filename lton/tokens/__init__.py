"""Count tokens as a model does: by its own vocabulary, by its server, or by a rule of thumb.

- `counting` defines counters; `chat` and `template` render chats for them.
- `tiktokens`, `huggingface`, `sentencepieces` and `gguf` read one format of vocabularies each.
- `special` finds names of special tokens in strings, and `spread` splits strings at tokens.
- `families` reads vocabularies from packages, and `registry` finds counters by name.
- `server` counts with a model's server, with the requests of `_dialects`.
- `cache` stores counts; `pictures` counts pictures.
- `billing` has the prices of cached prompts, and `usage` reads what providers report.
"""

from lton.tokens.cache import TurnCache
from lton.tokens.counting import Count, TokenCounter, Vocabulary
from lton.tokens.registry import counter, names

__all__ = ["Count", "TokenCounter", "TurnCache", "Vocabulary", "counter", "names"]
