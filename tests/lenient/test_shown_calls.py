"""Test that definitions of tools are no calls, and that templates of calls are uncertain."""

import json

import pytest

from lton import decode, decode_lenient
from lton.errors import RepairCode
from lton.lenient import LenientResult
from lton.lenient._scan import are_certain
from tests.cases import INT, tool, tools_of, undoubted_calls

STRING = {"type": "string"}
TOOLS = tools_of(
    tool("remove", {"path": STRING, "limit": INT}, ["path"]),
    tool("store", {"where": {"type": "object"}, "tags": {"type": "array", "items": STRING}}),
    tool("pick", {"kind": {"enum": ["string", "<any>"]}, "type": STRING}),
    tool("draw", {"box": {"type": "object", "properties": {"type": STRING, "at": STRING}}}),
)
PLACEHOLDERS = [
    *"string str int integer boolean number array object string[] string? ... \u2026".split(),
    *"<path> {path} {{path}} [path] $PATH ${PATH} %PATH% path value value_1 value1 arg".split(),
    *"YOUR_PATH YOUR_PATH_HERE PATH_TO_FILE INSERT_PATH_HERE path_HERE your_path".split(),
    *"path/to/file /path/to/file.txt ~/path/to/x param_value parameter_value".split(),
    "<the path of the file>",
    "<your-path>",
    "[your path]",
    "{the path}",
    "{{ path }}",
    " <path> ",
    "string | null",
    "string or null",
    "string (optional)",
    "string, required",
]
"""Values that stand for other values."""
VALUES = [
    *"notes.txt /etc/passwd Value STRING strings list any text values $5 100% <p>x</p>".split(),
    *"{} {a:1} [1] [] .. v1 path.txt paths /a/path/b to/path HERE yours my_path API_KEY".split(),
    "a string",
    "null",
    "the path",
    "how to sort a list",
    "",
    "string theory",
    "{a} and {b}",
]
"""Values that look similar, but are values."""
SPELLINGS = [
    '{{"name": "remove", "arguments": {{"path": {0}}}}}',
    '{{"name": "remove", "parameters": {{"path": {0}, "limit": 5}}}}',
    '{{"remove": {{"path": {0}}}}}',
    '<tool_call>\n{{"name": "remove", "arguments": {{"path": {0}}}}}\n</tool_call>',
    "Now:\nremove(path={0})",
    "[remove(path={0})]",
]


def _read(spelling: str, value: str) -> LenientResult:
    return decode_lenient(spelling.format(json.dumps(value, ensure_ascii=False)), TOOLS)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_templates_are_uncertain(spelling: str) -> None:
    """A call with a placeholder is uncertain, in every notation."""
    for value in PLACEHOLDERS:
        result = _read(spelling, value)
        assert result.calls == (), value
        assert [one.code for one in result.uncertain] == [RepairCode.EXAMPLE], value


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_other_values_are_values(spelling: str) -> None:
    """Text that only resembles a placeholder raises no doubt."""
    for value in VALUES:
        (call,) = undoubted_calls(_read(spelling, value))
        assert call.arguments["path"] == value


@pytest.mark.parametrize("value", ["<path>", "value", "string", "\n<path>\n"])
def test_templates_of_elements(value: str) -> None:
    """A placeholder in an element makes its call uncertain."""
    for text in (
        f"<function=remove>\n<parameter=path>\n{value}\n</parameter>\n</function>",
        f'<invoke name="remove"><parameter name="path">{value}</parameter></invoke>',
        f"<tool_call>remove<arg_key>path</arg_key><arg_value>{value}</arg_value></tool_call>",
        f"<remove><path>{value}</path></remove>",
    ):
        result = decode_lenient(text, TOOLS)
        assert [one.code for one in result.uncertain] == [RepairCode.EXAMPLE]


