"""Define the request fields that make each kind of server write calls."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from lton.apis.client_requests import ClientRequest
from lton.apis.responses_api import RESPONSES
from lton.gateway.exchange import UpstreamKind
from lton.gateway.upstreams.probing import EngineName
from lton.grammar.build import PROSE
from lton.grammar.requests import Server, make_cached_request


def _make_grammar_fields(request: ClientRequest, server: Server) -> Mapping[str, Any]:
    how: Any = {"tool_choice": request.choice, "parallel": request.parallel}
    lazy = server == "llama-server" and request.choice == "auto"
    # Always use the sigil, as in the prompt and in earlier calls.
    return make_cached_request(request.callable, server, lazy=lazy, sigil=True, **how)


def _make_llama_server_fields(request: ClientRequest) -> Mapping[str, Any]:
    fields = _make_grammar_fields(request, "llama-server")
    if request.choice in PROSE:
        return fields
    # The grammar applies from the first token, even to a thought (llama.cpp#22537).
    client_kwargs = request.other_fields.get("chat_template_kwargs")
    kwargs = {
        "enable_thinking": False,
        **(client_kwargs if isinstance(client_kwargs, dict) else {}),
    }
    return {**fields, "chat_template_kwargs": kwargs}


UPSTREAM_KINDS: Mapping[EngineName, UpstreamKind] = {
    "llama.cpp": UpstreamKind(fields=_make_llama_server_fields, raw=True),
    "vllm": UpstreamKind(fields=partial(_make_grammar_fields, server="vllm")),
    "sglang": UpstreamKind(fields=partial(_make_grammar_fields, server="sglang")),
    "openai": UpstreamKind(
        fields=partial(_make_grammar_fields, server="openai"), custom=True, api=RESPONSES
    ),
    "plain": UpstreamKind(fields=lambda _: {}, lenient=True),  # no support for grammars
}
