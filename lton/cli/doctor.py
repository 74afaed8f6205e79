"""Implement `lton doctor`, which reports installed packages, settings, and a server's features."""

import argparse
import json
import os
import platform
import re
import sys
from collections.abc import Iterator
from http.client import HTTPException
from os.path import dirname
from textwrap import fill
from typing import Any, cast

from lton import __version__
from lton._require import installing, packages
from lton._terminal import write
from lton.cli.outputs import indent_json
from lton.errors import LTONError
from lton.gateway.upstreams.probing import ProbeReply, ProbeResult, hosted_api, probe_server
from lton.probe.asking import ChatClient
from lton.probe.command import check_address, first_model
from lton.tokens.registry import default_tokenizer

_KEY = re.compile(r"(ANTHROPIC|GEMINI|GOOGLE|LTON_SERVE|OPENAI|OPENROUTER)_\w*(KEY|TOKEN)")


def add_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("url", metavar="URL", nargs="?", help="a server, with or without /v1")
    sub.add_argument("--key", metavar="KEY", default="", help="the API key of the server")
    sub.add_argument("--json", action="store_true", help="print the report as JSON")


def run(options: argparse.Namespace) -> int:
    """Print the report and return 1 if the server does not list its models."""
    notes = list[str]()
    extras = packages()
    report: dict[str, Any] = {
        "lton": f"{__version__} in {dirname(__file__).removesuffix('cli')}",
        "python": f"{platform.python_version()}, {sys.executable}",
        "tokens": ": ".join([default_tokenizer(notes.append), *notes]),
        "keys": sorted(name for name, key in os.environ.items() if key and _KEY.fullmatch(name)),
        "extras": extras,
        "install": {name: installing(name) for name, has in extras.items() if "" in has.values()},
    }
    if options.url is not None:
        report["server"] = _server(check_address(options.url), options.key)
    write(indent_json(report) if options.json else "".join(map("{}\n".format, _lines(report))))
    return 1 if "error" in report.get("server", ()) else 0


def _lines(report: dict[str, Any]) -> Iterator[str]:
    yield from (f"{name:10}{report[name]}" for name in ("lton", "python", "tokens"))
    yield f"keys      {', '.join(report['keys']) or 'none set'}"
    for name, has in report["extras"].items():
        shown = ", ".join(f"{each} {version or '(missing)'}" for each, version in has.items())
        yield fill(
            f"[{name}]".ljust(10) + shown, 80, subsequent_indent=" " * 10, break_on_hyphens=False
        )
        if name in report["install"]:
            yield f"{'':10}{report['install'][name]}"
    yield from (f"{name:10}{said}" for name, said in report.get("server", {}).items())


def _server(url: str, key: str) -> dict[str, str]:
    client = ChatClient(url=url, model="", tools=(), key=key, timeout_s=10)
    try:
        model = first_model(client)
    except LTONError as error:
        return {"server": url, "error": error.msg}
    result = hosted_api(url) or _probe_server(client)
    about = {"calls": f"{result.mode}: {result.why}", "apis": ", ".join(result.apis)}
    return {"server": url, "kind": result.server or "unknown", "model": model, **about}


def _probe_server(client: ChatClient) -> ProbeResult:
    asking = probe_server(client.url)
    request = next(asking)
    while True:
        try:
            body = json.loads(client.fetch(request.path, request.body))
            reply = ProbeReply(200, body if isinstance(body, dict) else {})
        except (OSError, ValueError, RecursionError, HTTPException) as error:
            reply = ProbeReply(getattr(error, "code", 503), {})
        try:
            request = asking.send(reply)
        except StopIteration as ended:
            return cast("ProbeResult", ended.value)
