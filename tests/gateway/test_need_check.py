"""Test that an unneeded call of a model that was measured on its server is not made."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from lton.gateway.native.need_check import find_first_tokens, first_token_body
from lton.gateway.serving import build_application
from lton.generate.need import FirstTokenLine, server_identity, store_line_of_model
from tests.gateway import native
from tests.gateway.conftest import Served
from tests.gateway.native import APIS, OSLO, PATHS, WRITTEN, request, stream, whole
from tests.gateway.test_inquiries import found_in, notes_of, output_tokens

LINE = FirstTokenLine(weights={"{": 1.0, "Thanks": -1.0}, constant=0.0, messages=2)
MODELS = {"data": [{"id": "m", "owned_by": "llamacpp", "meta": {"n_params": 7, "size": 9}}]}
WORDS = "It is cold there."
CALLED: Any = [("weather", {"city": "Oslo"})]
CLIENTS = pytest.mark.parametrize(
    ("api", "apis"),
    [*((api, APIS) for api in APIS), ("responses", ["chat"]), ("messages", ["chat", "responses"])],
)
"""The API of a client, and those of the server, which may lack it."""
STREAMED = pytest.mark.parametrize("streamed", [True, False])
NEEDED = {"{": -0.1, "Thanks": -3.0}
UNNEEDED = {"{": -3.0, "Thanks": -0.1}


class MeasuredServer:
    """A llama.cpp server whose model writes a call if it is shown tools, and words otherwise.

    `first` are the tokens with which the model may begin. `call` is the text and the native calls.
    """

    def __init__(self) -> None:
        self.first: Any = NEEDED
        self.call: tuple[str, Any] = (OSLO, [])
        self.words = WORDS
        self.first_status = self.words_status = 200
        self.apis = list(APIS)
        self.first_bodies: list[Any] = []
        self.words_bodies: list[Any] = []

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/models", lambda _: JSONResponse(MODELS)),
                Route("/props", lambda _: JSONResponse({"chat_template": "{{ tools }}"})),
                Route("/apply-template", self.lay_out, methods=["POST"]),
                *[Route(PATHS[api], self.answer, methods=["POST"]) for api in self.apis],
            ]
        )

    async def lay_out(self, request: Request) -> Response:
        return JSONResponse({"prompt": (await request.body()).decode()})

    async def answer(self, request: Request) -> Response:
        body = json.loads(await request.body() or b"{}")
        if not body:
            return JSONResponse({"error": {}}, 400)
        if body.get("logprobs"):
            self.first_bodies.append(body)
            return JSONResponse(self.first_tokens(), self.first_status)
        api = next(api for api, path in PATHS.items() if path == request.url.path)
        text, calls = self.call
        if not body.get("tools"):
            self.words_bodies.append(body)
            text, calls = self.words, []
            if self.words_status != 200:
                return JSONResponse({"error": {}}, self.words_status)
        if body.get("stream"):
            events = b"".join(stream(api, text, calls))
            return StreamingResponse(iter([events]), media_type="text/event-stream")
        return Response(whole(api, text, calls), media_type="application/json")

    def first_tokens(self) -> Any:
        listed = [{"token": token, "logprob": logprob} for token, logprob in self.first.items()]
        message = {"role": "assistant", "content": "{"}
        choice = {
            "index": 0,
            "message": message,
            "finish_reason": "length",
            "logprobs": {"content": [{"token": "{", "logprob": -1.0, "top_logprobs": listed}]},
        }
        usage = {"prompt_tokens": 7, "completion_tokens": 1, "total_tokens": 8}
        return {"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage}


@pytest.fixture
def server() -> MeasuredServer:
    return MeasuredServer()


@pytest.fixture
def start(
    server: MeasuredServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., httpx2.Client]]:
    """Return a function that starts a gateway with some options before the server."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    store_line_of_model(server_identity(MODELS), LINE)
    upstreams: list[Served] = []
    gateways: list[Served] = []
    clients: list[httpx2.Client] = []

    def begin(**more: Any) -> httpx2.Client:
        upstream = Served(server.app)
        upstreams.append(upstream)
        settings = {"calls": "auto", "engine": "auto", "quiet": True, **more}
        gateways.append(Served(build_application(native.options(upstream.url, **settings))))
        clients.append(httpx2.Client(base_url=gateways[-1].url, timeout=20))
        return clients[-1]

    yield begin
    for client in clients:
        client.close()
    for served in [*gateways, *upstreams]:
        served.close()


