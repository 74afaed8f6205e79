"""Make tools from Python functions and classes, and from operations of an OpenAPI document.

- `bindings` converts the calls of a tool to instances, with `pydantic` or `msgspec`.
- `toolbox` holds a set of such tools, decodes answers to instances, and runs them.
"""

from lton.schema.openapi import Request
from lton.typed.toolbox import Toolbox

__all__ = ["Request", "Toolbox"]
