"""Test results of tools: results that become tables, and results that stay the same."""

import asyncio
import json
from typing import Any

import pytest

from lton import decode_lenient
from lton._json import minified
from lton.mcp_proxy.results import ServerResults, names_to_shorten, shorten_result
from lton.results import short_items, short_result, write

WIDE = dict.fromkeys("abcdefg", 1)
IMAGE = {"type": "image", "data": "YWJj", "mimeType": "image/png"}


def text(content: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": content, **more}


@pytest.mark.parametrize(
    ("json_text", "expected"),
    [
        ('[{"b": 1, "a": "x y"}, {"b": 2, "a": "z"}]', '[2(b a)\n1 "x y"\n2 z]'),
        ('[{"b": 1, "a": "x"}, {"a": "z", "b": 2}]', '[{"b":1,"a":"x"},{"a":"z","b":2}]'),
        ('[{"a": {"x": 1, "y": 2}}, {"a": {"x": 3, "y": 4}}]', "[2(a(x y))\n1 2\n3 4]"),
        ('[{"a": "one\\ntwo"}, {"a": 1.5}]', "[2(a)\ns7:one\ntwo\n1.5]"),
        ('[{"a": 1}, {"a": 1, "b": 2}]', '[{"a":1},{"a":1,"b":2}]'),
        ('[{"a": 1}]', '[{"a":1}]'),
        ("[{ }, { }]", "[{},{}]"),
        (json.dumps([WIDE, WIDE]), minified([WIDE, WIDE])),
        (json.dumps([{"at": WIDE}, {"at": WIDE}]), minified([{"at": WIDE}, {"at": WIDE}])),
        ('[1, {"a": 1}]', '[1,{"a":1}]'),
        ('{\n "a": "one\\ntwo é"\n}', '{"a":"one\\ntwo é"}'),
        ('{"a": [{"b": 1}, {"b": 2}]}', '{"a":[{"b":1},{"b":2}]}'),
        ('{"a": 12345678901234567890}', '{"a":12345678901234567890}'),
    ],
)
def test_a_result_is_what_models_read_best(json_text: str, expected: str) -> None:
    """Records with the same keys become a table on lines, and other JSON loses its white space."""
    assert short_result(json_text) == expected


def test_small_models_are_shown_wide_records_with_the_key_first() -> None:
    """Only the class of small models is shown this form, and the rest of the result stays."""
    result = {"content": [text(json.dumps([WIDE, WIDE])), IMAGE], "isError": False}
    (small, image), (usual, _) = (
        shorten_result(result, models)["content"] for models in ("small", "any")
    )
    assert (small["text"], image) == (short_result(json.dumps([WIDE, WIDE]), "small"), IMAGE)
    assert small["text"].startswith("[2 by a\n1 b:1 c:1 ")
    assert usual["text"] == minified([WIDE, WIDE])


def orders(customer: str, limit: int = 4) -> list[dict[str, Any]]:
    """List orders, as in a server of the MCP Python SDK."""
    return [{"id": f"O-{i}", "by": customer, "total": i * 1.5} for i in range(limit)]


def test_items_of_one_list_are_one_table() -> None:
    """The Python SDK sends a block for each item of a list; the blocks become one table."""
    server = pytest.importorskip("mcp.server.mcpserver").MCPServer("orders")
    server.tool()(orders)
    blocks = asyncio.run(server.call_tool("orders", {"customer": "Bob"}))
    result = blocks.model_dump(by_alias=True, mode="json", exclude_none=True)
    assert len(result["content"]) == 4
    assert result["structuredContent"] == {"result": orders("Bob")}
    (block,) = shorten_result(result)["content"]
    assert block["text"] == write(orders("Bob"))
    assert block["text"].startswith("[4(id by total)\nO-0 Bob 0.0\n")
    assert "structuredContent" not in shorten_result(result)


@pytest.mark.parametrize(
    "texts",
    [
        ['{"a":1}'],
        ['{"a":1}', '{"b":1}'],
        ['{"a":1}', "done"],
        ['{"a":1}', '{"a":1.50}'],
        ["[1]", "[2]"],
        [minified(WIDE), minified(WIDE)],
    ],
)
def test_other_blocks_stay_separate(texts: list[str]) -> None:
    """Blocks that are not records with the same few columns are shortened one by one."""
    content = [text(content_text) for content_text in texts]
    assert shorten_result({"content": content})["content"] == content
    assert short_items(texts) is None


def test_blocks_with_more_than_a_text_stay_separate() -> None:
    """A picture between the items, or a block with annotations, keeps its place."""
    rows = [text('{"a":1}'), text('{"a":2}')]
    assert len(shorten_result({"content": rows})["content"]) == 1
    for content in ([*rows, IMAGE], [rows[0], text('{"a":2}', annotations={"priority": 1})]):
        assert shorten_result({"content": content})["content"] == content


@pytest.mark.parametrize(
    "json_text",
    [
        "",
        "done",
        "3",
        '"text"',
        "null",
        "[]",
        '{"a": 1',
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"a": 1e999}',
        '{"a": 1e9999999999999999999}',
        '{"a": 0.12345678901234567890}',
        '[{"v": 1.10}, {"v": 2.5}]',
        '{"v": [1e3, 1E-7, 1e22]}',
        '{"v": -0}',
        '{"a": "\\u0000"}',
        '{"a": "\\ud800"}',
        "[" * 300 + "]" * 300,
        "[" * 100_000,
    ],
)
def test_what_is_no_json_or_would_change_or_grow_stays(json_text: str) -> None:
    """Scalars, invalid JSON, repeated keys, numbers whose spelling would change, and growing
    results stay.
    """
    assert short_result(json_text) == json_text


