"""Define a pattern for each terminal of the grammar, and the functions that write terminals.

The codec reads with these patterns, and the grammar generators print them, so each character class
is defined once. The class bodies (`NAME_CLASS`, …) are valid in Python's `re`, GBNF and Lark: they
use plain ranges, no shorthands, and a hyphen only at the end. Section numbers refer to
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
"""Arguments by position, with keys, with keys and punctuation, or with kinds and lengths."""
FORMS: tuple[Form, ...] = get_args(Form)
FOR_MODELS: Form = "punctuated"
"""The form that models write, which is the default for grammars, constraints and generation."""

# --- thoughts (§4) ------------------------------------------------------------------------------
Marks: TypeAlias = tuple[str, str]  # the opening and the closing mark of a thought
THINK: Marks = ("<think>", "</think>")
Thoughts: TypeAlias = bool | Marks  # True reads thoughts between the marks in `THINK`


def find_thought_marks(thoughts: Thoughts) -> Marks | None:
    """Return the marks before and after a model's reasoning, or None if `thoughts` is False.

    If the opening mark is empty, the text begins inside a thought that the prompt has opened.
    Raises `ValueError` if a mark contains a line end or NUL, if the opening mark begins like a
    frame or with white space, and if the closing mark has fewer than two characters or repeats its
    first character.

    >>> find_thought_marks(True), find_thought_marks(("", "[/THINK]")), find_thought_marks(False)
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
MAX_DEPTH = 64  # nested values; real schemas stay below 10
MAX_DIGITS = 4096  # characters of a number; CPython converts numbers in quadratic time
MOST_INTEGER = 10**MAX_DIGITS - 1
"""The largest integer that has at most `MAX_DIGITS` characters (R-1102)."""
LEAST_INTEGER = 1 - 10 ** (MAX_DIGITS - 1)
"""The smallest such integer: its minus sign is one of the characters."""
MAX_COUNT_DIGITS = 15  # digits of a length; enough for any string in memory
MAX_CALL = 2**26  # R-1104: characters of a call in a stream, far more than a model's longest answer

# --- characters (§3.1) --------------------------------------------------------------------------
_PUNCTUATION = "./:@+*"
NAME_CLASS = "A-Za-z0-9_./-"  # a bare name of a tool, a parameter or a key
NAME_HEAD_CLASS = "A-Za-rt-z0-9_./-"
NAME_AFTER_S_CLASS = "A-Za-z_./-"  # the second character of a name after an `s`, for lexers
WORD_CLASS = f"A-Za-z0-9_{_PUNCTUATION}-"  # a bare word (a string, label, number, `true`, …)
WORD_HEAD_CLASS = f"A-Za-rt-z0-9{_PUNCTUATION}-"  # a word does not begin with `_` …
AFTER_S_CLASS = f"A-Za-z_{_PUNCTUATION}-"  # … or with `s` and a digit (a counted string)
HEX_CLASS = "0-9a-f"
QUOTES = "\"'`"  # the quotes in order of preference; the first that fits is used
FORBIDDEN = compiled_when_used("[\x00\ud800-\udfff]")  # forbidden in any text
_STEERS = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f"
STEERING = compiled_when_used(f"[\x00-\x1f{_STEERS}\ud800-\udfff]")
"""Characters that a displayed name cannot have: invisible tags, line ends, and those that control a
terminal or reverse text."""
CONTROLS_IN_LINES = compiled_when_used(f"[\x00-\x08\x0b\x0c\x0e-\x1f{_STEERS}]")
"""The characters of `STEERING` except white space, for text of several lines."""
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
RESULT = "!result "  # the answers to calls
ERROR = "!error "
NO_CALL = "!error: "  # the answer if there was no call
ANSWERS = (RESULT, ERROR, NO_CALL)
SIGILS = (SIGIL, *ANSWERS)
REPEAT = "&"
FINGERPRINT_DIGITS = 8
FINGERPRINT = compiled_when_used(f"#([{HEX_CLASS}]{{,{FINGERPRINT_DIGITS}}})")
HEX = compiled_when_used(f"[{HEX_CLASS}]+")
LINE = compiled_when_used(r"[^\n]+")
SPACES = compiled_when_used(" +")
SEPARATOR = compiled_when_used(r" *, *| +")  # a comma or spaces between values
NEXT_VALUE = compiled_when_used(rf"(?>{SEPARATOR.pattern})(?=[^ ,;)\]}}\n])")
"""A separator that is followed by a value."""
ROW_END = ";"  # ends a row of a table
ROWS_HEAD = compiled_when_used(rf"([1-9][0-9]{{,{MAX_COUNT_DIGITS - 1}}})(?:\(|\Z)")
"""R-317: the number of rows, before the header's parenthesis or at the end of the text."""
ENDS_VALUE = frozenset(" ,;)]}\n")  # characters that may follow a value
CLOSING = frozenset("\"'`)]}")
LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
"""§6: a comma follows a character of `CLOSING`, unless a letter comes next."""

