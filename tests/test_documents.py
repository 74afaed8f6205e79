"""The documents are true: their examples run, their tables and generated files are fresh."""

import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import pytest
from abnf import Rule

import grammars.__main__ as reference_grammars
from lton import DecodeError, ToolSet, decode
from lton.errors import Code
from tests.cases import GOOD, INT, READ, STR, UNIT, Good, Read, params, tool, tools_of

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
SPEC = (ROOT / "spec" / "LTON-0.1.md").read_text("utf-8")
TOOLS = ToolSet.from_tools(json.loads((ROOT / "lton/demo/tools.json").read_text("utf-8")))
WITH_NOTE = tools_of(
    tool(
        "weather.v1",
        {"city": STR, "days": INT, "unit": UNIT, "note": STR},
        ["city", "days", "unit", "note"],
    )
)
RULE = re.compile(r"\bR-\d{2,}")
DEFINED = re.findall(r"^(?:\| )?(R-\d+)(?::| \|)", SPEC, re.MULTILINE)
LONG = 1000
"""Characters of a text that is too long for the recursion of the ABNF library."""
FRESH = reference_grammars.files()
NEEDS_SERVER = "http://127.0.0.1:8080"
FENCED = re.compile(r"^```([a-z-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str, kind: str) -> list[str]:
    return [body for found, body in FENCED.findall(text) if found == kind]


def test_readme_python_prints_what_stands_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each Python block of the README runs, and prints the text block that follows it."""
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    printed = 0
    for (kind, code), (below, expected) in pairwise([*FENCED.findall(README), ("", "")]):
        if kind == "python" and NEEDS_SERVER not in code:  # tests/chat/test_agent.py runs that
            with redirect_stdout(StringIO()) as output:
                exec(code, names)
            assert below == "text"
            assert output.getvalue() == expected
            printed += 1
    assert printed + 1 == len(blocks(README, "python")) == len(blocks(README, "text")) == 11


@pytest.mark.parametrize("block", blocks(README, "console"))
def test_readme_commands_print_what_stands_below_them(block: str) -> None:
    """Each command of the README prints, on both streams, the lines below it."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        result = subprocess.run(
            ["bash", "-c", f"{command} 2>&1"],
            cwd=ROOT,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.stdout == expected


def test_readme_has_no_block_that_nothing_runs() -> None:
    """Every fenced block of the README is of a kind that a test executes or compares."""
    assert {kind for kind, _ in FENCED.findall(README)} == {"python", "text", "console"}


def test_readme_counts_are_those_of_o200k() -> None:
    """The token counts on the README's first screen are what the tokenizer counts."""
    tokenizer = pytest.importorskip("bpe_openai").get_encoding("o200k_base")
    rows = re.findall(r"^\|[^|]*\| `(.*)` \| \**(\d+)\** \|$", README, re.MULTILINE)
    assert len(rows) == 4
    for text, count in rows:
        assert len(tokenizer.encode(text)) == int(count)
    for text, _ in rows[2:]:
        (call,) = decode(text, TOOLS)
        assert json.loads(rows[0][0]) == {"name": call.name, "arguments": call.arguments}


def test_spec_examples_decode() -> None:
    """The examples of the specification are read, and are all forms of the same call."""
    examples = blocks(SPEC, "lton")
    calls = [call for example in examples for call in decode(example, TOOLS)]
    assert len(calls) == 6
    assert all(call == calls[0] for call in calls)


def test_spec_error_examples_are_the_errors_they_say() -> None:
    """The two first examples of the notation are E103 for the city, and E110 for the note."""
    places = []
    for example in blocks(SPEC, "lton-error"):
        with pytest.raises(DecodeError) as caught:
            decode(example, WITH_NOTE)
        assert caught.value.code == Code.COUNT
        places.append(example[caught.value.pos - 8 : caught.value.pos + 1])
        with pytest.raises(DecodeError) as caught:
            decode(example.replace("s12:", "s11:"), WITH_NOTE)
        assert caught.value.code == Code.INCOMPLETE
        right = example.replace("s12:", "s11:").replace("s43:", "s18:")
        assert decode(right.rstrip("\n"), WITH_NOTE)[0].arguments["note"] == "Line1\nLine2\n\nLine4"
    assert places == ["Leandro)\n", "Leandro u"]


@pytest.fixture(scope="module")
def abnf() -> Any:
    """The ABNF of the specification, read by an independent library."""

    class Notation(Rule):
        grammar: ClassVar[str] = re.sub(r"\n +", " ", blocks(SPEC, "abnf")[0])

    for line in filter(None, Notation.grammar.splitlines()):
        Notation.create(line)
    return Notation("text")


@pytest.mark.parametrize("case", params([case for case in GOOD if len(case.tagged) < LONG]))
@pytest.mark.parametrize("form", ["wire", "keyed", "punctuated", "tagged"])
def test_canonical_texts_match_the_abnf(abnf: Any, case: Good, form: str) -> None:
    """Each canonical text of the examples is a text of the specification's ABNF."""
    assert abnf.parse_all(getattr(case, form)).value == getattr(case, form)


@pytest.mark.parametrize("case", params([case for case in READ if len(case.text) < LONG]))
def test_readable_texts_match_the_abnf(abnf: Any, case: Read) -> None:
    """So is each text that is read though it is not canonical."""
    assert abnf.parse_all(case.text).value == case.text


@pytest.mark.parametrize("folder", ["lton", "benchmarks", "spec", "tests"])
def test_the_code_cites_rules_that_exist(folder: str) -> None:
    """No comment cites a rule that the specification does not define."""
    files = [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.mjs")]
    assert {rule for path in files for rule in RULE.findall(path.read_text("utf-8"))} <= {*DEFINED}


def test_each_rule_is_defined_once() -> None:
    """No two rules of the specification have one number, and it cites none that it lacks."""
    assert len(DEFINED) == len(set(DEFINED))
    assert set(RULE.findall(SPEC)) == set(DEFINED)


def test_the_error_table_is_the_enumeration() -> None:
    """The codes of the specification are those of the package."""
    table = re.findall(r"^\| (E\d{3}) \|", SPEC, re.MULTILINE)
    assert table == [code.value for code in Code]


@pytest.mark.parametrize("name", FRESH)
def test_reference_grammars_are_fresh(name: str) -> None:
    """Each file in grammars/ is what the emitters print now (`make grammars` writes them)."""
    text = (ROOT / "grammars" / name).read_text("utf-8")
    assert text == FRESH[name]
