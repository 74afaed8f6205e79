"""Test the formats: each is written correctly, splits into pieces, and can be read back."""

import json
from itertools import islice
from pathlib import Path

import pytest

from lton import Call, ToolSet, encode
from lton._json import minified
from lton_bench.tokens.formats import BASELINE, FORMATS
from lton_bench.tokens.pieces import Format, text_of
from tests.format_readers import CALLS, READERS, UNREADABLE, problems, turns_of

ROWS = {row.name: row for row in FORMATS}
TOOLS = ToolSet.from_prompt("get_weather(location days:int)\nsay(text)")
CALL = Call("get_weather", {"location": "San Leandro", "days": 7})
CODE = '"a"\n\'b\\c<'
JSON = '{"location": "San Leandro", "days": 7}'
A, B = (f'{{"name":"say","arguments":{{"text":"{text}"}}}}' for text in "ab")
TEXTS = {
    "LTON wire": 'get_weather "San Leandro",7',
    "LTON keyed": 'get_weather location="San Leandro" days=7',
    "LTON punctuated": 'get_weather(location="San Leandro", days=7)',
    "LTON map": 'get_weather{days 7 location "San Leandro"}',
    "LTON tagged": "!call get_weather\n(s11:San Leandro u1:7)",
    "LTON wire, aliases": 'weather "San Leandro",7',
    "LTON wire, letters": 'a "San Leandro",7',
    "LTON wire, sigil": '!call get_weather "San Leandro",7',
    "JSON minified": '{"name":"get_weather","arguments":{"location":"San Leandro","days":7}}',
    "JSON spaced": f'{{"name": "get_weather", "arguments": {JSON}}}',
    "JSON arguments only": '{"location":"San Leandro","days":7}',
    "JSON double-encoded": '{"name":"get_weather",'
    r'"arguments":"{\"location\":\"San Leandro\",\"days\":7}"}',
    "JSON array": '["get_weather","San Leandro",7]',
    "JSON name and array": 'get_weather["San Leandro",7]',
    "TOON": "name: get_weather\narguments:\n  location: San Leandro\n  days: 7",
    "TOON by name": "get_weather:\n  location: San Leandro\n  days: 7",
    "TRON-like": 'get_weather("San Leandro",7)',
    "YAML": "name: get_weather\narguments:\n  location: San Leandro\n  days: 7",
    "XML": "<get_weather><location>San Leandro</location><days>7</days></get_weather>",
    "CSV": "get_weather,San Leandro,7",
    "Python call": 'get_weather(location="San Leandro", days=7)',
    "GLYPH-like": 'get_weather{location="San Leandro" days=7}',
    "MessagePack, base64": "gqRuYW1lq2dldF93ZWF0aGVyqWFyZ3VtZW50c4Ko"
    "bG9jYXRpb26rU2FuIExlYW5kcm+kZGF5cwc=",
    "MessagePack array, base64": "k6tnZXRfd2VhdGhlcqtTYW4gTGVhbmRybwc=",
    "CBOR, base64": "omRuYW1la2dldF93ZWF0aGVyaWFyZ3VtZW50c6JobG9jYXRpb25rU2FuIExlYW5kcm9kZGF5cwc=",
    "CBOR array, base64": "g2tnZXRfd2VhdGhlcmtTYW4gTGVhbmRybwc=",
    "values and name": "get_weather San Leandro 7",
    "values": "San Leandro 7",
}


