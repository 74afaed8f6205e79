"""Test that calls whose arguments are not JSON are text and a note, and never calls."""

import json
from typing import Any

import pytest

from tests.gateway.native import (
    APIS,
    CALLED,
    ENDED,
    WRITTEN,
    Raw,
    Serve,
    calls_in,
    count_increase,
    objects,
    post,
    read,
    request,
    stream,
    whole,
)

BROKEN = ("weather", '{"city": }')
TEXT = 'weather {"city": }'
GOOD = ("weather", WRITTEN)
PAIRS = [(client, server) for client in APIS for server in APIS]
BOTH = pytest.mark.parametrize(("client", "server"), PAIRS)
STREAMED = pytest.mark.parametrize("streamed", [True, False])
TURNS = pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("", [BROKEN]),
        ("Look.", [BROKEN]),
        ("", [BROKEN, GOOD]),
        ("", [GOOD, BROKEN]),
        ("Look.", [GOOD, BROKEN, ("stop", "{}")]),
        ("", [BROKEN, ("stop", "{nothing")]),
    ],
)


def notes_in(api: str, data: Any) -> list[dict[str, Any]]:
    """Return the notes in an answer, or in the last events of a stream."""
    found: list[dict[str, Any]] = []
    for event in objects(data) if isinstance(data, bytes) else [data]:
        holders = [event, event.get("response"), event.get("delta"), *event.get("choices", ())]
        for holder in holders:
            if isinstance(holder, dict):
                found += holder.get("lton", {}).get("notes", ())
    return found


def text_in(api: str, answer: Any) -> str:
    match api:
        case "chat":
            return str(answer["choices"][0]["message"]["content"] or "")
        case "responses":
            items = [item for item in answer["output"] if item["type"] == "message"]
            return "\n".join(part["text"] for item in items for part in item["content"])
    return "\n".join(block["text"] for block in answer["content"] if block["type"] == "text")


def reason_of(api: str, answer: Any) -> str:
    match api:
        case "chat":
            return str(answer["choices"][0]["finish_reason"])
        case "responses":
            return str(answer["status"])
    return str(answer["stop_reason"])


def said_text(text: str, calls: Any) -> list[str]:
    """Return the lines that a client receives as text."""
    broken = [f"{name} {arguments}" for name, arguments in calls if not _is_json(arguments)]
    return [*filter(None, [text]), *broken]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def without_white_space(calls: Any) -> Any:
    return [(name, json.loads(arguments)) for name, arguments in calls if _is_json(arguments)]


def answered(
    gateway: Any, raw: Raw, client: str, server: str, text: str, calls: Any, *, streamed: bool
) -> tuple[list[str], list[Any], str, list[dict[str, Any]]]:
    """Return the lines of text, the calls, the reason and the notes that a client receives."""
    raw.chunks = stream(server, text, calls)
    raw.whole = whole(server, text, calls) if server != "messages" else b""
    reply = post(gateway, client, request(client, stream=streamed))
    assert reply.status_code == 200, reply.text
    if not streamed:
        answer = reply.json()
        has_calls = client != "chat" or "tool_calls" in answer["choices"][0]["message"]
        made = calls_in(client, answer) if has_calls else []
        lines = [line for line in text_in(client, answer).splitlines() if line]
        return lines, made, reason_of(client, answer), notes_in(client, answer)
    said, made, reason = read(client, reply.content)
    if client == "chat":
        assert said.count("\n") == max(0, len(said_text(text, calls)) - 1)
    pieces = [(name, json.loads(arguments)) for name, arguments in made]
    lines = said.splitlines() if client == "chat" else [said.replace("\n", "")]
    return lines, pieces, reason, notes_in(client, reply.content)


@BOTH
@STREAMED
@TURNS
def test_a_broken_call_is_text(
    serve: Serve, raw: Raw, client: str, server: str, streamed: bool, text: str, calls: Any
) -> None:
    """After the second answer, too, the client gets the text of the call, and a note."""
    if (client, server, streamed) == ("messages", "messages", False):
        return  # in such an answer, arguments are JSON
    gateway = serve(upstream_api=server, retry=1)

    lines, made, reason, notes = answered(
        gateway, raw, client, server, text, calls, streamed=streamed
    )

    assert "".join(lines) == "".join(said_text(text, calls))
    assert made == without_white_space(calls)
    assert reason == (CALLED if made else ENDED)[client]
    broken = [(name, arguments) for name, arguments in calls if not _is_json(arguments)]
    assert [(note["code"], note["reason"]) for note in notes] == [("cut_call", "stop")] * len(
        broken
    )
    assert [(note["name"], note["arguments"]) for note in notes] == broken


