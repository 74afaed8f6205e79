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
from lton.apis.refusals import turning_conversion_errors_into_refusals
from lton.apis.registry import find_api_of_message
from lton.apis.request_writing import request_body
from lton.apis.tool_choice import try_read_choice
from lton.apis.translation import convert_message
from lton.chat import Message, Thought, ToolCall
from lton.chat.deltas import OpaqueDelta
from lton.errors import ConversionError
from lton.gateway.apis.client_apis import ClientApi
from lton.gateway.exchange import UpstreamEvent
from lton.gateway.native.native_requests import NativeRequest
from lton.gateway.upstreams.translated import TranslatedExchange
from lton.gateway.upstreams.translated_requests import (
    make_translated_request,
    without_format_and_tools,
)
from lton.gateway.window.describing import with_base
from lton.gateway.window.prompt import BaseTools, PromptFitter, define_base_tools, try_begin_fitted
from lton.gateway.window.rounds import RoundsExchange
from lton.grammar.build import ToolChoice

_NOT_SENT = ("stop", "stop_sequences", "repeat_tool_calls")
"""Members that the gateway handles itself."""
_CLIENTS = ("text", "tool_use", "message", "function_call")
"""The types of blocks and items that clients receive as text and calls."""


def try_begin_native_rounds(
    fitter: PromptFitter, native: NativeRequest, client: ClientApi, api: Api, *, strict: bool
) -> RoundsExchange | None:
    """Return the exchange for a request, or None to send the request unchanged."""
    if native.api == api and not _is_read_whole(native.body, native.api):
        return None
    tools = NativeTools(native, client, api, strict=strict)
    exchange = try_begin_fitted(
        fitter, tools.client_request, tools.answer, tools.try_begin_exchange, tools=tools
    )
    return exchange if exchange and exchange.own.names else None


def _is_read_whole(body: Body, api: Api) -> bool:
    """Return whether the gateway can read every part of the answer to this request."""
    kinds = [str(tool.get("type")) for tool in _read_tools(body) if isinstance(tool, Mapping)]
    is_hosted = any(tool.startswith(api.hosted_tools) for tool in kinds)
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
        self.client_tools = _read_tools(native.body)
        self.is_own = native.api == api
        if self.is_own:
            body = api.without_tools(native.body)
            own = native.allowed.tools
            choice: ToolChoice = "auto" if self.client_tools else "none"
            client_request = replace(
                client.read_request(body), tools=own, callable=own, choice=choice
            )
        else:
            client_request = client.read_request(without_format_and_tools(native.body, native.api))
        definitions = (
            *(definition for definition, _ in native.api.iterate_functions_in(self.client_tools)),
            *self.client_tools,
        )
        used_names = {
            str(definition.get("name"))
            for definition in definitions
            if isinstance(definition, Mapping)
        }
        super().__init__(replace(client_request, body=native.body), used_names)
        self.answer = client.make_writer(self.client_request, native.namespaces)
        self.is_offering = bool(self.client_tools)

    @property
    def defined(self) -> str:
        return minified([*self.client_tools, *define_base_tools(self.names)])

    def with_base_tools(self, request: ClientRequest) -> ClientRequest:
        tools, allowed = (
            with_base(toolset, self.base) for toolset in (request.tools, request.callable)
        )
        choice = request.choice if self.client_tools else "auto"
        return replace(request, tools=tools, callable=allowed, choice=choice)

    def try_begin_exchange(self, request: ClientRequest) -> "FittedExchange":
        with turning_conversion_errors_into_refusals(self.native.api.conversation_key):
            messages = tuple(_join_results(request.messages, self.api))
        return FittedExchange(self, replace(request, messages=messages))

    def make_translated_request(self, request: ClientRequest) -> TranslatedRequest:
        """Return the request of a round, with the base tools if they may be called."""
        own = self.native
        names = self.names
        translated = make_translated_request(request, own.body, own.api, strict=self.strict)
        is_offered = names.keys() <= request.callable.by_name.keys() or not self.client_tools
        defined = define_base_tools(names) if is_offered else []
        base = tuple(Definition(strict=None, **definition) for definition in defined)
        if self.is_own:
            return TranslatedRequest(request=replace(request, other_fields={}), tools=base)
        return replace(translated, tools=(*translated.tools, *base))

    def write_request_body(
        self, request: ClientRequest, translated: TranslatedRequest
    ) -> dict[str, Any]:
        """Return the body of a round's request in the server's API."""
        converted = request_body(translated, self.api, self.native.api)
        original = self.native.sent_body
        if not self.is_own:
            return converted
        converted |= self.api.round_fields(request, original)
        body = {key: value for key, value in original.items() if key not in _NOT_SENT}
        body |= {key: converted[key] for key in self.api.written_fields if key in converted}
        body["tools"] = [*_read_tools(original), *converted.get("tools", ())]
        if request.max_tokens != self.client_request.max_tokens:
            body = self.api.with_token_limit(body, request.max_tokens or 0)
        if request.choice == "none":
            body = self.api.with_tool_choice(body, "none", None)
        tool_choice = self.api.tool_choice_in(original)
        match tool_choice, try_read_choice(tool_choice):
            case {"type": "allowed_tools"}, (mode, [*allowed]):
                body = self.api.with_tool_choice(body, mode, [*allowed, *self.names])
        return body


