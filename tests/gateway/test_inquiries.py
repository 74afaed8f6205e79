"""Test that a model is asked whether it meant a call that it wrote as text."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from lton import ToolSet
from lton.apis import registry
from lton.gateway.native import rescues
from lton.gateway.native.inquiries import Inquiry, try_make_inquiry
from lton.gateway.native.rescues import Allowed, read_calls
from lton.gateway.serving import build_application
from tests.gateway import native
from tests.gateway.conftest import Served
from tests.gateway.native import (
    APIS,
    CALLED,
    OSLO,
    PATHS,
    WRITTEN,
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
from tests.gateway.test_translated import PAIRS, text_of

PROSE = "I'll look at the forecast.\n"
ELEMENT = f"<tool_call>\n{OSLO}\n</tool_call>"
TEXT = PROSE + ELEMENT
HINT = "reply with only its call"
WEATHER = [("weather", WRITTEN)]
BETWEEN = pytest.mark.parametrize(
    ("client", "server"),
    [pytest.param(*pair, id="-".join(pair)) for pair in [*zip(APIS, APIS, strict=True), *PAIRS]],
)
STREAMED = pytest.mark.parametrize("streamed", [True, False])


def answer_in_turn(raw: Raw, api: str, *answers: tuple[str, list[tuple[str, str]]]) -> None:
    """Let the server give these answers, streamed if the request asks for it."""
    raw.turns = _Turns(raw, [stream(api, *answer) for answer in answers])
    raw.wholes = _Turns(raw, [whole(api, *answer) for answer in answers])


class _Turns(list[Any]):
    """The answers to each request, of which `pop` returns the one for the latest request."""

    def __init__(self, raw: Raw, answers: list[Any]) -> None:
        super().__init__(answers)
        self.raw = raw

    def pop(self, _: Any = 0) -> Any:
        return self[min(len(self.raw.bodies), len(self)) - 1]


def found_in(client: str, reply: httpx2.Response, *, streamed: bool) -> tuple[str, Any]:
    """Return the text and the calls of an answer."""
    assert reply.status_code == 200
    if streamed:
        text, calls, _ = read(client, reply.content)
        return text, [(name, json.loads(arguments)) for name, arguments in calls]
    answer = reply.json()
    has_calls = f'"{CALLED[client]}"' in reply.text or client == "responses"
    return text_of(client, answer), calls_in(client, answer) if has_calls else []


def usage_request(client: str, *, streamed: bool, **more: Any) -> dict[str, Any]:
    """Return a request whose answer has its usage."""
    usage = {"stream_options": {"include_usage": True}} if streamed and client == "chat" else {}
    return request(client, stream=streamed, **usage, **more)


def notes_of(reply: httpx2.Response, *, streamed: bool) -> list[Any]:
    members = members_of(objects(reply.content) if streamed else reply.json(), "lton")
    return [note for member in members for note in member["notes"]]


def output_tokens(client: str, reply: httpx2.Response, *, streamed: bool) -> int:
    usages = list(members_of(objects(reply.content) if streamed else reply.json(), "usage"))
    key = "completion_tokens" if client == "chat" else "output_tokens"
    return int(usages[-1][key])


def members_of(value: Any, name: str) -> Iterator[dict[str, Any]]:
    """Yield the members with a name, at any depth."""
    match value:
        case list():
            for member in value:
                yield from members_of(member, name)
        case dict():
            for key, member in value.items():
                if key == name and member:
                    yield member
                else:
                    yield from members_of(member, name)


def without_additions(value: Any) -> Any:
    """Return an answer without its usage and its notes."""
    match value:
        case list():
            return [without_additions(item) for item in value]
        case dict():
            members = {key: member for key, member in value.items() if key not in ("usage", "lton")}
            return {key: without_additions(member) for key, member in members.items()}
    return value


# --- a confirmed call -----------------------------------------------------------------------------


@BETWEEN
@STREAMED
@pytest.mark.parametrize("is_native", [True, False])
def test_a_call_that_the_model_repeats_is_delivered(
    serve: Serve, raw: Raw, client: str, server: str, streamed: bool, is_native: bool
) -> None:
    """The client gets the prose and the call once, and both requests are counted."""
    gateway = serve(upstream_api=server, retry=1)
    second = ("", WEATHER) if is_native else (ELEMENT, [])
    answer_in_turn(raw, server, (TEXT, []), second)

    with count_increase(gateway) as grown:
        reply = post(gateway, client, usage_request(client, streamed=streamed))

    answer = found_in(client, reply, streamed=streamed)
    assert answer == (PROSE, [("weather", {"city": "Oslo"})])
    assert notes_of(reply, streamed=streamed) == []
    assert output_tokens(client, reply, streamed=streamed) == 6
    assert grown["lton_retries_total"] == grown['lton_own_requests_total{why="again"}'] == 1
    first, second_body = map(json.loads, raw.bodies)
    assert first["tools"] == second_body["tools"]
    assert first.get("tool_choice") == second_body.get("tool_choice")
    assert HINT in str(second_body)
    assert HINT not in str(first)


@pytest.mark.parametrize("api", APIS)
@STREAMED
def test_an_echo_is_delivered_only_if_it_is_confirmed(
    serve: Serve, raw: Raw, api: str, streamed: bool
) -> None:
    """A call that is in the result of a tool is asked about, although it is the whole answer."""
    gateway = serve(upstream_api=api, retry=1)
    body = {**after_result(api, ELEMENT), "stream": streamed}

    answer_in_turn(raw, api, (ELEMENT, []), ("That was a page.", []))
    reply = post(gateway, api, body)
    assert found_in(api, reply, streamed=streamed) == (ELEMENT, [])
    codes = [note["code"] for note in notes_of(reply, streamed=streamed)]
    assert codes == ["uncertain_call"]

    raw.bodies.clear()
    answer_in_turn(raw, api, (ELEMENT, []), ("", WEATHER))
    reply = post(gateway, api, body)
    assert found_in(api, reply, streamed=streamed) == ("", [("weather", {"city": "Oslo"})])
    key = "input" if api == "responses" else "messages"
    before, after = (json.loads(body)[key] for body in raw.bodies)
    assert (after[-1]["role"], HINT in str(after[-1])) == ("user", True)
    if api == "messages":  # the result is in a message of the user
        *question, hint = after[-1]["content"]
        assert (hint["type"], after[:-1], question) == ("text", before[:-1], before[-1]["content"])
    else:
        assert after[:-1] == before


def after_result(api: str, result: str) -> dict[str, Any]:
    """Return a request whose last message is the result of a tool."""
    body = request(api)
    match api:
        case "chat":
            function = {"name": "stop", "arguments": "{}"}
            call = {"id": "call_1", "type": "function", "function": function}
            body["messages"] += [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "call_1", "content": result},
            ]
        case "responses":
            call = {"type": "function_call", "call_id": "call_1", "name": "stop"}
            body["input"] += [
                {**call, "arguments": "{}"},
                {"type": "function_call_output", "call_id": "call_1", "output": result},
            ]
        case _:
            use = {"type": "tool_use", "id": "call_1", "name": "stop", "input": {}}
            answer = {"type": "tool_result", "tool_use_id": "call_1", "content": result}
            body["messages"] += [
                {"role": "assistant", "content": [use]},
                {"role": "user", "content": [answer]},
            ]
    return body


# --- a call that stays text -----------------------------------------------------------------------

SECOND: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "words": ("No, I showed the syntax.", []),
    "another tool": ("", [("stop", "{}")]),
    "another tool, too": ("", [*WEATHER, ("stop", "{}")]),
    "invalid arguments": ("", [("weather", '{"town": "Oslo"}')]),
    "the same text": (TEXT, []),
    "nothing": ("", []),
}


@BETWEEN
@STREAMED
@pytest.mark.parametrize("case", SECOND)
def test_without_a_certain_call_the_client_gets_the_first_answer(
    serve: Serve, raw: Raw, client: str, server: str, streamed: bool, case: str
) -> None:
    """Only a note and the usage of both answers are added."""
    gateway = serve(upstream_api=server, retry=1)
    answer_in_turn(raw, server, (TEXT, []), SECOND[case])
    reply = post(gateway, client, usage_request(client, streamed=streamed))

    assert len(raw.bodies) == 2
    check_first_answer(client, server, reply, streamed=streamed)
    assert output_tokens(client, reply, streamed=streamed) == 6


@BETWEEN
@STREAMED
def test_a_failed_inquiry_leaves_the_first_answer(
    serve: Serve, raw: Raw, client: str, server: str, streamed: bool
) -> None:
    """An error of the server after the first answer is not the client's."""
    gateway = serve(upstream_api=server, retry=1)
    answer_in_turn(raw, server, (TEXT, []))
    raw.statuses = [200, 500]
    with count_increase(gateway) as grown:
        reply = post(gateway, client, request(client, stream=streamed))

    assert len(raw.bodies) == 2
    assert grown['lton_left_out_total{code="uncertain_call"}'] == 1
    check_first_answer(client, server, reply, streamed=streamed)


