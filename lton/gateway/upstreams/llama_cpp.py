"""Query a llama.cpp server with raw text instead of messages.

The server's chat endpoint parses the model's own call format, and fails for other formats: with
gpt-oss's template each call in LTON ends in a 500, and with a template that always begins a thought
each call becomes a thought. `/completion` has neither problem, and a grammar can wait for the first
call, so that the model may think before it.

The server recognizes names of special tokens anywhere, so the result of a tool could end its turn
and begin another. Prompts with such names are sent as tokens.
"""

from collections.abc import Generator, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from lton.apis.refusals import RefusedError, make_odd_answer_error
from lton.chat import Other
from lton.engines.turns import join_possible_special_names, mark_texts
from lton.errors import LTONError
from lton.gateway.exchange import Exchange, UpstreamEvent
from lton.grammar.build import PROSE

_TEMPLATE = "/apply-template"
_TOKENIZE = "/tokenize"
_COMPLETION = "/completion"
_THOUGHT = "<think>"  # the end of a prompt that makes the model think
_T = TypeVar("_T")
_Asking: TypeAlias = Generator[tuple[str, Mapping[str, Any]], UpstreamEvent, _T]
"""Yields requests with their paths, receives the answers, and returns a value."""


class TemplatedExchange(Exchange):
    """An exchange that sends several requests, each to its own `path`."""

    body: dict[str, Any] | None = None  # the final request, while its prompt is being built
    steps: _Asking[tuple[str, str | list[int]]]
    event: UpstreamEvent = MappingProxyType({})  # the answer to the last step

    def try_take_next_request(self) -> Mapping[str, Any] | None:
        if self.body is None:
            body = super().try_take_next_request()
            if body is None or self._has_media():
                return body
            self.body = dict(body)
            kwargs = {key: body[key] for key in ("chat_template_kwargs",) if key in body}
            self.steps = _render_prompt(
                self.body.pop("messages"), {**self.request.other_fields, **kwargs}
            )
            self.path, request = next(self.steps)
            return request
        try:
            self.path, request = self.steps.send(self.event)
        except StopIteration as end:
            text, prompt = end.value
        else:
            return request
        body = self.body
        self.body = None
        self.path = _COMPLETION
        if self.request.choice in PROSE and text.rstrip().endswith(_THOUGHT):
            for choice in self.choices:
                choice.reader = self._make_reader(in_thought=True)
        return {**body, "prompt": prompt}

    def receive_event(self, event: UpstreamEvent) -> bytes:
        if self.path in (_TEMPLATE, _TOKENIZE):
            self.event = event or self.event
            self.is_whole = True
            return b""
        return super().receive_event(
            _as_chat(event) if event and self.path == _COMPLETION else event
        )

    def _has_media(self) -> bool:
        return any(isinstance(part, Other) for message in self.messages for part in message.parts)


def _render_prompt(
    messages: list[dict[str, Any]], options: Mapping[str, Any]
) -> _Asking[tuple[str, str | list[int]]]:
    """Let the server render the prompt. Return the prompt's last part and the whole prompt."""
    forged = False
    if names := join_possible_special_names(messages):
        special = yield from _ask_for_tokens(names, special=True)
        forged = special != (yield from _ask_for_tokens(names, special=False))
    marked = mark_texts(messages, forged=forged)
    event = yield _TEMPLATE, {**options, "messages": marked.messages}
    try:
        parts = marked.cut_prompt(str(event.get("prompt", "")))
    except LTONError as error:
        raise RefusedError(400, str(error), param="messages") from None
    last = parts[-1][0]
    if not forged:
        return last, last
    tokens: list[int] = []
    for rank, (part, is_own) in enumerate(parts):
        tokens += yield from _ask_for_tokens(part, special=is_own, begins=rank == 0)
    return last, tokens


def _ask_for_tokens(text: str, *, special: bool, begins: bool = False) -> _Asking[list[int]]:
    request = {"content": text, "add_special": begins, "parse_special": special}
    tokens = (yield _TOKENIZE, request).get("tokens")
    if not isinstance(tokens, list) or not all(type(token) is int for token in tokens):
        raise make_odd_answer_error("tokens", tokens)
    return tokens


def _as_chat(event: UpstreamEvent) -> UpstreamEvent:
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
