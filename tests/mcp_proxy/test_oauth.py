"""Test the proxy in front of a server behind OAuth, with the SDK's authorization and client."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from lton.mcp_proxy.transport import first_cause_of
from tests.mcp_proxy.test_served import PROXY, ROOT, STATE, run, wait_for

HERE = Path(__file__).parent
BACK = "http://127.0.0.1:9/back"  # where a browser would return to


class Tokens:
    """Stores what a client gets from the authorization server."""

    def __init__(self) -> None:
        self.tokens: Any = None
        self.client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[str]:
    """Start a server behind OAuth, and yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    output = tmp_path / "output"
    command = [sys.executable, str(HERE / "oauth_server.py"), str(port)]
    with (
        output.open("w") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as server,
    ):
        wait_for(lambda: "Uvicorn running" in output.read_text())
        yield f"http://127.0.0.1:{port}/mcp"
        server.terminate()


async def log_in(url: str) -> str:
    """Log in as an MCP client does, with the SDK, and return the access token."""
    import httpx2
    from mcp import ClientSession
    from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.auth import OAuthClientMetadata

    store = Tokens()
    returned = list[str]()

    async def visit(address: str) -> None:
        async with httpx2.AsyncClient() as browser:
            reply = await browser.get(address)
        returned.append(reply.headers["location"])

    async def come_back() -> AuthorizationCodeResult:
        query = parse_qs(urlsplit(returned[-1]).query)
        return AuthorizationCodeResult(code=query["code"][0], state=query["state"][0])

    back: Any = BACK
    about = OAuthClientMetadata(client_name="test", redirect_uris=[back])
    auth = OAuthClientProvider(url, about, store, visit, come_back)
    async with (
        httpx2.AsyncClient(auth=auth) as http,
        streamable_http_client(url, http_client=http) as streams,
        ClientSession(*streams[:2]) as session,
    ):
        await session.initialize()
        await session.call_tool("whoami", {})
    return str(store.tokens.access_token)


async def ask_through_proxy(url: str, **variables: str) -> str:
    """Start the proxy with the header of the guide, and return the answer to a call."""
    from mcp import ClientSession, StdioServerParameters, stdio_client

    options = ["--header", "Authorization=MCP_TOKEN"] if variables else []
    around = {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": STATE, **variables}
    program, *arguments = [*PROXY, *options, url]
    parameters = StdioServerParameters(command=program, args=arguments, env=around)
    with open(os.devnull, "w") as log:
        async with (
            stdio_client(parameters, errlog=log) as streams,
            ClientSession(*streams) as session,
        ):
            await session.initialize()
            answer = await session.call_tool("call", {"line": "whoami"})
            return str(answer.content[0].text)


def refusal(url: str, **variables: str) -> str:
    """Return the error that a client gets through the proxy."""

    async def use() -> None:
        await ask_through_proxy(url, **variables)

    with pytest.raises(BaseExceptionGroup) as caught:
        run(use)
    return str(first_cause_of(caught.value))


@pytest.mark.mcp
def test_a_token_from_a_login_opens_a_server_behind_oauth(locked: str) -> None:
    """The proxy sends the token that a client got by OAuth; it does not log in by itself, and
    reports the status of the server.
    """
    answers = list[str]()

    async def use() -> None:
        token = await log_in(locked)
        answers.append(await ask_through_proxy(locked, MCP_TOKEN=f"Bearer {token}"))

    run(use)
    assert answers == ["a known user"]
    for wrong in (refusal(locked), refusal(locked, MCP_TOKEN="Bearer wrong")):
        assert wrong.startswith("the MCP server answers 401 Unauthorized (WWW-Authenticate: Bearer")
