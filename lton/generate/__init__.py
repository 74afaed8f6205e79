"""Models that write calls: values alone, guided by the schema.

- `_guided` decides what is written and what is sampled.
- `asking` asks again, with the error, where what a model wrote cannot be read.
- `session` keeps the text of an answer and cuts it where a value ends.
- `command` is `lton generate`. `chat` shows a conversation. `scaffolds` is what is around values,
  and `spelling` the grammar of one value.
"""

from lton.generate._guided import GuidedOptions, guided, stream
from lton.generate.asking import Asked, ask
from lton.generate.chat import Shot
from lton.generate.scaffolds import Scaffold

__all__ = ["Asked", "GuidedOptions", "Scaffold", "Shot", "ask", "guided", "stream"]
