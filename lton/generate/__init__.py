"""Generate calls from a schema: the program writes the structure, and the model the values.

- `_guided` has the options, `_calls` writes the calls of an answer, and `_values` writes their
  values.
- `asking` asks a model or a function, and asks again, with the error, if an answer cannot be read.
- `session` keeps the text of an answer, and cuts it at the end of a value (`value_end`) or at a
  repetition (`repetition`). `distinguish` finds prefixes that distinguish choices, and `need`
  reads from a model's state whether a message needs a tool.
- `chat` lays out a conversation, `scaffolds` defines the text around values, and `spelling` builds
  the grammar of one value.
"""

from lton.generate._guided import GuidedOptions, stream
from lton.generate.asking import Asked, ask
from lton.generate.chat import Shot
from lton.generate.scaffolds import Scaffold

__all__ = ["Asked", "GuidedOptions", "Scaffold", "Shot", "ask", "stream"]