def ask(gateway: httpx2.Client, api: str, *, streamed: bool, **more: Any) -> httpx2.Response:
    usage = {"stream_options": {"include_usage": True}} if streamed and api == "chat" else {}
    body = request(api, stream=streamed, **usage, **more)
    return gateway.post(PATHS[api], json=body)


@CLIENTS
@STREAMED
@pytest.mark.parametrize("call", [(OSLO, []), ("", [("weather", WRITTEN)])])
@pytest.mark.parametrize("is_needed", [True, False])
def test_a_call_is_made_if_the_first_token_says_that_it_is_needed(
    start: Callable[..., httpx2.Client],
    server: MeasuredServer,
    api: str,
    apis: list[str],
    streamed: bool,
    call: tuple[str, Any],
    is_needed: bool,
) -> None:
    """Otherwise, the client gets an answer in words, with a note, and all tokens are counted."""
    server.apis = apis
    server.call = call
    server.first = NEEDED if is_needed else UNNEEDED
    reply = ask(start(), api, streamed=streamed)
    answer = found_in(api, reply, streamed=streamed)
    assert answer == (("", CALLED) if is_needed else (WORDS, []))
    notes = notes_of(reply, streamed=streamed)
    assert [note["code"] for note in notes] == ([] if is_needed else ["declined_call"])
    assert output_tokens(api, reply, streamed=streamed) == (4 if is_needed else 7)
    assert len(server.first_bodies) == 1
    assert server.first_bodies[0]["max_tokens"] == 1
    assert [tool["function"]["name"] for tool in server.first_bodies[0]["tools"]] == [
        "weather",
        "stop",
    ]
    assert len(server.words_bodies) == (0 if is_needed else 1)


@CLIENTS
@STREAMED
def test_words_cost_nothing(
    start: Callable[..., httpx2.Client],
    server: MeasuredServer,
    api: str,
    apis: list[str],
    streamed: bool,
) -> None:
    """An answer in words is passed on without another request."""
    server.apis = apis
    server.call = ("Hello there.", [])
    reply = ask(start(), api, streamed=streamed)
    assert found_in(api, reply, streamed=streamed) == ("Hello there.", [])
    assert server.first_bodies == []


