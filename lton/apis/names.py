"""Define the names of the APIs, and make ids."""

import secrets
from typing import Literal, TypeAlias

ApiName: TypeAlias = Literal["chat", "responses", "messages", "gemini"]
"""OpenAI's two APIs, Anthropic's and Google's."""


def new_id(kind: str) -> str:
    """Return a random id: a prefix such as `resp_`, followed by 24 hexadecimal digits."""
    return kind + secrets.token_hex(12)
