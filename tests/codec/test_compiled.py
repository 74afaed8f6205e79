"""Test that compiled readers and writers agree with the general code, are used, and are cached."""

import copy
import pickle
from collections import Counter, OrderedDict
from importlib import import_module
from random import Random
from types import MappingProxyType
from typing import Any

import pytest

from lton import Call, Decoder, EncodeError, ToolSet, decode, encode, events
from lton._syntax import Form
from lton.codec import _fast_atoms, _fast_writer
from lton.codec._encode import _STYLES
from lton.codec._fast_reader import read_lines
from lton.codec._fast_writer import write_lines_and_iterate_rest
from lton.codec._frames import Frame
from lton.errors import DecodeError
from lton.schema.toolset import Derived
from lton.schema.types import JSON, Object, Param, String, Tool, Type
from tests.cases import (
    ANYTHING,
    BAD,
    F_STR,
    GOOD,
    INT,
    INTS,
    MAP,
    NUM,
    POINT,
    READ,
    STR,
    UNIT,
    WEATHER,
    Bad,
    Good,
    Read,
    params,
    taking,
    tool,
    tools_of,
)
from tests.compiled import FORMS, Label, Mixed, One, Real, Text, check_reading, check_writing
from tests.steps import steps

OTHERS: list[Read | Bad] = [*READ, *BAD]


def reads(text: str, tools: ToolSet) -> bool:
    """Return whether the compiled reader reads a whole text without the general reader."""
    return read_lines(text, 0, len(text), [], tools) >= len(text)


def writes(call: Call, tools: ToolSet, form: Form = "wire") -> bool:
    """Return whether the compiled writer writes a call without the general writer."""
    return not list(write_lines_and_iterate_rest([call], [], tools, _STYLES[form], ""))


# --- they agree ---------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", params(GOOD))
def test_canonical_texts(case: Good, form: Form) -> None:
    """Canonical texts are read and written in the same way by both, also after other calls."""
    assert check_writing(case.calls * 2, case.tools, form)
    text = encode(case.calls * 2, case.tools, form=form)
    assert check_reading(text, case.tools)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("text", "tools"),
    [
        pytest.param(case.text, case.tools, id=case.name)
        for case in OTHERS
        if case.tools is not None
    ],
)
def test_other_texts(text: str, tools: ToolSet) -> None:
    """Texts that are not canonical, or wrong, are read or refused in the same way by both."""
    check_reading(text, tools)


