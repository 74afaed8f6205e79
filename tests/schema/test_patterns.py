"""Test that patterns match like JavaScript's, in time linear in the text."""

import random
import re
import unicodedata
import warnings
from collections.abc import Iterator

import pytest
import regex  # type: ignore[import-untyped]  # tiktoken brings it

from lton.schema.jsonschema import patterns
from lton.schema.jsonschema.patterns import MAX_STATES, Matcher, is_pattern, try_convert_to_python
from tests.cases import sizes

ATOMS = (
    *("a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", r"\s", "^", "$", r"\b", r"\B", r"\A", r"\Z"),
    *("(?=a)", "(?!b)", "(?<=a)", "(?<!ab)", "(?i:A)", "(?:a|b)", "()", "\n", r"[a-c\d]", "é"),
    *("(?m:^)", "(?m:$)", "(?s:.)", "(?!)", r"[^\W\d]", "\x00"),
)
REPEATS = ("*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "{0,2}?")


def make_pattern(choose: random.Random, depth: int) -> str:
    """Return a random pattern."""
    if depth == 0:
        return choose.choice(ATOMS)
    inner, other = make_pattern(choose, depth - 1), make_pattern(choose, depth - 1)
    forms = (
        inner + other,
        inner + other,
        f"(?:{inner}|{other})",
        f"(?:{inner}){choose.choice(REPEATS)}",
        f"(?={inner})",
        f"(?!{inner})",
        f"({inner})",
    )
    return choose.choice(forms)


def examples() -> Iterator[str]:
    """Return random patterns that Python also supports."""
    choose = random.Random(1)
    while True:
        pattern = make_pattern(choose, choose.randrange(5))
        with warnings.catch_warnings(action="ignore"):
            try:
                re.compile(pattern)
            except re.error:
                continue
        yield pattern


def steps_of(pattern: str, text: str) -> tuple[bool, int]:
    """Return whether a pattern matches, and the number of steps."""
    spelling = try_convert_to_python(pattern)
    assert spelling
    step_counts: list[int] = []
    return Matcher(spelling.python).has_match(text, step_counts.append), sum(step_counts)


@pytest.mark.untraced
@pytest.mark.parametrize("count", sizes(600, 3000))
def test_what_matches_is_what_python_matches(count: int) -> None:
    """Hundreds of patterns match short texts like Python's, if both languages agree."""
    choose = random.Random(2)
    for pattern, _ in zip(examples(), range(count), strict=False):
        spelling = try_convert_to_python(pattern)
        assert spelling, pattern
        matcher = Matcher(spelling.python)
        for text in (
            "".join(choose.choices("aabb1 \né_A\0", k=choose.randrange(8))) for _ in "123"
        ):
            for _ in "12":
                is_match = matcher.has_match(text, lambda _: None)
                python = re.sub(r"(?<!m:)\$", r"\\Z", pattern)
                assert is_match == bool(re.search(python, text, re.ASCII)), (pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^(a+)+$", "a{}!"),
        ("^(a|a)*$", "a{}!"),
        ("^(a*)*b", "a{}"),
        ("a*a*a*a*b", "a{}"),
        (r"\s+$", " {}x"),
        ("(x+x+)+y", "x{}"),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", "a{}"),
        ("(.*)(.*)(.*)(.*)[^a]$", "a{}"),
        ("^(?:a?){50}a{50}$", "a{}"),
        (r"^(?!.*\.\.)[a-z.]+$", "a{}"),
    ],
)
def test_steps_grow_with_the_text(pattern: str, text: str) -> None:
    """Patterns that take Python exponential time take twice the steps for twice the text."""
    (_, once), (_, twice) = (
        steps_of(pattern, text.format(text[0] * size)) for size in (4000, 8000)
    )
    assert once < 4_000_000
    assert twice <= 2.1 * once


@pytest.mark.parametrize(
    ("pattern", "right", "wrong"),
    [
        ("(?<=b)c", "bc", "ac"),
        ("(?<!b)c", "ac", "bc"),
        ("(?:a|a)(?=[^a])", "ab", "aa"),
        ("^(?:(?=ab)a|b)*$", "abab", "aab"),
    ],
)
def test_patterns_look_ahead_and_behind(pattern: str, right: str, wrong: str) -> None:
    """A part that is looked for ahead or behind is not a part of the match."""
    assert steps_of(pattern, right)[0]
    assert not steps_of(pattern, wrong)[0]


