"""Test whether the grammars of hostile tool definitions allow only their calls.

    python -m fuzz.grammars [--count 5000] [--seed 0] [--large]

Names, labels, defaults, patterns and descriptions contain characters with a meaning in GBNF, EBNF,
Lark and regular expressions. Each definition gets a grammar in a form. Encoded calls, texts of the
grammar and mutants of both are judged by llguidance (Lark), our own recogniser (GBNF), Python's
`re` (the regular expression) and, if possible, python-lark. They must accept exactly the texts that
decode (`tests.grammar.proof`). Each fault is printed with its seed.

`--large` measures definitions that try to exhaust an emitter instead.
"""

import argparse
import re
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from typing import Any

from lton import LTONError, ToolSet
from lton._syntax import FORMS, STEERING
from lton.errors import GrammarError, SchemaError
from lton.grammar import to_ebnf, to_gbnf, to_lark, to_regex
from lton.grammar.build import Options
from lton.grammar.lexemes import Spellings
from tests.grammar.engines import ENGINES, Accepts
from tests.grammar.proof import Language
from tests.grammar.recogniser import recogniser

EMITTERS: dict[str, Callable[..., str]] = {
    "gbnf": to_gbnf,
    "ebnf": to_ebnf,
    "lark": to_lark,
    "regex": to_regex,
}
LONGEST = 300
"""Characters of a text that Python's `re` is asked about: it tries, and goes back."""
SMALLEST = 600
"""Characters of a grammar that python-lark is asked about."""
MOST_SECONDS, MOST_BYTES = 10, 500_000_000
"""Of one grammar, traced: tracing makes it some three times as slow."""
PIECES = (
    *('"', "'", "`", "```", "\\", "\\\\", '\\"', "\\n", "\\x00", "\\u0022", "\\/", "\n", "\r"),
    *("\t", "\x00", "\x1b", "\x7f", "\x85", "\u2028", "\u2029", "\ufeff", "\ud800", "\udfff"),
    *("::=", "\nroot ::= [^x]*", '" | "', '"i', '" [^"]* "', '")', "root", "start", "true"),
    *("\nstart: /.*/", "%import common.WORD", "\n%ignore /./", "%regex {", "//", "/*", "*/", "#"),
    *("/x/", "/i", "|", "(", ")", "[", "]", "[^", "{", "}", "{0,9999}", "~5", "?", "*", "+", "."),
    *("^", "$", "&&", "--", "~~", "-", "]-[", "(?i)", "(?=", "(?:", "\\d", "\\Z", "\\E", "@{", "<"),
    *(">", "<[0]>", "<think>", "</tool_call>", "<|im_end|>", "!call ", "_", "s3:", "&", "=", ","),
    *(":", " ", "é", "東", "😀", "\U0010ffff", "null", "-0", "1e9", "x", "ab", "7", "$ref", "%s"),
)
PATTERNS = (
    *('^"$', '^["\\\\]+$', "^[\\]\\[^-]{1,3}$", "^(a|ab|abc)$", "^\\x22\\x5c$", "^a/b$", "^[/]+$"),
    *("^::=$", "^#[^#]*$", "^(//|/\\*)$", "^%import$", "^[^\\n]{2}$", "^\\u2028$", "^(?:\\||\\))$"),
    *(
        "^\\{2\\}$",
        "^[a-z]{1,9}$",
        "^a{0,3}b?$",
        "x",
        "^x",
        "(a+)+$",
        "^\\S+$",
        "^.$",
        "^$",
        "[\\b]",
    ),
    *("^\\$\\^$", "^[&]{2}$", "^[~-]{2}$", "(?=a)", "(", "\\1", "^\\d{3}-\\d{4}$", "^\\w*$"),
)
"""Patterns: of what grammars write in other ways, and some that no grammar can say."""


