"""Compile tool definitions to layouts, and show tools as signatures.

- `types` has `Type`, which describes the kinds of value that are allowed at a position. The other
  modules dispatch on it.
- `toolset` is the set of tools that both sides share, with a cache of such sets, and `definitions`
  reads definitions for APIs and agent frameworks.
- `jsonschema` compiles JSON Schema, and `openapi` turns the operations of a document into tools.
- `shown` renders tools for people and models.
- `ranking` finds tools that match a question. `diff` finds changes of tools that break calls.
"""

from lton.schema.toolset import ToolSet
from lton.schema.types import Call, Result

__all__ = ["Call", "Result", "ToolSet"]
