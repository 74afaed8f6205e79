"""Test that the newest version of each agent behaves as the pinned one, with and without LTON.

An agent whose newest version is the pinned one is skipped, because the other tests run it.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.extra.agents.agents import AGENTS, Agent, Version, expected_files
from tests.extra.agents.compared import alike, in_order
from tests.extra.agents.runs import MODES, Run, Way, run
from tests.extra.agents.upstream import Scripted
from tests.extra.agents.versions import (
    PACKAGES,
    describe,
    differences,
    installed_versions,
    node_version,
)

PROGRAMS = [agent for agent in AGENTS if agent.command[0] in PACKAGES]
(NATIVE,) = (mode for mode in MODES if mode.name == "native")


@pytest.fixture
def direct(upstream: tuple[Scripted, str], tmp_path: Path) -> Callable[[Agent, Version], Run]:
    """Return what runs a version of an agent without LTON."""

    def run_direct(agent: Agent, version: Version) -> Run:
        return run(agent, None, "direct", upstream, tmp_path, version)

    return run_direct


def skip_pinned_version(agent: Agent) -> None:
    """Skip the test if there is no newer version than the pinned one."""
    pinned, newest = installed_versions(agent)
    if newest == pinned:
        pytest.skip(f"{agent.name} {pinned} is pinned, and the newest version")


@pytest.mark.parametrize("agent", PROGRAMS, ids=lambda agent: agent.name)
def test_the_newest_version_does_the_same(
    direct: Callable[[Agent, Version], Run], agent: Agent
) -> None:
    """It ends the same, and its requests have the same tools, fields and kinds of parts."""
    skip_pinned_version(agent)
    sentences = differences(direct(agent, "pinned"), direct(agent, "newest"))
    assert sentences == [], f"{describe(agent)}:\n" + "\n".join(sentences)


@pytest.mark.parametrize("way", NATIVE.ways)
@pytest.mark.parametrize("agent", PROGRAMS, ids=lambda agent: agent.name)
def test_the_newest_version_works_as_without_lton(
    direct: Callable[[Agent, Version], Run],
    upstream: tuple[Scripted, str],
    tmp_path: Path,
    agent: Agent,
    way: Way,
) -> None:
    """The folder and the requests are the same, whatever differs from the pinned version."""
    skip_pinned_version(agent)
    alone = direct(agent, "newest")
    outcome = run(agent, NATIVE, way, upstream, tmp_path, "newest")
    assert (outcome.status, outcome.folder) == (0, expected_files(agent)), outcome.said
    assert alike(in_order(outcome.bodies)) == alike(in_order(alone.bodies))


def test_node_is_the_one_of_the_agents() -> None:
    """An old node makes npm choose old versions of agents."""
    versions = [node_version(version) for version in ("pinned", "newest")]
    assert all(int(version.removeprefix("v").partition(".")[0]) >= 22 for version in versions)
