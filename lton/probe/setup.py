"""Report installed packages, settings, and a server's features."""

import argparse
import json
import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from os.path import dirname
from textwrap import fill
from typing import Any, cast

from lton import __version__
from lton._require import list_extra_packages, write_install_command
from lton._terminal import write
from lton.apis.registry import APIS
from lton.engines.check import ask_under_constraint, shows_applied_grammar
from lton.errors import LTONError
from lton.gateway.upstreams.probing import ProbeReply, ProbeResult, find_hosted_api, probe_server
from lton.grammar.requests import Server
from lton.probe.asking import ChatClient, first_model, read_base_url
from lton.tokens.registry import default_tokenizer

_GRAMMAR_TARGETS: Mapping[str, Server] = {
    "llama.cpp": "llama-server",
    "vLLM": "vllm",
    "SGLang": "sglang",
}
"""The target of `lton grammar` for each kind of server that applies grammars."""
_WIDTH = 60
_KEY_OWNERS = (
    "LTON_SERVE",
    "OPENROUTER",
    *(name for api in APIS.values() for name in api.key_owners),
)
_KEY = re.compile(rf"({'|'.join(_KEY_OWNERS)})_\w*(KEY|TOKEN)")


def report_setup(options: argparse.Namespace) -> int:
    """Print the report, and return 1 if the server does not list its models."""
    notes = list[str]()
    extras = list_extra_packages()
    report: dict[str, Any] = {
        "lton": f"{__version__} in {dirname(__file__).removesuffix('probe')}",
        "python": f"{platform.python_version()}, {sys.executable}",
        "tokens": ": ".join([default_tokenizer(notes.append), *notes]),
        "keys": sorted(name for name, key in os.environ.items() if key and _KEY.fullmatch(name)),
        "extras": extras,
        "install": {
            name: write_install_command(name) for name, has in extras.items() if "" in has.values()
        },
    }
    if options.url:
        report["server"] = _describe_server(read_base_url(options.url), options.key)
    if options.json:
        write(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    else:
        write("".join(map("{}\n".format, _iterate_report_lines(report))))
    return 1 if "error" in report.get("server", ()) else 0


def _iterate_report_lines(report: dict[str, Any]) -> Iterator[str]:
    yield from (f"{name:10}{report[name]}" for name in ("lton", "python", "tokens"))
    yield f"keys      {', '.join(report['keys']) or 'none set'}"
    for name, has in report["extras"].items():
        versions = ", ".join(
            f"{package} {version or '(missing)'}" for package, version in has.items()
        )
        yield fill(
            f"[{name}]".ljust(10) + versions, 80, subsequent_indent=" " * 10, break_on_hyphens=False
        )
        if name in report["install"]:
            yield f"{'':10}{report['install'][name]}"
    yield from (f"{name:10}{fact}" for name, fact in report.get("server", {}).items())


def _describe_server(url: str, key: str) -> dict[str, str]:
    client = ChatClient(url=url, model="", tools=(), key=key, timeout_s=10)
    try:
        model = first_model(client)
    except LTONError as error:
        return {"server": url, "error": error.msg}
    result = find_hosted_api(url) or _probe_server(client)
    about = {"calls": f"{result.mode}: {result.why}", "apis": ", ".join(result.apis)}
    if target := _GRAMMAR_TARGETS.get(result.server):
        about["grammars"] = _describe_grammar_support(url, target, key)
    return {"server": url, "kind": result.server or "unknown", "model": model, **about}


def _describe_grammar_support(url: str, target: Server, key: str) -> str:
    """Ask for an answer under a grammar, and report whether the server applied the grammar."""
    try:
        output = ask_under_constraint(url, target, key=key)
    except LTONError as error:
        return f"not known: {error.msg}"
    if shows_applied_grammar(output):
        return f"applied (lton grammar --for {target})"
    return f"ignored: the server wrote {output[:_WIDTH]!r}"


def _probe_server(client: ChatClient) -> ProbeResult:
    asking = probe_server(client.url)
    request = next(asking)
    while True:
        try:
            body = json.loads(client.fetch_json(request.path, request.body))
            reply = ProbeReply(200, body if isinstance(body, dict) else {})
        except (OSError, ValueError, RecursionError, HTTPException) as error:
            reply = ProbeReply(getattr(error, "code", 503), {})
        try:
            request = asking.send(reply)
        except StopIteration as ended:
            return cast("ProbeResult", ended.value)
