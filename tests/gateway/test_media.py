"""Test that images, documents and sounds are sent in the same way for all forms of calls."""

import json
from typing import Any

import pytest

from tests.gateway.native import Raw, Serve, post, request, stream

APIS = ("chat", "responses", "messages")
DATA = "data:image/png;base64,AAAA"
PDF = "data:application/pdf;base64,AAAA"
URL = "http://a/b"


def _source(kind: str, source: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "source": source, **more}


def _base64(media: str) -> dict[str, str]:
    return {"type": "base64", "media_type": media, "data": "AAAA"}


def _file(**file: str) -> dict[str, dict[str, Any]]:
    return {
        "chat": {"type": "file", "file": file},
        "responses": {"type": "input_file", **file},
    }


TEXT = {"type": "text", "media_type": "text/plain", "data": "Hello"}
BLOCKS = [{"type": "text", "text": "Hello"}, _source("image", {"type": "url", "url": URL})]
SEEN = {
    "chat": {"type": "image_url", "image_url": {"url": URL}},
    "responses": {"type": "input_image", "image_url": URL},
}
SOUND = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
KINDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "image by URL": (
        {**SEEN, "messages": _source("image", {"type": "url", "url": URL})},
        {},
    ),
    "image with data": (
        {
            "chat": {"type": "image_url", "image_url": {"url": DATA}},
            "responses": {"type": "input_image", "image_url": DATA},
            "messages": _source("image", _base64("image/png")),
        },
        {},
    ),
    "image with detail": (
        {
            "chat": {"type": "image_url", "image_url": {"url": URL, "detail": "low"}},
            "responses": {"type": "input_image", "image_url": URL, "detail": "low"},
        },
        {"messages": _source("image", {"type": "url", "url": URL})},
    ),
    "image by identity": ({"responses": {"type": "input_image", "file_id": "f"}}, {}),
    "image by Anthropic's identity": (
        {"messages": _source("image", {"type": "file", "file_id": "f"})},
        {},
    ),
    "document with data": (
        {
            **_file(filename="a.pdf", file_data=PDF),
            "messages": _source("document", _base64("application/pdf"), title="a.pdf"),
        },
        {},
    ),
    "document by URL": (
        {
            "responses": {"type": "input_file", "file_url": URL},
            "messages": _source("document", {"type": "url", "url": URL}),
        },
        {"chat": {"type": "file", "file": {"filename": "document.pdf", "file_data": URL}}},
    ),
    "document by identity": (_file(file_id="f"), {}),
    "document by Anthropic's identity": (
        {"messages": _source("document", {"type": "file", "file_id": "f"})},
        {},
    ),
    "document that is a text": (
        {"messages": _source("document", TEXT, title="T", context="C")},
        {"chat": "T\nC\nHello", "responses": "T\nC\nHello"},
    ),
    "document that is a text in base64": (
        _file(filename="a.txt", file_data="data:text/plain;base64,SGVsbG8="),
        {"messages": _source("document", TEXT, title="a.txt")},
    ),
    "document of blocks": (
        {"messages": _source("document", {"type": "content", "content": BLOCKS}, title="T")},
        {api: ["T\nHello", SEEN[api]] for api in ("chat", "responses")},
    ),
    "result of a search": (
        {
            "messages": {
                "type": "search_result",
                "source": URL,
                "title": "T",
                "content": [{"type": "text", "text": "Hello"}],
            }
        },
        dict.fromkeys(("chat", "responses"), f"T\n{URL}\nHello"),
    ),
    "sound": ({"chat": SOUND, "responses": SOUND}, {}),
    "part that nobody knows": (
        {api: {"type": "strange", "text_of": api} for api in APIS},
        dict.fromkeys(APIS),
    ),
}
"""Each kind as the APIs have it that have it, and as it is said in others; else it is refused."""
MODES: dict[str, dict[str, dict[str, Any]]] = {
    "native": {api: {"upstream_api": api} for api in APIS},
    "lton": {"chat": {"calls": "lton"}, "responses": {"calls": "lton", "engine": "openai"}},
}
"""The options of a gateway; it writes LTON before no server of Anthropic's API."""
CASES = [
    (kind, client, server, mode)
    for kind, (own, _) in KINDS.items()
    for client in own
    for mode, servers in MODES.items()
    for server in servers
    if client != server
]


def last_parts(raw: Raw) -> list[Any]:
    """Return the last message as the server receives it: text, and other parts."""
    body = json.loads(raw.bodies[-1])
    content = body["input" if "input" in body else "messages"][-1]["content"]
    parts: list[Any] = []
    for part in [{"text": content}] if isinstance(content, str) else content:
        if "text" not in part:
            parts.append(part)
        elif parts and isinstance(parts[-1], str):
            parts[-1] += "\n" + part["text"]
        else:
            parts.append(part["text"])
    return parts


def _expected(kind: str, server: str) -> list[Any] | None:
    own, others = KINDS[kind]
    content = others[server] if server in others else own.get(server)
    if content is None:
        return None
    first, *more_parts = content if isinstance(content, list) else [content]
    return (
        [f"Look\n{first}", *more_parts] if isinstance(first, str) else ["Look", first, *more_parts]
    )


@pytest.mark.parametrize(("kind", "client", "server", "mode"), CASES)
def test_a_part_is_said_the_same_way_in_both_modes(
    serve: Serve, raw: Raw, kind: str, client: str, server: str, mode: str
) -> None:
    """A part has the same form in each API, or is refused, in all modes of calls."""
    raw.chunks = stream(server, "Yes.")
    text = "input_text" if client == "responses" else "text"
    content = [{"type": text, "text": "Look"}, KINDS[kind][0][client]]
    key = "input" if client == "responses" else "messages"
    body = request(client, **{key: [{"role": "user", "content": content}]})

    reply = post(serve(**MODES[mode][server]), client, body)

    expected = _expected(kind, server)
    assert reply.status_code == (400 if expected is None else 200), reply.text
    if expected is None:
        assert raw.bodies == []
        assert "a server that has the API of this client" in reply.text
    else:
        assert last_parts(raw) == expected
