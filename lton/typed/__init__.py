"""Make tools from Python functions, classes and OpenAPI documents.

- `bindings` converts calls to instances, with `pydantic` or `msgspec`.
- `toolbox` has a set of such tools, which decodes the calls in an answer and runs them.
  `tool_answers` has the results.
- `client` wraps a client of an API, so that its answers are instances. `client_apis` has the
  differences between the APIs, `open_json` reads arguments while they arrive, and `partials` makes
  instances of them.
"""

from lton.schema.jsonschema.python import Hidden
from lton.schema.openapi import Request
from lton.typed.client import AsyncTypedClient, TypedClient, anthropic, openai
from lton.typed.partials import Partial
from lton.typed.toolbox import Toolbox

__all__ = [
    "AsyncTypedClient",
    "Hidden",
    "Partial",
    "Request",
    "Toolbox",
    "TypedClient",
    "anthropic",
    "openai",
]
