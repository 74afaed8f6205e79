"""Test our guardrail and endpoints in LiteLLM's own proxy, with a scripted server."""

import json
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from socket import create_server
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lton.gateway.command import make_options
from lton.gateway.serving import build_application
from tests.gateway.conftest import Served

pytest.importorskip("litellm_proxy_extras")

CONFIG = """
model_list:
  - model_name: m
    litellm_params: {{model: openai/m, api_base: "{upstream}/v1", api_key: none}}
litellm_settings: {{use_chat_completions_url_for_anthropic_messages: true}}
router_settings: {{disable_cooldowns: true}}
"""
GUIDE = Path(__file__).parents[3] / "docs/guides/operations.md"
ROWS = json.dumps([{"id": n, "name": f"n{n}"} for n in range(5)])
IN_LTON = "[5(id name)\n0 n0\n1 n1\n2 n2\n3 n3\n4 n4]"
LONG = "".join(f"line {n} of it\n" for n in range(400))
SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "Args",
    "type": "object",
    "properties": {"title": {"title": "Title", "type": "string"}},
    "required": ["title"],
}
LEAN = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
}
_HASH = re.compile("hash=([0-9a-f]{24})")


class Model:
    """A scripted server that stores requests, and requests each omitted result once."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    async def answer(self, request: Request) -> Response:
        body = await request.json()
        self.asked.append(body)
        message: dict[str, Any] = {"role": "assistant", "content": "Done."}
        names = [tool["function"]["name"] for tool in body.get("tools", ())]
        left_out = _HASH.search(json.dumps(body["messages"]))
        is_told = any(LONG in str(message.get("content")) for message in body["messages"])
        if left_out and not is_told and "headroom_retrieve" in names:
            arguments = json.dumps({"hash": left_out[1]})
            function = {"name": "headroom_retrieve", "arguments": arguments}
            message["tool_calls"] = [{"id": "r1", "type": "function", "function": function}]
            message["content"] = None
        reason = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "message": message, "finish_reason": reason}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return JSONResponse(
            {"id": "x", "object": "chat.completion", "created": 1, "model": "m",
             "choices": [choice], "usage": usage}
        )  # fmt: skip


@pytest.fixture(scope="module")
def model() -> Model:
    return Model()


@pytest.fixture(scope="module")
def proxy(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """Yield a client of the proxy, which takes half a minute to start."""
    upstream = Served(
        Starlette(routes=[Route("/v1/chat/completions", model.answer, methods=["POST"])])
    )
    options = make_options(compress="over=400", quiet=True)
    gateway = Served(build_application(options))
    folder = tmp_path_factory.mktemp("litellm")
    config = folder / "config.yaml"
    guardrails = GUIDE.read_text("utf-8").partition("```yaml\n")[2].partition("```")[0]
    own = CONFIG.format(upstream=upstream.url)
    config.write_text(own + guardrails.replace("http://127.0.0.1:8000", gateway.url))
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = (str(Path(sys.executable).with_name("litellm")), "--config", str(config))
    key = f"sk-{secrets.token_hex(16)}"
    more = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": key, "NO_DOCS": "True"}
    with (folder / "log").open("w+") as log:
        child = subprocess.Popen(
            (*command, "--host", "127.0.0.1", "--port", str(port)),
            stdout=log,
            stderr=subprocess.STDOUT,
            env=os.environ | more,
        )
        try:
            headers = {"authorization": f"Bearer {key}"}
            with httpx2.Client(
                base_url=f"http://127.0.0.1:{port}", timeout=60, headers=headers
            ) as client:
                wait_for(client, child, Path(log.name))
                yield client
        finally:
            child.kill()
            child.wait()
            upstream.close()
            gateway.close()


def wait_for(client: httpx2.Client, child: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(600):
        assert child.poll() is None, log.read_text()
        try:
            if client.get("/health/liveliness").status_code == 200:
                return
        except httpx2.TransportError:
            pass
        time.sleep(0.2)
    raise AssertionError(log.read_text())


def chat(guardrail: str, text: str) -> dict[str, Any]:
    function = {"name": "read", "arguments": '{"title": "a"}'}
    return {
        "model": "m",
        "guardrails": [guardrail],
        "tools": [{"type": "function", "function": {"name": "read", "parameters": SCHEMA}}],
        "messages": [
            {"role": "user", "content": ROWS},
            {"role": "assistant", "content": None,
             "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": "c1", "content": text},
        ],
    }  # fmt: skip


def messages(guardrail: str, text: str) -> dict[str, Any]:
    return {
        "model": "m",
        "guardrails": [guardrail],
        "max_tokens": 50,
        "tools": [{"name": "read", "input_schema": SCHEMA}],
        "messages": [
            {"role": "user", "content": ROWS},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "c1", "name": "read", "input": {"title": "a"}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": text}]},
        ],
    }  # fmt: skip


REQUESTS = {"/v1/chat/completions": chat, "/v1/messages": messages}


def send_request(model: Model, proxy: httpx2.Client, path: str, body: Any) -> list[dict[str, Any]]:
    model.asked.clear()
    reply = proxy.post(path, json=body)
    assert reply.status_code == 200, reply.text
    assert "Done." in reply.text
    return list(model.asked)


def contents(body: dict[str, Any]) -> list[str]:
    texts = [
        message["content"] for message in body["messages"] if message["role"] in ("user", "tool")
    ]
    return [content if isinstance(content, str) else content[0]["text"] for content in texts]


def goes_on(body: dict[str, Any]) -> dict[str, Any]:
    more = [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "And now?"}]
    return {**body, "messages": body["messages"] + more}


@pytest.mark.parametrize("path", REQUESTS)
def test_definitions_and_results_are_shortened(
    model: Model, proxy: httpx2.Client, path: str
) -> None:
    body = REQUESTS[path]("lton", ROWS)

    (first,) = send_request(model, proxy, path, body)
    (later,) = send_request(model, proxy, path, goes_on(body))

    assert contents(first)[:2] == [ROWS, IN_LTON]
    assert first["tools"][0]["function"]["parameters"] == LEAN
    assert later["messages"][: len(first["messages"])] == first["messages"]
    assert later["tools"] == first["tools"]


@pytest.mark.parametrize("path", REQUESTS)
def test_a_result_that_was_left_out_is_asked_for(
    model: Model, proxy: httpx2.Client, path: str
) -> None:
    """LiteLLM sends a result to be shortened one turn late, and the model can request the rest."""
    body = goes_on(REQUESTS[path]("lton-results", LONG))

    first, second = send_request(model, proxy, path, body)

    text = contents(first)[1]
    assert len(text) < len(LONG) / 2
    assert _HASH.search(text)
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert LONG in contents(second)[-1]
