"""Make ids in the style of the APIs."""

import secrets


def new_id(kind: str) -> str:
    """Return a random id: a prefix such as `resp_`, followed by 24 hexadecimal digits."""
    return kind + secrets.token_hex(12)
