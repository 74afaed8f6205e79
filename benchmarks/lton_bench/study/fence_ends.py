"""Compare rules for the end of a fence, by the copies that models write under each rule.

    python -m lton_bench.study.fence_ends --model smollm2 --count 30 --out benchmarks/results

Earlier versions of 0.1 closed a fence at backticks at the start of a line, and later at the first
backticks. Each model copies messages, functions, and functions with three backticks inside a line
into calls: greedily, with two examples, under the grammar of each rule and without a grammar. The
answer without a grammar is read by each rule. A copy is right if it equals the original exactly,
except newlines at the end.
"""

import argparse
import ast
import gzip
import json
import re
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from lton import Call, ToolSet
from lton.codec import encode
from lton.engines.server import ServerEngine
from lton.generate import Shot
from lton.generate.chat import chat
from lton.grammar.build import build
from lton.grammar.gbnf import print_gbnf
from lton_bench.study.figures import accuracy, compare
from lton_bench.study.gateways import post
from lton_bench.study.models import served
from lton_bench.study.report import head, interval, row

__all__ = [
    "NOW",
    "RULES",
    "Case",
    "Rule",
    "cases",
    "grammars",
    "main",
    "markdown",
    "read",
    "within",
]

_ARGUMENTS = {"write": ("path", "content"), "send": ("to", "body")}
_SIGNATURES = {tool: f"{tool}({a}:str {b}:str)" for tool, (a, b) in _ARGUMENTS.items()}
TOOLS = {tool: ToolSet.from_prompt(text) for tool, text in _SIGNATURES.items()}
MESSAGES = Path("tests/chat/tau-airline.jsonl.gz")
MODULES = "argparse ast calendar copy csv difflib gettext glob heapq inspect json/decoder".split()
MODULES += "locale mimetypes netrc optparse pprint random shlex shutil statistics textwrap".split()
_LENGTHS = range(60, 301)
"""The lengths of passages to copy, in characters."""
_LINES = range(3, 11)
_MORE = 40
"""The most tokens of an answer in addition to the passage."""
_GRAMMAR, _ALONE = "grammar", "no grammar"
_EXAMPLE = '    """Return the result.\n\n    Example: ```{name}(1)``` returns it.\n    """\n'


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for the end of a fence of three backticks, as GBNF and as a regular expression."""

    name: str
    gbnf: str
    text: str
    follows: str = ""
    """The text that must follow the last backticks, as a lookahead."""


_HEAD = '"```" "+"? "\\n" '
NOW = Rule("where its value may end", "", r"(?:`{0,2}[^`]|`{3,}[^`,;)\]}=])*", r"(?=[,;)\]}=])")
RULES = (
    Rule(
        "at the start of a line",
        _HEAD + '("`"{0,2} ([^`\\n\\x00] [^\\n\\x00]*)? "\\n")* "```"',
        r"(?:`{0,2}(?:[^`\n][^\n]*)?\n)*",
    ),
    Rule(
        "at the first run",
        _HEAD + r'([^`\x00] | "`" [^`\x00] | "``" [^`\x00])* "```"',
        r"(?:`{0,2}[^`])*",
    ),
    NOW,
)
"""The two rules of earlier versions, and the current rule."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question that expects a call with a passage of several lines."""

    kind: str
    question: str
    call: Call

    @property
    def text(self) -> str:
        """The passage to copy."""
        *_, text = self.call.arguments.values()
        assert isinstance(text, str)
        return text


def _asked(tool: str, to: str, text: str) -> tuple[str, Call]:
    """Return a question, and the expected call."""
    first, last = _ARGUMENTS[tool]
    task = f"Write the file {to}." if tool == "write" else f"Send {to} this message:"
    return f"{task}\n\n{text}", Call(tool, {first: to, last: text})


def _messages() -> Iterator[Case]:
    with gzip.open(MESSAGES, "rt", encoding="utf-8") as file:
        sessions = [json.loads(line) for line in file]
    said = (each for session in sessions for each in session["messages"])
    texts = dict.fromkeys(each["content"] for each in said if each["role"] == "assistant")
    for number, text in enumerate(filter(_fits, texts)):
        yield Case("messages", *_asked("send", ("ada", "bo", "cem", "dana")[number % 4], text))


def _fits(text: str | None) -> bool:
    return text is not None and len(text) in _LENGTHS and text.count("\n") + 1 in _LINES


@cache
def _functions() -> list[tuple[str, str]]:
    """Return names and sources of functions of the standard library."""
    found = []
    for module in MODULES:
        source = Path(sysconfig.get_path("stdlib"), f"{module}.py").read_text("utf-8")
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef):
                text = ast.get_source_segment(source, node) or ""
                if _fits(text) and "```" not in text:
                    found.append((node.name, text))
    return found


