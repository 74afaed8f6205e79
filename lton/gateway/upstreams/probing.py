"""What a server can do, found out by asking it, without input or output: `found` asks in turn.

- A llama.cpp server shows what its template makes of tools.
- Any other is asked for one token twice, with a tool and without: where its template renders tools,
  the prompt with one is longer. One that refuses tools has no native calls.
- An API is there if the server knows its path.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from lton.apis.names import PATHS, ApiName

Mode: TypeAlias = Literal["native", "lton"]
MODES: Mapping[str, Mode | None] = {"native": "native", "lton": "lton", "auto": None}
"""What `--calls` may say; None is to be found out."""
_HOSTED: Mapping[str, tuple[ApiName, ...]] = {
    "openai.com": ("chat", "responses"),
    "anthropic.com": ("messages",),
}
"""Hosts whose APIs are known, and which need no question."""
SAID = "as --calls says"
_ABSENT = (404, 405, 501)
_TOOL = "lton_probe"
_HI = {"messages": [{"role": "user", "content": "Hi"}]}
_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": _TOOL,
            "description": "Never call this.",
            "parameters": {"type": "object", "properties": {"text": {"type": "string"}}},
        },
    }
]


@dataclass(frozen=True)
class ProbeRequest:
    """What a server is asked."""

    path: str
    body: Mapping[str, Any] | None = None
    """None for GET."""


@dataclass(frozen=True)
class ProbeReply:
    """What it answered: a status, and the object in JSON, if it was one."""

    status: int
    body: Mapping[str, Any]


@dataclass(frozen=True)
class ProbeResult:
    """How calls are written before a server, why, and the APIs that it has."""

    mode: Mode
    why: str
    apis: tuple[ApiName, ...]
    keeps: bool = False
    """Whether it is known to refuse what is too long for its model, and to leave nothing out."""


Asking: TypeAlias = Generator[ProbeRequest, ProbeReply, ProbeResult]


def hosted(url: str) -> ProbeResult | None:
    """Get what is known of a hosted API by its address alone; None for any other.

    >>> hosted("https://api.anthropic.com").apis, hosted("http://127.0.0.1:8080")
    (('messages',), None)
    """
    host = urlsplit(url).hostname or ""
    for name, apis in _HOSTED.items():
        if host == name or host.endswith(f".{name}"):
            return ProbeResult("native", f"{host} is a hosted API", apis, keeps=True)
    return None


def found(url: str, mode: Mode | None = None, api: ApiName | None = None) -> Asking:
    """Find out what is not given: how calls are written, and the APIs of a server."""
    apis = (api,) if api else (yield from _apis())
    is_hosted = urlsplit(url).scheme == "https"
    if is_hosted:
        return ProbeResult(
            mode or "native", SAID if mode else f"{urlsplit(url).hostname} is hosted", apis
        )
    props = yield ProbeRequest("/props")
    is_llama_cpp = props.status == 200 and "chat_template" in props.body
    if mode:
        return ProbeResult(mode, SAID, apis, keeps=is_llama_cpp)
    mode, why = yield from (_templated() if is_llama_cpp else _mode(apis))
    return ProbeResult(mode, why, apis, keeps=is_llama_cpp)


def _apis() -> Generator[ProbeRequest, ProbeReply, tuple[ApiName, ...]]:
    there = list[ApiName]()
    for api, path in PATHS.items():
        reply = yield ProbeRequest(path, {})
        if reply.status not in _ABSENT:
            there.append(api)
    return tuple(there) or ("chat",)


def _templated() -> Generator[ProbeRequest, ProbeReply, tuple[Mode, str]]:
    reply = yield ProbeRequest("/apply-template", {**_HI, "tools": _TOOLS})
    if _TOOL in str(reply.body.get("prompt", "")):
        return "native", "the server's template shows tools"
    return "lton", "the server's template shows no tools"


def _mode(apis: tuple[ApiName, ...]) -> Generator[ProbeRequest, ProbeReply, tuple[Mode, str]]:
    if "chat" not in apis:
        return "native", f"the server has {apis[0]} and no chat"
    models = yield ProbeRequest("/v1/models")
    listed = models.body.get("data")
    first = listed[0] if isinstance(listed, list) and listed else {}
    model = first.get("id") if isinstance(first, dict) else None
    request = {**_HI, "model": model or "default", "max_tokens": 1}
    plain = yield ProbeRequest(PATHS["chat"], request)
    with_tool = yield ProbeRequest(PATHS["chat"], {**request, "tools": _TOOLS})
    if plain.status != 200 or with_tool.status != 200:
        status = plain.status if plain.status != 200 else with_tool.status
        return "lton", f"the server answered with {status} to a question with a tool"
    if _tokens(with_tool) > _tokens(plain):
        return "native", "the server's template shows tools"
    return "lton", "the server's template shows no tools"


def _tokens(reply: ProbeReply) -> int:
    usage = reply.body.get("usage")
    count = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return count if type(count) is int else 0