def test_what_is_known_of_texts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache for a text with all characters is limited."""
    monkeypatch.setattr(patterns, "_MAX_MOVES", 10)
    matcher = Matcher("^[^!]*$")
    text = "".join(map(chr, range(0x100, 0x1000)))
    assert matcher.has_match(text, lambda _: None)
    assert not matcher.has_match(f"{text}!{text}", lambda _: None)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^\u{1F600}$", "\U0001f600"),
        (r"^\cA$", "\x01"),
        (r"^(?<year>\d{4})$", "2026"),
        (r"^[\w-.]+$", "a-.b"),
        (r"^[\w-]+$", "a-b"),
        (r"^\/\-$", "/-"),
        ("^[[:alpha:]]$", "a]"),
        ("^[a&&b||c~~d]+$", "&|~"),
        ("^[+--]$", ","),
        ("^[^\0]+$", "a"),
        (r"^[\]a]+$", "]a"),
        (r"^[(?<]+$", "(?<"),
    ],
)
def test_patterns_of_javascript_are_read(pattern: str, text: str) -> None:
    """Patterns in JavaScript's notation are read without a warning, also if Python's notation
    differs.
    """
    assert steps_of(pattern, text)[0]


@pytest.mark.parametrize(
    ("pattern", "right", "wrong"),
    [
        ("^a$", "a", "a\n"),
        (r"^\d$", "1", "\u0663"),
        (r"^\D$", "\u0663", "1"),
        (r"^\w+$", "a_1", "é"),
        (r"^[^\w]$", "é", "a"),
        (r"^[\Wa]$", "é", "b"),
        (r"^a\b", "aé", "ab"),
        (r"^\s$", "\ufeff", "\x1c"),
        (r"^\s$", "\xa0", "\x85"),
        (r"^\S$", "\x1c", "\u2028"),
        ("^.$", "\x85", "\r"),
        ("^.$", "\U0001f600", "\u2029"),
        (r"(?i)^\W$", "!", "k"),
        ("^[^]$", "\n", ""),
        ("^[^]]$", "a]", "a"),
        ("a|[]", "a", "b"),
        ("^[a[]+$", "a[", "]"),
        ("^[a[^]+$", "a[^", "]"),
    ],
)
def test_patterns_mean_what_they_mean_in_javascript(pattern: str, right: str, wrong: str) -> None:
    """`$` matches only at the end, classes are ASCII, and a class may be empty."""
    assert steps_of(pattern, right)[0]
    assert not steps_of(pattern, wrong)[0]


@pytest.mark.parametrize("step", sizes(97, 7))
@pytest.mark.parametrize("name", sorted(patterns._BY_NAME))
@pytest.mark.untraced
def test_categories_are_those_of_unicode(name: str, step: int) -> None:
    """The general categories agree with the library `regex`, whose Unicode is newer than
    Python's.
    """
    characters = [chr(code) for code in [*range(0x180), *range(0x180, 0x11000, step)]]
    assigned = [char for char in characters if unicodedata.category(char) != "Cn"]
    for letter in "pP":
        pattern = rf"^[^_\n]?\{letter}{{{name}}}$"
        matcher = Matcher(try_convert_to_python(pattern).python)  # type: ignore[union-attr]
        library_pattern = regex.compile(pattern)
        for char in assigned:
            is_match = matcher.has_match(char, lambda _: None)
            assert is_match == bool(library_pattern.search(char)), (pattern, char)


@pytest.mark.parametrize(
    ("pattern", "right", "wrong"),
    [
        (r"^\p{L}+$", "aé", "a1"),
        (r"^[\p{L}\p{gc=Nd}_-]+$", "a1_-é", "a "),
        (r"^[^\p{L}]$", "1", "é"),
        (r"^[\P{L}a]+$", "a1", "b"),
        (r"^[\p{L}-9]$", "-", "8"),
        (r"^[^\P{L}\d]$", "x", "1"),
        (r"(?i)^\p{General_Category=Lu}b$", "AB", "aB"),
        (r"^\p{LC}$", "A", "ª"),
        (r"^(?=\p{Lu})\w+$", "Ab", "ab"),
    ],
)
def test_categories_stand_alone_and_in_classes(pattern: str, right: str, wrong: str) -> None:
    assert steps_of(pattern, right)[0]
    assert not steps_of(pattern, wrong)[0]


@pytest.mark.parametrize(
    "pattern",
    [
        r"\p{Script=Greek}",
        r"\p{Alphabetic}",
        r"\pL",
        r"[a-\p{L}]",
        "[\U0010f000]",
        r"\u{10F001}",
        r"\U0010f002",
        r"(a)\1",
        r"(?<n>a)\k<n>",
        "(a)?(?(1)b|c)",
        "a++",
        "(?>a)",
        r"\h",
        "\ud800",
        f"a{{{MAX_STATES + 1}}}",
    ],
)
def test_what_cannot_be_matched_is_a_pattern_nevertheless(pattern: str) -> None:
    """A pattern that cannot be matched, because of its language, references or size, is still
    valid.
    """
    assert try_convert_to_python(pattern) is None
    assert is_pattern(pattern)


@pytest.mark.parametrize("pattern", ["(", "[a", "*", "a{2,1}", "(" * 9999, "(?<n", r"\u12"])
def test_what_is_no_pattern_is_none(pattern: str) -> None:
    """A pattern that no language accepts is invalid."""
    assert not is_pattern(pattern)
    with pytest.raises(ValueError, match=r"."):
        try_convert_to_python(pattern)