LINES: dict[str, tuple[Any, bool, list[str]]] = {
    # name: the schema of the required `x`, whether the compiled reader reads these, arguments
    "strings": (STR, True, ["a", "null", "7", '"a b"', "'a\"b'", '""', "x=a", 'x="_"', "s", "s:1"]),
    "strings-in-backticks": (STR, True, ["`a`", "`'\"`", "x=`a`"]),
    "strings-in-no-backticks": (STR, False, ["`", "``", "`a", "``a``", "`a``b`"]),
    "strings-rarer": (
        STR,
        False,
        ["_", "s2:a", "[a]", "[[1]]", "(a", "{", "", "```\na\n``", '"a', "a  b"],
    ),
    "strings-bounded": ({**STR, "maxLength": 2}, True, ["ab", '""']),
    "strings-too-long": ({**STR, "maxLength": 2}, False, ["abc", '"abc"', "_"]),
    "integers": (INT, True, ["0", "7", "-7", "99", "100", "7.0", "1e2", "9" * 4096]),
    "integers-rarer": (INT, False, ["07", "-0", "7.5", "a", "1e999", "9" * 4097, '"7"', "null"]),
    "numbers": (NUM, True, ["0", "0.5", "-1e9", "12345678901234567890", "x=1"]),
    "numbers-bounded": ({**NUM, "minimum": 2, "maximum": 200}, True, ["2", "2.0", "200"]),
    "numbers-too-small": ({**NUM, "minimum": 2}, False, ["1", "1.9", "-1"]),
    "numbers-listed": ({"enum": [1, 500]}, True, ["1", "500", "5e2"]),
    "numbers-not-listed": ({"enum": [1, 500]}, False, ["2", "501"]),
    "labels": (UNIT, True, ["C", '"C"', "'F'"]),
    "labels-rarer": (UNIT, False, ["c", '"c"', "_"]),
    "labels-like-others": ({"enum": ["null", None, "1", "_", "a b", "'\""]}, True, ['"null"']),
    "labels-unquoted": ({"enum": ["null", None, "1", "a b"]}, True, ["null", "1", "'a b'"]),
    "labels-counted": ({"enum": ["_", "'\""]}, False, ["_", "s2:'\""]),
    "booleans": ({"type": "boolean"}, True, ["true", "false"]),
    "booleans-listed": ({"enum": [True]}, False, ["false", '"true"', "True"]),
    "null": ({"type": "null"}, True, ["null"]),
    "nullable": ({"type": ["string", "null"]}, True, ["null", '"null"', "a", '""']),
    "nullable-rarer": ({"type": ["string", "null"]}, False, ["_", "x=_", "[]"]),
    "strings-and-numbers": ({"type": ["string", "integer"]}, True, ["7", '"7"', "a", "-7"]),
    "strings-and-numbers-rarer": ({"type": ["string", "integer"]}, False, ["-0", "[7]", "7.5"]),
    "labels-and-numbers": ({"enum": ["x", 1, True]}, True, ["x", "1", "true"]),
    "labels-and-arrays": ({"anyOf": [UNIT, INTS, POINT]}, True, ["C", "[1]", "(1)"]),
    "never": (False, False, ["a", "1", "null", "[]", "()", "{}", "_"]),
    "anything": (ANYTHING, True, ["a", "7", "null", "[1 [2] {}]", "{a 1 'b c' [{d e}]}", "{}"]),
    "anything-rarer": (
        ANYTHING,
        False,
        ["(a=1)", "(1)", "_", "{a 1 a 2}", "{a}", "[" * 18 + "]" * 18],
    ),
    "anything-wrong": (ANYTHING, False, ["[1)", "{a 1]", "{[] 1}", "{é 1}", "{a  1}", "[1 ,2]"]),
    "arrays": (INTS, True, ["[]", "[1]", "[1 2 3]", "[1, 2]", "[1,2]", "x=[1]"]),
    "arrays-rarer": (
        INTS,
        False,
        ["[ 1]", "[1 ]", "[1 ,2]", "[, 1]", "[,1]", "[1,]", "[a]", "{1}", "[1)", "1", "(1]"],
    ),
    "arrays-bounded": ({**INTS, "minItems": 1, "maxItems": 2}, True, ["[1]", "[1 2]"]),
    "arrays-too-long": ({**INTS, "minItems": 1, "maxItems": 2}, False, ["[]", "[1 2 3]"]),
    "arrays-or-null": ({**INTS, "nullable": True}, True, ["[1]", "null"]),
    "records": (POINT, True, ["(1)", "(1 b)", "(1 b _ 2)", "(a=1)", "(1, d=2)", "(a=1, b=c)"]),
    "records-rarer": (POINT, False, ["()", "(_)", "(1 2 3 4 5)", "(b=c)", "(1 a=1)", "(1 z=1)"]),
    "records-wrong": (POINT, False, ["(1]", "{a 1}", "[1]", "1", "(a=1 2)", "(1  2)", '("a"=1)']),
    "records-open": ({**POINT, "additionalProperties": INT}, True, ["(1 z=2)", "(a=1, z=2)"]),
    "records-open-wrong": ({**POINT, "additionalProperties": INT}, False, ["(1 z=a)", "(z=1)"]),
    "records-empty": ({"type": "object", "properties": {}}, False, ["(1)", "{}"]),
    "records-nothing-in-them": ({**POINT, "required": []}, True, ["()", "(_ b)", "(_, _, c=1)"]),
    "nests": (
        ANYTHING,
        True,
        [
            *["[{a [{b 1}]}]", "[[[[[1 x]]]]]", "{a {b {c {d 'e f'}}}}", "{_id [{s1 2}] 1 {}}"],
            *["[{a s1:} b s2:é]}]", "[```\na\n``` [2]]", "[[] [[]] {} {a {}}]", "{'' [[1]], b 2}"],
        ],
    ),
    "nests-long": (ANYTHING, True, [f"[{'[1 {a 2}] ' * 2_000}s1:\n [3]]"]),
    "nests-long-and-deep": (ANYTHING, False, ["[" * 70_000]),
    "nests-rarer": (
        ANYTHING,
        False,
        [
            *[
                "[ [[1]]]",
                "[[[1]] ]",
                "[[[1]]2]",
                "[[[1]],,2]",
                "[[a=1 [2]]]",
                "[[[1]]",
                "[[[1]]} ",
            ],
            *[
                "{ a [[1]]}",
                "{a [[1]] }",
                "{a [[1]]b 2}",
                "{a,[[1]]}",
                "{a [[1]] a 2}",
                "{a=1 b [[1]]}",
            ],
            *[
                "{a [[1]] b}",
                "{a [[1]] ` 2}",
                "{a [[1]] b: 2}",
                "{s1:a [[1]]}",
                "{a [[1]]",
                "[[_ [1]]]",
            ],
            *["{a [[1]] b=2}", "[[(1)]]", "[{(a)k [[1]]", "{a _ b [[1]]}", "[[[1]];2]", "[[1]](2)"],
        ],
    ),
    "nests-typed": (
        {"type": "array", "items": {**POINT, "properties": {**POINT["properties"], "e": INTS}}},
        True,
        [
            *["[(1 e=[2]) (2 b)]", "[(a=1, e=[])]", "[(1 b _ 2) (a=2)]"],
            *["[(1)]", "[(1 b) (2)]", "[(1),(2 b)]", "[(a=1, b=c), (a=2)]"],
        ],
    ),
    "nests-typed-rarer": (
        {"type": "array", "maxItems": 2, "items": {**POINT, "additionalProperties": INTS}},
        False,
        [
            *["[{a 1}]", "[[1]]", "[(1)(2)]", "[(1) (2) (3)]", "[( 1)]", "[(1 )]", "[(1 z=[[2]])]"],
            *[
                "[(1 z=(2))]",
                "[(1 z=[2] z=[3])]",
                "[(1 a=2)]",
                "[(1 _=2)]",
                "[(1",
                "[(1 s1)]",
                "[(z=_)]",
            ],
        ],
    ),
    "tables-with-groups": (
        {"type": "array", "items": MAP},
        True,
        [
            *["[(a b)[[1]] 2;{c 3} _;_]", "[(a b)[[1]];;2 3]", "[(a(b c) d)1 [[2]] 3;4 5]"],
            *["[('a b' c)[[1]] s1:;;2]", "[(a(b(c d) e) f)1 2 3 [[4]]]", "[(a)[[1]];]"],
        ],
    ),
    "tables-with-groups-rarer": (
        {"type": "array", "items": MAP},
        False,
        [
            *[
                "[(a)[[1]] 2]",
                "[(a)[[1]] _]",
                "[(a a)[[1]] 2]",
                "[(a) [[1]]]",
                "[(a)[[1]] ]",
                "[(a)[[1]]; 2]",
            ],
            *[
                "[(a)b=[[1]]]",
                "[(a)[[1]]2]",
                "[(a)[[1]] ;2]",
                "[(a)[[1]]}",
                "[(a)[[1]]",
                "[(a=b)[[1]]]",
            ],
            *[
                "[(a(b))[[1]]]",
                "[(a(b c))[[1]]]",
                "[(a(b c))_ [[1]]]",
                "[(a(b c))[[1]] _]",
                "[( a)[[1]]]",
                "[(a )[[1]]]",
            ],
            *[
                "[(a",
                "[(a,,b)[[1]] 2]",
                "[(a(b b))[[1]] 2]",
                "[()[[1]]]",
                "[(a)[[1]] x_:]",
                "[(a b)[[1]] _x]",
            ],
            *["[(s1:a)[[1]]]", "[((a b))[[1]] 2]", "[(a)[[1]])]", "[(a b)[[1]] _ _]"],
        ],
    ),
    "tables-in-maps-with-groups": (
        MAP,
        True,
        ["{(a b)k [[1]] 2;l;_ 3}", "{(a)'k k' [[1]];s1 2}", "{(a(b c))x 1 [[2]]}"],
    ),
    "tables-in-maps-with-groups-rarer": (
        MAP,
        False,
        [
            "{(a)k [[1]];k 2}",
            "{(a)k [[1]];}",
            "{(a)[[1]] 2}",
            "{(a) k [[1]]}",
            "{(a)k[[1]]}",
            "{(a)s1:k [[1]]}",
        ],
    ),
    "tables": (
        {"type": "array", "items": MAP},
        True,
        [
            *[
                "[(a b)1 x;2 y]",
                "[(a b)1;2 y;_ z]",
                "[(a)_]",
                "[(a,'b c')1 2]",
                "[(a(b c) d)1 2 3]",
            ],
            *["[(a)" + ";".join(f"{i}" for i in range(20)) + "]", "[('(')[1 {a 2}];'; '] "[:-1]],
            "[(a b)" + ";".join(f'"{i}" w;-{i} true;{i}.5 w' for i in range(1, 9)) + "]",
        ],
    ),
    "tables-rarer": (
        {"type": "array", "items": MAP},
        False,
        [
            *["[(a)]", "[()1]", "[(a a)1 2]", "[(a)1 2]", "[(a)1; 2]"],
            *["[(a)1 ;2]", "[( a)1]", "[(a) 1]", "[(a(b))1]", "[(a(b b))1 2]", "[(a(b c))1]"],
            *["[(a(b c))_ 1]", "[(a)1)2]", "[(a)1}", "[(a)(1)]"],
            *["[(a(b(c d)e))1 2 3]", "[(a)[1);2]", "[(a)1;2] "],
        ],
    ),
    "tables-of-integers": (
        {"type": "array", "items": {**MAP, "additionalProperties": INT}},
        True,
        ["[(a b)1 2;3;_ 4]", "[(a)" + ";".join(map(str, range(20))) + "]"],
    ),
    "tables-of-integers-rarer": (
        {"type": "array", "items": {**MAP, "additionalProperties": INT}},
        False,
        ["[(a(b c))1 2]", "[(a)x]", "[(a)1;7.5]", "[(a)" + ";".join(["1"] * 9) + ";7.5]"],
    ),
    "tables-in-maps": (MAP, True, ["{(a b)k 1 2;l;_ 3}", "{(a(b c))'k k' 1 2}", "{(a)_ _}"]),
    "tables-in-maps-rarer": (MAP, False, ["{(a)k 1;k 2}", "{(a)}", "{(a)k 1 2}", "{(a)[1] 2}"]),
    "tables-of-strings": (
        {**MAP, "additionalProperties": {**MAP, "additionalProperties": STR}},
        True,
        ["{(a b)k 1 x;l 'y'}"],
    ),
    "many-strings": (
        {"type": "array", "items": STR},
        True,
        [
            *['["a b"]', '["a b","c,d"]', '["a", "b"]', "[a b]", "[1 x]", '["a",b "c"]', '[""]'],
            *["['\"' '\"']", "['\",\"']", '["a",\'","\',"b"]', "[" + "'a b'," * 9 + "'']"],
            "[" + " ".join(["a"] * 9) + "]",
        ],
    ),
    "many-strings-rarer": (
        {"type": "array", "items": STR},
        False,
        ['["a""b"]', '["a";"b"]', '["a" "b" ]', '["]', "[a _]", '["a","b" _]', "[a  b]"],
    ),
    "many-numbers": (
        {"type": "array", "items": NUM},
        True,
        [
            "[1 2.5]",
            f"[{'1 2.5 ' * 999}3]",
            "[-1, 2.5]",
            "[1e3 2]",
            "[-0.5]",
            "[" + "1 " * 9 + "2.5]",
        ],
    ),
    "many-numbers-rarer": (
        {"type": "array", "items": NUM},
        False,
        [
            "[-0]",
            f"[{'1 ' * 3000}-0]",
            f"[{'1 ' * 3000}01]",
            "[1 -0 1]",
            "[01 2]",
            "[1.]",
            "[.5]",
            "[1-2]",
            "[-]",
            "[1 1e999]",
            "[1..2]",
        ],
    ),
    "many-of-any": (
        ANYTHING,
        True,
        [
            *["[2024-01-02 2024-01-03]", "[1.2.3 4]", "[-0.5 01]", "[" + "true a " * 9 + "null]"],
            "[" + "null " * 9 + "1]",
        ],
    ),
    "many-of-any-rarer": (ANYTHING, False, ["[-0]", "[" + "1 " * 9 + "-0]"]),
    "long": (
        STR,
        True,
        [f'"{"a b " * 2000}"', f"x='{'=' * 5000}'", "a" * 5000, f"`{'x' * 5000}`"],
    ),
    "long-rarer": (
        STR,
        False,
        [
            *[f'"{"a" * 5000}\r"', f'"{"a" * 5000}\0"', f'"{"a" * 5000}', f'"{"a" * 5000}" '],
            *[f'"{"a" * 5000}" b', f"``{'x' * 5000}``", f' "{"a" * 5000}"', f'y="{"a" * 5000}"'],
        ],
    ),
    "maps": (MAP, True, ["{}", "{a 1}", '{a 1 "b c" x}', "{'' 1}", "{_ 1}", "{a 1, b 2}"]),
    "maps-wrong": (MAP, False, ["{a}", "{a 1 a 2}", "{a 1 b}", "{a, 1}", "{a=1}", "{a 1)", "[]"]),
    "maps-of-integers": ({**MAP, "additionalProperties": INT}, True, ["{a 1}", "{a 1 b 2}"]),
    "maps-of-integers-wrong": ({**MAP, "additionalProperties": INT}, False, ["{a b}"]),
    "arrays-of-maps": (
        ANYTHING,
        True,
        [
            *[
                "[{a 1, b 2}, {a 3, b x}]",
                "[{a 1}, {b 2}]",
                "[{a 1 b 2},{a 3} {c 4}]",
                "[{a 1}, {}]",
            ],
            *["[{a '}, {b 1'}, {a ', b 2'}]", "[{_ 1}, {_ 2}]", "[{'' 1, `a b` 2}, {c []}]"],
            f"[{', '.join(['{a 1, `b c` x, _ null}'] * 9)}]",
            f"[{', '.join(['{a 1}', '{a 1, b 2}', '{b 3}'] * 9)}]",
            f"[{', '.join(['{a 1, b 2}', '{b 1, a 2}'] * 9)}]",
            f"[[{', '.join(['{a 1}'] * 9)}], {{b [{{c 1}}, {{c 2}}]}}]",
        ],
    ),
    "arrays-of-maps-rarer": (
        ANYTHING,
        False,
        [
            *["[{a 1, a 2}, {b 3}]", "[{a 1}, {b _}]", "[{a 1} ,{b 2}]", "[{a 1}  {b 2}]"],
            *[
                "[{a s9:x}, {y zz}, {b 1}]",
                "[{a  1}, {b 2}]",
                "[{a 1 }, {b 2}]",
                "[{a 1; b 2}, {}]",
            ],
            f"[{', '.join(['{a 1, a 2}'] * 9)}]",
            f"[{', '.join(['{a 1}'] * 9)}, {{a 1, a 2}}]",
            f"[{', '.join(['{a 1}'] * 9)}, {{a -0}}]",
            f"[{', '.join(['{a 1, b 2}'] * 9)}, {{a=1, b 2}}]",
        ],
    ),
    "arrays-of-maps-typed": (
        {"type": "array", "maxItems": 9, "items": {**MAP, "additionalProperties": INT}},
        True,
        ["[{a 1}, {b 2}]", f"[{', '.join(['{a 1}'] * 9)}]"],
    ),
    "arrays-of-maps-typed-wrong": (
        {"type": "array", "maxItems": 9, "items": {**MAP, "additionalProperties": INT}},
        False,
        ["[{a 1}, {b x}]", f"[{', '.join(['{a 1}'] * 10)}]", f"[{'{a 1}, ' * 8}{{a x}}]"],
    ),
    "objects-and-arrays": ({"type": ["object", "array"]}, True, ["[a]", "{a 1}", "{}", "[]"]),
    "objects-and-arrays-wrong": ({"type": ["object", "array"]}, False, ["a", "1", '"a"', "null"]),
}


