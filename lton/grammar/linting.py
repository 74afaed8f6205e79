"""Check grammars for constructs that an engine would misread, ignore or crash on.

This module accepts the part of each dialect that all its engines read in the same way: GBNF in
llama.cpp, xgrammar and llguidance; EBNF (GBNF with lookaheads) in xgrammar; Lark in llguidance,
xgrammar and python-lark; regular expressions in Rust, xgrammar and Python.
`tests/grammar/test_lint.py` has a grammar for each rule, with the engines' reactions.

Three things are not checked: whether the grammar describes the intended text, how long an engine
takes, and whether a greedy lexer reads too much (except for a terminal that ends with a loop before
a literal).
"""

import json
import re
from itertools import chain
from typing import Literal, NoReturn, TypeAlias

from lton._syntax import FORBIDDEN
from lton.errors import Code, GrammarError

Dialect: TypeAlias = Literal["gbnf", "ebnf", "lark", "regex"]
_Options: TypeAlias = list[list[str]]
"""Lists of symbols: the name of a rule or group, "" for a literal, or "?" for an optional item."""

MAX_SIZE: dict[Dialect, int] = {"gbnf": 10**6, "ebnf": 10**6, "lark": 10**6, "regex": 2 * 10**5}
"""The maximum number of characters. A regular expression of a million characters is too large for
llguidance. Every engine reads the other dialects in a few seconds. OpenAI does not publish a limit
(see `max_size` of `lint`)."""
MAX_TIMES = {"gbnf": 1000, "lark": 999_999, "regex": 999_999}
"""The maximum number of repetitions. llama.cpp ignores an upper limit above 1,999 or 2,000."""
MAX_REPEATED = 2000
"""The maximum size of a repetition in llama.cpp: its limit times its number of rules and names."""
MAX_OPTIONS = 1999
"""The maximum options of a choice in Lark. llguidance fails with more than 2,000 items."""
MAX_SYMBOLS = 65_000
"""The maximum literals, terminals, rules and groups in Lark. llguidance panics at 65,525."""
MAX_NESTING = 25
"""The maximum nesting of parentheses. llguidance refuses 29 levels."""
MAX_DEPTH = 500
"""The maximum nesting of rules and groups. At 700 levels, llguidance overflows a stack of 2 MiB."""

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
_MARKS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_LOOKAHEAD = re.compile(rf" \(=({_CHARS % ''})\)$", re.MULTILINE)
"""The lookahead at the end of a rule in xgrammar: the class of characters that may follow."""
_TERMINAL = re.compile(r" */(?:[^/\\]|\\.)+/ *")
_LOOP = re.compile(r"(\[(?:[^\\\[\]]|\\.)+\])(?:[*+]|\{[0-9]+,\})\Z")
_WHY = {
    '"': "a literal without an end, with a flag, or an escape that engines read in different ways",
    "[": "a class that is empty or has no end, or that engines read in different ways",
    "/": "a regular expression that is empty or has flags or no end, or "
    r'has `\\"` in it, of which python-lark loses a backslash: write `\\\"`',
    "\\": "an escape that engines read in different ways",
    ".": "`.`, which has newline in it or not, by engine: write `[^\\x00]`",
    **dict.fromkeys("^$", "an anchor, which Outlines' own engine refuses"),
    "_": "a name that llama.cpp reads to the `_`",
    **dict.fromkeys("{~", "none of {n}, {n,} and {m,n}, in Lark ~n and ~m..n"),
}


def lint(text: str, dialect: Dialect, *, max_size: int | None = None) -> None:
    r"""Raise `GrammarError` for a construct that an engine would misread, ignore or crash on.

    `max_size` is the maximum number of characters, by default `MAX_SIZE`.

    >>> lint('root ::= [a-z]{1,30} "!"', "gbnf")
    >>> lint('root ::= word "!"\nword ::= [a-z]{1,3000}', "gbnf")
    Traceback (most recent call last):
    lton.errors.GrammarError: word, line 2: {1,3000} is more than 1,000, ...
    """
    reader = _Reader("gbnf" if dialect == "ebnf" else dialect)
    size = MAX_SIZE[dialect] if max_size is None else max_size
    if len(text) > size:
        reader.raise_refusal(f"{len(text):,} characters, more than {size:,}")
    if not text.strip():
        reader.raise_refusal("an empty grammar, which llama.cpp ignores")
    if match := FORBIDDEN.search(text):
        reader.raise_refusal(f"{match[0]!r}: llama.cpp ends at U+0000, and UTF-8 has no surrogates")
    if dialect == "lark" and "::=" in text:
        reader.raise_refusal("`::=`, because vLLM then reads the text as EBNF")
    if dialect == "ebnf":
        text = _LOOKAHEAD.sub(lambda match: reader.check_class(match[1]), text)
    if dialect == "regex":
        reader.read_rule("regex", 1, text)
    else:
        reader.read(text)
    reader.check_grammar()