# --- strings (§3.2) -----------------------------------------------------------------------------
LINE_TEXT = {q: compiled_when_used(f"[^{q}\n\r\x00\ud800-\udfff]*+") for q in QUOTES}
"""R-306: the raw text between quotes, on one line."""
OPENING = {'"': '"', "'": "'", "`": "`(?!`)"}  # not two or three backticks
QUOTE = compiled_when_used("|".join(OPENING.values()))
COUNTED = compiled_when_used("s([0-9]++)(:?)")  # the length before a colon and the text
BACKTICKS = compiled_when_used("`+")
KEEPS = "+"  # marks a fence whose text ends with a newline
FENCE = compiled_when_used(r"(`{3,})(\+?)\n")
FENCE_ENDS = ",;)]}="  # one of these follows a fence in the parentheses of a call
AFTER_FENCE = compiled_when_used(f"[{re.escape(FENCE_ENDS)}]")
SPACED_AFTER_FENCE = compiled_when_used(r"[ \n]++[,)\]]")  # possibly the end of an earlier call
QUOTED = {
    q: compiled_when_used(f"{OPENING[q]}({text.pattern})({q}?)") for q, text in LINE_TEXT.items()
}
_LINE_END = compiled_when_used("[\n\r]")


def is_allowed(text: str) -> bool:
    """Return whether a string contains only allowed characters (R-202)."""
    if "\0" in text:
        return False
    if text.isascii():
        return True
    try:
        text.encode("utf-16-le")  # refuses what R-202 forbids, three times as fast as UTF-8
    except UnicodeEncodeError:
        return False
    return True


def joined(words: Iterable[str]) -> str:
    """Join written values with the separators of the canonical form (§6).

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
    return "," if before[-1] in CLOSING and after[0] not in LETTERS else " "


def write_counted(text: str, tag: str = "s") -> str:
    return f"{tag}{len(text)}:{text}"


def try_write_quoted(text: str) -> str | None:
    """Quote a string, or return None if no kind of quote can enclose it."""
    if not _LINE_END.search(text):
        for quote in QUOTES:
            if quote not in text:
                return f"{quote}{text}{quote}"
    return None


def write_fenced(text: str) -> str:
    """Put a string in a fence that is longer than any run of backticks in it."""
    longest = max(map(len, BACKTICKS.findall(text))) if "```" in text else 2
    fence = "`" * (longest + 1)
    if text.endswith("\n"):
        return f"{fence}{KEEPS}\n{text}{fence}"
    return f"{fence}\n{text}\n{fence}"


def last_fence(src: str, fence: str, start: int, stop: int, after: re.Pattern[str] | None) -> int:
    """Return the position of the fence that closes a string, or -1 if there is none.

    The closing fence is the first occurrence of the backticks that is followed by `after`.
    """
    at = src.find(fence, start, stop)
    while after and at >= 0:
        match = BACKTICKS.match(src, at, stop)
        assert match is not None  # the caller has found the fence
        end = match.end()
        if after.match(src, end):
            return end - len(fence)
        at = src.find(fence, end, stop)
    return at


def fence_end(src: str, start: int, close: int, *, keeps: bool) -> int:
    """Return the end of the text before a closing fence.

    A newline directly before the closing fence is part of the text only with `keeps`.
    """
    if not keeps and src.endswith("\n", start, close):
        return close - 1
    return close


def spell_name(name: str) -> str:
    """Write a name without quotes if possible, otherwise quoted or fenced (R-303)."""
    name = str.__str__(name)  # members of an enumeration format differently
    return name if NAME.fullmatch(name) else try_write_quoted(name) or write_fenced(name)


def spell_text(text: str, *, bare: bool, punctuated: bool = False) -> str:
    """Write a string without quotes if possible, otherwise quoted or counted (R-309).

    `bare` states whether the position allows a bare word. In the punctuated form the string is
    fenced instead of counted, because models write this form and cannot count.
    """
    text = str.__str__(text)  # members of an enumeration format differently
    if bare and BARE.fullmatch(text):
        return text
    return try_write_quoted(text) or (write_fenced(text) if punctuated else write_counted(text))


# --- numbers (§3.3) -----------------------------------------------------------------------------
NUMBER = compiled_when_used(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_EXPONENT = compiled_when_used(r"e([+-]?)0*")


def may_be_length(digits: str) -> bool:
    """Return whether a string of digits may be the start of a length (R-307, R-1103)."""
    return len(digits) <= MAX_COUNT_DIGITS and (digits[:1] != "0" or digits == "0")


def try_read_number(lexeme: str) -> int | float | None:
    """Convert a lexeme that matches `NUMBER`; return None if the lexeme has no value (R-310).

    A number with a fraction or an exponent is a double, and any other number is an exact integer.
    `-0` has no value (the double is `-0.0`), nor does a number outside the range of doubles.

    >>> try_read_number("7"), try_read_number("7.0"), try_read_number("-0")
    (7, 7.0, None)
    """
    if "." not in lexeme and lexeme.lstrip("-").isdigit():
        return None if lexeme == "-0" else int(lexeme)
    value = float(lexeme)
    return value if isfinite(value) else None


def spell_number(value: int | float) -> str:
    """Write an integer in full, or a double as the shortest decimal that parses to it (R-311).

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
"""R-307, R-502: the letter of the kind, and the length of the payload in characters."""
ATOM = compiled_when_used(f"{ATOM_HEAD.pattern}(:?)")
NULL_ATOM = "n"


def spell_tagged_key(name: str) -> str:
    """Write a key for the tagged form, in quotes if it could be read as an atom (R-504)."""
    return f'"{str.__str__(name)}"' if name in (NULL_ATOM, SKIP) else spell_name(name)
