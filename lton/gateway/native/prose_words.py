"""Phrases of prose before a call, in common languages (`prose_words.toml`)."""

import tomllib
from pathlib import Path

from lton._patterns import compiled_when_used

_WORDS = tomllib.loads(Path(__file__).with_name("prose_words.toml").read_text("utf-8"))


def _any(name: str, *patterns: str) -> str:
    words = "|".join(_WORDS[name].split())
    words = words.replace("*", r"\w*").replace("_", r"\ ").replace("'", "['’]")  # noqa: RUF001
    return "|".join([words, *patterns])


ANNOUNCES = compiled_when_used(
    rf"(?i:\b(?:(?:{_any('announce')})(?:\ (?:now|first|also|then|just|quickly|try\ to)){{0,2}}\ "
    rf"(?:{_any('use')})|{_any('next', *_WORDS['next_patterns'])})\b)"
    rf"|{'|'.join(_WORDS['announcing_scripts'])}"
)  # phrases that announce the next step
SHOWS = compiled_when_used(
    rf"(?i:\b(?:{_any('show')}|\w{{2,6}}n['’]t)\b)|{'|'.join(_WORDS['showing_scripts'])}"  # noqa: RUF001
)  # phrases that refuse, forbid, show, quote or translate a call
