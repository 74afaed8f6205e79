"""How each kind of server is asked to write calls. `lton.grammar.requests` has the fields."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from lton.gateway.exchange import Way
from lton.gateway.requests import Asked
from lton.grammar.build import ToolChoice
from lton.grammar.requests import Server, request
from lton.schema.toolset import ToolSet

Kind: TypeAlias = Literal["llama.cpp", "vllm", "sglang", "plain"]

_GRAMMARS = 256
"""Grammars that are kept: agents send the same tools with each request."""


def _fields(server: Server, *more: tuple[str, Any]) -> Callable[[Asked], Mapping[str, Any]]:
    def fields(asked: Asked) -> Mapping[str, Any]:
        return {**_request(asked.callable, server, asked.choice, asked.parallel), **dict(more)}

    return fields


@lru_cache(_GRAMMARS)
def _request(
    tools: ToolSet, server: Server, choice: ToolChoice, parallel: bool
) -> Mapping[str, Any]:
    return request(tools, server, tool_choice=choice, parallel=parallel)


WAYS: Mapping[Kind, Way] = {
    # A grammar constrains thoughts, too, so a model is asked not to think (llama.cpp#22537).
    "llama.cpp": Way(
        fields=_fields("llama-server", ("chat_template_kwargs", {"enable_thinking": False}))
    ),
    "vllm": Way(fields=_fields("vllm")),
    "sglang": Way(fields=_fields("sglang")),
    "plain": Way(fields=lambda _: {}, lenient=True),
}
"""What is known of each kind. A plain server has no grammars: it is asked, and asked again."""
