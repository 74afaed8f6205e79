"""Tools with types: Python functions and classes, and operations of an OpenAPI document.

- `bindings` turns the calls of a tool into instances, with `pydantic` or `msgspec`.
- `toolbox` is a set of such tools: it decodes answers to instances, and runs them.
"""

from lton.schema.openapi import Request
from lton.typed.toolbox import Toolbox

__all__ = ["Request", "Toolbox"]
