"""Test results for models: the form by shape and class of models, and reading them back."""

import argparse
import asyncio
import json
import math
import re
import tomllib
from collections import OrderedDict
from datetime import date
from decimal import Decimal
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import BaseModel

import lton
from lton import EncodeError, LTONError
from lton.codec._records import try_write_records
from lton.errors import CriticalOverflowError
from lton.mcp_proxy.command import add_options
from lton.results import ForModels, read, short_result, write
from lton_bench.tokens.made_rows import make_records, token_share, write_in_line
from tests.strategies import json_values, texts

SHARED = json.loads(Path(__file__).with_name("results.json").read_text("utf-8"))
"""The same cases as `js/test/results.test.mjs` has."""
MODELS: tuple[ForModels, ...] = ("any", "small", "large")
SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "days": {"type": "array", "maxItems": 2}},
    "required": ["id"],
}


class Level(IntEnum):
    LOW = 1


def is_same(one: Any, other: Any) -> bool:
    """Return whether two values are equal, also in their kinds of number."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@pytest.mark.parametrize("case", SHARED["cases"], ids=lambda case: str(case["name"]))
def test_the_form_of_a_result_depends_on_its_shape(case: dict[str, str]) -> None:
    """The form of a result depends on its shape; both languages write the same bytes, and read the
    value.
    """
    value = json.loads(case["json"])
    for models in MODELS:
        text = write(value, for_models=models)
        assert text == case.get(models, case["any"])
        assert is_same(read(text), value)


@pytest.mark.parametrize("case", SHARED["refused"], ids=lambda case: str(case["text"])[:20])
def test_other_text_is_not_read(case: dict[str, str]) -> None:
    """Text that is cut off, ambiguous or too large is an error with a code."""
    with pytest.raises(lton.DecodeError) as error:
        read(case["text"])
    assert error.value.code == case["code"]


@pytest.mark.parametrize(
    "text",
    [case["small"] for case in SHARED["cases"] if "small" in case],
    ids=lambda text: text[:20],
)
def test_records_that_are_cut_are_never_another_result(text: str) -> None:
    """Each part from the beginning of the records is an error."""
    for end in range(1, len(text)):
        with pytest.raises(lton.DecodeError):
            read(text[:end])


@given(json_values() | texts(), st.sampled_from(MODELS))
def test_every_value_is_read_back(value: Any, models: ForModels) -> None:
    """`read` returns the value that `write` was given, and the text is never longer than JSON."""
    text = write(value, for_models=models)
    assert is_same(read(text), value)
    plain = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    assert len(text) <= len(plain) or "\\u" in text


@st.composite
def records(draw: Any) -> list[Any]:
    """Make records that share some of their keys, with dots, quotes or lines in a few keys."""
    plain = st.sampled_from(
        ["id", "name", "a.b", "a", "b", "s3", "_", "x y", "it's", "", "é", "\n"]
    )
    values = json_values() | st.dictionaries(plain, json_values(), max_size=3)
    record_list: list[Any] = draw(
        st.lists(st.dictionaries(plain | texts(), values, max_size=6), max_size=5)
    )
    return record_list


@given(records())
def test_records_are_read_back(value: list[Any]) -> None:
    """A form for small models is shorter than JSON, has the key first, and loses nothing."""
    text = write(value, for_models="small")
    assert is_same(read(text), value)
    table_text = try_write_records(value)
    if table_text is not None:
        assert is_same(read(table_text), value)
        assert not text.startswith(f"[{len(value)} by ") or text == table_text


def flatten(record: dict[str, Any], above: str = "") -> dict[str, Any]:
    """Return the members of a record, with a path for each member of an object inside."""
    cells: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            cells.update(flatten(value, f"{above}{key}."))
        else:
            cells[above + key] = value
    return cells


def write_key_first(records: list[dict[str, Any]]) -> str:
    """Write records as the study of spellings did: the first value, then names with values."""
    key = next(iter(records[0]))
    lines = [f"[{len(records)} by {key}"]
    for record in records:
        pairs = (f"{k}:{write_in_line(v)}" for k, v in flatten(record).items() if k != key)
        lines.append(" ".join([write_in_line(record[key]), *pairs]))
    return "\n".join(lines) + "]"


def test_small_models_are_shown_the_form_of_the_study() -> None:
    """Wide, nested and sparse records have the spelling that the models were asked about."""
    for shape in ("wide", "nested", "sparse"):
        for number in range(200, 220):
            rows = make_records(shape, number)
            text = write(rows, for_models="small")
            if shape == "nested":  # these have six cells
                text = try_write_records(rows) or ""
            assert text == write_key_first(rows)
            assert read(text) == rows


def test_the_share_of_tokens_of_rows_is_the_one_of_the_pages() -> None:
    """README and the guide state the share of `make bench-rows`."""
    pages = Path(__file__).parents[1]
    share = f"{token_share('qwen'):.2f}"
    assert f"Short rows take {share} of JSON's tokens" in (pages / "README.md").read_text("utf-8")
    guide = (pages / "docs/guides/results.md").read_text("utf-8")
    assert f"{share} of the tokens that JSON takes" in guide


@given(
    st.text("[]{}\"' \n12(ab:,\\", max_size=12) | st.text('\n ]:._ab"1{}').map("[2 by a\n".__add__)
)
def test_reading_raises_its_own_errors(text: str) -> None:
    """Any text is read as a value that can be written again, or raises an error of the library."""
    try:
        value = read(text)
    except LTONError:
        value = text
    assert is_same(read(write(value, for_models="large")), value)


@pytest.mark.parametrize(
    "rows",
    [
        [{"bb": 1, "aa": 2}, {"bb": 1, "cc": 3, "aa": 2}],
        [{"bb": 1, "aa": 2}, {"aa": 1, "bb": 2}],
        [{"id": 1, "at": {"x": 1, "y": 2}}, {"id": 2, "at": {"y": 1, "x": 2}}],
    ],
)
@pytest.mark.parametrize("models", MODELS)
def test_rows_in_another_order_are_no_table(rows: Any, models: ForModels) -> None:
    """Rows whose keys come in another order than the columns stay JSON, which keeps the order."""
    for value in (rows, {"items": rows, "total": 2}, {"page": {"items": rows}}):
        text = write(value, for_models=models)
        assert json.dumps(read(text)) == json.dumps(value)


def test_sparse_rows_in_the_order_of_the_columns_are_a_table() -> None:
    """Absent members do not prevent a table, if the rows have their keys in one order."""
    rows = [{"bb": 1, "cc": 3, "aa": 2}, {"bb": 1, "aa": 2}, {"cc": 1, "aa": 2}]
    text = write({"items": rows}, for_models="large")
    assert text == "{items [3(bb cc aa)\n1 3 2\n1 _ 2\n_ 1 2]}"
    assert json.dumps(read(text)) == json.dumps({"items": rows})


CYCLE: list[Any] = []
CYCLE.append({"inner": CYCLE})


@pytest.mark.parametrize(
    ("value", "code", "path"),
    [
        (math.nan, "E401", ""),
        ({"rows": [{"price": math.inf}]}, "E401", "/rows/0/price"),
        ({"tags": {"a"}}, "E401", "/tags"),
        ([b"bytes"], "E401", "/0"),
        ({"day": date(2026, 1, 2)}, "E401", "/day"),
        ({"a/b": Decimal("1.10")}, "E401", "/a~1b"),
        ([numpy.array([1, 2])], "E401", "/0"),
        ([numpy.int64(1)], "E401", "/0"),
        ({"a": {1: 2}}, "E401", "/a"),
        (["a\0", {"b\0": math.nan}], "E401", "/1/b\ufffd"),
        (["a\0", CYCLE], "E301", "/1" + "/0/inner" * 31 + "/0"),
        ({"a": "\0", 1: 2}, "E401", ""),
        (["\ud800"], "E401", "/0"),
        (CYCLE, "E301", "/0/inner" * 32),
        ([10**5000], "E302", "/0"),
    ],
)
def test_what_json_does_not_have_is_an_error(value: Any, code: str, path: str) -> None:
    """The error for a value that JSON cannot represent has its path, in every class of models."""
    for models in MODELS:
        with pytest.raises(EncodeError) as error:
            write(value, for_models=models)
        assert (error.value.code, error.value.path) == (code, path)


def test_subclasses_are_written_as_their_kind() -> None:
    """Tuples are arrays, and numbers of numpy and enumerations are their base types."""
    value = {"a": (1, 2), "b": OrderedDict(c=Level.LOW), "d": numpy.float64(0.5)}
    assert write(value) == '{"a":[1,2],"b":{"c":1},"d":0.5}'
    assert write(value, for_models="large") == "{a [1 2] b {c 1} d 0.5}"


@pytest.mark.parametrize(
    ("value", "code", "path"),
    [
        ({}, "E205", ""),
        ({"id": "x"}, "E203", "/id"),
        ({"id": 1, "days": [1, 2, 3]}, "E208", "/days"),
        ([], "E203", ""),
    ],
)
def test_a_schema_is_held(value: Any, code: str, path: str) -> None:
    """A value that its schema refuses is an error, and the schema does not change the text of
    others.
    """
    with pytest.raises(EncodeError) as error:
        write(value, SCHEMA)
    assert (error.value.code, error.value.path) == (code, path)
    for fine in ({"id": 1, "more": [2]}, {"id": 1, "a\0": ["b\0"], "a\ufffd": "c"}):
        assert write(fine, SCHEMA) == write(fine)


def test_a_schema_is_held_whole() -> None:
    """Constraints that a layout cannot express are checked, too."""
    with pytest.raises(EncodeError) as error:
        write({"id": 3}, {**SCHEMA, "properties": {"id": {"multipleOf": 2}}})
    assert error.value.code == "E214"


def test_a_budget_is_a_limit() -> None:
    """A result over its budget is an error with the size, by the given counter."""
    assert write([1, 2, 3], budget=7) == "[1,2,3]"
    with pytest.raises(CriticalOverflowError, match="take 7 characters of 6: result 7") as error:
        write([1, 2, 3], budget=6)
    assert error.value.required == 7
    with pytest.raises(CriticalOverflowError, match="take 3 tokens of 2"):
        write([1, 2, 3], budget=2, count=lambda text: text.count(",") + 1)


def test_a_text_is_shortened_for_large_models() -> None:
    """Numbers keep their digits, and small models are shown other forms than large ones."""
    wide = json.dumps([dict.fromkeys("abcdefg", 1)] * 2)
    assert short_result(wide, "large") == write(json.loads(wide), for_models="large")
    assert short_result(wide, "small") == write(json.loads(wide), for_models="small")
    assert short_result('{"a":1.50}', "large") == '{"a":1.50}'


# --- tools of MCP -------------------------------------------------------------------------------


class User(BaseModel):
    name: str
    id: int


@lton.results.mcp
def users(note: str = "") -> list[User]:
    """List users."""
    return [User(name="Ada", id=1), User(name="Bo Li", id=2)]


@lton.results.mcp(for_models="large")
async def order(number: int) -> dict[str, Any]:
    """Get an order."""
    return {"id": number, "lines": [1, 2]}


@lton.results.mcp(for_models="small")
def hosts() -> list[dict[str, Any]]:
    """List hosts, which have different members."""
    return [{"host": "a", "disk": {"size": 5}, "tags": ["x", "y z"]}, {"host": "b", "up": False}]


@lton.results.mcp
def untyped(number: int):  # type: ignore[no-untyped-def] # as many are written
    """Return JSON as a text, and another text."""
    return [json.dumps({"a": number}), "done"]


@lton.results.mcp
def own(kind: str) -> CallToolResult:
    """Return texts beside other data, or a picture."""
    block = {"type": "text", "text": '{"note":  "all"}'}
    if kind == "picture":
        block = {"type": "image", "data": "YWJj", "mimeType": "image/png"}
    data = {"content": [block], "structuredContent": {"n": 1}, "isError": kind == "error"}
    return CallToolResult.model_validate(data)


@lton.results.mcp
def deep() -> dict[str, Any]:
    """Return what LTON does not write."""
    value: dict[str, Any] = {}
    for _ in range(70):
        value = {"a": value}
    return value


@lton.results.mcp
def rows(last: str) -> CallToolResult:
    """Return a text for each item of a list."""
    blocks = [{"type": "text", "text": text} for text in ('{"a": 1, "b": 2}', last)]
    return CallToolResult.model_validate({"content": blocks})


def plain(tool: Any) -> Any:
    """Return a tool without the decorator."""
    return tool.__wrapped__


async def results_of(tool: Any, arguments: dict[str, Any]) -> tuple[list[str], Any, Any]:
    """Return the texts and the structured content of a tool's call, and its listing."""
    server = MCPServer("test")
    server.tool()(tool)
    (listed,) = await server.list_tools()
    result = await server.call_tool(tool.__name__, arguments)
    dumped = result.model_dump(by_alias=True, mode="json")
    texts = [block.get("text", block["type"]) for block in dumped["content"]]
    return texts, dumped["structuredContent"], listed.model_dump(by_alias=True)


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        (users, {}, ['[2(name id)\nAda 1\n"Bo Li",2]']),
        (order, {"number": 7}, ["{id 7 lines [1 2]}"]),
        (hosts, {}, ['[2 by host\na disk.size:5 tags:[x "y z"]\nb up:false]']),
        (rows, {"last": '{"a": 3, "b": 4}'}, ["[2(a b)\n1 2\n3 4]"]),
        (rows, {"last": "{ }"}, ['{"a":1,"b":2}', "{}"]),
        (untyped, {"number": 7}, ['{"a":7}', "done"]),
    ],
)
def test_a_tool_of_mcp_answers_shorter(
    tool: Any, arguments: dict[str, Any], expected: list[str]
) -> None:
    """Only the text differs: structured content and the listing are as without the decorator."""
    texts, structured, listed = asyncio.run(results_of(tool, arguments))
    before, data, definition = asyncio.run(results_of(plain(tool), arguments))
    assert (texts, structured, listed) == (expected, data, definition)
    assert sum(map(len, texts)) < sum(map(len, before))


