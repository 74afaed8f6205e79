"""Every terminal of the format, as a pattern and, beside it, the function that writes it.

The codec reads with these patterns and the grammar emitters print them, so that a character
class is written once. Class bodies (`NAME_CLASS`, …) are spelled so that Python's `re`, GBNF and
Lark read them alike: plain ranges, no shorthand, the hyphen last. Sections are those of
`spec/LTON-0.1.md`.
"""

import re
from collections.abc import Iterable
from itertools import pairwise
from math import isfinite
from typing import Literal, TypeAlias, get_args

from lton._patterns import compiled_when_used

# --- forms (§4, §5) -----------------------------------------------------------------------------
Form: TypeAlias = Literal["wire", "keyed", "punctuated", "tagged"]
"""How a call is written: by position; with keys; with keys, parentheses and commas; with the kind
and the length of every atom."""
FORMS: tuple[Form, ...] = get_args(Form)

# --- thoughts (§4) ------------------------------------------------------------------------------
Marks: TypeAlias = tuple[str, str]
"""What comes before a thought and what comes after it."""
THINK: Marks = ("<think>", "</think>")
Thoughts: TypeAlias = bool | Marks
"""Whether a text may hold thoughts, between the marks of `THINK` (True) or between others."""


def thought_marks(thoughts: Thoughts) -> Marks | None:
    """Get the marks of thoughts; None where there are none.

    Where the first is empty, the text begins in a thought: the prompt has opened it. `ValueError`
    for marks with line ends or NUL, a first one that begins like a frame or with white space, and
    a second one of less than two characters, or in which its first character comes again.

    >>> thought_marks(True), thought_marks(("", "[/THINK]")), thought_marks(False)
    (('<think>', '</think>'), ('', '[/THINK]'), None)
    """
    if isinstance(thoughts, bool):
        return THINK if thoughts else None
    opening, closing = thoughts
    if (
        re.search("[\n\r\0\ud800-\udfff]", opening + closing)
        or re.match(r"[!\s]", opening)
        or len(closing) < 2
        or closing[0] in closing[1:]
    ):
        raise ValueError(f"expected the marks of thoughts, found {opening!r} and {closing!r}")
    return opening, closing


# --- limits (§11): each has a reason, and its own error code ------------------------------------
MAX_DEPTH = 64
"""Nested values. Real schemas stay below 10; recursion must end long before Python's own limit."""
MAX_DIGITS = 4096
"""Characters of a number. CPython refuses to convert more than 4,300 digits, for good reason:
the conversion is quadratic."""
MAX_INTEGER = 10 ** (MAX_DIGITS - 1)
"""Integers below it, and above it with a minus sign, have a lexeme of at most `MAX_DIGITS`."""
MAX_COUNT_DIGITS = 15
"""Digits of a length prefix: any length that a text in memory can have."""
MAX_CALL = 2**26
"""R-1104: characters of a call that a reader of a stream keeps; a model's longest answer is shorter
than a hundredth of it."""

# --- characters (§3.1) --------------------------------------------------------------------------
_PUNCTUATION = "./:@+*"
NAME_CLASS = "A-Za-z0-9_./-"
"""R-303: a bare name (of a tool, a parameter, a key)."""
NAME_HEAD_CLASS = "A-Za-rt-z0-9_./-"
NAME_AFTER_S_CLASS = "A-Za-z_./-"
"""Names that do not begin with `s` and a digit: for grammars, whose lexers look ahead less."""
WORD_CLASS = f"A-Za-z0-9_{_PUNCTUATION}-"
"""R-304: a bare word (a string, a label, a number, `true`, …) is made of these."""
WORD_HEAD_CLASS = f"A-Za-rt-z0-9{_PUNCTUATION}-"
"""R-305: … but does not begin with `_` (a skipped argument) …"""
AFTER_S_CLASS = f"A-Za-z_{_PUNCTUATION}-"
"""R-305: … nor with `s` and a digit (a counted string)."""
HEX_CLASS = "0-9a-f"
QUOTES = "\"'`"
"""R-306: in this order, the first that a text fits in."""
FORBIDDEN = compiled_when_used("[\x00\ud800-\udfff]")
"""R-202: characters that no text contains."""
_STEERS = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
STEERING = compiled_when_used(f"[\x00-\x1f{_STEERS}\ud800-\udfff]")
"""Characters that steer a terminal, turn text round or end a line: in no name that is shown."""
STEERING_LINES = compiled_when_used(f"[\x00-\x08\x0b\x0c\x0e-\x1f{_STEERS}]")
"""Those of them that steer a text of several lines, in which TAB, LF and CR are space."""
LITERALS = {"null": None, "true": True, "false": False}
BOOLEANS = {"true": True, "false": False}

