"""Write requests that probe a server, and interpret the server's answers.

- A llama.cpp server shows how its template handles tools.
- Any other server gets two requests for one token each, with a tool and without. A template that
  renders tools makes the first prompt longer. A server that refuses tools has no native calls.
- An API exists if the server knows its path.
- A server is identified by the owner of its models, or by a path that no other server has.

Calls are native unless the server shows that it has no native calls. If a server requires a key, is
busy or fails, the result is not settled, and the server is probed again.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from lton.apis.chat_api import CHAT
from lton.apis.registry import APIS, hosted_apis
from lton.apis.responses_api import RESPONSES
from lton.chat.records import ApiName
from lton.generate.need import server_identity
from lton.lenient.syntaxes import syntaxes_in_template

Mode: TypeAlias = Literal["native", "lton", "guided"]
MODES: Mapping[str, Mode | None] = {**{mode: mode for mode in get_args(Mode)}, "auto": None}
"""The values of `--calls`; None means probing."""
EngineName: TypeAlias = Literal["llama.cpp", "vllm", "sglang", "openai", "plain"]
_ENGINES: Mapping[str, EngineName] = {"llama.cpp": "llama.cpp", "SGLang": "sglang", "vLLM": "vllm"}
_OWNERS = {"library": "Ollama", "llamacpp": "llama.cpp", "sglang": "SGLang", "vllm": "vLLM"}
_PATHS = {
    "/props": "llama.cpp",
    "/api/version": "Ollama",
    "/get_server_info": "SGLang",
    "/version": "vLLM",
}  # servers by a path that no other server has, tried in turn if the models have no owner
GUIDING = frozenset[EngineName](["llama.cpp", "vllm"])  # return probabilities of tokens
ENFORCING = frozenset[EngineName](["vllm", "sglang"])  # refuse long prompts, and enforce schemas
DROPPING = frozenset(["Ollama"])  # servers that send nothing for a call that they cannot read
SAID = "as --calls says"
_ABSENT = (404, 405, 501)
REFUSED = (400, 422)  # the statuses with which servers refuse tools, or strict tools
_SHOWS_TOOLS = "the server's template shows tools"
_SHOWS_NONE = "the server's template shows no tools"
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
    """A request that shows what a server supports."""

    path: str
    body: Mapping[str, Any] | None = None  # none for GET


@dataclass(frozen=True)
class ProbeReply:
    """The status of an answer, and its JSON object (empty if there is none)."""

    status: int
    body: Mapping[str, Any]


@dataclass(frozen=True)
class ProbeResult:
    """The properties of a server: its call format, with the reason, and its APIs."""

    mode: Mode
    why: str
    apis: tuple[ApiName, ...]
    keeps: bool = False  # whether it refuses prompts that are too long instead of truncating them
    is_settled: bool = True  # whether the server's answers showed all of this
    engine: EngineName = "plain"
    server: str = ""  # the name of the server, empty if unknown
    syntaxes: frozenset[str] = frozenset()  # the call syntaxes in the server's chat template
    model: str = ""  # identifies the weights of the server's only model (`lton.generate.need`)


Asking: TypeAlias = Generator[ProbeRequest, ProbeReply, ProbeResult]


def find_hosted_api(url: str) -> ProbeResult | None:
    """Return the properties of a well-known hosted API, or None for any other address."""
    host = urlsplit(url).hostname or ""
    apis = tuple(api.name for api in hosted_apis(host))
    if not apis:
        return None
    return ProbeResult("native", f"{host} is a hosted API", apis, keeps=True, server=host)


def probe_server(
    url: str, mode: Mode | None = None, api: ApiName | None = None, engine: EngineName | None = None
) -> Asking:
    """Detect the call format, the APIs and the engine of a server."""
    apis, is_settled = ((api,), True) if api else (yield from _probe_apis())
    if urlsplit(url).scheme == "https":
        host = urlsplit(url).hostname or ""
        why = SAID if mode else f"{host} is hosted"
        engine = engine or "plain"
        return ProbeResult(mode or "native", why, apis, False, is_settled, engine, host)
    props = yield ProbeRequest("/props")
    is_settled = is_settled and not _is_silent(props)
    is_llama_cpp = _is_server_of_path("/props", props)
    server = ""
    models = ProbeReply(404, {})
    if engine is None or engine in GUIDING:
        models = yield ProbeRequest("/v1/models")
    if engine is None:
        server, is_known = yield from _probe_identity(props, models)
        is_settled = is_settled and is_known
        is_llama_cpp = is_llama_cpp and server == "llama.cpp"
        engine = _ENGINES.get(server, "plain")
        if engine == "llama.cpp" and not is_llama_cpp:  # the server has only some llama.cpp paths
            engine = "plain"
    keeps = is_llama_cpp or engine in ENFORCING
    syntaxes = syntaxes_in_template(str(props.body.get("chat_template", "")))
    result = ProbeResult(
        mode or "native",
        SAID,
        apis,
        keeps,
        is_settled,
        engine,
        server,
        syntaxes,
        server_identity(models.body),
    )
    return result if mode else (yield from _probe_mode(result, is_llama_cpp=is_llama_cpp))


def _probe_mode(result: ProbeResult, *, is_llama_cpp: bool) -> Asking:
    engine = result.engine
    apis = result.apis
    mode, why = yield from _probe_template() if is_llama_cpp else _probe_by_count(apis)
    needed_api = RESPONSES if engine == "openai" else CHAT
    if mode == "lton" and not (is_llama_cpp if engine == "llama.cpp" else needed_api.name in apis):
        mode = "native"
        why = f"{why}, but the server does not fit --engine {engine}: try plain"
    if mode == "lton" and is_llama_cpp != (engine == "vllm"):
        mode = "guided"
    is_settled = result.is_settled and mode is not None
    return replace(result, mode=mode or "native", why=why, is_settled=is_settled)


def _probe_identity(
    props: ProbeReply, models: ProbeReply
) -> Generator[ProbeRequest, ProbeReply, tuple[str, bool]]:
    """Return the name of the server, or "" if unknown, and whether the name is certain."""
    owner = _first_model(models).get("owned_by")
    if isinstance(owner, str) and owner in _OWNERS:
        return _OWNERS[owner], True
    is_known = not _is_silent(models)
    for path, name in _PATHS.items():
        if not is_known or (owner and name != "Ollama"):  # its models have many owners
            continue
        reply = props if path == "/props" else (yield ProbeRequest(path))
        if _is_server_of_path(path, reply):
            return name, True
        is_known = not _is_silent(reply)
    return "", is_known


def _is_server_of_path(path: str, reply: ProbeReply) -> bool:
    """Return whether an answer to `path` comes from the kind of server that has this path."""
    if path == "/props":
        return reply.status == 200 and "chat_template" in reply.body
    # LM Studio answers any path with 200, and LocalAI has a version `v3.0`.
    return reply.status == 200 and str(reply.body.get("version"))[:1].isdecimal()


def _first_model(models: ProbeReply) -> Mapping[str, Any]:
    listed = models.body.get("data")
    first = listed[0] if isinstance(listed, list) and listed else {}
    return first if isinstance(first, dict) else {}


def _is_silent(reply: ProbeReply) -> bool:
    """Return whether an answer leaves open which features the server supports."""
    return reply.status in (401, 403, 408, 429) or (reply.status >= 500 and reply.status != 501)


def _probe_apis() -> Generator[ProbeRequest, ProbeReply, tuple[tuple[ApiName, ...], bool]]:
    there = list[ApiName]()
    is_settled = True
    for api in APIS.values():
        if not api.is_probed:
            continue
        reply = yield ProbeRequest(api.path, {})
        is_settled = is_settled and not _is_silent(reply)
        if reply.status not in _ABSENT:
            there.append(api.name)
    return tuple(there) or (CHAT.name,), is_settled


_Shown: TypeAlias = Generator[ProbeRequest, ProbeReply, tuple[Mode | None, str]]
"""The mode that a server shows, if any, and the reason."""


def _probe_template() -> _Shown:
    request = {**_HI, "tools": _TOOLS}
    with_tool = yield ProbeRequest("/apply-template", request)
    prompt = with_tool.body.get("prompt")
    if with_tool.status == 200 and isinstance(prompt, str):
        return ("native", _SHOWS_TOOLS) if _TOOL in prompt else ("lton", _SHOWS_NONE)
    return _explain_refusal((yield ProbeRequest("/apply-template", _HI)), with_tool)


def _probe_by_count(apis: tuple[ApiName, ...]) -> _Shown:
    if CHAT.name not in apis:
        return "native", f"the server has {apis[0]} and no chat"
    models = yield ProbeRequest("/v1/models")
    request = {**_HI, "model": _first_model(models).get("id") or "default", "max_tokens": 1}
    plain = yield ProbeRequest(CHAT.path, request)
    with_tool = yield ProbeRequest(CHAT.path, {**request, "tools": _TOOLS})
    if plain.status != 200 or with_tool.status != 200:
        return _explain_refusal(plain, with_tool)
    if not (_prompt_tokens(plain) and _prompt_tokens(with_tool)):
        return None, "the server does not report the length of a prompt"
    if _prompt_tokens(with_tool) > _prompt_tokens(plain):
        return "native", _SHOWS_TOOLS
    return "lton", _SHOWS_NONE


def _explain_refusal(plain: ProbeReply, with_tool: ProbeReply) -> tuple[Mode | None, str]:
    why = f"the server answered with {with_tool.status} to a question with a tool"
    if plain.status == 200 and with_tool.status in REFUSED:
        return "lton", why
    return None, why if plain.status == 200 else f"the server answered with {plain.status}"


def _prompt_tokens(reply: ProbeReply) -> int:
    usage = reply.body.get("usage")
    count = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return count if type(count) is int else 0