def check_first_answer(client: str, server: str, reply: httpx2.Response, *, streamed: bool) -> None:
    assert found_in(client, reply, streamed=streamed) == (TEXT, [])
    (note,) = notes_of(reply, streamed=streamed)
    assert note["code"] == "uncertain_call"
    assert (note["name"], note["arguments"]) == WEATHER[0]
    if client == server:
        answer = objects(reply.content) if streamed else reply.json()
        expected = (
            objects(b"".join(stream(server, TEXT))) if streamed else json.loads(whole(server, TEXT))
        )
        assert without_additions(answer) == without_additions(expected)


@pytest.mark.parametrize("api", APIS)
@STREAMED
@pytest.mark.parametrize("case", ["retry", "none", "rescue"])
def test_nothing_is_asked_without_a_reason(
    serve: Serve, raw: Raw, api: str, streamed: bool, case: str
) -> None:
    """Without retries, tools or rescue, the answer passes byte for byte."""
    retry, rescue = (0 if case == "retry" else 1), ("off" if case == "rescue" else "last")
    gateway = serve(upstream_api=api, retry=retry, rescue=rescue)
    none: Any = {"type": "none"} if api == "messages" else "none"
    choice: dict[str, Any] = {"tool_choice": none} if case == "none" else {}
    raw.chunks, raw.whole = stream(api, TEXT), whole(api, TEXT)
    reply = post(gateway, api, request(api, stream=streamed, **choice))
    assert reply.content == (b"".join(raw.chunks) if streamed else raw.whole)
    assert len(raw.bodies) == 1