RESULT = [
    {"role": "user", "content": "Is it cold in Oslo?"},
    {
        "role": "assistant",
        "tool_calls": [
            {
                "id": "1",
                "type": "function",
                "function": {"name": "weather", "arguments": WRITTEN},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "2 degrees"},
]


@pytest.mark.parametrize(
    ("options", "more"),
    [
        ({"calls": "native"}, {}),
        ({}, {"tool_choice": "required"}),
        ({}, {"messages": RESULT}),
        ({"least_confidence": 0.05}, {}),
    ],
)
def test_some_calls_are_made_anyway(
    start: Callable[..., httpx2.Client],
    server: MeasuredServer,
    options: Mapping[str, Any],
    more: Mapping[str, Any],
) -> None:
    """A call is made if it is required, after a result, with native calls, or if the user says."""
    server.first = UNNEEDED
    reply = ask(start(**options), "chat", streamed=False, **more)
    assert found_in("chat", reply, streamed=False) == ("", CALLED)
    assert len(server.first_bodies) == (1 if "least_confidence" in options else 0)


def test_a_model_that_was_not_measured_is_not_checked(
    start: Callable[..., httpx2.Client], server: MeasuredServer
) -> None:
    """Without evidence, an answer passes as it comes."""
    store_line_of_model(server_identity(MODELS), LINE)
    MODELS["data"][0]["meta"]["size"] = 10  # type: ignore[index]
    try:
        reply = ask(start(), "chat", streamed=False)
    finally:
        MODELS["data"][0]["meta"]["size"] = 9  # type: ignore[index]
    assert found_in("chat", reply, streamed=False) == ("", CALLED)
    assert server.first_bodies == []


@CLIENTS
@STREAMED
@pytest.mark.parametrize("fault", ["status", "tokens", "words", "silence"])
def test_a_call_is_made_if_the_server_does_not_help(
    start: Callable[..., httpx2.Client],
    server: MeasuredServer,
    api: str,
    apis: list[str],
    streamed: bool,
    fault: str,
) -> None:
    """A refusal, an answer without tokens, and no words leave the call as it was."""
    server.apis = apis
    server.first = {} if fault == "tokens" else UNNEEDED
    server.first_status = 500 if fault == "status" else 200
    server.words_status = 500 if fault == "words" else 200
    server.words = "" if fault == "silence" else WORDS
    reply = ask(start(), api, streamed=streamed)
    assert found_in(api, reply, streamed=streamed) == ("", CALLED)
    assert notes_of(reply, streamed=streamed) == []
    tokens = {"status": 3, "tokens": 4, "words": 4, "silence": 7}
    assert output_tokens(api, reply, streamed=streamed) == tokens[fault]


@CLIENTS
@STREAMED
def test_a_call_after_words_is_made(
    start: Callable[..., httpx2.Client],
    server: MeasuredServer,
    api: str,
    apis: list[str],
    streamed: bool,
) -> None:
    """A client that streams has already seen the words, so this call is not checked."""
    server.apis = apis
    server.call = ("Let me see.", [("weather", WRITTEN)])
    server.first = UNNEEDED
    reply = ask(start(), api, streamed=streamed)
    assert found_in(api, reply, streamed=streamed) == ("Let me see.", CALLED)
    assert server.first_bodies == []


def test_a_dangerous_tool_needs_larger_odds(
    start: Callable[..., httpx2.Client], server: MeasuredServer
) -> None:
    """The hints of MCP count, if a client passes them on."""
    server.first = {"{": -1.0, "Thanks": -2.0}  # a probability of 0.73
    tool = request("chat")["tools"][0]
    dangerous = {**tool["function"], "annotations": {"destructiveHint": True}}
    gateway = start()
    assert found_in("chat", ask(gateway, "chat", streamed=False), streamed=False)[1] == CALLED
    reply = ask(
        gateway, "chat", streamed=False, tools=[{"type": "function", "function": dangerous}]
    )
    assert found_in("chat", reply, streamed=False) == (WORDS, [])


def test_a_token_that_is_not_listed_counts_as_the_least_likely_one() -> None:
    """So a line decides whatever tokens a server lists."""
    assert LINE.coordinates_of_tokens({"{": -1.0, "a": -9.0}) == [-1.0, -9.0]
    assert LINE.probability_of_call({"{": -1.0, "Thanks": -1.0}) == 0.5


def test_the_request_for_a_token_keeps_the_prompt() -> None:
    """Only what concerns the length and the form of the answer is replaced. No token is random."""
    original = {"messages": [], "stream": True, "stream_options": {}, "max_completion_tokens": 9}
    body = first_token_body({**original, "tools": [1], "max_tokens": 99}, 20)
    remaining = {"messages": [], "tools": [1]}
    token = {"max_tokens": 1, "temperature": 0, "logprobs": True, "top_logprobs": 20}
    assert body == {**remaining, **token}


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"choices": []},
        {"choices": [{"logprobs": None}]},
        {"choices": [{"logprobs": {"content": []}}]},
        {"choices": [{"logprobs": {"content": [{"top_logprobs": [{"token": "a"}]}]}}]},
        {"choices": [{"logprobs": {"content": [{"top_logprobs": [7]}]}}]},
    ],
)
def test_an_answer_without_first_tokens_says_nothing(answer: Any) -> None:
    """Servers that do not report probabilities are no evidence."""
    assert find_first_tokens(answer) is None


@pytest.mark.parametrize(
    ("models", "identity"),
    [
        (MODELS, "server/7/9"),
        ({"data": [*MODELS["data"], *MODELS["data"]]}, ""),
        ({"data": [{"id": "m", "owned_by": "vllm"}]}, "vllm/m"),
        ({"data": [{"id": "m", "owned_by": "library"}]}, ""),
        ({}, ""),
    ],
)
def test_only_the_same_weights_have_the_same_identity(models: Any, identity: str) -> None:
    """A server with several models, or one that does not describe its model, has none."""
    assert server_identity(models) == identity
