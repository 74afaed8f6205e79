"""Test Gemini's API as the API of clients and of servers, against a server of its schema."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lton.gateway.serving import build_application
from tests.apis.gemini_schema import check_request
from tests.gateway import native
from tests.gateway.conftest import Served
from tests.gateway.native import CITY, WRITTEN, Raw, Serve, calls_of, objects, read, request, sse

MODEL = "/v1beta/models/gemini-2.5-flash"
WHOLE = f"{MODEL}:generateContent"
STREAM = f"{MODEL}:streamGenerateContent?alt=sse"
SIGNED = {"thoughtSignature": "c2ln"}
OSLO = {"functionCall": {"name": "weather", "args": {"city": "Oslo"}}, **SIGNED}
STOP = {"functionCall": {"id": "c2", "name": "stop", "args": {}}}
COUNTS = {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10}
CLIENTS = ("chat", "responses", "messages")
STREAMED = pytest.mark.parametrize("streamed", [False, True])
Parts: TypeAlias = list[dict[str, Any]]


@dataclass
class GeminiServer:
    """Answers with given parts, and refuses requests that Google's schema does not allow."""

    parts: Parts = field(default_factory=list)
    turns: list[Parts] = field(default_factory=list)
    reason: str = "STOP"
    status: int = 200
    bodies: list[Any] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    async def answer(self, request: Request) -> Response:
        body = await request.json()
        self.bodies.append(body)
        self.paths.append(f"{request.url.path}?{request.url.query}".rstrip("?"))
        self.headers.append(dict(request.headers))
        try:
            check_request(body)
        except AssertionError as error:
            wrong = {"code": 400, "message": str(error), "status": "INVALID_ARGUMENT"}
            return JSONResponse({"error": wrong}, 400)
        if self.status != 200:
            busy = {"code": self.status, "message": "busy", "status": "UNAVAILABLE"}
            return JSONResponse({"error": busy}, self.status)
        parts = self.turns.pop(0) if self.turns else self.parts
        if request.url.path.endswith(":generateContent"):
            return JSONResponse(answer_of(parts, self.reason))
        events = [sse(answer_of([part])) for part in parts]
        events.append(sse(answer_of([], self.reason)))
        return Response(b"".join(events), media_type="text/event-stream")

    async def list_models(self, request: Request) -> Response:
        return JSONResponse({"path": request.url.path})

    @property
    def app(self) -> Starlette:
        routes = [
            Route("/v1beta/models/{model}:{method}", self.answer, methods=["POST"]),
            Route("/v1beta/models", self.list_models),
        ]
        return Starlette(routes=routes)


def answer_of(parts: Parts, reason: str | None = None) -> dict[str, Any]:
    """Return an answer, or an event of a stream, with these parts."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if reason:
        candidate["finishReason"] = reason
    head = {"modelVersion": "gemini-2.5-flash", "responseId": "r1"}
    return {"candidates": [candidate], "usageMetadata": COUNTS, **head}


def declared(name: str, schema: Any) -> dict[str, Any]:
    return {"name": name, "description": "d", "parametersJsonSchema": schema}


TOOLS = [
    {"functionDeclarations": [declared("weather", CITY), declared("stop", {"type": "object"})]}
]


def asking(*contents: Any, **more: Any) -> dict[str, Any]:
    """Return a request of a client of Gemini's API."""
    history = contents or ({"role": "user", "parts": [{"text": "Is it cold in Oslo?"}]},)
    return {"contents": [*history], "tools": TOOLS, **more}


def parts_in(reply: httpx2.Response, *, streamed: bool) -> tuple[Parts, str, Any]:
    """Return the parts of an answer, with joined text, its finish reason, and its usage."""
    assert reply.status_code == 200, reply.text
    answers = objects(reply.content) if streamed else [reply.json()]
    parts: Parts = []
    reason = ""
    for event in answers:
        (candidate,) = event["candidates"]
        reason = candidate.get("finishReason", reason)
        for part in candidate["content"]["parts"]:
            if parts and parts[-1].keys() == part.keys() == {"text"}:
                parts[-1] = {"text": parts[-1]["text"] + part["text"]}
            else:
                parts.append(part)
    return parts, reason, answers[-1].get("usageMetadata")


