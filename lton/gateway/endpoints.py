"""What the server, its endpoints, their exchanges and an upstream ask of each other."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from lton.gateway.apis.protocol import RefusedError
from lton.gateway.native.passthrough import NativeExchange


class Upstream(Protocol):
    """Where answers come from: a server, or a model in this process."""

    def stream(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Get the events of an answer; raises `RefusedError`. To stop reading is to stop it."""

    def open(
        self, method: str, target: str, content: bytes, headers: Mapping[str, str]
    ) -> AbstractAsyncContextManager[Any]:
        """Get an answer as it comes: an asynchronous context manager of it."""

    async def look(self) -> None:
        """Warn if it is not there."""

    async def close(self) -> None:
        """Give back what it holds."""


class Handler(Protocol):
    """One request: what is asked of the upstream, and what of its events the client is given."""

    streamed: bool
    path: str
    is_done: bool
    """Whether the rest of what the upstream says is of no use."""

    @property
    def held_text(self) -> int:
        """The characters in which a call may still be found."""

    def next_request(self) -> Mapping[str, Any] | None:
        """Get the next thing to ask; None if all has been said."""

    def receive(self, event: Mapping[str, Any]) -> bytes:
        """Take in an event of the upstream, and get what the client is sent now."""

    def finish(self) -> bytes:
        """Get the last that the client is sent, of an answer that streams."""

    def response(self) -> Mapping[str, Any]:
        """Get the answer of one that does not stream."""

    def fail(self, refusal: RefusedError) -> bytes:
        """Get what the client is sent where an answer that has begun cannot go on."""

    def received_text(self) -> str:
        """Get the text that came of an answer that cannot go on."""

    def total_usage(self) -> Mapping[str, Any]:
        """Get the tokens of the answer, as OpenAI names them."""


@dataclass(frozen=True)
class RawRequest:
    """A request as it came: its bytes and its headers."""

    data: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


BegunRequest: TypeAlias = Handler | NativeExchange | dict[str, Any]
"""What becomes of a request: an exchange, or its answer where no upstream is asked."""


SettleCalls: TypeAlias = Callable[..., Coroutine[Any, Any, None]]
"""Finds out what an upstream needs; gets the headers of a request, if there is one."""
RetrieveResult: TypeAlias = Callable[[str, Mapping[str, str]], dict[str, Any]]
"""Gets the answer that gives a result back, by its hash and the headers of a request."""


class Endpoint(Protocol):
    """What makes an exchange of a request, or its answer where no upstream is asked.

    None is for what is passed through as it is.
    """

    def begin(self, body: dict[str, Any], sent: RawRequest) -> BegunRequest | None:
        """Get the exchange of a request. Raises `RefusedError`."""

    def record(self, exchange: Any) -> None:
        """Take note of an exchange whose answer has been given."""
