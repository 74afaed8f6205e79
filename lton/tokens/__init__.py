"""Count tokens with a model's vocabulary, with its server, or by a rule of thumb.

- `counting` defines counters. `chat` and `template` render chats for counters.
- `tiktokens`, `huggingface`, `sentencepieces` and `gguf` each read one format of vocabularies.
- `special` breaks up names of special tokens in strings.
- `families` reads vocabularies from packages, and `registry` finds counters by name.
- `server` counts with a model's server, and `_dialects` builds its requests.
- `cache` stores counts, and `pictures` counts pictures.
- `billing` has the prices of cached prompts, and `usage` reads the usage in answers.
"""

from lton.tokens.cache import TurnCache
from lton.tokens.counting import Count, TokenCounter, Vocabulary
from lton.tokens.registry import counter, names

__all__ = ["Count", "TokenCounter", "TurnCache", "Vocabulary", "counter", "names"]
