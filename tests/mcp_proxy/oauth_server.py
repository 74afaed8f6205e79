"""An MCP server behind OAuth, with its own authorization server, which lets every user in.

Its argument is the port.
"""

import secrets
import sys
import time
from typing import Any
from urllib.parse import urlencode

from mcp.server.auth.provider import AccessToken, AuthorizationCode, AuthorizationParams
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthToken

_HOUR_S = 3600


class Authorization:
    """Registers clients, and gives out codes and tokens, in memory."""

    def __init__(self) -> None:
        self.clients: dict[str, Any] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.tokens: dict[str, AccessToken] = {}

    async def get_client(self, client_id: str) -> Any:
        return self.clients.get(client_id)

    async def register_client(self, client_info: Any) -> None:
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: Any, params: AuthorizationParams) -> str:
        code = secrets.token_urlsafe()
        self.codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or [],
            expires_at=time.time() + _HOUR_S,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        return f"{params.redirect_uri}?{urlencode({'code': code, 'state': params.state or ''})}"

    async def load_authorization_code(self, client: Any, code: str) -> AuthorizationCode | None:
        return self.codes.get(code)

    async def exchange_authorization_code(self, client: Any, code: AuthorizationCode) -> OAuthToken:
        del self.codes[code.code]
        token = secrets.token_urlsafe()
        self.tokens[token] = AccessToken(
            token=token, client_id=client.client_id, scopes=code.scopes, resource=code.resource
        )
        return OAuthToken(access_token=token, expires_in=_HOUR_S, scope=" ".join(code.scopes))

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.tokens.get(token)


def whoami() -> str:
    """Say that the user is known."""
    return "a known user"


if __name__ == "__main__":
    port = int(sys.argv[1])
    address: Any = f"http://127.0.0.1:{port}"
    settings = AuthSettings(
        issuer_url=address,
        resource_server_url=f"{address}/mcp",
        validate_token_resource=True,
        client_registration_options=ClientRegistrationOptions(enabled=True),
    )
    provider: Any = Authorization()
    server = MCPServer("locked", auth=settings, auth_server_provider=provider)
    server.tool()(whoami)
    server.run("streamable-http", port=port)
