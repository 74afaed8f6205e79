"""Use OpenAI's responses API with a custom tool that takes calls in LTON as its input.

OpenAI's chat API also has custom tools, but its SDK has no deltas for them. Nothing is stored:
`store` is false.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from lton.apis.answers import AnswerWriter
from lton.apis.client_requests import ClientRequest
from lton.apis.refusals import make_unsupported_error, turning_conversion_errors_into_refusals
from lton.apis.registry import APIS
from lton.apis.responses_api import RESPONSES
from lton.apis.responses_reader import ResponsesReader, output_index_of
from lton.apis.sse import RawEvent
from lton.apis.translation import convert_message
from lton.chat import ArgumentsDelta, ContentDelta, to_responses
from lton.chat.deltas import ApiDelta
from lton.gateway.exchange import Exchange, UpstreamKind

_KEPT = "model temperature top_p user metadata service_tier tools tool_choice".split()
"""Members that have the same name in chat completions."""
_ABOUT = "Calls of the tools that were listed: a line each, as they are written there."
_CALL = "response.custom_tool_call_input.delta"


class CustomReader(ResponsesReader):
    """Reads answers, and converts each input of the custom tool to lines of text."""

    def __init__(self) -> None:
        super().__init__()
        self._tail = ""
        self._is_call = False
        """The last text, and whether it was a call. Each call begins on a new line."""

    def read_deltas(self, event: RawEvent) -> list[ApiDelta]:
        return [*map(self._separate_call, super().read_deltas(event))]

    def _separate_call(self, delta: ApiDelta) -> ApiDelta:
        match delta:
            case ContentDelta(text) | ArgumentsDelta(_, text) if text:
                before, self._is_call = self._is_call, isinstance(delta, ArgumentsDelta)
                is_new = self._is_call != before and not (self._tail or "\n").endswith("\n")
                self._tail = text
                return ContentDelta(f"\n{text}" if is_new else text)
        return delta

    def _iterate_event_deltas(self, kind: str, data: Mapping[str, Any]) -> Iterator[ApiDelta]:
        if kind == _CALL:
            yield self._read_arguments(output_index_of(data), data.get("delta"))
        else:
            yield from super()._iterate_event_deltas(kind, data)

    def _iterate_item_deltas(
        self, kind: str, item: Mapping[str, Any], key: int
    ) -> Iterator[ApiDelta]:
        if item.get("type") != "custom_tool_call":
            yield from super()._iterate_item_deltas(kind, item, key)
        elif kind.endswith("done") and key not in self.calls_with_arguments:
            yield self._read_arguments(key, item.get("input"))


class CustomExchange(Exchange):
    """Handles a request with OpenAI's responses API."""

    reads = CustomReader

    def __init__(self, request: ClientRequest, answer: AnswerWriter, kind: UpstreamKind) -> None:
        if request.n > 1:
            raise make_unsupported_error("n", "the upstream gives one answer")
        super().__init__(request, answer, kind)

    def try_take_next_request(self) -> Mapping[str, Any] | None:
        body = super().try_take_next_request()
        if body is None:
            return None
        request = {key: body[key] for key in _KEPT if key in body}
        request["tools"] = [{**tool, "description": _ABOUT} for tool in body.get("tools", ())]
        if "max_tokens" in body:
            request["max_output_tokens"] = body["max_tokens"]
        if effort := body.get("reasoning_effort"):
            request["reasoning"] = {"effort": effort}
        with turning_conversion_errors_into_refusals(APIS[self.request.api].conversation_key):
            conversation = to_responses(
                convert_message(message, RESPONSES) for message in self.messages
            )
        return {
            **request,
            **conversation,
            "stream": True,
            "store": False,
            "parallel_tool_calls": False,
        }
