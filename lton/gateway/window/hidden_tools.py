"""The tools that read left-out text: names, and answers until the client's next turn."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from lton._json import minified
from lton.chat import Message, Text, ToolCall, ToolResult
from lton.gateway.apis.client_requests import ClientRequest
from lton.grammar.build import Named
from lton.schema.toolset import ToolSet
from lton.stores import Store
from lton.transcript.base_tools import TOOLS

_BASE = ToolSet.from_tools(TOOLS)


def base_tools(tools: ToolSet) -> tuple[ToolSet, dict[str, str]]:
    """Return the base tools under unused names, and a map from these to their own names."""
    names: dict[str, str] = {}
    for name in _BASE.by_name:
        here = name
        while here in tools.by_name:
            here = f"context_{here}"
        names[here] = name
    return _renamed(tuple(names)), names


@lru_cache(64)
def _renamed(names: tuple[str, ...]) -> ToolSet:
    tools = zip(names, _BASE.tools, strict=True)
    return ToolSet(tuple(replace(tool, name=name) for name, tool in tools))


@lru_cache(256)
def with_base(tools: ToolSet, base: ToolSet) -> ToolSet:
    """Return the client's tools, followed by the gateway's."""
    return ToolSet((*tools.tools, *base.tools), tools.notes, tools.bare)


def shown_with(
    request: ClientRequest, shown: list[Message], base: ToolSet, names: Mapping[str, str]
) -> ClientRequest:
    """Return a request with other messages, and the tools that read the rest."""
    others = [f"{own} is {here}" for here, own in names.items() if here != own]
    if others:
        shown = [*shown, Message.saying("system", f"[Of pointers and files: {', '.join(others)}]")]
    allowed = request.callable if request.choice != "none" else request.callable.select()
    return replace(
        request,
        messages=tuple(shown),
        tools=with_base(request.tools, base),
        callable=with_base(allowed, base),
        choice="auto" if request.choice in ("auto", "none") else "required",
        parallel=request.parallel and not isinstance(request.choice, Named),
    )


def keep(store: Store, first: str, messages: Sequence[Message]) -> None:
    """Store the answers of base tools that were called along with a call of the client."""
    calls, *results = messages
    kept = [
        [call.name, call.written, call.id, each.results[0].text, each.results[0].is_error]
        for call, each in zip(calls.calls, results, strict=True)
    ]
    store.append(f"beside-{first}", minified(kept).encode("utf-8", "replace"), at=0)


def with_kept(
    shown: Sequence[Message], store: Store, given: Sequence[Message]
) -> tuple[Message, ...]:
    """Insert the stored answers of base tools into the last turn."""
    last = next((each for each in reversed(given) if not each.results), None)
    calls = last.calls if last else ()
    kept = store.entries(f"beside-{calls[0].id}") if calls else []
    at = next((at for at, each in enumerate(shown) if each.calls == calls), None)
    if not kept or at is None:
        return tuple(shown)
    read = [
        (ToolCall(name, written, call_id), ToolResult((Text(text),), call_id, name, failed))
        for name, written, call_id, text, failed in json.loads(kept[0])
    ]
    turn = replace(shown[at], parts=(*shown[at].parts, *(call for call, _ in read)))
    end = at + 1
    while end < len(shown) and shown[end].results:
        end += 1
    results = [Message("tool", (result,)) for _, result in read]
    return (*shown[:at], turn, *shown[at + 1 : end], *results, *shown[end:])
