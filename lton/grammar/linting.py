"""Refuse grammars that an engine would misread or ignore, or that would crash it.

This module accepts the part of each dialect that all its engines read in the same way: GBNF in
llama.cpp, xgrammar and llguidance; EBNF (GBNF with lookaheads) in xgrammar; Lark in llguidance,
xgrammar and python-lark; regular expressions in Rust's syntax, xgrammar and Python.
`tests/grammar/test_lint.py` has a grammar for each rule, with the engines' reactions.

Three things are not checked: whether the grammar describes the intended text, how long an engine
takes, and whether a greedy lexer reads too much (except for a terminal that ends with a loop before
a literal).
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable
from itertools import chain
from typing import Literal, NoReturn, TypeAlias

from lton._syntax import FORBIDDEN
from lton.errors import Code, GrammarError

Dialect: TypeAlias = Literal["gbnf", "ebnf", "lark", "regex"]
_Options: TypeAlias = list[list[str]]
"""Lists of symbols: the name of a rule or group, "" for a literal, or "?" for an optional item."""

MAX_SIZE: dict[Dialect, int] = {"gbnf": 10**6, "ebnf": 10**6, "lark": 10**6, "regex": 2 * 10**5}
"""The maximum characters. A regular expression of a million characters is too big for llguidance.
Every engine reads the others in some seconds. OpenAI publishes no number (see `max_size` of
`lint`)."""
MAX_TIMES = {"gbnf": 1000, "lark": 999_999, "regex": 999_999}
"""The maximum repetitions; llama.cpp ignores an upper limit above 1,999 or 2,000."""
MAX_REPEATED = 2000
"""The maximum size of a repetition in llama.cpp: its limit times the rules and names in it."""
MAX_OPTIONS = 1999
"""The maximum options of a choice in Lark; llguidance fails with more than 2,000 items."""
MAX_SYMBOLS = 65_000
"""The maximum texts, terminals, rules and groups in Lark; llguidance panics at 65,525."""
MAX_NESTING = 25
"""The maximum nesting of parentheses; llguidance refuses the 29th."""
MAX_DEPTH = 500
"""The maximum nesting of rules and groups; at 700 llguidance overflows a stack of 2 MiB."""

# --- the lexemes: runs are possessive, so that a mismatch fails at once ---------------------------
_HEX = "x[0-9A-Fa-f]{2}(?![0-9A-Fa-f])"
_UNICODE = "u(?!0000|[dD][89A-Fa-f])[0-9A-Fa-f]{4}"
_RAW = r"\\\x00-\x1f\x7f"
_CHARS = rf"\[\^?+(?:(?!&&|--|~~|\|\|)[^{_RAW}\[\]]|\\(?:[nrt\[\]\\%s]|{_HEX}))++\]"
_CHAR = rf"(?:[^{_RAW}.^$*+?(){{}}\[\]|]|\\(?:[nrt]|[ -/:;=?@\[-`{{-~]|(?!x00){_HEX}))"
_TIMES = r"[*+?]|\{(?P<low>[0-9]{1,6})(?P<more>,(?P<high>[0-9]{1,6})?)?\}"
_PIECES = {
    "gbnf": rf"""\ *+(?:(?P<text>"(?:[^"{_RAW}]++|\\(?:[nrt"\\]|(?!x00){_HEX}|{_UNICODE}))++")
        |(?P<chars>{_CHARS % ""})|(?P<name>[a-z][a-z0-9-]*)|(?P<times>{_TIMES})
        |(?P<empty>"")|(?P<mark>[()|])|(?P<bad>.))""",
    "lark": rf"""\ *+(?:(?P<text>"(?:[^"{_RAW}]++
            |\\(?:[nrtf"\\]|{_UNICODE}))++"(?!i))
        |(?P<name>[a-z][a-z0-9_]*|[A-Z][A-Z0-9_]*)|/(?P<regex>(?:[^/\\\n]|\\(?:\\(?!")|[^\\]))++)/(?![imslux])
        |(?P<times>[*+?]|~(?P<low>[0-9]{{1,6}})(?P<more>\.\.(?P<high>[0-9]{{1,6}}))?(?!\w))
        |(?P<mark>[()|])|(?P<bad>.))""",
    "regex": rf"""(?P<text>{_CHAR}+(?![*+?{{])|{_CHAR})|(?P<chars>{_CHARS % "/^-"})
        |(?P<times>{_TIMES})|(?P<mark>[()|])(?:(?<=\()\?:)?|(?P<bad>.)""",
}
_READERS = {kind: re.compile(text, re.DOTALL | re.VERBOSE) for kind, text in _PIECES.items()}
_HEADS = {
    "gbnf": re.compile("(?!(?:start|true|false) *:)([a-z][a-z0-9-]*) *::="),
    "lark": re.compile("([a-z][a-z0-9_]*|[A-Z][A-Z0-9_]*) *:"),
}
_MARKS = {"*": "*0,", "+": "*1,", "?": "*0,1"}
_LOOKAHEAD = re.compile(rf" \(=(?P<chars>{_CHARS % ''})\)$", re.MULTILINE)
"""In xgrammar, the class of characters that may follow a rule, at the end of the rule."""
_WORD = re.compile(" *'([0-9]+) *")
_TERMINAL = re.compile(r" */(?:[^/\\]|\\.)+/ *")
_INNERMOST = re.compile(r"\(([^()]*)\)")
_LOOP = re.compile(r"(\[(?:[^\\\[\]]|\\.)+\])(?:[*+]|\{[0-9]+,\})\Z")
_TIMES_WHY = "none of {n}, {n,} and {m,n}, in Lark ~n and ~m..n, which engines have in common"
_WHY = {
    '"': "a literal without an end, with a flag, or with a character or an escape that engines "
    r"read in different ways (`\x01a` is U+001A for xgrammar)",
    "[": "a class that is empty or has no end, or with something inside that engines read in "
    r"different ways (`[`, `&&`, `--` and `~~` in Rust, `\x01a` in xgrammar)",
    "/": "a regular expression that has flags or no end, or is empty (`//` begins a comment), or "
    r'has `\\"` in it, of which python-lark loses a backslash: write `\\\"`',
    "\\": "an escape that engines read in different ways",
    ".": "`.`, which has newline in it or not, by engine: write `[^\\x00]`",
    "^": "an anchor, which Outlines' own engine refuses",
    "$": "an anchor, which Outlines' own engine refuses",
    "_": "a name that llama.cpp reads to the `_`",
    "{": _TIMES_WHY,
    "~": _TIMES_WHY,
}


def lint(text: str, dialect: Dialect, *, max_size: int | None = None) -> None:
    r"""Raise `GrammarError` if an engine would misread a grammar, and name the engine and the rule.

    `max_size` is a number of characters, by default `MAX_SIZE`.

    >>> lint('root ::= [a-z]{1,30} "!"', "gbnf")
    >>> lint('root ::= word "!"\nword ::= [a-z]{1,3000}', "gbnf")
    Traceback (most recent call last):
    lton.errors.GrammarError: word, line 2: {1,3000} is more than 1,000, ...
    """
    reader = _Reader("gbnf" if dialect == "ebnf" else dialect)
    size = MAX_SIZE[dialect] if max_size is None else max_size
    if len(text) > size:
        reader.refuse(f"{len(text):,} characters, more than {size:,}")
    if not text.strip():
        reader.refuse("no text, which llama.cpp takes for no constraint")
    if match := FORBIDDEN.search(text):
        reader.refuse(f"{match[0]!r}: llama.cpp ends at U+0000, and UTF-8 has no surrogates")
    if dialect == "lark" and "::=" in text:
        reader.refuse("`::=`, for which vLLM takes the text for EBNF")
    if dialect == "ebnf":
        text = _LOOKAHEAD.sub(reader.lookahead, text)
    if dialect == "regex":
        reader.define("regex", 1, text)
    else:
        reader.read(text)
    reader.check()


class _Reader:
    """Reads a grammar into rules of symbols. The content of parentheses also becomes a rule.

    While reading, a rule is a string: symbols, `(`, `)`, `|`, and `*low,high` after repeated
    symbols.
    """

    def __init__(self, dialect: str) -> None:
        self.dialect = self.kind = dialect
        self.rule = ""
        self.lines: dict[str, int] = {}
        self.rules: dict[str, _Options] = {}  # groups have names like `rule.number`
        self.costs: dict[str, int] = {}  # the number of symbols that llama.cpp makes of each rule
        self.known: set[str] = set()  # the names that occurred
        self.texts: list[str] = []
        self.readers: dict[str, Callable[[re.Match[str]], str]] = {
            "name": self.name,
            "mark": lambda piece: piece["mark"],
            "text": self.text,
            "chars": self.chars,
            "empty": lambda _piece: "?",
            "regex": self.regex,
            "times": self.times,
            "bad": self.bad,
        }
        self.classes: set[str] = set()
        self.regexes: dict[str, str] = {}
        self.single = {"?"}  # symbols that no repetition may follow
        self.repeated: list[tuple[str, str]] = []
        self.followed: list[tuple[str, str, str]] = []

    def refuse(self, reason: str, symbol: str = "") -> NoReturn:
        rule = symbol.partition(".")[0] or self.rule
        place = f"{rule}, line {self.lines[rule]}: " if rule in self.lines else ""
        raise GrammarError(Code.GRAMMAR, place + reason)

    def read(self, text: str) -> None:
        for number, line in enumerate(text.split("\n"), 1):
            head = _HEADS[self.dialect].match(line)
            if head:
                self.define(head[1], number, line[head.end() :])
            elif line:
                self.refuse(
                    f"line {number} is not a rule on a line of its own: llama.cpp ends it "
                    "there, xgrammar does not; names are [a-z][a-z0-9-]* in GBNF, but for `true`, "
                    "`false` (xgrammar) and `start` (llguidance), and have no hyphen in Lark"
                )

    def define(self, rule: str, line: int, text: str) -> None:
        self.rule = rule
        if rule in self.lines:
            self.refuse(f"defined again in line {line}, and llama.cpp keeps only that")
        self.lines[rule] = line
        self.known.add(rule)
        self.rules[rule] = self.body(text)
        if rule.isupper():
            self.regexes[rule] = text.strip()[1:-1]
            if not _TERMINAL.fullmatch(text):
                self.refuse(
                    "no engine lets a terminal refer to rules: write one regular expression"
                )

    def body(self, text: str) -> _Options:
        text = _READERS[self.kind].sub(self.symbol, text)
        for _ in range(MAX_NESTING + 1):
            text, groups = _INNERMOST.subn(self.group, text)
            if not groups:
                break
        else:
            self.refuse(f"more than {MAX_NESTING} parentheses in one another: llguidance reads 28")
        if "(" in text or ")" in text:
            self.refuse("a parenthesis without its other half")
        return self.options(text)

    def symbol(self, piece: re.Match[str]) -> str:
        return f" {self.readers[piece.lastgroup or ''](piece)} "

    def name(self, piece: re.Match[str]) -> str:
        name = piece["name"]
        if name in self.known:
            return name
        self.known.add(name)
        return f"{name} +"

    def text(self, piece: re.Match[str]) -> str:
        self.texts.append(piece["text"])
        return f"'{len(self.texts) - 1}"

    def regex(self, piece: re.Match[str]) -> str:
        self.kind = "regex"
        name = self.add(self.body(piece["regex"]))
        self.kind, self.regexes[name] = self.dialect, piece["regex"]
        return name

    def bad(self, piece: re.Match[str]) -> NoReturn:
        found = piece.string[piece.end() - 1 :][:20]
        reason = _WHY.get(found[0], "nothing that engines are known to read alike")
        self.refuse(f"{found!r}: {reason}")

    def chars(self, piece: re.Match[str]) -> str:
        chars = piece["chars"]
        if chars not in self.classes:
            try:
                nul = re.match(chars, "\0")
            except re.error:
                self.refuse(f"{chars}: a range that ends before it begins, empty for llama.cpp")
            if nul:
                self.refuse(f"{chars} has U+0000 in it, but not for llama.cpp")
            self.classes.add(chars)
        return "'"

    def lookahead(self, piece: re.Match[str]) -> str:
        self.chars(piece)
        return ""

    def times(self, piece: re.Match[str]) -> str:
        mark, low = piece["times"], piece["low"]
        if mark in _MARKS:
            return _MARKS[mark]
        high = piece["high"] or ("" if piece["more"] else low)
        most = MAX_TIMES[self.dialect]
        if max(int(low), int(high or 0)) > most:
            self.refuse(f"{mark} is more than {most:,}, which some engine takes for no bound")
        if high and not 0 < int(high) >= int(low):
            self.refuse(f"{mark}: llama.cpp does not end at {{3,2}}, and llguidance refuses {{0}}")
        return f"*{low},{high}"

    def add(self, options: _Options, cost: int = 0) -> str:
        name = f"{self.rule}.{len(self.rules)}"
        self.rules[name], self.costs[name] = options, cost
        return name

    def group(self, inside: re.Match[str]) -> str:
        options = self.options(inside[1])
        groups = sum(self.costs.get(symbol, 0) for symbols in options for symbol in symbols)
        name = self.add(options, 1 + groups + inside[1].count("+"))
        # llguidance removes the parentheses around a single item of GBNF, and then refuses `x*?`.
        if self.dialect == "gbnf" and len(options) == len(options[0]) == 1:
            self.single.update(name for symbol in options[0] if symbol in self.single)
        return f" {name} "

    def options(self, text: str) -> _Options:
        options = text.split("|")
        if self.kind == "lark" and len(options) > MAX_OPTIONS:
            self.refuse(f"more than {MAX_OPTIONS:,} options: llguidance then accepts nothing")
        if self.kind == "regex" and len(options) > 1:
            words = [self.texts[int(word[1])] for word in map(_WORD.fullmatch, options) if word]
            self.check_order({word: place for place, word in enumerate(words)})
        return [self.sequence(option.split()) for option in options]

    def check_order(self, places: dict[str, int]) -> None:
        begun: list[str] = []
        for word in sorted(places):
            while begun and not word.startswith(begun[-1]):
                begun.pop()
            if begun and places[begun[-1]] < places[word]:
                self.refuse(
                    f"`{begun[-1]}` before `{word}`: python-lark and Outlines' own engine take the "
                    "first option that fits"
                )
            begun.append(word)

    def sequence(self, pieces: list[str]) -> list[str]:
        symbols: list[str] = []
        for piece in pieces:
            if piece[0] == "'":
                if self.kind == "lark" and symbols:
                    self.followed.append((symbols[-1], self.texts[int(piece[1:])], self.rule))
                symbols.append("")
            elif piece[0] != "*":
                symbols += [piece] * (piece != "+")
            elif symbols and symbols[-1] not in self.single:
                symbols[-1] = self.repeat(symbols[-1], *piece[1:].split(","))
            else:
                self.refuse(
                    "a repetition of nothing or of another one: what is lazy, possessive, or "
                    "begins with `(?` looks so, and engines take it for different things, or not"
                )
        if not symbols and self.kind != "lark":  # Lark has no `""`
            self.refuse("an empty option: xgrammar refuses it, or Outlines' own engine misreads it")
        return symbols

    def repeat(self, symbol: str, low: str, high: str) -> str:
        cost = self.costs.get(symbol, 1)
        if self.dialect == "gbnf" and cost * int(high or low) > MAX_REPEATED:
            self.refuse(f"{cost:,} symbols {high or low} times: llama.cpp makes {MAX_REPEATED:,}")
        if high != "1":
            self.repeated.append((symbol, self.rule))
        cost += int(high) - int(low) if high else 1
        name = self.add([[symbol]] if int(low) else [[symbol], []], cost)
        self.single.add(name)
        return name

    # --- the whole ---------------------------------------------------------------------------

    def check(self) -> None:
        self.reach({"gbnf": "root", "lark": "start", "regex": "regex"}[self.dialect])
        empty, ends = _made_of(self.rules, {"?"}), _made_of(self.rules, {"?", ""})
        for name in self.rules:
            if name not in ends:
                self.refuse("it has no text that ends, so llama.cpp never stops", name)
            if name in empty and name in self.regexes:
                self.refuse("a regular expression that fits no text: python-lark refuses it", name)
        for symbol, rule in self.repeated:
            if symbol in empty:
                self.refuse("what may be empty is repeated: llama.cpp follows every count", rule)
        for symbol, text, rule in self.followed:
            loop = _LOOP.search(self.regexes.get(symbol, ""))
            if loop and re.match(loop[1], json.loads(text)):
                self.refuse(f"{text} after {loop[0]}: llguidance reads it as part of that", rule)
        parts = chain.from_iterable(chain.from_iterable(self.rules.values()))
        if (
            self.dialect == "lark"
            and len(self.rules) + sum(not part.islower() for part in parts) > MAX_SYMBOLS
        ):
            self.refuse(
                f"more than {MAX_SYMBOLS:,} texts, terminals, rules and groups: llguidance panics"
            )
        self.recursion(empty)

    def reach(self, start: str) -> None:
        """Follow the names in the order of the text, as engines do."""
        seen, path = {"", "?"}, [(start, iter([start, *self.lines]))]
        while path:
            rule, symbols = path[-1]
            name = next((symbol for symbol in symbols if symbol not in seen), None)
            if name is None:
                path.pop()
            elif name not in self.rules:
                self.refuse(f"`{name}` is not defined", rule)
            elif len(path) > MAX_DEPTH:
                self.refuse(f"reached through {MAX_DEPTH} rules: llguidance then crashes", name)
            else:
                seen.add(name)
                path.append((name, chain.from_iterable(self.rules[name])))

    def recursion(self, empty: set[str]) -> None:
        step = 1 if self.dialect == "gbnf" else -1
        edges: dict[str, _Options] = {}
        for name, options in self.rules.items():
            edges[name] = [[]]
            for symbols in options:
                for symbol in symbols[::step]:
                    edges[name][0].append(symbol)
                    if symbol not in empty:
                        break
        sound = _made_of(edges, {"", "?"})
        name = next((name for name in edges if name not in sound), "")
        circle: dict[str, None] = {}
        while name and name not in circle:
            circle[name] = None
            name = next(symbol for symbol in edges[name][0] if symbol not in sound)
        if name:
            why = "llama.cpp refuses it, or never ends", "llguidance runs out of items"
            self.refuse(f"{'left' if step > 0 else 'right'} recursion: {why[step < 0]}", name)


def _made_of(rules: dict[str, _Options], given: set[str]) -> set[str]:
    """Return the symbols that are `given`, or that have an option of only such symbols."""
    ready, found = list(given), set[str]()
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    names: list[str] = []  # in options; `counts` has their open symbols
    counts: list[int] = []
    for name, options in rules.items():
        for symbols in options:
            missing = {*symbols} - given
            if not missing:
                ready.append(name)
            elif "" not in missing:
                for symbol in missing:
                    waiting[symbol].append(len(names))
                names.append(name)
                counts.append(len(missing))
    while ready:
        symbol = ready.pop()
        if symbol not in found:
            found.add(symbol)
            for option in waiting[symbol]:
                counts[option] -= 1
                if not counts[option]:
                    ready.append(names[option])
    return found
