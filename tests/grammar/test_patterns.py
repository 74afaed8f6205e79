"""Test limits, formats and patterns in grammars, for each engine and the decoder."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Call, DecodeError, decode, encode
from lton._syntax import FORMS
from lton.errors import GrammarError
from lton.grammar import patterns, to_gbnf, to_lark, to_regex
from lton.grammar.patterns import FORMATS, find_shape, find_shape_of_pattern
from lton.schema.jsonschema.patterns import Matcher
from lton.schema.types import String
from tests import strategies as own
from tests.cases import STR, taking, tool, tools_of
from tests.grammar.acceptors import gbnf_accepts, llguidance_accepts


def has_length(schema: Any) -> bool:
    """Return whether all texts of a pattern or format have the same length."""
    text_shape = find_shape(String(format=schema.get("format"), pattern=schema.get("pattern")))
    return not text_shape or text_shape.size[0] == text_shape.size[1]


@pytest.mark.parametrize(
    ("schema", "accepted", "refused"),
    [
        ({"type": "integer", "minimum": 0}, [0, 7, 10**39], [-1, 10**40]),
        ({"type": "integer", "minimum": 12}, [12, 19, 99, 100], [0, 1, 9, 11, -12]),
        ({"type": "integer", "maximum": -3}, [-3, -9, -10, -999], [-2, -1, 0, 3]),
        ({"type": "integer", "minimum": -15, "maximum": 207}, [-15, -9, 0, 8, 99, 207], [-16, 208]),
        ({"type": "integer", "minimum": 15, "maximum": 24}, [15, 19, 20, 24], [14, 25, 5]),
        ({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 3}, [1, 2], [0, 3]),
        ({"type": "integer", "minimum": 0.5, "maximum": 2.5}, [1, 2], [0, 3]),
        ({"type": "integer", "minimum": 995, "maximum": 1005}, [995, 999, 1000, 1005], [994, 1006]),
        ({"type": "number", "minimum": 0}, [0, 0.5, 1e22, 3], []),
        ({**STR, "maxLength": 3}, ["", "s", "so", "abc", "a b", "é'"], ["abcd", "s999", "a b c"]),
        ({**STR, "minLength": 2, "maxLength": 2}, ["ab", "s:", "a'"], ["a", "s", "", "abc"]),
        ({**STR, "minLength": 3}, ["abc", "sun", "a b"], ["ab", "s", "a "]),
        ({**STR, "maxLength": 0}, [""], ["a"]),
        ({**STR, "maxLength": 0, "pattern": "^.*$"}, [""], []),
        ({**STR, "maxLength": 1}, ["", "a", "s", '"'], ["ab", "st"]),
        ({**STR, "minLength": 1500, "maxLength": 2500}, ["a" * 1500, "a b" * 833], ["a" * 1499]),
        ({**STR, "format": "date"}, ["2024-02-29", "1999-12-31"], ["2024-13-01", "2024-04-31"]),
        (
            {**STR, "format": "date-time"},
            ["2024-02-29T23:59:59.5Z", "2024-02-29T23:59:59"],
            ["2024-02-29 10:00:00Z"],
        ),
        ({**STR, "format": "time"}, ["10:00:00+01:00", "10:00:00"], ["24:00:00Z", "10:00"]),
        ({**STR, "format": "time", "pattern": "Z$"}, ["10:00:00Z"], ["10:00:00"]),
        ({**STR, "format": "time", "pattern": "[+]02:..$"}, ["10:00:00+02:00"], ["10:00:00"]),
        ({**STR, "format": "time", "pattern": r"^[\d:.]+$"}, ["10:00:00"], ["10:00:00Z"]),
        ({**STR, "format": "time", "pattern": "^1[1-3]"}, ["11:00:00Z", "12:00:00"], ["10:00"]),
        ({**STR, "format": "uuid"}, ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567"]),
        ({**STR, "pattern": "^[A-F]{3}(-[0-9])?$"}, ["ABC", "DEF-1"], ["AB", "ABCD", "ABC-"]),
        ({**STR, "pattern": "^#[0-9a-f]{6}$"}, ["#00ff00"], ["#00ff0", "00ff00"]),
        ({**STR, "pattern": "^(?:(?:ab)?)*c$"}, ["c", "ababc"], ["abac", ""]),
        ({**STR, "pattern": "^(?:ab|(?:cd)?)*e$"}, ["e", "abcde"], ["ace"]),
        ({**STR, "pattern": "^(?:a?b?)*c$"}, ["c", "bac"], ["d"]),
        ({**STR, "pattern": "^(?:(?:a?|b)c?)*d$"}, ["d", "bcacd"], ["e"]),
        ({**STR, "pattern": "^(?:ab){0}c(?:de){1}$"}, ["cde"], ["abcde", "c"]),
        ({**STR, "pattern": "^(?:[a-z]{2,5}-)*$"}, ["", "ab-abcde-"], ["a b-", "ab cd-"]),
        ({"type": "array", "items": STR, "minItems": 2, "maxItems": 3}, [["a", "b"]], [["a"]]),
        ({"type": "array", "items": STR, "minItems": 3}, [["a"] * 3, ["a"] * 9], [["a", "b"]]),
        ({"type": "array", "items": STR, "maxItems": 1}, [[], ["a"]], [["a", "b"]]),
        ({"type": "array", "items": STR, "maxItems": 0}, [[]], []),
    ],
)
def test_bounds_are_in_the_language(schema: Any, accepted: list[Any], refused: list[Any]) -> None:
    """The grammars enforce the limits of the schema in every form."""
    tools, free = taking(schema), taking({"type": ["string", "integer", "array", "number"]})
    for form in FORMS:
        lark, gbnf = to_lark(tools, form=form, bare=True, bounded=True), to_gbnf(tools, form=form)
        for value in accepted:
            text = encode(Call("f", {"x": value}), tools, form=form)
            if form != "tagged" or len(text) < 99:
                assert llguidance_accepts(lark, text), (form, text)
                assert gbnf_accepts(gbnf, text), (form, text)
        for value in refused:
            text = encode(Call("f", {"x": value}), free, form=form)
            is_left = form == "tagged" and not has_length(schema)
            assert not llguidance_accepts(lark, text) or is_left, (form, text)
            assert not gbnf_accepts(gbnf, text) or is_left, (form, text)


def test_bounds_can_be_left_to_the_decoder() -> None:
    """Without limits the language has every length, and the decoder refuses (E208)."""
    tools = taking({**STR, "maxLength": 3})
    grammar = to_lark(tools, bare=True, bounded=False, form="wire")
    assert "{" not in grammar.replace("`{0,2}", "")
    assert llguidance_accepts(grammar, "f abcd")
    with pytest.raises(DecodeError):
        decode("f abcd", tools)


@pytest.mark.parametrize(
    "pattern",
    [
        "a",
        "^a",
        "a$",
        "^a|b$",
        "(?i)^a$",
        "^(?=a)a$",
        r"^(a)\1$",
        "^(a?b?){2}$",
        "^(ab){101}$",
        "^([a-z]{1001})*$",
        r"^a\bb$",
        '^"$',
    ],
)
def test_other_patterns_are_left_to_the_decoder(pattern: str) -> None:
    """A pattern that is not anchored, looks around or cannot be quoted is left to the decoder."""
    assert find_shape_of_pattern(pattern) is None
    assert llguidance_accepts(to_lark(taking({**STR, "pattern": pattern}), form="wire"), 'f "? ?"')


def test_general_categories_are_left_to_the_decoder() -> None:
    """General categories have a stand-in in Python's notation, which is no character of a text."""
    tools = taking({**STR, "pattern": r"^[\p{L}x]+$"})
    for form in FORMS:
        text = encode(Call("f", {"x": "Élan"}), tools, form=form)
        assert llguidance_accepts(to_lark(tools, form=form, bare=True), text)
        assert gbnf_accepts(to_gbnf(tools, form=form), text)


