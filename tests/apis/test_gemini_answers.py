"""Test the reader and the messages of Gemini's API, without HTTP."""

import json
from typing import Any

import pytest

from lton.apis.answers import MendedJson
from lton.apis.gemini.contents import try_read_messages, write_conversation
from lton.apis.gemini.description import GEMINI
from lton.apis.gemini.reader import GeminiReader
from lton.apis.gemini.requests import find_declarations
from lton.apis.sse import RawEvent, read_event, write_event
from lton.chat import ContentDelta, Finish, Message, ThoughtDelta, ToolCall
from lton.chat.deltas import (
    ArgumentsDelta,
    CallBoundary,
    OtherDelta,
    StreamEnd,
    ToolCallStart,
)
from lton.errors import ConversionError

CALL = {"functionCall": {"id": "c", "name": "wait", "args": {"minutes": 5}}}
STOP = {"functionCall": {"name": "stop"}}
TEXT = {"text": "Hi"}
NOTE = {"code": "extra_call", "message": "m"}


def candidate(*parts: Any, index: int = 0, **more: Any) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [*parts]}, "index": index, **more}


def answer(*candidates: Any, **more: Any) -> dict[str, Any]:
    return {"candidates": [*candidates], "modelVersion": "m", **more}


def raw(data: Any) -> RawEvent:
    return read_event(write_event(data))


def of_call(index: int, id_: str, name: str, arguments: str) -> list[Any]:
    return [ToolCallStart(index, id_, name), ArgumentsDelta(index, arguments), CallBoundary(index)]


READ: list[tuple[dict[str, Any], list[Any]]] = [
    (answer(candidate(TEXT)), [ContentDelta("Hi")]),
    (answer(candidate({"text": "Hm.", "thought": True})), [ThoughtDelta("Hm.")]),
    (answer(candidate({"text": "", "thoughtSignature": "s"})), [ThoughtDelta("")]),
    (answer(candidate({"executableCode": {"code": "1"}})), [OtherDelta("")]),
    (
        answer(candidate(CALL, STOP, finishReason="STOP")),
        [
            *of_call(0, "c", "wait", '{"minutes":5}'),
            *of_call(1, "", "stop", "{}"),
            Finish("stop"),
            StreamEnd(),
        ],
    ),
    (answer(candidate(finishReason="MAX_TOKENS")), [Finish("length"), StreamEnd()]),
    (answer(candidate(finishReason="SPII")), [Finish("content_filter"), StreamEnd()]),
    (answer(candidate(finishReason="OTHER")), [Finish("OTHER"), StreamEnd()]),
    ({"promptFeedback": {"blockReason": "SAFETY"}}, [Finish("content_filter"), StreamEnd()]),
    ({"error": {"code": 500, "message": "no"}}, [StreamEnd()]),
    ({"candidates": [5, {}], "usageMetadata": None}, []),
    ({"candidates": 5}, []),
]


@pytest.mark.parametrize(("data", "deltas"), READ)
def test_an_event_is_read(data: dict[str, Any], deltas: list[Any]) -> None:
    assert GeminiReader().read_deltas(raw(data)) == deltas


def test_an_answer_ends_when_all_its_choices_have_ended() -> None:
    reader = GeminiReader()
    first = raw(answer(candidate(TEXT, finishReason="STOP"), candidate(TEXT, index=1)))
    assert StreamEnd() not in reader.read_deltas(first)
    last = reader.read_deltas(raw(answer(candidate(index=1, finishReason="STOP"))))
    assert last == [Finish("stop", choice=1), StreamEnd()]
    assert reader.choices == {0, 1}


def test_an_event_is_split_into_its_parts_and_its_end() -> None:
    reader = GeminiReader()
    whole = raw(answer(candidate(TEXT, CALL, STOP, finishReason="STOP")))
    groups = reader.split_event(whole, reader.read_deltas(whole))
    parts = [part.data["candidates"][0] for part, _ in groups]
    assert [part["content"]["parts"] for part in parts] == [[TEXT], [CALL], [STOP], []]
    assert [part.get("finishReason") for part in parts] == [None, None, None, "STOP"]
    assert [len(deltas) for _, deltas in groups] == [1, 3, 3, 2]


