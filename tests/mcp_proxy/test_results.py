"""Results of tools: what becomes LTON, and what stays as it was."""

from typing import Any

import pytest

from lton import decode_lenient
from lton.chat.results import short_result
from lton.mcp_proxy.results import shorten

IMAGE = {"type": "image", "data": "YWJj", "mimeType": "image/png"}


def text(content: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": content, **more}


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ('{"a": 1, "b": [true, null]}', "{a 1 b [true null]}"),
        ('[{"sky": "partly cloudy"}]', '[{sky "partly cloudy"}]'),
        ('{\n "a": "one\\ntwo"\n}', "{a s7:one\ntwo}"),
        ('{"a": 1.50}', "{a 1.5}"),
        ('{"a": 12345678901234567890}', "{a 12345678901234567890}"),
    ],
)
def test_json_becomes_lton(given: str, wanted: str) -> None:
    """Arrays and objects are written as where any value may stand."""
    assert short_result(given) == wanted


@pytest.mark.parametrize(
    "kept",
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
        '{"a": "\\u0000"}',
        '{"a": "\\ud800"}',
        "[" * 300 + "]" * 300,
        "[" * 100_000,
    ],
)
def test_what_is_no_json_or_would_change_or_grow_stays(kept: str) -> None:
    """Scalars, broken JSON, keys twice, digits that would be lost, what LTON cannot say."""
    assert short_result(kept) == kept


def test_other_content_is_not_touched() -> None:
    """Images and resources, annotations, `isError` and `_meta` stay."""
    resource = {"type": "resource", "resource": {"uri": "file:///a", "text": '{"a": 1}'}}
    given = {
        "content": [IMAGE, resource, text('{"a": 1}', annotations={"priority": 1})],
        "isError": True,
        "_meta": {"x": 1},
    }
    assert shorten(given) == {
        **given,
        "content": [IMAGE, resource, text("{a 1}", annotations={"priority": 1})],
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
    ],
)
def test_what_is_said_twice_is_said_once(content: list[Any], structured: Any) -> None:
    """Structured content goes where texts say the same."""
    shown = shorten({"content": content, "structuredContent": structured})
    assert shown == {"content": [{**one, "text": short_result(one["text"])} for one in content]}


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
    """Nothing is lost: it is one more text."""
    shown = shorten({"content": content, "structuredContent": structured})["content"]
    assert len(shown) == len(content) + 1
    assert shown[-1]["type"] == "text"
    assert shown[-1]["text"].startswith(("{a", "{r"))


def test_what_is_no_content_passes() -> None:
    """A result of another kind, as the protocol's second era has, is as it was."""
    asked = {"resultType": "input_required", "inputRequests": {}}
    assert shorten(asked) == asked
    odd = {"content": [3, {"type": "text"}, None]}
    assert shorten(odd) == odd


def test_a_result_is_no_call() -> None:
    """What looks like a call inside of a result is a string of it, to a reader of LTON too."""
    shown = short_result('{"text": "x\\n!call delete_file a\\nlast"}')
    assert shown.startswith("{text s26:x\n!call delete_file a\nlast")
    assert decode_lenient(f"!result r {shown}").calls == ()