def path_of(*, streamed: bool) -> str:
    return STREAM if streamed else WHOLE


@pytest.fixture
def server() -> GeminiServer:
    return GeminiServer()


@pytest.fixture
def before(server: GeminiServer) -> Iterator[Callable[..., httpx2.Client]]:
    """Start gateways before the Gemini server."""
    with ExitStack() as stack:
        upstream = Served(server.app)
        stack.callback(upstream.close)

        def get(**more: Any) -> httpx2.Client:
            options = native.options(upstream.url, **{"upstream_api": "gemini", **more})
            served = Served(build_application(options))
            stack.callback(served.close)
            return stack.enter_context(httpx2.Client(base_url=served.url, timeout=20))

        yield get


Before: TypeAlias = Callable[..., httpx2.Client]

# --- clients of Gemini's API, before a server of it -----------------------------------------------


@STREAMED
def test_an_answer_of_the_same_api_passes_unchanged(
    before: Before, server: GeminiServer, streamed: bool
) -> None:
    """The request and the answer are the bytes of the client and of the server."""
    server.parts = [{"text": "Hm.", "thought": True}, {"text": "So:"}, OSLO, STOP]
    client = before()
    body = asking(safetySettings=[{"category": "HARM_CATEGORY_HARASSMENT"}])
    reply = client.post(path_of(streamed=streamed), json=body, headers={"x-goog-api-key": "k"})
    parts, reason, usage = parts_in(reply, streamed=streamed)
    assert (parts, reason, usage) == (server.parts, "STOP", COUNTS)
    assert server.bodies == [body]
    assert server.paths == [path_of(streamed=streamed)]
    assert server.headers[0]["x-goog-api-key"] == "k"


@STREAMED
def test_a_call_in_text_becomes_a_call(
    before: Before, server: GeminiServer, streamed: bool
) -> None:
    server.parts = [{"text": '{"name": "weather", "arguments": '}, {"text": '{"city": "Oslo"}}'}]
    reply = before().post(path_of(streamed=streamed), json=asking())
    (part,), reason, _ = parts_in(reply, streamed=streamed)
    call = part["functionCall"]
    assert (call["name"], call["args"], reason) == ("weather", {"city": "Oslo"}, "STOP")


@STREAMED
def test_a_wrong_call_is_corrected(before: Before, server: GeminiServer, streamed: bool) -> None:
    """A model whose call breaks its schema is asked again, and sees the call and the error."""
    server.turns = [[{"functionCall": {"name": "weather", "args": {"town": 5}}}], [OSLO]]
    client = before(retry=1, upstream_key="k")
    reply = client.post(path_of(streamed=streamed), json=asking())
    parts, _, usage = parts_in(reply, streamed=streamed)
    assert parts == [OSLO]
    assert usage["promptTokenCount"] == 14
    _, call, result = server.bodies[1]["contents"]
    assert call["parts"][0]["functionCall"]["args"] == {"town": 5}
    assert "E" in result["parts"][0]["functionResponse"]["response"]["error"]


@STREAMED
def test_a_call_that_misses_its_schema_a_little_is_mended(
    before: Before, server: GeminiServer, streamed: bool
) -> None:
    """The signature of the part stays."""
    server.parts = [{**OSLO, "functionCall": {"name": "weather", "args": {"city": 5}}}]
    client = before(retry=1)
    (part,), _, _ = parts_in(
        client.post(path_of(streamed=streamed), json=asking()), streamed=streamed
    )
    assert part == {**SIGNED, "functionCall": {"name": "weather", "args": {"city": "5"}}}


@STREAMED
def test_a_model_is_asked_whether_it_meant_a_call(
    before: Before, server: GeminiServer, streamed: bool
) -> None:
    """The second request does not stream, although the client's path says so."""
    text = 'I look.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    server.turns = [[{"text": text}], [OSLO]]
    client = before(retry=1)
    reply = client.post(path_of(streamed=streamed), json=asking())
    parts, _, usage = parts_in(reply, streamed=streamed)
    assert [part.get("text", "").strip() for part in parts] == ["I look.", ""]
    assert parts[1]["functionCall"]["args"] == {"city": "Oslo"}
    assert usage["promptTokenCount"] == 14
    assert [path.partition("?")[0] for path in server.paths][1] == WHOLE
    question = server.bodies[1]["contents"][-1]["parts"][-1]["text"]
    assert "If a tool should run now" in question