class NativeTurn:
    """Collects the parts of a model's turn from the events of a stream."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.parts: list[dict[str, Any]] = []
        self._open: dict[Any, dict[str, Any]] = {}
        self._pieces: dict[tuple[Any, str], list[str]] = {}

    def iterate_event_deltas(self, data: Mapping[str, Any]) -> Iterator[OpaqueDelta]:
        """Add an event. Yield a delta for each part that only the client's own API can express."""
        self.parts += self.api.parts_in(data)
        match data:
            case {"type": "content_block_start", "index": index, "content_block": dict(block)}:
                self._open[index] = {**block}
            case {"type": "content_block_delta", "index": index, "delta": dict(delta)}:
                for key, piece in delta.items():
                    if key != "type" and isinstance(piece, str):
                        self._pieces.setdefault((index, key), []).append(piece)
            case {"type": "content_block_stop", "index": index} if index in self._open:
                block = self._open.pop(index)
                pieces = self._pieces
                for key in [key for block_index, key in pieces if block_index == index]:
                    block[key] = "".join([str(block.get(key) or ""), *pieces.pop((index, key))])
                with suppress(ValueError, KeyError):
                    block["input"] = read_json(block.pop("partial_json"))
                yield from self._iterate_part_deltas(block)
            case {"type": "response.output_item.added", "item": {"type": str(kind)}}:
                if kind not in _CLIENTS:
                    yield OpaqueDelta(data["item"], is_whole=False)
            case {"type": "response.output_item.done", "item": dict(item)}:
                yield from self._iterate_part_deltas(item)

    def _iterate_part_deltas(self, part: dict[str, Any]) -> Iterator[OpaqueDelta]:
        self.parts.append(part)
        if part.get("type") not in _CLIENTS:
            yield OpaqueDelta(part)

    def build_messages(self, calls: Sequence[ToolCall]) -> list[Message]:
        """Return the turn with only the given calls, or [] if one of them is missing."""
        ids = {call.id for call in calls}
        messages: tuple[Message, ...] = ()
        with suppress(ConversionError):
            messages = self.api.read_turn(self.parts, [str(call.id) for call in calls])
        omitted_ids = {
            call.id for message in messages for call in message.calls if not call.custom
        } - ids
        if not ids <= {call.id for message in messages for call in message.calls}:
            return []
        parts = (
            [p for p in m.parts if getattr(p, "id", None) not in omitted_ids] for m in messages
        )
        return [
            replace(m, parts=tuple(remaining))
            for m, remaining in zip(messages, parts, strict=True)
            if remaining
        ]


class FittedExchange(TranslatedExchange):
    """Handles one round of a request, without streaming the answer to the client."""

    def __init__(self, tools: NativeTools, request: ClientRequest) -> None:
        allowed = tools.native.allowed
        names = allowed.names.union(tools.names if allowed.names else ())
        allowed = replace(allowed, tools=with_base(allowed.tools, tools.base), names=names)
        native = replace(tools.native, allowed=allowed)
        translated = tools.make_translated_request(request)
        body = tools.write_request_body(request, translated)
        self.is_own = tools.is_own
        super().__init__(request, tools.answer, native, translated, tools.api, body)
        self.native = replace(self.native, sent_body=self.body)

    def _begin(self) -> None:
        super()._begin()
        self.written_turn = NativeTurn(self.api)

    @property
    def dropped(self) -> Sequence[str]:
        return () if self.is_own else super().dropped

    def receive_event(self, event: UpstreamEvent) -> bytes:
        super().receive_event(event)
        opaque = [*self.written_turn.iterate_event_deltas(event)]
        self.choices[0].deltas += opaque if self.is_own else ()
        return b""

    def make_answer_messages(self) -> list[Message]:
        """Return the turn exactly as the server wrote it, provided that it contains all calls."""
        answer = AssistantMessage.from_deltas(self.choices[0].deltas)
        messages = self.written_turn.build_messages(answer.calls)
        if messages and not self.rescue:
            return messages
        (turn,) = super().make_answer_messages()
        thoughts = [Thought(answer.thoughts)] if answer.thoughts else []
        return [replace(turn, parts=(*thoughts, *turn.parts))]


def _has_user_results(message: Message) -> bool:
    api = find_api_of_message(message)
    return api is not None and api.has_user_results


def _join_results(messages: Sequence[Message], api: Api) -> Sequence[Message]:
    """Join consecutive results, and the text that Anthropic allows after them, into one message."""
    joined = list[Message]()
    for message in messages:
        is_rest = message.role == "user" and _has_user_results(message)
        if joined and joined[-1].role == "tool" and (message.role == "tool" or is_rest):
            both = joined[-1], message
            if joined[-1].api != message.api:
                both = convert_message(joined[-1], api), convert_message(message, api)
            parts = (*both[0].parts, *both[1].parts)
            api_name = both[0].api or both[1].api
            joined[-1] = replace(both[1], parts=parts, api=api_name)
        else:
            joined.append(message)
    return joined
