"""Models that write calls: in a form under its grammar, or values alone, guided by the schema.

- `_guided` decides what is written and what is sampled; `_direct` lets the model write all.
- `session` keeps the text of an answer and cuts it where a value ends.
- `chat` shows a conversation. `scaffolds` is what is around values, and `spelling` the grammar of
  one value.
"""

from lton.generate._direct import direct
from lton.generate._guided import GuidedOptions, guided, stream
from lton.generate.chat import Shot
from lton.generate.scaffolds import SCAFFOLDS, Scaffold

__all__ = ["SCAFFOLDS", "GuidedOptions", "Scaffold", "Shot", "direct", "guided", "stream"]