@pytest.mark.parametrize("name", LINES)
def test_lines(name: str) -> None:
    """Both readers agree on each line, and the compiled reader reads common lines itself."""
    schema, is_common, arguments = LINES[name]
    tools = taking(schema)
    for argument in arguments:
        line = f"f {argument}"
        is_read = check_reading(line, tools)
        assert (reads(line, tools), argument) == (is_common, argument)
        assert is_read or not is_common
        check_reading(f"f({argument})", tools)
        check_reading(f"stop\n{line}\n& {argument}\nstop", tools_of(*_definitions(schema)))


def _definitions(schema: Any) -> list[dict[str, Any]]:
    return [tool("f", {"x": schema}, ["x"]), tool("stop")]


def test_made_up_arrays_of_maps() -> None:
    """Both readers agree on arrays of maps that are made up, with errors in some of them."""
    draw = Random(1)
    values = ["1", "x", "null", "'}, {'", '"b, c"', "[1 2]", "{a 1}", "[{a 1}, {a 2}]", "s2:ab"]
    tools, count = taking(ANYTHING), 0
    for _ in range(400):
        keys = draw.sample(["a", "b", "'c d'", '"a"', "s1", "_"], draw.randint(1, 3))
        maps = []
        for _ in range(draw.choice([2, 3, 12])):
            some = keys if draw.random() < 0.9 else draw.sample(keys, 1)
            pairs = [f"{key} {draw.choice(values[: draw.choice([5, 9])])}" for key in some]
            maps.append("{" + draw.choice([", ", ", ", " "]).join(pairs) + "}")
        text = f"f(x=[{', '.join(maps)}])"
        if draw.random() < 0.3:
            at = draw.randrange(len(text))
            text = text[:at] + draw.choice(["", "'", "}", ",", " ", "\n"]) + text[at + 1 :]
        count += check_reading(text, tools)
    assert 200 < count < 400


