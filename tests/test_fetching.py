"""Test that fetching is limited in size, time and redirects, and refuses private hosts."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lton import fetching
from lton.cli import main
from lton.errors import IngestError
from lton.fetching import fetch, is_public


class Site(BaseHTTPRequestHandler):
    """A site with a few pages."""

    def do_GET(self) -> None:
        """Answer depending on the path."""
        status, headers, body = {
            "/page.html": (200, {}, b"<html><p>Five gauges.</p>"),
            "/moved": (302, {"Location": "/page.html"}, b""),
            "/loop": (302, {"Location": "/loop"}, b""),
            "/inside": (302, {"Location": "http://10.0.0.1/secret"}, b""),
            "/file": (302, {"Location": "file:///etc/passwd"}, b""),
            "/packed": (200, {"Content-Encoding": "gzip"}, b"x"),
            "/large": (200, {}, b"x" * 300_000),
        }.get(self.path, (404, {}, b"gone"))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture(name="site")
def _site(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Run the site, whose address counts as public."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(fetching, "is_public", lambda each: each == "127.0.0.1" or is_public(each))
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_what_is_at_a_url_is_fetched(site: str) -> None:
    """A URL is fetched, also after redirects."""
    assert fetch(f"{site}/page.html") == fetch(f"{site}/moved") == b"<html><p>Five gauges.</p>"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/loop", "at most 5 redirects"),
        ("/inside", "a public host, found 10.0.0.1"),
        ("/file", "an HTTP or HTTPS URL"),
        ("/packed", "uncompressed"),
        ("/gone", "status 200, found 404"),
        ("/large", "at most 100,000 bytes"),
    ],
)
def test_what_is_refused(site: str, path: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "MOST_FETCHED", 100_000)
    with pytest.raises(IngestError, match=said):
        fetch(f"{site}{path}")


def test_time_is_bounded(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "MOST_FETCH_SECONDS", 0)
    with pytest.raises(IngestError, match="within 0 seconds"):
        fetch(f"{site}/page.html")


@pytest.mark.parametrize(
    "url",
    ["http://localhost/", "http://169.254.169.254/latest", "http://[::1]/", "http://0.0.0.0/",
     "http://2130706433/", "http://user@example.org/", "ftp://example.org/", "http://[fd00::1]/"],
)  # fmt: skip
def test_private_hosts_are_refused(url: str) -> None:
    """Private hosts are refused in any spelling, without a request."""
    with pytest.raises(IngestError):
        fetch(url)


def test_ingest_fetches_if_it_is_told_to(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The audit has the hash of fetched content, and without `--fetch` nothing is requested."""
    pytest.importorskip("inscriptis")
    monkeypatch.chdir(tmp_path)
    command = ["context", "ingest", f"{site}/page.html", "--budget", "100", "--tokenizer", "bytes"]
    assert main(command) == 1
    assert main([*command, "--fetch"]) == 0
    assert "Five gauges." in capsys.readouterr().out
    assert f"{site}/page.html" in (tmp_path / ".lton/audit.jsonl").read_text("utf-8")