@pytest.mark.parametrize(("kind", "text"), [("text", '{"note":"all"}'), ("picture", "image")])
def test_a_text_of_the_tool_itself_is_no_copy_of_its_data(kind: str, text: str) -> None:
    """A text that the function itself returns is shortened, and never replaced by its data."""
    texts, structured, _ = asyncio.run(results_of(own, {"kind": kind}))
    assert (texts, structured) == ([text], {"n": 1})


def test_the_class_of_models_is_checked() -> None:
    """An unknown class of models is an error."""
    with pytest.raises(ValueError, match="found 'huge'"):
        write([], for_models="huge")  # type: ignore[arg-type]


def test_a_result_that_cannot_be_written_stays() -> None:
    """If a result cannot be written, the tool works as without the decorator."""
    assert asyncio.run(results_of(deep, {})) == asyncio.run(results_of(plain(deep), {}))


def test_gateway_proxy_and_library_use_the_same_words() -> None:
    """The guide's table says which class of models each value of `--results` is for."""
    guide = (Path(__file__).parent.parent / "docs/guides/results.md").read_text("utf-8")
    rows = re.findall(r'^\| `([a-z]+)` \| `for_models="([a-z]+)"` \|', guide, re.MULTILINE)
    assert dict(rows) == lton.results.FORMS
    words = [*lton.results.FORMS, "as-is"]
    root = Path(lton.__file__).parent
    serve = tomllib.loads((root / "gateway/options.toml").read_text("utf-8"))
    assert serve["settings"]["results"]["choices"] == ["tidy", *words]
    parser = argparse.ArgumentParser()
    add_options(parser)
    for word in words:
        assert parser.parse_args(["--results", word]).results == word
