"""Test how the gateway chooses the form of calls: its probes, its decision, and its reports."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lton._terminal import UsageError
from lton.gateway.command import make_file_private, run
from lton.gateway.serving import build_application
from lton.gateway.upstreams.probing import (
    ProbeReply,
    ProbeRequest,
    ProbeResult,
    find_hosted_api,
    probe_server,
)
from tests.gateway import native
from tests.gateway.conftest import Served, chat
from tests.gateway.native import PATHS

URL = "http://127.0.0.1:1"


def settled(
    answers: Mapping[str, Any], url: str = URL, **options: Any
) -> tuple[ProbeResult, list[ProbeRequest]]:
    """Return the detected server for given answers of its paths, and the requests that it
    received.
    """
    asking = probe_server(url, **options)
    requests: list[ProbeRequest] = []
    reply: Any = None
    while True:
        try:
            question = asking.send(reply)
        except StopIteration as end:
            return end.value, requests
        requests.append(question)
        answer = answers.get(question.path, 404)
        answer = answer(question.body) if callable(answer) else answer
        reply = ProbeReply(answer, {}) if isinstance(answer, int) else ProbeReply(200, answer)


def llama(prompt: Any) -> dict[str, Any]:
    return {
        "/v1/chat/completions": 400,
        "/props": {"chat_template": "{{ messages }}"},
        "/apply-template": prompt,
    }


def counting(more: int) -> Any:
    """Return a server's answers, whose prompts with tools are longer by the given number of
    tokens.
    """

    def answer(body: Any) -> Any:
        if not body:
            return 400
        return {"usage": {"prompt_tokens": 9 + more * ("tools" in body)}}

    return answer


def listed(owner: Any) -> dict[str, Any]:
    return {"data": [{"id": "m", "owned_by": owner}]}


SERVERS: list[tuple[Any, str, str]] = [
    (llama(lambda body: {"prompt": json.dumps(body)}), "native", "template shows tools"),
    (llama({"prompt": "Hi"}), "guided", "template shows no tools"),
    (llama(400), "native", "answered with 400"),
    (llama(lambda body: 400 if "tools" in body else {"prompt": "Hi"}), "guided", "with 400"),
    (llama(503), "native", "answered with 503"),
    ({"/v1/chat/completions": counting(30)}, "native", "template shows tools"),
    ({"/v1/chat/completions": counting(0)}, "lton", "template shows no tools"),
    ({"/v1/chat/completions": lambda body: 400}, "native", "answered with 400"),
    ({"/v1/chat/completions": 401, "/props": 401}, "native", "answered with 401"),
    ({"/v1/chat/completions": 403}, "native", "answered with 403"),
    ({"/v1/chat/completions": 429}, "native", "answered with 429"),
    ({"/v1/chat/completions": 500}, "native", "answered with 500"),
    ({"/v1/chat/completions": lambda body: {"usage": 5}}, "native", "does not report the length"),
    (
        {"/v1/chat/completions": lambda body: {"usage": {"prompt_tokens": 0}}},
        "native",
        "not report",
    ),
    ({"/v1/messages": 400}, "native", "has messages and no chat"),
]


UNSETTLED = ("answered with 4", "answered with 5", "not report")


@pytest.mark.parametrize(("answers", "mode", "why"), SERVERS)
def test_what_a_server_is_says_how_calls_are_written(answers: Any, mode: str, why: str) -> None:
    it, _ = settled(answers)

    assert it.mode == mode
    assert why in it.why
    is_shown = mode != "native" or not any(reason in it.why for reason in UNSETTLED)
    assert it.is_settled == is_shown


@pytest.mark.parametrize(
    ("answers", "engine", "mode"),
    [
        ({"/v1/chat/completions": counting(0)}, "llama.cpp", "native"),
        ({"/v1/chat/completions": counting(0)}, "openai", "native"),
        ({"/v1/chat/completions": counting(0), "/v1/responses": 400}, "openai", "lton"),
        (llama({"prompt": "Hi"}), "llama.cpp", "guided"),
    ],
)
def test_an_engine_whose_paths_are_not_there_is_never_chosen(
    answers: Any, engine: Any, mode: str
) -> None:
    """If the engine's paths are missing, LTON is not chosen, because each request would get a
    404.
    """
    it, _ = settled(answers, engine=engine)

    assert (it.mode, it.is_settled) == (mode, True)
    assert ("try plain" in it.why) == (mode == "native")


@pytest.mark.parametrize(
    ("answers", "engine", "mode"),
    [
        ({"/v1/chat/completions": counting(0)}, "vllm", "guided"),
        ({"/v1/chat/completions": counting(30)}, "vllm", "native"),
        (llama({"prompt": "Hi"}), "vllm", "lton"),
        ({"/v1/chat/completions": counting(0), "/v1/models": listed("vllm")}, None, "guided"),
        ({"/v1/chat/completions": counting(0), "/v1/models": listed("sglang")}, None, "lton"),
    ],
)
def test_guided_calls_are_chosen_for_the_engine_that_is_named(
    answers: Any, engine: Any, mode: str
) -> None:
    """Guided calls are chosen for the named engine: a llama.cpp server named as vLLM would refuse
    them.
    """
    it, _ = settled(answers, engine=engine)
    assert it.mode == mode


VERSION = {"version": "0.11.2"}
NOT_HERE = {"error": "Unexpected endpoint or method. Returning 200 anyway"}
NAMED: list[tuple[Any, str, str]] = [
    ({"/v1/models": listed("vllm")}, "vLLM", "vllm"),
    ({"/v1/models": listed("sglang")}, "SGLang", "sglang"),
    ({"/v1/models": listed("llamacpp"), "/props": {"chat_template": ""}}, "llama.cpp", "llama.cpp"),
    ({"/v1/models": listed("llamacpp")}, "llama.cpp", "plain"),
    ({"/v1/models": listed("library")}, "Ollama", "plain"),
    ({"/v1/models": listed("bartowski"), "/api/version": VERSION}, "Ollama", "plain"),
    ({"/props": {"chat_template": ""}}, "llama.cpp", "llama.cpp"),
    ({"/get_server_info": VERSION}, "SGLang", "sglang"),
    ({"/version": VERSION}, "vLLM", "vllm"),
    ({"/version": {"version": "v3.8.0 (b2a3c4)"}}, "", "plain"),
    ({"/v1/models": listed("somebody"), "/version": VERSION, "/props": {"a": 1}}, "", "plain"),
    ({"/v1/models": listed(["vllm"])}, "", "plain"),
    ({"/v1/models": {"data": [7]}}, "", "plain"),
    (dict.fromkeys(("/props", "/version", "/api/version"), NOT_HERE), "", "plain"),
    ({}, "", "plain"),
]


@pytest.mark.parametrize(("answers", "server", "engine"), NAMED)
def test_a_server_is_known_by_its_models_or_its_paths(
    answers: Any, server: str, engine: str
) -> None:
    """Naming a server needs evidence: its models, or its paths, and for llama.cpp both."""
    it, _ = settled(answers, mode="native")
    assert (it.server, it.engine, it.is_settled) == (server, engine, True)
    assert it.keeps == (engine != "plain")


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
@pytest.mark.parametrize("path", ["/v1/models", "/get_server_info", "/version"])
def test_a_refusal_does_not_name_a_server(path: str, status: int) -> None:
    """After a refusal no more paths are tried, because a key may show another server."""
    it, _ = settled({path: status, "/version": VERSION} | {path: status}, mode="native")
    assert (it.server, it.engine, it.is_settled) == ("", "plain", False)


def test_an_engine_that_is_named_is_not_looked_for() -> None:
    """`--engine` decides, whatever the server shows."""
    it, requests = settled({"/v1/models": listed("vllm")}, mode="native", engine="sglang")
    assert (it.engine, it.server) == ("sglang", "")
    assert [probe.path for probe in requests] == [*PATHS.values(), "/props"]


def test_a_tool_that_a_server_refuses_has_its_status() -> None:
    it, requests = settled(
        {"/v1/chat/completions": lambda body: 400 if "tools" in body else counting(0)(body)}
    )

    assert (it.mode, it.why) == ("lton", "the server answered with 400 to a question with a tool")
    assert [
        probe.body["max_tokens"] for probe in requests if probe.body and "model" in probe.body
    ] == [
        1,
        1,
    ]


def test_a_model_that_is_listed_is_asked() -> None:
    _, requests = settled(
        {"/v1/models": {"data": [{"id": "m7"}]}, "/v1/chat/completions": counting(1)}
    )

    assert {probe.body["model"] for probe in requests if probe.body and "model" in probe.body} == {
        "m7"
    }


@pytest.mark.parametrize(
    ("there", "apis"),
    [
        (["chat"], ("chat",)),
        (["responses", "messages"], ("responses", "messages")),
        ([], ("chat",)),
    ],
)
def test_an_api_is_there_whose_path_is_known(there: list[Any], apis: Any) -> None:
    it, requests = settled({PATHS[api]: 401 for api in there}, mode="native")

    assert (it.mode, it.why, it.apis) == ("native", "as --calls says", apis)
    assert [probe.body for probe in requests] == [{}, {}, {}, None, None, None, None, None]


def test_what_is_given_is_not_asked() -> None:
    it, requests = settled({}, mode="native", api="messages", engine="plain")

    assert (it.apis, [probe.path for probe in requests]) == (("messages",), ["/props"])


@pytest.mark.parametrize(
    ("url", "apis"),
    [
        ("https://api.openai.com/v1", ("chat", "responses")),
        ("https://eu.api.openai.com", ("chat", "responses")),
        ("https://api.anthropic.com", ("messages",)),
        ("https://generativelanguage.googleapis.com", ("gemini",)),
        ("https://notopenai.com", None),
        ("http://openai.com.evil.example", None),
    ],
)
def test_hosts_that_are_known_need_no_question(url: str, apis: Any) -> None:
    it = find_hosted_api(url)

    assert (it and (it.mode, it.apis)) == (apis and ("native", apis))


def test_any_other_hosted_server_has_native_calls() -> None:
    it, requests = settled({PATHS["chat"]: 401}, url="https://models.example/v1")

    assert (it.mode, it.why, it.apis) == ("native", "models.example is hosted", ("chat",))
    assert len(requests) == 3


# --- a gateway that finds out ---------------------------------------------------------------------


class Server:
    """A minimal llama.cpp server."""

    def __init__(self, template: str) -> None:
        self.template = template
        self.asked: list[tuple[str, Any]] = []
        paths = ["/v1/chat/completions", "/props", "/apply-template", "/completion"]
        routes = [Route(path, self.answer, methods=["GET", "POST"]) for path in paths]
        self.app = Starlette(routes=routes)

    async def answer(self, request: Request) -> Response:
        data = await request.body()
        body: Any = json.loads(data) if data else None
        path = request.url.path
        self.asked.append((path, body))
        match path:
            case "/props":
                return JSONResponse({"chat_template": self.template})
            case "/apply-template":
                messages, tools = body["messages"], body.get("tools", [])
                return JSONResponse(
                    {"prompt": json.dumps([messages, tools * (self.template == "tools")])}
                )
            case "/completion":
                return JSONResponse({"content": '!call weather(city="Oslo")', "stop": True})
        if not body:
            return JSONResponse({"error": {"message": "'messages' is required"}}, 400)
        return Response(native.whole("chat", native.OSLO), media_type="application/json")


@pytest.mark.parametrize(("template", "mode"), [("tools", "native"), ("none", "guided")])
def test_the_choice_is_said_once_and_in_the_metrics(
    template: str, mode: str, capsys: pytest.CaptureFixture[str]
) -> None:
    server = Server(template)
    upstream = Served(server.app)
    options = native.options(upstream.url, calls="auto", engine="llama.cpp", quiet=True)
    served = Served(build_application(options))

    answers = [httpx2.post(served.url + PATHS["chat"], json=chat()).json() for _ in range(2)]
    metrics = httpx2.get(served.url + "/metrics").text

    served.close()
    upstream.close()
    is_native = mode == "native"
    assert [is_native] * 2 == ["choices" in answer for answer in answers]
    shows = "tools" if mode == "native" else "no tools"
    why = f"the server's template shows {shows}"
    first, *_ = capsys.readouterr().err.splitlines()
    assert first == f"lton: calls: {mode}, {why}; the server's APIs: chat"
    assert f'lton_calls_mode{{mode="{mode}",why="{why}"}} 1.0' in metrics
    paths = [path for path, _ in server.asked]
    assert paths.count("/props") == 1
    assert paths.count(PATHS["chat"]) == (3 if is_native else 1)  # one of them is a probe


class Keyed:
    """A server that requires a key, like vLLM with `--api-key`."""

    def __init__(self) -> None:
        self.bodies: list[Any] = []
        paths = [PATHS["chat"], "/v1/models", "/version"]
        routes = [Route(path, self.answer, methods=["GET", "POST"]) for path in paths]
        self.app = Starlette(routes=routes)

    async def answer(self, request: Request) -> Response:
        if request.url.path == "/version":
            return JSONResponse(VERSION)
        if request.headers.get("authorization") != "Bearer right":
            return JSONResponse({"error": "Unauthorized"}, 401)
        if request.method == "GET":
            return JSONResponse(listed("vllm"))
        body = await request.json()
        if not body:
            return JSONResponse({"error": {"message": "'messages' is required"}}, 400)
        self.bodies.append(body)
        return Response(
            native.whole("chat", '!call weather(city="Oslo")'), media_type="application/json"
        )


@pytest.mark.parametrize("calls", ["lton", "native"])
def test_an_engine_is_found_with_the_key_of_a_client(
    calls: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a client's key the engine is found, calls use its grammar, and a line and the metrics
    name it.
    """
    server = Keyed()
    upstream = Served(server.app)
    served = Served(build_application(native.options(upstream.url, calls=calls, engine="auto")))
    headers = {"authorization": "Bearer right"}
    answer = httpx2.post(served.url + PATHS["chat"], json=chat(), headers=headers).json()
    metrics = httpx2.get(served.url + "/metrics").text
    served.close()
    upstream.close()
    assert ("structured_outputs" in server.bodies[-1]) == (calls == "lton")
    assert bool(answer["choices"][0]["message"].get("tool_calls")) == (calls == "lton")
    assert "; the server: vLLM, as --engine vllm" in capsys.readouterr().err
    assert 'lton_server{engine="vllm",server="vLLM"} 1.0' in metrics