class _Reader:
    """Parses a grammar to rules of symbols.

    While an option is read, each literal in the option is a quotation mark and its text.
    """

    def __init__(self, dialect: str) -> None:
        self.dialect = self.kind = dialect
        self.rule = ""
        self.lines: dict[str, int] = {}
        self.rules: dict[str, _Options] = {}  # groups are named `rule.number`
        self.costs: dict[str, int] = {}  # the number of symbols that llama.cpp makes for a group
        self.known: set[str] = set()
        self.order: list[str] = []  # the rules, each after the rules that it uses
        self.classes: set[str] = set()
        self.regexes: dict[str, str] = {}
        self.single = {"?"}  # symbols that must not be repeated
        self.repeated: list[tuple[str, str]] = []
        self.followed: list[tuple[str, str, str]] = []

    def raise_refusal(self, reason: str, symbol: str = "") -> NoReturn:
        rule = symbol.partition(".")[0] or self.rule
        location = f"{rule}, line {self.lines[rule]}: " if rule in self.lines else ""
        raise GrammarError(Code.GRAMMAR, location + reason)

    def read(self, text: str) -> None:
        for number, line in enumerate(text.split("\n"), 1):
            head = _HEADS[self.dialect].match(line)
            if head:
                self.read_rule(head[1], number, line[head.end() :])
            elif line:
                self.raise_refusal(
                    f"line {number} is not a rule on a line of its own: llama.cpp ends it "
                    "there, xgrammar does not; names are [a-z][a-z0-9-]* in GBNF, but for `true`, "
                    "`false` (xgrammar) and `start` (llguidance), and have no hyphen in Lark"
                )

    def read_rule(self, rule: str, line: int, text: str) -> None:
        self.rule = rule
        if rule in self.lines:
            self.raise_refusal(f"defined again in line {line}, and llama.cpp keeps only that")
        self.lines[rule] = line
        self.known.add(rule)
        self.rules[rule] = self.read_options(text)
        if rule.isupper():
            self.regexes[rule] = text.strip()[1:-1]
            if not _TERMINAL.fullmatch(text):
                self.raise_refusal(
                    "no engine lets a terminal refer to rules: write one regular expression"
                )

    def read_options(self, text: str) -> _Options:
        """Parse the options of a rule. Groups become rules of their own."""
        groups: list[_Options] = [[[]]]
        costs = [0]
        for piece in _READERS[self.kind].finditer(text):
            symbols = groups[-1][-1]
            match piece.lastgroup:
                case "times":
                    symbols[-1:] = [self.add_repetition(symbols[-1:], piece)]
                case "mark" if piece["mark"] == "|":
                    groups[-1].append([])
                case "mark" if piece["mark"] == "(":
                    if len(groups) > MAX_NESTING:
                        self.raise_refusal(f"more than {MAX_NESTING} nested parentheses")
                    groups.append([[]])
                    costs.append(0)
                case "mark" if groups[1:]:
                    options = self.close_group(groups.pop())
                    groups[-1][-1].append(self.add_group(options, costs.pop()))
                case "mark" | "bad" as kind:
                    self.refuse_piece(piece.string[piece.end() - 1 :][:20], is_mark=kind == "mark")
                case _:
                    if self.is_new_name(piece):
                        costs[-1] += 1
                    symbols.append(self.read_symbol(piece, symbols))
        if groups[1:]:
            self.refuse_piece("(", is_mark=True)
        return self.close_group(groups[0])

    def is_new_name(self, piece: re.Match[str]) -> bool:
        return piece.lastgroup == "name" and piece["name"] not in self.known

    def read_symbol(self, piece: re.Match[str], before: list[str]) -> str:
        """Return the symbol for a name, a literal, a class or a pattern that follows others."""
        match piece.lastgroup:
            case "name":
                self.known.add(piece["name"])
                return piece["name"]
            case "text":
                if self.kind == "lark" and before:
                    self.followed.append((before[-1], piece["text"], self.rule))
                return f"'{piece['text']}"
            case "chars":
                return self.check_class(piece["chars"])
            case "regex":
                return self.read_regex(piece["regex"])
        return "?"

    def refuse_piece(self, text: str, *, is_mark: bool) -> NoReturn:
        reason = _WHY.get(text[0], "a construct that engines may read differently")
        self.raise_refusal("an unmatched parenthesis" if is_mark else f"{text!r}: {reason}")

    def read_regex(self, text: str) -> str:
        self.kind = "regex"
        name = self.add_rule(self.read_options(text))
        self.kind = self.dialect
        self.regexes[name] = text
        return name

    def check_class(self, chars: str) -> str:
        if chars not in self.classes:
            try:
                nul = re.match(chars, "\0")
            except re.error:
                self.raise_refusal(
                    f"{chars}: a range that ends before it begins, empty for llama.cpp"
                )
            if nul:
                self.raise_refusal(f"{chars} has U+0000 in it, but not for llama.cpp")
            self.classes.add(chars)
        return ""

    def add_rule(self, options: _Options, cost: int = 0) -> str:
        name = f"{self.rule}.{len(self.rules)}"
        self.rules[name] = options
        self.costs[name] = cost
        return name

    def add_group(self, options: _Options, cost: int) -> str:
        symbols = list(chain.from_iterable(options))
        name = self.add_rule(
            options, 1 + cost + sum(self.costs.get(symbol, 0) for symbol in symbols)
        )
        # llguidance drops the parentheses around one item of GBNF, and then refuses `x*?`.
        if self.dialect == "gbnf" and len(symbols) == 1 and symbols[0] in self.single:
            self.single.add(name)
        return name

    def close_group(self, options: _Options) -> _Options:
        """Check the options of a group and replace each literal with a placeholder."""
        if self.kind == "lark" and len(options) > MAX_OPTIONS:
            self.raise_refusal(
                f"more than {MAX_OPTIONS:,} options: llguidance then accepts nothing"
            )
        if [] in options and self.kind != "lark":  # Lark has no `""`
            self.raise_refusal(
                "an empty option: xgrammar refuses it, or Outlines' own engine misreads it"
            )
        if self.kind == "regex":
            self.check_order(options)
        return [["" if _is_literal(symbol) else symbol for symbol in option] for option in options]

    def check_order(self, options: _Options) -> None:
        words = [option[0] for option in options if len(option) == 1 and _is_literal(option[0])]
        places = {word: index for index, word in enumerate(words)}
        prefixes: list[str] = []
        for word in sorted(places):
            while prefixes and not word.startswith(prefixes[-1]):
                prefixes.pop()
            if prefixes and places[prefixes[-1]] < places[word]:
                self.raise_refusal(
                    f"`{prefixes[-1][1:]}` before `{word[1:]}`: python-lark and Outlines' own "
                    "engine take the first option that fits"
                )
            prefixes.append(word)

    def add_repetition(self, symbols: list[str], piece: re.Match[str]) -> str:
        if not symbols or symbols[0] in self.single:
            self.raise_refusal(
                "a repetition of nothing or of another one: what is lazy, possessive, or "
                "begins with `(?` looks so, and engines take it for different things, or not"
            )
        symbol = "" if _is_literal(symbols[0]) else symbols[0]
        low, high = self.repetition_limits(piece)
        most = low if high is None else high
        cost = self.costs.get(symbol, 1)
        if self.dialect == "gbnf" and cost * most > MAX_REPEATED:
            self.raise_refusal(f"{cost:,} symbols {most} times: llama.cpp makes {MAX_REPEATED:,}")
        if high != 1:
            self.repeated.append((symbol, self.rule))
        cost += 1 if high is None else high - low
        name = self.add_rule([[symbol]] if low else [[symbol], []], cost)
        self.single.add(name)
        return name

    def repetition_limits(self, piece: re.Match[str]) -> tuple[int, int | None]:
        """Return the limits of a repetition."""
        mark = piece["times"]
        if mark in _MARKS:
            return _MARKS[mark]
        low = int(piece["low"])
        high: int | None = low
        if piece["more"]:
            high = int(piece["high"]) if piece["high"] else None
        most = MAX_TIMES[self.dialect]
        if max(low, high or 0) > most:
            self.raise_refusal(f"{mark} is more than {most:,}, which some engines ignore")
        if high is not None and not 0 < high >= low:
            self.raise_refusal(
                f"{mark}: llama.cpp never ends for {{3,2}}, and llguidance refuses {{0}}"
            )
        return low, high

    # --- the whole ---------------------------------------------------------------------------

    def check_grammar(self) -> None:
        self.order_rules({"gbnf": "root", "lark": "start", "regex": "regex"}[self.dialect])
        empty = self.symbols_made_of({"?"}, self.rules)
        ends = self.symbols_made_of({"?", ""}, self.rules)
        for name in self.rules:
            if name not in ends:
                self.raise_refusal("it has no text that ends, so llama.cpp never stops", name)
            if name in empty and name in self.regexes:
                self.raise_refusal("a pattern that matches no text: python-lark refuses it", name)
        for symbol, rule in self.repeated:
            if symbol in empty:
                self.raise_refusal(
                    "a repeated item may be empty: llama.cpp tries every count", rule
                )
        if self.dialect == "lark":
            self.check_lark()
        self.refuse_recursion(empty)

    def check_lark(self) -> None:
        for symbol, text, rule in self.followed:
            loop = _LOOP.search(self.regexes.get(symbol, ""))
            if loop and re.match(loop[1], json.loads(text)):
                self.raise_refusal(
                    f"{text} after {loop[0]}: llguidance reads it as part of that", rule
                )
        parts = chain.from_iterable(chain.from_iterable(self.rules.values()))
        if len(self.rules) + sum(not part.islower() for part in parts) > MAX_SYMBOLS:
            self.raise_refusal(
                f"more than {MAX_SYMBOLS:,} texts, terminals, rules and groups: llguidance panics"
            )

    def symbols_made_of(self, basis: set[str], rules: dict[str, _Options]) -> set[str]:
        """Return the symbols that can expand to symbols of `basis` only."""
        symbols = set(basis)
        before = -1
        while len(symbols) > before:  # runs more than twice only for cycles
            before = len(symbols)
            symbols.update(name for name in self.order if any(map(symbols.issuperset, rules[name])))
        return symbols

    def order_rules(self, start: str) -> None:
        """Record the rules that `start` uses, in the order of first use."""
        visited = {"", "?"}
        path = [(start, iter([start, *self.lines]))]
        while path:
            rule, symbols = path[-1]
            name = next((symbol for symbol in symbols if symbol not in visited), None)
            if name is None:
                self.order.append(path.pop()[0])
            elif name not in self.rules:
                self.raise_refusal(f"`{name}` is not defined", rule)
            elif len(path) > MAX_DEPTH:
                self.raise_refusal(
                    f"reached through {MAX_DEPTH} rules: llguidance then crashes", name
                )
            else:
                visited.add(name)
                path.append((name, chain.from_iterable(self.rules[name])))

    def refuse_recursion(self, empty: set[str]) -> None:
        """Refuse rules that begin with themselves in GBNF, or end with themselves elsewhere."""
        is_left = self.dialect == "gbnf"
        edges = {
            name: [_symbols_at_edge(options, empty, is_left=is_left)]
            for name, options in self.rules.items()
        }
        sound = self.symbols_made_of({"", "?"}, edges)
        name = next((name for name in edges if name not in sound), "")
        circle = set[str]()
        while name and name not in circle:
            circle.add(name)
            name = next(symbol for symbol in edges[name][0] if symbol not in sound)
        if name:
            left_reason = "left recursion: llama.cpp refuses it, or never ends"
            right_reason = "right recursion: llguidance runs out of items"
            self.raise_refusal(left_reason if is_left else right_reason, name)


def _is_literal(symbol: str) -> bool:
    return symbol[:1] == "'"


def _symbols_at_edge(options: _Options, empty: set[str], *, is_left: bool) -> list[str]:
    """Return the symbols with which the options may begin (`is_left`) or end."""
    edge: list[str] = []
    for option in options:
        for symbol in option if is_left else reversed(option):
            edge.append(symbol)
            if symbol not in empty:
                break
    return edge