@pytest.mark.parametrize(
    ("text", "is_common"),
    [
        ("stop", True),
        ("stop\n", True),
        ("stop\nstop\n&", True),
        ("stop()", True),
        ("stop\n&()", True),
        (f"stop\n&#{WEATHER.fingerprint_of(WEATHER.by_name['stop'])}", False),
        (f"stop#{WEATHER.fingerprint_of(WEATHER.by_name['stop'])}", True),
        ("weather.v1 Paris 7 C", True),
        ("weather.v1 Paris 7 C\n& Rome 2 F\nweather.v1 Oslo 1 C", True),
        ("weather.v1(Paris, 7, C)\nweather.v1(city=Paris, days=7, unit=C)", True),
        ("weather.v1(Paris 7 unit=C)", True),
        ("weather.v1 city=Paris days=7 unit=C", True),
        ("weather.v1 Paris unit=C days=7", True),
        ("weather.v1 Paris, 7, C", True),
        ("&", False),
        ("", True),
        ("\n", False),
        ("stop\n\nstop", False),
        ("stop ", False),
        ("stop x", False),
        ("stop(", False),
        ("stop)", False),
        ("stop(]", False),
        ("(stop)", False),
        ("!call stop", False),
        ("!call stop\n()", False),
        ("!result stop 1", False),
        ("stop#00000000", False),
        ("nosuch 1", False),
        ("weather.v1", False),
        ("weather.v1 Paris", False),
        ("weather.v1 Paris 7 C F G", False),
        ("weather.v1 Paris 7 C unit=C", False),
        ("weather.v1 Paris days=7 C", False),
        ("weather.v1 Paris 7 x=C", False),
        ("weather.v1 Paris _ C", False),
        ("weather.v1 Paris 7 unit=_", False),
        ("weather.v1  Paris 7 C", False),
        ("weather.v1 Paris 7 C ", False),
        ("weather.v1 Paris ,7 C", False),
        ("!call weather.v1 Paris 7 C\n!call weather.v1(city=Oslo, days=1, unit=C)", True),
        ("!call & Paris 7 C", False),
        ("weather.v1(city=```\nPa\nris\n```, days=7, unit='C')\nstop", True),
        ("weather.v1 ````+\nPa```ris\n```` 7 unit=C", True),
        ("weather.v1 ```\nParis```\n", False),
        ("weather.v1 ```\nParis", False),
        ("weather.v1 ```\nPa\0ris\n``` 7 C", False),
        ("weather.v1 s5:Paris 7 C", True),
        ("weather.v1 city=s4:a\nb\n days=7 unit=C\n& Oslo 1 F", True),
        ("weather.v1 s9:Paris 7 C", False),
        ("weather.v1 s99:Paris 7 C", False),
        ("weather.v1 s05:Paris 7 C", False),
        ("weather.v1 days=7 unit=C s5:Paris=Oslo", False),
        ("weather.v1 s4:Paris 7 C", False),
        ("weather.v1 Paris 7 C\0", False),
    ],
)
def test_texts(text: str, is_common: bool) -> None:
    """Both readers agree on texts of several lines, and the compiled reader reads common texts
    itself.
    """
    is_read = check_reading(text, WEATHER)
    assert reads(text, WEATHER) == is_common
    assert is_read or not is_common


