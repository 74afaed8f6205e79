"""Tool definitions, compiled to layouts and shown as signatures.

- `types` has `Type`, the kinds of value that a position takes, with at most one node per kind.
  Everything else dispatches on it.
- `toolset` is the set of tools that both sides share, and `definitions` reads definitions from APIs
  and agent frameworks.
- `jsonschema` compiles JSON Schema, and `openapi` turns the operations of a document into tools.
  `kept` caches tool sets.
- `shown` renders tools for people and models.
- `ranking` finds tools by the words of a question. `diff` tells what a change of tools breaks.
"""

from lton.schema.toolset import ToolSet
from lton.schema.types import Call, Result

__all__ = ["Call", "Result", "ToolSet"]
