"""A cache of tool sets: agents send the same definitions with each request."""

import json
from functools import lru_cache

from lton.schema.toolset import ToolSet

KEPT = 256  # the number of tool sets, and of their grammars, that are cached


@lru_cache(KEPT)
def cached_tools(definitions: str) -> ToolSet:
    """Return the tools of definitions in JSON: the same object for equal strings.

    Raises like `ToolSet.from_tools`.

    >>> cached_tools('[{"name":"stop"}]') is cached_tools('[{"name":"stop"}]')
    True
    """
    return ToolSet.from_tools(json.loads(definitions))
