"""Test Lark: its exact text, forbidden constructs, and its language in two engines."""

import pytest

from lton import Call, ToolSet, encode
from lton._syntax import Form
from lton.grammar import lark, to_ebnf, to_lark
from lton.grammar.lark import write_lark
from lton.grammar.nodes import Alt, Chars, Grammar, Lit, Ref, Repeat, Rule, Seq
from tests.cases import (
    BAD,
    F_STR,
    F_UNIT,
    GOOD,
    INT,
    MAP,
    STR,
    UNIT,
    Bad,
    Good,
    taking,
    tool,
    tools_of,
)
from tests.grammar.acceptors import lark_accepts, llguidance_accepts
from tests.grammar.languages import BEYOND, FORMS, in_no_language, options

SMALL = tools_of(tool("g", {"a": INT, "b": UNIT}, ["a"]))


def test_wire() -> None:
    """The rules are those of GBNF, and each lexeme is one terminal."""
    assert to_lark(SMALL, form="wire") == (
        'start: "g" " " INTEGER call_1_p1\n'
        'call_1_o1: "C" | "F"\n'
        'call_1_k1: (" " "b=" call_1_o1)?\n'
        'call_1_p1: call_1_k1 | " " (call_1_o1 | "_")\n'
        "INTEGER: /(?:[1-9][0-9]{0,39}|-[1-9][0-9]{0,39}|0)/\n"
    )


def test_punctuated_parallel() -> None:
    """In the keyed form, each line has the name of the tool."""
    assert to_lark(SMALL, form="punctuated", parallel=True) == (
        'start: call_1 ("\\n" call_1)*\n'
        'call_1_k1: (", " "b=" ("C" | "F"))?\n'
        'call_1: "g" "(" "a=" INTEGER call_1_k1 ")"\n'
        "INTEGER: /(?:[1-9][0-9]{0,39}|-[1-9][0-9]{0,39}|0)/\n"
    )


RUN = r"|```[^),;=`}\x00\]]"
"""Three backticks in a string that do not end it."""
LONG_FENCE = (
    r"|````\+?\n(?:[^`\x00]|`[^`\x00]|``[^`\x00])*"
    r"```[^`\x00](?:[^`\x00]|`[^`\x00]|``[^`\x00]|```[^`\x00])*````"
)
"""Strings with a run of three backticks, in the parentheses of a call."""


def test_strings() -> None:
    """Each kind of string is one terminal with its own end, limited only by the schema."""
    texts: dict[Form, str] = {"punctuated": '"f" "(" "x=" TEXT ")"', "wire": '"f" " " TEXT'}
    for form, text in texts.items():
        more = (RUN, LONG_FENCE) if form == "punctuated" else ("", "")
        assert to_lark(F_STR, form=form, texts="all") == (
            f"start: {text}\n"
            'TEXT: /(?:"[^"\\n\\r\\x00]*"'
            "|'[^'\\n\\r\\x00]*'"
            "|`[^`\\n\\r\\x00]+`"
            rf"|```\+?\n(?:[^`\x00]|`[^`\x00]|``[^`\x00]{more[0]})*```{more[1]})/"
            "\n"
        )
    assert "{0,3}" in to_lark(taking({**STR, "maxLength": 3}))
    assert to_lark(F_STR, form="punctuated", bounded=True, texts="all") == (
        'start: "f" "(" "x=" TEXT ")"\n'
        'TEXT: /(?:"[^"\\n\\r\\x00]{0,9999}"'
        "|'[^'\\n\\r\\x00]{0,9999}'"
        "|`[^`\\n\\r\\x00]{1,9999}`"
        rf"|```\+?\n(?:[^`\x00]|`[^`\x00]|``[^`\x00]{RUN}){{0,999999}}```"
        f"{LONG_FENCE.replace(')*', '){0,999999}')})/\n"
    )


def test_every_node_is_printed() -> None:
    """Rules refer to terminals by upper-case names, and repetitions have Lark's notation."""
    x, y = Lit("/\n"), Ref("y-z")
    grammar = Grammar(
        (
            Rule("start", Alt((Seq((x, Alt((x, y)))), Ref("t")))),
            Rule("y-z", Repeat(y, 2, 2)),
            Rule("w", Repeat(Chars("a/", negated=True), 1)),
            Rule("v", Repeat(Seq((x, x)), 0, 3)),
            Rule("t", Seq((x, Repeat(Chars("/")), Repeat(Alt((Lit("."), x)), 1, 2))), lexical=True),
        )
    )
    assert write_lark(grammar) == (
        'start: "/\\n" ("/\\n" | y_z) | T\n'
        "y_z: y_z~2\n"
        "w: /[^a\\/]+/\n"
        'v: ("/\\n" "/\\n")~0..3\n'
        "T: /\\/\\n[\\/]*(?:\\.|\\/\\n){1,2}/\n"
    )


def test_the_mark_of_ebnf_is_not_in_it() -> None:
    """The text does not contain `::=`, so servers do not mistake it for EBNF."""
    assert all("::=" not in to_lark(case.tools, counted=99, form="wire") for case in GOOD)


def test_the_mark_of_ebnf_is_not_in_a_label() -> None:
    """Even a label with `::=` does not put `::=` into the text."""
    assert "::=" not in to_lark(taking({"enum": ["a ::= b"]}), form="wire")


