"""Calls that an upstream has read itself, in `tool_calls` of its answer."""

from lton._json import read_json
from lton.codec import encode
from lton.errors import LTONError
from lton.gateway.apis.client_requests import ClientRequest
from lton.gateway.apis.refusals import RefusedError, odd_answer
from lton.schema.types import Call


def read_call(request: ClientRequest, name: str, text: str) -> Call:
    """Read a call. Raises `RefusedError`, 502, for one that the client did not offer."""
    try:
        arguments = read_json(text or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict) or request.choice == "none":
        raise odd_answer("tool_calls", {"name": name, "arguments": text})
    try:
        encode(call := Call(name, arguments), request.callable)
    except LTONError as error:
        words = f"the upstream called wrongly: {error}"
        raise RefusedError(502, words, "upstream_error") from None
    return call