WRITE = tools_of(tool("write", {"path": STR, "content": STR}), tool("stop"))


@pytest.mark.parametrize(
    ("text", "is_common"),
    [
        ("write a.py s4:x\ny\n", True),
        ("write a.py s4:x\ny\n\nstop", True),
        ("write s1:\n s2:s1", True),
        ("write s1:a b", True),
        ('write "s1:a" s2:s1', True),
        ('write "a s1:b" c', True),
        ('write "a s1:b" s1:c', True),
        ("write a.py content=s1:x", True),
        ("write a.py _ s1:x", False),
        ("write a.py s4:x\ny\nstop", False),
        ("write a.py s04:x\ny\n", False),
        ("write a.py s5:x\ny\n", False),
        ("write a.py s4:x\ny\n ", False),
        ("write a.py s2:x\0", False),
        ("write a.py s2:x\ud800", False),
        ("write a.py stop s1:x", False),
        ("write  a.py s1:x", False),
        ("stop s1:x", False),
    ],
)
def test_a_text_of_several_lines_may_be_last(text: str, is_common: bool) -> None:
    """Both readers agree on calls that end in a counted string."""
    is_read = check_reading(text, WRITE)
    assert reads(text, WRITE) == is_common
    assert is_read or not is_common


def test_a_check_sees_the_text_at_the_end() -> None:
    """The schema's check of a call is asked for a counted string, too."""
    tools = tools_of(tool("f", {"x": {**STR, "pattern": "^a\n+$"}}))
    assert reads("f s3:a\n\n", tools)
    assert not reads("f s3:b\n\n", tools)


@pytest.mark.untraced
def test_a_file_takes_few_steps() -> None:
    """A call with a file as its last argument takes at most 40 steps to read."""
    text = encode(Call("write", {"path": "a.py", "content": "x = 1\n" * 50}), WRITE)
    decode(text, WRITE)
    assert steps(lambda: decode(text, WRITE)) <= 40


