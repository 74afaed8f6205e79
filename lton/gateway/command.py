"""`lton serve`: its options, and the server until it is told to end."""

import argparse
import gc
import os
import socket
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from importlib.util import find_spec
from threading import Thread
from time import sleep
from types import MappingProxyType
from typing import Any

from lton._require import missing_extra, require
from lton._terminal import UsageError, add_alias, check_url
from lton.gateway.apis.protocol import BODY_MEMORY_MB
from lton.tokens.billing import PRICES

EXAMPLE = """\
  $ lton serve --upstream http://127.0.0.1:8080 --port 8000
  http://127.0.0.1:8000
  export OPENAI_BASE_URL=http://127.0.0.1:8000/v1
  export ANTHROPIC_BASE_URL=http://127.0.0.1:8000 ENABLE_TOOL_SEARCH=true
"""
EXTRA = "gateway"
_HERE = "127.0.0.1"
_KEEP_ALIVE_S = 75
"""Longer than clients keep a connection: otherwise a request may come just as it is closed."""
_ENGINES = ("llama.cpp", "vllm", "sglang", "openai", "plain")


def _results_folder(path: str) -> Any:
    from lton.gateway.native.long_results import ResultFolder  # noqa: PLC0415 - few have one

    if not os.path.isdir(path):
        raise argparse.ArgumentTypeError(f"expected a folder, found {path!r}")
    return ResultFolder(path)


_SETTINGS: dict[str, dict[str, Any]] = {
    "upstream": {"metavar": "URL", "help": "the server to ask, with or without /v1"},
    "engine": {"choices": _ENGINES, "default": "llama.cpp", "help": "what that is"},
    "upstream-api": {
        "choices": ("chat", "responses", "messages"),
        "help": "the one API of that server that is asked where calls are native; default: what "
        "it has",
    },
    "calls": {
        "choices": ("native", "guided", "lton", "auto"),
        "default": "auto",
        "help": "how the model writes calls: its own (native), the values alone (guided, before "
        "llama.cpp and vLLM), LTON, or native unless the server shows that it has none",
    },
    "results": {
        "choices": ("tidy", "short", "lton", "as-is"),
        "default": "tidy",
        "help": "results of tools where calls are native: tidy (without noise of terminals, and "
        "with notes for lines that are in the request already), short (JSON is shorter, too: not "
        "for agents that edit files), lton (all JSON is in LTON if that is shorter: only for "
        "models that you have tested), or as they came",
    },
    "results-folder": {
        "metavar": "FOLDER",
        "type": _results_folder,
        "help": "where calls are native: cut results of commands, searches and the web that have "
        "over 2,000 tokens, and write them whole to this folder, which the agents have to be able "
        "to read; default: cut none",
    },
    "rescue": {
        "choices": ("last", "whole", "off"),
        "default": "last",
        "help": "calls that a model wrote as text, where calls are native: one at the end of an "
        "answer, too, or only where the whole text is calls",
    },
    "upstream-key": {"metavar": "KEY", "help": "the key it wants; default: what clients send"},
    "model": {"metavar": "FILE", "help": "in place of a server: a GGUF file, run in this process"},
    "n-ctx": {"type": int, "default": 4096, "metavar": "N", "help": "the context of that model"},
    "threads": {
        "type": int,
        "default": os.cpu_count() or 1,
        "metavar": "N",
        "help": "what it computes with, all slots together",
    },
    "slots": {
        "type": int,
        "default": 1,
        "metavar": "N",
        "help": "requests that it answers at a time, each in a context of its own",
    },
    "least-confidence": {
        "type": float,
        "default": 0.0,
        "metavar": "P",
        "help": "it calls no tool where it may call none and is less sure, from 0 to 1",
    },
    "host": {"default": "127.0.0.1", "help": "the address to listen at"},
    "port": {"type": int, "default": 8000, "help": "0 takes a free one"},
    "count": {"metavar": "NAME", "default": "bytes", "help": "whose tokens: see lton tokens"},
    "context": {
        "metavar": "OPTIONS",
        "help": "plan what the model is shown: window=TOKENS, and after commas reserve, hot, "
        "pointer, clear=pays|always|never, prices=NAME, file_over, preview, compact_at, rounds, "
        "store=FILE or postgresql://…; default: no",
    },
    "show": {
        "metavar": "all|names|budget=N",
        "default": "all",
        "help": "descriptions of all tools, of none, or of those that fit into N tokens, about, "
        "where calls are in LTON; a tool that the gateway answers gives the others",
    },
    "compress": {
        "metavar": "OPTIONS",
        "help": "serve /v1/compress, also without a server: over=TOKENS (longer results become a "
        "preview that /v1/retrieve completes; 0: none), and after commas preview, store=FILE or "
        "postgresql://…",
    },
    "prices": {
        "choices": tuple(PRICES),
        "help": "what tokens of prompts cost where the upstream has a cache; default: those of its "
        "address, else local",
    },
    "log": {"metavar": "FILE", "help": "write each request beside its LTON; default: no log"},
    "api-key": {"metavar": "KEY", "help": "what clients have to send; default: nothing"},
    "allow-host": {
        "metavar": "NAMES",
        "help": "names that clients may call it by, with commas, or *; default: this machine's",
    },
    "allow-origin": {
        "metavar": "ORIGINS",
        "help": "pages in browsers that may ask it, as http://localhost:3000, with commas, or *",
    },
    "body-memory": {
        "type": int,
        "default": BODY_MEMORY_MB,
        "metavar": "MB",
        "help": "for the bodies of all requests at a time",
    },
    "workers": {
        "type": int,
        "default": 1,
        "metavar": "N",
        "help": "processes that serve, for as many cores",
    },
    "grace": {
        "type": int,
        "default": 25,
        "metavar": "SECONDS",
        "help": "for what runs when it is told to end",
    },
}
_SWITCHES = {
    "repeat-tool-calls": "give a call again that an answer has already (default: each call once)",
    "strict": "native calls: make a tool strict where its schema allows that",
    "dry-run": "pass all on as it is, and count what LTON would be",
    "quiet": "no line for each request",
}
_MOST = 1_000_000
_BOUNDS = {
    "body-memory": (1, _MOST),
    "grace": (0, _MOST),
    "n-ctx": (1, 1_000 * _MOST),
    "port": (0, 65_535),
    "slots": (1, 1_000),
    "threads": (1, 10_000),
    "workers": (1, 10_000),
}
_VARIABLE = "LTON_SERVE_"
_COLLECTED = 20_000, 50, 100
"""Thresholds of the garbage collector: requests leave little, and a collection delays all clients.
"""


