"""Test that answers in every format are read back by the format's own reader."""

import csv
import io
import json
from base64 import b64decode
from collections.abc import Callable
from itertools import chain
from typing import Any
from xml.etree import ElementTree as ET

import msgpack
import pytest
import toon_format
import yaml

from lton import decode, events
from lton.codec import Decoder
from lton_bench.tokens.answers import ANSWER_FORMATS, by_schema, write_tron
from lton_bench.tokens.datasets import answers_nested, answers_rows
from lton_bench.tokens.pieces import Answer
from tests.format_readers import same

ROWS = {row.name: row.write for row in ANSWER_FORMATS}
ANSWERS = list(chain(answers_rows.load(), answers_nested.load()))
USERS = Answer("users", [{"id": 1, "name": "A B"}, {"id": 2, "name": None}], {"type": "array"})


def _frame(text: str, _: Answer) -> Any:
    decoder = Decoder(prose=True)
    decoder.feed(text)
    decoder.close()
    (event,) = decoder
    assert isinstance(event, events.Answer)
    return event.result.value


def _by_schema(text: str, answer: Answer) -> Any:
    _, tools = by_schema(answer)
    (call,) = decode(text, tools)
    return call.arguments if isinstance(answer.value, dict) else call.arguments["value"]


READERS: dict[str, Callable[[str, Answer], Any]] = {
    "LTON result": _frame,
    "LTON by schema": _by_schema,
    "JSON minified": lambda text, _: json.loads(text),
    "JSON spaced": lambda text, _: json.loads(text),
    "TOON": lambda text, _: toon_format.decode(text),
    "YAML": lambda text, _: yaml.safe_load(text),
    "MessagePack, base64": lambda text, _: msgpack.unpackb(b64decode(text)),
}


@pytest.mark.parametrize("name", READERS)
def test_reads_back(name: str) -> None:
    """Answers are read back unchanged, types included, except that TOON writes 1.0 as 1.

    The library of YAML is slow, so only every fourth answer is read. Those are of all tools.
    """
    read_answers = ANSWERS[::4]
    assert {answer.tool for answer in read_answers} == {answer.tool for answer in ANSWERS}
    for answer in read_answers:
        text = ROWS[name](answer)
        assert text is not None
        assert same(READERS[name](text, answer), answer.value, types=name != "TOON")


def test_frame() -> None:
    """An answer in LTON is the frame that the library writes."""
    assert ROWS["LTON result"](USERS) == '!result users [(id name)1 "A B";2 null]'


def test_csv_holds_tables_only() -> None:
    """A table of CSV is read back with all values as strings, and null is not written."""
    text = ROWS["CSV"](USERS)
    assert text == "id,name\n1,A B\n2,"
    for value in ({"id": 1}, [], [{"id": [1]}], [{"id": 1}, {"name": 2}], [1]):
        assert ROWS["CSV"](Answer("users", value, {})) is None  # type: ignore[arg-type]
    for answer in answers_rows.load():
        rows = list(csv.DictReader(io.StringIO(ROWS["CSV"](answer), newline="")))
        assert isinstance(answer.value, list)
        assert len(rows) == len(answer.value)


def test_xml_is_well_formed() -> None:
    """Every answer in XML is one element."""
    for answer in ANSWERS:
        assert ET.fromstring(ROWS["XML"](answer) or "").tag == answer.tool


def test_tron_names_a_class_once() -> None:
    """Objects with the same keys share a class, and more than 26 classes also have names."""
    assert write_tron({"a": [{"b": 1}, {"b": 2}]}) == "class A: a\nclass B: b\n\nA([B(1),B(2)])"
    assert write_tron([1, {}]) == "[1,{}]"
    text = write_tron([{f"k{index}": 1} for index in range(27)])
    assert "class A1: k26\n" in text