def test_dropped_calls_leave_an_event() -> None:
    reader = GeminiReader()
    whole = raw(answer(candidate(CALL, STOP, finishReason="STOP")))
    reader.read_deltas(whole)
    less = reader.event_without_calls(whole, [(0, 1)], [NOTE])
    (candidate_left,) = less.data["candidates"]
    assert candidate_left["content"]["parts"] == [CALL]
    assert candidate_left["lton"] == {"notes": [NOTE]}
    assert reader.event_without_calls(whole, [(0, 7)], ()) is whole


def test_a_call_is_mended_in_its_part() -> None:
    reader = GeminiReader()
    whole = raw(answer(candidate({**CALL, "thoughtSignature": "s"}, STOP)))
    reader.read_deltas(whole)
    mended = {(0, 0): MendedJson(name="wait", arguments='{"minutes":6}')}
    (mended_candidate,) = reader.event_with_mended_calls(whole, mended).data["candidates"]
    call = {"id": "c", "name": "wait", "args": {"minutes": 6}}
    first = {"functionCall": call, "thoughtSignature": "s"}
    assert mended_candidate["content"]["parts"] == [first, STOP]


def test_notes_are_at_the_end_of_their_choice() -> None:
    reader = GeminiReader()
    event = raw(answer(candidate(TEXT)))
    assert reader.with_notes(event, {0: [NOTE]}) is event
    ended = raw(answer(candidate(TEXT, finishReason="STOP")))
    assert reader.with_notes(ended, {}) is ended
    (noted,) = reader.with_notes(ended, {0: [NOTE]}).data["candidates"]
    assert noted["lton"] == {"notes": [NOTE]}


def test_calls_replace_the_end_of_an_answer() -> None:
    reader = GeminiReader()
    end = raw(answer(candidate(TEXT, finishReason="STOP"), usageMetadata={"totalTokenCount": 3}))
    chunk, last = reader.write_end_with_calls([ToolCall("wait", '{"minutes": 5}', "c")], "So:", end)
    events = [json.loads(line[6:]) for line in chunk.raw.decode().split("\n") if line]
    parts = [part for event in events for part in event["candidates"][0]["content"]["parts"]]
    assert parts == [{"text": "So:"}, CALL]
    assert {event["modelVersion"] for event in events} == {"m"}
    (ended,) = last.data["candidates"]
    assert (ended["content"]["parts"], ended["finishReason"]) == ([], "STOP")
    assert last.data["usageMetadata"] == {"totalTokenCount": 3}


def test_a_whole_answer_is_changed_as_a_stream_is() -> None:
    reader = GeminiReader()
    body = answer(
        candidate({"text": "Hm.", "thought": True}, TEXT, CALL, STOP, finishReason="STOP"),
        candidate(TEXT, index=1, finishReason="STOP"),
        usageMetadata={"promptTokenCount": 7},
    )
    first, second = reader.read_whole_answer(body)
    assert (first.text, first.thought, len(first.calls), first.is_plain) == ("Hi", "Hm.", 2, True)
    assert (second.text, second.is_text) == ("Hi", True)
    assert reader.usage.read().prompt.total == 7
    less = reader.body_without_calls(body, [(0, 1)], [NOTE])["candidates"]
    assert less[0]["content"]["parts"][-1] == CALL
    assert less[1] == body["candidates"][1]
    mended = {(0, 0): MendedJson(name="wait", arguments="{}")}
    changed = reader.body_with_mended_calls(body, mended)["candidates"][0]["content"]["parts"]
    assert changed[2]["functionCall"]["args"] == {}
    noted = reader.body_with_notes(body, {1: [NOTE]})["candidates"]
    assert ["lton" in noted_answer for noted_answer in noted] == [False, True]
    called = reader.body_with_calls(body, [ToolCall("stop", "{}", "")], "So:")["candidates"]
    call = {"functionCall": {"name": "stop", "args": {}}}
    assert called[0]["content"]["parts"] == [{"text": "So:"}, call]
    (blocked,) = reader.read_whole_answer({"promptFeedback": {"blockReason": "OTHER"}})
    assert not blocked.is_plain


# --- messages -------------------------------------------------------------------------------------