def _files() -> Iterator[Case]:
    for name, text in _functions():
        yield _file("files", name, text)


def _quoting_files() -> Iterator[Case]:
    """Yield functions whose docstring has three backticks inside a line."""
    for name, text in _functions():
        first, _, rest = text.partition("\n")
        if first.endswith(":") and '"""' not in rest:
            example = _EXAMPLE.format(name=name)
            yield _file("files with backticks", name, f"{first}\n{example}{rest}")


def _file(kind: str, name: str, text: str) -> Case:
    return Case(kind, *_asked("write", f"{name.strip('_')}.py", text))


def cases(count: int, quoting: int) -> Iterator[Case]:
    """Yield `count` messages and files in turn, then `quoting` files with backticks."""
    kinds = [list(kind()) for kind in (_messages, _files, _quoting_files)]
    for kind in kinds:
        Random(kind[0].kind).shuffle(kind)  # noqa: S311 - the same cases each time
    for pair in zip(range(count), *kinds[:2], strict=False):
        yield from pair[1:]
    yield from kinds[2][:quoting]


SHOTS = {
    "write": (
        ("add.py", "def add(a, b):\n    return a + b"),
        ("show.py", "def show(text):\n    if text:\n        print(text)"),
    ),
    "send": (
        ("eve", "Hello Eve,\n\nthe train leaves at 9.\n- Tom"),
        ("kim", "Two rooms are free:\n\n1. Room 12\n2. Room 40\n\nWhich one?"),
    ),
}


def _shot(tool: str, to: str, text: str) -> Shot:
    question, call = _asked(tool, to, text)
    return Shot(question, [call])


def grammars(tools: ToolSet) -> dict[str, str]:
    """Return the grammar of each rule by name: the current grammar with another fence."""
    now = print_gbnf(build(tools, form="punctuated"))
    fence = re.search(r'"```" "\+"\? "\\n" .*?"```"', now)
    assert fence
    return {rule.name: now.replace(fence[0], rule.gbnf or fence[0]) for rule in RULES}


def within(text: str, rule: Rule) -> str | None:
    r"""Return the beginning of an answer that is a call in the grammar of a rule, or None.

    A model that writes such a call without a grammar writes the same call under the grammar: each
    token was the likeliest, and the grammar allows each.

    >>> within('send(to="a", body=```\nx``` y\n```)', RULES[1])
    >>> within('send(to="a", body=```\nx\n```)\nDone', NOW)
    'send(to="a", body=```\nx\n```)'
    """
    found = _call(rule).match(text)
    return found and found[0]


def read(text: str, rule: Rule) -> Call | None:
    r"""Return the call in an answer, read by a rule, or None.

    >>> read('write(path="a", content=```\nx ``` y\n```)', RULES[0])
    Call(name='write', arguments={'path': 'a', 'content': 'x ``` y'})
    """
    found = _call(rule).fullmatch(text)
    if found is None:
        return None
    tool = "write" if found["path"] else "send"
    values = [_value(found[name]) for name in _ARGUMENTS[tool]]
    return Call(tool, dict(zip(_ARGUMENTS[tool], values, strict=True)))


def _call(rule: Rule) -> re.Pattern[str]:
    fence = rf"```\+?\n{rule.text}```{rule.follows}"
    value = rf"(?:\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]+`|{fence})"
    calls = (
        rf"{tool}\({first}=(?P<{first}>{value}), {last}=(?P<{last}>{value})\)"
        for tool, (first, last) in _ARGUMENTS.items()
    )
    return re.compile("|".join(calls))


def _value(spelled: str) -> str:
    """Return the string of a value in quotes or in a fence."""
    if not spelled.startswith("```"):
        return spelled[1:-1]
    head, _, text = spelled[:-3].partition("\n")
    return text if head.endswith("+") else text.removesuffix("\n")


def _kept(answered: Mapping[str, Any]) -> Case:
    """Return the case of kept answers, also if another Python has other functions."""
    tool = "send" if answered["kind"] == "messages" else "write"
    return Case(answered["kind"], *_asked(tool, "", answered["wanted"]))


def answer(engine: ServerEngine, prompt: Sequence[int], most: int, grammar: str = "") -> str:
    """Return the answer of a model, without or under a grammar."""
    body = {"prompt": list(prompt), "n_predict": most, "temperature": 0, "cache_prompt": True}
    body |= {"samplers": ["temperature"], "stop": ["<|im_end|>"]}
    body |= {"grammar": grammar} if grammar else {}
    return str(post(f"{engine.base}/completion", body)["content"])


