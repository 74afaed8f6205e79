"""Test which texts are in the language of a grammar."""

import re
from typing import Any, get_args

import pytest

from lton import Call, DecodeError, ToolSet, decode, encode
from lton._syntax import Form
from lton.errors import Code, GrammarError
from lton.grammar import to_gbnf, to_lark, to_regex
from lton.grammar.build import build
from lton.grammar.nodes import (
    Alt,
    Chars,
    Lit,
    Repeat,
    Seq,
    make_choice,
    make_optional,
    make_sequence,
    repeat_many,
)
from tests.cases import (
    F_ANY,
    F_INT,
    F_POINT,
    F_STR,
    GAPS,
    GOOD,
    INT,
    OPEN,
    STR,
    UNIT,
    WEATHER,
    Good,
    exact,
    taking,
    tool,
    tools_of,
)
from tests.grammar.acceptors import gbnf_accepts, llguidance_accepts
from tests.grammar.languages import BEYOND, FORMS


@pytest.mark.parametrize(
    ("tools", "arguments"),
    [
        (F_STR, {"form": "json"}),
        (F_STR, {"form": "wire", "counted": 1_000_000}),
        (F_STR, {"form": "wire", "counted": -1}),
        (F_STR, {"form": "tagged", "counted": 0}),
        (ToolSet(()), {"form": "wire"}),
    ],
)
def test_options_that_do_not_fit_are_a_value_error(tools: ToolSet, arguments: Any) -> None:
    """An unknown form is a mistake of the program, so it raises `ValueError` and not
    `LTONError`.
    """
    with pytest.raises(ValueError, match=r"form|counted|tool"):
        to_gbnf(tools, **arguments)


def test_an_option_that_there_is_not_is_a_type_error() -> None:
    """A misspelt option raises `TypeError`, as for every function, and is not ignored."""
    with pytest.raises(TypeError, match="'punctuated'"):
        to_gbnf(F_STR, punctuated=True)  # type: ignore[call-arg]


def test_tools_that_nobody_can_call_have_no_grammar() -> None:
    """A toolset without any callable tool is refused."""
    cases: list[tuple[ToolSet, Any]] = [
        (taking(False), {"form": "wire"}),
        (ToolSet(()), {"form": "keyed"}),
        (taking({"type": "string", "minLength": 10}), {"form": "tagged", "counted": 5}),
    ]
    for tools, options in cases:
        with pytest.raises(GrammarError, match="no grammar") as error:
            to_gbnf(tools, **options)
        assert error.value.code == "E602"


@pytest.mark.parametrize(("inner", "is_callable"), [(INT, True), (False, False)])
def test_required_members_may_share_a_type(inner: Any, *, is_callable: bool) -> None:
    """A type with two references to one definition has values if the definition has values."""
    both = {name: {"$ref": "#/$defs/inner"} for name in ("a", "b")}
    pair = {"type": "object", "properties": both, "required": ["a", "b"]}
    definitions = {"pair": pair, "inner": {"anyOf": [inner, False]}}
    properties = {name: {"$ref": "#/$defs/pair"} for name in ("x", "y")}
    schema = {"properties": properties, "required": ["x", "y"], "$defs": definitions}
    tools = tools_of({"name": "f", "parameters": schema}, {"name": "stop"})
    grammar = to_gbnf(tools)
    assert ('"f"' in grammar) == is_callable
    assert '"stop"' in grammar


def test_a_tool_that_nobody_can_call_is_left_out() -> None:
    """A tool with a required argument that no value satisfies has no rule."""
    tools = tools_of(tool("never", {"x": False}, ["x"]), tool("stop", {"y": False}))
    assert to_gbnf(tools, form="wire") == 'root ::= "stop"\n'


POINTS = [{"k": 1, "b": [{"c": 1, "d": 2}, {"c": 3, "d": 4}]}, {"k": "no"}, {"k": 2, "l": 3}]
POINT_OF = {"type": "object", "properties": {"k": INT, "b": {}}, "required": ["k"]}
LISTED: dict[str, tuple[Any, list[Any], list[Any]]] = {
    "arrays": ({"enum": [[1, 2], [], "w", 3]}, [[1, 2], [], "w", 3], [[1], [2, 1], "v", {}]),
    "objects": ({"enum": [{"a": 1, "b": None}, {}]}, [{"b": None, "a": 1}, {}], [{"a": 1}, []]),
    "constant": (
        {"const": [True, None, "x y\nz", {"a": 1.5}]},
        [[True, None, "x y\nz", {"a": 1.5}]],
        [[]],
    ),
    "typed": (POINT_OF | {"enum": POINTS}, POINTS[:1], [{"k": 1}, {"k": 3}]),
    "bounded": ({"type": "array", "minItems": 1, "enum": [[], [1]]}, [[1]], [[2]]),
    "both": ({"anyOf": [{"const": [1]}, {"enum": [[2], {"a": 1}]}]}, [[1], [2], {"a": 1}], [[3]]),
    "shorter": ({"allOf": [{"enum": [[1], [2]]}, {"const": [2]}]}, [[2]], [[1], [3]]),
    "not-written": ({"enum": [["\0"], [1]]}, [[1]], [[2]]),
}


