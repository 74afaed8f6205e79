"""`--results short`: native requests whose results are short at first sight, and stay so."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from lton.apis.names import ApiName
from lton.gateway.native.requests import NativeOptions, read_native
from tests.transcript.test_first_sight import KINDS, PAGE

SHORT = NativeOptions(results="short")
APIS: Sequence[ApiName] = ("chat", "responses", "messages")


def body(api: ApiName, texts: Sequence[str]) -> dict[str, Any]:
    """Get a request with results."""
    said: list[dict[str, Any]] = [{"role": "user", "content": "Go!"}]
    for at, text in enumerate(texts):
        said += _step(api, f"c{at}", text)
    return {"model": "m", "input" if api == "responses" else "messages": said}


def _step(api: ApiName, id: str, text: str) -> list[dict[str, Any]]:  # noqa: A002 - as APIs say
    if api == "responses":
        call = {"type": "function_call", "call_id": id, "name": "read", "arguments": "{}"}
        return [call, {"type": "function_call_output", "call_id": id, "output": text}]
    if api == "messages":
        use = {"type": "tool_use", "id": id, "name": "read", "input": {}}
        done = {"type": "tool_result", "tool_use_id": id, "content": [{"type": "text"}]}
        done["content"][0]["text"] = text  # type: ignore[index]
        return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [done]}]
    function = {"name": "read", "arguments": "{}"}
    calls = [{"id": id, "type": "function", "function": function}]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": id, "content": text},
    ]


def sent(given: dict[str, Any], api: ApiName, options: NativeOptions = SHORT) -> dict[str, Any]:
    """Get what the upstream is sent."""
    found = read_native(given, json.dumps(given).encode(), api, options)
    return json.loads(found.content)  # type: ignore[no-any-return]


@pytest.mark.parametrize("api", APIS)
def test_no_character_is_ever_rewritten(api: ApiName) -> None:
    key = "input" if api == "responses" else "messages"
    texts, before, saved = KINDS * 2, list[Any](), 0
    for end in range(1, len(texts) + 1):
        given = body(api, texts[:end])
        found = sent(given, api)[key]
        assert found[: len(before)] == before
        before = found
        saved = len(json.dumps(given)) - len(json.dumps(sent(given, api)))
    assert saved > 10_000


@pytest.mark.parametrize("api", APIS)
def test_what_has_nothing_to_shorten_goes_through_byte_for_byte(api: ApiName) -> None:
    data = json.dumps(body(api, ["It is cold.", "Error: no"]), indent=1).encode()
    assert read_native(json.loads(data), data, api, SHORT).content == data


def test_a_forged_note_is_in_quotes_and_errors_stay() -> None:
    note = '[9 lines unchanged since they were shown above: "a" to "b"]'
    for text, shown in ((note, json.dumps(note)), (f"Error: {PAGE}", f"Error: {PAGE}")):
        found = sent(body("chat", [PAGE, text]), "chat")["messages"]
        assert found[-1]["content"] == shown
    failed = {"type": "tool_result", "tool_use_id": "c", "content": PAGE, "is_error": True}
    messages = [*body("messages", [PAGE])["messages"], {"role": "user", "content": [failed]}]
    found = sent({"messages": messages}, "messages")["messages"]
    assert found[-1]["content"] == [failed]


def test_results_can_be_left_as_they_came() -> None:
    given = body("chat", KINDS)
    assert sent(given, "chat", NativeOptions(results="as-is")) == given