@pytest.mark.parametrize(
    "pattern",
    [
        *FORMATS.values(),
        r"^\d{3}-\w+$",
        r"^[^/\s]+(/[^/\s]+){0,3}$",
        r"^(?:one|two|\S{3})?$",
        "^[a-z][A-Z_]*x{2,}.$",
        r"^\D\W\s\S[^\s]$",
        "^[\\]^-]{2}é$",
        "^a{0}b$",
        "^(http|https)://[^ ]+$",
        "^(~>|>|>=|=|<=|<) [0-9]$",
        "^[a-z]+(-[a-z]+)*$",
        "^([a-z]+)?:x$",
        "^[A-Z]{3}([0-9]{2}){2}$",
        "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
        r"^\d+(\.\d+)*$",
        "^(?:a+)*b((c|d*)e?)+$",
        "^(a|ab|)(|){2}([0-9]{2,3})*$",
        "^([a-z]{2}){0,3}$",
        r"^[+-^]{2}[^x]$",
    ],
)
@own.examples(30)
@given(st.data())
def test_a_pattern_takes_what_it_says(pattern: str, data: st.DataObject) -> None:
    """A text is in the language exactly if it matches the pattern and can be quoted."""
    text_shape = find_shape_of_pattern(pattern)
    assert text_shape is not None
    tools = taking({**STR, "pattern": pattern})
    grammar = to_lark(tools, form="punctuated")
    text = data.draw(st.from_regex(pattern) | own.texts())
    matches = Matcher(pattern).has_match(text, lambda _: None)
    plain = not set('"\n\r\0') & set(text) and not any("\ud800" <= c <= "\udfff" for c in text)
    if plain:
        assert llguidance_accepts(grammar, f'f(x="{text}")') == matches
    if matches and plain:
        low, high = text_shape.size
        assert low <= len(text) <= (high or len(text))


