"""Test the linter: refused grammars with reasons, and that emitted grammars are accepted."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Call, SchemaError, ToolSet, decode
from lton.errors import Code, GrammarError
from lton.generate.spelling import write_value_gbnf
from lton.grammar import lint, to_ebnf, to_gbnf, to_lark, to_regex
from lton.grammar.linting import MAX_DEPTH, MAX_OPTIONS, MAX_SYMBOLS, Dialect
from lton.schema.jsonschema.tally import Handling
from lton_bench import bfcl
from tests import strategies as own
from tests.steps import GROWTH, growth

llguidance = pytest.importorskip("llguidance")
lark = pytest.importorskip("lark")

FORMS: list[dict[str, Any]] = [
    {"form": "wire", "parallel": True},
    {"form": "keyed", "tool_choice": "auto"},
    {"form": "punctuated"},
    {"form": "tagged"},
    {"form": "wire", "counted": 9_999, "bounded": False},
]

MANY = [("start", "a0"), *((f"a{i}", f"a{i + 1}" if i < 49 else "") for i in range(50))]
BAD: list[tuple[Dialect, str, str]] = [
    ("gbnf", "", "an empty grammar"),
    ("gbnf", " \n", "an empty grammar"),
    ("gbnf", 'root ::= "a\0"', "llama.cpp ends at U+0000"),
    ("gbnf", 'root ::= "\ud800"', "UTF-8 has no surrogates"),
    ("gbnf", 'other ::= "a"', "`root` is not defined"),
    ("gbnf", "root ::= a", "root, line 1: `a` is not defined"),
    ("gbnf", 'root ::= "a"\nroot ::= "b"', "root, line 1: defined again in line 2"),
    ("gbnf", 'root ::= "a"\n  | "b"', "line 2 is not a rule"),
    ("gbnf", 'my_rule ::= "a"', "line 1 is not a rule"),
    ("gbnf", 'root ::= a.b\na ::= "a"', "`.`"),
    ("gbnf", 'root ::= "a" | | "b"', "empty option"),
    ("gbnf", 'root ::= "a" |', "empty option"),
    ("gbnf", 'root ::= ("a"', "an unmatched parenthesis"),
    ("gbnf", 'root ::= "a")', "an unmatched parenthesis"),
    ("gbnf", "root ::= [^]", "a class that is empty"),
    ("gbnf", "root ::= .", "`.`"),
    ("gbnf", "root ::= [z-a]", "ends before it begins"),
    ("gbnf", r"root ::= [\x00-a]", "U+0000"),
    ("gbnf", r"root ::= [\x220-9]", "engines read in different ways"),
    ("gbnf", r"root ::= [\d]", "engines read in different ways"),
    ("gbnf", r'root ::= "\/"', "a literal without an end, with a flag"),
    ("gbnf", 'root ::= "a', "a literal without an end"),
    ("gbnf", "root ::= [a]{1,1001}", "{1,1001} is more than 1,000"),
    ("gbnf", "root ::= [a]{3,2}", "never ends for"),
    ("gbnf", "root ::= [a]{0}", "refuses {0}"),
    ("gbnf", "root ::= [a]{2}{3}", "a repetition of nothing or of another"),
    ("gbnf", "root ::= ([a]{2}){3}", "a repetition of nothing or of another"),
    ("gbnf", 'root ::= * "a"', "a repetition of nothing"),
    ("gbnf", 'root ::= ("a"{0,2} "b"){1000}', "1000 times: llama.cpp makes"),
    ("gbnf", 'root ::= ("a" | "")*', "a repeated item may be empty"),
    ("gbnf", 'root ::= root "a" | "b"', "left recursion"),
    ("gbnf", 'root ::= a? b\na ::= "a"\nb ::= root "b" | "c"', "left recursion"),
    ("gbnf", 'root ::= "a" root', "no text that ends"),
    ("gbnf", f"root ::= {'(' * 30}[a] [b]{')' * 30}", "nested parentheses"),
    ("gbnf", "x" * 1_000_001, "1,000,001 characters"),
    (
        "gbnf",
        'root ::= a0 "x"\n'
        + "\n".join(f'a{i} ::= a{i + 1} "x"' for i in range(MAX_DEPTH))
        + f'\na{MAX_DEPTH} ::= "x"',
        "rules: llguidance then crashes",
    ),
    ("gbnf", 'root ::= "a" (=[b])', "'=[b])'"),  # what xgrammar alone reads
    ("ebnf", 'root ::= a "b"\na ::= "a" (=[])', "'=[])'"),
    ("ebnf", 'root ::= a "b"\na ::= "a" (=[b-a])', "ends before it begins"),
    ("ebnf", 'root ::= a "b"\na ::= "a" (=[b]) | "c"', "'=[b])"),
    ("ebnf", 'root ::= a "b"\na ::= "a" (="b")', "a construct that engines"),
    ("lark", 'start: "a"\n%ignore " "', "line 2 is not a rule"),
    ("lark", 'start: "a" // ::=', "`::=`"),
    ("lark", 'start: a-b\na-b: "c"', "'-b'"),
    ("lark", 'start: "a"i', "with a flag"),
    ("lark", "start: A\nA: /a*/", "matches no text"),
    ("lark", "start: A\nA: b\nb: /x/", "no engine lets a terminal refer"),
    ("lark", "start: A\nA: /a/i", "flags"),
    ("lark", 'start: A\nA: /a\\\\\\\\"/', "python-lark loses a backslash"),
    ("lark", "start: A\nA: /a.b/", "`.`"),
    ("lark", "start: A\nA: /a(?=b)/", "lazy, possessive"),
    ("lark", "start: A\nA: /a+?/", "lazy, possessive"),
    ("lark", "start: A\nA: /^a/", "an anchor"),
    ("lark", r"start: A" + "\n" + r"A: /a\b/", "an escape"),
    ("lark", "start: A\nA: /(?s:a)/", "lazy, possessive"),
    ("lark", "start: A\nA: /(?:a|ab)/", "`a` before `ab`"),
    ("lark", 'start: A "b"\nA: /[a-z]+/', 'b"'),
    ("lark", 'start: A start | "b"\nA: /a/', "right recursion"),
    ("lark", 'start: "a"~2~3', "a repetition of nothing or of another"),
    ("lark", 'start: "a"~3..2', "never ends for"),
    ("lark", "start: " + " | ".join(f"a{i}" for i in range(MAX_OPTIONS + 1)), "options"),
    (
        "lark",
        "\n".join(f"{name}: {'X ' * 1500}{more}" for name, more in MANY) + "\nX: /x/",
        f"more than {MAX_SYMBOLS:,} texts",
    ),
    ("regex", "a(?=b)", "lazy, possessive"),
    ("regex", "a*?", "a repetition of nothing or of another"),
    ("regex", "(?P<a>b)", "lazy, possessive"),
    ("regex", r"(a)\1", "an escape"),
    ("regex", "a|", "an empty option"),
    ("regex", "a|ab", "`a` before `ab`"),
    ("regex", "x" * 200_001, "200,001 characters"),
]


@pytest.mark.parametrize(("dialect", "text", "reason"), BAD, ids=[repr(b[1][:30]) for b in BAD])
def test_bad_grammars_are_refused(dialect: Dialect, text: str, reason: str) -> None:
    """Each rule refuses its grammar, with the reason."""
    with pytest.raises(GrammarError) as caught:
        lint(text, dialect)
    assert caught.value.code == Code.GRAMMAR
    assert reason in caught.value.msg


def problem(text: str) -> str:
    """Return llguidance's error for a grammar in Lark, if any."""
    grammar = llguidance.LLMatcher.grammar_from_lark(text)
    error: str = llguidance.LLMatcher.validate_grammar(grammar, llguidance.LLTokenizer("byte"))
    return error


