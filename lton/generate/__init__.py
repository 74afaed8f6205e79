"""Generate calls by a schema: the model writes only the values.

- `_guided` has the options; `_calls` writes the calls of an answer and `_values` their values.
- `asking` asks again, with the error, if an answer cannot be read.
- `session` holds the text of an answer and cuts it where a value ends (`value_end`) or repeats
  itself (`repetition`); `distinguish` tells choices apart.
- `chat` lays out a conversation, `scaffolds` is the text around values, and `spelling` the grammar
  of one value.
"""

from lton.generate._guided import GuidedOptions, guided, stream
from lton.generate.asking import Asked, ask
from lton.generate.chat import Shot
from lton.generate.scaffolds import Scaffold

__all__ = ["Asked", "GuidedOptions", "Scaffold", "Shot", "ask", "guided", "stream"]