def add_options(
    parser: argparse.ArgumentParser,
    only: Collection[str] | None = None,
    defaults: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Add the options of `lton serve`, or those in `only`, with other `defaults`.

    Each setting also has a variable, such as `LTON_SERVE_API_KEY`.
    """
    for name, about in _SETTINGS.items():
        if only is not None and name not in only:
            continue
        how = about | ({"default": defaults[name]} if name in defaults else {})
        variable = _VARIABLE + name.upper().replace("-", "_")
        given = os.environ.get(variable, how.get("default"))
        default = f" (default: {how['default']})" if "default" in how else ""
        text = f"{how['help']}{default} [{variable}]"
        how |= {"default": given, "help": text}
        if name == "count":
            parser.add_argument("--tokenizer", dest=name, **how)
            add_alias(parser, "--count", name)
        else:
            parser.add_argument(f"--{name}", **how)
    for name, text in _SWITCHES.items():
        if only is None or name in only:
            parser.add_argument(f"--{name}", action="store_true", help=text)


def options_with(**given: Any) -> argparse.Namespace:
    """Return the default options of `lton serve`, with changes.

    >>> options_with(model="small.gguf").body_memory
    512
    """
    parser = argparse.ArgumentParser()
    add_options(parser)
    return argparse.Namespace(**vars(parser.parse_args([])) | given)


def web_server() -> Any:
    """Import uvicorn. Raises `MissingExtraError` unless all dependencies are installed."""
    uvicorn = require("uvicorn", EXTRA)
    for needed in ("starlette", "prometheus_client"):
        require(needed, EXTRA)
    if find_spec("aiohttp") is None:  # it takes long to import, and is only asked later
        raise missing_extra("aiohttp", EXTRA)
    return uvicorn


def check_values(options: argparse.Namespace) -> None:
    """Raise `UsageError` for numbers out of range, empty keys, and a log that cannot be written."""
    for name, (least, most) in _BOUNDS.items():
        found = getattr(options, name.replace("-", "_"))
        if not least <= found <= most:
            raise UsageError(f"--{name}: expected a number from {least} to {most}, found {found}")
    for name in ("api-key", "upstream-key"):
        if getattr(options, name.replace("-", "_")) == "":
            words = "expected a key, found an empty text: is a variable not set?"
            raise UsageError(f"--{name}: {words}")
    if options.log:
        try:
            keep_private(options.log)
        except OSError as error:
            raise UsageError(f"--log {options.log}: {error.strerror}") from None


def keep_private(log: str) -> None:
    """Create a log, or make it private to its owner. Raises `OSError`."""
    with open(log, "ab", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode) and hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), 0o600)


def run(options: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM, finish running requests, and return the exit status."""
    if options.upstream and options.model:
        raise UsageError("lton serve takes --upstream URL or --model FILE, not both")
    if not (options.upstream or options.model or options.compress):
        raise UsageError("lton serve needs --upstream URL, --model FILE or --compress OPTIONS")
    if options.model and options.dry_run:
        raise UsageError("--dry-run needs an upstream to pass requests on to")
    if not 0 <= options.least_confidence <= 1:
        raise UsageError("--least-confidence: expected a number from 0 to 1")
    if options.context and options.calls == "native":
        raise UsageError("--context plans conversations in LTON: use it with --calls lton")
    if options.show != "all" and options.calls == "native":
        raise UsageError("--show writes definitions as signatures: use it with --calls lton")
    if options.upstream:
        check_url(options.upstream, "--upstream")
    check_values(options)
    uvicorn = web_server()
    from lton.gateway import workers  # noqa: PLC0415 - it imports what may be missing
    from lton.gateway.terminal import exported  # noqa: PLC0415 - as its neighbour

    workers.check_workers(options)
    app = _application(options)  # also before workers have their own: what is wrong is said once
    config = uvicorn.Config(
        app if options.workers == 1 else partial(_worker, _sent(options)),
        factory=options.workers > 1,
        workers=options.workers,
        log_level="warning",
        timeout_graceful_shutdown=options.grace,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_worker_healthcheck=workers.HANGS_S,
        server_header=False,
    )
    with closing(_listening(options.host, options.port)) as listener:
        address = _shown(listener)
        print(f"http://{address}\n{exported(address)}", flush=True)
        if options.workers == 1:
            uvicorn.Server(config).run([listener])
        else:
            workers.run_workers(config, listener)
    return 0


def free_port() -> socket.socket:
    """Return a socket that listens on a free port of this machine."""
    return socket.create_server((_HERE, 0), backlog=2048)


def address_of(listener: socket.socket) -> str:
    """Return the address at which a socket listens, for clients."""
    return f"http://{_shown(listener)}"


@contextmanager
def served(settings: argparse.Namespace, listener: socket.socket) -> Iterator[Any]:
    """Serve on a thread of this process, and yield the gateway's metrics."""
    uvicorn = web_server()
    from lton.gateway.metrics import Metrics  # noqa: PLC0415 - it imports what may be missing
    from lton.gateway.serving import application  # noqa: PLC0415 - as its neighbour

    metrics = Metrics()
    config = uvicorn.Config(
        application(settings, metrics),
        log_level="error",  # the terminal is somebody else's
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, args=([listener],), name="lton-gateway", daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        sleep(0.005)
    try:
        yield metrics
    finally:
        server.should_exit = True
        thread.join()


def _application(options: argparse.Namespace) -> Any:
    from lton.gateway.serving import application  # noqa: PLC0415 - it imports what may be missing

    app = application(options)
    gc.freeze()  # what is there now stays, and is looked at no more
    gc.set_threshold(*_COLLECTED)
    return app


def _sent(options: argparse.Namespace) -> argparse.Namespace:
    """Return only the options of `lton serve`, for other processes."""
    names = (each.replace("-", "_") for each in (*_SETTINGS, *_SWITCHES))
    return argparse.Namespace(**{name: getattr(options, name) for name in names})


def _worker(options: argparse.Namespace) -> Any:
    from lton.gateway.workers import end_with_parent  # noqa: PLC0415 - as in `run`

    end_with_parent()
    return _application(options)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=2048)


def _shown(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