def test_what_only_the_schema_refuses() -> None:
    """The compiled reader leaves a call that only the schema's check refuses to the general
    reader.
    """
    tools = tools_of(tool("f", {"x": {**STR, "pattern": "^a+$"}}))
    assert reads("f aa", tools)
    assert not reads("f ab", tools)
    assert check_reading("f aa", tools)
    assert not check_reading("f ab", tools)


def test_lines_that_cannot_be_read_end_nothing() -> None:
    """After a line that only the general reader can read, the compiled reader continues."""
    text = "stop\nweather.v1 Paris , 7 C\n& Rome 2 F\nstop"
    assert check_reading(text, WEATHER)
    calls: list[Call] = []
    pos = read_lines(text, 0, len(text), calls, WEATHER)
    assert (pos, calls) == (5, [Call("stop")])


def test_a_part_of_a_text_is_read() -> None:
    """Reading a part of a text stops at the given end of the part."""
    calls: list[Call] = []
    text = "stop\nstop\nstop"
    assert read_lines(text, 0, 10, calls, WEATHER) == 10
    assert len(calls) == 2


def test_names_that_are_not_bare() -> None:
    """Tools and parameters with quoted names are read and written in the same way by both."""
    tools = tools_of(tool("a b", {"x y": STR, "%s": INT}, ["x y"]), tool("%d%%", {"x": STR}))
    calls = [Call("a b", {"x y": "z"}), Call("a b", {"x y": "z", "%s": 1}), Call("%d%%", {})]
    calls += [Call("%d%%", {"x": "%s"}), Call("%d%%", {"x": "a %s"})]
    for form in FORMS:
        assert check_writing(calls, tools, form)
        assert all(writes(call, tools, form) for call in calls)
        assert check_reading(encode(calls, tools, form=form), tools)


# --- values of every type -----------------------------------------------------------------------


