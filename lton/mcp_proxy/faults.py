"""Record why a server refused requests over HTTP, since the library `mcp` does not report why."""

import json
from typing import Any

from lton._terminal import say
from lton.mcp_proxy.controls import replace_controls
from lton.mcp_proxy.proxy import Id, RpcMessage

_KEPT = 1000
_LONGEST = 500
_SESSION = "mcp-session-id"
_ENDED = 404


class HttpFaults:
    """The requests that the server of a connection refused, by id."""

    def __init__(self) -> None:
        self._found: dict[Id, tuple[int, str, str]] = {}
        self._is_over: set[Id] = set()
        self._said: set[str] = set()

    async def note_response(self, response: Any) -> None:
        """Record a refused request before the library reads the response."""
        if response.status_code < 400:
            return
        number = _find_id(response.request)
        if number is None or len(self._found) >= _KEPT:
            return
        if response.status_code == _ENDED and _SESSION in response.request.headers:
            self._is_over.add(number)
        challenge = replace_controls(response.headers.get("www-authenticate", "")[:_LONGEST])
        reason = f"{response.status_code} {response.reason_phrase}".strip()
        self._found[number] = response.status_code, replace_controls(reason), challenge

    def has_session_ended(self, number: Any) -> bool:
        """Return whether a request was refused because its session has expired."""
        if number not in self._is_over:
            return False
        self._is_over.discard(number)
        self._found.pop(number, None)
        return True

    def explain_error(self, message: RpcMessage) -> RpcMessage:
        """Add the server's reason to an answer."""
        fault = self._found.pop(message["id"], None) if message.get("id") is not None else None
        if fault is None or "error" not in message:
            return message
        status, reason, challenge = fault
        text = f"the MCP server answers {reason}"
        data: RpcMessage = {"status": status}
        if challenge:
            text += f" (WWW-Authenticate: {challenge})"
            data["www_authenticate"] = challenge
        if text not in self._said and len(self._said) < _KEPT:
            self._said.add(text)
            say(text)
        return {**message, "error": {**message["error"], "message": text, "data": data}}


def _find_id(request: Any) -> Id | None:
    try:
        number = json.loads(request.content).get("id")
    except (ValueError, RuntimeError, AttributeError, RecursionError):  # a GET has no message
        return None
    return number if isinstance(number, int | str) else None
