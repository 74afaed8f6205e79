"""Decide whether a call that a model wrote was needed, by one token of a second request.

An answer in words is passed on as it comes. If an answer is a call, the server is asked the same
request again for the probabilities of the first token. Its prompt is cached, so it reads and
samples one token. Only models that were measured on a server of the same kind are asked
(`lton probe --calibrate URL`). If the message seems to need no tool, the model answers the request
without tools.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from lton.apis.refusals import RefusedError
from lton.chat import ToolCall
from lton.chat.deltas import DeclinedCall, LoopingCall
from lton.generate.need import FirstTokenLine, FirstTokens, least_probability_for_calls
from lton.schema.toolset import ToolSet

MOST_TOKENS = 400
"""The number of likeliest tokens that a server is asked for. vLLM gives 20 by default."""
_REPLACED = ("stream", "stream_options", "max_completion_tokens")


def first_token_body(chat: Mapping[str, Any], count: int) -> dict[str, Any]:
    """Return a chat completions request for the likeliest first tokens of an answer.

    At temperature 0, no unlikely token is sampled that ends the answer or is a part of a character:
    llama.cpp's server would list no tokens then.
    """
    fields = {key: value for key, value in chat.items() if key not in _REPLACED}
    return {**fields, "temperature": 0, "max_tokens": 1, "logprobs": True, "top_logprobs": count}


def find_first_tokens(answer: Any) -> FirstTokens | None:
    """Return the first tokens in an answer to such a request, or None if it has none."""
    match answer:
        case {"choices": [{"logprobs": {"content": [{"top_logprobs": [_, *_] as listed}, *_]}}]}:
            pass
        case _:
            return None
    try:
        return {str(entry["token"]): float(entry["logprob"]) for entry in listed}
    except (LookupError, TypeError, ValueError):
        return None


UnmadeCall: TypeAlias = DeclinedCall | LoopingCall


class CallCheck(Protocol):
    """Decides whether the calls of an answer are made."""

    @property
    def holds_words(self) -> bool:
        """Whether calls after words are checked, too."""

    @property
    def allows_others(self) -> bool:
        """Whether the model may make another call in its answer without tools."""

    def try_write_request_body(self) -> dict[str, Any] | None:
        """Return the body of a request that has to be asked first, or None."""

    def decline_calls(
        self, answer: Mapping[str, Any] | None, calls: Sequence[ToolCall], tools: ToolSet
    ) -> tuple[UnmadeCall, ...]:
        """Return the calls that are not made: all of them, or none."""


@dataclass(frozen=True)
class NeedCheck:
    """Declines the calls of an answer that are probably not needed (a `CallCheck`).

    `chat` returns the request as the server's chat completions API reads it, or raises
    `RefusedError` if this API has no such request.
    """

    line: FirstTokenLine
    least: float
    chat: Callable[[], Mapping[str, Any]]
    holds_words: bool = False
    allows_others: bool = False  # no tool is needed

    def try_write_request_body(self) -> dict[str, Any] | None:
        """Return the body of the request for the first tokens, or None if there is none."""
        try:
            return first_token_body(self.chat(), MOST_TOKENS)
        except RefusedError:
            return None

    def decline_calls(
        self, answer: Mapping[str, Any] | None, calls: Sequence[ToolCall], tools: ToolSet
    ) -> tuple[DeclinedCall, ...]:
        """Return the calls that are not made: all of them, or none.

        `answer` is an answer, or a chunk of a stream, that lists the first tokens. Without first
        tokens, all calls are made.
        """
        likeliest = find_first_tokens(answer)
        if likeliest is None:
            return ()
        need = self.line.probability_of_call(likeliest)
        called = [tools.by_name[call.name] for call in calls if call.name in tools.by_name]
        if need >= least_probability_for_calls(self.least, called, tools):
            return ()
        return tuple(DeclinedCall(call, need) for call in calls)