@pytest.mark.parametrize("form", get_args(Form))
@pytest.mark.parametrize("case", LISTED)
def test_listed_arrays_and_objects_are_the_only_ones_in_the_grammar(case: str, form: Form) -> None:
    """A grammar has exactly the arrays and objects that a schema lists, in their canonical
    spelling.
    """
    schema, there, others = LISTED[case]
    tools, anything = taking(schema), taking({})
    language = re.compile(to_regex(tools, form=form))
    for value in there:
        text = encode(Call("f", {"x": value}), tools, form=form)
        assert language.fullmatch(text)
        assert decode(text, tools)[0].arguments == {"x": value}
    for value in others:
        assert not language.fullmatch(encode(Call("f", {"x": value}), anything, form=form))


def test_listed_values_that_fit_no_layout_leave_the_layout() -> None:
    """If no listed array fits the other keywords, the grammar keeps the layout, and the decoder
    refuses all arrays.
    """
    tools = taking({"type": "array", "items": INT, "minItems": 3, "enum": [[1]]})
    assert re.fullmatch(to_regex(tools, form="wire"), "f [1 2 3]")
    with pytest.raises(DecodeError, match="is not listed"):
        decode("f [1 2 3]", tools)


NEVER = {"type": "boolean", "enum": ["x"]}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"anyOf": [STR, {"properties": {"k": False}, "required": ["k"]}]}, "f ()"),
        ({"additionalProperties": NEVER}, "f {a }"),
        ({"properties": {"a": INT}, "additionalProperties": NEVER}, "f (1 z=)"),
    ],
    ids=["member", "map", "extra"],
)
def test_what_no_value_satisfies_is_left_out(schema: Any, text: str) -> None:
    """If no value is possible, the grammar has no rule for the value, instead of the empty text
    (§13).
    """
    grammar = to_lark(taking(schema), form="wire")
    assert "()" not in grammar
    assert not llguidance_accepts(grammar, text)


def test_arrays_of_nothing_are_empty() -> None:
    """An array whose items no value satisfies is empty."""
    assert '"[]"' in to_gbnf(taking({"items": False}), form="wire")


