"""Make tools from Python functions, classes and OpenAPI documents.

- `bindings` converts calls to instances, with `pydantic` or `msgspec`.
- `toolbox` has a set of such tools, which decodes the calls in an answer and runs them.
"""

from lton.schema.openapi import Request
from lton.typed.toolbox import Toolbox

__all__ = ["Request", "Toolbox"]