def test_names() -> None:
    """Each row has a unique name, and the baseline is one of the rows."""
    assert len(ROWS) == len(FORMATS)
    assert BASELINE in ROWS
    assert TEXTS.keys() == ROWS.keys()
    assert READERS.keys() | UNREADABLE == ROWS.keys()


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: row.name)
def test_one_call(row: Format) -> None:
    """A call is written as the format requires."""
    assert text_of(row.write([CALL], TOOLS)) == TEXTS[row.name]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("LTON wire", "say a\n& b"),
        ("JSON minified", f"[{A},{B}]"),
        ("JSON array", '[["say","a"],["say","b"]]'),
    ],
)
def test_several_calls(name: str, text: str) -> None:
    """Several calls of a turn are written in the format's own way."""
    assert (
        text_of(ROWS[name].write([Call("say", {"text": "a"}), Call("say", {"text": "b"})], TOOLS))
        == text
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("LTON wire", f"say s9:{CODE}"),
        ("JSON minified", minified({"name": "say", "arguments": {"text": CODE}})),
        ("JSON double-encoded", minified({"name": "say", "arguments": minified({"text": CODE})})),
        ("XML", '<say><text>"a"\n\'b\\c&lt;</text></say>'),
        ("CSV", 'say,"""a""\n\'b\\c<"'),
        ("YAML", 'name: say\narguments:\n  text: |-\n    "a"\n    \'b\\c<'),
    ],
)
def test_quotes_and_lines(name: str, text: str) -> None:
    """A string with quotes and lines is escaped if the format requires this."""
    call = Call("say", {"text": '"a"\n\'b\\c<'})
    assert text_of(ROWS[name].write([call], TOOLS)) == text


def test_roles_of_the_wire_form() -> None:
    """In the wire form, quotes and gaps count as punctuation and lengths as types; the rest are
    names, keys and values.
    """
    tools = ToolSet.from_prompt("f(a b? c? d?:(x y?) e?:(...:int))")
    call = Call("f", {"a": "A B", "e": {"k": 1}, "d": {"x": "'\""}})
    pieces = ROWS["LTON wire"].write([call], tools)
    assert text_of(pieces) == encode(call, tools)
    assert [tuple(piece) for piece in pieces] == [
        ("f", "name"),
        (' "', "punctuation"),
        ("A B", "value"),
        ('",_ _ (`', "punctuation"),
        ("'\"", "value"),
        ("`),{", "punctuation"),
        ("k", "key"),
        (" ", "punctuation"),
        ("1", "value"),
        ("}", "punctuation"),
    ]


def test_roles_of_toon_and_yaml() -> None:
    """The output of a library is split by its own rules: a number in a header is not a value."""
    call = Call("say", {"text": ["a b", "2", "say"]})
    expected = {"name": "say", "key": "nameargumentstext", "value": "a b2say"}
    for row in ("TOON", "YAML"):
        pieces = ROWS[row].write([call], TOOLS)
        for role, text in expected.items():
            assert text_of(piece for piece in pieces if piece.role == role) == text


def test_tables_in_pieces() -> None:
    """R-312: the tables of the conformance suite are split so that keys are separate pieces, also
    in headers.
    """
    folder = Path(__file__).parents[3] / "spec" / "conformance"
    tools = json.loads((folder / "tools.json").read_text("utf-8"))
    cases = json.loads((folder / "encode" / "tables.json").read_text("utf-8"))["cases"]
    for case in cases:
        calls = [Call(call["name"], call["arguments"]) for call in case["calls"]]
        for form, text in case["texts"].items():
            row = ROWS[f"LTON {form}"]
            assert text_of(row.write(calls, ToolSet.from_tools(tools[case["tools"]]))) == text
    call = Call("f", {"x": [{"at": {"a": 1, "b": 2}}] * 2})
    pieces = ROWS["LTON wire"].write([call], ToolSet.from_prompt("f(x:any)"))
    assert text_of(pieces) == "f [(at(a b))1 2;1 2]"
    assert [piece.text for piece in pieces if piece.role == "key"] == ["at", "a", "b"]


@pytest.mark.parametrize("name", CALLS)
def test_reads_back(name: str) -> None:
    """Real calls in each format are read back by the format's own reader, with their types.

    The test uses a few calls of each data set: `python -m tests.format_readers` uses all of them.
    """
    step = 400 if name.startswith("bfcl") else 10
    assert list(problems(islice(turns_of(name), 0, None, step))) == []