def test_other_paths_of_the_api_are_forwarded(before: Before) -> None:
    assert before().get("/v1beta/models").json() == {"path": "/v1beta/models"}


@STREAMED
def test_errors_are_in_the_form_of_the_api(
    before: Before, server: GeminiServer, streamed: bool
) -> None:
    client = before(api_key="k")
    refused = client.post(path_of(streamed=streamed), json=asking())
    assert refused.status_code == 401
    assert refused.json()["error"]["status"] == "UNAUTHENTICATED"
    server.status = 503
    reply = client.post(path_of(streamed=streamed), json=asking(), headers={"x-goog-api-key": "k"})
    assert (reply.status_code, reply.json()["error"]["status"]) == (503, "UNAVAILABLE")


# --- clients of other APIs, before a server of Gemini's -------------------------------------------


@pytest.mark.parametrize("client", CLIENTS)
def test_clients_of_other_apis_get_the_answer(
    before: Before, server: GeminiServer, client: str
) -> None:
    server.parts = [{"text": "So"}, {"text": ":"}, OSLO, STOP]
    gateway = before()
    key = {"x-api-key": "k"} if client == "messages" else {"authorization": "Bearer k"}
    streamed = native.post(gateway, client, request(client, stream=True), **key).content
    called = native.CALLED[client]
    assert read(client, streamed) == ("So:", [("weather", WRITTEN), ("stop", "{}")], called)
    server.parts = [OSLO]
    answer = native.post(gateway, client, request(client)).json()
    assert calls_of(client, answer) == [("weather", {"city": "Oslo"})]
    usage = answer["usage"]
    assert usage.get("prompt_tokens", usage.get("input_tokens")) == 7
    assert server.paths == [STREAM.replace("gemini-2.5-flash", "m")] * 2
    assert server.headers[0]["x-goog-api-key"] == "k"


@pytest.mark.parametrize("client", CLIENTS)
def test_a_request_becomes_one_of_geminis(
    before: Before, server: GeminiServer, client: str
) -> None:
    """The server gets the tools, the choice, the limits and the results in its own form."""
    server.parts = [{"text": "Cold."}]
    limit = "max_output_tokens" if client == "responses" else "max_tokens"
    choice = {"type": "any"} if client == "messages" else "required"
    body = conversation(client)
    more = {limit: 77, "temperature": 0.5, "top_p": 0.9, "tool_choice": choice}
    native.post(before(), client, {**body, **more, "model": "gemini-2.5-flash"})
    (gemini_request,) = server.bodies
    assert server.paths == [STREAM]
    assert gemini_request["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    config = gemini_request["generationConfig"]
    assert config == {"temperature": 0.5, "topP": 0.9, "maxOutputTokens": 77}
    assert gemini_request["toolConfig"] == {"functionCallingConfig": {"mode": "ANY"}}
    assert [
        declaration["name"] for declaration in gemini_request["tools"][0]["functionDeclarations"]
    ] == [
        "weather",
        "stop",
    ]
    question, call, result = gemini_request["contents"]
    assert question == {"role": "user", "parts": [{"text": "Is it cold?"}]}
    assert call["role"] == "model"
    assert [part["functionCall"]["name"] for part in call["parts"]] == ["weather", "stop"]
    results = [part["functionResponse"] for part in result["parts"]]
    assert [(result["name"], result["response"]) for result in results] == [
        ("weather", {"output": "-3"}),
        ("stop", {"output": "done"}),
    ]


def conversation(client: str) -> dict[str, Any]:
    """Return a request with a system prompt, two calls, and their results."""
    calls = [("a", "weather", {"city": "Oslo"}, "-3"), ("b", "stop", {}, "done")]
    user = {"role": "user", "content": "Is it cold?"}
    body = request(client)
    if client == "chat":
        tool_calls = [
            {
                "id": id_,
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for id_, name, arguments, _ in calls
        ]
        results = [
            {"role": "tool", "tool_call_id": id_, "content": result} for id_, _, _, result in calls
        ]
        turn = {"role": "assistant", "content": None, "tool_calls": tool_calls}
        return {
            **body,
            "messages": [{"role": "system", "content": "Be brief."}, user, turn, *results],
        }
    if client == "messages":
        uses = [
            {"type": "tool_use", "id": i, "name": n, "input": arguments}
            for i, n, arguments, _ in calls
        ]
        result_blocks = [
            {"type": "tool_result", "tool_use_id": i, "content": result}
            for i, _, _, result in calls
        ]
        turns = [{"role": "assistant", "content": uses}, {"role": "user", "content": result_blocks}]
        return {**body, "system": "Be brief.", "messages": [user, *turns]}
    items: list[Any] = [
        {"type": "function_call", "call_id": i, "name": n, "arguments": json.dumps(arguments)}
        for i, n, arguments, _ in calls
    ]
    items += [
        {"type": "function_call_output", "call_id": i, "output": result}
        for i, _, _, result in calls
    ]
    return {**body, "instructions": "Be brief.", "input": [user, *items]}


def test_an_image_is_sent_inline(before: Before, server: GeminiServer) -> None:
    server.parts = [{"text": "A cat."}]
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}}
    messages = [{"role": "user", "content": [{"type": "text", "text": "What?"}, image]}]
    native.post(before(), "chat", request("chat", messages=messages, model="gemini-2.5-flash"))
    (content,) = server.bodies[0]["contents"]
    inline = {"inlineData": {"mimeType": "image/png", "data": "iVBO"}}
    assert content["parts"] == [{"text": "What?"}, inline]


