"""Test tool definitions in every format."""

import json

import pytest

from lton import ToolSet
from lton_bench.tokens.datasets import definitions_mcp
from lton_bench.tokens.shown import SHOWN_FORMATS

ROWS = {row.name: row.write for row in SHOWN_FORMATS}
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "Get the\nweather.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Where."},
                "days": {"type": ["integer", "null"], "default": 3},
                "units": {"type": "array", "items": {"enum": ["C", "F"]}},
                "place": {"type": "object", "properties": {"lat": {"type": "number"}}},
            },
            "required": ["city"],
        },
    },
}


def test_json_and_lton_read_back() -> None:
    """For every tool of every recorded server, the definitions in JSON and the layouts in LTON are
    read back.
    """
    for unit in definitions_mcp.load():
        assert json.loads(ROWS["JSON minified"](unit.tools)) == list(unit.tools)
        assert json.loads(ROWS["JSON spaced"](unit.tools)) == list(unit.tools)
        fingerprint = ToolSet.from_tools(unit.tools).fingerprint
        for row in ("LTON", "LTON, no descriptions"):
            assert ToolSet.from_prompt(ROWS[row](unit.tools)).fingerprint == fingerprint


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "TypeScript",
            "namespace functions {\n\n// Get the weather.\ntype weather = (_: {\n// Where.\n"
            "city: string,\ndays?: number | null, // default: 3\n"
            'units?: "C" | "F"[],\nplace?: {\nlat?: number,\n},\n}) => any;\n\n'
            "} // namespace functions",
        ),
        (
            "TypeScript, no descriptions",
            "namespace functions {\n\ntype weather = (_: {city: string, days?: number | null, // de"
            'fault: 3 units?: "C" | "F"[], place?: {lat?: number,},}) => any;\n\n'
            "} // namespace functions",
        ),
    ],
)
def test_typescript(name: str, text: str) -> None:
    """Tools become types in a namespace, with descriptions as comments."""
    assert ROWS[name]([WEATHER]) == text
