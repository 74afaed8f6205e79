"""Generate hostile texts of any size, which try to exhaust a reader.

`tests/codec/test_hostile.py` reads each once; `python -m fuzz.scale` reads them in two sizes and
compares the time.
"""

from collections.abc import Callable
from dataclasses import dataclass

from lton import ToolSet
from lton.errors import Code
from tests.cases import (
    F_ANY,
    F_INT,
    F_INTS,
    F_MAP,
    F_NUM,
    F_POINT,
    F_STR,
    F_UNIT,
    FREE_ARGS,
    GAPS,
    WEATHER,
    taking,
    tool,
    tools_of,
)

NAMES = tools_of(*(tool("n" * 50 + f"{i:04}") for i in range(5000)))
"""Names so long and so alike that looking for the nearest one is work."""
KEYS = tools_of(tool("f", {"k" * 50 + f"{i:04}": {} for i in range(5000)}))
FEW = tools_of(tool("f", {f"{'k' * 12}{i:04}": {} for i in range(20)}))
LABELS = taking({"items": {"enum": ["l" * 50 + f"{i:04}" for i in range(5000)]}})


@dataclass(frozen=True, slots=True)
class Hostile:
    """A text of any size, and the code of its error (None if it is valid)."""

    make: Callable[[int], str]
    tools: ToolSet | None
    code: Code | None
    size: int = 10**6
    """Of the text in the tests: less where reading it all would take seconds."""


def _joined(one: Callable[[int], str], separator: str = " ") -> Callable[[int], str]:
    return lambda n: separator.join(map(one, range(n)))


def _around(before: str, inner: Callable[[int], str], after: str = "") -> Callable[[int], str]:
    return lambda n: f"{before}{inner(n)}{after}"


DEEP = {
    "arrays": ("f ", "[", F_ANY, Code.DEPTH),
    "maps": ("f ", "{a ", F_ANY, Code.DEPTH),
    "arrays-and-maps": ("f ", "[{a ", F_ANY, Code.DEPTH),
    "records": ("f ", "(", F_POINT, Code.TYPE),
    "parentheses": ("f", "(", F_ANY, Code.TYPE),
    "keyed-arrays": ("f x=", "[", F_ANY, Code.DEPTH),
    "keyed-maps": ("f x=", "{a ", F_ANY, Code.DEPTH),
    "keyed-records": ("f ", "x=(", F_POINT, Code.PARAMETER),
    "punctuated-arrays": ("f(x=", "[", F_ANY, Code.DEPTH),
    "punctuated-maps": ("f(x=", "{'a' ", F_ANY, Code.DEPTH),
    "punctuated-records": ("f(", "x=(", F_POINT, Code.PARAMETER),
    "map-form-arrays": ("f{x ", "[", None, Code.DEPTH),
    "map-form-maps": ("f{x ", "{a ", F_ANY, Code.DEPTH),
    "map-form-braces": ("f", "{", None, Code.SYNTAX),
    "tagged-arrays": ("!call f\n(x ", "[", None, Code.DEPTH),
    "tagged-maps": ("!call f\n(x ", "{a ", None, Code.DEPTH),
    "tagged-row": ("!call f\n(", "[", F_ANY, Code.DEPTH),
    "tagged-parentheses": ("!call f\n", "(", F_ANY, Code.SYNTAX),
    "closers": ("f ", "]", F_ANY, Code.SYNTAX),
}

