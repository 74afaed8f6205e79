"""Define the names and paths of the three APIs."""

import secrets
from collections.abc import Mapping
from typing import Literal, TypeAlias

from lton.chat.records import Api

ApiName: TypeAlias = Literal["chat", "responses", "messages"]  # OpenAI's two, and Anthropic's
PATHS: Mapping[ApiName, str] = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
}
COUNT_PATH = f"{PATHS['messages']}/count_tokens"
RECORDS: Mapping[ApiName, Api] = {
    "chat": "openai",
    "responses": "responses",
    "messages": "anthropic",
}  # the names of the APIs in records of `lton.chat`


def new_id(kind: str) -> str:
    """Return a random id: a prefix such as `resp_`, followed by 24 hexadecimal digits."""
    return kind + secrets.token_hex(12)