@BOTH
@TURNS
def test_a_broken_call_of_a_whole_answer_is_text_without_retries(
    serve: Serve, raw: Raw, client: str, server: str, text: str, calls: Any
) -> None:
    """With `retry=0`, a complete answer follows the same rule, and the call is counted."""
    if client == server == "messages":
        return  # in such an answer, arguments are JSON
    gateway = serve(upstream_api=server, retry=0)

    with count_increase(gateway) as grown:
        lines, made, reason, notes = answered(
            gateway, raw, client, server, text, calls, streamed=False
        )

    broken = [name for name, arguments in calls if not _is_json(arguments)]
    assert lines == said_text(text, calls)
    assert made == without_white_space(calls)
    assert reason == (CALLED if made else ENDED)[client]
    assert [note["name"] for note in notes] == broken
    assert grown['lton_checked_calls_total{fit="not_json"}'] == len(broken)
    assert grown['lton_left_out_total{code="cut_call"}'] == len(broken)


@pytest.mark.parametrize(("client", "server"), [pair for pair in PAIRS if pair[0] != pair[1]])
@TURNS
def test_the_text_of_a_broken_call_follows_in_a_translated_stream(
    serve: Serve, raw: Raw, client: str, server: str, text: str, calls: Any
) -> None:
    """With `retry=0`, clients of OpenAI's APIs have received the pieces of the call."""
    raw.chunks = stream(server, text, calls)
    reply = post(serve(upstream_api=server, retry=0), client, request(client, stream=True))

    events = objects(reply.content)
    broken = [call for call in calls if not _is_json(call[1])]
    assert [note["name"] for note in notes_in(client, reply.content)] == [
        name for name, _ in broken
    ]
    match client:
        case "responses":
            said = text_in(client, events[-1]["response"]).splitlines()
            made = calls_in(client, events[-1]["response"])
        case "messages":
            prose, pieces, _ = read(client, reply.content)
            said = [prose.replace("\n", "")]
            made = [(name, json.loads(json_)) for name, json_ in pieces]
        case _:
            prose, pieces, _ = read(client, reply.content)
            said = prose.splitlines()
            made = without_white_space(pieces)
            assert [call for call in pieces if not _is_json(call[1])] == broken
    assert "".join(said) == "".join(said_text(text, calls))
    assert made == without_white_space(calls)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(("retry", "more"), [(0, {}), (1, {"tools": []})])
def test_a_broken_call_that_was_sent_is_noted(
    serve: Serve, raw: Raw, api: str, retry: int, more: Any
) -> None:
    """A stream that is not held stays as it is, but for the note at its end."""
    raw.chunks = stream(api, "Look.", [GOOD, BROKEN])
    body = request(api, stream=True, **more)
    reply = post(serve(upstream_api=api, retry=retry), api, body)

    assert [note["code"] for note in notes_in(api, reply.content)] == ["cut_call"]
    unchanged = [chunk for chunk in raw.chunks if chunk in reply.content]
    assert len(unchanged) == len(raw.chunks) - 1


@pytest.mark.parametrize("api", ["chat", "responses"])
@STREAMED
@pytest.mark.parametrize("calls", [[("weather", '{"city": "Os')], [GOOD, ("weather", '{"ci')]])
def test_a_call_that_a_limit_cut_is_only_noted(
    serve: Serve, raw: Raw, api: str, streamed: bool, calls: Any
) -> None:
    """The reason says that the answer is not complete, so the call is no text."""
    raw.chunks = [_as_cut(chunk) for chunk in stream(api, "", calls)]
    raw.whole = _as_cut(whole(api, "", calls))
    reply = post(serve(upstream_api=api, retry=1), api, request(api, stream=streamed))

    (note,) = notes_in(api, reply.content if streamed else reply.json())
    assert (note["code"], note["reason"], note["arguments"]) == ("cut_call", "length", calls[-1][1])
    if streamed:
        said, pieces, reason = read(api, reply.content)
        made = [(name, json.loads(json_)) for name, json_ in pieces]
    else:
        answer = reply.json()
        said, reason = text_in(api, answer), reason_of(api, answer)
        has_calls = api != "chat" or "tool_calls" in answer["choices"][0]["message"]
        made = calls_in(api, answer) if has_calls else []
    assert (said, reason) == ("", {"chat": "length", "responses": "incomplete"}[api])
    assert made == without_white_space(calls)


def _as_cut(data: bytes) -> bytes:
    return (
        data.replace(b'"finish_reason": "tool_calls"', b'"finish_reason": "length"')
        .replace(b"response.completed", b"response.incomplete")
        .replace(b'"status": "completed", "output"', b'"status": "incomplete", "output"')
        .replace(b'"status": "completed",\n "output"', b'"status": "incomplete",\n "output"')
    )