# --- names and words ----------------------------------------------------------------------------
NAME = compiled_when_used(f"[{NAME_CLASS}]+")
WORD = compiled_when_used(f"[{WORD_CLASS}]+")
BARE = compiled_when_used(
    f"(?:[{WORD_HEAD_CLASS}][{WORD_CLASS}]*|s(?:[{AFTER_S_CLASS}][{WORD_CLASS}]*)?)"
)
SKIP = "_"
SIGIL = "!call "
RESULT, ERROR = "!result ", "!error "
"""R-426: the answers to calls."""
NO_CALL = "!error: "
"""R-427: what is said where there was no call."""
ANSWERS = (RESULT, ERROR, NO_CALL)
SIGILS = (SIGIL, *ANSWERS)
REPEAT = "&"
FINGERPRINT_DIGITS = 8
FINGERPRINT = compiled_when_used(f"#([{HEX_CLASS}]{{,{FINGERPRINT_DIGITS}}})")
HEX = compiled_when_used(f"[{HEX_CLASS}]+")
LINE = compiled_when_used(r"[^\n]+")
SPACES = compiled_when_used(" +")
SEPARATOR = compiled_when_used(r" *, *| +")
"""R-302: between two values; a comma counts as a space."""
NEXT_VALUE = compiled_when_used(rf"(?>{SEPARATOR.pattern})(?=[^ ,;)\]}}\n])")
"""A separator before a value."""
ROW_END = ";"
"""R-314: between the rows of a table."""
ROWS_HEAD = compiled_when_used(rf"([1-9][0-9]{{,{MAX_COUNT_DIGITS - 1}}})(?:\(|\Z)")
"""R-317: the number of rows that come on lines, and the header's parenthesis or the text's end."""
ENDS_VALUE = frozenset(" ,;)]}\n")
"""What may follow a value, beside the end of the text."""
CLOSING = frozenset("\"'`)]}")
LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
"""§6: after one of the first there is a comma, unless one of the second follows."""

# --- strings (§3.2) -----------------------------------------------------------------------------
LINE_TEXT = {q: compiled_when_used(f"[^{q}\n\r\x00\ud800-\udfff]*+") for q in QUOTES}
"""R-306: what is in quotes: raw, on one line, no character has a meaning."""
OPENING = {'"': '"', "'": "'", "`": "`(?!`)"}
"""R-306: two backticks are no empty string, and three begin a fence."""
QUOTE = compiled_when_used("|".join(OPENING.values()))
COUNTED = compiled_when_used("s([0-9]++)(:?)")
"""R-307: the number of Unicode scalar values, a colon, and that many of them."""
BACKTICKS = compiled_when_used("`+")
KEEPS = "+"
"""R-308: what a fence has whose text ends with a newline."""
FENCE = compiled_when_used(r"(`{3,})(\+?)\n")
"""R-308: how a fence opens. The first run of as many backticks closes it, wherever it is."""
QUOTED = {
    q: compiled_when_used(f"{OPENING[q]}({text.pattern})({q}?)") for q, text in LINE_TEXT.items()
}
_LINE_END = compiled_when_used("[\n\r]")


def is_allowed(text: str) -> bool:
    """Say whether R-202 forbids no character of the text; far faster than a search for one."""
    if "\0" in text:
        return False
    if text.isascii():
        return True
    try:
        text.encode("utf-16-le")  # refuses what R-202 does, and is three times as fast as UTF-8
    except UnicodeEncodeError:
        return False
    return True


def joined(words: Iterable[str]) -> str:
    """Get values in a row (§6): a comma after what is closed, unless a letter follows; a space.

    >>> joined(['"San Leandro"', "7", "C"])
    '"San Leandro",7 C'
    """
    words = list(words)
    befores = {word[-1] for word in words[:-1]}
    if befores.isdisjoint(CLOSING):
        return " ".join(words)
    if befores <= CLOSING and LETTERS.isdisjoint({word[0] for word in words[1:]}):
        return ",".join(words)
    parts = words[:1]
    for before, word in pairwise(words):
        parts += separator(before, word), word
    return "".join(parts)


