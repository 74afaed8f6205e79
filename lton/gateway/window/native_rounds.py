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
from lton.apis.names import ApiName
from lton.apis.tool_choice import read_choice, write_choice
from lton.apis.translation import message_for
from lton.chat import Message, Thought, from_anthropic, from_responses, to_openai
from lton.chat.deltas import OpaqueDelta
from lton.errors import ConversionError
from lton.gateway.apis.client_apis import ClientApi
from lton.gateway.apis.client_requests import ClientRequest
from lton.gateway.apis.members import Body
from lton.gateway.apis.refusals import conversions_refused
from lton.gateway.exchange import UpstreamEvent
from lton.gateway.native.native_requests import NativeRequest, functions
from lton.gateway.upstreams.request_writers import Definition, TranslatedRequest, request_body
from lton.gateway.upstreams.translated import TranslatedExchange
from lton.gateway.upstreams.translated_requests import FORMATS, plain, translated_request
from lton.gateway.window.describing import with_base
from lton.gateway.window.prompt import BaseTools, PromptFitter, base_definitions, begin_fitted
from lton.gateway.window.rounds import RoundsExchange
from lton.grammar.build import ToolChoice

_HOSTED = ("web_search", "web_fetch", "code_execution", "mcp_")
"""Type prefixes of the tools that Anthropic runs, which may pause an answer."""
_NOT_READ = (*FORMATS, "tools", "tool_choice", "parallel_tool_calls", "container", "truncation")
"""Members that pass to a server of the same API unchanged."""
_WRITTEN = ("messages", "input", "instructions", "system", "stream", "stream_options")
"""Members that the gateway writes."""
_NOT_SENT = ("stop", "stop_sequences", "repeat_tool_calls")
"""Members that the gateway handles itself."""
_CLIENTS = ("text", "tool_use", "message", "function_call")
"""The types of blocks and items that clients receive as text and calls."""


def begin_native(
    fitter: PromptFitter, native: NativeRequest, client: ClientApi, api: ApiName, *, strict: bool
) -> RoundsExchange | None:
    """Return the exchange for a request, or None to send the request unchanged."""
    if native.api == api and not _is_read_whole(native.body, native.api):
        return None
    tools = NativeTools(native, client, api, strict=strict)
    begun = begin_fitted(fitter, tools.asked, tools.answer, tools.begin, tools=tools)
    return begun if begun and begun.own.names else None


def _is_read_whole(body: Body, api: ApiName) -> bool:
    """Return whether the gateway can read every part of the answer to this request."""
    kinds = [str(each.get("type")) for each in _tools_of(body) if isinstance(each, Mapping)]
    is_hosted = api == "messages" and any(each.startswith(_HOSTED) for each in kinds)
    has_more = any(map(body.get, ("logprobs", "functions", "audio", "mcp_servers")))
    return body.get("n") in (None, 1) and not (is_hosted or has_more)


def _tools_of(body: Body) -> list[Any]:
    tools = body.get("tools")
    return tools if isinstance(tools, list) else []


