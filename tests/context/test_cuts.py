"""Test that text is never cut inside a word or a fact."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton.context.cuts import word_ends


def beginnings(text: str) -> list[str]:
    return [text[:end] for end in word_ends(text)]


@pytest.mark.parametrize(
    "fact",
    [
        "`git push --force`",
        "``a ` b``",
        "June 30, 2025",
        "Sept. 3",
        "30 June 2025",
        "3rd of May 2024",
        "2025-06-30 14:00",
        "5 pm",
        "10:30 a.m",
        "1 250 000",
        "1\u00a0250\u00a0000",
        "$ 5",
        "5 %",
        "1.2 million",
        "12 per cent",
        "2 mm",
        "30 km/h",
        "3.5 miles per hour",
        "20 °C",
        "5 GiB",
        "90 seconds",
        "must not begin",
        "can't say",
        "will never go",
        "is (not) there",
        "https://example.org/a?b=c,d",
        "src/parser.ts:50-80",
        "$1,250,000",
        "user_id-42",
    ],
)
def test_a_fact_is_there_whole_or_not_at_all(fact: str) -> None:
    """No beginning of a text ends inside a fact."""
    text = f"We know that {fact} matters, they said."
    start, end = text.index(fact), text.index(fact) + len(fact)
    ends = word_ends(text)
    assert not [word_end for word_end in ends if start < word_end < end]
    assert ends[-1] == len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b", ["a", "a b"]),
        ("a  b \n", ["a", "a  b"]),
        ("", []),
        (" \n", []),
        ("He said no.", ["He", "He said no."]),
        ("Not so", ["Not so"]),
        ("do not not go", ["do not not go"]),
        ("It is not", ["It"]),
        ("3 million people", ["3 million", "3 million people"]),
        ("你好。我们走吧。", ["你好。", "你好。我们走吧。"]),
        ("一共1，250个。", ["一共1，250个。"]),  # noqa: RUF001
        ("May be so", ["May", "May be", "May be so"]),
        ("a ` b ` c", ["a", "a ` b `", "a ` b ` c"]),
        ("a `` b ` c", ["a", "a ``", "a `` b", "a `` b `", "a `` b ` c"]),
    ],
)
def test_where_a_text_may_end(text: str, expected: list[str]) -> None:
    """A text may end after a word, before a space, and in Chinese and Japanese after a clause."""
    assert beginnings(text) == expected


@given(st.text(alphabet="ab1 \n.,`'。not5%", max_size=60))
def test_ends_are_in_order_and_after_words(text: str) -> None:
    ends = word_ends(text)
    assert ends == sorted(set(ends))
    for end in ends:
        assert re.fullmatch(r"(?s).*\S", text[:end])
        assert end == len(text) or text[end].isspace() or text[end - 1] == "。"


@pytest.mark.untraced
def test_a_hostile_text_takes_no_long_time() -> None:
    """Places to cut 600,000 characters of a hostile text are found in linear time."""
    text = "`" * 100_000 + "` a" * 50_000 + "1 " * 50_000 + "1," * 50_000 + "x" * 100_000 + "。"
    assert word_ends(text)[-1] == len(text)
