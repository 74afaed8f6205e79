"""The model: tool definitions compiled to layouts, and the signatures that show them.

- `types` has `Type`, which says which kinds of value a position takes, with at most one node for
  each kind. Everything else dispatches on that.
- `toolset` is the set of tools that both sides share; `definitions` reads those of others, of
  agent frameworks too.
- `jsonschema` makes layouts of their schemas, and `openapi` tools of the operations of a document.
  `kept` keeps tools that are sent again and again.
- `shown` is what people and models see of tools.
- `ranking` finds tools by the words of a question. `diff` says what a change of tools breaks.
"""

from lton.schema.toolset import ToolSet
from lton.schema.types import Call, Result

__all__ = ["Call", "Result", "ToolSet"]
