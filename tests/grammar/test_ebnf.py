"""Test EBNF: its exact text, and that lookaheads and shared rules do not change the language."""

from random import Random
from typing import Any

import pytest

from lton import Call, ToolSet, encode
from lton._syntax import Form
from lton.errors import Code, GrammarError
from lton.grammar import to_ebnf, to_gbnf, to_lark, to_regex
from lton.grammar.build import build
from lton.grammar.charset import charset_of_string, invert, members_of_charset
from lton.grammar.ebnf import write_ebnf
from lton.grammar.nodes import (
    Chars,
    Grammar,
    Lit,
    Ref,
    Repeat,
    Rule,
    Seq,
    make_choice,
    reachable_rules,
)
from lton_bench import bfcl
from tests.cases import GOOD, INT, STR, UNIT, Good, tool, tools_of
from tests.grammar.acceptors import gbnf_accepts
from tests.grammar.languages import BEYOND, FORMS, options
from tests.grammar.recogniser import recogniser
from tests.grammar.sampling import Sampler


def test_what_may_follow_is_found_in_a_circle() -> None:
    """Rules may refer to each other in a circle, in any order."""
    within = Seq((Lit("("), Ref("b"), Lit(")")))
    rules = (
        Rule("root", Ref("a")),
        Rule("a", make_choice(Lit("x"), within)),
        Rule("b", Repeat(Ref("a"), 0, None)),
    )

    assert write_ebnf(Grammar(rules)).splitlines() == [
        "root ::= a",
        'a ::= "x" | "(" b ")" (=[()x\\x0A])',
        "b ::= a* (=[)])",
    ]


@pytest.mark.parametrize(
    "form",
    [
        form if form == "punctuated" else pytest.param(form, marks=pytest.mark.deep)
        for form in FORMS
    ],
)
@pytest.mark.untraced
def test_many_optional_parameters(form: Form) -> None:
    """A long chain of rules is accepted, and a chain that no engine accepts is refused with a
    code.
    """
    names = {f"p{number}": INT for number in range(2_100)}  # engines accept at most 2,000
    few = tools_of(tool("f", dict(list(names.items())[:340])))
    assert to_ebnf(few, form=form).startswith("root ::= ")
    many = tools_of(tool("f", names))
    for emit in (to_ebnf, to_gbnf, to_lark, to_regex):
        with pytest.raises(GrammarError) as caught:
            emit(many, form=form)
        assert caught.value.code == Code.GRAMMAR


def test_what_is_repeated_in_definitions_is_one_rule() -> None:
    """A definition that refers to the next one twice takes one rule, not two copies."""
    depth = 12
    defs: dict[str, Any] = {
        f"d{n}": {
            "type": "object",
            "properties": {side: {"$ref": f"#/$defs/d{n + 1}"} for side in ("left", "right")},
            "required": ["left"],
        }
        for n in range(depth)
    }
    defs[f"d{depth}"] = {"type": "array", "items": {"type": "object", "additionalProperties": INT}}
    tools = ToolSet.from_tools([{"name": "f", "parameters": {"$defs": defs, "$ref": "#/$defs/d0"}}])
    for emit in (to_ebnf, to_gbnf, to_lark):
        assert len(emit(tools)) < 3_000
    value: Any = [{"k": 1}]
    for _ in range(depth):
        value = {"left": value}
    assert gbnf_accepts(to_gbnf(tools), encode(Call("f", value), tools, form="punctuated"))