@pytest.mark.parametrize("char", "\x01\b\t\n\v\f\r\x1b\x7f\x85\u2028\ufeff\uffff😀\"'\\/")
@pytest.mark.parametrize("engine", ["llguidance", "python-lark"])
def test_every_character_can_stand_in_a_label(char: str, engine: str) -> None:
    """Labels with unusual characters are in the language of their grammar."""
    tools = taking({"const": f"a {char}"})
    accepts = {"llguidance": llguidance_accepts, "python-lark": lark_accepts}[engine]
    assert accepts(to_lark(tools, form="wire"), encode(Call("f", {"x": f"a {char}"}), tools))


def test_python_lark_reads_many_optional_members() -> None:
    """No rule has two optional parts, because python-lark multiplies them."""
    tools = tools_of(
        tool("f", {f"p{i}": {"type": "boolean"} for i in range(7)} | {"r": INT}, ["r"])
    )
    grammar = to_lark(tools, form="keyed")
    rules = [line for line in grammar.splitlines() if line[0].islower()]
    assert max(rule.count("?") for rule in rules) == 1
    assert lark_accepts(grammar, "f r=1 p6=true")


@pytest.mark.deep
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "case",
    [case for case in GOOD if case.calls and case.name not in BEYOND],
    ids=lambda case: case.name,
)
def test_lark_has_what_is_written(case: Good, form: str) -> None:
    """Texts of the encoder are in the language, for llguidance and for python-lark."""
    grammar, text = to_lark(case.tools, **options(form)), getattr(case, form)
    assert llguidance_accepts(grammar, text)
    if len(text) < 100:
        assert lark_accepts(grammar, text) in (True, None)


@pytest.mark.deep
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "case", [case for case in BAD if in_no_language(case)], ids=lambda case: case.name
)
def test_lark_has_no_errors(case: Bad, form: str) -> None:
    """Texts that the decoder refuses are not in the language, except for §13."""
    assert not llguidance_accepts(to_lark(case.tools or ToolSet(()), **options(form)), case.text)


@pytest.mark.untraced
def test_many_optional_strings_do_not_exhaust_llguidance() -> None:
    """With a real vocabulary, llguidance finds each mask after a bare word, whatever may follow."""
    from bpe_openai import get_encoding
    from llguidance import LLMatcher
    from llguidance.tiktoken import lltokenizer_from_encoding

    tools = tools_of(tool("f", {"q": STR} | {f"p{i}": STR for i in range(12)}, ["q"]))
    encoding = get_encoding("o200k_base")
    matcher = LLMatcher(
        lltokenizer_from_encoding(encoding),
        LLMatcher.grammar_from_lark(to_lark(tools, form="wire", bare=True)),
    )
    for token in encoding.encode("f shoes red blue"):
        matcher.compute_bitmask()
        assert matcher.consume_token(token), matcher.get_error()
    assert matcher.is_accepting()


def test_texts_in_double_quotes_alone() -> None:
    """With `texts="double"`, strings and keys of maps are in double quotes, and labels are
    unchanged.
    """
    tools = taking({**MAP, "additionalProperties": STR})
    assert to_lark(tools, texts="double") == (
        'start: "f" "(" "x=" "{" (MAP_KEY " " TEXT (", " MAP_KEY " " TEXT)*)? "}" ")"\n'
        'MAP_KEY: /"[^"\\n\\r\\x00]*"/\n'
        'TEXT: /(?:"[^"\\n\\r\\x00]*"'
        rf"|```\+?\n(?:[^`\x00]|`[^`\x00]|``[^`\x00]{RUN})*```{LONG_FENCE})/"
        "\n"
    )
    assert "[A-Za-z" not in to_ebnf(F_STR, texts="double", form="wire")
    assert to_lark(F_UNIT, texts="double") == to_lark(F_UNIT)
    with pytest.raises(ValueError, match="expected texts"):
        to_lark(F_STR, texts="double", form="tagged")


def test_many_tools_are_grouped_by_their_first_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups with too many tools are split again, and a name may be the start of another one."""
    monkeypatch.setattr(lark, "MAX_OPTIONS", 2)
    assert to_lark(ToolSet.from_prompt("ab\nabc\nad\na\nb"), parallel=False) == (
        'start: "a" start_1 | "b" start_2\n'
        'start_1: "b" start_1_1 | "d" start_1_2 | start_1_3\n'
        'start_1_1: "(" ")" | "c" "(" ")"\n'
        'start_1_2: "(" ")"\nstart_1_3: "(" ")"\nstart_2: "(" ")"\n'
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("parallel", [True, False])
@pytest.mark.untraced
def test_thousands_of_tools_are_split_by_the_first_letters(form: Form, parallel: bool) -> None:
    """llguidance has room for 2,000 options, so names are grouped by their first letters."""
    names = [*(f"tool_{number}" for number in range(1500)), *(f"t{n * 'o'}" for n in range(600))]
    tools = tools_of(*(tool(name, {"a": INT}, ["a"]) for name in names))
    lark = to_lark(tools, form=form, parallel=parallel)
    for name in ("tool_0", "tool_149", "tool_1499", "t", "too"):
        assert llguidance_accepts(lark, encode(Call(name, {"a": 5}), tools, form=form))
    assert not llguidance_accepts(lark, encode(Call("tool_1", {"a": 5}), tools, form=form)[1:])
    text = encode(Call("tool_1", {"a": 5}), tools, form=form).replace("tool_1", "tool_1x")
    assert not llguidance_accepts(lark, text)
