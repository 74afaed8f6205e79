"""Implement `context` for requests with native calls.

The tools that read omitted text are part of `tools` from the first request, so the beginning of the
prompt stays the same. The rounds in which the model calls them are stored as the server wrote them.
Later requests contain these rounds again, until older turns are cleared.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from lton._json import minified, read_json
from lton.apis.answer_notes import AssistantMessage
from lton.apis.api import Api
from lton.apis.client_requests import ClientRequest, Definition, TranslatedRequest
from lton.apis.members import Body
from lton.apis.refusals import conversions_refused
from lton.apis.registry import api_of
from lton.apis.request_writing import request_body
from lton.apis.tool_choice import read_choice
from lton.apis.translation import message_for
from lton.chat import Message, Thought, ToolCall
from lton.chat.deltas import OpaqueDelta
from lton.errors import ConversionError
from lton.gateway.apis.client_apis import ClientApi
from lton.gateway.exchange import UpstreamEvent
from lton.gateway.native.native_requests import NativeRequest
from lton.gateway.upstreams.translated import TranslatedExchange
from lton.gateway.upstreams.translated_requests import make_translated_request, plain
from lton.gateway.window.describing import with_base
from lton.gateway.window.prompt import BaseTools, PromptFitter, base_definitions, begin_fitted
from lton.gateway.window.rounds import RoundsExchange
from lton.grammar.build import ToolChoice

_NOT_SENT = ("stop", "stop_sequences", "repeat_tool_calls")
"""Members that the gateway handles itself."""
_CLIENTS = ("text", "tool_use", "message", "function_call")
"""The types of blocks and items that clients receive as text and calls."""


def begin_native(
    fitter: PromptFitter, native: NativeRequest, client: ClientApi, api: Api, *, strict: bool
) -> RoundsExchange | None:
    """Return the exchange for a request, or None to send the request unchanged."""
    if native.api == api and not _is_read_whole(native.body, native.api):
        return None
    tools = NativeTools(native, client, api, strict=strict)
    begun = begin_fitted(fitter, tools.asked, tools.answer, tools.begin, tools=tools)
    return begun if begun and begun.own.names else None


def _is_read_whole(body: Body, api: Api) -> bool:
    """Return whether the gateway can read every part of the answer to this request."""
    kinds = [str(each.get("type")) for each in _read_tools(body) if isinstance(each, Mapping)]
    is_hosted = any(each.startswith(api.hosted_tools) for each in kinds)
    has_more = any(map(body.get, ("logprobs", "functions", "audio", "mcp_servers")))
    return api.asks_for_one(body) and not (is_hosted or has_more)


def _read_tools(body: Body) -> list[Any]:
    tools = body.get("tools")
    return tools if isinstance(tools, list) else []


class NativeTools(BaseTools):
    """Adds the base tools to a request with native calls. `api` is the server's API."""

    def __init__(self, native: NativeRequest, client: ClientApi, api: Api, *, strict: bool) -> None:
        self.native = native
        self.api = api
        self.strict = strict
        self.given = _read_tools(native.body)
        self.is_own = native.api == api
        if self.is_own:
            body = api.without_tools(native.body)
            own = native.allowed.tools
            choice: ToolChoice = "auto" if self.given else "none"
            asked = replace(client.read(body), tools=own, callable=own, choice=choice)
        else:
            asked = client.read(plain(native.body, native.api))
        found = (*(each for each, _ in native.api.functions_in(self.given)), *self.given)
        taken = {str(each.get("name")) for each in found if isinstance(each, Mapping)}
        super().__init__(replace(asked, body=native.body), taken)
        self.answer = client.writer(self.asked, native.namespaces)
        self.is_offering = bool(self.given)

    @property
    def defined(self) -> str:
        return minified([*self.given, *base_definitions(self.names)])

    def offering(self, request: ClientRequest) -> ClientRequest:
        tools, allowed = (with_base(each, self.base) for each in (request.tools, request.callable))
        choice = request.choice if self.given else "auto"
        return replace(request, tools=tools, callable=allowed, choice=choice)

    def begin(self, request: ClientRequest) -> "FittedExchange":
        with conversions_refused():
            messages = tuple(_join_results(request.messages, self.api))
        return FittedExchange(self, replace(request, messages=messages))

    def make_translated_request(self, request: ClientRequest) -> TranslatedRequest:
        """Return the request of a round, with the base tools if they may be called."""
        own = self.native
        names = self.names
        found = make_translated_request(request, own.body, own.api, strict=self.strict)
        is_offered = names.keys() <= request.callable.by_name.keys() or not self.given
        defined = base_definitions(names) if is_offered else []
        base = tuple(Definition(strict=None, **each) for each in defined)
        if self.is_own:
            return TranslatedRequest(request=replace(request, other_fields={}), tools=base)
        return replace(found, tools=(*found.tools, *base))

    def body(self, request: ClientRequest, translated: TranslatedRequest) -> dict[str, Any]:
        """Return the body of a round's request in the server's API."""
        written = request_body(translated, self.api)
        sent = self.native.sent
        if not self.is_own:
            return written
        written |= self.api.round_fields(request, sent)
        made = {key: each for key, each in sent.items() if key not in _NOT_SENT}
        made |= {key: written[key] for key in self.api.written_fields if key in written}
        made["tools"] = [*_read_tools(sent), *written.get("tools", ())]
        if request.max_tokens != self.asked.max_tokens:
            made = self.api.with_limit(made, request.max_tokens or 0)
        if request.choice == "none":
            made = self.api.with_tool_choice(made, "none", None)
        given = self.api.tool_choice_in(sent)
        match given, read_choice(given):
            case {"type": "allowed_tools"}, (mode, [*allowed]):
                made = self.api.with_tool_choice(made, mode, [*allowed, *self.names])
        return made


