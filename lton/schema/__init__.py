"""The model: tool definitions compiled to layouts, and the signatures that show them."""

from lton.schema.toolset import ToolSet
from lton.schema.types import Call, Result

__all__ = ["Call", "Result", "ToolSet"]