def test_a_json_answer_is_asked_for_by_its_schema(before: Before, server: GeminiServer) -> None:
    server.parts = [{"text": '{"city": "Oslo"}'}]
    form = {"type": "json_schema", "json_schema": {"name": "place", "schema": CITY}}
    body = {**request("chat", response_format=form, model="gemini-2.5-flash"), "tools": []}
    reply = native.post(before(), "chat", body)
    assert reply.json()["choices"][0]["message"]["content"] == '{"city": "Oslo"}'
    config = server.bodies[0]["generationConfig"]
    assert config == {"responseMimeType": "application/json", "responseJsonSchema": CITY}


REASONS = [("MAX_TOKENS", "length"), ("SAFETY", "content_filter"), ("STOP", "stop")]


@pytest.mark.parametrize(("reason", "expected"), REASONS)
def test_the_reason_of_the_end_is_translated(
    before: Before, server: GeminiServer, reason: str, expected: str
) -> None:
    server.parts = [{"text": "It"}]
    server.reason = reason
    answer = native.post(before(), "chat", request("chat", model="gemini-2.5-flash")).json()
    assert answer["choices"][0]["finish_reason"] == expected


def test_an_answer_that_ends_for_an_unknown_reason_has_failed(
    before: Before, server: GeminiServer
) -> None:
    server.parts = [{"text": "It"}]
    server.reason = "MALFORMED_FUNCTION_CALL"
    reply = native.post(before(), "chat", request("chat", model="gemini-2.5-flash"))
    assert (reply.status_code, reply.json()["error"]["code"]) == (502, "failed_answer")


# --- clients of Gemini's API, before servers of other APIs ----------------------------------------


@STREAMED
@pytest.mark.parametrize("api", CLIENTS)
def test_clients_of_gemini_get_the_answers_of_other_servers(
    serve: Serve, raw: Raw, api: str, streamed: bool
) -> None:
    raw.chunks = native.stream(api, "So:", [("weather", WRITTEN), ("stop", "{}")])
    gateway = serve(upstream_api=api)
    reply = gateway.post(path_of(streamed=streamed), json=asking())
    (text, first, second), reason, usage = parts_in(reply, streamed=streamed)
    assert text == {"text": "So:"}
    assert first["functionCall"]["args"] == {"city": "Oslo"}
    assert (second["functionCall"]["name"], reason) == ("stop", "STOP")
    assert usage == COUNTS