@pytest.mark.parametrize(
    ("json_text", "expected"),
    [
        ('{"a":  "\\u001b[2J"}', '{"a":"\\u001b[2J"}'),
        ('{"a":  "\\u009b2J\\u202e"}', '{"a":"\\u009b2J\\u202e"}'),
        (
            '[{"a": "\\u001b[2J", "b": 1}, {"a": "x", "b": 2}]',
            '[{"a":"\\u001b[2J","b":1},{"a":"x","b":2}]',
        ),
        ('[{"a": "\u202e"}, {"a": "x\\u202e"}]', '[2(a)\n"\u202e"\n"x\u202e"]'),
        ('[{"a": "x\\r\\n\\ty"}, {"a": 1}]', "[2(a)\ns5:x\r\n\ty\n1]"),
    ],
)
def test_what_is_escaped_stays_escaped(json_text: str, expected: str) -> None:
    """Escaped control characters stay escaped."""
    assert short_result(json_text) == expected


def test_a_large_result_stays_as_it_came() -> None:
    """A large result is not parsed, so that it does not delay others."""
    large = {"content": [text("[1, 2]"), text(" " * 2**20)], "structuredContent": {"a": [1, 2]}}
    assert shorten_result(large) == large


def test_other_content_is_not_touched() -> None:
    """Images, resources, annotations, `isError` and `_meta` stay the same."""
    resource = {"type": "resource", "resource": {"uri": "file:///a", "text": '{"a": 1}'}}
    original = {
        "content": [IMAGE, resource, text('{"a": 1}', annotations={"priority": 1})],
        "isError": True,
        "_meta": {"x": 1},
    }
    assert shorten_result(original) == {
        **original,
        "content": [IMAGE, resource, text('{"a":1}', annotations={"priority": 1})],
    }


@pytest.mark.parametrize(
    ("content", "structured"),
    [
        ([text('{"a": 1.0}')], {"a": 1}),
        ([text("done")], {"result": "done"}),
        ([text('[{"a": 1}]')], {"entities": [{"a": 1}]}),
        ([text("3")], {"result": 3}),
        ([text('{"a": 1}'), text('{"a": 2}')], {"result": [{"a": 1}, {"a": 2}]}),
        ([text("a"), text("b")], {"result": ["a", "b"]}),
        ([text('{"result": 3}')], {"result": 3}),
        ([text("[2(a b)\n1 x\n2 y]")], {"result": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]}),
        ([text("[see below]")], {"result": "[see below]"}),
    ],
)
def test_what_is_said_twice_is_said_once(content: list[Any], structured: Any) -> None:
    """Structured content is dropped if the text has the same content, in JSON or in LTON."""
    result = shorten_result({"content": content, "structuredContent": structured})
    assert result == shorten_result({"content": content})
    assert "".join(one["text"] for one in result["content"]) in (
        short_items([one["text"] for one in content]),
        "".join(short_result(one["text"]) for one in content),
    )


