"""Test that blanks and line breaks in values are data, in every syntax with elements or tokens."""

import json
from collections.abc import Callable
from itertools import product

import pytest

from lton import decode_lenient
from tests.cases import INT, tool, tools_of

STRING = {"type": "string"}
TOOLS = tools_of(
    tool("write", {"path": STRING, "text": STRING}, ["path", "text"]),
    tool("wait", {"minutes": INT, "unit": {"enum": ["s", "min"]}}, ["minutes"]),
)
EDGES = ("", " ", "  ", "\t", "\n", "\r\n", "\n\n")
VALUES = [
    f"{first}{word}{last}" for first, word, last in product(EDGES, ("x", "if a:\n\tb"), EDGES)
]
"""Values with blanks and line breaks at both ends."""


def _invoke(prefix: str, outer: str, attribute: str = "") -> Callable[[str], str]:
    name = f"{prefix}parameter"
    return lambda value: (
        f'<{outer}>\n<{prefix}invoke name="write">\n<{name} name="path"{attribute}>a</{name}>\n'
        f'<{name} name="text"{attribute}>{value}</{name}>\n</{prefix}invoke>\n</{outer}>'
    )


def _keyed(own: str, suffix: str, gap: str) -> Callable[[str], str]:
    key, content = f"{own}arg_key{suffix}", f"{own}arg_value{suffix}"
    outer = f"{own}tool_call{suffix}"
    return lambda value: (
        f"<{outer}>write{gap}<{key}>path</{key}>{gap}<{content}>a</{content}>{gap}"
        f"<{key}>text</{key}>{gap}<{content}>{value}</{content}>{gap}</{outer}>"
    )


def _function(opening: str, closing: str, around: str = "") -> Callable[[str], str]:
    return lambda value: (
        f"{opening}<function=write>\n<parameter=path>{around}a{around}</parameter>\n"
        f"<parameter=text>{around}{value}{around}</parameter>\n</function>{closing}"
    )


def _kimi(value: str) -> str:
    def argument(key: str, text: str) -> str:
        return f'<|open|>argument key="{key}" type="string"<|sep|>{text}<|close|>argument<|sep|>'

    return (
        f'<|open|>tools<|sep|><|open|>call tool="write" index="1"<|sep|>{argument("path", "a")}'
        f"{argument('text', value)}<|close|>call<|sep|><|close|>tools<|sep|>"
    )


def _cohere(value: str) -> str:
    end = "</cofl:value>"
    return (
        f'<cofl:tool_call id="0" name="write"><cofl:value name="path" type="raw">a{end}'
        f'<cofl:value name="text" type="raw">{value}{end}</cofl:tool_call>'
    )


VERBATIM: dict[str, Callable[[str], str]] = {
    "MiniMax": _invoke("", "minimax:tool_call"),
    "Anthropic": _invoke("", "function_calls"),
    "Step": _invoke("steptml:", "steptml:toolcall"),
    "DSML": _invoke("\uff5cDSML\uff5c", "\uff5cDSML\uff5cfunction_calls", ' string="true"'),
    "DSML without kinds": _invoke("\uff5cDSML\uff5c", "\uff5cDSML\uff5cfunction_calls"),
    "GLM 4.5": _keyed("", "", "\n"),
    "GLM 4.7": _keyed("", "", ""),
    "LongCat": _keyed("longcat_", "", "\n"),
    "Hunyuan": _keyed("", ":opensource", ""),
    "Seed": _function("<seed:tool_call>\n", "\n</seed:tool_call>"),
    "MiniCPM": lambda value: (
        '<function name="write"><param name="path">a</param>'
        f'<param name="text">{value}</param></function>'
    ),
    "MiniCPM, data": lambda value: (
        '<function name="write"><param name="path">a</param>'
        f'<param name="text"><![CDATA[{value}]]></param></function>'
    ),
    "Kimi K3": _kimi,
    "Cohere": _cohere,
    "Gemma": lambda value: (
        f'<|tool_call>call:write{{path:<|"|>a<|"|>,text:<|"|>{value}<|"|>}}<tool_call|>'
    ),
    "FunctionGemma": lambda value: (
        "<start_function_call>call:write{path:<escape>a<escape>,text:<escape>"
        f"{value}<escape>}}<end_function_call>"
    ),
    "Qwen, as its template writes it": _function("<tool_call>\n", "\n</tool_call>", "\n"),
    "Qwen, with CRLF": _function("<tool_call>\r\n", "\r\n</tool_call>", "\r\n"),
    "JSON": lambda value: json.dumps({"name": "write", "arguments": {"path": "a", "text": value}}),
}
"""Syntaxes in which every blank and line break around a value is data."""
BARE: dict[str, Callable[[str], str]] = {
    "Qwen, on one line": _function("<tool_call>\n", "\n</tool_call>"),
    "Cline": lambda value: f"<write>\n<path>a</path>\n<text>{value}</text>\n</write>",
}
"""Syntaxes in which only a pair of line breaks is layout."""


def _text(syntax: Callable[[str], str], value: str) -> object:
    (call,) = decode_lenient(syntax(value), TOOLS).calls
    assert call.arguments["path"] == "a"
    return call.arguments["text"]


@pytest.mark.parametrize("name", VERBATIM)
def test_values_are_verbatim(name: str) -> None:
    """A value keeps every blank and line break at its ends."""
    for value in VALUES:
        assert _text(VERBATIM[name], value) == value


@pytest.mark.parametrize("name", BARE)
def test_only_a_pair_of_line_breaks_is_layout(name: str) -> None:
    """Without the line breaks of a template, only a value between two equal ones loses them."""
    for value in VALUES:
        ends = [one for one in ("\r\n", "\n") if value.startswith(one) and value.endswith(one)]
        size = len(ends[0]) if ends else 0
        assert _text(BARE[name], value) == value[size : len(value) - size]


@pytest.mark.parametrize(
    "name", [name for name in (*VERBATIM, *BARE) if not name.startswith("MiniCPM")]
)
def test_marks_of_data_are_data(name: str) -> None:
    """Marks of CDATA are a part of the value in all syntaxes but that of MiniCPM 5."""
    assert _text((VERBATIM | BARE)[name], "<![CDATA[x]]>") == "<![CDATA[x]]>"


@pytest.mark.parametrize("gap", ["\n", "\r\n", "  ", "\n\n"])
def test_other_values_may_have_blanks_around_them(gap: str) -> None:
    """Blanks around numbers and listed strings have no meaning."""
    text = (
        f'<invoke name="wait">\n<parameter name="minutes">{gap}5{gap}</parameter>\n'
        f'<parameter name="unit">{gap}min{gap}</parameter>\n</invoke>'
    )
    (call,) = decode_lenient(text, TOOLS).calls
    assert call.arguments == {"minutes": 5, "unit": "min"}
