"""Write the terminal output of `lton serve`: a line per request, and the addresses for clients."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from lton._terminal import say

_PATH = 100


def tell(line: str) -> None:
    """Print a line, if there is a terminal."""
    with suppress(OSError, ValueError):  # a closed terminal must not fail a request
        say(line)


def request_line(
    scope: Mapping[str, Any], status: str, took_s: float, tokens: Mapping[str, Any]
) -> str:
    """Return the line for a request, without its query, which may contain a key.

    >>> scope = {"method": "GET", "raw_path": b"/v1/models"}
    >>> request_line(scope, "200", 0.0321, {})
    'GET /v1/models 200 32 ms'
    >>> request_line(scope, "200", 1, {"prompt_tokens": 7, "completion_tokens": 3})
    'GET /v1/models 200 1000 ms 7+3 tokens'
    """
    path = scope["raw_path"].decode("latin-1")[:_PATH]
    line = f"{scope['method']} {path} {status} {1000 * took_s:.0f} ms"
    read, written = (tokens.get(f"{kind}_tokens") or 0 for kind in ("prompt", "completion"))
    return f"{line} {read}+{written} tokens" if read or written else line


def exported(address: str) -> str:
    """Return the shell commands that point clients to an address.

    With a custom address, Claude Code sends all tools at once, unless it is told to search.

    >>> print(exported("0.0.0.0:8000"))
    export OPENAI_BASE_URL=http://127.0.0.1:8000/v1
    export ANTHROPIC_BASE_URL=http://127.0.0.1:8000 ENABLE_TOOL_SEARCH=true
    """
    for anywhere, here in (("0.0.0.0:", "127.0.0.1:"), ("[::]:", "[::1]:")):
        if address.startswith(anywhere):
            address = here + address.removeprefix(anywhere)
    anthropic = f"export ANTHROPIC_BASE_URL=http://{address} ENABLE_TOOL_SEARCH=true"
    return f"export OPENAI_BASE_URL=http://{address}/v1\n{anthropic}"