@pytest.mark.parametrize(
    ("name", "arguments", "is_template"),
    [
        ("store", {"tags": ["string"]}, True),
        ("store", {"tags": ["a", "..."]}, True),
        ("store", {"tags": ["a", "b"]}, False),
        ("store", {"where": {"a": {"b": "<b>"}}}, True),
        ("store", {"where": {"a": ["{b}", 1]}}, True),
        ("store", {"where": {"a": "value"}}, False),
        ("store", {"where": {"type": "string"}}, True),
        ("store", {"where": {"type": "string", "description": "x"}}, True),
        ("store", {"where": {"type": "green"}}, False),
        ("store", {"where": {"type": "string", "color": "x"}}, False),
        ("store", {"where": {"type": ["string"]}}, False),
        ("pick", {"kind": "string"}, False),
        ("pick", {"kind": "<any>"}, False),
        ("draw", {"box": {"type": "string"}}, False),
        ("draw", {"box": {"at": "<here>"}}, True),
    ],
)
def test_templates_by_type(name: str, arguments: object, *, is_template: bool) -> None:
    """Words count in arguments and their lists, and marks and schemas everywhere."""
    result = decode_lenient(json.dumps({"name": name, "arguments": arguments}), TOOLS)
    assert (len(result.uncertain), len(result.calls)) == ((1, 0) if is_template else (0, 1))


SCHEMA = {"type": "object", "properties": {"path": STRING}, "required": ["path"]}
DEFINITIONS: list[object] = [
    {"name": "remove", "description": "Removes", "parameters": SCHEMA},
    {"name": "remove", "parameters": SCHEMA},
    {"name": "remove", "parameters": {"properties": {"path": STRING}}},
    {"name": "remove", "parameters": {"type": "object"}},
    {"name": "remove", "input_schema": SCHEMA},
    {"name": "remove", "description": "d", "inputSchema": SCHEMA},
    {"name": "remove", "description": "Removes"},
    {"name": "remove", "arguments": {"path": STRING}},
    {"name": "remove", "parameters": {"path": {**STRING, "description": "p"}, "limit": INT}},
    {"type": "function", "function": {"name": "remove", "description": "d", "parameters": SCHEMA}},
    [{"type": "function", "function": {"name": "remove", "parameters": SCHEMA}}],
    {"tools": [{"name": "remove", "description": "d", "parameters": SCHEMA}]},
    {"remove": SCHEMA},
    {"remove": {"path": STRING}},
    {"name": "other", "description": "d", "parameters": SCHEMA},
]


@pytest.mark.parametrize("value", DEFINITIONS)
@pytest.mark.parametrize("indent", [None, 2])
def test_definitions_are_no_calls(value: object, indent: int | None) -> None:
    """A definition of a tool is neither a call nor an error."""
    text = json.dumps(value, indent=indent)
    for around in (
        text,
        f"```json\n{text}\n```",
        f"<tools>\n{text}\n</tools>",
        f"See:\n{text}\nOk.",
    ):
        result = decode_lenient(around, TOOLS, safe=False)
        assert (result.calls, result.errors) == ((), ())


@pytest.mark.parametrize(
    "value",
    [
        {"name": "pick", "arguments": {"type": "green"}},
        {"name": "store", "arguments": {"where": {"a": 1}}},
        {"name": "remove", "parameters": {"path": "a"}},
        {"name": "store", "parameters": {}},
    ],
)
def test_calls_that_look_like_definitions(value: object) -> None:
    """Parameters that are named like keywords of schemas are arguments."""
    assert len(decode_lenient(json.dumps(value), TOOLS).calls) == 1


def test_a_definition_next_to_a_call() -> None:
    """A definition in a list of calls is a leftover."""
    call = {"name": "remove", "arguments": {"path": "a"}}
    result = decode_lenient(json.dumps([call, DEFINITIONS[0]]), TOOLS)
    assert [one.code for one in result.uncertain] == [RepairCode.LEFT]


def test_a_repeated_template() -> None:
    """A call that repeats the tool of a template is as uncertain as the template."""
    result = decode_lenient('So:\nremove(path="<path>")\n&(path="a")', TOOLS)
    assert [one.code for one in result.uncertain] == [RepairCode.EXAMPLE] * 2


def test_templates_are_accepted_on_request() -> None:
    """With `safe=False`, a template is a call with a repair, also in strict text."""
    for text in ('So:\nremove(path="<path>")', 'remove "<path>"\n'):
        result = decode_lenient(text, TOOLS, safe=False)
        assert len(result.calls) == 1
        assert RepairCode.EXAMPLE in {repair.code for repair in result.repairs}
        assert decode_lenient(text, TOOLS).calls == ()


def test_a_template_in_strict_spelling_is_not_certain_either() -> None:
    """Calls that strict reading accepts are certain unless they are templates."""
    for path, is_certain in (("notes.txt", True), ("<path>", False)):
        text = f'remove(path="{path}")'
        assert are_certain(text, decode(text, TOOLS), TOOLS) is is_certain
