"""Count tokens as a model would: by its own vocabulary, by its server, or by a rule of thumb.

- `counting` says what a counter is; `chat` and `template` say what of a chat it counts.
- `special` finds names of special tokens in texts, and `spread` shows tokens as bytes of a text.
- `tiktokens`, `huggingface`, `sentencepieces` and `gguf` read one format of vocabulary each.
- `families` knows which package carries which file, and `registry` finds counters by name.
- `server` counts with a model's server and knows each endpoint. `_dialects` knows what to send
  and how to read the answer, and does no I/O.
- `cache` keeps counts; `calibration` compares estimates with what was used.
- `pictures` counts pictures by their size.
- `billing` says what prompts cost where a provider caches them, and `usage` what providers report.
"""

from lton.tokens.cache import TurnCache
from lton.tokens.counting import Count, TokenCounter, Vocabulary
from lton.tokens.registry import counter, names

__all__ = ["Count", "TokenCounter", "TurnCache", "Vocabulary", "counter", "names"]
