"""An exchange with a llama.cpp server by its raw text: first the prompt is made, then completed.

Its chat endpoint reads what the model wrote by the model's own format, and fails where the text has
another: with the template of gpt-oss each call in LTON ends in a 500, and with one that begins a
thought whatever it is asked, each call is called a thought. `/completion` has none of that, and
lets a grammar wait for the first call, so that a model may think before it.

It reads names of special tokens wherever they are, also in what a tool says, which could end its
turn so and begin another. Where there are such names the prompt is sent as tokens.
"""

from collections.abc import Generator, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from lton.chat import Other
from lton.engines.turns import mark, named
from lton.errors import LTONError
from lton.gateway.apis.protocol import RefusedError, odd_answer
from lton.gateway.exchange import Exchange, UpstreamEvent
from lton.grammar.build import PROSE

_TEMPLATE, _TOKENIZE, _COMPLETION = "/apply-template", "/tokenize", "/completion"
_THOUGHT = "<think>"
"""What a prompt ends with if the model is to think."""
_T = TypeVar("_T")
_Asking: TypeAlias = Generator[tuple[str, Mapping[str, Any]], UpstreamEvent, _T]
"""Asks something of paths, gets the answers, and makes something of them."""


class TemplatedExchange(Exchange):
    """Like `Exchange`, in steps: what is asked of `path` changes between them."""

    body: dict[str, Any] | None = None
    """What the model is asked, while its prompt is being made."""
    steps: _Asking[tuple[str, str | list[int]]]
    event: UpstreamEvent = MappingProxyType({})
    """What was answered to the last step."""

    def next_request(self) -> Mapping[str, Any] | None:
        if self.body is None:
            body = super().next_request()
            if body is None or self._has_media():
                return body
            self.body = dict(body)
            kwargs = {key: body[key] for key in ("chat_template_kwargs",) if key in body}
            self.steps = _prompt(self.body.pop("messages"), {**self.request.rest, **kwargs})
            self.path, request = next(self.steps)
            return request
        try:
            self.path, request = self.steps.send(self.event)
        except StopIteration as end:
            text, prompt = end.value
        else:
            return request
        body, self.body, self.path = self.body, None, _COMPLETION
        if self.request.choice in PROSE and text.rstrip().endswith(_THOUGHT):
            for choice in self.choices:
                choice.reader = self._reader(in_thought=True)
        return {**body, "prompt": prompt}

    def receive(self, event: UpstreamEvent) -> bytes:
        if self.path in (_TEMPLATE, _TOKENIZE):
            self.event, self.is_whole = event or self.event, True
            return b""
        return super().receive(_as_chat(event) if event and self.path == _COMPLETION else event)

    def _has_media(self) -> bool:
        """Whether there are images, for which a prompt of text has no place."""
        return any(isinstance(part, Other) for each in self.messages for part in each.parts)


def _prompt(
    messages: list[dict[str, Any]], rest: Mapping[str, Any]
) -> _Asking[tuple[str, str | list[int]]]:
    """Ask for what a prompt is made of; get the text of its last part, and the prompt."""
    forged = False
    if names := named(messages):
        special = yield from _tokenize(names, special=True)
        forged = special != (yield from _tokenize(names, special=False))
    marked = mark(messages, forged=forged)
    event = yield _TEMPLATE, {**rest, "messages": marked.messages}
    try:
        parts = marked.cut(str(event.get("prompt", "")))
    except LTONError as error:
        raise RefusedError(400, str(error), param="messages") from None
    last = parts[-1][0]
    if not forged:
        return last, last
    tokens: list[int] = []
    for rank, (part, is_own) in enumerate(parts):
        tokens += yield from _tokenize(part, special=is_own, begins=rank == 0)
    return last, tokens


def _tokenize(text: str, *, special: bool, begins: bool = False) -> _Asking[list[int]]:
    request = {"content": text, "add_special": begins, "parse_special": special}
    tokens = (yield _TOKENIZE, request).get("tokens")
    if not isinstance(tokens, list) or not all(type(token) is int for token in tokens):
        raise odd_answer("tokens", tokens)
    return tokens


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
