"""Run `lton serve` for a study, and ask servers."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.request import Request, urlopen

from lton.gateway import command as serve

__all__ = ["gateway", "post"]


@contextmanager
def gateway(upstream: str, **options: Any) -> Iterator[str]:
    """Run `lton serve` before a server for the duration of a block, and yield its address."""
    settings = serve.make_options(upstream=upstream, quiet=True, **options)
    with serve.find_free_port() as listener, serve.serve_on_thread(settings, listener):
        yield serve.address_of_listener(listener)


def post(url: str, body: Mapping[str, Any]) -> Any:
    """Post JSON to a server that was started here, and return its answer.

    Raises `urllib.error.HTTPError` if the server refuses the request.
    """
    data = json.dumps(body).encode()
    request = Request(url, data, {"Content-Type": "application/json"})  # noqa: S310
    with urlopen(request, timeout=900) as answer:  # noqa: S310 - as above
        return json.load(answer)
