"""Implement `lton mcp-proxy`, which serves or installs the proxy."""

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from shlex import join
from typing import Any

from lton._require import require
from lton._terminal import UsageError, add_table, check_url, is_url, say, write
from lton.errors import Code, LTONError, ServerError
from lton.mcp_proxy import several
from lton.mcp_proxy.approvals import Approvals, approvals_file_of
from lton.mcp_proxy.catalogue import MODES, ProxySettings
from lton.mcp_proxy.install import CLIENTS, install_proxy
from lton.mcp_proxy.revival import RevivingProxy
from lton.mcp_proxy.stdio import start_server
from lton.mcp_proxy.transport import (
    Connect,
    Library,
    Upstream,
    connect_http,
    first_cause_of,
    serve_stdio,
)
from lton.results import FORMS
from lton.schema.shown.tiers import read_budget

_LAST_PORT = 65_535
_INSTALL_WORDS = 2  # install CLIENT
_PASSED = ("mode", "show", "results", "timeout")
"""The options that `install` passes on to the proxy."""
_USAGE = """lton mcp-proxy [OPTION ...] -- COMMAND ...
       lton mcp-proxy [OPTION ...] URL
       lton mcp-proxy [OPTION ...] --config FILE
       lton mcp-proxy install CLIENT [--undo] [--yes] [OPTION ...]"""
_INSTEAD = {"--url": "lton mcp-proxy URL", "--client": "lton mcp-proxy install CLIENT"}
"""What to use instead of removed options."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `lton mcp-proxy`."""
    parser.usage = _USAGE
    parser.set_defaults(instead=_INSTEAD)
    choices = {"mode": MODES, "results": [*FORMS, "as-is"]}
    more: dict[str, dict[str, Any]] = {name: {"choices": value} for name, value in choices.items()}
    add_table(parser, __file__, "", http={"type": _parse_address}, **more)


def _parse_address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not (port.isdecimal() and int(port) <= _LAST_PORT):
        raise argparse.ArgumentTypeError(f"expected [HOST:]PORT, found {text!r}")
    return host.strip("[]") or "127.0.0.1", int(port)


def run(options: argparse.Namespace) -> int:
    """Serve until the client disconnects, or install the proxy. Return the exit status."""
    budget = read_budget(options.show)
    if budget is not None and options.mode in ("search", "pass"):
        raise UsageError("--show is for the modes line and tools")
    if options.undo or options.yes or options.server[:1] == ["install"]:
        return _run_install(options)
    _check_options(options)
    url = _find_url(options.server)
    shortened = FORMS.get(options.results)
    settings = ProxySettings(mode=options.mode, budget=budget, results=shortened)
    gc.disable()  # importing the library's models leaves no garbage: starting takes a tenth less
    library = Library() if url or options.http else None
    gc.enable()
    server_name = url or join(options.server)
    if options.config:
        server_name = str(Path(options.config).resolve())
    connect: Connect | None = None
    if library and url:
        headers = dict(map(_parse_header, options.header))
        connect = partial(connect_http, library, url, headers)
    upstream = partial(connect, {}) if connect else _server_on_stdio(options, server_name)
    approvals = Approvals(approvals_file_of(server_name), say, renew=options.approve)
    proxy: Callable[[], RevivingProxy] = partial(
        RevivingProxy,
        settings,
        timeout_s=options.timeout,
        handshake_only=library.inbound is None if library and url else bool(options.http),
        approvals=approvals,
    )
    if library and options.http:
        serve_http = import_module("lton.mcp_proxy.http").serve_http
        serving = partial(serve_http, library, proxy, upstream, *options.http, connect)
    else:
        serving = partial(serve_stdio, proxy, upstream)
    _serve(serving, url or options.config or options.server[0])
    return 0


def _server_on_stdio(options: argparse.Namespace, config: str) -> Upstream:
    """Return what starts the server's command, or all servers of a configuration."""
    command = options.server
    variables = options.env
    if options.config:
        several.read_configuration(options.config)
        # -P: modules in a project's folder must not be imported.
        command = [sys.executable, "-P", "-m", several.__name__, config]
        variables = [*variables, "PYTHONPATH"]
    passes_all = "*" in variables
    environ = {key: value for key, value in os.environ.items() if passes_all or key in variables}
    return partial(start_server, command, environ)


def _serve(serving: Callable[[], Any], server: str) -> None:
    """Serve until the client disconnects. Raises `ServerError` if the server cannot be reached."""
    try:
        require("anyio", "apps").run(serving)
    except Exception as error:
        first = first_cause_of(error)
        if isinstance(first, LTONError | OSError):
            raise first from None
        msg = f"the server {server!r} cannot be reached: {first}"
        raise ServerError(Code.SERVER, msg) from error


def _find_url(server: Sequence[str]) -> str:
    """Return the address of a running server, or "" for the command of a server."""
    return server[0] if len(server) == 1 and is_url(server[0]) else ""


def _check_options(options: argparse.Namespace) -> None:
    if bool(options.server) == bool(options.config):
        raise UsageError("expected one of a command after --, a URL and --config")
    url = _find_url(options.server)
    if url:
        check_url(url, "URL")
    if options.header and not url:
        raise UsageError("--header needs the URL of a running server")
    if not options.timeout > 0:
        raise UsageError("expected a --timeout of more than 0")
    for name in options.env:
        if name not in os.environ and name != "*":
            say(f"--env: the variable {name} is not set")


def _run_install(options: argparse.Namespace) -> int:
    client = CLIENTS.get(options.server[1]) if len(options.server) > 1 else None
    if options.server[:1] != ["install"] or client is None or len(options.server) != _INSTALL_WORDS:
        raise UsageError(f"expected install CLIENT, with one of {', '.join(CLIENTS)}")
    other = ("config", "header", "approve", "http")
    if wrong := [f"--{name}" for name in other if getattr(options, name)]:
        raise UsageError(f"install does not accept {wrong[0]}")
    ask = partial(ask_consent, options.yes)
    return install_proxy(client, _list_passed(options), undo=options.undo, agreed=ask)


def _list_passed(options: argparse.Namespace) -> list[str]:
    """Return the words of the options that the installed proxy will have."""
    words: list[str] = []
    for name in _PASSED:
        value = getattr(options, name)
        if value != options.parser.get_default(name):
            words += [f"--{name}", str(value)]
    for name in options.env:
        words += ["--env", name]
    return words


def ask_consent(yes: bool, change: str) -> bool:
    """Show a change and ask whether to make it. With `yes`, do not ask."""
    write(change)
    if yes:
        return True
    say("change it? [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _parse_header(text: str) -> tuple[str, str]:
    """Parse a header. An environment variable hides its value from other users."""
    name, equals, variable = text.partition("=")
    if not equals or variable not in os.environ:
        raise UsageError(f"expected NAME=VARIABLE with a variable that is set, found {text!r}")
    return name, os.environ[variable]
