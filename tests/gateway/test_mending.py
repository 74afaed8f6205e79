"""Test that calls which a server has parsed are mended, and that requests are enforced."""

import json
from typing import Any

import pytest

from lton.gateway.serving import is_local
from tests.gateway.native import (
    APIS,
    Raw,
    Serve,
    calls_in,
    count_increase,
    objects,
    post,
    read,
    request,
    sse,
    stream,
    tool,
    whole,
)
from tests.gateway.test_inquiries import without_additions

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "on": {"type": "boolean"},
        "at": {"type": "object", "properties": {"lat": {"type": "number"}}},
    },
}
FITS = '{"city": "Oslo", "days": 7}'
DAMAGED: dict[str, tuple[str, str, Any, list[str]]] = {
    "integer": ("weather", '{"days":"7"}', {"days": 7}, ["L120"]),
    "array": ("weather", r'{"tags":"[\"a\"]"}', {"tags": ["a"]}, ["L120"]),
    "boolean": ("weather", '{"on":"true"}', {"on": True}, ["L120"]),
    "object": ("weather", r'{"at":"{\"lat\":1}"}', {"at": {"lat": 1}}, ["L120"]),
    "comma": ("weather", '{"city":"Oslo",}', {"city": "Oslo"}, ["L111"]),
    "fence": ("weather", '```json\n{"city":"Oslo"}\n```', {"city": "Oslo"}, ["L102"]),
    "twice": ("weather", r'"{\"city\":\"Oslo\"}"', {"city": "Oslo"}, ["L120"]),
    "Python": ("weather", "{'city':'Oslo'}", {"city": "Oslo"}, ["L114"]),
    "case": ("Weather", '{"city":"Oslo"}', {"city": "Oslo"}, ["L107"]),
    "prefix": ("functions.weather", '{"city":"Oslo"}', {"city": "Oslo"}, ["L104"]),
}


def usage_request(api: str, **more: Any) -> dict[str, Any]:
    tools = [tool(api, "weather", SCHEMA), tool(api, "stop", {"type": "object"})]
    return request(api, **{"tools": tools, **more})


def whole_of(api: str, calls: Any, text: str = "") -> bytes:
    """Return an answer with arguments as text. In the messages API, `input` may be a string."""
    if api != "messages":
        return whole(api, text, calls)
    answer = json.loads(whole(api, text, [(name, "{}") for name, _ in calls]))
    uses = [block for block in answer["content"] if block["type"] == "tool_use"]
    for use, (_, arguments) in zip(uses, calls, strict=True):
        try:
            use["input"] = json.loads(arguments)
        except ValueError:
            use["input"] = arguments
    return json.dumps(answer, indent=1).encode()


def notes_in(api: str, answer: Any) -> list[dict[str, Any]]:
    """Return the notes in an answer, or in the events of a stream."""
    if isinstance(answer, bytes):
        return [note for event in objects(answer) for note in notes_in(api, event)]
    holders = answer.get("choices", ()) if api == "chat" else [answer, answer.get("response", {})]
    return [note for holder in holders for note in holder.get("lton", {}).get("notes", ())]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("case", DAMAGED)