PICTURE = {
    "name": "look",
    "response": {"output": "a cat"},
    "parts": [{"inlineData": {"mimeType": "image/png", "data": "AA=="}}],
}
CONTENTS: list[Any] = [
    {"role": "user", "parts": [{"text": "Hi"}]},
    {"role": "model", "parts": [{"text": "Hm.", "thought": True, "thoughtSignature": "s"}, CALL]},
    {
        "role": "user",
        "parts": [{"functionResponse": {"id": "c", "name": "wait", "response": {"a": 1}}}],
    },
    {"role": "model", "parts": [{"text": "Done."}, {"executableCode": {"code": "1"}}]},
    {"role": "user", "parts": [{"inlineData": {"mimeType": "audio/mp3", "data": "AA=="}}]},
    {"role": "model", "parts": [{"functionCall": {"name": "wait", "args": {}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "wait", "response": {"error": "x"}}}]},
    {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]},
    {"role": "user", "parts": [{"functionResponse": PICTURE}]},
]


def test_contents_are_written_back_unchanged() -> None:
    """Signatures, results that are objects, and pictures in results stay; ids that the gateway gave
    do not.
    """
    system = {"systemInstruction": {"parts": [{"text": "Be brief."}]}}
    messages = try_read_messages({**system, "contents": CONTENTS})
    assert messages is not None
    assert write_conversation(messages) == {**system, "contents": CONTENTS}


MEDIA = [
    ("image/png", {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}),
    ("application/pdf", {"type": "file"}),
    ("video/mp4", {"inlineData": {"mimeType": "video/mp4", "data": "AA=="}}),
]


@pytest.mark.parametrize(("kind", "expected"), MEDIA)
def test_inline_data_is_read_as_media(kind: str, expected: dict[str, Any]) -> None:
    part = {"inlineData": {"mimeType": kind, "data": "AA=="}}
    messages = try_read_messages({"contents": [{"parts": [part]}]})
    assert messages is not None
    (message,) = messages
    (media,) = message.content
    assert expected.items() <= media.value.items()  # type: ignore[union-attr] # not a text
    (content,) = write_conversation([message])["contents"]
    assert content["parts"] == [part]


def test_texts_in_snake_case_are_read_too() -> None:
    body = {"system_instruction": {"parts": [{"text": "s"}]}, "contents": [{"parts": []}]}
    messages = try_read_messages(body)
    assert messages is not None
    first, _ = messages
    assert (first.role, first.text) == ("system", "s")


@pytest.mark.parametrize("part", [{"functionCall": {}}, {"functionResponse": 5}])
def test_a_call_without_a_name_is_an_error(part: Any) -> None:
    with pytest.raises(ConversionError, match="the name of a function"):
        list(try_read_messages({"contents": [{"parts": [part]}]}) or ())


def test_a_schema_that_is_nested_too_deep_is_an_error() -> None:
    schema: Any = {"type": "OBJECT"}
    for _ in range(120):
        schema = {"items": schema}
    tool = {"functionDeclarations": [{"name": "f", "parameters": schema}]}
    with pytest.raises(ConversionError, match="at most 100 levels"):
        find_declarations(tool)
    assert list(GEMINI.iterate_functions_in([tool])) == []


# --- the object of the API ------------------------------------------------------------------------


def test_the_path_of_a_request_names_the_model() -> None:
    """No name of a model leads to another path."""
    expected = "/v1beta/models/a%2F..%2Fb%3Fx:streamGenerateContent?alt=sse"
    assert GEMINI.request_path("models/a/../b?x") == expected


def test_the_fields_of_a_request_are_read_and_changed() -> None:
    body: dict[str, Any] = {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "generationConfig": {
            "thinkingConfig": {"thinkingLevel": "HIGH"},
            "responseMimeType": "application/json",
            "maxOutputTokens": 5,
        },
    }
    assert GEMINI.find_effort(body) == "high"
    assert not GEMINI.is_for_text(body)
    form = GEMINI.find_answer_format(body)
    assert form is not None
    assert form["schema"] == {"type": "object", "additionalProperties": True}
    plain = GEMINI.without_answer_format(body)
    assert GEMINI.is_for_text(plain)
    assert GEMINI.with_token_limit(plain, 9)["generationConfig"]["maxOutputTokens"] == 9
    question = GEMINI.try_append_text(body, "Really?")
    assert question is not None
    assert question["contents"][-1]["parts"] == [{"text": "Hi"}, {"text": "Really?"}]
    longer = GEMINI.with_appended_messages(body, [Message.saying("assistant", "No.")])
    assert longer["contents"][-1] == {"role": "model", "parts": [{"text": "No."}]}
    assert GEMINI.try_append_text(longer, "Really?") is None
    assert list(GEMINI.iterate_seen_texts(longer)) == ["Hi"]
    none = GEMINI.with_tool_choice(body, "none", None)
    assert GEMINI.tool_choice_in(none) == "none"
