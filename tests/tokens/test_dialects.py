"""Test that any answer of a server is a count or an error."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton._http import NoAnswerError
from lton.tokens._dialects import PROBES, VLLM, Anthropic, LlamaCpp, SGLang

FIELDS = ["tokens", "count", "input_tokens", "token_strs", "prompt", "error"]
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4)
    ),
    max_leaves=12,
)
SAID = [{"role": "user", "content": "hello"}]
KINDS = [LlamaCpp("m"), VLLM("m"), SGLang("m"), Anthropic("m", around=8)]


@given(JSON, st.sampled_from(KINDS), st.lists(st.text(min_size=1), min_size=1, max_size=3))
def test_any_answer_is_a_count_or_none(reply: Any, dialect: Any, texts: list[str]) -> None:
    """Any answer gives a count above 0 for each text, or the error for unknown counts."""

    async def post(path: str, body: dict[str, Any]) -> Any:
        return reply

    for work in (dialect.count_texts(post, texts), dialect.count_messages(post, SAID, SAID)):
        try:
            result = asyncio.run(work)
        except NoAnswerError:
            continue
        counts = result if isinstance(result, list) else [result]
        assert all(type(count.tokens) is int and count.tokens > 0 for count in counts)
        assert len(counts) in (1, len(texts))


@given(JSON, st.sampled_from(PROBES))
def test_any_answer_to_a_probe_is_a_dialect_or_none(reply: Any, probe: Any) -> None:
    """Any answer to a probe gives a dialect, or the error for unknown counts."""

    async def post(path: str, body: dict[str, Any]) -> Any:
        return reply

    try:
        dialect = asyncio.run(probe(post, "m"))
    except NoAnswerError:
        return
    assert type(dialect) in (LlamaCpp, VLLM, SGLang, Anthropic)


@pytest.mark.parametrize(("tokens", "is_right"), [(9, True), (10**6, False), (10**4000, False)])
def test_more_tokens_than_can_be_sent_are_no_count(tokens: int, is_right: bool) -> None:
    """An impossibly high count is not accepted."""

    async def post(path: str, body: dict[str, Any]) -> Any:
        return {"input_tokens": tokens}

    work = Anthropic("m", around=8).count_messages(post, SAID, ())
    if is_right:
        assert asyncio.run(work).tokens == tokens
    else:
        with pytest.raises(NoAnswerError):
            asyncio.run(work)
