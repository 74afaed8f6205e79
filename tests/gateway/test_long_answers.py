"""Test that reading a long answer does not delay other requests."""

import json
import threading
from typing import Any

import pytest

from lton import LenientResult, ToolSet
from lton.chat import readings
from lton.gateway.native import rescues
from lton.lenient import decode_lenient
from tests.gateway.native import Raw, Serve, post, request, stream, whole

SHORT = json.dumps({"name": "weather", "arguments": {"city": "Oslo"}})
LONG = json.dumps({"name": "weather", "arguments": {"city": " ".join(map(str, range(5_000)))}})


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the threads in which text is read."""
    names = []

    def read(text: str, tools: ToolSet | None, **how: Any) -> LenientResult:
        names.append(threading.current_thread().name)
        return decode_lenient(text, tools, **how)

    monkeypatch.setattr(rescues, "decode_lenient", read)
    monkeypatch.setattr(readings, "decode_lenient", read)
    return names


@pytest.mark.parametrize(
    ("calls", "api"), [("native", "chat"), ("native", "messages"), ("lton", "chat")]
)
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(("text", "has_prose"), [(SHORT, False), (LONG, True)])
def test_a_long_answer_is_read_in_another_thread(
    serve: Serve,
    raw: Raw,
    threads: list[str],
    calls: str,
    api: str,
    streamed: bool,
    text: str,
    has_prose: bool,
) -> None:
    """A long answer is read in another thread, so that other requests are served; a short one at
    once.
    """
    client = serve(calls=calls)
    raw.chunks, raw.whole = stream(api, text), whole(api, text)
    threads.clear()

    assert post(client, api, request(api, stream=streamed)).status_code == 200

    assert {thread.startswith("lton-gateway") for thread in threads} == {has_prose}