def test_a_call_that_does_not_fit_is_mended(
    serve: Serve, raw: Raw, api: str, streamed: bool, case: str
) -> None:
    """The client gets the mended call and a note, and the model is not asked again."""
    name, arguments, expected, codes = DAMAGED[case]
    raw.chunks, raw.whole = stream(api, "", [(name, arguments)]), whole_of(api, [(name, arguments)])
    gateway = serve(upstream_api=api, retry=1)

    with count_increase(gateway) as grown:
        reply = post(gateway, api, usage_request(api, stream=streamed))

    assert reply.status_code == 200
    if streamed:
        _, calls, _ = read(api, reply.content)
        assert [(one, json.loads(arguments)) for one, arguments in calls] == [("weather", expected)]
        (note,) = notes_in(api, reply.content)
    else:
        assert calls_in(api, reply.json()) == [("weather", expected)]
        (note,) = notes_in(api, reply.json())
    assert (note["code"], note["name"]) == ("mended_call", name)
    is_text = api == "messages" and not streamed  # arguments that are not JSON come as a string
    assert {*codes} <= {*note["repairs"]} <= {*codes, *["L120"] * is_text}
    assert len(raw.bodies) == 1
    assert grown["lton_mended_calls_total"] == 1
    assert grown['lton_checked_calls_total{fit="fits"}'] == 1
    assert all(grown[f'lton_repairs_total{{code="{code}"}}'] >= 1 for code in codes)
    assert "lton_retries_total" not in grown


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("text", ["", "Let me look."])
def test_a_call_that_fits_passes_byte_for_byte(serve: Serve, raw: Raw, api: str, text: str) -> None:
    """Also next to text, and if the gateway may mend."""
    calls = [("weather", FITS), ("stop", "{}")]
    raw.chunks, raw.whole = stream(api, text, calls), whole(api, text, calls)
    gateway = serve(upstream_api=api, retry=1)

    assert post(gateway, api, usage_request(api, stream=True)).content == b"".join(raw.chunks)
    assert post(gateway, api, usage_request(api)).content == raw.whole


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("text", ["", "Let me look."])
def test_only_the_damaged_one_of_several_calls_changes(
    serve: Serve, raw: Raw, api: str, text: str
) -> None:
    """The other calls, the text and their order stay as they are."""
    calls = [("weather", FITS), ("weather", '{"days":"7"}'), ("stop", "{}"), ("stop", '{"a":1}')]
    raw.chunks, raw.whole = stream(api, text, calls), whole(api, text, calls)
    gateway = serve(upstream_api=api, retry=1)

    prose, result, _ = read(api, post(gateway, api, usage_request(api, stream=True)).content)
    assert prose == text
    assert result == [calls[0], ("weather", '{"days":7}'), *calls[2:]]

    body = post(gateway, api, usage_request(api)).json()
    assert calls_in(api, body)[1] == ("weather", {"days": 7})


NOT_MENDED = {
    "unit": ("weather", '{"days":"7 days"}'),
    "other name": ("getWeather", FITS),
    "unknown": ("other", '{"days":"7"}'),
}


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("case", NOT_MENDED)
def test_what_cannot_be_mended_passes_unchanged(
    serve: Serve, raw: Raw, api: str, case: str
) -> None:
    """With no retry left, the client gets such a call byte for byte."""
    calls = [NOT_MENDED[case]]
    raw.chunks, raw.whole = stream(api, "Look.", calls), whole(api, "Look.", calls)
    gateway = serve(upstream_api=api, retry=1)

    assert post(gateway, api, usage_request(api, stream=True)).content == b"".join(raw.chunks)
    gateway = serve(upstream_api=api, retry=0)
    assert post(gateway, api, usage_request(api)).content == raw.whole


@pytest.mark.parametrize("api", APIS)
def test_without_retries_a_stream_is_not_held(serve: Serve, raw: Raw, api: str) -> None:
    """With `retry=0`, and so in front of hosted APIs, only whole answers are mended."""
    calls = [("weather", '{"days":"7"}')]
    raw.chunks, raw.whole = stream(api, "", calls), whole(api, "", calls)
    gateway = serve(upstream_api=api, retry=0)

    assert post(gateway, api, usage_request(api, stream=True)).content == b"".join(raw.chunks)
    assert calls_in(api, post(gateway, api, usage_request(api)).json()) == [
        ("weather", {"days": 7})
    ]


@pytest.mark.parametrize(
    ("upstream", "local"),
    [
        ("http://127.0.0.1:8080", True),
        ("http://gpu.example:8000/v1", True),
        ("https://api.openai.com/v1", False),
        ("https://models.example/v1", False),
        ("http://api.anthropic.com", False),
    ],
)
def test_streams_are_held_only_before_servers_that_are_not_hosted(
    upstream: str, local: bool
) -> None:
    """A stream of a hosted API is never held, whatever `retry` says."""
    assert is_local(upstream) is local