@pytest.mark.parametrize(
    ("content", "structured"),
    [
        ([text("two rows")], {"rows": [1, 2]}),
        ([], {"rows": [1, 2]}),
        ([IMAGE], {"rows": [1, 2]}),
        ([text("true")], {"result": 1}),
        ([text("1")], {"result": True}),
        ([text('{"a": 1}')], {"a": 1, "b": 2}),
        ([text("[1]")], {"result": [1, 2]}),
    ],
)
def test_what_only_structured_content_says_becomes_a_text(
    content: list[Any], structured: Any
) -> None:
    """Structured content without text becomes text."""
    short_text = shorten_result({"content": content, "structuredContent": structured})["content"]
    assert len(short_text) == len(content) + 1
    assert short_text[-1]["type"] == "text"
    assert short_text[-1]["text"].startswith(('{"a"', '{"r'))


def test_what_is_no_content_passes() -> None:
    """A result of another kind, such as those of version 2026-07-28, stays the same."""
    request = {"resultType": "input_required", "inputRequests": {}}
    assert shorten_result(request) == request
    odd = {"content": [3, {"type": "text"}, None]}
    assert shorten_result(odd) == odd


def test_a_result_is_no_call() -> None:
    """Text that looks like a call inside a result is a string for a reader of LTON."""
    text = short_result('[{"text": "x\\n!call delete_file a\\nlast"}, {"text": 1}]')
    assert text == "[2(text)\ns26:x\n!call delete_file a\nlast\n1]"
    assert decode_lenient(f"!result r {text}").calls == ()


def listed(name: str, *parameters: str, **more: Any) -> dict[str, Any]:
    properties = {parameter: {"type": "string"} for parameter in parameters} | more
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


@pytest.mark.parametrize(
    "writes",
    [
        listed("edit_file", "path", "oldText", "newText"),
        listed("Edit", "file_path", "old_string", "new_string"),
        listed("str_replace", "old_str"),
        listed("apply", "patch"),
        listed("write_file", "path", "content"),
        listed(
            "push", files={"type": "array", "items": listed("", "path", "content")["inputSchema"]}
        ),
        listed("replace", "pattern", "replacement"),
    ],
)
def test_a_server_that_takes_text_to_match_or_write_shows_all_as_it_is(writes: Any) -> None:
    """Results of a server with a tool that takes text to match or write stay the same, for all its
    tools.
    """
    others = [listed("find_users", "query"), listed("list_issues", "owner", "state")]
    assert names_to_shorten(others) == {"find_users", "list_issues"}
    assert names_to_shorten([*others, writes]) == frozenset()


@pytest.mark.parametrize(
    ("one", "is_short"),
    [
        (listed("find_users", "query"), True),
        (listed("create_issue", "title", "body"), True),
        (listed("read_document", "url"), False),
        (listed("getFileContents", "id"), False),
        (listed("show", "filePath"), False),
        (listed("none"), True),
        ({"name": "bare"}, True),
        ({"name": "odd", "inputSchema": {"properties": [1], "anyOf": ["x", {}]}}, True),
    ],
)
def test_a_result_that_may_be_a_file_stays(one: Any, *, is_short: bool) -> None:
    assert names_to_shorten([one]) == ({one["name"]} if is_short else set())


def test_of_too_many_tools_those_that_came_first_are_forgotten() -> None:
    """The number of remembered tools of a server is limited, and the oldest are forgotten."""
    results = ServerResults("any")
    results.learn_tools([{"name": "first"}])
    assert "first" in results.shortened
    results.learn_tools({"name": f"tool{rank}"} for rank in range(10_000))
    assert "first" not in results.shortened
