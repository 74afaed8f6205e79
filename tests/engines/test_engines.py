"""Test the functions that all engines share, and the methods that generation uses."""

from types import ModuleType
from typing import Any

import pytest

from lton import Call, IncompleteError, ToolSet
from lton.engines import Engine, Scorer, llamacpp, outlines, server
from lton.engines.generation import read_completion
from lton.grammar import ToolChoice


@pytest.mark.parametrize("module", [llamacpp, outlines, server])
def test_each_module_has_the_same_verbs(module: ModuleType) -> None:
    """All engine modules have the same functions."""
    for verb in ("load", "constraint", "check_grammar", "complete"):
        assert getattr(module, verb).__module__ == module.__name__


def test_generation_works_with_each() -> None:
    """The engine classes match the protocols for generation, and each can weigh."""
    engines: list[type[Engine]] = [llamacpp.LlamaEngine, server.ServerEngine]
    scorers: list[type[Scorer]] = [llamacpp.LlamaEngine, server.ServerEngine]
    assert all(hasattr(engine, "feed") for engine in engines)
    assert all(hasattr(scorer, "score_pairs") for scorer in scorers)


def test_an_engine_is_taken_as_it_is() -> None:
    """An engine is used unchanged, and a `Llama` is wrapped."""
    engine: Any = object()
    assert llamacpp.engine_of(engine, temperature=1.0, seed=1) is engine


@pytest.mark.parametrize("choice", ["required", "auto"])
def test_no_call_of_a_completion_is_in_a_thought(choice: ToolChoice) -> None:
    """Calls in a thought are not returned, with and without prose; an endless thought is not an
    answer.
    """
    tools = ToolSet.from_prompt("wait(minutes:int)")
    text = "<think>\n!call wait(1)\n</think>\n\n!call wait(2)"
    calls = read_completion(text, tools, cut=False, tool_choice=choice, thoughts=True)
    assert calls == [Call("wait", {"minutes": 2})]
    with pytest.raises(IncompleteError):
        read_completion(text[:20], tools, cut=False, tool_choice=choice, thoughts=True)
