"""Test the data sets: their sizes, their reproducibility, and that calls fit their tools."""

import pytest

from lton import ToolSet, encode
from lton.errors import EncodeError
from lton_bench.tokens.datasets import code, datasets
from lton_bench.tokens.pieces import Answer, Shown, Turn

ALL = datasets()
CALLS = {
    "bfcl_kept": 3302,
    "bfcl_omitted": 3302,
    "bfcl_multi_kept": 4625,
    "bfcl_multi_omitted": 4625,
    "code": 144,
    "losing_nested": 60,
    "losing_numbers": 60,
    "losing_quotes": 100,
    "losing_sparse": 100,
    "losing_strings": 100,
    "losing_tiny": 40,
}
OTHERS = {"answers_nested": 60, "answers_rows": 60, "definitions_bfcl": 2553, "definitions_mcp": 24}
BREAKING = {"bfcl_kept": 39, "bfcl_omitted": 37, "bfcl_multi_kept": 4, "bfcl_multi_omitted": 4}
"""Turns with a gold call that its own schema does not allow."""


def test_all_are_known() -> None:
    """Each module is a data set with a unique name and a source."""
    assert ALL.keys() == CALLS.keys() | OTHERS.keys()
    assert len({dataset.name for dataset in ALL.values()}) == len(ALL)
    assert all(dataset.about.endswith(".") for dataset in ALL.values())


@pytest.fixture(scope="module")
def toolsets() -> dict[str, ToolSet]:
    """Return compiled tools, which several data sets share."""
    return {}


@pytest.mark.parametrize("name", CALLS)
def test_turns(name: str, toolsets: dict[str, ToolSet]) -> None:
    """A data set has the announced number of calls, and all calls but the known ones fit their
    tools.
    """
    turns = list(ALL[name].load())
    calls = breaking = 0
    for turn in turns:
        assert isinstance(turn, Turn)
        key = str([_name(tool) for tool in turn.tools]) if "multi" in name else repr(turn.tools)
        if key not in toolsets:
            toolsets[key] = ToolSet.from_tools(turn.tools)
        calls += len(turn.calls)
        try:
            encode(turn.calls, toolsets[key])
        except EncodeError:
            breaking += 1
    assert (calls, breaking) == (CALLS[name], BREAKING.get(name, 0))


def _name(tool: object) -> object:
    return tool["function"]["name"] if isinstance(tool, dict) else None


@pytest.mark.parametrize("name", OTHERS)
def test_answers_and_definitions(name: str) -> None:
    """A data set has the announced number of answers or definitions, all of the same kind."""
    units = list(ALL[name].load())
    kind = Answer if name.startswith("answers") else Shown
    assert len(units) == OTHERS[name]
    assert all(isinstance(one, kind) for one in units)


@pytest.mark.parametrize("name", [name for name in ALL if "bfcl" not in name])
def test_the_same_each_time(name: str) -> None:
    """A data set depends only on the packages and the seed."""
    assert list(ALL[name].load()) == list(ALL[name].load())


def test_code_comes_from_the_pinned_packages() -> None:
    """The source code has a digest for each language, and a report shows whether the digest has
    changed.
    """
    digests = code.digests()
    assert [*digests] == ["Python", "JavaScript", "HTML", "C++"]
    assert all(len(digest) == 64 for digest in digests.values())
    edits = [turn.calls[0].arguments for turn in code.load() if turn.calls[0].name == "edit_file"]
    assert len(edits) == 96
    assert all("\n" in str(edit["old_text"]) for edit in edits)
