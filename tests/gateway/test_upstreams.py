"""Test connections to upstreams: trusted HTTPS, no proxies, and the ends of answers."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from lton._terminal import UsageError
from lton.gateway.command import make_options, run
from lton.gateway.serving import build_application
from tests.gateway.conftest import Script, Served, chat, chunk, events
from tests.gateway.test_serve import PATH, joined

_OPENSSL = shutil.which("openssl")
needs_openssl = pytest.mark.skipif(_OPENSSL is None, reason="openssl makes the certificate")


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[str, str]:
    """Return a self-signed certificate and its key."""
    certificate_path, key = str(tmp_path / "made.pem"), str(tmp_path / "key.pem")
    named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    command = [str(_OPENSSL), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run(
        [*command, *named, "-keyout", key, "-out", certificate_path],
        check=True,
        capture_output=True,
    )
    return certificate_path, key


@pytest.fixture
def secure(script: Script, certificate: tuple[str, str]) -> Iterator[str]:
    """Return the address of an upstream with HTTPS."""
    certificate_path, key = certificate
    app = Starlette(routes=[Route(PATH, script.answer, methods=["POST"])])
    served = Served(app, ssl_certfile=certificate_path, ssl_keyfile=key)
    yield served.url.replace("http:", "https:")
    served.close()


def request_stream(upstream: str, *, stream: bool = True) -> httpx2.Response:
    served = Served(build_application(make_options(upstream=upstream, engine="vllm", calls="lton")))
    try:
        with httpx2.Client(trust_env=False, timeout=20) as client:
            return client.post(served.url + PATH, json=chat(stream=stream))
    finally:
        served.close()


@needs_openssl
def test_a_certificate_that_is_trusted_by_the_environment(
    secure: str, script: Script, certificate: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", certificate[0])
    script.pieces = ["It may."]
    answer = request_stream(secure)
    assert joined(events(answer))["message"]["content"] == "It may."
    assert answer.text.endswith("data: [DONE]\n\n")


@needs_openssl
def test_a_certificate_that_nobody_knows(secure: str, script: Script) -> None:
    answer = request_stream(secure)
    assert answer.status_code == 502
    assert "cannot be reached" in answer.json()["error"]["message"]
    assert script.asked == []


def test_no_proxy_of_the_environment_is_asked(
    upstream: str, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    script.pieces = ["It may."]
    answer = request_stream(upstream)
    assert joined(events(answer))["message"]["content"] == "It may."


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("is_half", [False, True])
def test_a_last_event_needs_no_blank_line(
    upstream: str, script: Script, end: bytes, is_half: bool
) -> None:
    """The last event may lack its blank line, but an incomplete event is dropped."""
    last = chunk({}, "stop").rstrip()
    script.pieces = ["It may.", last[: -3 if is_half else None] + end]
    script.reason = None
    answer = request_stream(upstream, stream=False)
    assert answer.status_code == (502 if is_half else 200)
    answer_body = answer.json()
    text = answer_body["partial"] if is_half else answer_body["choices"][0]["message"]["content"]
    assert text == "It may."


@pytest.mark.parametrize("port", ["65536", "x", "-1"])
def test_a_port_that_there_is_not(port: str) -> None:
    upstream = f"http://127.0.0.1:{port}"
    with pytest.raises(UsageError, match="--upstream"):
        run(make_options(upstream=upstream))
