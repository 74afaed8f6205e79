"""Test GBNF: its exact text, and the same language as Lark's."""

from functools import lru_cache

import pytest

from lton import ToolSet
from lton.grammar import to_gbnf
from lton.grammar.gbnf import write_gbnf
from lton.grammar.nodes import Alt, Chars, Grammar, Lit, Ref, Repeat, Rule, Seq, write_repetition
from tests.cases import BAD, GOOD, INT, UNIT, Bad, Good, loop_over, taking, tool, tools_of
from tests.grammar.acceptors import gbnf_accepts
from tests.grammar.languages import BEYOND, FORMS, in_no_language, options

SMALL = tools_of(tool("g", {"a": INT, "b": UNIT}, ["a"]))


def test_wire() -> None:
    """By position, an optional argument is written, replaced with `_`, or has its key."""
    assert to_gbnf(SMALL, form="wire") == (
        'root ::= "g" " " integer call-1-p1\n'
        'call-1-o1 ::= "C" | "F"\n'
        'call-1-k1 ::= (" " "b=" call-1-o1)?\n'
        'call-1-p1 ::= call-1-k1 | " " (call-1-o1 | "_")\n'
        'integer ::= [1-9] [0-9]{0,39} | "-" [1-9] [0-9]{0,39} | "0"\n'
    )


def test_keyed() -> None:
    """In the keyed form, arguments are in the order of the layout."""
    assert to_gbnf(SMALL, form="keyed") == (
        'root ::= "g" " " "a=" integer call-1-k1\n'
        'call-1-k1 ::= (" " "b=" ("C" | "F"))?\n'
        'integer ::= [1-9] [0-9]{0,39} | "-" [1-9] [0-9]{0,39} | "0"\n'
    )


def test_punctuated() -> None:
    """In the punctuated form, arguments have keys, in parentheses and with commas."""
    assert to_gbnf(SMALL, form="punctuated") == (
        'root ::= "g" "(" "a=" integer call-1-k1 ")"\n'
        'call-1-k1 ::= (", " "b=" ("C" | "F"))?\n'
        'integer ::= [1-9] [0-9]{0,39} | "-" [1-9] [0-9]{0,39} | "0"\n'
    )


def test_parallel() -> None:
    """Several calls are on separate lines, and in the wire form `&` repeats the tool (R-404)."""
    tools = tools_of(tool("f", {"a": INT}, ["a"]), tool("stop"))
    assert to_gbnf(tools, parallel=True, form="wire") == (
        'root ::= line ("\\n" line)*\n'
        'call-1-args ::= " " integer\n'
        'call-1 ::= "f" call-1-args ("\\n&" call-1-args)*\n'
        'call-2-args ::= ""\n'
        'call-2 ::= "stop" call-2-args ("\\n&" call-2-args)*\n'
        "line ::= call-1 | call-2\n"
        'integer ::= [1-9] [0-9]{0,39} | "-" [1-9] [0-9]{0,39} | "0"\n'
    )


def test_characters_are_escaped() -> None:
    """Literals escape the characters with a meaning in GBNF, and no others."""
    tools = taking({"const": 'a"b\\c\n\r\té'})
    assert 's9:a\\"b\\\\c\\n\\r\\té"' in to_gbnf(tools, form="wire")


@pytest.mark.parametrize(
    ("low", "high", "mark"),
    [
        (0, 1, "?"),
        (0, None, "*"),
        (1, None, "+"),
        (1, 1, ""),
        (2, 2, "{2}"),
        (2, None, "{2,}"),
        (2, 3, "{2,3}"),
    ],
)
def test_repetition(low: int, high: int | None, mark: str) -> None:
    """Each repetition has its shortest notation."""
    assert write_repetition(low, high) == mark


def test_every_node_is_printed() -> None:
    """Groups have parentheses only if they need them."""
    x, y = Lit("x"), Ref("y")
    grammar = Grammar(
        (
            Rule("start", Alt((Seq((x, Alt((x, y)))), y))),
            Rule("y", Repeat(Seq((x, x)), 2, 3)),
            Rule("z", Repeat(Chars("a-z", negated=True), 1)),
            Rule("empty", Seq(())),
            Rule("nested", Seq((Repeat(Alt((x, y))), Seq((x, x))))),
        )
    )
    assert write_gbnf(grammar) == (
        'root ::= "x" ("x" | y) | y\n'
        'y ::= ("x" "x"){2,3}\n'
        "z ::= [^a-z]+\n"
        'empty ::= ""\n'
        'nested ::= ("x" | y)* ("x" "x")\n'
    )


@pytest.mark.parametrize(
    ("grammar", "text", "accepted"),
    [
        ('root ::= "a" ("b" | [c-d])* x{2}\nx ::= "\\n\\"" | [^a]\n', 'abcd\n"z', True),
        ('root ::= "a" ("b" | [c-d])* x{2}\nx ::= "\\n\\"" | [^a]\n', "abca", False),
        ('root ::= "a"{2,3} "b"{1,}\n', "aaabb", True),
        ('root ::= "a"{2,3} "b"{1,}\n', "aaaabb", False),
        ('root ::= "a"+ "b"?\n', "b", False),
        ('root ::= ("a" | )* ""\n', "aa", True),
    ],
)
def test_the_recogniser_is_right(grammar: str, text: str, accepted: bool) -> None:
    """Our recogniser of GBNF is tested separately, because other tests rely on it."""
    assert gbnf_accepts(grammar, text) == accepted


WITHOUT_TOOLS = ToolSet(())


@lru_cache(maxsize=64)  # most cases have the tools of others
def gbnf_of(tools: ToolSet, form: str) -> str:
    return to_gbnf(tools, **options(form))


@loop_over([case for case in GOOD if case.calls and case.name not in {*BEYOND, "deepest"}], FORMS)
def test_gbnf_has_what_is_written(case: Good, form: str) -> None:
    """Texts of the encoder are in the language of the GBNF, character by character."""
    assert gbnf_accepts(gbnf_of(case.tools, form), getattr(case, form))


@loop_over([case for case in BAD if in_no_language(case)], FORMS)
@pytest.mark.untraced
def test_gbnf_has_no_errors(case: Bad, form: str) -> None:
    """Texts that the decoder refuses are not in the language, except for §13."""
    assert not gbnf_accepts(gbnf_of(case.tools or WITHOUT_TOOLS, form), case.text)
