"""An exchange with OpenAI's responses API: calls are what the model writes into a custom tool.

Its chat API has the same tool, but its SDK knows no deltas of one there; here each has an event of
its own. Nothing is kept there: `store` is false.
"""

from collections.abc import Mapping
from typing import Any

from lton.apis.translation import message_for
from lton.chat import to_responses
from lton.gateway.apis.protocol import RefusedError, conversions_refused, unsupported
from lton.gateway.apis.requests import ClientRequest
from lton.gateway.exchange import Exchange, ResponseWriter, UpstreamEvent, UpstreamKind

PATH = "/v1/responses"
_KEPT = "model temperature top_p user metadata service_tier tools tool_choice".split()
"""What of a request of chat this API takes by the same name."""
_ABOUT = "Calls of the tools that were listed: a line each, as they are written there."
_CALL, _TEXT, _THOUGHT = (
    "response.custom_tool_call_input",
    "response.output_text",
    "response.reasoning_summary_text",
)


class CustomExchange(Exchange):
    """Like `Exchange`; events of the other API are taken as those of chat."""

    def __init__(self, request: ClientRequest, answer: ResponseWriter, kind: UpstreamKind) -> None:
        if request.n > 1:
            raise unsupported("n", "the upstream gives one answer")
        super().__init__(request, answer, kind)
        self._before = ""
        """The kind of what was said last: calls begin on a line of their own."""

    def next_request(self) -> Mapping[str, Any] | None:
        body = super().next_request()
        if body is None:
            return None
        self._before = ""
        request = {key: body[key] for key in _KEPT if key in body}
        request["tools"] = [{**tool, "description": _ABOUT} for tool in body.get("tools", ())]
        if "max_tokens" in body:
            request["max_output_tokens"] = body["max_tokens"]
        if effort := body.get("reasoning_effort"):
            request["reasoning"] = {"effort": effort}
        with conversions_refused():
            given = to_responses(message_for(each, "responses") for each in self.messages)
        return {**request, **given, "stream": True, "store": False, "parallel_tool_calls": False}

    def receive(self, event: UpstreamEvent) -> bytes:
        kind = str(event.get("type", ""))
        name, _, step = kind.rpartition(".")
        if step == "delta" and name in (_CALL, _TEXT):
            return super().receive(_said(self._joint(name) + str(event.get("delta", ""))))
        if kind == f"{_THOUGHT}.delta":
            return super().receive(_said(str(event.get("delta", "")), "reasoning_content"))
        if kind in ("response.completed", "response.incomplete"):
            return super().receive(_ended(event.get("response") or {}))
        if kind in ("error", "response.failed"):
            error = (event.get("response") or {}).get("error") or event
            words = str(error.get("message") or "the upstream failed")
            raise RefusedError(502, words, "upstream_error")
        return b""

    def _joint(self, name: str) -> str:
        """Get the line feed between text and calls."""
        before, self._before = self._before, name
        is_new = before not in ("", name) and not self.choices[0].text.endswith("\n")
        return "\n" * is_new


def _said(text: str, key: str = "content") -> UpstreamEvent:
    return {"choices": [{"index": 0, "delta": {key: text}}]}


def _ended(response: Mapping[str, Any]) -> UpstreamEvent:
    """Get the end of an answer as chat has it."""
    why = (response.get("incomplete_details") or {}).get("reason")
    reason = "length" if why == "max_output_tokens" else why or "stop"
    return {
        "choices": [{"index": 0, "delta": {}, "finish_reason": reason}],
        "usage": response.get("usage"),
    }
