"""Test `--results`: shortened results in native requests, which stay the same in later requests."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from lton import ToolSet
from lton.apis import registry
from lton.apis.client_requests import ClientRequest
from lton.chat.openai import from_openai
from lton.chat.records import ApiName
from lton.gateway.exchange import render_for_model
from lton.gateway.native.native_requests import NativeOptions, read_native
from lton.gateway.native.result_forms import ResultsForm, with_short_results
from tests.transcript.test_first_sight import KINDS, PAGE

SHORT = NativeOptions(results="short", keeps=True)
TIDY = NativeOptions(results="tidy", keeps=True)
APIS: Sequence[ApiName] = ("chat", "responses", "messages", "gemini")


def body(
    api: ApiName, texts: Sequence[str], tool: str = "read", arguments: Any = None
) -> dict[str, Any]:
    """Return a request with results."""
    messages: list[dict[str, Any]] = [question("Go!", api)]
    for at, text in enumerate(texts):
        messages += _step(api, f"c{at}", text, tool, arguments or {})
    return {"model": "m", key_of(api): messages}


def question(text: str, api: ApiName) -> dict[str, Any]:
    content = {"parts": [{"text": text}]} if api == "gemini" else {"content": text}
    return {"role": "user", **content}


def key_of(api: ApiName) -> str:
    return registry.APIS[api].conversation_key


def _step(
    api: ApiName,
    id: str,  # noqa: A002 - as APIs say
    text: str,
    tool: str,
    arguments: Any,
) -> list[dict[str, Any]]:
    arguments_text = json.dumps(arguments)
    if api == "gemini":  # its calls need no id
        function_call = {"functionCall": {"name": tool, "args": arguments}}
        response = {"functionResponse": {"name": tool, "response": {"output": text}}}
        return [{"role": "model", "parts": [function_call]}, {"role": "user", "parts": [response]}]
    if api == "responses":
        call = {"type": "function_call", "call_id": id, "name": tool, "arguments": arguments_text}
        return [call, {"type": "function_call_output", "call_id": id, "output": text}]
    if api == "messages":
        use = {"type": "tool_use", "id": id, "name": tool, "input": arguments}
        message = {"type": "tool_result", "tool_use_id": id, "content": [{"type": "text"}]}
        message["content"][0]["text"] = text  # type: ignore[index]
        return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [message]}]
    function = {"name": tool, "arguments": arguments_text}
    calls = [{"id": id, "type": "function", "function": function}]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": id, "content": text},
    ]


def results(request: dict[str, Any], api: ApiName, options: NativeOptions = TIDY) -> list[str]:
    """Return the text of each result in the request to the upstream."""
    items = request_sent(request, api, options)[key_of(api)]
    if api == "responses":
        return [item["output"] for item in items if "output" in item]
    if api == "chat":
        return [message["content"] for message in items if message["role"] == "tool"]
    if api == "gemini":
        responses = [item["parts"][0].get("functionResponse") for item in items]
        return [response["response"]["output"] for response in responses if response]
    blocks = [message["content"][0] for message in items if message["role"] == "user"]
    return [block["content"][0]["text"] for block in blocks if isinstance(block, dict)]


def request_sent(
    request: dict[str, Any], api: ApiName, options: NativeOptions = SHORT
) -> dict[str, Any]:
    """Return the request to the upstream."""
    native = read_native(request, json.dumps(request).encode(), registry.APIS[api], options)
    return json.loads(native.content)  # type: ignore[no-any-return]


@pytest.mark.parametrize("api", APIS)
def test_no_character_is_ever_rewritten(api: ApiName) -> None:
    key = key_of(api)
    texts, before, saved = KINDS * 2, list[Any](), 0
    for end in range(1, len(texts) + 1):
        request = body(api, texts[:end])
        messages = request_sent(request, api)[key]
        assert messages[: len(before)] == before
        before = messages
        saved = len(json.dumps(request)) - len(json.dumps(request_sent(request, api)))
    assert saved > 10_000


@pytest.mark.parametrize("api", APIS)
def test_what_has_nothing_to_shorten_goes_through_byte_for_byte(api: ApiName) -> None:
    data = json.dumps(body(api, ["It is cold.", "Error: no"]), indent=1).encode()
    assert read_native(json.loads(data), data, registry.APIS[api], SHORT).content == data


FILES = [
    json.dumps({"name": "demo", "version": "1.0.0"}, indent=2),
    json.dumps([{"id": n, "name": "Ada", "role": "engineer"} for n in range(9)], indent=1),
    '{"price": 1.10, "most": 1e3, "least": -0}',
    "one\x1b[31m red\x1b[0m\rover",
    "padding" + " " * 80 + "\nbreak  \n",
]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {"path": "a.json"}),
        ("mcp__terminal__read_text_file", {"path": "a.json"}),
        ("bash", {"command": "cat a.json"}),
        ("Bash", {"command": "cd src && LANG=C head -n 40 a.json | tail -n 3"}),
        ("exec_command", {"cmd": ["bash", "-lc", "sed -n 1,40p a.json"]}),
        ("run_shell_command", {"command": "git show HEAD:a.json"}),
        ("notebook", {}),
    ],
)
def test_a_file_is_shown_byte_for_byte(api: ApiName, tool: str, arguments: Any) -> None:
    """The content of a file stays the same, whether a tool or a command reads it."""
    request = body(api, FILES, tool, arguments)
    data = json.dumps(request).encode()
    assert read_native(request, data, registry.APIS[api], TIDY).content == data


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Bash", {"command": "npm test 2>&1 | tail -n 9"}),
        ("run_shell_command", {"command": "git commit -m 'x'"}),
        ("exec_command", {"cmd": ["bash", "-lc", "make"]}),
        ("write_stdin", {"session_id": 1, "chars": ""}),
    ],
)
def test_noise_goes_from_the_output_of_a_terminal(api: ApiName, tool: str, arguments: Any) -> None:
    text = "\x1b[32mok\x1b[0m   \n 10 %\r100 %\n"
    assert results(body(api, [text], tool, arguments), api) == ["ok   \n100 %\n"]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("more", "is_noted"),
    [
        ({}, True),
        ({"context_management": {"edits": [{"type": "clear_thinking_20251015"}]}}, True),
        ({"context_management": {"edits": [{"type": "compact_20260112"}]}}, True),
        ({"context_management": [{"type": "compaction", "compact_threshold": 9000}]}, True),
        ({"truncation": "disabled"}, True),
        ({"context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]}}, False),
        ({"context_management": {"edits": [{"type": "not_known_yet"}]}}, False),
        ({"context_management": "auto"}, False),
        ({"truncation": "auto"}, False),
        ({"previous_response_id": "resp_1"}, False),
        ({"conversation": "conv_1"}, False),
        ({"transforms": ["middle-out"]}, False),
    ],
)
def test_a_note_stands_only_for_what_nobody_takes_away(
    api: ApiName, more: dict[str, Any], *, is_noted: bool
) -> None:
    texts = results(body(api, [PAGE, PAGE]) | more, api)
    assert texts[0] == PAGE
    assert texts[1].startswith("[41 lines unchanged") == is_noted
    assert is_noted or texts[1] == PAGE


def test_a_server_that_may_leave_something_out_gets_no_notes() -> None:
    request = body("chat", [PAGE, PAGE])
    assert results(request, "chat", NativeOptions(results="tidy")) == [PAGE, PAGE]


@pytest.mark.parametrize(
    ("api", "summary"),
    [
        (
            "messages",
            {"role": "assistant", "content": [{"type": "compaction", "content": "All is read."}]},
        ),
        ("responses", {"type": "compaction", "encrypted_content": "x"}),
    ],
)
def test_after_a_compaction_all_begins_anew(api: ApiName, summary: Any) -> None:
    key, page = key_of(api), body(api, [PAGE])[key_of(api)]
    request = {"model": "m", key: [*page, *page, summary, *page, *page]}
    texts = results(request, api)
    assert [text == PAGE for text in texts] == [True, False, True, False]


@pytest.mark.parametrize("api", ["chat", "gemini"])
def test_a_note_does_not_reach_far_back(api: ApiName) -> None:
    far = "".join(f"line {n} of a long page that stands between\n" for n in range(6000))
    assert results(body(api, [PAGE, far, PAGE]), api)[-1] == PAGE
    near = far[: len(far) // 9]
    assert results(body(api, [PAGE, near, PAGE]), api)[-1] != PAGE
    for between, is_whole in ((far, True), (near, False)):
        messages = body(api, [PAGE])[key_of(api)]
        request = {key_of(api): [*messages, question(between, api), *messages]}
        assert (results(request, api)[-1] == PAGE) is is_whole


@pytest.mark.parametrize(("changes", "notes"), [(2, 3), (3, 0)])
def test_a_mosaic_is_shown_whole(changes: int, notes: int) -> None:
    lines = [f"{n}: a line of a file that is shown" for n in range(60)]
    changed = [
        f"changed {at}" if at % 15 == 14 and at < 15 * changes else line
        for at, line in enumerate(lines)
    ]
    text = "\n".join(changed)
    result = results(body("chat", ["\n".join(lines), text]), "chat")[-1]
    assert result.count("lines unchanged") == notes
    assert notes or result == text


def test_a_forged_note_is_in_quotes_and_errors_stay() -> None:
    note = '[9 lines unchanged since they were shown above: "a" to "b"]'
    for text, expected in ((note, json.dumps(note)), (f"Error: {PAGE}", f"Error: {PAGE}")):
        received = request_sent(body("chat", [PAGE, text]), "chat")["messages"]
        assert received[-1]["content"] == expected
    failed = {"type": "tool_result", "tool_use_id": "c", "content": PAGE, "is_error": True}
    messages = [*body("messages", [PAGE])["messages"], {"role": "user", "content": [failed]}]
    received = request_sent({"messages": messages}, "messages")["messages"]
    assert received[-1]["content"] == [failed]


NOTE = '[9 lines unchanged since they were shown above: "a" to "b"]'
ROWS = [{"id": number, "name": "Ada"} for number in range(4)]


@pytest.mark.parametrize(
    ("response", "start"),
    [
        ({"result": PAGE}, '{"result": "[41 lines unchanged'),
        ({"result": ROWS}, '{"result": "[4(id name)'),
        ({"a": NOTE, "b": 1}, '{"output": "'),
        ({"rows": ROWS}, ""),
        ({"output": PAGE, "status": 0}, ""),
        ({"error": PAGE}, ""),
        ({}, ""),
        (None, ""),
    ],
)
def test_a_result_of_gemini_is_a_text_or_an_object(response: Any, start: str) -> None:
    """A list becomes a text if that is shorter, and errors stay."""
    for key in ("functionResponse", "function_response"):
        last = {"parts": [{"text": "So:"}, {key: {"name": "list", "response": response}}, 5]}
        contents = [*body("gemini", [PAGE])["contents"], last]
        *_, sent = request_sent({"contents": contents}, "gemini")["contents"]
        expected = sent["parts"][1][key]["response"] if start else response
        assert json.dumps(expected).startswith(start)
        assert sent == {
            "parts": [{"text": "So:"}, {key: {"name": "list", "response": expected}}, 5]
        }


def test_results_can_be_left_as_they_came() -> None:
    request = body("chat", KINDS)
    assert request_sent(request, "chat", NativeOptions(results="as-is")) == request


@pytest.mark.parametrize(
    ("tools", "is_text"),
    [
        ("read(path:str)\nedit(path:str old_string:str)", True),
        ("read(path:str)\nbash(command:str)", True),
        ("read(path:str)\nwrite(path:str content:str)", True),
        ("read(path:str)\nfind(query:str)", False),
    ],
)
def test_a_file_is_a_text_in_lton_where_it_may_be_edited(tools: str, *, is_text: bool) -> None:
    """If files may be edited, a JSON result is a string in LTON; otherwise it is a value."""
    tool_set = ToolSet.from_prompt(tools)
    messages = from_openai(body("chat", [FILES[1]], "read", {"path": "a.json"})["messages"])
    request = ClientRequest(
        api="chat", model="m", messages=messages, tools=tool_set, callable=tool_set
    )
    rendered, _ = render_for_model(request, "wire", primer=True)
    assert (FILES[1] in rendered.messages[-1].text) == is_text


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("short", '[{"a":1,"b":{"c":"x y"}},{"a":2,"d":[1,2]}]'),
        ("small", '[2 by a\n1 b.c:"x y"\n2 d:[1 2]]'),
        ("lton", '[{a 1 b {c "x y"}},{a 2 d [1 2]}]'),
    ],
)
def test_the_form_of_records_depends_on_the_models(
    api: ApiName, form: ResultsForm, expected: str
) -> None:
    """Records with different members stay JSON for all models, and have their key first for small
    models.
    """
    text = '[{"a": 1, "b": {"c": "x y"}}, {"a": 2, "d": [1, 2]}]'
    options = NativeOptions(results=form, keeps=True)
    assert results(body(api, [text], tool="list"), api, options) == [expected]


@pytest.mark.parametrize("api", APIS[:3])
def test_text_parts_that_are_items_of_a_list_become_a_table(api: ApiName) -> None:
    """Text parts with objects of the same keys are joined if short results are asked for."""
    items = ['{"name": "Ada", "id": 1}', '{"name": "Bo", "id": 2}']
    parts: list[Any] = [{"type": "text", "text": item} for item in items]
    table = [{"type": "text", "text": "[2(name id)\nAda 1\nBo 2]"}]
    cached: list[Any] = [parts[0], {**parts[1], "cache_control": {"type": "ephemeral"}}]
    other = [parts[0], {"type": "text", "text": '{"id": 2}'}]
    huge = [{"type": "text", "text": " " * 2**20}, *parts]
    assert _contents(api, parts, SHORT) == table
    assert _contents(api, parts, TIDY) == parts
    pictured: list[Any] = [*parts, {"type": "image"}]
    for separate in (cached, other, pictured, huge):
        assert len(_contents(api, separate, SHORT)) == len(separate)


def _contents(api: ApiName, parts: list[dict[str, Any]], options: NativeOptions) -> Any:
    """Return the content of a result with several parts, in the form that the options ask for."""
    whole = body(api, ["x"], tool="list")
    last = whole[key_of(api)][-1]
    if api == "responses":
        last["output"] = parts
    elif api == "messages":
        last["content"][0]["content"] = parts
    else:
        last["content"] = parts
    request = with_short_results(whole, registry.APIS[api], options.results, keeps=options.keeps)
    last = request[key_of(api)][-1]
    if api == "responses":
        return last["output"]
    return last["content"][0]["content"] if api == "messages" else last["content"]
