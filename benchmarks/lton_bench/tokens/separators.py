"""Compare separators of values: calls in each spelling that R-302 allows, by tokenizer.

`python -m lton_bench.tokens.separators [--dataset NAME]…` prints the ratios to minified JSON in
Markdown, and then the ratios of other spellings of calls.
"""

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from statistics import geometric_mean
from typing import TypeAlias

from lton._json import minified
from lton._syntax import BARE, CLOSING, FORBIDDEN, LETTERS, SKIP, fenced, spell_text
from lton.codec import encode
from lton.errors import EncodeError
from lton.schema import Call, ToolSet
from lton.schema.types import Tool
from lton.tokens import counter
from lton_bench.tokens.datasets import datasets
from lton_bench.tokens.formats import FORMATS
from lton_bench.tokens.pieces import Turn, text_of
from lton_bench.tokens.results import TOKENIZERS

Rule: TypeAlias = Callable[[str, str], str]
"""A function from a value's last character and the next value's first to the separator."""
Texts: TypeAlias = Mapping[str, Sequence[str | None]]
"""Calls by data set, or None if they cannot be written."""

OPENING = frozenset("\"'`[({")


def CANONICAL(before: str, after: str) -> str:  # noqa: N802 - one of RULES
    """Return a comma after a closing quote or bracket unless a letter follows, as `lton` does."""
    return "," if before in CLOSING and after not in LETTERS else " "


RULES: Mapping[str, Rule] = {
    "a space always": lambda _before, _after: " ",
    "a comma between two in quotes or brackets": lambda before, after: (
        "," if before in CLOSING and after in OPENING else " "
    ),
    "a comma after every closing quote or bracket": lambda before, _: (
        "," if before in CLOSING else " "
    ),
    "**a comma there unless a letter follows**": CANONICAL,
    "and after `_` before a digit": lambda before, after: (
        "," if before == SKIP and after.isdigit() else CANONICAL(before, after)
    ),
    "before an opening one too, unless a letter follows": lambda before, after: (
        "," if after in OPENING else CANONICAL(before, after)
    ),
    "a comma unless a letter follows": lambda _, after: " " if after in LETTERS else ",",
    "a comma always": lambda _before, _after: ",",
    "a comma and a space always": lambda _before, _after: ", ",
}


def joined(words: Iterable[str], rule: Rule) -> str:
    """Return values in a row.

    >>> joined(['"San Leandro"', "7", "C"], CANONICAL)
    '"San Leandro",7 C'
    """
    text = ""
    for word in words:
        text += (rule(text[-1], word[0]) if text else "") + word
    return text


# --- canonical texts, spelled otherwise -----------------------------------------------------------

_PART = re.compile(
    r"""(?P<counted>(?<![^ ,\[({=])s[0-9]+:)|"[^"\n]*"|'[^'\n]*'|(?P<ticked>`[^`\n]*`)"""
    r"""|(?P<space>[ ,])|(?P<line>\n)|(?P<open>[\[({])|(?P<close>[\])}])|[^ ,\[\](){}"'`\n]+""",
    re.VERBOSE,
)


def parts(text: str) -> Iterator[tuple[str, str]]:
    """Split a canonical call in the wire or keyed form into parts with their kinds.

    "separator", "text" (a string without its length or its backticks) or ""; the space behind a
    name or a key is not a separator.

    >>> list(parts('f {a 1},"x"'))[5:]
    [('1', ''), ('}', ''), (',', 'separator'), ('"x"', '')]
    """
    groups, at = [("", 0)], 0  # what opened each group, and the spaces in it so far
    while at < len(text):
        match = _PART.match(text, at)
        assert match is not None
        kind, part, at = match.lastgroup, match[0], match.end()
        if kind == "counted":
            end = at + int(part[1:-1])
            part, at, kind = text[at:end], end, "text"
        elif kind == "ticked":
            part, kind = part[1:-1], "text"
        elif kind == "space":
            opener, spaces = groups.pop()
            groups.append((opener, spaces + 1))
            is_after_name = spaces == 0 if not opener else opener == "{" and spaces % 2 == 0
            kind = "" if is_after_name else "separator"
        elif kind == "line":
            groups = [("", 0)]
        elif kind == "open":
            groups.append((part, 0))
        elif kind == "close":
            groups.pop()
        yield part, kind if kind in ("separator", "text") else ""


def respelled(text: str, rule: Rule, string: Callable[[str], str] | None = None) -> str:
    """Return a canonical call with other separators, and other spellings of bare strings."""
    spell = string or in_backticks
    found = [(spell(part), "") if kind == "text" else (part, kind) for part, kind in parts(text)]
    spelled = [
        rule(found[index - 1][0][-1], found[index + 1][0][0]) if kind else part
        for index, (part, kind) in enumerate(found)
    ]
    return "".join(spelled)


def counted(content: str) -> str:
    """Return a string with its length."""
    return f"s{len(content)}:{content}"


def in_backticks(content: str) -> str:
    """Return a string in backticks if it contains both quotes, as `lton` does."""
    return counted(content) if re.search("[`\n\r]", content) else f"`{content}`"


def in_fences(content: str) -> str:
    """Return a string of several lines in a fence, and other strings as `in_backticks` does."""
    return fenced(content) if "\n" in content else in_backticks(content)


_OPENER = re.compile(r"[A-Za-z0-9./:@+*-]")
_COUNT_OR_KEY = re.compile(r"s[0-9]|[A-Za-z0-9_./-]+=")


