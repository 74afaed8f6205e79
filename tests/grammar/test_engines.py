"""Test the function for all engines: its results, and enforced limits and patterns."""

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from lton import LTONError, ToolSet
from lton.errors import MissingExtraError
from lton.grammar import SERVERS, for_engine, request, to_gbnf, to_lark, to_structural_tag
from lton.grammar import engines as engines_module
from tests.grammar.acceptors import gbnf_accepts, llguidance_accepts

TOOLS = ToolSet.from_prompt("wait(minutes:int)\nstop")


@pytest.mark.parametrize("server", SERVERS)
def test_a_server_gets_the_fields_of_its_request(server: Any) -> None:
    """For a server, the result has the fields of `request`, with the same options."""
    assert for_engine(server, TOOLS, parallel=True) == request(TOOLS, server, parallel=True)


def test_a_library_gets_what_it_makes_of_a_grammar() -> None:
    """For a library, the result has the settings that it needs: llguidance compiles its grammar."""
    llguidance = pytest.importorskip("llguidance")
    matcher = llguidance.LLMatcher(
        llguidance.LLTokenizer("byte"), **for_engine("llguidance", TOOLS)
    )
    assert matcher.try_consume_tokens([*b"wait(minutes=5)"]) == 15
    assert matcher.is_accepting()


def test_an_engine_that_is_not_there_is_an_error() -> None:
    """The error for an unknown, missing or old engine, or one without grammars, says what to do."""
    with pytest.raises(
        ValueError, match=r"engine: expected one of llama-server, vllm.*, found 'vlm'"
    ):
        for_engine("vlm", TOOLS)
    with pytest.raises(ValueError, match="run the same GGUF file with llama-server"):
        for_engine("ollama", TOOLS)
    with pytest.raises(MissingExtraError, match=r"vllm.sampling_params is not installed; pip"):
        for_engine("vllm-offline", TOOLS)


def test_an_engine_that_is_too_old_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error for an old version names the missing feature, and the version to install."""
    old = ModuleType("vllm.sampling_params")
    monkeypatch.setattr(engines_module, "require", lambda module, extra: old)
    with pytest.raises(LTONError, match="vllm-offline is too old: it has no StructuredOutputsPar"):
        for_engine("vllm-offline", TOOLS)


# --- what a schema bounds -----------------------------------------------------------------------

BOUNDED: list[tuple[dict[str, Any], str, str]] = [
    ({"type": "string", "maxLength": 5}, '"title"', '"title with label docs"'),
    ({"type": "string", "maxLength": 9}, '"title"', "```\ntitle with label docs```"),
    ({"type": "string", "minLength": 2, "maxLength": 64}, '"title"', f'"{"a" * 65}"'),
    ({"type": ["string", "null"], "maxLength": 5}, '"title"', '"title of it"'),
    ({"anyOf": [{"type": "string", "maxLength": 5}, {"type": "null"}]}, "null", '"title of it"'),
    ({"type": "string", "pattern": "^[a-z]{2,5}$"}, '"title"', '"title-of-it"'),
    ({"type": "string", "pattern": "^[A-Z]+-[0-9]{1,4}$"}, '"AB-12"', '"AB-12 and more"'),
    ({"enum": ["bug", "docs"]}, "bug", '"bug docs"'),
    ({"type": "array", "items": {"type": "string", "maxLength": 3}}, '["abc"]', '["abcd"]'),
    ({"properties": {"a": {"type": "string", "maxLength": 3}}}, '(a="abc")', '(a="abcd")'),
    ({"additionalProperties": {"type": "string", "maxLength": 3}}, '{k "abc"}', '{k "abcd"}'),
]
"""A schema, a value that it allows, and one that goes on where it should have ended."""


def texts(schema: dict[str, Any], good: str, bad: str) -> tuple[ToolSet, str, str]:
    parameters = {"properties": {"title": schema}, "required": ["title"]}
    tools = ToolSet.from_tools([{"name": "issue", "parameters": parameters}])
    return tools, f"issue(title={good})", f"issue(title={bad})"


@pytest.mark.parametrize(("schema", "good", "bad"), BOUNDED)
def test_no_grammar_lets_a_value_run_on(schema: dict[str, Any], good: str, bad: str) -> None:
    """No engine can write a value that a length, a pattern or labels forbid."""
    tools, right, wrong = texts(schema, good, bad)
    gbnf, lark = to_gbnf(tools), to_lark(tools)
    assert gbnf_accepts(gbnf, right)
    assert not gbnf_accepts(gbnf, wrong)
    assert llguidance_accepts(lark, right)
    assert not llguidance_accepts(lark, wrong)


@pytest.fixture(scope="module")
def tag_accepts() -> Callable[[dict[str, Any], str], bool]:
    xgrammar = pytest.importorskip("xgrammar")
    vocabulary = [bytes([byte]) for byte in range(256)]
    info = xgrammar.TokenizerInfo([*vocabulary, b"</s>"], stop_token_ids=[256])
    compiler = xgrammar.GrammarCompiler(info)

    def accept(tag: dict[str, Any], text: str) -> bool:
        matcher = xgrammar.GrammarMatcher(compiler.compile_structural_tag(json.dumps(tag)))
        return bool(all(map(matcher.accept_token, [*text.encode(), 256])))

    return accept


@pytest.mark.engines
@pytest.mark.parametrize(("schema", "good", "bad"), BOUNDED)
def test_no_structural_tag_lets_a_value_run_on(
    tag_accepts: Callable[[dict[str, Any], str], bool],
    schema: dict[str, Any],
    good: str,
    bad: str,
) -> None:
    """In the structural tags for vLLM and SGLang, values have the same limits."""
    tools, right, wrong = texts(schema, good, bad)
    tag = to_structural_tag(tools)
    assert tag_accepts(tag, f"So.\n!call {right}")
    assert not tag_accepts(tag, f"So.\n!call {wrong}")


@pytest.mark.engines
def test_xgrammar_knows_the_format_by_its_name(
    tag_accepts: Callable[[dict[str, Any], str], bool],
) -> None:
    """xgrammar knows the format by its name, with tools, tool choice and thoughts."""
    import xgrammar

    from lton.integrations.xgrammar import register

    register()
    tools = [
        {"type": "function", "function": {"name": name, "parameters": schema}}
        for name, schema in {
            "wait": {"properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]},
            "stop": {"properties": {}},
        }.items()
    ]

    def accepts(text: str, **options: Any) -> bool:
        options = {"tools": tools, "reasoning": "disabled", **options}
        tag = xgrammar.get_model_structural_tag("lton", **options)
        return tag_accepts(json.loads(tag.model_dump_json()), text)

    called = "Sure.\n!call wait(minutes=5)"
    assert accepts(called)
    assert accepts("Sure.")
    assert not accepts("!call wait(minutes=x)")
    assert not accepts("Sure.", tool_choice="required")
    assert accepts(f"{called}\n!call stop()")
    assert not accepts(f"{called}\n!call stop()", parallel_tool_calls=False)
    named = {"type": "function", "function": {"name": "stop"}}
    assert accepts("!call stop()", tool_choice=named)
    assert not accepts(called, tool_choice=named)
    assert accepts(f"Hm.</think>\n\n{called}", reasoning="enabled")
    assert not accepts(called, reasoning="enabled")
    for text in (called, f"<think>Hm.</think>\n\n{called}"):
        assert accepts(text, reasoning="auto")
    assert accepts("Any text.\n!call x", tools=[])
    with pytest.raises(ValueError, match="no built-in tools"):
        accepts("", tools=[{"type": "web_search_preview"}])