def test_a_server_that_is_not_there_yet_is_asked_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lton.gateway.call_mode._AGAIN_S", 0.0)
    server = Server("tools")
    first = Served(server.app)
    port = int(first.url.rpartition(":")[2])
    first.close()
    served = Served(build_application(native.options(first.url, calls="auto", engine="plain")))
    with httpx2.Client(base_url=served.url, timeout=20) as client:
        refusal = client.post(PATHS["chat"], json=chat())
        second = Served(server.app, port)
        there = client.post(PATHS["chat"], json=chat())

    served.close()
    second.close()
    assert refusal.status_code == 502
    assert there.json()["choices"][0]["message"]["tool_calls"]


class Picky:
    """A server of OpenAI's API whose answers depend on the headers and the number of the
    request.
    """

    def __init__(self, refusal: Any, *, counts: bool = True) -> None:
        self.refusal, self.counts = refusal, counts
        self.asked = 0
        self.app = Starlette(routes=[Route(PATHS["chat"], self.answer, methods=["POST"])])

    async def answer(self, request: Request) -> Response:
        body = await request.json()
        if body:
            self.asked += 1
        if status := self.refusal(request, self.asked):
            return JSONResponse({"error": {"message": "not now"}}, status)
        if not body:
            return JSONResponse({"error": {"message": "'messages' is required"}}, 400)
        answer = json.loads(native.whole("chat", native.OSLO))
        del answer["usage"]
        if self.counts:
            answer["usage"] = {"prompt_tokens": 9 + 30 * ("tools" in body), "completion_tokens": 3}
        return JSONResponse(answer)