def asked(engine: ServerEngine, case: Case, texts: dict[str, str]) -> dict[str, Any]:
    """Ask a model for a copy, without a grammar and under each grammar that `texts` lacks."""
    tool = case.call.name
    shown = chat(
        TOOLS[tool],
        case.question,
        [_shot(tool, *shot) for shot in SHOTS[tool]],
        written=lambda calls, tools: encode(calls, tools, form="punctuated"),
    )
    prompt, most = engine.prompt(shown), len(engine.tokenize(case.text)) + _MORE
    alone = texts.get(_ALONE) or answer(engine, prompt, most)
    found = {_ALONE: alone}
    for rule in RULES:
        known = texts.get(rule.name) or within(alone, rule)
        found[rule.name] = known or answer(engine, prompt, most, grammars(TOOLS[tool])[rule.name])
    return {"kind": case.kind, "wanted": case.text, "answers": found}


def outcomes(case: Case, texts: Mapping[str, str], way: str) -> dict[str, str]:
    """Name the outcome of each rule, for the answer under its grammar or without a grammar."""
    return {
        rule.name: _outcome(case, read(texts[rule.name if way == _GRAMMAR else _ALONE], rule))
        for rule in RULES
    }


def _outcome(case: Case, call: Call | None) -> str:
    """Name the difference between a call and the expected call."""
    if call is None:
        return "unread"
    *_, text = [*call.arguments.values()] or [None]
    wanted = case.text.rstrip("\n")
    if call.name != case.call.name or not isinstance(text, str):
        return "wrong"
    if text.rstrip("\n") == wanted:
        return "right"
    # What is cut off in silence is worse than a slip in the copy.
    cut = len(text) < len(wanted) and wanted.startswith(text.rstrip("` \n"))
    return "cut" if cut else "wrong"


_ABOUT = """\
`make study-fence-ends` writes this. Each model copies passages of 60 to 300 characters and 3 to
10 lines into calls of two tools, greedily, with two examples, through a llama.cpp server.
*Messages* were written by assistants in tau-airline, *files* are functions of Python's standard
library, and *files with backticks* are such functions with three backticks inside a line of the
docstring. *Right* copies equal the original, except newlines at the end. *Cut* copies end too
early and are read without an error. *Unread* copies are errors. Shares have 95 % intervals
(Wilson). *Difference* is the share of right copies minus the share with the current rule, on the
same cases (bootstrap)."""


def markdown(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return a table for each model."""
    lines = ["# Where a fence closes, and whether models write it", "", _ABOUT, ""]
    for model, answered in results.items():
        found = [each for each in answered if len(each["answers"]) > len(RULES)]
        lines += [f"## {model}", ""]
        lines += head("", "", "a fence closes", "cases", "right", "difference", "cut", "unread")
        for kind in dict.fromkeys(each["kind"] for each in found):
            for way in (_GRAMMAR, _ALONE):
                of = [
                    outcomes(_kept(each), each["answers"], way)
                    for each in found
                    if each["kind"] == kind
                ]
                lines += [row(kind, way, *cells) for cells in _cells(of)]
        lines.append("")
    return "\n".join(lines)


def _cells(found: Sequence[Mapping[str, str]]) -> Iterator[tuple[object, ...]]:
    right = {rule.name: [each[rule.name] == "right" for each in found] for rule in RULES}
    for rule in RULES:
        said = [each[rule.name] for each in found]
        share = interval(asdict(accuracy(right[rule.name])))
        compared = compare(right[rule.name], right[NOW.name]).difference
        difference = "" if rule is NOW else interval(asdict(compared))
        yield (rule.name, len(found), share, difference, said.count("cut"), said.count("unread"))


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask each model the remaining questions, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--quoting", type=int, default=10, help="cases with backticks")
    parser.add_argument("--out", type=Path, default=Path("build/study"))
    options = parser.parse_args(arguments)
    file: Path = options.out / "study" / "fence-ends.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    results = json.loads(file.read_text("utf-8")) if file.exists() else {}
    for model in options.model:
        known = {each["wanted"]: each["answers"] for each in results.get(model, ())}
        found = {each["wanted"]: each for each in results.get(model, ())}
        with served(model, 2048) as engine:
            for case in cases(options.count, options.quoting):
                if case.text not in known or len(known[case.text]) <= len(RULES):
                    found[case.text] = asked(engine, case, known.get(case.text, {}))
                    results[model] = list(found.values())
                    file.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
        (options.out / "fence-ends.md").write_text(markdown(results), "utf-8")


if __name__ == "__main__":
    main()