def test_wire() -> None:
    """A separator and the value after it are one rule, and each rule has a lookahead."""
    tools = tools_of(tool("f", {"a": INT, "b": UNIT}, ["a"]), tool("g", {"a": INT}, ["a"]))
    assert to_ebnf(tools, form="wire") == (
        "root ::= call-1 | call-2\n"
        'call-1-o1 ::= "C" | "F" (=[\\x0A])\n'
        'call-1-k1 ::= (" " "b=" call-1-o1)? (=[\\x0A])\n'
        "call-1-p1 ::= call-1-k1 | next-1 (=[\\x0A])\n"
        'call-1 ::= "f" next-2 call-1-p1 (=[\\x0A])\n'
        'call-2 ::= "g" next-2 (=[\\x0A])\n'
        'integer ::= [1-9] [0-9]* | "-" [1-9] [0-9]* | "0" (=[ \\x0A])\n'
        'next-1 ::= " " call-1-o1 | " " "_" (=[\\x0A])\n'
        'next-2 ::= " " integer (=[ \\x0A])\n'
    )


def test_what_repeats_follows_itself() -> None:
    """An item of an array is followed by a separator or the bracket."""
    tools = tools_of(tool("f", {"a": {"type": "array", "items": UNIT}}, ["a"]))
    assert to_ebnf(tools, form="punctuated") == (
        'root ::= "f" "(" "a=" "[" (call-1-r1-i (", " call-1-r1-i)*)? "]" ")"\n'
        'call-1-r1-i ::= "C" | "F" (=[,\\x5D])\n'
    )


@pytest.mark.parametrize(
    ("body", "negated", "chars"),
    [
        ("a-cx", False, charset_of_string("abcx")),
        (r"\n\x41-", False, charset_of_string("\nA-")),
        (r"\]-a", False, charset_of_string("]^_`a")),
        ("é", True, invert(charset_of_string("é"))),
    ],
)
def test_classes_are_read(body: str, negated: bool, chars: Any) -> None:
    """A class is read as the set of its characters."""
    assert members_of_charset(Chars(body, negated)) == chars


def test_rules_that_nothing_needs_are_left_out() -> None:
    """Unused rules are removed, also those that only unused rules refer to."""
    a, b, c = (Rule(name, Lit(name)) for name in "abc")
    start = Rule("start", Repeat(Seq((Lit("x"), make_choice(Ref("a"), Ref("start"))))))
    assert reachable_rules((start, a, Rule("d", Ref("b")), b, c)) == (start, a)


@pytest.mark.deep
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "case",
    [case for case in GOOD if case.calls and case.name not in {*BEYOND, "deepest"}],
    ids=lambda case: case.name,
)
def test_ebnf_has_what_is_written(case: Good, form: str) -> None:
    """With lookaheads, the language still has every text that the encoder writes."""
    assert gbnf_accepts(to_ebnf(case.tools, **options(form)), getattr(case, form))


@pytest.mark.deep
@pytest.mark.parametrize("choice", ["required", "auto"])
@pytest.mark.parametrize("form", FORMS)
def test_lookaheads_lose_nothing(form: str, choice: str) -> None:
    """Texts drawn from the grammar without lookaheads are in the language with them."""
    choose = Random(1)
    tools = [case.tools[0] for case in bfcl.load()][::40]
    checked = 0
    for definition in tools:
        toolset = ToolSet.from_tools([definition, tool("say", {"text": STR}, ["text"])])
        settings: Any = {**options(form), "tool_choice": choice, "bounded": False}
        accepts = recogniser(to_ebnf(toolset, **settings))
        sampler = Sampler(build(toolset, **settings))
        for _ in range(4):
            text = sampler.text(choose)
            assert accepts(text), text
            checked += 1
    assert checked == 4 * len(tools)


def test_what_may_be_missing_lets_the_next_follow() -> None:
    """A rule that may be empty passes on its lookahead, and a separator at an end is alone."""
    some = Rule("some", Seq((Repeat(Lit("a"), 0, 1), Ref("more"))))
    more = Rule("more", Repeat(Lit("b")))
    start = Rule("start", Seq((Ref("more"), Ref("some"), Lit(" "))))
    assert write_ebnf(Grammar((start, some, more))) == (
        'root ::= more some " "\nsome ::= "a"? more (=[ ])\nmore ::= "b"* (=[ ab])\n'
    )