@pytest.mark.parametrize(
    ("tools", "arguments", "accepted", "refused"),
    [
        (
            GAPS,
            {"form": "wire"},
            ["g 1", "g 1 2", "g 1 _ 3", "g 1 _ _ 4", "g 1 2 d=4", "g 1 c=3 e=5", "g 1 _ c=3"],
            [
                "g",
                "g a=1",
                "g _",
                "g 1 c=3 4",
                "g 1 c=3 b=2",
                "g 1  2",
                "g 1,2",
                "g 1 ",
                "g(1)",
                "g 01",
                "g 1.0",
            ],
        ),
        (
            GAPS,
            {"form": "keyed"},
            ["g a=1", "g a=1 c=3", "g a=1 b=2 c=3 d=4 e=5"],
            ["g 1", "g b=2", "g a=1 c=3 b=2", "g a=1 a=1", "g a=1 b=_"],
        ),
        (
            GAPS,
            {"form": "punctuated"},
            ["g(a=1)", "g(a=1, e=5)"],
            ["g()", "g(a=1,e=5)", "g(a=1 e=5)", "g(a=1, )", "g(e=5, a=1)", "g (a=1)"],
        ),
        (
            tools_of(tool("o", {"a": INT, "b": UNIT})),
            {"form": "punctuated"},
            ["o()", "o(a=1)", "o(b=C)", "o(a=1, b=C)"],
            ["o(, b=C)", "o(b=C, a=1)", 'o(b="C")', "o(b=K)"],
        ),
        (
            F_POINT,
            {"form": "wire"},
            ["f (1)", "f (1 x)", "f (1 _ 2)", "f (1 d=2)", "f (1 b='x' d=2)"],
            ["f ()", "f (_)", "f 1", "f {a 1}", "f (1 d=2 c=2)", "f(1)"],
        ),
        (
            taking({"properties": {"a": INT, "b": STR}, "additionalProperties": INT}),
            {"form": "wire"},
            ["f ()", "f (1)", "f (_ x)", "f (b=x)", "f (a=1 b=x z=1)", "f (z=1 y=2)", "f (1 z=1)"],
            ["f (x)", "f (z=x)", "f (z=1 1)", "f ( 1)"],
        ),
        (
            OPEN,
            {"form": "wire"},
            ["h 1", "h 1 z=2", "h 1 z=2 y=3"],
            ["h", "h 1 2", "h 1 z=x", "h 1 z=2 3"],
        ),
        (
            WEATHER,
            {"form": "wire", "parallel": True},
            ["stop\nstop", "stop\n&\n&", "weather.v1 a 1\n& b 2\nstop", "stop\n& "[:-1]],
            ["stop\n", "&", "stop\n\nstop", "stop\n& a 1", "weather.v1 a 1\nstop\n& b 2"],
        ),
        (
            WEATHER,
            {"form": "keyed", "parallel": True},
            ["stop\nstop"],
            ["stop\n&"],
        ),
        (
            WEATHER,
            {"form": "wire"},
            ["stop"],
            ["stop\nstop", "!call stop", "stop#00000000", "'stop'"],
        ),
        (
            F_STR,
            {"form": "wire", "counted": 99},
            ["f s0:", "f s1:a", "f s3:a\nb", "f s10:0123456789", f"f s99:{'😀' * 99}", "f s3:abc"],
            [
                "f s1:",
                "f s1:ab",
                "f s01:a",
                "f s10:012345678",
                "f s100:" + "a" * 100,
                "f s1:\0",
                "f s1",
            ],
        ),
        (
            F_STR,
            {"form": "wire", "counted": 9999},
            [f"f s{n}:{'é' * n}" for n in (0, 9, 10, 99, 100, 999, 1000, 1234, 9999)],
            [f"f s{n}:{'é' * (n - 1)}" for n in (1, 10, 100, 1000, 9999)],
        ),
        (
            F_STR,
            {"form": "wire"},
            [
                "f a",
                "f 'a b'",
                'f ""',
                "f s",
                "f s:1",
                "f ```\n```",
                "f ```\na\n``b\n\n```",
                "f 7",
                "f null",
            ],
            [
                "f s1:a",
                "f s1",
                "f _",
                "f _a",
                "f a b",
                "f 'a\nb'",
                "f ```\n````\n```",
                "f ```a```",
                "f ``",
                "f `a\nb`",
                "f \0",
                "f é",
            ],
        ),
        (
            F_ANY,
            {"form": "wire"},
            ["f null", "f [1 [],{a 1 'b c' {}} x]", "f -0.5e-7", "f true", "f {}"],
            ["f (1)", "f [1, 2]", "f [ ]", "f {a}", "f {a 1 b}", "f [", "f {a=1}"],
        ),
        (
            taking({"items": UNIT, "minItems": 1}),
            {"form": "wire"},
            ["f [C]", "f [C F C]"],
            ["f []", "f [K]", "f [C,F]"],
        ),
        (
            taking({"enum": ["a b", "null", None, 1, True, "x\ny"]}),
            {"form": "wire"},
            ['f "a b"', 'f "null"', "f null", "f 1", "f true", "f s3:x\ny"],
            ["f 'a b'", "f false", "f 2", 'f "1"', "f x"],
        ),
        (
            taking({"enum": [2.0, 2, -0.0, 1e300, 3, 0.5]}),
            {"form": "wire"},
            ["f 2", "f 2.0", "f 0", "f -0.0", "f 1e300", "f 3", "f 0.5"],
            ["f 3.0", "f -0", "f 1", "f 2e0", f"f 1{'0' * 300}"],
        ),
        (
            taking({"enum": [2.0]}),
            {"form": "tagged"},
            ["!call f\n(u1:2)", "!call f\n(f3:2.0)"],
            ["!call f\n(i1:2)", "!call f\n(u3:2.0)"],
        ),
        (
            F_INT,
            {"form": "wire"},
            ["f 0", "f -1", f"f {10**40 - 1}"],
            ["f -0", "f +1", f"f {10**40}", "f 01", "f 1e5", "f x", "f '1'"],
        ),
    ],
    ids=[
        "wire",
        "keyed",
        "punctuated",
        "optional-first",
        "record",
        "open-record",
        "extra",
        "repeat",
        "parallel-keyed",
        "one-call",
        "counted",
        "counted-4",
        "strings",
        "anything",
        "array",
        "labels",
        "listed-numbers",
        "listed-numbers-tagged",
        "integers",
    ],
)
def test_the_language(
    tools: ToolSet, arguments: Any, accepted: list[str], refused: list[str]
) -> None:
    """A grammar allows exactly the texts of its form, and the decoder reads them."""
    grammar = to_lark(tools, bare=True, **arguments)
    assert [text for text in accepted if not llguidance_accepts(grammar, text)] == []
    assert [text for text in refused if llguidance_accepts(grammar, text)] == []
    for text in accepted:
        decode(text, tools)


