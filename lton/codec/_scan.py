"""Lexemes: functions from (text, position) to (position behind, what was read). No schema here."""

from collections.abc import Iterable
from difflib import get_close_matches

from lton._syntax import (
    ATOM,
    ENDS_VALUE,
    FENCE,
    FORBIDDEN,
    KEY,
    MAX_COUNT_DIGITS,
    NAME,
    NULL_ATOM,
    QUOTED,
    SEPARATOR,
)
from lton.errors import Code, DecodeError, IncompleteError
from lton.schema.compile import escape


def scan_quoted(src: str, pos: int) -> tuple[int, str]:
    """R-23: a quoted string, from its opening quote on."""
    match = QUOTED[src[pos]].match(src, pos)
    assert match is not None  # the pattern matches an opening quote by itself
    if match[2]:
        return match.end(), match[1]
    if src[match.end() : match.end() + 1] in ("\n", "\r"):
        hint = "text with lines is counted (sN:…) or fenced"
        raise DecodeError(Code.UNCLOSED, "no closing quote", doc=src, pos=pos, hint=hint)
    raise unexpected(src, match.end(), f"a closing {src[pos]}")


def scan_fence(src: str, pos: int) -> tuple[int, str]:
    """R-25: a fenced text, from its first backtick on. The newline before the end is not in it."""
    match = FENCE.match(src, pos)
    if match is None:
        end = pos + len(src[pos:]) - len(src[pos:].lstrip("`"))
        if end < len(src) and end - pos >= 3:
            raise DecodeError(Code.FENCE, "expected a newline behind a fence", doc=src, pos=end)
        raise unexpected(src, end, "a fence: three backticks and a newline")
    close = src.find("\n" + match[1], match.end() - 1)
    if close < 0:
        _refuse_forbidden(src, match.end(), len(src))
        raise unexpected(src, len(src), f"a line of {match[1]}")
    _refuse_forbidden(src, match.end(), close)
    return close + 1 + len(match[1]), src[match.end() : max(close, match.end())]


def scan_atom(src: str, pos: int) -> tuple[int, str, str]:
    """R-24, R-51: a counted payload with its letter, or `n`: (position, letter, payload)."""
    match = ATOM.match(src, pos)
    if match is None:
        if src.startswith(NULL_ATOM, pos) and not NAME.match(src, pos + 1):
            return pos + 1, NULL_ATOM, ""
        raise unexpected(src, pos, "a tagged value")
    letter, digits, colon = match.groups()
    if not colon:
        raise unexpected(src, match.end(), "a colon behind the length")
    if len(digits) > MAX_COUNT_DIGITS or (digits[0] == "0" and digits != "0"):
        msg = f"expected a length of up to {MAX_COUNT_DIGITS} digits, without leading zeros"
        raise DecodeError(Code.PREFIX, msg, doc=src, pos=pos)
    start, end = match.end(), match.end() + int(digits)
    _refuse_forbidden(src, start, min(end, len(src)))
    if end > len(src):
        raise unexpected(src, len(src), f"{end - len(src)} more characters of a counted text")
    return end, letter, src[start:end]


def scan_name(src: str, pos: int, what: str) -> tuple[int, str]:
    """R-12: the name of a tool or a key: bare, quoted or fenced."""
    first = src[pos : pos + 1]
    if first in QUOTED:
        return scan_quoted(src, pos)
    if first == "`":
        return scan_fence(src, pos)
    match = NAME.match(src, pos)
    if match is None:
        raise unexpected(src, pos, what)
    return match.end(), match[0]


def scan_key(src: str, pos: int) -> tuple[int, str | None]:
    """A key and its `=`; (pos, None) where none stands."""
    if match := KEY.match(src, pos):
        return match.end(), match[1]
    if src[pos : pos + 1] in _NAME_QUOTES:
        try:
            end, name = scan_name(src, pos, "a key")
        except DecodeError:
            return pos, None  # a string that is wrong: for the reader of its position to say
        if src.startswith("=", end):
            return end + 1, name
    return pos, None


_NAME_QUOTES = frozenset("\"'`")


def scan_separator(src: str, pos: int, closer: str, value_start: int, step: str | int) -> int:
    """Get the position behind a separator. The value before it began at `value_start`.

    A counted text that ends where no value can has a wrong length: that is its own error (R-24).
    The path of the error is that of the value, `step`.
    """
    if match := SEPARATOR.match(src, pos):
        return match.end()
    end = "the end of the line" if closer == "\n" else repr(closer)
    error = unexpected(src, pos, f"a space or {end}")
    counted = ATOM.match(src, value_start)
    if counted and counted[3] and error.code == Code.SYNTAX:
        error.code = Code.COUNT
    error.path = f"/{escape(str(step))}"
    raise error


def ends(src: str, pos: int, closer: str) -> bool:
    """Say whether the closer stands here; the end of the text ends a line too (R-10)."""
    return src.startswith(closer, pos) or (closer == "\n" and pos == len(src))


def unexpected(src: str, pos: int, expected: str) -> DecodeError:
    """Make the error for a character that cannot stand here."""
    if pos >= len(src):
        msg = f"expected {expected}, found the end of the text"
        return IncompleteError(Code.INCOMPLETE, msg, doc=src, pos=len(src))
    if FORBIDDEN.match(src, pos):
        return _forbidden(src, pos)
    found = "a newline" if src[pos] == "\n" else repr(src[pos])
    return DecodeError(Code.SYNTAX, f"expected {expected}, found {found}", doc=src, pos=pos)


def refused(src: str, pos: int, end: int, refusal: tuple[Code, str]) -> DecodeError:
    """Make the error for a value, read from `pos` to `end`, that its type refuses."""
    code, expected = refusal
    lexeme = src[pos:end]
    found = lexeme if len(lexeme) <= 40 else f"{lexeme[:40]}…"
    return DecodeError(code, f"expected {expected}, found {found!r}", doc=src, pos=pos)


def unknown(
    code: Code, what: str, name: str, known: Iterable[str], src: str, pos: int
) -> DecodeError:
    """Make the error for a name that is not declared, with the nearest that is as a hint."""
    near = get_close_matches(name[:200], list(known)[:1000], n=1)
    hint = f"did you mean {near[0]!r}?" if near else None
    return DecodeError(code, f"no {what} {name[:200]!r}", doc=src, pos=pos, hint=hint)


def lexeme_end(src: str, pos: int) -> int:
    """Get the end of what stands at `pos` for a message: up to what ends a value."""
    return next((i for i in range(pos, min(len(src), pos + 80)) if src[i] in ENDS_VALUE), pos + 80)


def _refuse_forbidden(src: str, start: int, end: int) -> None:
    if match := FORBIDDEN.search(src, start, end):
        raise _forbidden(src, match.start())


def _forbidden(src: str, pos: int) -> DecodeError:
    msg = f"U+{ord(src[pos]):04X} cannot stand in a text"
    return DecodeError(Code.CHARACTER, msg, doc=src, pos=pos)
