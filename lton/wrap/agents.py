"""Configure coding agents to use the gateway's address.

`make test-agents` runs these agents, each in the newest version and in a pinned one.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from lton._terminal import UsageError
from lton.chat.records import ApiName

Environ: TypeAlias = Mapping[str, str]

_FIRST_PARTY = "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL"
_OWN = ".anthropic.com"
_ANTHROPIC = "https://api.anthropic.com"
_OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True, kw_only=True)
class Wrapped:
    """The settings for running an agent: its server, arguments, and environment variables."""

    program: str
    upstream: str
    api: ApiName
    arguments: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


Agent: TypeAlias = Callable[[str, Sequence[str], Environ], Wrapped]  # takes the gateway's address


def configure_claude(address: str, _: Sequence[str], environ: Environ) -> Wrapped:
    """Configure Claude Code to use the gateway.

    With a foreign base URL, Claude Code lists all tools of MCP servers at once, which takes up to
    ten times the tokens. The variables keep tool search on, unless the user has configured it.
    Another variable states that the server is Anthropic's. Otherwise the system prompt would be
    cached for one user only.
    """
    upstream = environ.get("ANTHROPIC_BASE_URL", _ANTHROPIC)
    host = urlsplit(upstream).hostname or ""
    search = environ.get("ENABLE_TOOL_SEARCH", "true")
    variables = {"ANTHROPIC_BASE_URL": address, "ENABLE_TOOL_SEARCH": search}
    if f".{host}".endswith(_OWN):
        variables[_FIRST_PARTY] = environ.get(_FIRST_PARTY, "1")
    return Wrapped(program="claude", upstream=upstream, api="messages", variables=variables)


def configure_codex(address: str, _: Sequence[str], environ: Environ) -> Wrapped:
    """Configure Codex CLI with a separate provider, because OpenAI's provider uses WebSockets.

    Codex then needs `OPENAI_API_KEY`, because a ChatGPT login only works for another address.
    """
    if not environ.get("OPENAI_API_KEY"):
        raise UsageError("lton wrap codex needs OPENAI_API_KEY: a ChatGPT login does not work")
    provider = {
        "name": "OpenAI by way of LTON",
        "base_url": f"{address}/v1",
        "env_key": "OPENAI_API_KEY",
        "wire_api": "responses",
    }
    table = ", ".join(f"{key} = {json.dumps(value)}" for key, value in provider.items())
    arguments = ["-c", 'model_provider="lton"', "-c", f"model_providers.lton={{{table}}}"]
    upstream = environ.get("OPENAI_BASE_URL", _OPENAI)
    return Wrapped(program="codex", upstream=upstream, api="responses", arguments=arguments)


def configure_opencode(address: str, arguments: Sequence[str], environ: Environ) -> Wrapped:
    """Configure opencode for the provider in `--model PROVIDER/MODEL` (by default Anthropic)."""
    provider = _find_option_value(arguments, "--model", "-m").partition("/")[0] or "anthropic"
    providers: dict[str, tuple[str, ApiName]] = {
        "anthropic": (f"{_ANTHROPIC}/v1", "messages"),
        "openai": (_OPENAI, "responses"),
    }
    upstream, api = providers.get(provider, ("", "chat"))
    settings = _read_object(environ.get("OPENCODE_CONFIG_CONTENT", "{}"), "OPENCODE_CONFIG_CONTENT")
    options = settings.setdefault("provider", {}).setdefault(provider, {}).setdefault("options", {})
    upstream = options.get("baseURL", upstream)
    options["baseURL"] = f"{address}/v1"
    content = json.dumps(settings, separators=(",", ":"), ensure_ascii=False)
    variables = {"OPENCODE_CONFIG_CONTENT": content}
    return Wrapped(program="opencode", upstream=upstream, api=api, variables=variables)


def configure_qwen(address: str, _: Sequence[str], environ: Environ) -> Wrapped:
    """Configure qwen-code to use the gateway, if it uses an OpenAI-compatible API."""
    variables = {"OPENAI_BASE_URL": f"{address}/v1"}
    upstream = environ.get("OPENAI_BASE_URL", _OPENAI)
    return Wrapped(program="qwen", upstream=upstream, api="chat", variables=variables)


def configure_aider(address: str, arguments: Sequence[str], environ: Environ) -> Wrapped:
    """Configure aider for the API that its model's name indicates."""
    model = _find_option_value(arguments, "--model").lower()
    if any(name in model for name in ("anthropic", "claude", "sonnet", "opus", "haiku")):
        own = environ.get("ANTHROPIC_API_BASE", _ANTHROPIC)
        variables = {"ANTHROPIC_API_BASE": address}
        return Wrapped(program="aider", upstream=own, api="messages", variables=variables)
    own = environ.get("OPENAI_API_BASE", _OPENAI)
    variables = {"OPENAI_API_BASE": f"{address}/v1"}
    return Wrapped(program="aider", upstream=own, api="chat", variables=variables)


SWITCHES: Mapping[str, str] = {
    "claude": "claude --disallowedTools=NAME,NAME",
    "codex": "codex --disable FEATURE, or a setting of `-c`: see `codex features list`",
    "opencode": '"tools": {"NAME": false} in its settings',
    "qwen": "qwen --exclude-tools=NAME",
}  # the option with which each agent omits tools


AGENTS = {
    "claude": configure_claude,
    "codex": configure_codex,
    "opencode": configure_opencode,
    "qwen": configure_qwen,
    "aider": configure_aider,
}


def manual_setup(name: str) -> str:
    """Return instructions for connecting an unknown agent."""
    return (
        f"lton wrap does not know {name[:40]!r}, only {', '.join(sorted(AGENTS))}. By hand:\n"
        "  lton serve --upstream URL --port 8000\n"
        "  export OPENAI_BASE_URL=http://127.0.0.1:8000/v1  # OpenAI's API\n"
        "  export ANTHROPIC_BASE_URL=http://127.0.0.1:8000 ENABLE_TOOL_SEARCH=true  # Anthropic's"
    )


def _find_option_value(arguments: Sequence[str], *names: str) -> str:
    """Return the value of an option among an agent's arguments, or ""."""
    for at, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name in names:
            return value if equals else "".join(arguments[at + 1 : at + 2])
    return ""


def _read_object(text: str, name: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise UsageError(f"{name}: expected a JSON object")
    return value
