"""Tools that are kept: agents send the same definitions with each request, corpora in each line."""

import json
from functools import lru_cache

from lton.schema.toolset import ToolSet

KEPT = 256
"""Toolsets that are kept, and grammars of toolsets: those that were asked for last."""


@lru_cache(KEPT)
def cached_tools(definitions: str) -> ToolSet:
    """Get the tools of definitions in JSON. Equal texts have the same object.

    Raises as `ToolSet.from_tools` does.

    >>> cached_tools('[{"name":"stop"}]') is cached_tools('[{"name":"stop"}]')
    True
    """
    return ToolSet.from_tools(json.loads(definitions))