@pytest.mark.parametrize("engine", ["llama.cpp", "plain", "auto"])
@pytest.mark.parametrize(
    ("refusal", "counts"),
    [
        (lambda request, _: 401 * (request.headers.get("authorization") != "Bearer right"), True),
        (lambda _, count: 429 * (count < 2), True),
        (lambda _, count: 503 * (count < 2), True),
        (lambda _, count: 0 * count, False),
    ],
)
def test_silence_decides_nothing(
    refusal: Any, engine: str, capsys: pytest.CaptureFixture[str], *, counts: bool
) -> None:
    """Clients with the key get right answers, whatever the server answered without a key."""
    server = Picky(refusal, counts=counts)
    upstream = Served(server.app)
    served = Served(build_application(native.options(upstream.url, calls="auto", engine=engine)))
    key = {"authorization": "Bearer right"}
    answers = [httpx2.post(served.url + PATHS["chat"], json=chat(), headers=key) for _ in range(3)]
    served.close()
    upstream.close()
    assert [answer.status_code for answer in answers] == [200] * 3
    for answer in answers:
        assert answer.json()["choices"][0]["message"]["tool_calls"]
    assert "calls: lton" not in capsys.readouterr().err


def test_a_mode_that_fails_is_given_up(capsys: pytest.CaptureFixture[str]) -> None:
    """After three failures in a row the mode is given up with a message; a success in between
    resets the count.
    """
    broken = True

    async def answer(request: Request) -> Response:
        body = json.loads(await request.body() or b"{}")
        if not body:
            return JSONResponse({"error": {"message": "'messages' is required"}}, 400)
        is_lton = "tools" not in body and body.get("max_tokens") != 1
        if broken and is_lton:
            return JSONResponse({"error": {"message": "no"}}, 404)
        content = native.whole("chat", '!call weather(city="Oslo")')
        return Response(content, media_type="application/json")

    upstream = Served(Starlette(routes=[Route(PATHS["chat"], answer, methods=["POST"])]))
    options = native.options(upstream.url, calls="auto", engine="plain")
    served = Served(build_application(options))
    with httpx2.Client(base_url=served.url, timeout=20) as client:
        failing = [client.post(PATHS["chat"], json=chat()) for _ in range(2)]
        broken = False
        working = client.post(PATHS["chat"], json=chat())
        broken = True
        failing += [client.post(PATHS["chat"], json=chat()) for _ in range(3)]
        given_up = client.post(PATHS["chat"], json=chat())
    served.close()
    upstream.close()
    assert {reply.status_code for reply in failing} == {404}
    assert (working.status_code, given_up.status_code) == (200, 200)
    assert "calls: native, 3 lton answers failed in a row (" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("invalid", "words"),
    [
        ({"port": 80_000}, "--port: expected a number from 0 to 65535, found 80000"),
        ({"port": -1}, "--port: expected"),
        ({"body_memory": -1}, "body-memory: expected"),
        ({"grace": -1}, "grace: expected"),
        ({"slots": 0}, "slots: expected"),
        ({"workers": 0}, "workers: expected"),
        ({"api_key": ""}, "--api-key: expected a key, found an empty text"),
        ({"upstream_key": ""}, "upstream-key: expected a key"),
        ({"log": "/nowhere/at/all"}, "--log /nowhere/at/all: No such file or directory"),
    ],
)
def test_an_option_that_cannot_be_is_refused(invalid: dict[str, Any], words: str) -> None:
    """Invalid options are refused before the gateway starts, without a traceback and without losing
    the log.
    """
    with pytest.raises(UsageError, match=f"^{words}"):
        run(native.options(URL, **invalid))


@pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")
def test_a_log_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Only the owner can read the log, even if the file existed with other permissions."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("a line\n")
    old.chmod(0o644)
    for log in (old, new):
        make_file_private(str(log))
        assert log.stat().st_mode & 0o777 == 0o600
    assert old.read_text() == "a line\n"
    make_file_private(os.devnull)