class Maker:
    """Generates definitions of tools, which are the same for the same seed."""

    def __init__(self, seed: object) -> None:
        self.random = Random(f"{seed}")

    def text(self, most: int = 4) -> str:
        return "".join(self.random.choices(PIECES, k=self.random.randint(1, most)))

    def name(self, most: int = 4) -> str:
        """Return a string that may be a name (R-303)."""
        return STEERING.sub("", self.text(most)) or "x"

    def value(self) -> Any:
        return self.random.choice([self.text(), self.text(1), 3, -0.5, True, None, "x"])

    def labels(self) -> list[Any]:
        return [self.value() for _ in range(self.random.randint(1, 6))]

    def schema(self, depth: int = 0) -> dict[str, Any]:
        """Return a schema with hostile names and a hostile description."""
        simple: list[Callable[[], dict[str, Any]]] = [
            lambda: {"enum": self.labels()},
            lambda: {"const": self.value()},
            lambda: {"type": "string", "enum": [self.text() for _ in range(3)]},
            lambda: {"type": "string", "pattern": self.random.choice(PATTERNS)},
            lambda: {"type": "string", "pattern": f"^{re.escape(self.text())}$"},
            lambda: {"type": "string", "default": self.text(), "maxLength": 5},
            lambda: {"type": "string", "format": self.random.choice(["date", "ipv4", self.text()])},
            lambda: {"type": self.random.choice(["string", "integer", "number", "boolean"])},
            lambda: {"type": ["string", "null"], "default": self.value()},
            lambda: {"type": "integer", "minimum": -5, "maximum": 10 ** self.random.randint(0, 20)},
        ]
        nested: list[Callable[[], dict[str, Any]]] = [
            lambda: {"type": "array", "items": self.schema(depth + 1), "maxItems": 3},
            lambda: self.object(depth + 1),
            lambda: {"additionalProperties": self.schema(depth + 1), "type": "object"},
            lambda: {"anyOf": [self.schema(depth + 1), self.schema(depth + 1)]},
            lambda: {"$ref": "#/$defs/node"},
        ]
        made = self.random.choice(simple if depth > 2 else simple + nested)()
        return {**made, "description": self.text(), "title": self.text()}

    def object(self, depth: int = 0) -> dict[str, Any]:
        properties = {self.name(3): self.schema(depth) for _ in range(self.random.randint(0, 3))}
        required = [name for name in properties if self.random.random() < 0.7]
        return {"type": "object", "properties": properties, "required": required}

    def definitions(self) -> list[dict[str, Any]]:
        """Return one to three tools, some of which refer to themselves."""
        node = {"type": "object", "properties": {self.name(2): {"$ref": "#/$defs/node"}}}
        return [
            {
                "name": self.name(),
                "description": self.text(),
                "parameters": {**self.object(), "$defs": {"node": node}},
            }
            for _ in range(self.random.randint(1, 3))
        ]


def check(seed: int, counts: Counter[str]) -> Iterator[str]:
    """Return the faults of the grammars of one seed, and count the checked texts."""
    form = FORMS[seed % len(FORMS)]
    counted = 99 if form == "tagged" else 0
    options: Options = {"form": form, "parallel": seed % 3 == 0, "counted": counted}
    counts["definitions"] += 1
    try:
        tools = ToolSet.from_tools(Maker(seed).definitions())
        language = Language(
            tools, form, parallel=options["parallel"], counted=counted, engine="llguidance"
        )
    except (SchemaError, GrammarError):
        counts["refused"] += 1
        return
    except ValueError as error:
        if not str(error).startswith("no grammar"):
            raise
        counts["no grammar"] += 1
        return
    texts: Spellings = "canonical" if form == "punctuated" else "all"  # as in `language`
    others = dict(_others(tools, options | {"bare": True, "bounded": "schema", "texts": texts}))
    for kind, text in language.texts([], Random(seed)):
        verdict = language.judge(text)
        counts[kind] += 1
        counts["accepted"] += verdict.expected
        counts["refused by all"] += not verdict.expected and not verdict.decoded
        if verdict.fault:
            yield f"{verdict.fault}: {language.shortest(text, verdict.fault)!r}"
        for name, accepts in others.items():
            found = accepts(text)
            counts[name] += found is not None
            if found not in (verdict.expected, None):
                yield f"{name} {'accepts' if found else 'refuses'} {text!r}"


def _others(tools: ToolSet, options: Options) -> Iterator[tuple[str, Accepts]]:
    """Return the languages of a definition in the dialects that `Language` does not cover."""
    yield "ebnf", recogniser(to_ebnf(tools, **options))
    with suppress(ValueError):  # there is a map in it, or it is too large
        pattern = re.compile(to_regex(tools, **options))
        yield "regex", lambda text: bool(pattern.fullmatch(text)) if len(text) < LONGEST else None
    if len(lark := to_lark(tools, **options)) < SMALLEST:
        yield "python-lark", ENGINES["python-lark"].load()(lark)


# --- made to exhaust an emitter -------------------------------------------------------------------


def _deep(depth: int, wrap: Callable[[Any], Any]) -> Any:
    made: Any = {"type": "integer"}
    for _ in range(depth):
        made = wrap(made)
    return made


def _of(schema: Any, **more: Any) -> list[dict[str, Any]]:
    parameters = {"type": "object", "properties": {"x": schema}, "required": ["x"], **more}
    return [{"name": "f", "parameters": parameters}]


