"""Count the requests that a server gets, by a relay in front of it."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Thread
from urllib.parse import urlsplit

_REQUEST_LINE_END = b" HTTP/1.1\r\n"
"""JSON writes line ends as `\\r\\n` in four characters, so no body has these bytes."""
_CHUNK = 1 << 16


@dataclass
class CountingRelay:
    """The address of a relay, and the number of requests that it has passed on."""

    url: str
    requests: int = 0


@contextmanager
def counting_relay(url: str) -> Iterator[CountingRelay]:
    """Pass the bytes of clients on to a server and back, and count the requests."""
    server = urlsplit(url)
    target = (str(server.hostname), server.port or 80)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        relay = CountingRelay(f"http://127.0.0.1:{listener.getsockname()[1]}")
        Thread(target=_accept, args=(listener, target, relay), daemon=True).start()
        yield relay
        # A thread that waits in `accept` keeps a closed listener alive.
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, target: tuple[str, int], relay: CountingRelay) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(target)
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            Thread(target=_send_requests, args=(client, server, relay), daemon=True).start()
            Thread(target=_send_answers, args=(server, client), daemon=True).start()


def _send_requests(client: socket.socket, server: socket.socket, relay: CountingRelay) -> None:
    tail = b""
    with suppress(OSError):
        while chunk := client.recv(_CHUNK):
            joined = tail + chunk
            relay.requests += joined.count(_REQUEST_LINE_END)
            tail = joined[-len(_REQUEST_LINE_END) + 1 :]
            server.sendall(chunk)
        server.shutdown(socket.SHUT_WR)


def _send_answers(server: socket.socket, client: socket.socket) -> None:
    with server, client, suppress(OSError):
        while chunk := server.recv(_CHUNK):
            client.sendall(chunk)
        client.shutdown(socket.SHUT_RDWR)
