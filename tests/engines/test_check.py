"""Test the check of a server that obeys a grammar, ignores it, or fails."""

from typing import Any, get_args

import pytest

from lton.engines.check import ask_under_constraint, shows_applied_grammar
from lton.errors import Code, ServerError
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


def is_applied(url: str, server: Server = "llama-server") -> bool:
    return shows_applied_grammar(ask_under_constraint(url, server))


def test_a_server_that_ignores_the_grammar() -> None:
    with serving(chat({"content": "Hello! How can I help?"})) as server:
        assert ask_under_constraint(server.url, "vllm") == "Hello! How can I help?"
        assert not is_applied(server.url)


FOR_CHAT: list[Server] = [server for server in get_args(Server) if server != "openai"]


@pytest.mark.parametrize("server", FOR_CHAT)
def test_a_server_that_keeps_to_it(server: Server) -> None:
    """A server that knows only its own field gets the fields that `lton grammar --for` prints."""
    custom = {"tool_calls": [{"type": "custom", "custom": {"input": WORD}}]}
    obeyed = custom if server == "openai-chat" else {"content": WORD}

    def answer(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path == "/v1/models":
            return 200, {"data": [{"id": "m"}]}
        heeds = probe(server).items() <= body.items()
        return 200, {"choices": [{"message": obeyed if heeds else {"content": "Hello!"}}]}

    with serving(answer) as served:
        assert is_applied(served.url + "/v1", server)
        other: Server = "vllm" if server != "vllm" else "sglang"
        assert not is_applied(served.url, other)


def test_what_cannot_be_checked() -> None:
    with serving(chat({})) as server:
        with pytest.raises(ServerError, match="expected a chat completion") as caught:
            is_applied(server.url)
        assert caught.value.code == Code.SERVER
    wrong: tuple[tuple[Any, str], ...] = (
        ("ollama", "run the same GGUF file with llama-server"),
        ("openai", "use openai-chat"),
    )
    for kind, message in wrong:
        with pytest.raises(ValueError, match=message):
            is_applied("http://127.0.0.1:9", kind)


@pytest.mark.server
def test_a_real_server_keeps_to_it() -> None:
    assert is_applied(start_server(1024).listening_address)