VALUES: list[Any] = [
    *[True, False, None, 0, 1, -1, 1.0, 0.5, -0.0, 1e22, 10**4096 - 1, 10**4096, -(10**4095)],
    *[float("nan"), float("inf"), One.VALUE, Real(1), Label.C, Label.SPACED, Mixed.C, Mixed.SPACED],
    *["C", "", "a b", "a\nb", "'\"", "null", "true", "1", "_", "s1", "\0", "\ud800", Text("C")],
    *[{"b": 1, "a": 2}, [{"a": 1, "b": 2}] * 2, {"c": {"a": 1, "b": 2}, "d": {"a": 3, "b": 4}}],
    *[list(range(20)), ["w"] * 9, ["a b"] * 9, ["a b"] * 8 + ["a"], ["null"] * 9, ["w"] * 8 + [""]],
    *[[10**4096] * 9, ["a\nb"] * 9, ["'\""] * 9, [Text("C")] * 9, [1] * 8 + [True], [0.5] * 9],
    *[[{"a": i, "b": "x y", "c": [i]} for i in range(9)], [{"a": 1}, {"a": 2, "b": 3}, {}]],
    *[[{"a": 1}, OrderedDict(a=2)], [{"\0": 1}] * 2, [{1: 1}] * 2, [{"a": "\0"}] * 2, [[[[[1]]]]]],
    *[{"a": {"b": {"c": {"d": 1, "e": 2}, "f": 1}}, "g": {"b": {"c": {"d": 1, "e": 2}, "f": 1}}}],
    *[{"a": {"b": "s4:x _"}, "c": {"b": "\n _", "d": 1}, "e": {"b": "'\" _", "d": "_"}}],
    *[b"C", {1}, (), (1,), ("C", 1), [], [1], ["C"], ["C"] * 2, {}, {"a": 1}, {"b": 1}, {1: 1}],
    *[
        [1, None],
        {"a": 1, "z": 1},
        {"a": [1]},
        OrderedDict(a=1),
        MappingProxyType({"a": 1}),
        range(2),
        1j,
    ],
]
SCHEMAS: list[Any] = [
    *[
        ANYTHING,
        STR,
        INT,
        NUM,
        UNIT,
        INTS,
        POINT,
        MAP,
        False,
        {"type": "boolean"},
        {"type": "null"},
    ],
    *[{"enum": ["C", "a b", "null", "1", "", "'\"", "a\nb"]}, {"enum": ["C", "null", None, 1]}],
    *[{"enum": [1, 2.0]}, {"enum": [True]}, {**STR, "maxLength": 1}, {**NUM, "minimum": 1}],
    *[{"type": ["string", "null", "boolean"]}, {"type": ["string", "integer"]}],
    *[{"type": "array"}, {"type": "array", "items": UNIT, "maxItems": 1}],
    *[{**MAP, "additionalProperties": INT}, {**POINT, "additionalProperties": INT}],
    {"type": ["array", "object", "number"], "items": POINT, "properties": {"a": INTS}},
    {"type": "array", "items": STR},
    {**MAP, "additionalProperties": STR},
    {"type": "array", "items": {**MAP, "additionalProperties": INT}},
    {**MAP, "additionalProperties": {**MAP, "additionalProperties": INT}},
    {"type": "array", "items": {"type": "array", "items": {"type": "array", "items": MAP}}},
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_values(schema: Any) -> None:
    """For any value, both writers write the same text, or raise an error with the same code and
    path.
    """
    tools = tools_of(tool("f", {"x": schema}, ["x"]), tool("g", {"y": schema}))
    for value in [*VALUES, *([value] for value in VALUES), *({"a": value} for value in VALUES)]:
        for form in FORMS:
            for call in (Call("f", {"x": value}), Call("g", {"y": value})):
                check_writing([call, call], tools, form)


COMMON: list[tuple[Any, list[Any]]] = [
    (STR, ["a", "a b", "", "'\"", "a\nb", "_", "é"]),
    ({**STR, "maxLength": 2}, ["a", "  "]),
    (INT, [0, -7, 10**4096 - 1, 7.0]),
    (NUM, [0, 0.5, 1e22]),
    ({**NUM, "minimum": 1, "maximum": 2}, [1, 2.0]),
    ({"enum": [1, 2.5]}, [1, 2.5]),
    ({"type": "boolean"}, [True, False]),
    ({"enum": [True]}, [True]),
    ({"type": "null"}, [None]),
    (UNIT, ["C", "F"]),
    ({"enum": ["null", None, "a b", 1]}, ["null", None, "a b", 1]),
    ({"type": ["string", "integer", "null", "boolean"]}, ["a", "1", 1, None, True]),
    (INTS, [[], [1], [1, 2]]),
    ({**INTS, "minItems": 1, "maxItems": 2}, [[1], [1, 2]]),
    ({"type": "array", "items": POINT}, [[{"a": 1}, {"a": 1, "d": 2}]]),
    (MAP, [{}, {"a": 1}, {"b c": "x", "a": None}]),
    ({"type": "array", "items": MAP}, [[], [{"a": 1}, {"a": "x y", "b": None}], [{"a": [1]}] * 2]),
    (MAP, [{"k": {"a": 1, "b": 2}, "l": {"a": 1, "b": 2}}, {"k": {"a": 1}, "l": 2}]),
    (ANYTHING, ["a", 1, [1, "x"], {"a": [{"b": 1}]}, [{"a": {"b": 1, "c": 2}}] * 2]),
    (POINT, [{"a": 1}, {"b": "x", "a": 1}, {"a": 1, "d": 2}]),
    ({"type": ["array", "object", "string"], "items": INT, "properties": {"a": INT}}, [[1], "a"]),
    ({"type": ["array", "object", "string"], "items": INT, "properties": {"a": INT}}, [{"a": 1}]),
]


@pytest.mark.parametrize(("schema", "values"), COMMON, ids=[str(schema) for schema, _ in COMMON])
def test_common_values_are_written(schema: Any, values: list[Any]) -> None:
    """The compiled writer itself writes common values, in each form."""
    tools = taking(schema)
    for value in values:
        for form in FORMS:
            call = Call("f", {"x": value})
            assert check_writing([call, call], tools, form)
            assert writes(call, tools, form)


@pytest.mark.parametrize(
    "call",
    [
        Call("nosuch", {}),
        Call("", {}),
        Call("f", {}),
        Call("f", {"x": 1, "z": 1}),
        Call("f", {"z": 1}),
        Call("f", MappingProxyType({"x": 1})),
        Call("f", OrderedDict(x=1)),
        Call("f", {"x": 1, 1: 1}),  # type: ignore[dict-item]
        Call(Text("f"), {"x": 1}),
        Call("f", {Text("x"): 1}),
        Call("g", {}),
        Call("g", {"y": "a"}),
        Call("g", {"z": 1, "\0": 1}),
        Call("g", {"z": 1}),
    ],
    ids=str,
)
def test_names(call: Call) -> None:
    """For any names in a call, both writers write the same text, or refuse the call in the same
    way.
    """
    tools = tools_of(tool("f", {"x": INT}, ["x"]), tool("g", {"y": STR}, additionalProperties=INT))
    for form in FORMS:
        check_writing([call, call], tools, form)


def test_an_enumeration_of_strings_is_its_values() -> None:
    """A member of `class E(str, Enum)` is written as its value, even if its format differs."""
    tools = tools_of(tool("f", {"x": STR, "y": {"enum": ["C", "a b"]}}, ["x"]))
    forms: list[Form] = [*FORMS, "tagged"]
    for form in forms:
        for member in Mixed:
            call, plain = (Call("f", {"x": text, "y": text}) for text in (member, member.value))
            text = encode(call, tools, form=form)
            assert text == encode(plain, tools, form=form)
    call = Call("f", {"x": [Mixed.C, Mixed.SPACED]})
    assert encode(call, form="tagged") == "!call f\n(x [s1:C s3:a b])"


def test_keys_may_be_of_an_enumeration() -> None:
    """Names and keys may be members of an enumeration of strings."""
    tools = tools_of(tool("C", {"a b": STR}, additionalProperties=ANYTHING))
    arguments: dict[str, JSON] = {Mixed.SPACED: "x", Mixed.C: {Mixed.C: 1, Mixed.SPACED: 2}}
    forms: list[Form] = [*FORMS, "tagged"]
    for form in forms:
        text = encode(Call(Mixed.C, arguments), tools, form=form)
        plain = Call("C", {"a b": "x", "C": {"C": 1, "a b": 2}})
        assert text == encode(plain, tools, form=form)


def test_labels_that_are_too_long() -> None:
    """Labels that violate the limits of their own type are refused by both readers and writers."""
    node = Type(string=String(values=("C", "long"), max_length=2))
    param = Param(name="x", type=node, required=True)
    tools = ToolSet((Tool(name="f", args=Object(params=(param,))),))
    assert [check_reading(f"f {label}", tools) for label in ("C", "long")] == [True, False]
    for form in FORMS:
        assert check_writing([Call("f", {"x": "C"})], tools, form)
        assert not check_writing([Call("f", {"x": "long"})], tools, form)


# --- they are used ------------------------------------------------------------------------------


def test_the_general_code_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Common lines and calls do not use the general reader and writer."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the general code was asked")

    monkeypatch.setattr(Frame, "run", refuse)
    # `lton.codec` gives the functions of these names, not the modules.
    monkeypatch.setattr(import_module("lton.codec._encode"), "_write_call", refuse)
    monkeypatch.setattr(import_module("lton.codec._decode"), "_read_call", refuse)
    calls = [Call("f", {"x": "a b"}), Call("f", {"x": ""})]
    for form in FORMS:
        text = encode(calls, F_STR, form=form)
        assert decode(text, F_STR) == calls
        decoder = Decoder(F_STR)
        decoder.feed(text + "\n")
        ends = [event for event in decoder if isinstance(event, events.CallEnd)]
        assert [event.call for event in ends] == calls


