"""Test the behaviour that all counters share: sums, estimates of chats, and wrong input."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton.tokens import Count, TokenCounter, counter
from lton.tokens.chat import PER_MESSAGE, PER_REPLY, iterate_content_texts, iterate_message_texts
from lton.tokens.counting import ByteHeuristic, Counter

TOOL = {"type": "function", "function": {"name": "wait", "parameters": {"type": "object"}}}


class Words(Counter):
    """Count words, exactly."""

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        return [Count(len(text.split()), exact=True) for text in texts]


WORDS = Words("words", exact=True)


def test_a_sum_is_exact_only_if_both_are() -> None:
    """A sum is exact only if both counts are exact."""
    assert Count(1, exact=True) + Count(2, exact=True) == Count(3, exact=True)
    assert Count(1, exact=True) + Count(2, exact=False) == Count(3, exact=False)


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("你好", 2), ("\ud800", 1)]
)
def test_bytes_are_four_to_a_token_rounded_up(text: str, tokens: int) -> None:
    """The rule of thumb is a token for each four bytes of UTF-8, rounded up, and never exact."""
    assert counter("bytes").count(text) == Count(tokens, exact=False)


@given(st.lists(st.text(st.characters())))
def test_bytes_never_fail(texts: list[str]) -> None:
    """Any texts have counts of at least 0, in their order."""
    counts = ByteHeuristic().count_all(texts)
    assert [count.tokens > 0 for count in counts] == [text != "" for text in texts]


def test_counters_have_the_interface() -> None:
    """`counter` returns a TokenCounter with the requested id."""
    heuristic: TokenCounter = counter("bytes")
    assert (heuristic.id, heuristic.exact) == ("bytes", False)
    assert (counter("o200k").id, counter("o200k").exact) == ("o200k", True)


@pytest.mark.parametrize(
    ("message", "texts"),
    [
        ({"role": "user", "content": "Hi"}, ["user", "Hi"]),
        ({"role": "assistant", "content": None}, ["assistant"]),
        (
            {"role": "user", "name": "Ann", "content": [{"type": "text", "text": "a"}, "b"]},
            ["user", "Ann", "a", "b"],
        ),
        (
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "1", "function": {"name": "wait", "arguments": '{"minutes": 5}'}},
                    {"id": "2", "function": {"name": "wait", "arguments": {"minutes": 5}}},
                ],
            },
            ["assistant", "", "wait", '{"minutes": 5}', "wait", '{"minutes":5}'],
        ),
        (
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "1", "name": "wait", "input": {"m": 5}}],
            },
            ["assistant", "wait", '{"m":5}'],
        ),
        (
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "1", "content": [{"text": "done"}]},
                    {"type": "image", "source": {}},
                ],
            },
            ["user", "done"],
        ),
        ({}, []),
    ],
)
def test_the_texts_of_messages(message: dict[str, object], texts: list[str]) -> None:
    """The texts of messages of OpenAI and Anthropic are found, also in tool calls."""
    assert list(iterate_message_texts(message)) == texts


def test_content_that_is_no_content_has_no_texts() -> None:
    """A number as content, or a call without a name, has no texts and is not an error."""
    assert list(iterate_content_texts(5)) == []
    assert list(iterate_content_texts({"type": "tool_use", "name": None})) == []


def test_chats_are_estimated() -> None:
    """The estimate of a chat is its texts, some tokens for each message, and some for the
    answer.
    """
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    expected = 2 + 1 + 1 + 1 + 2 * PER_MESSAGE + PER_REPLY
    assert WORDS.count_messages(messages) == Count(expected, exact=False)
    assert WORDS.count_messages(messages, [TOOL]) == Count(expected + 1, exact=False)


def test_tools_are_estimated_as_json() -> None:
    """Tools are estimated as the JSON of a request, and no tools take no tokens."""
    assert WORDS.count_tools([TOOL, TOOL]) == Count(1, exact=False)
    assert WORDS.count_tools([]) == Count(0, exact=True)
    assert counter("o200k").count_tools([TOOL]).tokens == 19  # as bpe-openai counts that text
