"""Test tables (R-314): round trips, positions of errors, and the cost of hostile tables."""

import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Call, DecodeError, Decoder, Result, decode, encode, events
from lton.codec._decode import find_errors
from lton.errors import Code
from lton.schema.types import JSON
from tests.cases import F_ANY, exact
from tests.steps import steps
from tests.strategies import examples, json_values, likes

DEEPEST = 64


def answer(text: str, size: int) -> JSON:
    """Return the value of an answer that is read in chunks of the given size."""
    decoder = Decoder()
    for start in range(0, len(text), size):
        decoder.feed(text[start : start + size])
    decoder.close()
    (event,) = decoder
    assert isinstance(event, events.Answer)
    return event.result.value


@examples(150)
@given(likes(json_values()), st.integers(1, 5))
def test_an_answer_comes_back(value: Any, size: int) -> None:
    """An answer is read back whole or in chunks, and written again as the same text."""
    text = encode(Result("f", value))
    read = answer(text, size)
    assert exact([Call("f", {"x": read})]) == exact([Call("f", {"x": value})])
    assert encode(Result("f", read)) == text


@examples(150)
@given(likes(json_values()), st.integers(1, 5))
def test_an_answer_on_lines_comes_back(value: Any, size: int) -> None:
    """R-317: a table with rows on lines is read back, also in chunks, with members in their
    original order.
    """
    text = encode(Result("f", value), lines=True)
    read = answer(text, size)
    assert exact([Call("f", {"x": read})]) == exact([Call("f", {"x": value})])
    assert encode(Result("f", read), lines=True) == text


def test_rows_are_on_lines() -> None:
    """R-317: rows are on lines, columns and members keep their order, and nested values are written
    as usual.
    """
    rows: list[JSON] = [
        {"b": "x y", "a": [{"d": 1, "c": 2}, {"d": 3, "c": 4}]},
        {"b": 1, "a": {"z": 1, "y": 2}},
    ]
    shown = '[2(b a)\n"x y",[(c d)2 1;4 3]\n1 {y 2 z 1}]'
    assert encode(Result("f", {"n": 2, "at": rows}), lines=True) == f"!result f {{n 2 at {shown}}}"


@pytest.mark.parametrize("form", ["wire", "keyed", "punctuated", "tagged"])
@examples(50)
@given(likes(json_values()))
def test_a_call_comes_back(form: Any, value: Any) -> None:
    """A call with a table is read back in every form; the form for models has no tables."""
    text = encode(Call("f", {"x": value}), F_ANY, form=form)
    assert exact(decode(text, F_ANY)) == exact([Call("f", {"x": value})])


def test_every_error_of_rows_is_found() -> None:
    """Reading continues after a missing row; after a surplus row the end of the table is
    unknown.
    """
    text = "f [2(a)\n1 2]\nf [3(a)\nb\n_]\nf [1(a)\n1\n2]"
    found = [(error.code, error.pos, error.path) for error in find_errors(text, F_ANY)]
    assert found == [
        (Code.SURPLUS, 10, "/x/0"),
        (Code.COUNT, 11, "/x/0"),
        (Code.COUNT, 24, "/x/1"),
        (Code.COUNT, 35, "/x/0"),
    ]


def test_every_error_is_found() -> None:
    """After an error, reading continues in the same row and table."""
    text = "f [(a b(x y))1 _ 3;2;3 4 5 6;7 8 _]\nf {(a)k 1;k 2;l 3 4}"
    found = [(error.code, error.pos, error.path) for error in find_errors(text, F_ANY)]
    assert found == [
        (Code.SKIP, 15, "/x/0/b/x"),
        (Code.MISSING, 20, "/x/1"),
        (Code.SURPLUS, 27, "/x/2"),
        (Code.SKIP, 33, "/x/3/b/y"),
        (Code.DUPLICATE, 46, "/x"),
        (Code.SURPLUS, 54, "/x/l"),
    ]
    found = [(error.code, error.pos, error.path) for error in find_errors("f [(a)(1)]", F_ANY)]
    assert found == [(Code.TYPE, 6, "/x/0/a"), (Code.SURPLUS, 7, "/x/0/a")]


def nested(headers: int) -> str:
    """Return a table whose headers are nested to the given depth."""
    inner = "a"
    for _ in range(headers - 1):
        inner = f"a({inner} b)"
    return f"f [({inner}){' '.join('1' * headers)}]"


def test_headers_nest_as_objects_do() -> None:
    """R-1101: an array and its rows count as two levels, and each nested header as one more."""
    (call,) = decode(nested(DEEPEST - 1), F_ANY)
    assert decode(encode(call, F_ANY), F_ANY) == [call]
    text = nested(DEEPEST)
    with pytest.raises(DecodeError) as caught:
        decode(text, F_ANY)
    assert (caught.value.code, caught.value.pos) == (Code.DEPTH, text.rindex("("))
    with pytest.raises(DecodeError) as caught:
        decode(f"f {'[' * DEEPEST}(a)1;2{']' * DEEPEST}", F_ANY)
    assert (caught.value.code, caught.value.pos) == (Code.DEPTH, 2 + DEEPEST)


