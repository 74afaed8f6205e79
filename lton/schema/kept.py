"""Cache tool sets, because agents send the same definitions with each request."""

import json
from functools import lru_cache

from lton.schema.toolset import ToolSet

KEPT = 256  # the number of tool sets, and of their grammars, in the cache


@lru_cache(KEPT)
def cached_tools(definitions: str) -> ToolSet:
    """Return the tools for definitions in JSON. Equal strings give the same object.

    Raises the errors of `ToolSet.from_tools`.

    >>> cached_tools('[{"name":"stop"}]') is cached_tools('[{"name":"stop"}]')
    True
    """
    return ToolSet.from_tools(json.loads(definitions))
