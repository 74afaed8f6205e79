"""Test `lton grammar --check` with servers that obey a grammar, ignore it, or fail."""

from typing import Any, get_args

import pytest

from lton.cli import main
from lton.grammar.requests import WORD, Server, probe
from lton_bench.demo import start_server
from tests.tokens.faulty import serving


def chat(message: dict[str, Any]) -> Any:
    """Return a server with one model, `m`, that answers as given."""

    def answer(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path == "/v1/models":
            return 200, {"data": [{"id": "m"}]}
        assert (path, body["model"]) == ("/v1/chat/completions", "m")
        return 200, {"choices": [{"message": message}]}

    return answer


def check(url: str, *options: str) -> int:
    return main(["grammar", "--for", *(options or ("llama-server",)), "--check", url])


def test_a_server_that_ignores_the_grammar(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(chat({"content": "Hello! How can I help?"})) as server:
        assert check(server.url) == 1
    assert "ignores the grammar: it wrote 'Hello! How can" in capsys.readouterr().out


FOR_CHAT: list[Server] = [each for each in get_args(Server) if each != "openai"]


@pytest.mark.parametrize("server", FOR_CHAT)
def test_a_server_that_keeps_to_it(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    """A server that knows only its own field gets the fields that `--for` prints."""
    custom = {"tool_calls": [{"type": "custom", "custom": {"input": WORD}}]}
    obeyed = custom if server == "openai-chat" else {"content": WORD}

    def answer(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path == "/v1/models":
            return 200, {"data": [{"id": "m"}]}
        heeds = probe(server).items() <= body.items()
        return 200, {"choices": [{"message": obeyed if heeds else {"content": "Hello!"}}]}

    with serving(answer) as served:
        assert check(served.url + "/v1", server) == 0
        assert "applies grammars" in capsys.readouterr().out
        other: Server = "vllm" if server != "vllm" else "sglang"
        assert check(served.url, other) == 1


def test_what_cannot_be_checked(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(chat({})) as server:
        assert check(server.url) == 1
    assert "expected a chat completion" in capsys.readouterr().err
    for options, said in {
        ("ollama",): "run the same GGUF file with llama-server",
        ("lmstudio",): "run the same GGUF file with llama-server",
        ("openai",): "use openai-chat",
    }.items():
        assert check("http://127.0.0.1:9", *options) == 2
        assert said in capsys.readouterr().err
    assert main(["grammar", "--check", "http://127.0.0.1:9"]) == 2
    assert "--check needs --for" in capsys.readouterr().err


@pytest.mark.server
def test_a_real_server_keeps_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    server = start_server(1024)
    assert check(server.listening_address) == 0
    assert "applies grammars" in capsys.readouterr().out