@pytest.mark.parametrize("api", APIS)
@STREAMED
def test_an_inquiry_never_requires_a_call(serve: Serve, raw: Raw, api: str, streamed: bool) -> None:
    """The tool choice of the second request is the client's."""
    gateway = serve(upstream_api=api, retry=1)
    auto: Any = {"type": "auto"} if api == "messages" else "auto"
    for text in (TEXT, '{"name": "weather", "arguments": {"town": "Oslo"}}'):
        raw.bodies.clear()
        raw.chunks, raw.whole = stream(api, text), whole(api, text)
        reply = post(gateway, api, request(api, stream=streamed, tool_choice=auto))
        assert found_in(api, reply, streamed=streamed) == (text, [])
        assert [json.loads(body)["tool_choice"] for body in raw.bodies] == [auto, auto]


# --- known syntaxes -------------------------------------------------------------------------------


@BETWEEN
@STREAMED
def test_a_model_that_is_known_to_write_the_syntax_is_not_asked(
    serve: Serve, raw: Raw, client: str, server: str, streamed: bool
) -> None:
    """The model's name in the request says which syntaxes it writes."""
    gateway = serve(upstream_api=server, retry=1)
    raw.chunks, raw.whole = stream(server, TEXT), whole(server, TEXT)
    reply = post(gateway, client, request(client, stream=streamed, model="Qwen/Qwen3-8B"))
    answer = found_in(client, reply, streamed=streamed)
    assert answer == (PROSE, [("weather", {"city": "Oslo"})])
    assert len(raw.bodies) == 1


# --- where the hint is ----------------------------------------------------------------------------


@pytest.mark.parametrize("api", APIS)
def test_the_hint_ends_the_last_message_of_the_user(api: str) -> None:
    """Two messages of the user in a row would be refused by some templates."""
    key = "input" if api == "responses" else "messages"
    kind = "input_text" if api == "responses" else "text"
    inquiry = Inquiry("Really?", frozenset(["weather"]))
    system = {"role": "system", "content": "Be brief."}
    parts = [{"type": kind, "text": "Hi"}]
    contents = [
        ("Hi", "Hi\n\nReally?"),
        (parts, [*parts, {"type": kind, "text": "Really?"}]),
    ]
    for content, expected in contents:
        original = {
            "model": "m",
            "stream": True,
            key: [system, {"role": "user", "content": content}],
        }
        body = inquiry.write_request_body(original, registry.APIS[api])  # type: ignore[index] # a name of an API
        assert body == {"model": "m", key: [system, {"role": "user", "content": expected}]}


