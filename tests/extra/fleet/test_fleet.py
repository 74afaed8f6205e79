"""Test many machines (`make test-fleet`): gateways behind haproxy, with a store in PostgreSQL.

The balancer has the configuration of docs/guides/operations.md. While agents talk, one gateway is
killed and started again, one is drained, and the database is killed and started again.
"""

import asyncio
import os
import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn

from lton.stores.postgres import PATIENCE_S
from tests.examples import blocks_of
from tests.extra.fleet.conversations import Agents, Model, is_native
from tests.extra.fleet.machines import (
    PORT,
    Gateway,
    Machine,
    machines,
    until,
    used_s,
    why_not,
)
from tests.stores.postgres import Server
from tests.test_documents import ROOT

CLIENTS = int(os.environ.get("LTON_FLEET_CLIENTS", "100"))
TURNS = int(os.environ.get("LTON_FLEET_TURNS", "30"))
CONTEXT = "window=6000,reserve=500,hot=2,clear=always"
GATEWAYS = ("one", "two", "three")
GRACE_S = 60


@contextmanager
def answering(model: Model, host: str) -> Iterator[str]:
    """Serve a model on a thread, and yield its address."""
    server = uvicorn.Server(uvicorn.Config(model.app(), host=host, port=0, log_level="critical"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    yield f"http://{host}:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def configuration(others: dict[str, Machine], folder: Path) -> Path:
    """Write the configuration of the guide, with the addresses of these machines."""
    page = (ROOT / "docs/guides/operations.md").read_text("utf-8")
    (block,) = (block for block in blocks_of(page) if block.kind == "haproxy")
    text = block.text.replace("bind :8000", f"bind {others['balancer'].address}:{PORT}")
    for number, name in enumerate(GATEWAYS, 1):
        assert f"{name} 10.0.0.{number}:8000" in text
        text = text.replace(f"10.0.0.{number}:8000", f"{others[name].address}:{PORT}")
    file = folder / "haproxy.cfg"
    file.write_text(text)
    return file


@contextmanager
def fleet(folder: Path, store: str, upstream: str, others: dict[str, Machine]) -> Iterator[Any]:
    """Start the gateways and the balancer, and yield both and the address for agents."""
    gateways = {
        name: Gateway(
            others[name],
            folder / f"{name}.log",
            *("--upstream", upstream, "--engine", "vllm", "--calls", "lton", "--quiet"),
            *("--set", f"context={CONTEXT},store={store}"),
            *("--set", f"compress=over=900,store={store}", "--set", f"grace={GRACE_S}"),
        )
        for name in GATEWAYS
    }
    haproxy = shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin:" + os.environ["PATH"])
    assert haproxy is not None
    balancer = others["balancer"].run(
        *(haproxy, "-db", "-f", str(configuration(others, folder))), log=folder / "haproxy.log"
    )
    try:
        for gateway in gateways.values():
            until(lambda gateway=gateway: is_up(gateway.url))  # type: ignore[misc]
        until(lambda: is_up(f"http://{others['balancer'].address}:{PORT}"), 30)
        yield gateways, balancer, f"http://{others['balancer'].address}:{PORT}"
    finally:
        for process in (balancer, *(gateway.process for gateway in gateways.values())):
            process.kill()
            process.wait()


def is_up(url: str) -> bool:
    try:
        return bool(httpx2.get(f"{url}/health", timeout=5).status_code == 200)
    except httpx2.HTTPError:
        return False


async def reached(agents: Agents, talk: "asyncio.Task[None]", share: float) -> None:
    """Wait until a share of all turns is done."""
    while agents.done < share * agents.count * agents.turns:
        assert not talk.done(), "the conversations have ended too early"
        await asyncio.sleep(0.02)


async def streaming(agents: Agents, gateway: str) -> None:
    """Wait until a gateway streams answers."""
    while not agents.running[gateway]:
        await asyncio.sleep(0.005)
    print(f"{gateway} streams {agents.running[gateway]} answers, and is told to end, or killed")


async def started(gateway: Gateway) -> None:
    gateway.start()
    await asyncio.to_thread(until, lambda: is_up(gateway.url))


async def disturbed(agents: Agents, gateways: dict[str, Gateway], database: Server) -> int:
    """Let the agents talk during the failures, and return the exit status of the drained
    gateway.
    """
    talk = asyncio.create_task(agents.talk())
    await reached(agents, talk, 0.2)
    await streaming(agents, "one")
    gateways["one"].kill()
    await reached(agents, talk, 0.35)
    await started(gateways["one"])
    await reached(agents, talk, 0.5)
    await streaming(agents, "two")
    draining = asyncio.create_task(asyncio.to_thread(gateways["two"].drain, GRACE_S + 30))
    await reached(agents, talk, 0.65)
    status = await draining
    await started(gateways["two"])
    await reached(agents, talk, 0.75)
    began = time.monotonic()
    await asyncio.to_thread(database.stop, "immediate")
    await asyncio.to_thread(database.start)
    away_s = time.monotonic() - began
    print(f"the database was killed, and started again; it was away for {away_s:.1f} s")
    assert away_s < PATIENCE_S, "this machine is too busy: gateways wait for less"
    await talk
    return status


def figure(gateways: dict[str, Gateway], name: str) -> float:
    lines = [
        line
        for gateway in gateways.values()
        for line in httpx2.get(f"{gateway.url}/metrics").text.splitlines()
        if line.startswith(name)
    ]
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines)


@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
def test_conversations_go_on_whatever_machine_fails(tmp_path: Path) -> None:
    model, alone = Model(pause_s=0.05), Model(pause_s=0)
    with machines() as (here, others), Server() as database, answering(model, here) as upstream:
        addresses = [machine.address for machine in others.values()]
        print(f"{CLIENTS} agents, {TURNS} turns each; at {addresses}")
        with fleet(tmp_path, database.new(), upstream, others) as (gateways, balancer, url):
            agents = Agents(url, CLIENTS, TURNS)
            status = asyncio.run(disturbed(agents, gateways, database))
            unplanned = figure(gateways, "lton_context_unplanned_total")
            for name, process in (("three", gateways["three"].process), ("balancer", balancer)):
                answers = agents.served.get(name) or sum(agents.served.values())
                print(f"{name}: {1000 * used_s(process) / answers:.1f} ms of a core an answer")
        broken = Counter(
            (interruption.gateway, interruption.has_begun, interruption.told)
            for interruption in agents.broken
        )
        print(f"answers: {dict(agents.served)}; recalled {model.looked}; broken: {dict(broken)}")

        # Only what the killed one was streaming broke, and who read it was told so.
        assert {interruption[:2] for interruption in broken} <= {("one", True)}
        assert agents.wrong == []
        assert sum(agents.served.values()) == CLIENTS * TURNS
        assert set(agents.served) == set(GATEWAYS)
        # The drained one has ended as it was told to, and none of its streams broke.
        assert status in (0, -15)
        # What a model was once shown as a pointer, any machine gives back.
        assert model.looked > 0
        assert model.wrong == []
        assert unplanned == 0

        # A fleet sends what one gateway sends that nothing ever happens to, byte for byte.
        with answering(alone, here) as quiet:
            command = ("--upstream", quiet, "--engine", "vllm", "--calls", "lton", "--quiet")
            single = Gateway(
                others["one"], tmp_path / "single.log", *command, "--set", f"context={CONTEXT}"
            )
            try:
                until(lambda: is_up(single.url))
                asyncio.run(Agents(single.url, CLIENTS, TURNS, is_compressing=False).talk())
            finally:
                single.kill()
    assert set(model.sent) == set(alone.sent)
    for which, texts in alone.sent.items():
        assert set(model.sent[which]) == set(texts), which
    for (number, turn), texts in model.sent.items():
        if is_native(number) and turn > 1:
            (before,) = set(model.sent[number, turn - 1])
            assert all(text.startswith(before[:-1]) for text in texts)
