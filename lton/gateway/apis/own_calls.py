"""Calls that an upstream has read itself, in `tool_calls` of its answer."""

from typing import Any

from lton._json import read_json
from lton.apis.members import as_text
from lton.codec import encode
from lton.errors import LTONError
from lton.gateway.apis.protocol import RefusedError, odd_answer
from lton.gateway.apis.requests import ClientRequest
from lton.schema.types import Call


class UpstreamCalls:
    """Puts their pieces together.

    >>> own = UpstreamCalls()
    >>> own.receive([{"index": 0, "function": {"name": "stop", "arguments": "{"}}])
    >>> own.receive([{"index": 0, "function": {"arguments": "}"}}])
    >>> own.written
    {0: ('stop', ['{', '}'])}
    """

    def __init__(self) -> None:
        self.written: dict[int, tuple[str, list[str]]] = {}

    def receive(self, given: Any) -> None:
        """Take in pieces. Raises `RefusedError`, 502, for what are none."""
        if not isinstance(given, list):
            raise odd_answer("tool_calls", given)
        for place, each in enumerate(given):
            match each:
                case {"function": dict(function)}:
                    index = each.get("index", place)
                    name, arguments = function.get("name"), as_text(function.get("arguments"))
                case _:
                    raise odd_answer("tool_calls", each)
            if not isinstance(index, int):
                raise odd_answer("tool_calls", each)
            _, pieces = self.written.setdefault(index, (str(name), []))
            pieces.append(arguments)

    def calls(self, request: ClientRequest) -> list[Call]:
        """Get the calls. Raises `RefusedError`, 502, for one that the client did not ask for."""
        return [self._call(request, *each) for each in self.written.values()]

    def _call(self, request: ClientRequest, name: str, pieces: list[str]) -> Call:
        text = "".join(pieces)
        try:
            arguments = read_json(text or "{}")
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict) or request.choice == "none":
            raise odd_answer("tool_calls", {"name": name, "arguments": text})
        try:
            encode(call := Call(name, arguments), request.callable)
        except LTONError as error:
            raise RefusedError(
                502, f"the upstream called wrongly: {error}", "upstream_error"
            ) from None
        return call