def test_undeclared_keys_in_quotes_are_in_the_language() -> None:
    """Every key that the encoder writes is in the language, also in quotes (R-303, R-407)."""
    assert llguidance_accepts(to_lark(OPEN, form="wire"), 'h 1 "z z"=2')


def test_the_counted_rules_stay_small() -> None:
    """Exact lengths up to 9,999 take about a kilobyte of grammar."""
    with_them, without = (len(to_gbnf(F_STR, counted=length, form="wire")) for length in (9_999, 0))
    assert with_them - without < 1500


def test_the_size_is_linear_in_the_parameters() -> None:
    """Twice as many optional parameters give about twice the text."""
    few, more = (
        len(to_gbnf(tools_of(tool("f", {f"p{i:03}": INT for i in range(count)})), form="wire"))
        for count in (50, 100)
    )
    assert more < 2.2 * few


def test_rules_have_one_definition_each() -> None:
    """Each name is defined once, and every used name is defined."""
    for case in GOOD:
        names = [
            rule.name for rule in build(case.tools, parallel=True, counted=9999, form="wire").rules
        ]
        assert len(names) == len(set(names))


def test_nodes_are_spliced() -> None:
    """Nested sequences and nested choices are merged, and a single part has no wrapper."""
    x, y = Lit("x"), Chars("y")
    assert make_sequence(x, None) == make_choice(x) == x
    assert make_sequence(make_sequence(x, y), x) == Seq((x, y, x))
    assert make_choice(make_choice(x, y), x) == Alt((x, y, x))
    assert make_sequence() == Seq(())
    assert (make_optional(x), repeat_many(x)) == (Repeat(x, 0, 1), Repeat(x))


@pytest.mark.parametrize(
    "case", [c for c in GOOD if c.calls and c.name in BEYOND], ids=lambda c: c.name
)
def test_what_grammars_leave_out_is_read(case: Good) -> None:
    """The decoder also reads texts that grammars exclude on purpose."""
    for form in FORMS:
        assert exact(decode(getattr(case, form), case.tools)) == exact(case.calls)


@pytest.mark.parametrize(
    ("text", "accepted"), [("f", True), ("f _ 5", True), ("f b=5", True), ("f 5", False)]
)
def test_a_position_that_no_value_satisfies_is_only_skipped(text: str, accepted: bool) -> None:
    """An optional argument without possible values keeps its position:

    `_` is written, or a key follows.
    """
    tools = tools_of(tool("f", {"a": NEVER, "b": INT}))
    assert llguidance_accepts(to_lark(tools, form="wire"), text) == accepted
    if accepted:
        assert decode(text, tools)
    else:
        with pytest.raises(DecodeError) as caught:
            decode(text, tools)
        assert caught.value.code == Code.TYPE


def test_trailing_positions_that_no_value_satisfies_are_left_out() -> None:
    """If no later argument has possible values, nothing is written for them."""
    tools = tools_of(tool("f", {"a": NEVER, "b": NEVER}))
    assert to_lark(tools, form="wire") == 'start: "f"\n'
    assert to_lark(tools, form="punctuated") == 'start: "f" "(" ")"\n'


@pytest.mark.parametrize(("form", "keys"), [("wire", ("",) * 3), ("keyed", ("a=", "b=", "c="))])
def test_without_bare_words_strings_are_quoted(form: Any, keys: tuple[str, str, str]) -> None:
    """Without bare words, strings are quoted, also those of a pattern; labels stay bare."""
    pattern = {"type": "string", "pattern": "^[a-z ]+$"}
    tools = tools_of(tool("f", {"a": STR, "b": UNIT, "c": pattern}, ["a", "b", "c"]))
    quoted = "f " + " ".join(f"{k}{v}" for k, v in zip(keys, ('"x"', "C", '"y"'), strict=True))
    assert gbnf_accepts(to_gbnf(tools, form=form, bare=False), quoted)
    for text in (quoted.replace('"x"', "x"), quoted.replace('"y"', "y")):
        assert not gbnf_accepts(to_gbnf(tools, form=form, bare=False), text)
        assert gbnf_accepts(to_gbnf(tools, form=form), text)
