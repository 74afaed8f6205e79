"""Test coding agents and SDKs, directly and behind the gateway (`make test-agents`).

The folder has the same content as without LTON, each tool has run once, and the server received the
same requests. `RECORDS` stores the outcome of each run, and `python -m tests.extra.agents.table`
makes a table of it.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.extra.agents.agents import AGENTS, Agent, expected_files
from tests.extra.agents.compared import (
    alike,
    check_results,
    check_same_said,
    in_order,
    results_of,
)
from tests.extra.agents.runs import MODES, OTHER, Mode, Run, Way, run, tools_of
from tests.extra.agents.table import RECORDS
from tests.extra.agents.upstream import Scripted, has_tools
from tests.gateway.conftest import Served
from tests.gateway.native import PATHS

CASES: list[tuple[Agent, Mode, Way]] = [
    (agent, mode, way)
    for agent in AGENTS
    for mode in MODES
    for way in mode.ways
    if (agent.wrapped or way != "wrap") and (agent.calls or mode.name != "rescued")
]
RUNS = [
    pytest.param(agent, mode, way, id=f"{agent.name}-{mode.name}-{way}")
    for agent, mode, way in CASES
]


@pytest.fixture(scope="module")
def upstream() -> Iterator[tuple[Scripted, str]]:
    scripted = Scripted()
    served = Served(scripted.app)
    yield scripted, served.url
    served.close()


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {agent.name: tmp_path_factory.mktemp("agent") for agent in AGENTS}


@pytest.fixture(scope="module")
def alone(upstream: tuple[Scripted, str], places: dict[str, Path]) -> Callable[[Agent], Run]:
    """Return the outcome of an agent without LTON."""
    runs: dict[str, Run] = {}

    def get(agent: Agent) -> Run:
        if agent.name not in runs:
            runs[agent.name] = run(agent, None, "direct", upstream, places[agent.name])
        return runs[agent.name]

    return get


@pytest.fixture(scope="module")
def records() -> Iterator[list[dict[str, Any]]]:
    """Store the outcome of each run, together with older runs."""
    new_records: list[dict[str, Any]] = []
    yield new_records
    before = json.loads(RECORDS.read_text()) if RECORDS.exists() else []
    records_by_run = {_run_of(record): record for record in before + new_records}
    order = [(agent.name, mode.name, way) for agent, mode, way in CASES]
    RECORDS.parent.mkdir(exist_ok=True)
    RECORDS.write_text(
        json.dumps([records_by_run[key] for key in order if key in records_by_run], indent=1)
    )


def _run_of(record: dict[str, Any]) -> tuple[str, str, str]:
    return record["agent"], record["mode"], record["way"]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_an_agent_works_without_lton(alone: Callable[[Agent], Run], agent: Agent) -> None:
    """The agent works without LTON, on which the tests below rely."""
    outcome = alone(agent)
    assert (outcome.status, outcome.folder) == (0, expected_files(agent)), outcome.said
    assert len(results_of(outcome.bodies[-1])) == len(agent.calls)


@pytest.mark.parametrize(("agent", "mode", "way"), RUNS)
def test_an_agent_works_as_without_lton(
    alone: Callable[[Agent], Run],
    upstream: tuple[Scripted, str],
    places: dict[str, Path],
    records: list[dict[str, Any]],
    agent: Agent,
    mode: Mode,
    way: Way,
) -> None:
    direct, (scripted, _) = alone(agent), upstream
    scripted.tools = tools_of(direct.bodies[-1], agent)
    outcome = run(agent, mode, way, upstream, places[agent.name])

    record = {"agent": agent.name, "mode": mode.name, "way": way, **outcome.figures}
    if refusal := agent.refused.get(mode.name):
        assert refusal in outcome.said
        assert not outcome.bodies
        records.append({**record, "refused": True})
        return
    assert (outcome.status, outcome.folder) == (0, expected_files(agent)), outcome.said
    api = {"other": OTHER[agent.api], "lton": "chat"}.get(mode.name, agent.api)
    assert set(scripted.paths) == {PATHS[api]}
    assert outcome.figures["requests"] == len(outcome.bodies) == len(direct.bodies)
    check_bodies(direct, outcome, scripted, mode)
    is_text = [not isinstance(arguments, str) for _, arguments in agent.calls]
    assert outcome.figures.get("rescued", 0) == (sum(is_text) if mode.name == "rescued" else 0)
    last = in_order(outcome.bodies)[-1]
    ran = len(results_of(last)) or len(agent.calls) * (mode.name == "lton")
    assert ran == len(agent.calls)
    records.append({**record, "ran": ran})


def check_bodies(direct: Run, outcome: Run, scripted: Scripted, mode: Mode) -> None:
    """Check that the requests differ only in the parts that LTON may change."""
    here, there = in_order(outcome.bodies), in_order(direct.bodies)
    match mode.name:
        case "native":
            assert alike(here) == alike(there)
        case "results":
            check_results(direct.bodies, outcome.bodies)
        case "rescued" | "other":
            for body, other in zip(here, there, strict=True):
                assert alike(results_of(body)) == alike(results_of(other))
        case _:
            for body, other in zip(here, there, strict=True):
                if has_tools(other):
                    check_same_said(other, body, scripted)
                elif not scripted.calls:  # a chat without tools, as aider's
                    assert alike(body) == alike(other)
