"""An exchange with a llama.cpp server by its raw text: first the prompt is made, then completed.

Its chat endpoint reads what the model wrote by the model's own format, and fails where the text has
another: with the template of gpt-oss each call in LTON ends in a 500, and with one that begins a
thought whatever it is asked, each call is called a thought. `/completion` has none of that, and
lets a grammar wait for the first call, so that a model may think before it.
"""

from collections.abc import Mapping
from typing import Any

from lton.chat import Other
from lton.gateway.exchange import Exchange, UpstreamEvent
from lton.grammar.build import PROSE

_TEMPLATE, _COMPLETION = "/apply-template", "/completion"
_THOUGHT = "<think>"
"""What a prompt ends with if the model is to think."""


class TemplatedExchange(Exchange):
    """Like `Exchange`, in two steps: what is asked of `path` changes between them."""

    body: dict[str, Any] | None = None
    """What the model is asked, while its prompt is being made."""
    text = ""
    """The prompt."""

    def ask(self) -> Mapping[str, Any] | None:
        """Get what the upstream is asked next, or None: all has been said."""
        if self.body is None:
            body = super().ask()
            if body is None or self._has_media():
                return body
            self.path, self.body = _TEMPLATE, dict(body)
            kwargs = {key: body[key] for key in ("chat_template_kwargs",) if key in body}
            return {**self.asked.rest, "messages": self.body.pop("messages"), **kwargs}
        body, self.body, self.path = self.body, None, _COMPLETION
        if self.asked.choice in PROSE and self.text.rstrip().endswith(_THOUGHT):
            for choice in self.choices:
                choice.reader = self._reader(in_thought=True)
        return {**body, "prompt": self.text}

    def take(self, event: UpstreamEvent) -> bytes:
        """Take in an event, and get what a client that streams is sent now."""
        if self.path == _TEMPLATE:
            self.text = str(event.get("prompt", ""))
            return b""
        return super().take(_as_chat(event) if self.path == _COMPLETION else event)

    def _has_media(self) -> bool:
        """Whether there are images, for which a prompt of text has no place."""
        return any(isinstance(part, Other) for each in self.messages for part in each.parts)


def _as_chat(event: UpstreamEvent) -> UpstreamEvent:
    """Get an event of a completion as one of chat."""
    choice = {"index": event.get("index", 0), "delta": {"content": event.get("content")}}
    usage = {
        "prompt_tokens": event.get("tokens_evaluated"),
        "completion_tokens": event.get("tokens_predicted"),
        "prompt_tokens_details": {"cached_tokens": (event.get("timings") or {}).get("cache_n")},
    }
    if not event.get("stop"):
        return {"choices": [choice], "usage": usage}
    reason = "length" if event.get("stop_type") == "limit" else "stop"
    return {"choices": [{**choice, "finish_reason": reason}], "usage": usage}
