"""Test data from packages that are not imported."""

import json
from importlib.metadata import version

import pytest

from lton import ToolSet, decode, encode
from lton.errors import MissingExtraError
from lton_bench import packages, tau2


def test_the_pinned_versions_are_installed() -> None:
    """The installed packages have the pinned versions, to which the figures belong."""
    for requirement in packages.REQUIREMENTS.values():
        name, pinned = requirement.split("==")
        assert version(name) == pinned


def test_the_calls_of_tau2_fit_its_tools() -> None:
    """The calls of tau2 fit its tools, which are read without running code; five arrays accept any
    objects.
    """
    counts = []
    for domain in tau2.DOMAINS:
        definitions, calls = tau2.load(domain)
        tools = ToolSet.from_tools(definitions)
        assert decode(encode(calls, tools), tools) == calls
        free = json.dumps(definitions).count('"items": {"type": "object"}')
        counts.append((len(definitions), len(calls), free))
    assert counts == [(14, 148, 5), (15, 553, 0)]


def test_what_is_missing_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error for a missing package is the command that installs it."""
    monkeypatch.setitem(packages.REQUIREMENTS, "lton_nowhere", "nowhere==1")
    with pytest.raises(MissingExtraError, match="pip install --no-deps nowhere==1"):
        packages.folder("lton_nowhere")