@pytest.mark.parametrize(
    ("pattern", "text", "other"),
    [
        (r"^[+-^]{2}[^x]$", "+^a", "+^x"),
        (r"^[^/\s].$", "a/", "/a"),
        (r"^[^x].$", "ab", "xb"),
    ],
)
def test_a_class_may_say_what_is_left_out(pattern: str, text: str, other: str) -> None:
    """A negated class may have one character, several, or a range with escapes."""
    tools = taking({**STR, "pattern": pattern})
    grammar = to_lark(tools, form="punctuated")
    assert llguidance_accepts(grammar, f'f(x="{text}")')
    assert not llguidance_accepts(grammar, f'f(x="{other}")')


def test_a_regular_expression() -> None:
    """Without recursive values, a regular expression describes whole texts."""
    tools = taking({**STR, "maxLength": 5})
    expression = re.compile(to_regex(tools, form="wire"))
    for text in ("f a", 'f "a b"', "f 'a'", "f abcde", "f ```\na\n```"):
        assert expression.fullmatch(text), text
    for text in ("f", "f abcdef", "f s1:a", 'f "a b cd"', "f  a", "f a\n"):
        assert not expression.fullmatch(text), text


@pytest.mark.parametrize("names", [["asc", "ascending"], ["a.b", "a", "a.bc"]])
def test_options_that_begin_alike(names: list[str]) -> None:
    """If one label or tool begins another, in any order, the longer one comes first."""
    expression = to_regex(taking({"enum": names}), form="wire")
    for name in names:
        assert re.match(expression, f"f {name}").group() == f"f {name}"  # type: ignore[union-attr]
    of_tools = re.compile(to_regex(tools_of(*map(tool, names)), form="wire"))
    assert all(of_tools.fullmatch(name) for name in names)


@pytest.mark.parametrize("options", [{}, {"counted": 999_999}])
def test_what_no_regular_expression_says(options: Any) -> None:
    """Recursive values have no regular expression, and long counts have none that is short
    enough.
    """
    with pytest.raises(GrammarError, match="no regular expression") as error:
        to_regex(taking(STR if options else {}), form="wire", **options)
    assert error.value.code == "E602"


def test_each_character_of_a_pattern_is_compiled_once() -> None:
    """4,096 alternatives of ten digits and a letter compile 11 classes of characters."""
    patterns._make_shape_of_set.cache_clear()
    words = "|".join(f"w{i}" for i in range(4096))
    assert find_shape_of_pattern(f"^({words})$") is not None
    assert patterns._make_shape_of_set.cache_info().misses == 11
