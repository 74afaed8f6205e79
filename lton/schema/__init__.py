"""Compile tool definitions and show tools as signatures.

- `types` has `Type`, which describes the values that are allowed at a position.
- `toolset` has the set of tools that both sides share, and a cache of such sets. `definitions`
  reads tool definitions of APIs and agent frameworks.
- `jsonschema` compiles JSON Schema, and `openapi` converts the operations of an OpenAPI document
  to tools.
- `shown` renders tools for people and models.
- `ranking` finds tools for a question, and `diff` finds changes of tools that break calls.
"""

from lton.schema.toolset import ToolSet
from lton.schema.types import Call, Result

__all__ = ["Call", "Result", "ToolSet"]
