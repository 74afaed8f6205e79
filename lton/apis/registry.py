"""List the APIs, and find them by name or path."""

from collections.abc import Mapping

from lton.apis.api import Api
from lton.apis.chat_api import CHAT
from lton.apis.gemini.description import GEMINI
from lton.apis.messages_api import MESSAGES
from lton.apis.responses_api import RESPONSES
from lton.chat import Message
from lton.chat.records import ApiName

APIS: Mapping[ApiName, Api] = {api.name: api for api in (CHAT, RESPONSES, MESSAGES, GEMINI)}
KEY_HEADERS = tuple(dict.fromkeys(api.key_header for api in APIS.values()))
"""The headers in which clients send a key; in the first, it follows `Bearer`."""
PREFIXES = tuple(dict.fromkeys(api.prefix for api in APIS.values()))
_BEARER = "Bearer "


def api_of_path(path: str) -> Api:
    """Return the API that a path, without its query, belongs to: the first for unknown paths."""
    path, _, _ = path.partition("?")
    return next((api for api in APIS.values() if api.is_path_of_api(path)), CHAT)


def find_api_of_message(message: Message) -> Api | None:
    """Return the API in whose format a message is, or None if it has no format."""
    return None if message.api is None else APIS[message.api]


def hosted_apis(host: str) -> list[Api]:
    """Return the APIs of a well-known host, or [] for any other host."""
    return [
        api
        for api in APIS.values()
        if any(host == name or host.endswith(f".{name}") for name in api.hosts)
    ]


def upstream_headers(path: str, headers: Mapping[str, str]) -> dict[str, str]:
    """Move a key to the header in which a path's API expects it, and add required headers."""
    api = api_of_path(path)
    new_headers = dict(headers)
    keys = {name: new_headers.pop(name, "") for name in KEY_HEADERS}
    key = keys[api.key_header]
    if not key and (other := client_key_in(keys)):
        secret = other.removeprefix(_BEARER)
        key = f"{_BEARER}{secret}" if api.key_header == KEY_HEADERS[0] else secret
    if key:
        new_headers[api.key_header] = key
    return {**api.required_headers, **new_headers}


def client_key_in(headers: Mapping[str, str]) -> str:
    """Return the header with a client's key, or "" if the client sends none."""
    return next((key for name in KEY_HEADERS if (key := headers.get(name, ""))), "")
