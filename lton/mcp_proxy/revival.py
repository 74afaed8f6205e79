"""A server that died is started again when it is needed; what is known of it is answered meanwhile.

Nothing here does I/O: `start` among what is to be sent asks for a new connection. The new server is
greeted as the client greeted the first one. What a dead server was asked fails: it may have been
done. What nobody took (a session that had ended) waits for the new one.
"""

from collections.abc import Iterator
from typing import Any

from lton.mcp_proxy.proxy import CLOSED, OWN, QUICK_S, Id, Proxy, RpcMessage, Send, gone, is_listing

_WAITING = 1000
"""Requests that wait for a server that starts."""
_GREETING = f"{OWN}initialize"
_GREETED: RpcMessage = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class RevivingProxy(Proxy):
    """A proxy whose server may be started again."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._hello: RpcMessage | None = None
        """How the client greeted its server: without a greeting nothing is started again."""
        self._list: RpcMessage | None = None
        """What the client was last told of the tools."""
        self._given: dict[Id, RpcMessage] = {}
        """What the client asks, until it is answered."""
        self._waiting: list[RpcMessage] = []
        self._greeted_by = float("inf")
        """When the new server has to have answered the greeting."""

    def from_client(self, message: RpcMessage, now: float) -> Iterator[Send]:
        """Take a message of the client; what needs a server that is gone has it started."""
        number = message.get("id")
        if message.get("method") == "initialize":
            self._hello = message
        elif message.get("method") == "notifications/cancelled":
            self._drop(message.get("params"))
        if number is None or not self._is_lost or self._hello is None:
            if number is not None and "method" in message:
                self._given[number] = message
            yield from self._noted(super().from_client(message, now))
        elif is_listing(message) and self._list is not None:
            yield self._reply(number, self._list)
        elif len(self._waiting) < _WAITING:
            self._waiting.append(message)
            if self._greeted_by == float("inf"):
                self._greeted_by = now + QUICK_S
                yield Send("start", {})
        else:
            yield self._failure(number, CLOSED, gone())

    def started(self) -> Iterator[Send]:
        """Greet a server that was started again."""
        assert self._hello is not None  # else nobody starts one
        yield Send("server", {**self._hello, "id": _GREETING})

    def from_server(self, message: RpcMessage, now: float) -> Iterator[Send]:
        """Take a message of the server; its answer to the greeting lets go on what waits."""
        if not self._is_lost:
            yield from self._noted(super().from_server(message, now))
        elif message.get("id") == _GREETING and "result" in message:
            self._is_lost, self._greeted_by = False, float("inf")
            yield Send("server", _GREETED)
            waiting, self._waiting = self._waiting, []
            for one in waiting:
                yield from self.from_client(one, now)
        elif message.get("id") == _GREETING:
            yield from self.lost()

    def session_over(self, number: Any, now: float) -> Iterator[Send]:
        """Ask again what a server refused because it forgot the session; all else fails."""
        listing = self._listing
        if listing and number == self._own_id():
            refused, self._listing = listing.waiting, None
        else:
            refused = [self._given[number]] if number in self._given else []
            self._forget(number)
        yield from self.lost()
        for one in refused:
            yield from self.from_client(one, now)

    def lost(self) -> Iterator[Send]:
        """Note that the server is gone: what waits fails (E821)."""
        waiting, self._waiting = self._waiting, []
        self._greeted_by = float("inf")
        yield from self._noted(super().lost())
        for one in waiting:
            yield self._failure(one["id"], CLOSED, gone())

    @property
    def deadline(self) -> float:
        """When `overdue` has something to do, if nothing comes before."""
        return min(super().deadline, self._greeted_by)

    def overdue(self, now: float) -> Iterator[Send]:
        """Give up what has waited too long (E822), also for a server that does not start."""
        yield from self._noted(super().overdue(now))
        if self._greeted_by <= now:
            yield from self.lost()

    def _drop(self, cancelled: Any) -> None:
        """Forget a request that the client no longer waits for."""
        number = cancelled.get("requestId") if isinstance(cancelled, dict) else None
        if isinstance(number, int | str):
            self._given.pop(number, None)
            self._waiting = [one for one in self._waiting if one["id"] != number]

    def _noted(self, sends: Iterator[Send]) -> Iterator[Send]:
        """Pass on what is to be sent; keep the list of tools that a client is told."""
        for send in sends:
            number = send.message.get("id")
            if send.to == "client" and "method" not in send.message and number is not None:
                asked = self._given.pop(number, None)
                if asked and is_listing(asked) and "result" in send.message:
                    self._list = send.message["result"]
            yield send