@pytest.mark.parametrize("client", APIS)
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("case", DAMAGED)
def test_a_call_of_a_server_of_another_api_is_mended(
    serve: Serve, raw: Raw, client: str, streamed: bool, case: str
) -> None:
    """Translated answers follow the same rules."""
    upstream = "messages" if client == "chat" else "chat"
    name, arguments, expected, codes = DAMAGED[case]
    raw.chunks = stream(upstream, "", [(name, arguments)])
    gateway = serve(upstream_api=upstream, retry=1)

    with count_increase(gateway) as grown:
        reply = post(gateway, client, usage_request(client, stream=streamed))

    assert reply.status_code == 200
    if streamed:
        _, calls, _ = read(client, reply.content)
        assert [(one, json.loads(arguments)) for one, arguments in calls] == [("weather", expected)]
        if client != "messages":
            (note,) = notes_in(client, reply.content)
            assert note["repairs"] == codes
    else:
        assert calls_in(client, reply.json()) == [("weather", expected)]
        (note,) = notes_in(client, reply.json())
        assert note["repairs"] == codes
    assert grown["lton_mended_calls_total"] == 1
    assert len(raw.bodies) == 1


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("case", DAMAGED)
def test_a_server_that_reads_calls_by_itself_is_mended(
    serve: Serve, raw: Raw, streamed: bool, case: str
) -> None:
    """With calls in LTON, a native call of the server is mended instead of refused."""
    name, arguments, expected, codes = DAMAGED[case]
    raw.chunks = stream("chat", "", [(name, arguments)])
    gateway = serve(upstream_api="chat", calls="lton")

    with count_increase(gateway) as grown:
        reply = post(gateway, "chat", usage_request("chat", stream=streamed))

    assert reply.status_code == 200
    answer = reply.content if streamed else reply.json()
    if streamed:
        assert [json.loads(arguments) for _, arguments in read("chat", reply.content)[1]] == [
            expected
        ]
    else:
        assert calls_in("chat", answer) == [("weather", expected)]
    (note,) = notes_in("chat", answer)
    assert note["repairs"] == codes
    assert grown["lton_mended_calls_total"] == 1


def chunk(delta: Any, why: str | None = None) -> bytes:
    return sse({"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": why}]})


