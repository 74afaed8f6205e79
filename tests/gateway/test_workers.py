"""Test `lton serve --set workers=N`, with real processes at one address."""

import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from lton.gateway.command import make_options, run
from tests.gateway.conftest import Script, chat, events
from tests.gateway.test_process import serving
from tests.gateway.test_serve import PATH, joined


def workers_of(process: int) -> set[int]:
    """Return the worker processes, without the helper process of multiprocessing."""
    command = ["ps", "-ww", "-o", "pid=", "-o", "args=", "--ppid", str(process)]
    listed = subprocess.run(command, check=False, capture_output=True, text=True)
    processes = [line.split(None, 1) for line in listed.stdout.splitlines()]
    return {int(own) for own, command in processes if "spawn_main" in command}


def until(is_so: Callable[[], bool], limit_s: float = 60) -> None:
    end = time.monotonic() + limit_s
    while not is_so():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


def is_gone(process: int) -> bool:
    stat = Path(f"/proc/{process}/stat")
    return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z"


def test_they_share_an_address_and_figures_and_one_that_dies_is_replaced(
    upstream: str, script: Script, tmp_path: Path
) -> None:
    script.pieces = ['It may.\n!call weather(city="Oslo")']
    log, text = tmp_path / "log.jsonl", "x" * 50_000
    more = ("--port", "0", "--set", "workers=2", "--log", str(log), "--quiet")
    with serving(upstream, *more) as (child, url):
        body = chat(messages=[{"role": "user", "content": text}])

        def ask(times: int) -> None:
            for _ in range(times):  # a connection each: any worker may take it
                reply = httpx2.post(url + PATH, json=body, timeout=60)
                assert reply.json()["choices"][0]["message"]["content"] == "It may."

        def count_requests() -> float:
            counts = re.findall(
                r'^lton_requests_total\{.*status="200".*\} (.*)$',
                httpx2.get(url + "/metrics").text,
                re.MULTILINE,
            )
            return sum(map(float, counts))

        clients = [threading.Thread(target=ask, args=(10,)) for _ in range(4)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        assert count_requests() == 40
        assert [json.loads(line)["completions"] for line in log.read_text().splitlines()]
        assert len(log.read_text().splitlines()) == 40
        assert "with workers" in httpx2.get(url + "/lton/bill").json()["error"]["message"]

        before = workers_of(child.pid)
        assert len(before) == 2
        os.kill(victim := min(before), signal.SIGKILL)
        until(lambda: len(workers_of(child.pid) - {victim}) == 2)
        ask(1)
        assert count_requests() == 41
        child.send_signal(signal.SIGTERM)
        assert child.wait(30) == 0
    assert all(is_gone(process) for process in before)


def test_what_runs_in_every_worker_is_finished(upstream: str, script: Script) -> None:
    script.pieces = ["It", 2.5, " may."]
    with serving(upstream, "--port", "0", "--set", "workers=2") as (child, url):
        until(lambda: len(workers_of(child.pid)) == 2)
        replies = list[httpx2.Response]()

        def ask() -> None:
            replies.append(httpx2.post(url + PATH, json=chat(stream=True), timeout=60))

        clients = [threading.Thread(target=ask) for _ in range(8)]
        for client in clients:
            client.start()
        until(lambda: len(script.asked) == 8)
        child.send_signal(signal.SIGTERM)
        time.sleep(1.5)
        with pytest.raises(httpx2.ConnectError):  # at once: nobody waits in vain
            httpx2.get(url + "/health")
        assert child.poll() is None
        for client in clients:
            client.join()
        assert child.wait(30) == 0
    for reply in replies:
        assert joined(events(reply))["message"]["content"] == "It may."
        assert reply.text.endswith("data: [DONE]\n\n")


def test_workers_end_when_who_started_them_is_killed(upstream: str) -> None:
    with serving(upstream, "--port", "0", "--set", "workers=2") as (child, url):
        until(lambda: httpx2.get(url + "/health", timeout=60).status_code == 200)
        until(lambda: len(workers_of(child.pid)) == 2)
        workers = workers_of(child.pid)
        child.kill()
        child.wait()
        until(lambda: all(is_gone(worker) for worker in workers))
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(url + "/health")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "expected a number from 1 to 10000, found 0"),
        ({"workers": 2, "model": "m.gguf", "upstream": None}, "runs in a single process"),
        ({"workers": 2, "context": "window=9000", "calls": "lton"}, "set `store` to a file"),
        ({"workers": 2, "compress": {"over": "900", "store": "memory:"}}, "of [compress]"),
        (
            {"workers": 2, "context": "window=9000,restore=x", "calls": "lton"},
            "the data of [context]",
        ),
    ],
)
def test_what_several_processes_cannot_keep_to_is_refused(
    options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        run(make_options(**{"upstream": "http://127.0.0.1:9", "port": 0} | options))
