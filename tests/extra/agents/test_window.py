"""Test agents behind a gateway with a window: the model reads old results, unseen by the agent."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.extra.agents.agents import AGENTS, Agent, expected_files
from tests.extra.agents.runs import Mode, run
from tests.extra.agents.upstream import Scripted, results_in

pytestmark = pytest.mark.agents
WINDOW = "window=150000,hot=2,clear=always"
MODE = Mode(name="window", options=["--set", f"context={WINDOW}", "--tokenizer", "bytes"])
OTHER = replace(MODE, is_other=True)
RECALL = ("recall", {"result": "t2"})
CASES = [
    pytest.param(agent, mode, id=f"{agent.name}, {mode.is_other}")
    for agent in AGENTS
    for mode in (MODE, OTHER)
    if agent.calls and not (mode.is_other and "other" in agent.refused)
]


@pytest.mark.parametrize(("agent", "mode"), CASES)
def test_an_agent_sees_no_call_of_the_gateway(
    agent: Agent, mode: Mode, upstream: tuple[Scripted, str], tmp_path: Path
) -> None:
    """The scripted model counts results in the request, so the gateway's rounds must be in it, and
    the agent sees none.
    """
    first, *others = agent.calls
    outcome = run(replace(agent, calls=[first, RECALL, *others]), mode, "serve", upstream, tmp_path)

    assert outcome.status == 0, outcome.said
    assert outcome.folder == expected_files(agent)
    assert "recall" not in outcome.said
    assert max(map(results_in, outcome.bodies)) == len(agent.calls) + 1