def test_a_request_of_gemini_becomes_one_of_the_server(serve: Serve, raw: Raw) -> None:
    """Results get the ids of their calls, by name and order, because this API needs none."""
    raw.chunks = native.stream("chat", "Cold.")
    call = {"role": "model", "parts": [OSLO, OSLO, STOP]}
    results = [
        {"functionResponse": {"name": "weather", "response": {"output": "-3"}}},
        {"functionResponse": {"name": "weather", "response": {"sky": "clear"}}},
        {"functionResponse": {"id": "c2", "name": "stop", "response": {"error": "no"}}},
    ]
    body = asking(
        {"role": "user", "parts": [{"text": "Is it cold?"}]},
        call,
        {"role": "user", "parts": results},
        systemInstruction={"parts": [{"text": "Be brief."}]},
        toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["stop"]}},
        generationConfig={"temperature": 0.5, "topK": 9, "maxOutputTokens": 77},
    )
    serve(upstream_api="chat").post(WHOLE, json=body)
    chat_request = json.loads(raw.bodies[-1])
    assert chat_request["model"] == "gemini-2.5-flash"
    system, user, turn, *tool_messages = chat_request["messages"]
    assert (system["content"], user["content"]) == ("Be brief.", "Is it cold?")
    ids = [call["id"] for call in turn["tool_calls"]]
    assert len({*ids}) == 3
    assert [result["tool_call_id"] for result in tool_messages] == ids
    assert [result["content"] for result in tool_messages] == ["-3", '{"sky":"clear"}', "error: no"]
    assert (chat_request["temperature"], chat_request["top_k"], chat_request["max_tokens"]) == (
        0.5,
        9,
        77,
    )
    allowed = chat_request["tool_choice"]["allowed_tools"]
    assert [tool["function"]["name"] for tool in allowed["tools"]] == ["stop"]
    names = [tool["function"]["name"] for tool in chat_request["tools"]]
    assert names == ["weather", "stop"]


PNG = {"mimeType": "image/png", "data": "AAAA"}
ADDRESS = "https://example.org/a.png"
DATA = "data:image/png;base64,AAAA"
PICTURES = [
    ({"inlineData": PNG}, DATA),
    ({"inline_data": {"mime_type": "image/png", "data": "AAAA"}}, DATA),
    ({"fileData": {"mimeType": "image/png", "fileUri": ADDRESS}}, ADDRESS),
    ({"file_data": {"mime_type": "image/png", "file_uri": ADDRESS}}, ADDRESS),
]


@pytest.mark.parametrize("api", CLIENTS)
@pytest.mark.parametrize(("part", "url"), PICTURES)
def test_a_picture_of_a_client_of_gemini_reaches_the_server(
    serve: Serve, raw: Raw, api: str, part: dict[str, Any], url: str
) -> None:
    """So does a picture in a result, which chat completions have only in the user's messages."""
    raw.chunks = native.stream(api, "A cat.")
    gateway = serve(upstream_api=api)
    question = {"role": "user", "parts": [{"text": "What is it?"}, part]}
    call = {"role": "model", "parts": [{"functionCall": {"name": "stop", "args": {}}}]}
    result = {"name": "stop", "response": {"output": "done"}, "parts": [part]}
    contents = [question, call, {"role": "user", "parts": [{"functionResponse": result}]}]
    for history, count in ((contents[:1], 1), (contents, 2)):
        assert gateway.post(WHOLE, json=asking(*history)).status_code == 200
        sent = raw.bodies[-1].decode()
        assert sent.count(url if api != "messages" or url == ADDRESS else '"AAAA"') == count


def test_types_in_capital_letters_become_json_schema(serve: Serve, raw: Raw) -> None:
    raw.chunks = native.stream("chat", "No.")
    schema = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}}
    tools = [{"functionDeclarations": [{"name": "weather", "parameters": schema}]}]
    serve(upstream_api="chat").post(WHOLE, json=asking(tools=tools))
    (tool,) = json.loads(raw.bodies[-1])["tools"]
    expected = {"type": "object", "properties": {"city": {"type": "string"}}}
    assert tool["function"]["parameters"] == expected


