"""Find the offsets at which text may be cut: after a word, but never inside a fact.

A fact with spaces is a code span, a date with its month, a time, a number with its groups, unit or
scale ("2 mm", "1.2 million"), or an English negation with the words next to it: "must not begin"
does not become "must". A rule is not separated from the exception in its sentence ("unless"). An
identifier, a path or a URL has no spaces, so it is one word.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lton._patterns import compiled_when_used

_END = r"(?!\w)"
_STOPS = "。！？、，；"  # noqa: RUF001 - they end clauses in scripts without spaces
_PIECES = compiled_when_used(rf"[^\s{_STOPS}]+|[{_STOPS}]+")
WORDS: dict[str, Any] = json.loads(Path(__file__).with_name("words.json").read_bytes())
"""Words of many languages: alternatives for regular expressions, and lists of words."""


def make_words_pattern(name: str, end: str = "") -> str:
    """Return a regular expression for any word in a list, followed by `end`.

    >>> make_words_pattern("months")[:12]
    'jan(?:uary)?'
    """
    alternatives = "|".join(WORDS[name])
    return (
        rf"(?:{alternatives}){end}|{'|'.join(WORDS[f'{name}, anywhere'])}" if end else alternatives
    )


_MONTH = rf"(?:{make_words_pattern('months')})\b\.?"
_UNITS = make_words_pattern("units")
_FACTS = compiled_when_used(
    r"(?i:"
    r"(?<!`)(?P<ticks>`{1,3})(?!`)[^\n]{1,300}?(?<!`)(?P=ticks)(?!`)"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s)?{_MONTH}(?:,?\s\d{{4}})?"
    rf"|\b{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}})?"
    r"|\b\d{4}-\d\d-\d\d\s\d\d?:\d\d"
    r"|\b\d\d?(?::\d\d)?\s[ap]\.?m\b"
    r"|\b\d{1,3}(?:\s\d{3})+\b"
    r"|[$€£¥]\s\d"
    r"|(?<![\w.,])\d[\d.,]*\s(?:%|(?:thousand|million|billion|trillion|percent|per\scent)\b"
    rf"|[°µμ]\w*|(?:{_UNITS})(?:[²³]|(?:/|\sper\s)\w+)?(?!\w))"
    r")"
)
_EXCEPTION = compiled_when_used(rf"(?i:\b{make_words_pattern('exceptions', _END)})")
_ELSE = compiled_when_used(rf"(?i:{make_words_pattern('otherwise', _END)})")
_DENIES_ALL = compiled_when_used(rf"(?i:\b{make_words_pattern('denials', _END)})")
"""The start of an exception or of an alternative, and words that negate a whole sentence."""
_DENIALS = WORDS["parts of denials"]  # a quick test before `_DENIES_ALL`
_SENTENCE = compiled_when_used(r"(?:[^.!?。！？।؟\n]|\.(?=\S| \d)){1,3000}")  # noqa: RUF001
_NEAR = 120  # The number of characters that are searched for an exception
_NEGATIONS = frozenset("cannot neither never no nor not without".split())
_AROUND = "\"'*_()[]"


def replace_unprintable(text: str) -> str:
    r"""Replace unprintable characters, such as direction marks and surrogates, with U+FFFD.

    >>> replace_unprintable("a\x1b[31m")
    'a�[31m'
    """
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def word_ends(text: str) -> list[int]:
    """Return the sorted offsets at which text may be cut.

    >>> text = "It must not begin before June 30."
    >>> [text[:end] for end in word_ends(text)][:3]
    ['It', 'It must not begin', 'It must not begin before']
    """
    facts = (fact.span() for fact in _FACTS.finditer(text))
    return list(
        iterate_ends_outside(
            iterate_ends_outside(_iterate_free_ends(text), facts), _iterate_exception_spans(text)
        )
    )


def iterate_ends_outside(ends: Iterable[int], spans: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Yield the offsets that are not inside any of the spans. Both inputs are sorted."""
    spans = iter(spans)
    first = last = 0
    for end in ends:
        while last <= end and (span := next(spans, None)):
            first, last = span
        if not first < end < last:
            yield end


def _iterate_exception_spans(text: str) -> Iterator[tuple[int, int]]:
    patterns = [pattern for pattern in (_EXCEPTION, _DENIES_ALL) if pattern.search(text)]
    for sentence in _SENTENCE.finditer(text) if patterns else ():
        if any(pattern.search(text, *sentence.span()) for pattern in patterns):
            yield sentence.span()


def begins_exception(text: str, start: int) -> bool:
    """Return whether the sentence at `start` is an exception to the sentence before it.

    >>> text = "It is free. Students are exempt. It is open."
    >>> begins_exception(text, 11), begins_exception(text, 32)
    (True, False)
    """
    sentence = _SENTENCE.match(text[start : start + _NEAR].lstrip())
    if not sentence:
        return False
    begins = _EXCEPTION.match(sentence[0]) or _ELSE.match(sentence[0])
    if begins:
        return True
    small = sentence[0].lower()
    return any(map(small.__contains__, _DENIALS)) and bool(_DENIES_ALL.search(sentence[0]))


def _iterate_free_ends(text: str) -> Iterator[int]:
    waiting: int | None = None
    for piece in _PIECES.finditer(text):
        word = piece[0]
        end = piece.end()
        if waiting is not None and not _is_denial(word.rstrip(".,;:!?")):
            yield waiting
        after = text[end : end + 1]
        is_end = not after or after.isspace() or (word[0] in _STOPS and not after.isdigit())
        waiting = end if is_end and not _is_denial(word) else None
    if waiting is not None:
        yield waiting


def _is_denial(word: str) -> bool:
    bare = word.strip(_AROUND).casefold().replace("’", "'")  # noqa: RUF001 - as many print it
    return bare in _NEGATIONS or bare.endswith("n't")
