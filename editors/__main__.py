"""Generate the editors' grammars from the terminals of the library: `python -m editors`.

This writes the whole TextMate grammar of VS Code and GitHub, and the terminals of tree-sitter's
grammar. After a change of these, or of its `grammar.js`, run `tree-sitter generate` to build the
parser again.
"""

import json
import re
from pathlib import Path
from typing import Any, TypeAlias

from lton._syntax import (
    ATOM_LETTERS,
    FENCE_ENDS,
    FINGERPRINT_DIGITS,
    HEX_CLASS,
    LITERALS,
    NAME_CLASS,
    NULL_ATOM,
    QUOTES,
    REPEAT,
    SIGIL,
    SIGILS,
    SKIP,
    WORD_CLASS,
)

HERE = Path(__file__).parent
COUNTED_UP_TO = 256
"""TextMate's patterns cannot count: there is one for each length, and a longer text is taken to
reach to the end of its line."""

Rule: TypeAlias = dict[str, Any]

_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_LINE_QUOTED = "|".join(
    f"{quote}[^{quote}\\n\\r]{'+' if quote == '`' else '*'}{quote}" for quote in QUOTES
)
_WORD_ENDS = f"(?![{WORD_CLASS}])"
_SIGIL_WORDS = "|".join(each.strip() for each in SIGILS if not each.strip().endswith(":"))
_NO_CALL = next(each.strip() for each in SIGILS if each.strip().endswith(":"))
_KEY = f"[{NAME_CLASS}]+|{_LINE_QUOTED}"
_HEADER = f"(?<header>\\((?:[^()\"'`\\n]|{_LINE_QUOTED}|\\g<header>)*\\))"
_FENCE = r"(`{3,})(\+?)$"
_CLOSED = r"(?=[ ,;)\]}]|$)"


def terminals() -> dict[str, str]:
    """Return the terminals that `grammar.js` reads."""
    return {
        "call": SIGIL.strip(),
        "answers": "|".join(each.strip() for each in SIGILS if each != SIGIL),
        "fingerprint": f"#[{HEX_CLASS}]{{{FINGERPRINT_DIGITS}}}",
        "literal": "|".join(LITERALS),
        "number": _NUMBER.replace("(?:", "("),
        "quoted": _LINE_QUOTED,
        "repeat": REPEAT,
        "separator": " *, *| +",
        "skip": SKIP,
        "word": f"[{WORD_CLASS}]+",
    }


def text_mate() -> Rule:
    """Return the TextMate grammar."""
    values = _values()
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "LTON",
        "scopeName": "source.lton",
        "fileTypes": ["lton"],
        "patterns": _included("tagged", "no-call", "frame", "fenced-name"),
        "repository": {
            "tagged": _group(
                "^\\(", "\\)", "atom", "comma", "tagged-map", "tagged-array", "tagged-entry"
            ),
            "tagged-entry": _entry(_included("atom", "tagged-map", "tagged-array")),
            "tagged-array": _group("\\[", "\\]", "atom", "tagged-map", "tagged-array", "comma"),
            "tagged-map": _group("\\{", "\\}", "tagged-entry", "comma"),
            "atom": {"patterns": _atoms()},
            "no-call": {
                "begin": f"^({_NO_CALL})(?= )",
                "end": "$",
                "beginCaptures": {"1": {"name": "keyword.control.lton"}},
                "patterns": values,
            },
            "frame": {
                "begin": f"^(?:({_SIGIL_WORDS}) )?(?:({REPEAT})|({_KEY}))(#[{HEX_CLASS}]+)?",
                "end": "$",
                "beginCaptures": {
                    "1": {"name": "keyword.control.lton"},
                    "2": {"name": "keyword.operator.repeat.lton"},
                    "3": {"name": "entity.name.function.lton"},
                    "4": {"name": "constant.other.fingerprint.lton"},
                },
                "patterns": [*_included("call"), *values],
            },
            "fenced-name": {
                "begin": f"^(?:({_SIGIL_WORDS}) )?(?=`{{3,}}\\+?$)",
                "end": "$",
                "beginCaptures": {"1": {"name": "keyword.control.lton"}},
                "patterns": [
                    {
                        "begin": f"\\G{_FENCE}",
                        "end": "\\1",
                        "name": "entity.name.function.lton",
                    },
                    {"match": f"#[{HEX_CLASS}]+", "name": "constant.other.fingerprint.lton"},
                    *_included("call"),
                    *values,
                ],
            },
            "call": _group("(?<![ ,=])\\(", "\\)", "call-values"),
            **_of_values("", "\\1"),
            # in the parentheses of a call one of these follows a fence.
            **_of_values("call-", f"\\1(?=[{re.escape(FENCE_ENDS)}])"),
            "counted": {"patterns": _counted("s", "string.unquoted.counted.lton")},
            "key": {
                "match": f"({_KEY})(=)",
                "captures": {
                    "1": {"name": "variable.parameter.lton"},
                    "2": {"name": "punctuation.separator.key-value.lton"},
                },
            },
            "quoted": {"match": _LINE_QUOTED, "name": "string.quoted.lton"},
            "header": _group("(?<=[\\[{])\\(", "\\)", "nested-header", "column", "comma"),
            "nested-header": _group("\\(", "\\)", "nested-header", "column", "comma"),
            "column": {"match": _KEY, "name": "variable.parameter.lton"},
            "row-end": {"match": ";", "name": "punctuation.separator.row.lton"},
            "words": {
                "patterns": [
                    {
                        "match": f"({'|'.join(LITERALS)}){_WORD_ENDS}",
                        "name": "constant.language.lton",
                    },
                    {"match": f"{SKIP}{_WORD_ENDS}", "name": "constant.language.skip.lton"},
                    {"match": f"{_NUMBER}{_WORD_ENDS}", "name": "constant.numeric.lton"},
                    {"match": f"[{WORD_CLASS}]+", "name": "string.unquoted.lton"},
                    *_included("comma"),
                ]
            },
            "comma": {"match": ",", "name": "punctuation.separator.lton"},
        },
    }


