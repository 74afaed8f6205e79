"""The three APIs that clients and servers speak, by name."""

import secrets
from collections.abc import Mapping
from typing import Literal, TypeAlias

from lton.chat.records import Api

ApiName: TypeAlias = Literal["chat", "responses", "messages"]
"""Chat completions and responses of OpenAI, and messages of Anthropic."""
PATHS: Mapping[ApiName, str] = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
}
RECORDS: Mapping[ApiName, Api] = {
    "chat": "openai",
    "responses": "responses",
    "messages": "anthropic",
}
"""How records of `lton.chat` name each API."""


def new_id(kind: str) -> str:
    """Return an identity that no other answer has: `kind`, as `resp_`, and 24 digits."""
    return kind + secrets.token_hex(12)