def call_of(index: int | None, call_id: str, name: str, arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    position = {} if index is None else {"index": index}
    return {**position, "id": call_id, "type": "function", "function": function}


CHUNKS: dict[str, list[bytes]] = {
    "each in one chunk": [
        chunk({"role": "assistant", "tool_calls": [call_of(0, "a", "stop", "{}")]}),
        chunk({"tool_calls": [call_of(1, "b", "weather", '{"days":"7"}')]}),
        chunk({}, "tool_calls"),
    ],
    "all in one chunk": [
        chunk(
            {
                "role": "assistant",
                "tool_calls": [
                    call_of(0, "a", "stop", "{}"),
                    call_of(1, "b", "weather", '{"days":"7"}'),
                ],
            },
            "tool_calls",
        )
    ],
    "all with the index 0": [
        chunk(
            {
                "role": "assistant",
                "tool_calls": [
                    call_of(0, "a", "stop", "{}"),
                    call_of(0, "b", "weather", '{"days":"7"}'),
                ],
            }
        ),
        chunk({}, "tool_calls"),
    ],
    "an object": [
        chunk({"role": "assistant", "tool_calls": [call_of(0, "a", "stop", {})]}),
        chunk({"tool_calls": [call_of(1, "b", "weather", {"days": "7"})]}),
        chunk({}, "tool_calls"),
    ],
    "the last piece at the end": [
        chunk({"role": "assistant", "tool_calls": [call_of(0, "a", "stop", "{}")]}),
        chunk({"tool_calls": [call_of(1, "b", "weather", '{"days":')]}),
        chunk({"tool_calls": [{"index": 1, "function": {"arguments": '"7"}'}}]}, "tool_calls"),
    ],
    "interleaved": [
        chunk({"role": "assistant", "tool_calls": [call_of(0, "a", "stop", "{")]}),
        chunk({"tool_calls": [call_of(1, "b", "weather", '{"days":')]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": "}"}}]}),
        chunk({"tool_calls": [{"index": 1, "function": {"arguments": '"7"}'}}]}),
        chunk({}, "tool_calls"),
    ],
}


@pytest.mark.parametrize("case", CHUNKS)
def test_calls_are_mended_however_they_are_cut_into_chunks(
    serve: Serve, raw: Raw, case: str
) -> None:
    """Servers write the calls of a stream in many ways."""
    raw.chunks = [*CHUNKS[case], b"data: [DONE]\n\n"]
    gateway = serve(upstream_api="chat", retry=1)

    reply = post(gateway, "chat", usage_request("chat", stream=True))

    texts: dict[str, Any] = {}
    ids: dict[int, str] = {}
    for event in objects(reply.content):
        for call in event["choices"][0]["delta"].get("tool_calls", ()):
            key = ids[call["index"]] = call.get("id", ids.get(call["index"]))
            arguments = call["function"]["arguments"]
            joined = arguments if isinstance(arguments, dict) else texts.get(key, "") + arguments
            texts[key] = joined
    values = {key: json.loads(e) if isinstance(e, str) else e for key, e in texts.items()}
    assert values == {"a": {}, "b": {"days": 7}}
    assert [note["code"] for note in notes_in("chat", reply.content)] == ["mended_call"]


def test_a_complete_answer_to_a_streaming_request_is_mended(serve: Serve, raw: Raw) -> None:
    """Some servers send one event with the complete answer."""
    answer = json.loads(whole("chat", "", [("stop", "{}"), ("weather", '{"days":"7"}')]))
    raw.chunks = [sse(answer), b"data: [DONE]\n\n"]
    gateway = serve(upstream_api="chat", retry=1)

    (event,) = objects(post(gateway, "chat", usage_request("chat", stream=True)).content)

    assert calls_in("chat", event) == [("stop", {}), ("weather", {"days": 7})]


@pytest.mark.parametrize("api", ["messages", "responses"])
def test_whole_items_of_other_apis_are_mended(serve: Serve, raw: Raw, api: str) -> None:
    """A server may send the arguments only at the start, or only at the end, of a call."""
    events = stream(api, "", [("weather", '{"days":"7"}')])
    raw.chunks = [event for event in events if b"delta" not in event.split(b"\n")[0]]
    if api == "messages":
        whole_input = b'"input": {"days": "7"}'
        raw.chunks = [chunk.replace(b'"input": {}', whole_input) for chunk in raw.chunks]
        raw.chunks.insert(-1, events[-2])
    gateway = serve(upstream_api=api, retry=1)

    stream_events = objects(post(gateway, api, usage_request(api, stream=True)).content)

    if api == "messages":
        (block,) = [event["content_block"] for event in stream_events if "content_block" in event]
        assert block["input"] == {"days": 7}
    else:
        items = [event["item"] for event in stream_events if "item" in event] + stream_events[-1][
            "response"
        ]["output"]
        assert [item["arguments"] for item in items] == ["", '{"days":7}', '{"days":7}']


def test_choices_are_mended_on_their_own(serve: Serve, raw: Raw) -> None:
    """A note is in the choice whose call was mended."""
    answer = json.loads(whole("chat", "", [("weather", '{"days":"7"}')]))
    other = json.loads(whole("chat", "", [("weather", FITS)]))["choices"][0]
    answer["choices"].append({**other, "index": 1})
    raw.whole = json.dumps(answer).encode()

    first, second = post(serve(upstream_api="chat"), "chat", usage_request("chat", n=2)).json()[
        "choices"
    ]

    assert first["message"]["tool_calls"][0]["function"]["arguments"] == '{"days":7}'
    assert [note["code"] for note in first["lton"]["notes"]] == ["mended_call"]
    assert second == {**other, "index": 1}


def test_a_mended_call_may_equal_another_one(serve: Serve, raw: Raw) -> None:
    """Native calls have ids, so a call that equals another one after mending is delivered, too."""
    calls = [("weather", '{"days":7}'), ("weather", '{"days":"7"}')]
    raw.chunks, raw.whole = stream("chat", "", calls), whole("chat", "", calls)
    gateway = serve(upstream_api="chat", retry=1)

    reply = post(gateway, "chat", usage_request("chat", stream=True)).content
    assert read("chat", reply)[1] == [calls[0], calls[0]]
    assert [note["code"] for note in notes_in("chat", reply)] == ["mended_call"]
    body = post(gateway, "chat", usage_request("chat")).json()
    assert calls_in("chat", body) == [("weather", {"days": 7})] * 2
    assert [note["code"] for note in notes_in("chat", body)] == ["mended_call"]


# --- only one call --------------------------------------------------------------------------------

ONE: dict[str, dict[str, Any]] = {
    "chat": {"parallel_tool_calls": False},
    "responses": {"parallel_tool_calls": False},
    "messages": {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}},
}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("retry", [0, 1])
def test_only_the_first_call_is_kept_if_only_one_is_allowed(
    serve: Serve, raw: Raw, api: str, streamed: bool, retry: int
) -> None:
    """The other calls are in the notes, and the answer stays valid."""
    calls = [("weather", FITS), ("weather", '{"city":"Rome"}'), ("stop", "{}")]
    raw.chunks, raw.whole = stream(api, "Look.", calls), whole(api, "Look.", calls)
    gateway = serve(upstream_api=api, retry=retry)

    with count_increase(gateway) as grown:
        reply = post(gateway, api, usage_request(api, stream=streamed, **ONE[api]))

    if streamed:
        text, received, _ = read(api, reply.content)
        assert (text, received) == ("Look.", [calls[0]])
    else:
        assert calls_in(api, reply.json()) == [("weather", json.loads(FITS))]
    notes = notes_in(api, reply.content if streamed else reply.json())
    assert [(note["code"], note["name"]) for note in notes] == [
        ("extra_call", "weather"),
        ("extra_call", "stop"),
    ]
    assert json.loads(notes[0]["arguments"]) == {"city": "Rome"}
    assert grown["lton_calls_total"] == 1
    assert grown['lton_left_out_total{code="extra_call"}'] == 2


@pytest.mark.parametrize("case", ["each in one chunk", "all in one chunk", "interleaved"])
def test_only_the_first_call_is_kept_however_calls_are_cut(
    serve: Serve, raw: Raw, case: str
) -> None:
    """A chunk with several calls keeps its role and its finish reason."""
    raw.chunks = [*CHUNKS[case], b"data: [DONE]\n\n"]
    reply = post(
        serve(upstream_api="chat"), "chat", usage_request("chat", stream=True, **ONE["chat"])
    )

    assert read("chat", reply.content) == ("", [("stop", "{}")], "tool_calls")
    assert [note["code"] for note in notes_in("chat", reply.content)] == ["extra_call"]


@pytest.mark.parametrize("client", ["messages", "responses"])
@pytest.mark.parametrize("streamed", [True, False])
def test_only_the_first_call_of_another_api_is_kept(
    serve: Serve, raw: Raw, client: str, streamed: bool
) -> None:
    """Translated answers follow the same rule."""
    raw.chunks = stream("chat", "", [("weather", FITS), ("stop", "{}")])
    reply = post(
        serve(upstream_api="chat"), client, usage_request(client, stream=streamed, **ONE[client])
    )

    if streamed:
        assert [name for name, _ in read(client, reply.content)[1]] == ["weather"]
    else:
        assert [name for name, _ in calls_in(client, reply.json())] == ["weather"]
        assert [note["code"] for note in notes_in(client, reply.json())] == ["extra_call"]


def test_only_the_first_call_that_a_server_reads_by_itself_is_kept(serve: Serve, raw: Raw) -> None:
    """With calls in LTON, the server's own calls follow the same rule."""
    raw.chunks = stream("chat", "", [("weather", FITS), ("stop", "{}")])
    gateway = serve(upstream_api="chat", calls="lton")

    body = post(gateway, "chat", usage_request("chat", **ONE["chat"])).json()

    assert calls_in("chat", body) == [("weather", json.loads(FITS))]
    assert [note["code"] for note in notes_in("chat", body)] == ["extra_call"]


TWO_AS_TEXT = '[{"name":"weather","arguments":{"city":"Oslo"}},{"name":"stop","arguments":{}}]'


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("streamed", [True, False])
def test_only_the_first_call_in_text_is_kept(
    serve: Serve, raw: Raw, api: str, streamed: bool
) -> None:
    """Rescued calls follow the same rule, also between two APIs."""
    for upstream in {api, "chat"}:
        raw.chunks, raw.whole = stream(upstream, TWO_AS_TEXT), whole(upstream, TWO_AS_TEXT)
        gateway = serve(upstream_api=upstream)
        reply = post(gateway, api, usage_request(api, stream=streamed, **ONE[api]))
        if streamed:
            assert [name for name, _ in read(api, reply.content)[1]] == ["weather"]
        else:
            assert calls_in(api, reply.json()) == [("weather", {"city": "Oslo"})]
        answer = reply.content if streamed else reply.json()
        if upstream == api or not streamed:
            assert [note["code"] for note in notes_in(api, answer)] == ["extra_call"]


# --- a required call ------------------------------------------------------------------------------


def required(api: str, name: str = "") -> dict[str, Any]:
    if api == "messages":
        return {"tool_choice": {"type": "tool", "name": name} if name else {"type": "any"}}
    function = {"function": {"name": name}} if api == "chat" else {"name": name}
    return {"tool_choice": {"type": "function", **function} if name else "required"}


WORDS = "It is cold there."
LACKING = {
    "words for any tool": ("", WORDS, ()),
    "words for a named tool": ("weather", WORDS, ()),
    "another call than the named one": ("weather", "", [("stop", "{}")]),
    "words and another call": ("weather", WORDS, [("stop", "{}")]),
}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("case", LACKING)
def test_a_required_call_is_asked_for(
    serve: Serve, raw: Raw, api: str, streamed: bool, case: str
) -> None:
    """The model is asked again with its own words, and the client gets only the second answer."""
    name, text, calls = LACKING[case]
    answer = [("weather", FITS)]
    gateway = serve(upstream_api=api, retry=1)
    raw.turns = [stream(api, text, calls), stream(api, "", answer)]
    raw.wholes = [whole(api, text, calls), whole(api, "", answer)]

    with count_increase(gateway) as grown:
        reply = post(gateway, api, usage_request(api, stream=streamed, **required(api, name)))

    assert reply.status_code == 200
    if streamed:
        prose, received, _ = read(api, reply.content)
        assert (prose, received) == ("", answer)
    else:
        assert calls_in(api, reply.json()) == [("weather", json.loads(FITS))]
    assert notes_in(api, reply.content if streamed else reply.json()) == []
    first, second = map(json.loads, raw.bodies)
    key = "input" if api == "responses" else "messages"
    assert second[key][: len(first[key])] == first[key]
    assert len(second[key]) > len(first[key])
    assert second["tool_choice"] == first["tool_choice"]
    assert text in str(second)
    assert ("`weather`" if name else "a tool") in str(second)
    assert grown["lton_retries_total"] == 1


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("refuses", [False, True])
def test_the_first_answer_is_sent_if_the_second_lacks_the_call_too(
    serve: Serve, raw: Raw, api: str, streamed: bool, refuses: bool
) -> None:
    """The client gets the first answer with a note, and the second request is counted."""
    gateway = serve(upstream_api=api, retry=1)
    raw.turns = [stream(api, WORDS), stream(api, "No.")]
    raw.wholes = [whole(api, WORDS), whole(api, "No.")]
    raw.statuses = [200, 500] if refuses else []

    with count_increase(gateway) as grown:
        reply = post(gateway, api, usage_request(api, stream=streamed, **required(api)))

    assert reply.status_code == 200
    if streamed:
        assert read(api, reply.content)[0] == WORDS
        without = reply.content.split(b'"lton"')[0]
        expected = list(map(without_additions, objects(without[: without.rfind(b"data:")])))
        source = list(map(without_additions, objects(raw.sent[0])))
        assert expected == source[: len(expected)]
    answer = reply.content if streamed else reply.json()
    assert WORDS in str(answer) or streamed
    assert [note["code"] for note in notes_in(api, answer)] == ["missing_call"]
    assert len(raw.bodies) == 2
    if not refuses:
        assert grown["lton_retries_total"] == 1
        assert grown['lton_reported_tokens_total{kind="output"}'] == 6


@pytest.mark.parametrize("client", ["messages", "responses"])
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("learns", [True, False])
def test_a_required_call_of_another_api_is_asked_for(
    serve: Serve, raw: Raw, client: str, streamed: bool, learns: bool
) -> None:
    """Translated answers follow the same rules."""
    second = stream("chat", "", [("weather", FITS)]) if learns else stream("chat", "No.")
    raw.turns = [stream("chat", WORDS), second]
    gateway = serve(upstream_api="chat", retry=1)

    reply = post(
        gateway, client, usage_request(client, stream=streamed, **required(client, "weather"))
    )

    assert len(raw.bodies) == 2
    if streamed:
        text, calls, _ = read(client, reply.content)
        names = [name for name, _ in calls]
    else:
        text = WORDS if WORDS in reply.text else ""
        assert "No." not in reply.text
        names = ["weather"] if '"weather"' in str(calls_or_none(client, reply.json())) else []
    assert (text, names) == (("", ["weather"]) if learns else (WORDS, []))
    if not (learns or streamed):
        assert [note["code"] for note in notes_in(client, reply.json())] == ["missing_call"]


def calls_or_none(client: str, body: Any) -> str:
    return json.dumps(calls_in(client, body)).replace("'", '"')


@pytest.mark.parametrize("api", APIS)
def test_without_retries_a_missing_call_is_only_noted(serve: Serve, raw: Raw, api: str) -> None:
    """The answer is not held, and a stream stays byte for byte."""
    raw.chunks, raw.whole = stream(api, WORDS), whole(api, WORDS)
    gateway = serve(upstream_api=api, retry=0)

    assert post(gateway, api, usage_request(api, stream=True, **required(api))).content == b"".join(
        raw.chunks
    )
    body = post(gateway, api, usage_request(api, **required(api))).json()
    assert [note["code"] for note in notes_in(api, body)] == ["missing_call"]
    assert len(raw.bodies) == 2


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("reason", ["stop", "length"])
def test_an_answer_with_the_call_or_a_limit_is_not_asked_again(
    serve: Serve, raw: Raw, api: str, reason: str
) -> None:
    """Text before the required call passes, and so does an answer that a limit ended."""
    calls = [("weather", FITS)] if reason == "stop" else ()
    raw.chunks = stream(api, WORDS, calls, reason)
    raw.whole = whole(api, WORDS, calls, reason)
    gateway = serve(upstream_api=api, retry=1)

    for streamed in (True, False):
        reply = post(gateway, api, usage_request(api, stream=streamed, **required(api)))
        assert reply.content == (b"".join(raw.chunks) if streamed else raw.whole)
    assert len(raw.bodies) == 2


@pytest.mark.parametrize("api", APIS)
def test_a_rescued_call_is_a_required_call(serve: Serve, raw: Raw, api: str) -> None:
    """A call in text counts, and a name is compared after mending."""
    call_text = '{"name":"weather","arguments":{"city":"Oslo"}}'
    gateway = serve(upstream_api=api, retry=1)
    for text, calls in ((call_text, ()), ("", [("Weather", FITS)])):
        raw.chunks = stream(api, text, calls)
        reply = post(gateway, api, usage_request(api, stream=True, **required(api, "weather")))
        assert [name for name, _ in read(api, reply.content)[1]] == ["weather"]
    assert len(raw.bodies) == 2
