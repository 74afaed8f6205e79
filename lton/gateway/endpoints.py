"""What the server, its endpoints and an upstream ask of each other."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from lton.gateway.exchange import BaseExchange
from lton.gateway.native.passthrough import NativeExchange


class Upstream(Protocol):
    """Where answers come from: a server, or a model in this process."""

    def stream(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> AsyncGenerator[Mapping[str, Any], None]:
        """Yield the events of an answer, an empty one at its end. Raises `RefusedError`.

        To stop reading is to stop the answer.
        """

    def open(
        self, method: str, target: str, content: bytes, headers: Mapping[str, str]
    ) -> AbstractAsyncContextManager[Any]:
        """Get an answer as it comes: an asynchronous context manager of it."""

    async def look(self) -> None:
        """Warn if it is not there."""

    async def close(self) -> None:
        """Give back what it holds."""


@dataclass(frozen=True)
class RawRequest:
    """A request as it came: its bytes and its headers."""

    data: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


BegunRequest: TypeAlias = BaseExchange[Any] | NativeExchange | dict[str, Any]
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