@pytest.mark.parametrize(
    "text",
    [
        "start: a",
        "start: A\nA: /a(?=b)/",
        "start: A\nA: /(a)\\1/",
        'start: ("a"',
    ],
)
def test_llguidance_refuses_them_too(text: str) -> None:
    """Each grammar that a rule refuses is also refused by llguidance."""
    assert problem(text)
    with pytest.raises(GrammarError):
        lint(text, "lark")


def test_what_a_loop_swallows_never_ends() -> None:
    """If a greedy terminal consumes the literal after it, llguidance accepts no text at all."""
    text = 'start: A "b"\nA: /[a-z]+/'
    assert not problem(text)
    matcher = llguidance.LLMatcher(
        llguidance.LLTokenizer("byte"), llguidance.LLMatcher.grammar_from_lark(text), log_level=0
    )
    matcher.try_consume_tokens(list(b"aab"))
    assert not matcher.is_accepting()


def test_python_lark_refuses_terminals_of_no_text() -> None:
    """A terminal that matches no text is an error in python-lark."""
    with pytest.raises(lark.exceptions.GrammarError):
        lark.Lark("start: A\nA: /a*/", parser="earley")


def test_the_place_of_the_size_is_free() -> None:
    """A smaller size limit can be set, because OpenAI refuses complex grammars."""
    lint('root ::= "abc"', "gbnf", max_size=20)
    with pytest.raises(GrammarError, match="14 characters, more than 10"):
        lint('root ::= "abc"', "gbnf", max_size=10)


