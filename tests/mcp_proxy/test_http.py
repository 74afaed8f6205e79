"""Test which requests over HTTP the proxy refuses."""

import asyncio
from typing import Any

import pytest

from lton.mcp_proxy.http import PATH, Sessions, is_foreign
from lton.mcp_proxy.transport import Library

_HOST = (b"host", b"localhost:8000")


@pytest.mark.parametrize(
    ("origins", "refused"),
    [
        ([], False),
        ([b"http://localhost:8000"], False),
        ([b"HTTP://Localhost:8000"], False),
        ([b"https://localhost:8000"], False),
        ([b"http://localhost:3000"], True),
        ([b"http://localhost"], True),
        ([b"http://127.0.0.1:8000"], True),
        ([b"http://example.org"], True),
        ([b"http://localhost:8000.example.org"], True),
        ([b"null"], True),
        ([b""], True),
        ([b"http://localhost:8000", b"http://example.org"], True),
    ],
)
def test_only_pages_of_the_own_origin_may_use_the_proxy(
    origins: list[bytes], *, refused: bool
) -> None:
    """Pages of other programs on this machine are foreign, too."""
    headers = [_HOST, *((b"origin", origin) for origin in origins)]
    assert is_foreign(headers) == refused
    assert is_foreign(headers[1:]) == bool(origins)


def test_a_foreign_page_is_refused_before_a_session_begins() -> None:
    """The status is 403, and no server is started."""
    messages: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)

    def never() -> Any:
        raise AssertionError

    app = Sessions(Library(), never, never, "localhost", None)
    headers = [_HOST, (b"origin", b"http://localhost:3000")]
    scope = {"type": "http", "method": "POST", "path": PATH, "headers": headers}
    asyncio.run(app(scope, never, send))
    assert messages[0]["status"] == 403
    assert b"pages of other origins" in messages[1]["body"]
