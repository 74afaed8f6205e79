"""Test that Outlines runs the Lark grammars, and refuses grammars that it cannot run."""

from typing import Any

import pytest

from lton import IncompleteError, ToolSet
from lton.engines import outlines
from lton.errors import Code, GrammarError
from lton.grammar import to_lark
from lton_bench.demo import QUESTIONS, chat, demo_tools

MESSAGES = [{"role": "user", "content": "Call the tool."}]


def test_the_grammar_is_read_before_it_is_used() -> None:
    """llguidance accepts the grammar, and a grammar that it cannot read is an error."""
    outlines.check_grammar(to_lark(demo_tools(), form="wire"))
    with pytest.raises(GrammarError) as caught:
        outlines.check_grammar("start: missing")
    assert caught.value.code == Code.GRAMMAR
    assert "missing" in caught.value.msg


@pytest.fixture(scope="module")
def model(llm: Any) -> Any:
    """Return the model that Outlines uses."""
    import outlines as library

    return library.from_llamacpp(llm)


@pytest.mark.model
def test_a_model_writes_calls(model: Any) -> None:
    """The model's answer is a call of the tools; a token limit in the middle is an error."""
    tools = demo_tools()
    question, _ = QUESTIONS[0]
    generation = outlines.complete(model, chat(tools, question), tools)
    assert [call.name for call in generation.calls] == ["weather.v1"]
    assert 10 < generation.spent.sampled < 60
    assert generation.spent.prompt > 100
    with pytest.raises(IncompleteError):
        outlines.complete(model, chat(tools, question), tools, max_tokens=5)


@pytest.mark.model
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_constraint_that_breaks_down_is_an_error(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the processor fails, which the binding ignores, the output is an error."""
    import outlines.backends.llguidance as backend

    def fail(*_: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(backend.LLGuidanceLogitsProcessor, "process_logits", fail)
    tools = ToolSet.from_tools([{"name": "f"}])
    with pytest.raises(GrammarError) as caught:
        outlines.complete(model, MESSAGES, tools, max_tokens=4)
    assert caught.value.code == Code.GRAMMAR
