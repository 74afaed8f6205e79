"""Test requests to a server, and unusable answers."""

import asyncio
from typing import Any

import pytest

from lton._http import MAX_REPLY, Asker, NoAnswerError, Why, run
from lton.errors import Code, ServerError
from tests.tokens.faulty import serving


def test_get_and_post() -> None:
    """A GET request has no body or content type, and a POST request has JSON."""
    with serving(lambda path, body: (200, {path: body})) as server:
        asker = Asker(None, 2.0)
        assert run(asker.get(f"{server.url}/v1/models")) == {"/v1/models": {}}
        assert run(asker.post(server.url, {"a": "é"})) == {"/": {"a": "é"}}
        run(asker.close())
    assert [header.get("Content-Type") for header in server.headers] == [None, "application/json"]
    assert {header["Accept-Encoding"] for header in server.headers} == {"identity"}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((404, {}), Why.NEVER),
        ((200, b"<html>"), Why.NEVER),
        ((200, b"[" * 10_000), Why.NEVER),
        ((200, b" " * (MAX_REPLY + 1)), Why.NEVER),
        ((429, {}), Why.AWAY),
        ((503, {}), Why.AWAY),
        ((500, {}), Why.FAULT),
        ((400, {}), Why.NOT_THIS),
    ],
)
def test_no_answer(answer: Any, why: Why) -> None:
    """Any unusable answer gives one error with the server and the reason."""
    with serving(lambda *_: answer) as server:
        asker = Asker(None, 2.0)
        with pytest.raises(ServerError, match=f"{server.url}/x: ") as caught:
            run(asker.get(f"{server.url}/x"))
        run(asker.close())
    assert isinstance(caught.value, NoAnswerError)
    assert (caught.value.code, caught.value.why) == (Code.SERVER, why)


def test_nobody_there() -> None:
    """A server that does not answer may answer later, and an invalid address never will."""
    asker = Asker(None, 2.0)
    for url, why in (("http://127.0.0.1:9/", Why.AWAY), ("127.0.0.1:9", Why.NEVER)):
        with pytest.raises(NoAnswerError) as caught:
            run(asker.get(url))
        assert caught.value.why is why


def test_the_deadline_is_kept() -> None:
    """A server that sends nothing is given up after the time limit."""

    async def timed(asker: Asker, url: str) -> float:
        start = asyncio.get_running_loop().time()
        with pytest.raises(NoAnswerError):
            await asker.get(url)
        return asyncio.get_running_loop().time() - start

    with serving(lambda *_: lambda handler: handler.server.over.wait(5) and None) as server:
        asker = Asker(None, 0.2)
        assert 0.2 <= run(timed(asker, server.url)) < 2
        server.over.set()
        run(asker.close())