@pytest.mark.deep
def test_calls_of_bfcl_are_read_and_written() -> None:
    """The compiled code itself reads and writes nearly all calls of BFCL."""
    from lton_bench import bfcl  # the other tests of this folder need no benchmarks

    counts: Counter[str] = Counter()
    for case in bfcl.load():
        tools = ToolSet.from_tools(case.tools)
        for name_of_tool, arguments in case.calls:
            call = Call(name_of_tool, arguments)
            for form in FORMS:
                try:
                    text = encode(call, tools, form=form)
                except EncodeError:
                    continue  # gold data that its own schema refuses
                counts[form] += 1
                counts[f"{form} written"] += writes(call, tools, form)
                counts[f"{form} read"] += reads(text, tools)
    # Commas in a group are left to the general reader.
    for form, read in zip(FORMS, (0.99, 0.99, 0.9), strict=True):
        assert counts[form] > 3000
        assert counts[f"{form} written"] >= 0.99 * counts[form]
        assert counts[f"{form} read"] >= read * counts[form]


# --- what is kept with a toolset ----------------------------------------------------------------


def test_readers_and_writers_are_kept() -> None:
    """The reader and the writer of a tool are built once for each form."""
    tools = tools_of(tool("f", {"x": STR}, ["x"]))
    call = Call("f", {"x": "a"})
    caches = []
    for _ in range(2):
        for form in FORMS:
            assert decode(encode(call, tools, form=form), tools) == [call]
        derived = tools._derived
        with pytest.raises(DecodeError):
            decode("f y=a", tools)
        general = [layout for key, layout in derived.members.items() if key != "f"]
        plans = [derived.plans[form]["f"] for form in FORMS]
        caches.append([derived.rows["f"], derived.members["f"], *general, *plans])
    assert all(one is other for one, other in zip(*caches, strict=True))


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_used_toolset_can_be_copied(duplicate: Any) -> None:
    """A copy of a used toolset is equal to it, and reads and writes."""
    tools = tools_of(tool("f", {"x": STR}, ["x"]))
    call = Call("f", {"x": "a"})
    for form in FORMS:
        text = encode(call, tools, form=form, fingerprint=False)
        assert decode(text, tools) == [call]
    encode(call, tools, fingerprint=True)
    derived = tools._derived
    assert derived.rows
    assert (set(derived.plans), set(derived.fingerprints)) == (
        {"wire", "keyed", "punctuated"},
        {"f"},
    )
    other = duplicate(tools)
    assert other == tools
    assert (other.fingerprint, other.prompt()) == (tools.fingerprint, tools.prompt())
    assert decode(encode(call, other), other) == [call]


def test_copies_begin_with_nothing_kept() -> None:
    """A deep copy and a copy from another process build their readers and writers anew."""
    encode(Call("f", {"x": "a"}), F_STR)
    assert F_STR._derived != Derived()
    assert copy.deepcopy(F_STR)._derived == Derived()
    assert pickle.loads(pickle.dumps(F_STR))._derived == Derived()


def test_plans_are_bounded() -> None:
    """The number of cached plans is limited, however many sets of names a caller gives."""
    count = 13
    properties = {f"p{i}": INT for i in range(count)}
    members = {"type": "object", "properties": properties}
    tools = tools_of(tool("f", properties), tool("g", {"x": members}, ["x"]))
    limit = _fast_writer._MAX_PLANS
    assert 2**count > limit
    most = 0
    for bits in range(2**count):
        arguments: dict[str, JSON] = {f"p{i}": i for i in range(count) if bits >> i & 1}
        lines: list[str] = []
        assert (
            list(
                write_lines_and_iterate_rest(
                    [Call("f", arguments)], lines, tools, _STYLES["wire"], ""
                )
            )
            == []
        )
        assert lines == [encode(Call("f", arguments), tools)]
        most = max(most, len(tools._derived.plans["wire"]))
        if bits % 3 == 0:
            assert writes(Call("g", {"x": arguments}), tools)
    assert limit <= most <= limit + 2  # and the last of each tool


@pytest.mark.parametrize(("length", "kept"), [(20, 1), (600, 0)])
def test_only_short_names_are_kept(length: int, kept: int) -> None:
    """Headers and keys come from outside, so long ones are not remembered."""
    tools = ToolSet.from_tools([{"name": "f", "parameters": {"properties": {"x": {}}}}])
    key = f"only_here_{length}".ljust(length, "_")
    caches = (_fast_atoms._names_in_short_header, _fast_writer._spell_few_keys)
    sizes = [cache.cache_info().currsize for cache in caches]
    call = Call("f", {"x": {"rows": [{key: 1}, {key: 2}], "map": {key: {key: "a"}}}})
    assert decode(encode(call, tools), tools) == [call]
    assert decode(f"f [({key})1;2]", tools) == [Call("f", {"x": [{key: 1}, {key: 2}]})]
    grown = [cache.cache_info().currsize - size for cache, size in zip(caches, sizes, strict=True)]
    assert [min(count, 1) for count in grown] == [kept, kept]
