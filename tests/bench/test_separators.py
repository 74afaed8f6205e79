"""Test the separators that were tried, and the table of answers."""

from itertools import chain

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lton import Call, ToolSet, decode, encode
from lton.schema.types import JSON
from lton_bench.tokens.answer_tables import Reader, Writer, written
from lton_bench.tokens.datasets import answers_nested, answers_rows
from lton_bench.tokens.separators import (
    CANONICAL,
    RULES,
    Rule,
    counted,
    in_fences,
    ratios,
    respelled,
    to_line_end,
)
from tests.strategies import examples, names, texts

TOOLS = ToolSet.from_prompt("post(city days:int tags:[str] about:{any} note?)\nbash(command)")
CALL = Call(
    "post",
    {
        "city": "San Leandro",
        "days": 7,
        "tags": ["a b", "c", 'it\'s "x"', "d e"],
        "about": {"s1": "a b", "b": [[1, 2], [3]], "c d": {"e": "f g"}},
        "note": "x y",
    },
)

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts()
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(names() | texts(), inner, max_size=4)
        | st.lists(st.dictionaries(st.sampled_from("abc"), inner, max_size=3), max_size=4)
        | st.dictionaries(
            names(), st.fixed_dictionaries({"x": inner}, optional={"y": inner}), max_size=4
        )
    ),
    max_leaves=20,
)
WRITERS = (Writer(), Writer(gaps=False), Writer(nested=False), Writer(ordered=False))


def _exact(value: JSON) -> object:
    """Return a value in which 1, 1.0, True and -0.0 differ, ignoring the order of keys."""
    if isinstance(value, dict):
        return sorted((key, repr(_exact(part))) for key, part in value.items())
    return [_exact(part) for part in value] if isinstance(value, list) else repr(value)


@pytest.mark.parametrize("rule", list(RULES.values()), ids=list(RULES))
def test_every_separator_is_read_as_today(rule: Rule) -> None:
    """R-302: a comma counts as a space, so all separators give the same values."""
    text = encode([CALL, CALL], TOOLS)
    assert decode(respelled(text, rule), TOOLS) == [CALL, CALL]


def test_spelling() -> None:
    """Other separators and strings can be written; nothing changes between a name or key and its
    value.
    """
    assert respelled(encode(CALL, TOOLS), RULES["a space always"], counted) == (
        'post "San Leandro" 7 ["a b" c s8:it\'s "x" "d e"]'
        ' {b [[1 2] [3]] "c d" {e "f g"} s1 "a b"} "x y"'
    )
    lines = encode(Call("bash", {"command": "ls\nps"}), TOOLS)
    assert respelled(lines, CANONICAL, in_fences) == "bash ```\nls\nps\n```"


def test_one_of_them_is_canonical() -> None:
    for text in (encode([CALL, CALL], TOOLS), encode(CALL, TOOLS, form="keyed")):
        assert respelled(text, CANONICAL) == text


def test_last_text_to_the_line_end() -> None:
    tool = TOOLS.by_name["bash"]
    spelled = {
        value: to_line_end(
            Call("bash", {"command": value}), tool, encode(Call("bash", {"command": value}), TOOLS)
        )
        for value in ("ls -la | head", "ls", 'x "', " x", "[a b]", "k=v w", "a\nb")
    }
    assert spelled == {
        "ls -la | head": "bash ls -la | head",
        "ls": "bash ls",
        'x "': 'bash x "',
        " x": 'bash " x"',
        "[a b]": 'bash "[a b]"',
        "k=v w": 'bash "k=v w"',
        "a\nb": "bash s3:a\nb",
    }


@given(VALUES)
@example({"\n": None})
@examples(200)
def test_a_table_reads_back(value: JSON) -> None:
    for writer in WRITERS:
        assert _exact(Reader(writer.write(value)).whole()) == _exact(value)


def test_the_answers_of_the_benchmark_read_back() -> None:
    """The prototype and the library write the same answers, except for separators and backticks,
    and both are read back.
    """
    for answer in chain(answers_rows.load(), answers_nested.load()):
        text = written(answer.value)
        assert _exact(Reader(Writer().write(answer.value)).whole()) == _exact(answer.value)
        assert _exact(Reader(text).whole()) == _exact(answer.value)
        assert text == Writer(rule=CANONICAL).write(answer.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([{"a": 1}], "[{a 1}]"),
        ([{}, {}], "[{},{}]"),
        ([{"a": 1}, {"b": 1}], "[{a 1},{b 1}]"),
        ([{"a": 1}, 2], "[{a 1},2]"),
        ([{"a": 1}, {"a": 1.0}], "[(a)1;1.0]"),
        ([{"a": 1}, {"a": 1}, {}], "[{a 1},{a 1},{}]"),
        ([{"a": 1}, {"a": 1}, {"a": 2}, {}], "[(a)1;1;2;]"),
        ([{"a": 1}, {"a": 1}], "[(a)1;1]"),
        ([{"a": ";", "b": "_"}, {"a": "]", "b": 2}], '[(a b)";","_";"]",2]'),
        ({"x": {"a": 1}, "y y": {"a": 2}}, '{(a)x 1;"y y",2}'),
        ([{"a": [{"b": 1}, {"b": 2}]}, {"a": 3}], "[(a)[(b)1;2];3]"),
    ],
)
def test_tables(value: JSON, text: str) -> None:
    """The rule decides when objects become a table, and how the table is written."""
    assert Writer().write(value) == text
    assert _exact(Reader(text).whole()) == _exact(value)


@pytest.mark.parametrize("text", ["[(a)1 2]", "[(a)1", "[(a 1]", "[(a)1|2]", "[1;2]", "[()1]"])
def test_what_is_no_table(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        Reader(text).whole()


def test_ratios() -> None:
    base = {"two": ['{"a":1}', '{"a":2}']}
    found = ratios({"table": {"two": ["[(a)1;2]", ""]}}, base, ["o200k"])
    assert found == {"table": {"two": [pytest.approx(7 / 10)]}}
