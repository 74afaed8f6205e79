"""How each kind of server is asked to write calls. `lton.grammar.requests` has the fields."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from lton.gateway.apis.requests import Asked
from lton.gateway.exchange import EngineWay
from lton.gateway.upstreams.openai_custom import PATH
from lton.grammar.build import PROSE, ToolChoice
from lton.grammar.requests import Server, kept_request
from lton.schema.toolset import ToolSet

Kind: TypeAlias = Literal["llama.cpp", "vllm", "sglang", "openai", "plain"]


def _fields(server: Server) -> Callable[[Asked], Mapping[str, Any]]:
    return lambda asked: _request(asked.callable, server, asked.choice, asked.parallel)


def _llama(asked: Asked) -> Mapping[str, Any]:
    fields = _request(asked.callable, "llama-server", asked.choice, asked.parallel)
    if asked.choice in PROSE:
        return fields
    # A call is written from the first token on: where a thought would be, too (llama.cpp#22537).
    given = asked.rest.get("chat_template_kwargs")
    kwargs = {"enable_thinking": False, **(given if isinstance(given, dict) else {})}
    return {**fields, "chat_template_kwargs": kwargs}


def _request(
    tools: ToolSet, server: Server, choice: ToolChoice, parallel: bool
) -> Mapping[str, Any]:
    lazy = server == "llama-server" and choice == "auto"
    # With the sigil in every case: as the prompt says, and as the calls of the history are shown.
    return kept_request(tools, server, lazy=lazy, tool_choice=choice, parallel=parallel, sigil=True)


WAYS: Mapping[Kind, EngineWay] = {
    "llama.cpp": EngineWay(fields=_llama, raw=True),
    "vllm": EngineWay(fields=_fields("vllm")),
    "sglang": EngineWay(fields=_fields("sglang")),
    "openai": EngineWay(fields=_fields("openai"), custom=True, path=PATH),
    "plain": EngineWay(fields=lambda _: {}, lenient=True),
}
"""What is known of each kind. A plain server has no grammars: it is asked, and asked again."""
