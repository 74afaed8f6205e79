"""The request fields for grammars on each kind of server (`lton.grammar.requests`)."""

from collections.abc import Callable, Mapping
from typing import Any

from lton.gateway.apis.client_requests import ClientRequest
from lton.gateway.exchange import UpstreamKind
from lton.gateway.upstreams.openai_custom import PATH
from lton.gateway.upstreams.probing import EngineName
from lton.grammar.build import PROSE, ToolChoice
from lton.grammar.requests import Server, kept_request
from lton.schema.toolset import ToolSet


def _fields(server: Server) -> Callable[[ClientRequest], Mapping[str, Any]]:
    return lambda request: _request(request.callable, server, request.choice, request.parallel)


def _llama(request: ClientRequest) -> Mapping[str, Any]:
    fields = _request(request.callable, "llama-server", request.choice, request.parallel)
    if request.choice in PROSE:
        return fields
    # The grammar applies from the first token, even to a thought (llama.cpp#22537).
    given = request.rest.get("chat_template_kwargs")
    kwargs = {"enable_thinking": False, **(given if isinstance(given, dict) else {})}
    return {**fields, "chat_template_kwargs": kwargs}


def _request(
    tools: ToolSet, server: Server, choice: ToolChoice, parallel: bool
) -> Mapping[str, Any]:
    lazy = server == "llama-server" and choice == "auto"
    # Always use the sigil, as in the prompt and in earlier calls.
    return kept_request(tools, server, lazy=lazy, tool_choice=choice, parallel=parallel, sigil=True)


UPSTREAM_KINDS: Mapping[EngineName, UpstreamKind] = {
    "llama.cpp": UpstreamKind(fields=_llama, raw=True),
    "vllm": UpstreamKind(fields=_fields("vllm")),
    "sglang": UpstreamKind(fields=_fields("sglang")),
    "openai": UpstreamKind(fields=_fields("openai"), custom=True, path=PATH),
    "plain": UpstreamKind(fields=lambda _: {}, lenient=True),
}
"""All kinds. A plain server has no grammars, so invalid calls are retried."""
