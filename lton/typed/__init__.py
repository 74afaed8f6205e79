"""Tools with types: functions and classes of Python, and operations of an OpenAPI document.

- `bindings` makes the instance that a call stands for: what `pydantic` or `msgspec` makes of it.
- `toolbox` is the set of such tools: it reads texts as instances, and runs them.
"""

from lton.schema.openapi import Request
from lton.typed.toolbox import Toolbox

__all__ = ["Request", "Toolbox"]