def test_the_hint_ends_an_input_that_is_a_string() -> None:
    """In the Responses API, the input may be a string."""
    inquiry = Inquiry("Really?", frozenset(["weather"]))
    assert inquiry.write_request_body({"input": "Hi"}, registry.APIS["responses"]) == {
        "input": "Hi\n\nReally?"
    }


# --- an unreadable call ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "named"),
    [("weather", {"weather"}), ("get_weather", {"weather"}), ("umbrella", set()), ("", set())],
)
def test_a_tool_with_a_similar_name_is_asked_about(name: str, named: set[str]) -> None:
    """Only the unknown name is compared, not the words in values."""
    tools = allowed_names("weather", "stop")
    text = json.dumps({"name": name, "arguments": {"place": "whether or not"}})
    question = try_make_inquiry(read_calls(text, tools), text, tools)
    assert (question.names if question else set()) == named


def allowed_names(*names: str) -> Allowed:
    tools = [{"name": name, "parameters": native.CITY} for name in names]
    return Allowed(tools=ToolSet.from_tools(tools), names=frozenset(names))


def test_few_short_names_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work for similar names has a limit, however many tools and words there are."""
    compared: list[list[str]] = []

    def record(_word: str, names: list[str], *_: Any) -> list[str]:
        compared.append(names)
        return []

    monkeypatch.setattr(rescues, "get_close_matches", record)
    short = [f"tool_{number}" for number in range(1_000)]
    many = allowed_names(*short, *(f"{name}_{'abcdefghij' * 8}" for name in short))
    words = {f"key_{number}_{'jihgfedcba' * 8}": "x" for number in range(100)}
    text = json.dumps({"name": "unknown_" + "badcfehgji" * 8, "arguments": words})
    reading = read_calls(text, many)
    assert reading.error is not None
    try_make_inquiry(reading, text, many)
    assert [len(names) for names in compared] == [200]
    assert max(map(len, compared[0])) <= 64


# --- records that look like calls -----------------------------------------------------------------

RECORDS = [
    json.loads(line)
    for line in Path(__file__).with_name("records_not_calls.jsonl").read_text("utf-8").splitlines()
]
STRING, NUMBER = {"type": "string"}, {"type": "integer"}
RECORD_TOOLS: dict[str, dict[str, Any]] = {
    "delete_file": {"path": STRING},
    "run": {"cmd": STRING, "timeout": NUMBER},
    "weather": {"city": STRING, "days": NUMBER},
}


def record_request(api: str, **more: Any) -> dict[str, Any]:
    tools = [
        tool(api, name, {"type": "object", "properties": properties, "required": [*properties][:1]})
        for name, properties in RECORD_TOOLS.items()
    ]
    return {**request(api), "tools": tools, **more}


class LlamaCpp:
    """A llama.cpp server whose model gives one answer and finds all choices equally likely."""

    def __init__(self, template: str = "{{ messages }} {{ tools }}") -> None:
        self.text, self.template = "Hi", template
        self.received: list[tuple[str, Any]] = []
        paths: dict[str, Callable[[Request], Any]] = {
            "/props": self.props,
            "/v1/models": self.models,
            "/tokenize": self.tokenize,
            "/apply-template": self.apply_template,
            "/completion": self.complete,
            PATHS["chat"]: self.answer,
        }
        routes = [Route(path, do, methods=["GET", "POST"]) for path, do in paths.items()]
        self.app = Starlette(routes=routes)

    async def read(self, received: Request) -> Any:
        body = await received.json()
        self.received.append((received.url.path, body))
        return body

    async def props(self, _: Request) -> Response:
        settings = {"n_ctx": 8192}
        return JSONResponse(
            {
                "chat_template": self.template,
                "default_generation_settings": settings,
                "total_slots": 1,
            }
        )

    async def models(self, _: Request) -> Response:
        return JSONResponse({"data": [{"id": "m", "owned_by": "llamacpp"}]})

    async def tokenize(self, request: Request) -> Response:
        content = (await self.read(request))["content"]
        parts = content if isinstance(content, list) else [content]
        tokens: list[int] = []
        for part in parts:
            tokens += [part] if isinstance(part, int) else part.encode()
        return JSONResponse({"tokens": tokens})

    async def apply_template(self, request: Request) -> Response:
        body = await self.read(request)
        turns = [f"<{message['role']}>{message.get('content')}" for message in body["messages"]]
        return JSONResponse({"prompt": "\n".join([*turns, json.dumps(body.get("tools"))])})

    async def complete(self, request: Request) -> Response:
        body = await self.read(request)
        if body.get("logit_bias"):
            token = body["logit_bias"][0][0]
            likely = {"id": token, "logprob": -1.0, "top_logprobs": []}
            completion = {"completion_probabilities": [likely], "content": "", "stop": True}
            return JSONResponse({**completion, "timings": {"prompt_n": 1}})
        text = 'x"'
        events = [
            {"content": char, "tokens_predicted": count, "stop": False, "tokens": [ord(char)]}
            for count, char in enumerate(text, 1)
        ]
        events.append({"content": "", "tokens_predicted": 2, "stop": True, "stop_type": "eos"})
        return StreamingResponse(map(sse, events), media_type="text/event-stream")

    async def answer(self, request: Request) -> Response:
        body = await self.read(request)
        if not body:
            return JSONResponse({"error": {"message": "'messages' is required"}}, 400)
        if body.get("stream"):
            return Response(b"".join(stream("chat", self.text)), media_type="text/event-stream")
        return Response(whole("chat", self.text), media_type="application/json")

    @property
    def questions(self) -> list[str]:
        """The paths of requests for text."""
        return [
            path for path, body in self.received if path in ("/completion", PATHS["chat"]) and body
        ]


@pytest.fixture(scope="module")
def llama() -> Iterator[tuple[LlamaCpp, httpx2.Client]]:
    yield from _serving(LlamaCpp())


@pytest.fixture(scope="module")
def qwen() -> Iterator[tuple[LlamaCpp, httpx2.Client]]:
    yield from _serving(LlamaCpp("{{ messages }} {{ tools }} '<tool_call>'"))


def _serving(server: LlamaCpp) -> Iterator[tuple[LlamaCpp, httpx2.Client]]:
    upstream = Served(server.app)
    how: dict[str, Any] = {"engine": "auto", "calls": "auto", "quiet": True, "retry": None}
    served = Served(build_application(native.options(upstream.url, **how)))
    with httpx2.Client(base_url=served.url, timeout=20) as client:
        post(client, "chat", request("chat"))
        server.received.clear()
        yield server, client
    served.close()
    upstream.close()


@pytest.mark.parametrize("api", ["chat", "messages"])
@STREAMED
def test_the_template_says_which_syntaxes_the_model_writes(
    qwen: tuple[LlamaCpp, httpx2.Client], api: str, streamed: bool
) -> None:
    """A call after prose in a syntax of the template is delivered without an inquiry."""
    server, client = qwen
    server.text = TEXT
    server.received.clear()
    reply = post(client, api, request(api, stream=streamed))
    answer = found_in(api, reply, streamed=streamed)
    assert answer == (PROSE, [("weather", {"city": "Oslo"})])
    assert server.questions == [PATHS["chat"]]


@STREAMED
def test_a_guided_inquiry_may_end_in_text(
    llama: tuple[LlamaCpp, httpx2.Client], streamed: bool
) -> None:
    """A model that finds the call as likely as text has not confirmed it."""
    server, client = llama
    server.text = TEXT
    server.received.clear()
    reply = post(client, "chat", request("chat", stream=streamed))
    check_first_answer("chat", "chat", reply, streamed=streamed)
    assert set(server.questions) == {PATHS["chat"], "/completion"}


@pytest.mark.parametrize("api", ["chat", "messages"])
@STREAMED
@pytest.mark.parametrize("record", RECORDS, ids=[record["name"] for record in RECORDS])
def test_a_record_of_a_llama_cpp_server_stays_text(
    llama: tuple[LlamaCpp, httpx2.Client], api: str, streamed: bool, record: dict[str, str]
) -> None:
    """With default options, records, templates and definitions are delivered as they are."""
    server, client = llama
    server.text = record["text"]
    reply = post(client, api, record_request(api, stream=streamed))
    assert found_in(api, reply, streamed=streamed) == (record["text"], [])


@BETWEEN
@STREAMED
def test_records_of_other_servers_stay_text(
    serve: Serve, raw: Raw, client: str, server: str, streamed: bool
) -> None:
    """With default options, a model that always gives the same answer makes no call."""
    gateway = serve(upstream_api=server, retry=None)
    for record in RECORDS:
        text = record["text"]
        raw.chunks, raw.whole = stream(server, text), whole(server, text)
        reply = post(gateway, client, record_request(client, stream=streamed))
        assert found_in(client, reply, streamed=streamed) == (text, []), record["name"]
        assert b'"required"' not in b"".join(
            json.dumps({**json.loads(body), "tools": []}).encode() for body in raw.bodies
        )