def to_line_end(call: Call, tool: Tool, text: str) -> str:
    """Return a call whose last argument is the rest of the line, if possible.

    >>> tools = ToolSet.from_prompt("bash(command)")
    >>> to_line_end(Call("bash", {"command": "ls | wc"}), tools.by_name["bash"], 'bash "ls | wc"')
    'bash ls | wc'
    """
    row, keyed = tool.args.arrange(call.arguments)
    last = row[-1] if len(row) == len(tool.args.params) and row and not keyed else None
    if last is None or last.type.string is None or last.type.has_labels:
        return text
    value = call.arguments[last.name]
    if not isinstance(value, str) or BARE.fullmatch(value) or re.search("[\n\r]|^ | $", value):
        return text
    if not _OPENER.match(value) or _COUNT_OR_KEY.match(value) or FORBIDDEN.search(value):
        return text
    spelled = spell_text(value, bare=False)
    return text.removesuffix(spelled) + value if text.endswith(spelled) else text


# --- figures --------------------------------------------------------------------------------------


@cache
def _tokens(text: str, tokenizer: str) -> int:
    return counter(tokenizer).count(text).tokens


def ratios(
    texts: Mapping[str, Texts], base: Texts, tokenizers: Sequence[str]
) -> dict[str, dict[str, list[float]]]:
    """Return the tokens of each spelling by data set and tokenizer."""
    sums = {
        name: [sum(_tokens(text or "", each) for text in some) for each in tokenizers]
        for name, some in base.items()
    }
    return {
        spelling: {
            name: [
                sum(_tokens(text or "", each) for text in some) / whole
                for each, whole in zip(tokenizers, sums[name], strict=True)
            ]
            for name, some in by_set.items()
            if None not in some
        }
        for spelling, by_set in texts.items()
    }


def printed(
    found: Mapping[str, Mapping[str, Sequence[float]]],
    sets: Iterable[str],
    tokenizers: Sequence[str],
) -> str:
    """Return a table of means and worst tokenizers, and a table by tokenizer for each data set."""
    sets = list(sets)
    lines = [f"| | {' | '.join(sets)} |", "|---" * (len(sets) + 1) + "|"]
    for spelling, by_set in found.items():
        cells = [_mean(by_set[name]) if name in by_set else "" for name in sets]
        lines.append(f"| {spelling} | {' | '.join(cells)} |")
    for name in sets:
        lines += ["", f"{name}, by tokenizer", "", f"| | {' | '.join(tokenizers)} |"]
        lines.append("|---" * (len(tokenizers) + 1) + "|")
        for spelling, by_set in found.items():
            cells = [f"{ratio:.4f}" for ratio in by_set.get(name, ())]
            lines.append(f"| {spelling} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _mean(row: Sequence[float]) -> str:
    return f"{geometric_mean(row):.4f} (to {max(row):.3f})"


def _written(turns: Iterable[Turn]) -> Iterator[tuple[str, ...]]:
    """Yield each turn in the wire form, as minified JSON and as a positional JSON array."""
    forms = {form.name: form.write for form in FORMATS}
    tools: dict[int, ToolSet] = {}
    for turn in turns:
        known = tools.get(id(turn.tools)) or ToolSet.from_tools(turn.tools)
        tools[id(turn.tools)] = known
        yield tuple(
            text_of(forms[name](turn.calls, known))
            for name in ("LTON wire", "JSON minified", "JSON array")
        )


def _alone(turns: Iterable[Turn]) -> Iterator[tuple[str, ...]]:
    """Yield each call that fits its schema: with spaces, canonical, and with a bare last string."""
    for turn in turns:
        tools = ToolSet.from_tools(turn.tools)
        for call in turn.calls:
            try:
                wire = encode(call, tools)
            except EncodeError:
                continue
            spaced = respelled(wire, RULES["a space always"], counted)
            json = minified({"name": call.name, "arguments": call.arguments})
            yield spaced, wire, to_line_end(call, tools.by_name[call.name], wire), json


def _spellings(rows: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, Texts]:
    spelled: dict[str, Callable[[str], str]] = {
        name: partial(respelled, rule=rule) for name, rule in RULES.items()
    }
    for name, string in (("both quotes counted", counted), ("a fence for lines", in_fences)):
        spelled[f"and {name}"] = partial(respelled, rule=CANONICAL, string=string)
    return {
        name: {key: [spell(row[0]) for row in some] for key, some in rows.items()}
        for name, spell in spelled.items()
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", action="append", metavar="NAME")
    options = parser.parse_args()
    known = datasets()
    units = {name: list(known[name].load()) for name in options.dataset or known}
    turns = {
        name: [unit for unit in some if isinstance(unit, Turn)] for name, some in units.items()
    }
    rows = {name: list(_written(some)) for name, some in turns.items() if some}
    for column, about in ((1, "minified JSON"), (2, "the positional JSON array")):
        base = {name: [row[column] for row in some] for name, some in rows.items()}
        found = ratios(_spellings(rows), base, TOKENIZERS)
        print(f"Beside {about}\n\n{printed(found, rows, TOKENIZERS)}\n")
    alone = {name: list(_alone(some)) for name, some in turns.items() if some}
    base = {name: [row[3] for row in some] for name, some in alone.items()}
    texts = {
        about: {name: [row[column] for row in some] for name, some in alone.items()}
        for column, about in enumerate(("spaces", "canonical", "last text to the line's end"))
    }
    print(f"Calls alone\n\n{printed(ratios(texts, base, TOKENIZERS), alone, TOKENIZERS)}\n")
    for name, some in alone.items():
        print(
            f"{name}: {sum(row[1] != row[2] for row in some)} of {len(some)} have such a last text"
        )


if __name__ == "__main__":
    main()