@pytest.mark.parametrize("calls", [[BROKEN, GOOD], [GOOD, BROKEN]])
@pytest.mark.parametrize("form", ["index 0", "whole message", "one chunk"])
def test_broken_calls_are_dropped_however_they_are_cut_into_chunks(
    serve: Serve, raw: Raw, calls: Any, form: str
) -> None:
    """Servers write the calls of a stream in many ways."""
    pieces = [
        {"index": 0 if form == "index 0" else at, "id": f"c{at}", "type": "function",
         "function": {"name": name, "arguments": arguments}}
        for at, (name, arguments) in enumerate(calls)
    ]  # fmt: skip
    last: dict[str, Any] = {"delta": {}, "finish_reason": "tool_calls"}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "tool_calls": pieces}]
    choices: list[dict[str, Any]] = []
    match form:
        case "index 0":
            deltas = [{"role": "assistant"}, *({"tool_calls": [piece]} for piece in pieces)]
        case "whole message":
            deltas = []
            message = {"role": "assistant", "content": None, "tool_calls": pieces}
            last = {"message": message, "finish_reason": "tool_calls"}
    choices = [*({"delta": delta, "finish_reason": None} for delta in deltas), last]
    raw.chunks = [
        b"data: %s\n\n" % json.dumps({"choices": [{"index": 0, **choice}]}).encode()
        for choice in choices
    ]
    raw.chunks.append(b"data: [DONE]\n\n")

    reply = post(serve(upstream_api="chat", retry=1), "chat", request("chat", stream=True))

    received = [event["choices"][0] for event in objects(reply.content)]
    holders = [choice.get("message") or choice["delta"] for choice in received]
    made = [call for holder in holders for call in holder.get("tool_calls", ())]
    assert [(call["index"], call["function"]["arguments"]) for call in made] == [
        (made[0]["index"], WRITTEN)
    ]
    assert "".join(holder.get("content") or "" for holder in holders) == TEXT
    assert [note["code"] for note in notes_in("chat", reply.content)] == ["cut_call"]
    assert received[-1]["finish_reason"] == "tool_calls"


def test_choices_have_broken_calls_of_their_own(serve: Serve, raw: Raw) -> None:
    """The text and the note are in the choice of the call."""
    answers = [json.loads(whole("chat", "", [call])) for call in (GOOD, BROKEN)]
    choices = [{**answer["choices"][0], "index": at} for at, answer in enumerate(answers)]
    raw.whole = json.dumps({**answers[0], "choices": choices}).encode()

    reply = post(serve(upstream_api="chat", retry=0), "chat", request("chat", n=2))

    good, broken = reply.json()["choices"]
    assert good == choices[0]
    assert (broken["message"]["content"], broken["finish_reason"]) == (TEXT, "stop")
    assert "tool_calls" not in broken["message"]
    assert [note["code"] for note in broken["lton"]["notes"]] == ["cut_call"]


@pytest.mark.parametrize(
    ("api", "streamed"),
    [
        ("chat", True),
        ("chat", False),
        ("responses", True),
        ("responses", False),
        ("messages", True),
    ],
)
def test_only_the_first_call_is_text_if_only_one_is_allowed(
    serve: Serve, raw: Raw, api: str, streamed: bool
) -> None:
    """The other calls are dropped as always, and the notes name all of them."""
    calls = [BROKEN, GOOD]
    raw.chunks = stream(api, "", calls)
    raw.whole = b"" if api == "messages" else whole(api, "", calls)
    single: dict[str, Any] = {"parallel_tool_calls": False}
    if api == "messages":
        single = {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}
    body = request(api, stream=streamed, **single)

    reply = post(serve(upstream_api=api, retry=1), api, body)

    notes = notes_in(api, reply.content if streamed else reply.json())
    assert sorted(note["code"] for note in notes) == ["cut_call", "extra_call"]
    if streamed:
        said, made, reason = read(api, reply.content)
        assert (said, made, reason) == (TEXT, [], ENDED[api])
    else:
        assert (text_in(api, reply.json()), reason_of(api, reply.json())) == (TEXT, ENDED[api])


@pytest.mark.parametrize("api", ["chat", "responses"])
@STREAMED
def test_a_broken_call_that_is_not_allowed_is_only_an_extra_call(
    serve: Serve, raw: Raw, api: str, streamed: bool
) -> None:
    """If only one call is allowed, a broken call after it is dropped like any other."""
    calls = [GOOD, BROKEN]
    raw.chunks, raw.whole = stream(api, "", calls), whole(api, "", calls)
    body = request(api, stream=streamed, parallel_tool_calls=False)

    reply = post(serve(upstream_api=api, retry=1), api, body)

    notes = notes_in(api, reply.content if streamed else reply.json())
    assert [note["code"] for note in notes] == ["extra_call"]
    assert len(raw.bodies) == 1
    if streamed:
        assert read(api, reply.content) == ("", [GOOD], CALLED[api])
    else:
        assert calls_in(api, reply.json()) == without_white_space([GOOD])