def _object(named: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": named, "required": [*required]}


LARGE: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "10,000 labels": lambda: _of({"enum": [f"label {i}" for i in range(10_000)]}),
    "10,000 labels of quotes": lambda: _of(
        {"enum": ["\"'`\\" * 9 + str(i) for i in range(10_000)]}
    ),
    "10,000 labels, one in another": lambda: _of(
        {"enum": ["a" * (i // 10) for i in range(10_000)]}
    ),
    "10,000 numbers": lambda: _of({"enum": [*range(10_000)]}),
    "a label of 1 MB": lambda: _of({"enum": ["x" * 10**6, '"\\' * 10**5]}),
    "a name of 100 kB": lambda: [{"name": '"::=' * 25_000}],
    "a description of 1 MB": lambda: _of({"type": "string", "description": "*/ ::= " * 150_000}),
    "2,000 tools": lambda: [{"name": f'f"{i}'} for i in range(2_000)],
    "2,000 parameters": lambda: [
        {"name": "f", "parameters": _object({f'p"{i}': {"type": "string"} for i in range(2_000)})}
    ],
    "500 tools of 20 parameters": lambda: [
        {"name": f"f{i}", "parameters": _object({f"p{j}": {} for j in range(20)})}
        for i in range(500)
    ],
    "60 arrays deep": lambda: _of(_deep(60, lambda one: {"type": "array", "items": one})),
    "900 arrays deep": lambda: _of(_deep(900, lambda one: {"type": "array", "items": one})),
    "60 objects deep": lambda: _of(_deep(60, lambda one: _object({'a"': one}, 'a"'))),
    "12 choices deep": lambda: _of(_deep(12, lambda one: {"anyOf": [one, {"items": one}]})),
    "maxLength 10^9": lambda: _of({"type": "string", "maxLength": 10**9}),
    "minLength 10^9": lambda: _of({"type": "string", "minLength": 10**9}),
    "minLength 99,999": lambda: _of({"type": "string", "minLength": 99_999}),
    "minItems 10^6": lambda: _of({"items": {"enum": ["a"]}, "type": "array", "minItems": 10**6}),
    "maxItems 10^9": lambda: _of({"items": {"enum": ["a"]}, "type": "array", "maxItems": 10**9}),
    "100 items of 100 items": lambda: _of(
        _deep(6, lambda one: {"type": "array", "items": one, "minItems": 100, "maxItems": 100})
    ),
    "a pattern of 10^9": lambda: _of({"type": "string", "pattern": "^a{1000000000}$"}),
    "patterns in one another": lambda: _of({"type": "string", "pattern": "^((a{99}){99}){99}$"}),
    "a pattern of 100 kB": lambda: _of({"type": "string", "pattern": f"^{'[a-z]?' * 16_000}$"}),
    "integers to 10^4000": lambda: _of({"type": "integer", "minimum": 7, "maximum": 10**4000 + 3}),
    "a schema in itself": lambda: _of(
        {"$ref": "#/$defs/n"}, **{"$defs": {"n": {"anyOf": [{"items": {"$ref": "#/$defs/n"}}]}}}
    ),
    "a schema that is itself": lambda: _of(
        {"$ref": "#/$defs/n"}, **{"$defs": {"n": {"$ref": "#/$defs/n"}}}
    ),
    "a $ref that doubles": lambda: _of(
        {"$ref": "#/$defs/n0"},
        **{
            "$defs": {
                f"n{i}": _object({k: {"$ref": f"#/$defs/n{i + 1}"} for k in "ab"}, "a", "b")
                for i in range(30)
            }
            | {"n30": {"type": "integer"}}
        },
    ),
    "300 schemas in a circle": lambda: _of(
        {"$ref": "#/$defs/n0"},
        **{
            "$defs": {
                f"n{i}": _object({"a": {"$ref": f"#/$defs/n{(i + 1) % 300}"}}) for i in range(300)
            }
        },
    ),
}
"""Definitions that are larger than any that somebody means."""


def large(name: str) -> Iterator[str]:
    """Return a line for each dialect and form that took too much, and print the others."""
    definitions = LARGE[name]()
    for dialect, emit in EMITTERS.items():
        for form in FORMS:
            tracemalloc.start()
            start, size = time.process_time(), 0
            said = ""
            try:
                size = len(emit(ToolSet.from_tools(definitions), form=form))
            except (LTONError, ValueError) as error:
                said = f"{getattr(error, 'code', '')} {error}"
            spent, peak = time.process_time() - start, tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            row = f"{name:<30}{dialect:<6}{form:<11}{spent:>7.2f} s {peak / 1e6:>7.1f} MB"
            print(f"{row} {size:>10,} {said[:60]}", flush=True)
            if spent > MOST_SECONDS or peak > MOST_BYTES:
                yield row


def main() -> int:
    """Check some seeds, or large definitions; the exit status is 1 after a fault."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    faults, counts = 0, Counter[str]()
    subjects: list[Any] = [*LARGE] if options.large else []
    subjects = subjects or [*range(options.seed, options.seed + options.count)]
    for subject in subjects:
        for fault in large(subject) if options.large else check(subject, counts):
            faults += 1
            print(f"FAULT {subject}: {fault}", flush=True)
    print(*(f"{count:>9,} {name}" for name, count in counts.items()), sep="\n")
    print(f"{len(subjects)} subjects, {faults} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
