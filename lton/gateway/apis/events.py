"""Server-sent events, as answers are written. They are read by the HTTP client."""

from typing import Any

from lton._json import minified

DONE = b"data: [DONE]\n\n"
WAITING = b": waiting\n\n"
"""A comment: it keeps connections open while nothing is said."""


def event(data: Any, name: str = "") -> bytes:
    r"""Get the bytes of an event with some JSON, and a name if the API has names.

    >>> event({"ok": True})
    b'data: {"ok":true}\n\n'
    """
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {minified(data)}\n\n".encode(errors="replace")


PING = event({"type": "ping"}, "ping")
"""What Anthropic's API has in place of the comment."""