@pytest.mark.deep
def test_everything_emitted_passes() -> None:
    """All real tools, together and by server, and the notation are accepted in every dialect."""
    folder = Path(bfcl.__file__).parent / "mcp"
    distinct = {f["function"]["name"]: f for f in bfcl.functions(bfcl.CATEGORIES)}
    sets: list[ToolSet | None] = [None, ToolSet.from_tools(distinct.values())]
    sets += [
        ToolSet.from_tools(json.loads(path.read_text("utf-8"))) for path in folder.glob("*.json")
    ]
    checked = 0
    for tools in sets:
        for options in FORMS:
            for emit in (to_gbnf, to_ebnf, to_lark):
                checked += bool(emit(tools, **options))  # reads what it prints
    assert checked == len(sets) * len(FORMS) * 3


@own.examples(100)
@given(st.data())
def test_damage_is_noticed(data: st.DataObject) -> None:
    """A grammar without a rule, a bracket or a quote is refused."""
    tools = ToolSet.from_prompt("wait(minutes:int)\nsay(text:[str] to?:(name x:num))")
    text = to_gbnf(tools, **data.draw(st.sampled_from(FORMS)))
    lines = text.split("\n")
    damage = data.draw(st.sampled_from(["rule", "bracket", "quote"]))
    if damage == "rule":
        del lines[data.draw(st.integers(0, len(lines) - 2))]
        damaged = "\n".join(lines)
    else:
        # not one that stands in a literal or a class
        plain = re.sub(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]', lambda m: "_" * len(m[0]), text)
        if damage == "quote":
            plain, mark = text, '"'
        else:
            mark = data.draw(st.sampled_from("()"))
        places = [index for index, char in enumerate(plain) if char == mark]
        index = places[0] if damage == "quote" else data.draw(st.sampled_from(places))
        damaged = text[:index] + text[index + 1 :]
    with pytest.raises(GrammarError):
        lint(damaged, "gbnf")


def test_reading_is_linear() -> None:
    """Twice the text takes about twice the steps."""

    def work(n: int) -> None:
        rules = (f'r{i} ::= "a" [b]{{2,3}} ("c" | "d")?\n' for i in range(n))
        lint('root ::= "a"\n' + "".join(rules), "gbnf")

    assert growth(work, 1_000) < GROWTH


def test_a_pattern_that_is_nested_too_deep_is_an_error() -> None:
    """A deeply nested pattern is an error with a code, and not a RecursionError."""

    def nested(depth: int) -> ToolSet:
        pattern = f"^{'(' * depth}a{')' * depth}$"
        schema = {"properties": {"x": {"type": "string", "pattern": pattern}}, "required": ["x"]}
        return ToolSet.from_tools([{"name": "f", "parameters": schema}])

    def value(tools: ToolSet) -> str:  # as guided generation writes one
        return write_value_gbnf(tools.tools[0].args.params[0].type)

    few, many = nested(50), nested(400)
    for write in (to_gbnf, to_ebnf, to_lark, to_regex, value):
        assert write(few)
        with pytest.raises(GrammarError, match="nested too deep") as caught:
            write(many)
        assert caught.value.code == Code.GRAMMAR
    assert decode("f a", few) == [Call("f", {"x": "a"})]


@pytest.mark.parametrize(
    "pattern", [r"\1(a)", r"(?<=\1)(a)", r"(a\1)", r"(?(1)a|b)", "(?P=x)(?P<x>a)"]
)
def test_a_reference_before_the_end_of_its_group_is_an_invalid_pattern(pattern: str) -> None:
    """A reference inside its own group is refused, because languages differ about its meaning."""
    schemas: list[dict[str, Any]] = [{"pattern": pattern}, {"patternProperties": {pattern: {}}}]
    for schema in schemas:
        with pytest.raises(SchemaError, match="cannot be") as caught:
            ToolSet.from_tools([{"name": "f", "parameters": {"properties": {"x": schema}}}])
        assert caught.value.code == Code.DEFINITION


@pytest.mark.parametrize(
    "pattern", [r"^(a)\1$", r"^(?<x>a)\k<x>$", r"^(a)?(?(1)b|c)$", r"(?=(a))\1"]
)
def test_a_pattern_with_references_is_neither_checked_nor_in_a_grammar(pattern: str) -> None:
    """A pattern with references is not checked and not in a grammar, and a note says so."""
    parameters = {"properties": {"x": {"type": "string", "pattern": pattern}}, "required": ["x"]}
    tools = ToolSet.from_tools([{"name": "f", "parameters": parameters}])
    assert [note.handling for note in tools.notes] == [Handling.UNCHECKED]
    assert re.fullmatch(to_regex(tools), 'f(x="b")')
    for text in ('f(x="b")', f'f(x="{"a" * 5000}")'):
        assert decode(text, tools)
