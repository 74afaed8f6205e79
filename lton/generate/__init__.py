"""Models that write calls: values alone, guided by the schema.

- `_guided` decides what is written and what is sampled.
- `session` keeps the text of an answer and cuts it where a value ends.
- `chat` shows a conversation. `scaffolds` is what is around values, and `spelling` the grammar of
  one value.
"""

from lton.generate._guided import GuidedOptions, guided, stream
from lton.generate.chat import Shot
from lton.generate.scaffolds import Scaffold

__all__ = ["GuidedOptions", "Scaffold", "Shot", "guided", "stream"]