class NativeTools(BaseTools):
    """Adds the base tools to a request with native calls. `api` is the server's API."""

    def __init__(
        self, native: NativeRequest, client: ClientApi, api: ApiName, *, strict: bool
    ) -> None:
        self.native = native
        self.api = api
        self.strict = strict
        self.given = _tools_of(native.body)
        self.is_own = native.api == api
        if self.is_own:
            body = {key: each for key, each in native.body.items() if key not in _NOT_READ}
            own = native.allowed.tools
            choice: ToolChoice = "auto" if self.given else "none"
            asked = replace(client.read(body), tools=own, callable=own, choice=choice)
        else:
            asked = client.read(plain(native.body, native.api))
        found = (*(each for each, _ in functions(self.given, native.api)), *self.given)
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

    def translated_request(self, request: ClientRequest) -> TranslatedRequest:
        """Return the request of a round, with the base tools if they may be called."""
        own = self.native
        names = self.names
        found = translated_request(request, own.body, own.api, strict=self.strict)
        is_offered = names.keys() <= request.callable.by_name.keys() or not self.given
        defined = base_definitions(names) if is_offered else []
        base = tuple(Definition(strict=None, **each) for each in defined)
        if self.is_own:
            return TranslatedRequest(request=replace(request, rest={}), tools=base)
        return replace(found, tools=(*found.tools, *base))

    def body(self, request: ClientRequest, translated: TranslatedRequest) -> dict[str, Any]:
        """Return the body of a round's request in the server's API."""
        written = request_body(translated, self.api)
        sent = self.native.sent
        if not self.is_own:
            return written
        if self.api == "chat":
            written["messages"] = to_openai(request.messages)
            streamed = sent.get("stream_options") or {}
            written["stream_options"] = {**streamed, "include_usage": True}
        made = {key: each for key, each in sent.items() if key not in _NOT_SENT}
        made |= {key: written[key] for key in _WRITTEN if key in written}
        made["tools"] = [*_tools_of(sent), *written.get("tools", ())]
        if request.max_tokens != self.asked.max_tokens:
            made |= _limit(sent, request.max_tokens or 0)
        if request.choice == "none":
            made["tool_choice"] = write_choice("none", None, self.api)
        match sent.get("tool_choice"), read_choice(sent.get("tool_choice")):
            case {"type": "allowed_tools"}, (mode, [*allowed]):
                made["tool_choice"] = write_choice(mode, [*allowed, *self.names], self.api)
        return made


def _limit(body: Body, left: int) -> dict[str, int]:
    """Return the token limit for a later round, which must exceed the thinking budget."""
    names = ("max_completion_tokens", "max_output_tokens", "max_tokens")
    match body.get("thinking"):
        case {"budget_tokens": int(budget)}:
            left = max(left, budget + 1)
    return {next(each for each in names if body.get(each) is not None): left}


class NativeTurn:
    """Collects the parts of a model's turn from the events of a stream."""

    def __init__(self, api: ApiName) -> None:
        self.api = api
        self.parts: list[dict[str, Any]] = []
        self._open: dict[Any, dict[str, Any]] = {}
        self._pieces: dict[tuple[Any, str], list[str]] = {}

    def read(self, data: Mapping[str, Any]) -> Iterator[OpaqueDelta]:
        """Add an event. Yield a delta for each part that only the client's own API can express."""
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
                yield from self._add(block)
            case {"type": "response.output_item.added", "item": {"type": str(kind)}}:
                if kind not in _CLIENTS:
                    yield OpaqueDelta(data["item"], is_whole=False)
            case {"type": "response.output_item.done", "item": dict(item)}:
                yield from self._add(item)

    def _add(self, part: dict[str, Any]) -> Iterator[OpaqueDelta]:
        self.parts.append(part)
        if part.get("type") not in _CLIENTS:
            yield OpaqueDelta(part)

    def messages(self, ids: set[str | None]) -> list[Message]:
        """Return the turn with only the calls in `ids`, or [] if one of them is missing."""
        found: tuple[Message, ...] = ()
        with suppress(ConversionError):
            if self.api == "messages" and self.parts:
                found = from_anthropic([{"role": "assistant", "content": self.parts}])
            elif self.api == "responses":
                found = from_responses(self.parts)
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
        translated = tools.translated_request(request)
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
        found = self.written_turn.messages({call.id for call in said.calls})
        if found and not self.rescue:
            return found
        (turn,) = super().turn()
        thoughts = [Thought(said.thoughts)] if said.thoughts else []
        return [replace(turn, parts=(*thoughts, *turn.parts))]


def _join_results(messages: Sequence[Message], api: ApiName) -> Sequence[Message]:
    """Join consecutive results, and the text that Anthropic allows after them, into one message."""
    made = list[Message]()
    for message in messages:
        is_rest = message.role == "user" and message.api == "anthropic"
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