HOSTILE: dict[str, Hostile] = {
    **{
        f"deep-{name}": Hostile(_around(before, lambda n, piece=piece: piece * n), tools, code)  # type: ignore[misc]
        for name, (before, piece, tools, code) in DEEP.items()
    },
    # --- lengths and digits
    "length": Hostile(lambda n: "f s1000000000000000000:x", F_STR, Code.PREFIX),
    "length-in-limit": Hostile(lambda n: "f s999999999999999:x", F_STR, Code.INCOMPLETE),
    "length-tagged": Hostile(lambda n: f"!call f\n(x s{10**18}:x)", None, Code.PREFIX),
    "length-digits": Hostile(lambda n: "f s" + "1" * n, F_STR, Code.PREFIX),
    "length-digits-colon": Hostile(lambda n: "f s" + "1" * n + ":x", F_STR, Code.PREFIX),
    "lengths": Hostile(lambda n: "f " + "s1" * n, F_STR, Code.SYNTAX),
    "lengths-colon": Hostile(lambda n: "f " + "s1:" * n, F_STR, Code.COUNT),
    "lengths-in-array": Hostile(lambda n: "f [" + "s2:," * n, F_ANY, Code.COUNT),
    "length-wrong-at-end": Hostile(
        lambda n: "f [" + "s1:a " * n + "s1:ab]", F_ANY, Code.COUNT, 100_000
    ),
    "length-wrong-at-start": Hostile(
        lambda n: "f [s1:ab " + "s1:a " * n + "s1:a]", F_ANY, Code.COUNT
    ),
    "length-wrong-then-spaces": Hostile(lambda n: "f s1:a" + "b " * n, F_STR, Code.COUNT),
    "length-wrong-in-calls": Hostile(
        lambda n: "f s1:a\n" * n + "f s1:ab", F_STR, Code.COUNT, 50_000
    ),
    "length-too-large": Hostile(lambda n: f"f s{9 * n}:" + "a b" * n, F_STR, Code.INCOMPLETE),
    "digits": Hostile(lambda n: "f " + "1" * n, F_INT, Code.DIGITS),
    "digits-negative": Hostile(lambda n: "f -" + "9" * n, F_INT, Code.DIGITS),
    "digits-fraction": Hostile(lambda n: "f 0." + "1" * n, F_NUM, Code.DIGITS),
    "digits-exponent": Hostile(lambda n: "f 1e" + "0" * n + "1", F_NUM, Code.DIGITS),
    "digits-tagged": Hostile(lambda n: f"!call f\n(u{n}:{'1' * n})", F_INT, Code.DIGITS),
    "digits-as-string": Hostile(lambda n: "f " + "1" * n, F_STR, None),
    "digits-for-label": Hostile(lambda n: "f " + "1" * n, F_UNIT, Code.LABEL),
    "numbers": Hostile(lambda n: "f [" + "1 " * n + "1]", F_INTS, None, 200_000),
    "fingerprint": Hostile(lambda n: "stop#" + "a" * n, WEATHER, Code.FINGERPRINT),
    # --- keys and names
    "keys": Hostile(_around("m ", _joined(lambda i: f"k{i}=1")), FREE_ARGS, None, 200_000),
    "keys-of-a-map": Hostile(
        _around("f {", _joined(lambda i: f"k{i} 1"), "}"), F_MAP, None, 200_000
    ),
    "keys-map-form": Hostile(_around("f{", _joined(lambda i: f"k{i} 1"), "}"), None, None, 200_000),
    "keys-map-form-with-tools": Hostile(
        _around("m{", _joined(lambda i: f"k{i} 1"), "}"), FREE_ARGS, None, 200_000
    ),
    "numbers-map-form": Hostile(lambda n: "f{x [" + "1 " * n + "1]}", F_INTS, None, 200_000),
    "numbers-map-form-wrong": Hostile(
        lambda n: "f{x [" + "1 " * n + "x]}", F_INTS, Code.TYPE, 200_000
    ),
    "calls-map-form": Hostile(lambda n: "f{x 1}\n" * n, F_INT, None, 100_000),
    "keys-tagged": Hostile(
        _around("!call f\n", _joined(lambda i: f"(k{i} n)", "\n")), None, None, 200_000
    ),
    "keys-unknown": Hostile(
        _around("stop ", _joined(lambda i: f"u{i}=1")), WEATHER, Code.PARAMETER
    ),
    "keys-twice": Hostile(lambda n: "m " + "k=1 " * n, FREE_ARGS, Code.DUPLICATE),
    "keys-fenced": Hostile(
        _around("m ", _joined(lambda i: f"```\n{i}\n```=1")), FREE_ARGS, None, 100_000
    ),
    "key-huge": Hostile(lambda n: "f " + "k" * n + "=1", F_STR, Code.PARAMETER),
    "key-without-equals": Hostile(lambda n: "f " + "k" * n + "!", F_STR, Code.SYNTAX),
    "keys-deep-and-huge": Hostile(
        lambda n: "f " + ("{" + "k/" * (n // 100) + " ") * 64 + "!", F_ANY, Code.SYNTAX
    ),
    "key-of-tildes": Hostile(lambda n: "f {'" + "~/" * n + "' !", F_ANY, Code.SYNTAX),
    "tool-huge": Hostile(lambda n: "x" * n, WEATHER, Code.TOOL),
    "tool-quoted-huge": Hostile(lambda n: "'" + "x " * n + "'", WEATHER, Code.TOOL),
    "tool-near-many": Hostile(lambda n: "n" * 49 + "x0000 " + "n" * n, NAMES, Code.TOOL),
    "key-near-many": Hostile(lambda n: "f " + "k" * 49 + "x0000=" + "1" * n, KEYS, Code.PARAMETER),
    "hints-in-hints": Hostile(
        lambda n: "f s1:a " + "a " * 200 + "k" * 11 + "x0000=1", FEW, Code.SURPLUS
    ),
    "key-twice-huge": Hostile(lambda n: f"f {{{'k' * n} 1 {'k' * n} 2}}", F_MAP, Code.DUPLICATE),
    "label-near-many": Hostile(lambda n: "f [" + "l" * 49 + "x0000" + "l" * n, LABELS, Code.LABEL),
    # --- strings
    "word": Hostile(lambda n: "f " + "x" * n, F_STR, None, 10**7),
    "quoted": Hostile(lambda n: "f '" + "x y" * (n // 3) + "'", F_STR, None, 10**7),
    "counted": Hostile(lambda n: f"f s{n}:" + "\n" * n, F_STR, None, 10**7),
    "fenced": Hostile(lambda n: "f ```\n" + "x`\n" * (n // 3) + "```", F_STR, None, 10**7),
    "payload": Hostile(lambda n: f"!call f\n(x s{n}:" + ")" * n + ")", None, None, 10**7),
    "quotes": Hostile(lambda n: "f " + "'" * n, F_STR, Code.SYNTAX),
    "quotes-open": Hostile(lambda n: "f '" + "x" * n, F_STR, Code.INCOMPLETE),
    "quotes-open-lines": Hostile(lambda n: "f '" + "x\n'" * n, F_STR, Code.UNCLOSED),
    "quotes-both": Hostile(lambda n: "f [" + "'\"" * n, F_ANY, Code.SYNTAX),
    "quotes-as-items": Hostile(lambda n: "f [" + "'' " * n, F_ANY, Code.INCOMPLETE, 200_000),
    "quotes-as-keys": Hostile(lambda n: "f {" + "'' '' " * n, F_ANY, Code.DUPLICATE),
    "quotes-behind-skips": Hostile(lambda n: "g 1 _ '" + "x" * n, GAPS, Code.TYPE),
    "quotes-as-tools": Hostile(lambda n: "'f' x\n" * n, F_STR, None, 100_000),
    "fence-of-backticks": Hostile(lambda n: "f " + "`" * n, F_STR, Code.INCOMPLETE),
    "fence-of-backticks-closed": Hostile(lambda n: "f " + "`" * n + "\n" + "`" * n, F_STR, None),
    "fence-open": Hostile(lambda n: "f ```\n" + "``\n" * n, F_STR, Code.INCOMPLETE),
    "fence-open-long": Hostile(
        lambda n: "f " + "`" * n + "\n" + ("`" * 999 + "\n") * (n // 1000), F_STR, Code.INCOMPLETE
    ),
    "fence-open-as-key": Hostile(lambda n: "m ```\n" + "``\n" * n, FREE_ARGS, Code.SURPLUS),
    "fence-longer": Hostile(lambda n: "f ```\n" + "a\n````" * n, F_STR, Code.SYNTAX),
    "fences": Hostile(lambda n: "f [" + "```\n```," * n, F_ANY, Code.INCOMPLETE, 200_000),
    "fences-growing": Hostile(
        lambda n: "f [" + "".join("`" * i + "\n" for i in range(3, int(n**0.5))),
        F_ANY,
        Code.SYNTAX,
    ),
    # --- separators and lines
    "spaces": Hostile(lambda n: "f x" + " " * n, F_STR, Code.SURPLUS),
    "spaces-and-word": Hostile(
        lambda n: "f [x" + " " * n + "y" + " " * n + "!", F_ANY, Code.SYNTAX
    ),
    "spaces-first": Hostile(lambda n: " " * n, F_STR, Code.SYNTAX),
    "commas": Hostile(lambda n: "f x" + "," * n, F_STR, Code.SYNTAX),
    "commas-and-spaces": Hostile(lambda n: "f [x" + " ," * n, F_ANY, Code.SYNTAX),
    "newlines": Hostile(lambda n: "\n" * n, F_STR, Code.SYNTAX),
    "newlines-behind": Hostile(lambda n: "f x" + "\n" * n, F_STR, Code.SYNTAX),
    "calls": Hostile(lambda n: "f x\n" * n, F_STR, None, 100_000),
    "calls-then-error": Hostile(lambda n: "f x\n" * n + "f '", F_STR, Code.INCOMPLETE, 100_000),
    "calls-tagged": Hostile(lambda n: "!call f\n()\n" * n, None, None, 100_000),
    "sigils": Hostile(lambda n: "!call " * n, F_STR, Code.SYNTAX),
    "repeats": Hostile(lambda n: "stop\n" + "&\n" * n, WEATHER, None, 200_000),
    "ampersands": Hostile(lambda n: "&" * n, WEATHER, Code.REPEAT),
    "ampersands-behind": Hostile(lambda n: "stop\n" + "&" * n, WEATHER, Code.SYNTAX),
    "skips": Hostile(lambda n: "g 1" + " _" * n, GAPS, Code.SURPLUS),
    "equals": Hostile(lambda n: "f x" + "=" * n, F_STR, Code.SYNTAX),
    "characters-outside": Hostile(lambda n: "f s1:\n" + "\U0001f600" * n, F_STR, Code.COUNT),
    "nul-at-end": Hostile(lambda n: "f '" + "x" * n + "\0", F_STR, Code.CHARACTER),
    "surrogate-in-count": Hostile(lambda n: f"f s{n}:" + "x" * n + "\ud800", F_STR, Code.CHARACTER),
}