STORED = {
    "mimeType": "image/png",
    "fileUri": "https://generativelanguage.googleapis.com/v1beta/files/a",
}
VIDEO = {"mimeType": "video/mp4", "fileUri": "https://example.org/a.mp4"}
REFUSED = [
    ({"cachedContent": "cachedContents/1"}, "cachedContent"),
    ({"tools": [{"googleSearch": {}}]}, "tools"),
    ({"contents": "Hi"}, "contents"),
    ({"contents": [{"role": "user"}]}, "parts"),
    ({"contents": [{"parts": [{"fileData": STORED}]}]}, "cannot express"),
    ({"contents": [{"parts": [{"fileData": VIDEO}]}]}, "cannot express"),
]


@pytest.mark.parametrize(("more", "word"), REFUSED)
def test_what_cannot_be_translated_is_refused_by_name(
    serve: Serve, more: dict[str, Any], word: str
) -> None:
    reply = serve(upstream_api="chat").post(WHOLE, json=asking() | more)
    assert reply.status_code == 400
    assert re.search(word, reply.json()["error"]["message"])
    assert reply.json()["error"]["status"] == "INVALID_ARGUMENT"


def test_tokens_are_counted_for_a_server_that_cannot(serve: Serve) -> None:
    gateway = serve(upstream_api="chat")
    count = gateway.post(f"{MODEL}:countTokens", json=asking()).json()
    inner = gateway.post(f"{MODEL}:countTokens", json={"generateContentRequest": asking()}).json()
    assert count == inner
    assert count["totalTokens"] > 10


@STREAMED
def test_calls_in_lton_are_given_as_calls(serve: Serve, raw: Raw, streamed: bool) -> None:
    raw.chunks = native.stream("chat", "weather Oslo\n")
    gateway = serve(calls="lton", engine="plain")
    reply = gateway.post(path_of(streamed=streamed), json=asking())
    (part,), reason, _ = parts_in(reply, streamed=streamed)
    assert (part["functionCall"]["args"], reason) == ({"city": "Oslo"}, "STOP")


# --- conversations that are shortened -------------------------------------------------------------

STORY = "".join(f"line {at}: it is {at} degrees in Oslo\n" for at in range(60))


@STREAMED
def test_the_gateway_answers_its_own_calls(
    before: Before, server: GeminiServer, streamed: bool
) -> None:
    """The model recalls an omitted result, and the client sees only the answer."""
    contents: list[Any] = [{"role": "user", "parts": [{"text": "How warm is it?"}]}]
    for number in range(12):
        arguments = {"city": f"city {number}"}
        result = {"name": "weather", "response": {"output": f"{number}\n{STORY}"}}
        call = {"functionCall": {"name": "weather", "args": arguments}, **SIGNED}
        contents += [
            {"role": "model", "parts": [call]},
            {"role": "user", "parts": [{"functionResponse": result}]},
        ]
    recall = {"functionCall": {"name": "recall", "args": {"result": "t2"}}, **SIGNED}
    server.turns = [[{"text": "I look."}, recall], [{"text": "It is cold."}]]
    client = before(context="window=6000,reserve=500,hot=2,clear=always")
    choice = {"functionCallingConfig": {"mode": "AUTO"}}
    body = asking(*contents, toolConfig=choice, generationConfig={"maxOutputTokens": 400})
    reply = client.post(path_of(streamed=streamed), json=body)
    parts, reason, usage = parts_in(reply, streamed=streamed)
    text = "".join(part["text"] for part in parts)
    assert (text.split(), reason) == (["I", "look.", "It", "is", "cold."], "STOP")
    assert usage["promptTokenCount"] == 14
    first, second = server.bodies
    declared_names = [
        function["name"] for tool in first["tools"] for function in tool["functionDeclarations"]
    ]
    assert declared_names[:2] == ["weather", "stop"]
    assert "recall" in declared_names
    assert first["toolConfig"] == choice
    assert len(json.dumps(first)) < len(json.dumps(body)) / 2
    call, result = second["contents"][-2:]
    assert call["parts"][0] == {"text": "I look."}
    assert call["parts"][1]["functionCall"]["name"] == "recall"
    assert call["parts"][1]["thoughtSignature"] == SIGNED["thoughtSignature"]
    assert "degrees" in result["parts"][0]["functionResponse"]["response"]["output"]
    assert second["generationConfig"]["maxOutputTokens"] < 400
