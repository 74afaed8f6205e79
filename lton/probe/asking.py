"""Ask a server for its models, or a question, and return what a client receives."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from http.client import HTTPException
from time import perf_counter
from typing import Any

from lton._terminal import check_url
from lton.cost.streams import Streams, find_event_data, try_identify_event
from lton.errors import Code, ServerError
from lton.schema.types import Call

MOST_TOKENS = 256
"""The maximum tokens of an answer: calls are shorter, and prose need not be complete."""
_MOST_BYTES = 4 << 20
_CHUNK = 64 << 10
_WIDTH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """An answer, as the client receives it."""

    calls: tuple[Call, ...] = ()
    text: str = ""
    error: str = ""
    """The reason for a missing answer or for invalid arguments of a call."""
    prompt: int = 0
    sampled: int = 0
    """The tokens of the prompt and of the answer, as the server reports them."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatClient:
    """Sends questions to a server through the chat completions API."""

    url: str
    """The address of the server, without `/v1`."""
    model: str
    tools: Sequence[Mapping[str, Any]]
    key: str = ""
    timeout_s: float = 120.0

    def ask_question(self, question: str, *, stream: bool, **more: Any) -> GivenAnswer:
        """Send a question at temperature 0. A failure becomes the `error` of the answer."""
        body = {
            "model": self.model,
            "messages": [{"role": "user", "content": question}],
            "tools": self.tools,
            "temperature": 0,
            "max_tokens": MOST_TOKENS,
            "stream": stream,
            **({"stream_options": {"include_usage": True}} if stream else {}),
            **more,
        }
        began = perf_counter()
        try:
            data = self.fetch_json("/v1/chat/completions", body)
            reply = read_reply(_join_stream(data) if stream else json.loads(data))
        except urllib.error.HTTPError as error:
            message = error.read(_WIDTH).decode(errors="replace")
            reply = GivenAnswer(error=f"status {error.code}: {message}")
        except (OSError, ValueError, HTTPException, RecursionError) as error:
            reply = GivenAnswer(error=str(error)[:_WIDTH] or type(error).__name__)
        return replace(reply, seconds=perf_counter() - began)

    def fetch_json(self, path: str, body: Mapping[str, Any] | None = None) -> bytes:
        headers = {"Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers)  # noqa: S310 - checked
        content = bytearray()
        deadline = perf_counter() + self.timeout_s
        with _OPENER.open(request, timeout=self.timeout_s) as reply:
            while chunk := reply.read1(_CHUNK):
                content += chunk
                if perf_counter() > deadline:
                    raise TimeoutError(f"the answer did not end in {self.timeout_s:g} s")
                if len(content) > _MOST_BYTES:
                    raise ValueError(f"the answer has more than {_MOST_BYTES} bytes")
        return bytes(content)


_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _join_stream(data: bytes) -> Any:
    streams = Streams()
    ended = list[Any]()
    for line in data.splitlines():
        if payload := find_event_data(line):
            value = json.loads(payload)
            streamed = try_identify_event(value)
            if streamed is None:
                if isinstance(value, dict) and "error" in value:
                    return value
                continue
            ended += streams.feed(streamed)
    ended += streams.flush()
    return ended[0] if ended else {}


def read_reply(value: Any) -> GivenAnswer:
    """Return the answer in a chat completions response."""
    if not isinstance(value, dict) or not value.get("choices"):
        return GivenAnswer(error=f"expected choices, found {json.dumps(value)[:_WIDTH]}")
    message = value["choices"][0].get("message") or {}
    calls, error = _read_calls_and_fault(message.get("tool_calls") or ())
    content = message.get("content")
    usage = value.get("usage") or {}
    return GivenAnswer(
        calls=calls,
        text=content if isinstance(content, str) else "",
        error=error,
        prompt=usage.get("prompt_tokens") or 0,
        sampled=usage.get("completion_tokens") or 0,
    )


def _read_calls_and_fault(tool_calls: Iterable[Any]) -> tuple[tuple[Call, ...], str]:
    """Return the calls whose arguments can be read, and what is wrong with the last other one."""
    calls = list[Call]()
    error = ""
    for tool_call in tool_calls:
        function = tool_call.get("function") or {}
        json_text = function.get("arguments")
        arguments = _try_parse_arguments(json_text)
        if arguments is None:
            error = f"expected arguments as a JSON object, found {json_text!r}"[:_WIDTH]
        else:
            calls.append(Call(str(function.get("name")), arguments))
    return tuple(calls), error


def _try_parse_arguments(json_text: Any) -> dict[str, Any] | None:
    """Return arguments that a server writes as an object or as its JSON, or None."""
    if isinstance(json_text, dict):
        return json_text
    try:
        arguments = json.loads(json_text or "{}")
    except (TypeError, ValueError):
        return None
    return arguments if isinstance(arguments, dict) else None


def read_base_url(url: str) -> str:
    """Remove the final `/v1` of a server's URL. Raises `UsageError` for an invalid URL."""
    check_url(url, "URL")
    return url.strip().rstrip("/").removesuffix("/v1").rstrip("/")


def first_model(client: ChatClient) -> str:
    """Return the first model that a server lists. Raises `ServerError` if there is none."""
    hint = "name a model with --model, and a key with --key"
    try:
        listed = json.loads(client.fetch_json("/v1/models"))["data"]
        return str(listed[0]["id"])
    except urllib.error.HTTPError as error:
        why = f"status {error.code}"
    except (LookupError, TypeError, ValueError):
        why = "no list of models"
    except (OSError, HTTPException) as error:
        why = str(getattr(error, "reason", error)) or type(error).__name__
        hint = "is the server running, and is this its address?"
    raise ServerError(Code.SERVER, f"{client.url}/v1/models: {why}", hint=hint)
