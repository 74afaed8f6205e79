"""Define the interfaces of upstreams and endpoints."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from lton.gateway.exchange import BaseExchange
from lton.gateway.native.passthrough import NativeExchange


class Upstream(Protocol):
    """A model server, or a model in this process."""

    def iterate_events(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> AsyncGenerator[Mapping[str, Any], None]:
        """Yield the events of an answer, and an empty event at its end. Raises `RefusedError`."""

    def opening_request(
        self, method: str, target: str, content: bytes, headers: Mapping[str, str]
    ) -> AbstractAsyncContextManager[Any]:
        """Send a request and return an asynchronous context manager for its answer."""

    async def check_reachable(self) -> None:
        """Log a warning if the upstream cannot be reached."""

    async def close(self) -> None: ...


@dataclass(frozen=True)
class RawRequest:
    """The bytes, the headers and the path of a request."""

    data: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    path: str = ""


BegunRequest: TypeAlias = BaseExchange[Any] | NativeExchange | dict[str, Any]
"""An exchange, or the answer if the upstream is not needed."""

SettleCalls: TypeAlias = Callable[..., Coroutine[Any, Any, None]]  # takes the headers of a request
RetrieveResult: TypeAlias = Callable[[str, Mapping[str, str]], dict[str, Any]]
"""Returns an omitted result for its hash and the headers of the request."""


class Endpoint(Protocol):
    """Handles the requests to one path."""

    def try_begin_exchange(self, body: Mapping[str, Any], raw: RawRequest) -> BegunRequest | None:
        """Return an exchange, an answer, or None to forward the request. Raises `RefusedError`."""

    def record_exchange(self, exchange: Any) -> None:
        """Record an exchange after the answer is complete."""