class NativeTurn:
    """Collects the parts of a model's turn from the events of a stream."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.parts: list[dict[str, Any]] = []
        self._open: dict[Any, dict[str, Any]] = {}
        self._pieces: dict[tuple[Any, str], list[str]] = {}

    def read(self, data: Mapping[str, Any]) -> Iterator[OpaqueDelta]:
        """Add an event. Yield a delta for each part that only the client's own API can express."""
        self.parts += self.api.parts_in(data)
        match data:
            case {"type": "content_block_start", "index": place, "content_block": dict(block)}:
                self._open[place] = {**block}
            case {"type": "content_block_delta", "index": place, "delta": dict(delta)}:
                for key, piece in delta.items():
                    if key != "type" and isinstance(piece, str):
                        self._pieces.setdefault((place, key), []).append(piece)
            case {"type": "content_block_stop", "index": place} if place in self._open:
                block = self._open.pop(place)
                pieces = self._pieces
                for key in [key for at, key in pieces if at == place]:
                    block[key] = "".join([str(block.get(key) or ""), *pieces.pop((place, key))])
                with suppress(ValueError, KeyError):
                    block["input"] = read_json(block.pop("partial_json"))
                yield from self._add_part(block)
            case {"type": "response.output_item.added", "item": {"type": str(kind)}}:
                if kind not in _CLIENTS:
                    yield OpaqueDelta(data["item"], is_whole=False)
            case {"type": "response.output_item.done", "item": dict(item)}:
                yield from self._add_part(item)

    def _add_part(self, part: dict[str, Any]) -> Iterator[OpaqueDelta]:
        self.parts.append(part)
        if part.get("type") not in _CLIENTS:
            yield OpaqueDelta(part)

    def messages(self, calls: Sequence[ToolCall]) -> list[Message]:
        """Return the turn with only the given calls, or [] if one of them is missing."""
        ids = {call.id for call in calls}
        found: tuple[Message, ...] = ()
        with suppress(ConversionError):
            found = self.api.read_turn(self.parts, [str(call.id) for call in calls])
        gone = {call.id for each in found for call in each.calls if not call.custom} - ids
        if not ids <= {call.id for each in found for call in each.calls}:
            return []
        parts = ([p for p in m.parts if getattr(p, "id", None) not in gone] for m in found)
        return [replace(m, parts=tuple(kept)) for m, kept in zip(found, parts, strict=True) if kept]


class FittedExchange(TranslatedExchange):
    """Handles one round of a request, without streaming the answer to the client."""

    def __init__(self, tools: NativeTools, request: ClientRequest) -> None:
        allowed = tools.native.allowed
        names = allowed.names.union(tools.names if allowed.names else ())
        allowed = replace(allowed, tools=with_base(allowed.tools, tools.base), names=names)
        native = replace(tools.native, allowed=allowed)
        translated = tools.make_translated_request(request)
        body = tools.body(request, translated)
        self.is_own = tools.is_own
        super().__init__(request, tools.answer, native, translated, tools.api, body)
        self.native = replace(self.native, sent=self.body)

    def _begin(self) -> None:
        super()._begin()
        self.written_turn = NativeTurn(self.api)

    @property
    def dropped(self) -> Sequence[str]:
        return () if self.is_own else super().dropped

    def receive(self, event: UpstreamEvent) -> bytes:
        super().receive(event)
        opaque = [*self.written_turn.read(event)]
        self.choices[0].deltas += opaque if self.is_own else ()
        return b""

    def turn(self) -> list[Message]:
        """Return the turn exactly as the server wrote it, provided that it contains all calls."""
        said = AssistantMessage.of(self.choices[0].deltas)
        found = self.written_turn.messages(said.calls)
        if found and not self.rescue:
            return found
        (turn,) = super().turn()
        thoughts = [Thought(said.thoughts)] if said.thoughts else []
        return [replace(turn, parts=(*thoughts, *turn.parts))]


def _has_user_results(message: Message) -> bool:
    api = api_of(message)
    return api is not None and api.has_user_results


def _join_results(messages: Sequence[Message], api: Api) -> Sequence[Message]:
    """Join consecutive results, and the text that Anthropic allows after them, into one message."""
    made = list[Message]()
    for message in messages:
        is_rest = message.role == "user" and _has_user_results(message)
        if made and made[-1].role == "tool" and (message.role == "tool" or is_rest):
            both = made[-1], message
            if made[-1].api != message.api:
                both = message_for(made[-1], api), message_for(message, api)
            parts = (*both[0].parts, *both[1].parts)
            joined = both[0].api or both[1].api
            made[-1] = replace(both[1], parts=parts, api=joined)
        else:
            made.append(message)
    return made
