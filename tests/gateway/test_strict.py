"""Test that tools are strict by default for servers that enforce schemas, with a fallback."""

import json
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lton.gateway import call_mode
from lton.gateway.serving import build_application
from tests.gateway import native
from tests.gateway.conftest import Served
from tests.gateway.native import CITY, PATHS, request, stream, tool, whole

CALL = [("weather", '{"city":"Oslo"}')]


class Vllm:
    """A server that identifies itself as vLLM, and refuses some requests."""

    def __init__(self, owner: str = "vllm", refuses: str = "", error: str = "") -> None:
        self.owner, self.refuses, self.error = owner, refuses, error
        self.bodies: list[bytes] = []
        routes = [Route(path, self.answer, methods=["POST"]) for path in PATHS.values()]
        self.app = Starlette(routes=[*routes, Route("/v1/models", self.models)])

    async def models(self, _: Request) -> Response:
        return JSONResponse({"data": [{"id": "m", "owned_by": self.owner}]})

    async def answer(self, request: Request) -> Response:
        data = await request.body()
        body = json.loads(data)
        if not body:
            return JSONResponse({"error": {"message": "Field required"}}, 400)
        self.bodies.append(data)
        is_strict = any(
            holder(tool).get("strict") and holder(tool)["name"] != "fine"
            for tool in body.get("tools", ())
        )
        if self.refuses == "all" or (self.refuses == "strict" and is_strict):
            return JSONResponse(
                {"error": {"message": self.error or f"refused {self.refuses}"}}, 400
            )
        (api,) = (api for api, path in PATHS.items() if path == request.url.path)
        if body.get("stream"):
            return Response(b"".join(stream(api, calls=CALL)), media_type="text/event-stream")
        return Response(whole(api, calls=CALL), media_type="application/json")

    def strict(self) -> list[list[Any]]:
        tools = [json.loads(body)["tools"] for body in self.bodies]
        return [[holder(entry).get("strict") for entry in some] for some in tools]


def holder(definition: Any) -> Any:
    return definition.get("function", definition)


def answers(
    server: Vllm,
    api: str = "chat",
    times: int = 1,
    *,
    streamed: bool = False,
    tools: Sequence[str] = ("weather",),
    **options: Any,
) -> tuple[list[httpx2.Response], str]:
    """Return the answers to the same request, and the metrics."""
    upstream = Served(server.app)
    how = {"engine": "auto", "calls": "native", "quiet": True, **options}
    served = Served(build_application(native.options(upstream.url, **how)))
    definitions = [*(tool(api, name) for name in tools), tool(api, "stop", {})]
    body = request(api, stream=streamed, tools=definitions)
    url = served.url + PATHS[api]
    replies = [httpx2.post(url, json=body) for _ in range(times)]
    metrics = httpx2.get(served.url + "/metrics").text
    served.close()
    upstream.close()
    return replies, metrics


@pytest.mark.parametrize(
    ("owner", "api", "options", "strict"),
    [
        ("vllm", "chat", {}, True),
        ("vllm", "responses", {}, True),
        ("sglang", "chat", {}, True),
        ("somebody", "chat", {"engine": "vllm"}, True),
        ("vllm", "messages", {}, None),
        ("llamacpp", "chat", {}, None),
        ("library", "chat", {}, None),
        ("openai", "chat", {}, None),
        ("vllm", "chat", {"strict": "never"}, None),
        ("vllm", "chat", {"engine": "plain"}, None),
        ("openai", "chat", {"strict": "always"}, True),
    ],
)
def test_tools_are_strict_if_the_server_enforces_that(
    owner: str, api: str, options: dict[str, Any], strict: bool | None
) -> None:
    """Only vLLM and SGLang do, and only tools whose schemas allow it are changed."""
    server = Vllm(owner)
    (answer,), metrics = answers(server, api, **options)
    assert answer.status_code == 200
    assert server.strict() == [[strict, None]]
    is_counted = strict and "strict" not in options
    assert ('lton_strict_requests_total{answer="taken"} 1.0' in metrics) == bool(is_counted)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_server_that_refuses_strict_tools_is_not_sent_them_again(
    api: str, capsys: pytest.CaptureFixture[str], *, streamed: bool
) -> None:
    """The client gets its answer from a second request, in the bytes that the client sent."""
    server = Vllm(refuses="strict")
    replies, metrics = answers(server, api, 3, streamed=streamed)
    assert [reply.status_code for reply in replies] == [200] * 3
    assert all(reply.content == replies[0].content for reply in replies)
    assert replies[0].text.count('weather"') >= 1
    assert server.strict() == [[True, None], *([[None, None]] * 3)]
    assert json.loads(server.bodies[1])["tools"][0] == tool(api, "weather", CITY)
    assert server.bodies[1] == server.bodies[2] == server.bodies[3]
    assert 'lton_strict_requests_total{answer="refused"} 1.0' in metrics
    assert capsys.readouterr().err.count("the server refuses strict tools") == 1


@pytest.mark.parametrize(
    ("error", "later"),
    [
        ("Invalid schema for function 'weather': pattern is not supported", [None, True]),
        ("unsupported keyword in tools[0].function.parameters", [None, True]),
        ("body.tools.0.function: Extra inputs are not permitted", [None, True]),
        ("tool weather cannot be strict", [None, True]),
        ("cannot compile the schema of the weather service", [None, None]),
        ("Invalid schema for function 'weather_2', see tools[10]", [None, None]),
        ("x" * 5_000 + "'weather'", [None, None]),
    ],
)
def test_only_the_tool_that_a_refusal_names_is_not_strict_any_more(
    error: str, later: list[bool | None], capsys: pytest.CaptureFixture[str]
) -> None:
    """The refused request is repeated unchanged. If no tool is named, no tool is strict later."""
    server = Vllm(refuses="strict", error=error)
    replies, _ = answers(server, times=3, tools=("weather", "fine"))
    assert [reply.status_code for reply in replies] == [200] * 3
    assert server.strict() == [[True, True, None], [None] * 3, *([[*later, None]] * 2)]
    named = "weather" if True in later else "all"
    assert f"the server refuses strict tools: from now on sent unchanged: {named}\n" in (
        capsys.readouterr().err
    )


def test_many_refused_tools_make_all_tools_loose(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of noted tools has a limit."""
    monkeypatch.setattr(call_mode, "_MOST_LOOSE", 1)
    server = Vllm(refuses="strict", error="'one' and `two` are wrong")
    answers(server, times=2, tools=("one", "two", "fine"))
    assert server.strict()[-1] == [None] * 4


def test_a_refusal_for_another_reason_is_passed_on() -> None:
    """Nothing is learned from a request that is also refused without strict tools."""
    server = Vllm(refuses="all")
    replies, metrics = answers(server, times=2)
    assert [(reply.status_code, reply.json()["error"]["message"]) for reply in replies] == [
        (400, "refused all")
    ] * 2
    assert server.strict() == [[True, None], [None, None]] * 2
    assert "lton_strict_requests_total{" not in metrics


def test_a_refusal_of_strict_that_was_asked_for_is_passed_on() -> None:
    """If the client or `--strict` asked for strict tools, a refusal is passed on."""
    server = Vllm(refuses="strict")
    (answer,), _ = answers(server, strict="always")
    assert (answer.status_code, len(server.bodies)) == (400, 1)