def separator(before: str, after: str) -> str:
    """Get what is between two values in a row (§6)."""
    return "," if before[-1] in CLOSING and after[0] not in LETTERS else " "


def counted(text: str, tag: str = "s") -> str:
    return f"{tag}{len(text)}:{text}"


def quoted(text: str) -> str | None:
    """Get the text in the first kind of quotes that it fits, or None."""
    if not _LINE_END.search(text):
        for quote in QUOTES:
            if quote not in text:
                return f"{quote}{text}{quote}"
    return None


def fenced(text: str) -> str:
    """Get the text between fences that are longer than any run of backticks in it."""
    longest = max(map(len, BACKTICKS.findall(text))) if "```" in text else 2
    fence = "`" * (longest + 1)
    if text.endswith("\n"):
        return f"{fence}{KEEPS}\n{text}{fence}"
    return f"{fence}\n{text}\n{fence}"


def fence_end(src: str, start: int, close: int, *, keeps: bool) -> int:
    """Get the end of a fenced text that begins at `start`: the last fence is at `close`.

    A newline right before that fence is no part of the text, unless the fence has `+`.
    """
    return close - (not keeps and src.endswith("\n", start, close))


def spell_name(name: str) -> str:
    """Get a name as it is written: bare, else quoted, else fenced (R-303)."""
    name = str.__str__(name)  # a member of an enumeration has a format of its own
    return name if NAME.fullmatch(name) else quoted(name) or fenced(name)


def spell_text(text: str, *, bare: bool, punctuated: bool = False) -> str:
    """Get a string as it is written (R-309): bare, else quoted, else counted.

    `bare` says whether the position allows a bare word of this spelling. The punctuated form is
    what a model imitates, so there a text that cannot be quoted is fenced: models cannot count.
    """
    text = str.__str__(text)  # a member of an enumeration has a format of its own
    if bare and BARE.fullmatch(text):
        return text
    return quoted(text) or (fenced(text) if punctuated else counted(text))


# --- numbers (§3.3) -----------------------------------------------------------------------------
NUMBER = compiled_when_used(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_EXPONENT = compiled_when_used(r"e([+-]?)0*")


def may_be_length(digits: str) -> bool:
    """Say whether some length (R-307, R-1103) begins so."""
    return len(digits) <= MAX_COUNT_DIGITS and (digits[:1] != "0" or digits == "0")


def read_number(lexeme: str) -> int | float | None:
    """Get the value of a lexeme that `NUMBER` matches, or None where it has none (R-310).

    A fraction or an exponent makes a double, anything else an exact integer. `-0` has no value
    (the double is `-0.0`), nor has what is larger than every double.

    >>> read_number("7"), read_number("7.0"), read_number("-0")
    (7, 7.0, None)
    """
    if "." not in lexeme and lexeme.lstrip("-").isdigit():
        return None if lexeme == "-0" else int(lexeme)
    value = float(lexeme)
    return value if isfinite(value) else None


def spell_number(value: int | float) -> str:
    """Get the canonical lexeme: all digits of an integer, the shortest of a double (R-311).

    >>> spell_number(10), spell_number(10.0), spell_number(1e22), spell_number(1e-7)
    ('10', '10.0', '1e22', '1e-7')
    """
    if isinstance(value, int):
        return int.__repr__(value)
    text = float.__repr__(value)
    return _EXPONENT.sub(lambda match: "e" + match[1].strip("+"), text) if "e" in text else text


# --- tagged atoms (§5) --------------------------------------------------------------------------
ATOM_LETTERS = "suifbe"
ATOM_HEAD = compiled_when_used(f"([{ATOM_LETTERS}])([0-9]++)")
"""R-307, R-502: a letter for the kind, the number of characters of the payload, a colon."""
ATOM = compiled_when_used(f"{ATOM_HEAD.pattern}(:?)")
NULL_ATOM = "n"


def spell_tagged_key(name: str) -> str:
    """Get a key as the tagged form writes it: one that spells an atom or `_` is quoted (R-504)."""
    return f'"{str.__str__(name)}"' if name in (NULL_ATOM, SKIP) else spell_name(name)