def _values(prefix: str = "") -> list[Rule]:
    """Return the rules of a value; `prefix` belongs to the rules in the parentheses of a call."""
    inside = [f"{prefix}{name}" for name in ("fence", "array", "map", "object")]
    return _included("counted", "key", "quoted", *inside, "words")


def _of_values(prefix: str, fence_end: str) -> Rule:
    """Return the rules of values with fences, or of fences only."""
    values = _values(prefix)
    rules: Rule = {
        "values": {"patterns": values},
        "fence": {
            "begin": _FENCE,
            "end": fence_end,
            "name": "string.quoted.fence.lton",
            "beginCaptures": {"0": {"name": "punctuation.definition.string.begin.lton"}},
            "endCaptures": {"0": {"name": "punctuation.definition.string.end.lton"}},
        },
        "array": {
            "patterns": [
                _group(
                    f"\\[(?={_HEADER}[^\\], \\n])", "\\]", "header", "row-end", f"{prefix}values"
                ),
                _group("\\[", "\\]", f"{prefix}values"),
            ]
        },
        "map": {
            "patterns": [
                _group("\\{(?=\\()", "\\}", "header", "row-end", f"{prefix}keyed-row"),
                _group("\\{", "\\}", f"{prefix}entry", "comma"),
            ]
        },
        "object": _group("\\(", "\\)", f"{prefix}values"),
        "keyed-row": {
            "begin": f"({_KEY})",
            "end": "(?=[;}])|$",
            "beginCaptures": {"1": {"name": "variable.parameter.lton"}},
            "patterns": values,
        },
        "entry": _entry(values),
    }
    return {f"{prefix}{name}": rule for name, rule in rules.items()}


def _included(*names: str) -> list[Rule]:
    return [{"include": f"#{name}"} for name in names]


def _group(begin: str, end: str, *names: str) -> Rule:
    """Return a rule for text in brackets."""
    captures = {"0": {"name": "punctuation.section.lton"}}
    return {
        "begin": begin,
        "end": end,
        "beginCaptures": captures,
        "endCaptures": captures,
        "patterns": _included(*names),
    }


def _entry(values: list[Rule]) -> Rule:
    """Return a rule for a key, a space and a value."""
    return {
        "begin": f"({_KEY}) ",
        "end": _CLOSED,
        "beginCaptures": {"1": {"name": "variable.parameter.lton"}},
        "patterns": values,
    }


def _counted(letters: str, name: str) -> list[Rule]:
    lengths = "|".join(f"{length}:.{{{length}}}" for length in range(COUNTED_UP_TO + 1))
    captures = {"1": {"name": "constant.other.length.lton"}}
    rest = "[0-9]{1,15}:.*$"
    return [
        {
            "match": f"(?=([{letters}][0-9]+:))[{letters}](?:{each})",
            "name": name,
            "captures": captures,
        }
        for each in (lengths, rest)
    ]


def _atoms() -> list[Rule]:
    """Return rules for atoms: the length of a number or a word does not need to be counted."""
    length = {"1": {"name": "constant.other.length.lton"}}
    texts = "".join(each for each in ATOM_LETTERS if each in "se")
    numbers = "".join(each for each in ATOM_LETTERS if each in "uif")
    return [
        *_counted(texts, "string.unquoted.atom.lton"),
        {
            "match": f"([{numbers}][0-9]+:){_NUMBER}{_WORD_ENDS}",
            "name": "constant.numeric.atom.lton",
            "captures": length,
        },
        {
            "match": f"(b[0-9]+:)(?:true|false){_WORD_ENDS}",
            "name": "constant.language.atom.lton",
            "captures": length,
        },
        {"match": f"{NULL_ATOM}{_WORD_ENDS}", "name": "constant.language.atom.lton"},
        {"match": f"{SKIP}{_WORD_ENDS}", "name": "constant.language.skip.lton"},
    ]


def files() -> dict[str, str]:
    """Return the text of each generated file, by its path in this folder."""
    made = {
        "vscode/lton.tmLanguage.json": text_mate(),
        "tree-sitter-lton/terminals.json": terminals(),
    }
    return {name: json.dumps(each, indent=2) + "\n" for name, each in made.items()}


if __name__ == "__main__":
    for name, text in files().items():
        (HERE / name).write_text(text, "utf-8")
        print(f"editors/{name}: {len(text):,} characters")
