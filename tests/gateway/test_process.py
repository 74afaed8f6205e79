"""Test that the process `lton serve` stops on request, after finishing running answers."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
import uvicorn

from lton.gateway.command import make_options, run
from tests.gateway.conftest import Script, chat, events
from tests.gateway.test_serve import PATH, joined


@contextmanager
def serving(upstream: str, *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    options = ("--calls", "lton", "--engine", "vllm", "--upstream", upstream)
    command = (sys.executable, "-m", "lton", "serve", *options)
    child = subprocess.Popen(
        (*command, *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    try:
        yield child, child.stdout.readline().strip()
    finally:
        child.kill()
        child.communicate()


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_what_runs_is_finished(upstream: str, script: Script, stop: signal.Signals) -> None:
    script.pieces = ["It", 1.5, " may."]
    with serving(upstream, "--port", "0") as (child, url):
        replies = list[httpx2.Response]()

        def ask() -> None:
            replies.append(httpx2.post(url + PATH, json=chat(stream=True), timeout=30))

        asking = threading.Thread(target=ask)
        asking.start()
        while not script.asked:
            time.sleep(0.01)
        child.send_signal(stop)
        asking.join()

        assert joined(events(replies[0]))["message"]["content"] == "It may."
        assert replies[0].text.endswith("data: [DONE]\n\n")
        assert child.wait(10) in (0, -stop, 128 + stop)
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(url + "/health")


def test_clients_close_a_kept_connection_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """An idle connection stays open longer than clients keep it, so that no unread request is
    reset.
    """
    ran: list[uvicorn.Config] = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, _: ran.append(self.config))

    run(make_options(upstream="http://127.0.0.1:9", port=0, quiet=True))

    expiry = httpx2.Limits().keepalive_expiry
    assert expiry is not None
    assert ran[0].timeout_keep_alive > 2 * expiry


def test_a_port_that_is_taken_is_said(upstream: str) -> None:
    with serving(upstream, "--port", "0") as (_, url):
        port = url.rpartition(":")[2]
        with serving(upstream, "--port", port) as (second, log):
            _, error = second.communicate(timeout=30)

    assert log == ""
    assert second.returncode not in (0, None)
    assert port in error
    assert "in use" in error
    assert "Traceback" not in error


@pytest.mark.parametrize("quiet", [True, False])
def test_a_start_says_where_to_ask_and_what_lacks(quiet: bool) -> None:
    with serving("http://127.0.0.1:1", "--port", "0", *["--quiet"] * quiet) as (child, url):
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline().strip() == f"export OPENAI_BASE_URL={url}/v1"
        assert "the upstream http://127.0.0.1:1 cannot be reached" in child.stderr.readline()
        assert httpx2.post(url + PATH, json=chat(), timeout=20).status_code == 502
        child.send_signal(signal.SIGTERM)
        _, log = child.communicate(timeout=20)

    assert ("POST /v1/chat/completions 502" in log) == (not quiet)


def test_a_stream_that_hangs_is_told_of_the_end(upstream: str, script: Script) -> None:
    script.pieces = ["It may", 60]
    with serving(upstream, "--port", "0", "--set", "grace=1") as (child, url):
        body = chat(stream=True)
        with httpx2.stream("POST", url + PATH, json=body, timeout=30) as reply:
            text = ""
            for piece in reply.iter_text():
                text += piece
                if "It may" in text and child.poll() is None:
                    child.send_signal(signal.SIGTERM)
        assert child.wait(20) in (0, -signal.SIGTERM, 128 + signal.SIGTERM)

    last = [event for event in text.split("\n\n") if event][-2:]
    assert "the gateway is shutting down" in last[0]
    assert last[1] == "data: [DONE]"
