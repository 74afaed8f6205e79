"""Data in packages that are not imported."""

from importlib.metadata import version

import pytest

from lton.errors import MissingExtraError
from lton_bench import packages


def test_the_pinned_versions_are_installed() -> None:
    """The figures belong to these versions."""
    for requirement in packages.REQUIREMENTS.values():
        name, pinned = requirement.split("==")
        assert version(name) == pinned


def test_what_is_missing_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is the command."""
    monkeypatch.setitem(packages.REQUIREMENTS, "lton_nowhere", "nowhere==1")
    with pytest.raises(MissingExtraError, match="pip install --no-deps nowhere==1"):
        packages.folder("lton_nowhere")
