"""Test that no part of an irregular server's answer is lost silently."""

import json
from typing import Any

import pytest

from tests.gateway.native import (
    CALLED,
    PATHS,
    WRITTEN,
    Raw,
    Serve,
    post,
    read,
    request,
    sse,
    stream,
)

ROADS = [(client, server) for client in PATHS for server in PATHS]
PAIRS = [(client, server) for client, server in ROADS if client != server]


def _odd(server: str, arguments: Any) -> list[bytes]:
    """Return an answer with a call whose arguments are not a string."""
    value = json.dumps(arguments).encode()
    chunks = []
    for chunk in stream(server, "", [("weather", "~~~")]):
        if server == "messages" and b'"input": {}' in chunk:
            chunks.append(chunk.replace(b'"input": {}', b'"input": ' + value))
        elif b'"~~~"' not in chunk:
            chunks.append(chunk)
        elif server != "messages":
            chunks.append(chunk.replace(b'"~~~"', value))
    return chunks


@pytest.mark.parametrize(("client", "server"), PAIRS)
@pytest.mark.parametrize("streamed", [True, False])
def test_arguments_that_are_an_object_are_arguments(
    serve: Serve, raw: Raw, client: str, server: str, streamed: bool
) -> None:
    """Arguments may be an object, as in llama.cpp's server, Ollama, and blocks of Anthropic's
    API.
    """
    raw.chunks = _odd(server, {"city": "Oslo"})

    reply = post(serve(upstream_api=server), client, request(client, stream=streamed))

    assert reply.status_code == 200, reply.text
    if streamed:
        assert read(client, reply.content) == ("", [("weather", WRITTEN)], CALLED[client])
    else:
        assert "Oslo" in reply.text


@pytest.mark.parametrize("client", PATHS)
def test_a_call_that_the_server_has_read_may_have_an_object(
    serve: Serve, raw: Raw, client: str
) -> None:
    """If calls are written in LTON, a native call of the server may also have an object."""
    raw.chunks = _odd("chat", {"city": "Oslo"})

    reply = post(serve(calls="lton"), client, request(client, stream=True))

    assert read(client, reply.content) == ("", [("weather", WRITTEN)], CALLED[client])


@pytest.mark.parametrize("server", PATHS)
@pytest.mark.parametrize("arguments", [["Oslo"], 5, True])
def test_arguments_that_are_no_object_are_refused_by_name(
    serve: Serve, raw: Raw, server: str, arguments: Any
) -> None:
    """Arguments that are neither a string nor an object are refused, and not read as no
    arguments.
    """
    raw.chunks = _odd(server, arguments)
    client = next(path for path in PATHS if path != server)

    reply = post(serve(upstream_api=server), client, request(client))

    assert reply.status_code == 502
    assert (
        f"'arguments' that cannot be passed on: {json.dumps(arguments)}"
        in reply.json()["error"]["message"]
    )


def _delta(**delta: Any) -> bytes:
    return sse({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})


def _begin(index: int, arguments: str = "", **more: Any) -> bytes:
    function = {"name": "weather", "arguments": arguments, **more}
    return _delta(tool_calls=[{"index": index, "id": f"c{index}", "function": function}])


def _more(index: int, arguments: str) -> bytes:
    return _delta(tool_calls=[{"index": index, "function": {"arguments": arguments}}])


END = sse({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
OSLO, ROME = '{"city":"Oslo"}', '{"city":"Rome"}'
INTERLEAVED: list[tuple[list[bytes], str]] = [
    ([_begin(0), _begin(1), _more(0, OSLO), _more(1, ROME)], ""),
    ([_begin(0), _begin(1), _more(1, ROME), _more(0, OSLO)], ""),
    ([_begin(0, OSLO[:5]), _begin(1, ROME[:5]), _more(1, ROME[5:]), _more(0, OSLO[5:])], ""),
    ([_begin(0, OSLO[:5]), _delta(content="So"), _more(0, OSLO[5:]), _begin(1, ROME)], "So"),
    ([_begin(0, OSLO), _delta(content="So"), _begin(1, ROME)], "So"),
    ([_begin(0, OSLO), _begin(1, ROME), _delta(content="So")], "So"),
    ([_delta(content=[{"type": "text", "text": "So"}]), _begin(0, OSLO), _begin(1, ROME)], "So"),
]


@pytest.mark.parametrize("client", ["responses", "messages"])
@pytest.mark.parametrize(("chunks", "text"), INTERLEAVED)
def test_calls_whose_pieces_interleave_are_whole(
    serve: Serve, raw: Raw, client: str, chunks: list[bytes], text: str
) -> None:
    """Interleaved pieces of calls are sent as one call after the other, as other APIs require."""
    raw.chunks = [_delta(role="assistant", content=""), *chunks, END, b"data: [DONE]\n\n"]
    gateway = serve(upstream_api="chat")

    streamed = post(gateway, client, request(client, stream=True))
    answer = post(gateway, client, request(client))

    prose, calls, reason = read(client, streamed.content)
    assert (prose, calls, reason) == (text, [("weather", OSLO), ("weather", ROME)], CALLED[client])
    assert answer.status_code == 200
    assert answer.text.count("Oslo") == answer.text.count("Rome") == 1


def test_a_call_without_a_name_is_refused(serve: Serve, raw: Raw) -> None:
    """A call without a name is refused."""
    raw.chunks = [_begin(0, OSLO, name=None), END, b"data: [DONE]\n\n"]

    reply = post(serve(upstream_api="chat"), "messages", request("messages"))

    assert reply.status_code == 502
    assert "tool_calls" in reply.text


@pytest.mark.parametrize(("client", "server"), ROADS)
@pytest.mark.parametrize("calls", ["native", "lton"])
def test_a_stream_may_begin_with_a_mark_and_end_without_a_blank_line(
    serve: Serve, raw: Raw, client: str, server: str, calls: str
) -> None:
    """A stream may begin with a byte order mark, and close after the last event's line."""
    server = server if calls == "native" else "chat"
    first, *others = stream(server, "Yes.")
    while b"DONE" in others[-1] or (b'"usage"' in others[-1] and server == "chat"):
        others.pop()
    raw.chunks = [b"\xef\xbb\xbf" + first, *others[:-1], others[-1].rstrip()]
    gateway = serve(upstream_api=server, calls=calls)

    reply = post(gateway, client, request(client, stream=True))

    assert reply.status_code == 200
    assert b"broke off" not in reply.content
    assert b"Yes" in reply.content


@pytest.mark.parametrize("calls", ["native", "lton"])
@pytest.mark.parametrize(
    "tool_calls", [[{"type": "custom", "custom": {"name": "run"}}], [5], "run()"]
)
def test_a_call_of_no_function_is_refused_by_name(
    serve: Serve, raw: Raw, calls: str, tool_calls: Any
) -> None:
    """A call without a function is refused, and not ignored, also next to text."""
    raw.chunks = [_delta(content="Yes.", tool_calls=tool_calls), END, b"data: [DONE]\n\n"]

    reply = post(serve(upstream_api="chat", calls=calls), "messages", request("messages"))

    assert reply.status_code == 502
    assert "tool_calls" in reply.text
