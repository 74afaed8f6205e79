"""Write requests that count tokens on servers, and read the answers.

Some servers share a path, so one request has the fields for all of them: llama.cpp reads `content`,
and vLLM and SGLang read `prompt`. The answer shows which server it is.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from lton._http import NoAnswerError, Why
from lton.tokens.counting import Count, Messages
from lton.tokens.special import without_special_names

Post: TypeAlias = Callable[[str, dict[str, Any]], Awaitable[Any]]

PROBE = "hello world"
PROBE_TOKENS = 2  # in every known vocabulary
_UNSEEN = 100_000  # tokens that tool prompts and referenced images and documents may add
_TOKENIZE = "/tokenize"
_COUNT = "/v1/messages/count_tokens"


@dataclass
class LlamaCpp:
    """Counts tokens with llama.cpp, which renders conversations at `/apply-template`."""

    exact: ClassVar[bool] = True
    batch: ClassVar[int] = 1  # llama.cpp joins the strings of a list
    model: str

    async def count_texts(self, post: Post, texts: list[str]) -> list[Count]:
        # By default, llama.cpp reads `<|im_start|>` in text as a special token.
        return [await self._count(post, text, special=False) for text in texts]

    async def count_messages(self, post: Post, messages: Messages, tools: Messages) -> Count:
        request = {"model": self.model, "messages": list(messages)}
        reply = await post("/apply-template", request | ({"tools": list(tools)} if tools else {}))
        prompt = reply.get("prompt") if isinstance(reply, dict) else None
        if not isinstance(prompt, str):
            raise NoAnswerError(Why.NEVER)
        return await self._count(post, prompt, special=True)

    async def _count(self, post: Post, text: str, *, special: bool) -> Count:
        body = {"model": self.model, "content": text}
        flags = {"add_special": special, "parse_special": special}
        return Count(_count_in_reply(await post(_TOKENIZE, body | flags)), exact=True)


@dataclass
class VLLM:
    """Counts tokens with vLLM, for strings in `prompt` and for conversations in `messages`.

    vLLM reads `<|im_start|>` in text as a special token (see `plain`).
    """

    exact: ClassVar[bool] = True
    batch: ClassVar[int] = 1
    model: str

    async def count_texts(self, post: Post, texts: list[str]) -> list[Count]:
        return [
            _estimate_plain(
                text, await self._post_and_read(post, prompt=without_special_names(text))
            )
            for text in texts
        ]

    async def count_messages(self, post: Post, messages: Messages, tools: Messages) -> Count:
        request: dict[str, Any] = {"messages": list(messages), "add_generation_prompt": True}
        request |= {"tools": list(tools)} if tools else {}
        return Count(_count_in_reply(await self._post_and_read(post, **request)), exact=True)

    async def _post_and_read(self, post: Post, **body: Any) -> Any:
        return await post(_TOKENIZE, {"model": self.model, "add_special_tokens": False, **body})


class SGLang(VLLM):
    """Counts tokens with SGLang, which also accepts lists of strings."""

    batch: ClassVar[int] = 64

    async def count_texts(self, post: Post, texts: list[str]) -> list[Count]:
        if len(texts) == 1:
            return await super().count_texts(post, texts)
        reply = await self._post_and_read(
            post, prompt=[without_special_names(text) for text in texts]
        )
        tokens = reply.get("tokens") if isinstance(reply, dict) else None
        if not isinstance(tokens, list) or len(tokens) != len(texts):
            raise NoAnswerError(Why.NOT_THIS)
        return [
            _estimate_plain(text, {"tokens": ids}) for text, ids in zip(texts, tokens, strict=True)
        ]


@dataclass
class Anthropic:
    """Counts tokens with Anthropic's API, which counts messages.

    A string is counted as a message, and the tokens around a message are subtracted.
    """

    exact: ClassVar[bool] = False
    batch: ClassVar[int] = 1
    model: str
    around: int

    async def count_texts(self, post: Post, texts: list[str]) -> list[Count]:
        counts = [await self.count_messages(post, _user_message(text), ()) for text in texts]
        return [Count(max(1, count.tokens - self.around), exact=False) for count in counts]

    async def count_messages(self, post: Post, messages: Messages, tools: Messages) -> Count:
        system = [message for message in messages if message.get("role") == "system"]
        body: dict[str, Any] = {"model": self.model}
        body["messages"] = [message for message in messages if message not in system]
        if system:
            body["system"] = "\n".join(str(message.get("content")) for message in system)
        if tools:
            body["tools"] = [_anthropic_tool(tool) for tool in tools]
        return Count(_input_tokens(await post(_COUNT, body), body), exact=False)


CountingApi: TypeAlias = LlamaCpp | VLLM | Anthropic
"""The API of a server that counts `batch` strings at once, and conversations."""


async def _detect_by_tokenize(post: Post, model: str) -> CountingApi:
    body: dict[str, Any] = {"model": model, "content": PROBE, "prompt": PROBE}
    body |= {"add_special": False, "parse_special": False, "add_special_tokens": False}
    reply = await post(_TOKENIZE, body)
    _count_in_reply(reply)
    if "count" not in reply:
        return LlamaCpp(model)
    return VLLM(model) if "token_strs" in reply else SGLang(model)


async def _detect_by_messages(post: Post, model: str) -> CountingApi:
    body = {"model": model, "messages": _user_message(PROBE)}
    return Anthropic(model, around=_input_tokens(await post(_COUNT, body), body) - PROBE_TOKENS)


PROBES: tuple[Callable[[Post, str], Awaitable[CountingApi]], ...] = (
    _detect_by_tokenize,
    _detect_by_messages,
)
"""Requests that detect the API of a server, in order; each may raise `NoAnswerError`."""


def _estimate_plain(text: str, reply: Any) -> Count:
    return Count(_count_in_reply(reply), exact=without_special_names(text) == text)


def _count_in_reply(reply: Any) -> int:
    """Count the tokens in a server's answer. Raises an error for an answer without tokens."""
    tokens = reply.get("tokens") if isinstance(reply, dict) else None
    if not isinstance(tokens, list) or reply.get("count", len(tokens)) != len(tokens):
        raise NoAnswerError(Why.NEVER)
    if not tokens:
        raise NoAnswerError(Why.NOT_THIS)
    return len(tokens)


def _input_tokens(reply: Any, body: Mapping[str, Any]) -> int:
    """Read `input_tokens` from a server's answer. Raises an error for an implausible number."""
    tokens = reply.get("input_tokens") if isinstance(reply, dict) else None
    most = len(json.dumps(body, default=str)) + _UNSEEN
    if type(tokens) is not int or not 0 < tokens <= most:
        raise NoAnswerError(Why.NEVER)
    return tokens


def _user_message(text: str) -> Messages:
    return [{"role": "user", "content": text}]


def _anthropic_tool(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    function = tool.get("function")
    if not isinstance(function, Mapping):
        return tool
    schema = function.get("parameters") or {"type": "object"}
    fields = {key: function[key] for key in ("name", "description") if key in function}
    return {**fields, "input_schema": schema}