@pytest.mark.untraced
@pytest.mark.parametrize(
    "text",
    [
        "[(" + " ".join(f"k{i}" for i in range(1_000)) + ")" + ";" * 5_000 + "]",
        "[(a" + "(a" * 61 + " b)" * 61 + ")" + ";".join([" ".join("1" * 62)] * 80) + "]",
        "[(a" + "a" * 5_000 + ")" + ";1" * 2_500 + "]",
    ],
    ids=["wide", "deep", "long key"],
)
def test_memory_is_linear_in_the_text(text: str) -> None:
    """The values of a row are linear in the length of its text (§14)."""
    tracemalloc.start()
    try:
        value = answer(f"!result f {text}\n", len(text))
        assert tracemalloc.get_traced_memory()[1] < 400 * len(text)
    finally:
        tracemalloc.stop()
    assert isinstance(value, list)


def test_pieces_of_strings_in_a_table() -> None:
    """With `deltas`, strings in cells are reported with their paths, and keys are not reported."""
    decoder = Decoder(F_ANY, deltas=True)
    for chunk in ["f {(a b(x y))'k k' 'on", "e' 2 't", "wo';l w", "ord", " 3 4}"]:
        decoder.feed(chunk)
    decoder.close()
    told: dict[tuple[str | int, ...], str] = {}
    for event in decoder:
        if isinstance(event, events.ArgumentDelta):
            told[event.path] = told.get(event.path, "") + event.text
    assert told == {
        ("x", "k k", "a"): "one",
        ("x", "k k", "b", "y"): "two",
        ("x", "l", "a"): "word",
    }


@pytest.mark.untraced
def test_an_empty_row_costs_little() -> None:
    """A table with an empty object takes at most twice the steps of one without, in whole text."""
    rows: list[dict[str, JSON]] = [{"a": number, "b": "x"} for number in range(200)]
    whole = encode(Call("f", {"x": rows}), F_ANY)
    with_empty = encode(Call("f", {"x": [*rows, {}]}), F_ANY)
    assert decode(whole, F_ANY) == [Call("f", {"x": rows})]
    assert decode(with_empty, F_ANY) == [Call("f", {"x": [*rows, {}]})]
    most = 2 * steps(lambda: decode(whole, F_ANY))
    assert steps(lambda: decode(with_empty, F_ANY)) < most


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("f [(a);1]", [{}, {"a": 1}]),
        ("f [(a b)1 2;;3;]", [{"a": 1, "b": 2}, {}, {"a": 3}, {}]),
        ("f [(a);]", [{}, {}]),
        (f"f [(a b){'1 2;' * 9}]", [*[{"a": 1, "b": 2}] * 9, {}]),
        (f"f [(a b)3;;{'1 2;' * 8}1 2]", [{"a": 3}, {}, *[{"a": 1, "b": 2}] * 9]),
        (f"f [(a b){'_ x;' * 9}_ 2]", [*[{"b": "x"}] * 9, {"b": 2}]),
    ],
)
def test_rows_may_be_empty(text: str, rows: JSON) -> None:
    """A row without cells is an object without members, anywhere in a table."""
    assert decode(text, F_ANY) == [Call("f", {"x": rows})]


def test_a_table_needs_a_cell_or_two_rows() -> None:
    """The only row of a table is not empty."""
    with pytest.raises(DecodeError) as caught:
        decode("f [(a)]", F_ANY)
    assert (caught.value.code, caught.value.pos) == (Code.SYNTAX, 6)


@pytest.mark.parametrize("rows", [0, 1, 9])
def test_a_row_has_no_more_cells_than_columns(rows: int) -> None:
    """One value too many is an error at its position, in a short table and in a long one."""
    text = f"f [(a b){'1 2;' * rows}1 2 3]"
    with pytest.raises(DecodeError) as caught:
        decode(text, F_ANY)
    assert (caught.value.code, caught.value.pos) == (Code.SURPLUS, len(text) - 2)


@pytest.mark.parametrize("rows", [1, 9])
def test_a_column_is_named_once(rows: int) -> None:
    """A key that a header repeats is an error at its position."""
    with pytest.raises(DecodeError) as caught:
        decode(f"f [(a a)1 2{';1 2' * rows}]", F_ANY)
    assert (caught.value.code, caught.value.pos) == (Code.DUPLICATE, 6)


@pytest.mark.untraced
def test_one_unusual_row_costs_little() -> None:
    """Maps with a text of two lines among them take at most 4 times the steps of flat maps."""
    rows: list[dict[str, JSON]] = [{"a": number, "b": "x"} for number in range(200)]
    flat = encode(Call("f", {"x": rows}), F_ANY, form="punctuated")
    mixed: list[dict[str, JSON]] = [*rows, {"a": "x\ny"}]
    with_text = encode(Call("f", {"x": mixed}), F_ANY, form="punctuated")
    assert decode(flat, F_ANY) == [Call("f", {"x": rows})]
    assert decode(with_text, F_ANY) == [Call("f", {"x": mixed})]
    most = 4 * steps(lambda: decode(flat, F_ANY))
    assert steps(lambda: decode(with_text, F_ANY)) < most
