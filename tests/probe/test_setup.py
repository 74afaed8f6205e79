"""Test the report of `lton probe` without questions: packages, settings, a server's features."""

import json
import sys
from importlib import metadata
from typing import Any

import pytest

from lton import _require
from lton.cli import main
from lton.errors import Code, MissingExtraError
from lton.grammar.requests import WORD, probe
from tests.tokens.faulty import Answer, serving

ASKED = ("probe", "--questions", "0")
HI = {"usage": {"prompt_tokens": 5}}
LISTED = {"data": [{"id": "small", "owned_by": "llamacpp"}]}


def llama_cpp(shows_tools: bool) -> Answer:
    """Answer like llama.cpp's server with a template that shows tools, or does not."""

    def answers(path: str, body: dict[str, Any]) -> Any:
        answers = {
            "/v1/models": LISTED,
            "/props": {"chat_template": "{{ messages }}"},
            "/apply-template": {"prompt": json.dumps(body) if shows_tools else "hi"},
            "/v1/chat/completions": HI,
        }
        return (200, answers[path]) if path in answers else (404, {})

    return answers


def obeying(path: str, body: dict[str, Any]) -> Any:
    """Answer like llama.cpp's server, and write the word that the grammar demands."""
    if path == "/v1/chat/completions" and probe("llama-server").items() <= body.items():
        return 200, {"choices": [{"message": {"content": WORD}}]}
    return llama_cpp(True)(path, body)


def ignoring(path: str, body: dict[str, Any]) -> Any:
    """Answer like llama.cpp's server, but in prose."""
    if path == "/v1/chat/completions":
        return 200, {"choices": [{"message": {"content": "Hello!"}}], **HI}
    return llama_cpp(True)(path, body)


def other(path: str, body: dict[str, Any]) -> Any:
    """Answer like an unknown server whose prompts are longer with tools."""
    if path == "/v1/models":
        return 200, {"data": [{"id": "large"}]}
    if path == "/v1/chat/completions":
        return 200, {"usage": {"prompt_tokens": 50 if body.get("tools") else 5}}
    return 200, b"[]"


@pytest.mark.parametrize(
    ("answer", "status", "expected"),
    [
        (llama_cpp(True), 0, {"kind": "llama.cpp", "model": "small", "apis": "chat"}),
        (llama_cpp(True), 0, {"calls": "native: the server's template shows tools"}),
        (llama_cpp(False), 0, {"calls": "guided: the server's template shows no tools"}),
        (obeying, 0, {"grammars": "applied (lton grammar --for llama-server)"}),
        (ignoring, 0, {"grammars": "ignored: the server wrote 'Hello!'"}),
        (llama_cpp(True), 0, {"grammars": "not known: "}),
        (other, 0, {"kind": "unknown", "model": "large", "apis": "chat, responses, messages"}),
        (other, 0, {"calls": "native: the server's template shows tools"}),
        (lambda path, body: (401, {}), 1, {"error": "/v1/models: status 401"}),
        (lambda path, body: (200, []), 1, {"error": "/v1/models: no list of models"}),
    ],
)
def test_a_server_is_described(
    answer: Answer, status: int, expected: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The kind, the model, the call format and the APIs are found as the gateway finds them."""
    with serving(answer) as server:
        assert main([*ASKED, "--json", "--key", "secret", f"{server.url}/v1"]) == status
        report = json.loads(capsys.readouterr().out)["server"]
        assert {header.get("Authorization") for header in server.headers} == {"Bearer secret"}
        for name, start in expected.items():
            assert report[name].removeprefix(server.url).startswith(start)
        assert main([*ASKED, server.url]) == status
        assert f"\nserver    {server.url}\n" in capsys.readouterr().out


def test_a_server_that_does_not_answer_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    """The status is 1 for a closed port, and 2 for a wrong URL."""
    assert main([*ASKED, "http://127.0.0.1:1"]) == 1
    assert "refused" in capsys.readouterr().out
    assert main(["probe", "http://127.0.0.1:1"]) == 1
    assert "is the server running, and is this its address?" in capsys.readouterr().err
    assert main([*ASKED, "somewhere"]) == 2


def test_keys_are_named_and_never_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only variables with a value are listed, by name."""
    for name, key in (
        ("OPENAI_API_KEY", "sk-1"),
        ("ANTHROPIC_AUTH_TOKEN", "sk-2"),
        ("GOOGLE_API_KEY", ""),
    ):
        monkeypatch.setenv(name, key)
    for options in ([], ["--json"]):
        assert main(["probe", *options]) == 0
        output = capsys.readouterr().out
        assert "ANTHROPIC_AUTH_TOKEN" in output
        assert "OPENAI_API_KEY" in output
        assert "GOOGLE_API_KEY" not in output
        assert "sk-" not in output


class Installed:
    """A distribution of a name and version."""

    def __init__(self, name: str, version: str) -> None:
        self.name, self.version = name, version


@pytest.mark.parametrize(
    ("python", "system", "packages"),
    [
        ((3, 11), "linux", {"a-b": "1.0", "backport": "", "loop": "3"}),
        ((3, 14), "linux", {"a-b": "1.0", "loop": "3"}),
        ((3, 11), "win32", {"a-b": "1.0", "backport": ""}),
    ],
)
def test_packages_are_those_of_this_machine(
    python: tuple[int, int],
    system: str,
    packages: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Packages for other Pythons and systems are not missing; names are compared as pip does."""
    needs = [
        'A_b>=1; extra == "apps"',
        'backport; python_version < "3.14" and extra == "apps"',
        'loop; sys_platform != "win32" and extra == "apps"',
        'loop; sys_platform != "win32" and extra == "all"',
        "always",
    ]
    there = [Installed("a.B", "1.0"), Installed("Loop", "3")]
    monkeypatch.setattr(metadata, "requires", lambda name: needs)
    monkeypatch.setattr(metadata, "distributions", lambda: there)
    monkeypatch.setattr(sys, "version_info", python)
    monkeypatch.setattr(sys, "platform", system)
    assert _require.list_extra_packages() == {"apps": packages}


def test_what_is_missing_has_a_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing extra and an estimate are shown with the command that installs the rest."""

    def missing(say: Any) -> str:
        say(str(MissingExtraError(Code.EXTRA, "tiktoken is not installed")))
        return "bytes"

    monkeypatch.setattr(
        "lton.probe.setup.list_extra_packages", lambda: {"apps": {"mcp": "2.0", "tomlkit": ""}}
    )
    monkeypatch.setattr("lton.probe.setup.default_tokenizer", missing)
    assert main(["probe"]) == 0
    output = capsys.readouterr().out
    assert "tokens    bytes: tiktoken is not installed" in output
    assert (
        f"[apps]    mcp 2.0, tomlkit (missing)\n{'':10}{_require.write_install_command('apps')}\n"
        in output
    )
    assert main(["probe", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["install"] == {"apps": _require.write_install_command("apps")}
