"""Test calls whose element has attributes, and marks around calls that have them."""

import json

import pytest

from lton import decode_lenient
from lton.errors import Code
from tests.cases import INT, tool, tools_of

STRING = {"type": "string"}
TOOLS = tools_of(
    tool("wipe", {"folder": STRING, "limit": INT}),
    tool("find", {"id": STRING, "text": STRING}),
    tool("stop"),
)
ELEMENTS = [
    '<invoke name="wipe" {0}/>',
    '<invoke name="wipe" {0}></invoke>',
    '<invoke {0} name="wipe"/>',
    "<invoke name='wipe' {0} />",
    "<invoke name=wipe {0}/>",
    '<\uff5cDSML\uff5cinvoke name="wipe" {0}/>',
    '<|DSML|invoke name="wipe" {0}></|DSML|invoke>',
    '<tool_call name="wipe" {0}/>',
    '<tool_call tool="wipe" {0}></tool_call>',
    '<function name="wipe" {0}></function>',
    "<function=wipe {0}></function>",
    '<function_call name="wipe" {0}/>',
    '<tool_use name="wipe" {0}></tool_use>',
    '<function_invocation function_name="wipe" {0}/>',
    "<wipe {0}/>",
    "<wipe {0}></wipe>",
    "<wipe\n{0}\n/>",
]
"""Elements with attributes."""


@pytest.mark.parametrize("element", ELEMENTS)
def test_attributes_are_arguments(element: str) -> None:
    """Attributes with the names of parameters are arguments if the element is empty."""
    for spelled in (
        'folder="a b" limit="3"',
        "limit='3'\n folder='a b'",
        'id="c" folder="a b" limit="3"',
    ):
        text = element.replace("{0}", spelled)
        (call,) = decode_lenient(text, TOOLS).calls
        assert call.arguments == {"folder": "a b", "limit": 3}, text


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize(
    "spelled",
    [
        'folder="a" color="red"',
        'color="red"',
        'folder="a &amp; b"',
        'folder="a&#10;b"',
        "folder=a",
        'folder="a" folder="b"',
        'folder="a" and more',
        'folder="a"limit="3"',
        'limit="many"',
    ],
)
def test_attributes_with_other_readings_are_an_error(element: str, spelled: str) -> None:
    """Attributes that are no arguments, or have two readings, are an error and never dropped."""
    result = decode_lenient(element.replace("{0}", spelled), TOOLS, safe=False)
    assert result.calls == ()
    assert result.errors


@pytest.mark.parametrize(
    "text",
    [
        '<invoke name="wipe" folder="a"><parameter name="limit">3</parameter></invoke>',
        '<invoke name="wipe" folder="a">{"limit": 3}</invoke>',
        '<invoke name="wipe" folder="a">words</invoke>',
        '<wipe folder="a"><limit>3</limit></wipe>',
        '<wipe folder="a">{"limit": 3}</wipe>',
        '<invoke name="find" id="5"/>',
        '<invoke name="wipe" folder="a > b"/>',
    ],
)
def test_attributes_next_to_arguments_are_an_error(text: str) -> None:
    """If an element contains arguments, its attributes may be arguments, too."""
    result = decode_lenient(text, TOOLS, safe=False)
    assert result.calls == ()
    assert Code.SYNTAX in {error.code for error in result.errors}


def test_metadata_of_an_element() -> None:
    """Attributes of metadata change nothing, unless the tool has such a parameter."""
    text = '<invoke id="c1" name="wipe" index="2"><parameter name="limit">3</parameter></invoke>'
    (call,) = decode_lenient(text, TOOLS).calls
    assert call.arguments == {"limit": 3}
    result = decode_lenient(text.replace("wipe", "find").replace("limit", "text"), TOOLS)
    assert [one.call.arguments for one in result.uncertain] == [{"text": "3"}]


def test_attributes_without_tools() -> None:
    """Without tools, all attributes but metadata are arguments."""
    (call,) = decode_lenient('<invoke name="f" id="c" a="x"/>').calls
    assert call.arguments == {"a": "x"}


CALL = json.dumps({"name": "wipe", "arguments": {"folder": "a"}})
ELEMENT = '<invoke name="wipe"><parameter name="folder">a</parameter>'


@pytest.mark.parametrize(
    "text",
    [
        f'<tool_call id="call_2">{CALL}</tool_call>',
        f'<tool_call id="call_2" type="function">\n{CALL}\n</tool_call>',
        f"<tool_call index='0'>{CALL}</tool_call>",
        f"<function_invocation>{CALL}</function_invocation>",
        f"<function_invocation>\n{CALL}\n</function_invocation>",
        f"<\uff5cDSML\uff5ctool_calls>\n{ELEMENT}</\uff5cDSML\uff5cinvoke></invoke></\uff5cDSML\uff5ctool_calls>",
        f"<\uff5cDSML\uff5ctool_calls>\n{ELEMENT}</invoke></\uff5cDSML\uff5ctool_calls>",
    ],
)
def test_marks_as_models_write_them(text: str) -> None:
    """Marks with identifiers, and marks that are closed twice in two spellings, are read."""
    (call,) = decode_lenient(text, TOOLS).calls
    assert call.arguments == {"folder": "a"}


@pytest.mark.parametrize(
    "text",
    [
        "```tool_call\npython(default_api.wipe(folder='a'))\n```",
        "```tool_code\nprint(default_api.wipe(folder='a'))\n```",
        "print(functions.wipe(folder='a'))",
        "print( default_api.wipe(folder='a')",
        "<|tool_call_begin|>functionswipe5<|tool_call_argument_begin|>{}<|tool_call_end|>",
        "<|tool_call_begin|>call00003<|tool_call_argument_begin|>{}<|tool_call_end|>",
    ],
)
def test_calls_that_cannot_be_read_are_errors(text: str) -> None:
    """A call in the parentheses of something else, and a damaged name, are errors."""
    result = decode_lenient(text, TOOLS, safe=False)
    assert result.calls == ()
    assert len(result.errors) == 1


@pytest.mark.parametrize("text", ["print(default_api.other(1))", "print(wipe(folder='a'))"])
def test_other_parentheses_contain_no_call(text: str) -> None:
    """Text in the parentheses after a name that is not a tool is not a call."""
    result = decode_lenient(text, TOOLS)
    assert (result.calls, result.errors) == ((), ())
