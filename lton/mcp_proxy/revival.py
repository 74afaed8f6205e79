"""If an MCP server has exited, restart it as soon as a request needs it.

This module does no I/O: a `Send` with `start` asks for a new connection. The new server receives
the client's own `initialize`. Requests that a dead server has received fail, because it may have
run them. Requests of an expired session wait for the new server.
"""

from collections.abc import Iterator
from typing import Any

from lton.mcp_proxy.proxy import (
    CLOSED,
    OWN,
    QUICK_S,
    Id,
    Proxy,
    RpcMessage,
    Send,
    is_listing,
    make_server_gone_error,
)

_WAITING = 1000
_GREETING = f"{OWN}initialize"
_GREETED: RpcMessage = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class RevivingProxy(Proxy):
    """A proxy that can restart its server."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._hello: RpcMessage | None = None
        """The client's `initialize`. Without it, no server is restarted."""
        self._list: RpcMessage | None = None  # the last list of tools that the client received
        self._given: dict[Id, RpcMessage] = {}  # the client's unanswered requests
        self._waiting: list[RpcMessage] = []
        self._greeted_by = float("inf")  # the deadline for the new server's answer to `initialize`

    def feed_client_message(self, message: RpcMessage, now: float) -> Iterator[Send]:
        """Process a message from the client, and restart the server if necessary."""
        number = message.get("id")
        if message.get("method") == "initialize":
            self._hello = message
        elif message.get("method") == "notifications/cancelled":
            self._drop_request(message.get("params"))
        if number is None or not self._is_lost or self._hello is None:
            if number is not None and "method" in message:
                self._given[number] = message
            yield from self._iterate_and_note_listing(super().feed_client_message(message, now))
        elif is_listing(message) and self._list is not None:
            yield self._write_reply(number, self._list)
        elif len(self._waiting) >= _WAITING:
            yield self._fail_request(number, CLOSED, make_server_gone_error())
        else:
            yield from self._feed_held_request(message, now)

    def _feed_held_request(self, message: RpcMessage, now: float) -> Iterator[Send]:
        """Keep a request until the server has started again, and start it if nothing has."""
        self._waiting.append(message)
        if self._greeted_by == float("inf"):
            self._greeted_by = now + QUICK_S
            yield Send("start", {})

    def iterate_greeting(self) -> Iterator[Send]:
        """Initialize a restarted server."""
        assert self._hello is not None  # otherwise no server is started
        yield Send("server", {**self._hello, "id": _GREETING})

    def feed_server_message(self, message: RpcMessage, now: float) -> Iterator[Send]:
        """Process a message from the server. Its answer to `initialize` releases held messages."""
        if not self._is_lost:
            yield from self._iterate_and_note_listing(super().feed_server_message(message, now))
        elif message.get("id") == _GREETING and "result" in message:
            self._is_lost = False
            self._greeted_by = float("inf")
            yield Send("server", _GREETED)
            waiting, self._waiting = self._waiting, []
            for one in waiting:
                yield from self.feed_client_message(one, now)
        elif message.get("id") == _GREETING:
            yield from self.flush_all_as_failed()

    def iterate_sends_after_session(self, number: Any, now: float) -> Iterator[Send]:
        """Send a request again after its session has expired and fail all other requests."""
        listing = self._listing
        if listing and number == listing.own_id:
            refused = listing.waiting
            self._listing = None
        else:
            refused = [self._given[number]] if number in self._given else []
            self._take_pending(number)
        yield from self.flush_all_as_failed()
        for one in refused:
            yield from self.feed_client_message(one, now)

    def flush_all_as_failed(self) -> Iterator[Send]:
        waiting, self._waiting = self._waiting, []
        self._greeted_by = float("inf")
        yield from self._iterate_and_note_listing(super().flush_all_as_failed())
        for one in waiting:
            yield self._fail_request(one["id"], CLOSED, make_server_gone_error())

    @property
    def deadline(self) -> float:
        return min(super().deadline, self._greeted_by)

    def flush_overdue(self, now: float) -> Iterator[Send]:
        """Fail the requests that take too long, or whose server does not start (E822)."""
        yield from self._iterate_and_note_listing(super().flush_overdue(now))
        if self._greeted_by <= now:
            yield from self.flush_all_as_failed()

    def _drop_request(self, cancelled: Any) -> None:
        number = cancelled.get("requestId") if isinstance(cancelled, dict) else None
        if isinstance(number, int | str):
            self._given.pop(number, None)
            self._waiting = [one for one in self._waiting if one["id"] != number]

    def _iterate_and_note_listing(self, sends: Iterator[Send]) -> Iterator[Send]:
        """Yield messages and remember the last list of tools."""
        for send in sends:
            number = send.message.get("id")
            if send.to == "client" and "method" not in send.message and number is not None:
                request = self._given.pop(number, None)
                if request and is_listing(request) and "result" in send.message:
                    self._list = send.message["result"]
            yield send
