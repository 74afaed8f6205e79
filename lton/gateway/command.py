"""Implement `lton serve`: parse its options, and serve until a signal arrives."""

import argparse
import gc
import os
import socket
import stat
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from time import sleep
from types import MappingProxyType
from typing import Any, NoReturn

from lton._require import missing_extra, require
from lton._terminal import UsageError, check_url
from lton.apis.refusals import BODY_MEMORY_MB
from lton.tokens.billing import PRICES

EXTRA = "apps"
_HERE = "127.0.0.1"
_KEEP_ALIVE_S = 75  # longer than clients keep connections, so that the server closes none too early


def _read_options() -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Read `options.toml`, which defines the settings and the switches."""
    tables = tomllib.loads(Path(__file__).with_name("options.toml").read_text("utf-8"))
    settings: dict[str, dict[str, Any]] = tables["settings"]
    for about in settings.values():
        if "type" in about:
            about["type"] = _TYPES[about["type"]]
    settings["threads"]["default"] = os.cpu_count() or 1
    settings["body-memory"]["default"] = BODY_MEMORY_MB
    settings["prices"]["choices"] = tuple(PRICES)
    return settings, tables["switches"]


_TYPES = {"int": int, "float": float}
_SETTINGS, _SWITCHES = _read_options()
_RARE = {
    name: about["help"]
    for name, about in (_SETTINGS | _SWITCHES).items()
    if about.pop("is_rare", False)
}
"""The help of settings that have no option of their own."""
_BOUNDS = {
    name: setting.pop("bounds") for name, setting in _SETTINGS.items() if "bounds" in setting
}
_VARIABLE = "LTON_SERVE_"
_SECTIONS = ("context", "compress")  # settings that are sections of a configuration file
_COLLECTED = 20_000, 50, 100  # thresholds of the garbage collector, whose collections delay clients


def add_options(
    parser: argparse.ArgumentParser,
    only: Collection[str] | None = None,
    defaults: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Add the options of `lton serve` to a parser, or only those in `only`."""
    _check_variables()
    added = {*_SETTINGS, *_SWITCHES} - {*_RARE} if only is None else only
    for name in _SETTINGS:
        if name in added:
            _add_setting(parser, name, defaults)
    for name, about in _SWITCHES.items():
        if name in added:
            parser.add_argument(f"--{name}", action="store_true", help=about["help"])
    if only is None:
        values = vars(_SettingsParser().parse_args([]))
        parser.set_defaults(set=(), **{_to_dest(name): values[_to_dest(name)] for name in _RARE})
        parser.set_defaults(instead={f"--{name}": f"--set {name}=VALUE" for name in _RARE})
        listed = "; ".join(f"{name}: {about}" for name, about in _RARE.items())
        says = f"a setting that few need; may be repeated: {listed}"
        parser.add_argument("--set", metavar="NAME=VALUE", action=_Set, help=says)
        says = "a TOML file with these settings, and with the sections [context] and [compress]"
        parser.add_argument("--config", metavar="FILE", action=_ConfigFile, help=says)
    parser.set_defaults(unused_tools=None)  # `lton wrap` sets them


def _add_setting(parser: argparse.ArgumentParser, name: str, defaults: Mapping[str, str]) -> None:
    how = _SETTINGS[name] | ({"default": defaults[name]} if name in defaults else {})
    variable = _variable_of(name)
    value = os.environ.get(variable, how.get("default"))
    default = f" (default: {how['default']})" if "default" in how else ""
    text = f"{how['help']}{default} [{variable}]"
    # argparse converts a string after all actions, so that `ConfigFile` knows the default.
    how |= {"default": None if value is None else str(value), "help": text}
    parser.add_argument(f"--{name}", **how)


def _to_dest(name: str) -> str:
    return name.replace("-", "_")


def _name_on_command_line(name: str) -> str:
    return name if name in _RARE else f"--{name}"


def _variable_of(name: str) -> str:
    return _VARIABLE + name.upper().replace("-", "_")


def _check_variables() -> None:
    choices_by_variable = {
        _variable_of(name): about.get("choices") for name, about in _SETTINGS.items()
    }
    for variable, value in os.environ.items():
        if not variable.startswith(_VARIABLE):
            continue
        if variable not in choices_by_variable:
            raise UsageError(
                f"unknown variable {variable}: expected one of {', '.join(choices_by_variable)}"
            )
        if (choices := choices_by_variable[variable]) and value not in choices:
            raise UsageError(f"{variable}: expected one of {', '.join(choices)}, found {value!r}")


class _Set(argparse.Action):
    """Applies a setting that has no option of its own."""

    def __call__(self, _parser: Any, namespace: Any, values: Any, _: Any = None) -> None:
        name, _, value = values.partition("=")
        if name not in _RARE:
            raise UsageError(f"--set: expected one of {', '.join(_RARE)}, found {name!r}")
        is_switch = name in _SWITCHES and value == "true"
        words = _SettingsParser().parse_args([f"--{name}"] if is_switch else [f"--{name}={value}"])
        setattr(namespace, _to_dest(name), getattr(words, _to_dest(name)))
        namespace.set = (*namespace.set, name)


class _ConfigFile(argparse.Action):
    """Applies the settings of a file, unless the user has also set them in another way."""

    def __call__(self, parser: Any, namespace: Any, values: Any, _: Any = None) -> None:
        try:
            tables = tomllib.loads(Path(values).read_text("utf-8"))
            sections = {
                name: _read_section(name, tables.pop(name)) for name in _SECTIONS if name in tables
            }
            words = _SettingsParser().parse_args(list(_iterate_setting_arguments(tables)))
        except ValueError as error:
            raise UsageError(f"{values}: {error}") from None
        settings = vars(words) | sections
        for name in (*tables, *sections):
            own = _to_dest(name)
            is_default = getattr(namespace, own) is parser.get_default(own)
            if (
                name not in namespace.set
                and is_default
                and _VARIABLE + own.upper() not in os.environ
            ):
                setattr(namespace, own, settings[own])
        namespace.config = values


class _SettingsParser(argparse.ArgumentParser):
    """Checks settings as if all were options, but raises `UsageError` if one is wrong."""

    def __init__(self) -> None:
        super().__init__(allow_abbrev=False, add_help=False)
        add_options(self, only={*_SETTINGS, *_SWITCHES})

    def error(self, message: str) -> NoReturn:
        raise UsageError(message.replace("argument --", "").replace("arguments: --", "setting: "))


def _iterate_setting_arguments(settings: Mapping[str, Any]) -> Iterator[str]:
    """Convert the settings of a file to command-line arguments."""
    for name, value in settings.items():
        if name in _SWITCHES and isinstance(value, bool):
            yield from [f"--{name}"] * value
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            yield f"--{name}={','.join(value)}"
        elif isinstance(value, str | int | float) and name != "config":
            yield f"--{name}={value}"
        else:
            raise UsageError(f"{name}: unexpected value {value!r}")


def _read_section(name: str, value: Any) -> dict[str, str]:
    """Return a section's settings as strings, as they would be on the command line."""
    values = value.values() if isinstance(value, dict) else ()
    if not values or not all(type(setting) in (str, int, float) for setting in values):
        raise UsageError(f"[{name}]: expected settings with strings or numbers, found {value!r}")
    return {key: str(setting) for key, setting in value.items()}


def make_options(**settings: Any) -> argparse.Namespace:
    """Return the options of `lton serve`, with defaults for those not given."""
    parser = argparse.ArgumentParser()
    add_options(parser)
    return argparse.Namespace(**vars(parser.parse_args([])) | settings)


def web_server() -> Any:
    """Import uvicorn. Raises `MissingExtraError` if a dependency is missing."""
    uvicorn = require("uvicorn", EXTRA)
    for package in ("starlette", "prometheus_client"):
        require(package, EXTRA)
    if find_spec("aiohttp") is None:  # slow to import, and needed only later
        raise missing_extra("aiohttp", EXTRA)
    return uvicorn


def check_values(options: argparse.Namespace) -> None:
    """Raise `UsageError` for a number out of range, an empty key, or an unwritable log."""
    for name, (least, most) in _BOUNDS.items():
        value = getattr(options, name.replace("-", "_"))
        if value is not None and not least <= value <= most:
            option = _name_on_command_line(name)
            raise UsageError(f"{option}: expected a number from {least} to {most}, found {value}")
    for name in ("api-key", "upstream-key"):
        if getattr(options, name.replace("-", "_")) == "":
            words = "expected a key, found an empty text: is a variable not set?"
            raise UsageError(f"{_name_on_command_line(name)}: {words}")
    if options.log:
        try:
            make_file_private(options.log)
        except OSError as error:
            raise UsageError(f"--log {options.log}: {error.strerror}") from None


def make_file_private(log: str) -> None:
    """Create a log file, or restrict an existing file to its owner. Raises `OSError`."""
    with open(log, "ab", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode) and hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), 0o600)


def _check_together(options: argparse.Namespace) -> None:
    """Raise `UsageError` for options that exclude or require each other."""
    if options.upstream and options.model:
        raise UsageError("lton serve takes --upstream URL or --model FILE, not both")
    if not (options.upstream or options.model or options.compress):
        raise UsageError("lton serve needs --upstream URL, --model FILE or a file with [compress]")
    if options.model and options.dry_run:
        raise UsageError("dry-run needs an upstream to pass requests on to")
    least = options.least_confidence
    if least is not None and not 0 <= least <= 1:
        raise UsageError("least-confidence: expected a number from 0 to 1")
    if options.show != "all" and options.calls == "native":
        raise UsageError(
            "show=names and show=budget=N write signatures: use them with --calls lton"
        )


def run(options: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM, finish the running requests, and return the exit status."""
    _check_together(options)
    if options.upstream:
        check_url(options.upstream, "--upstream")
    check_values(options)
    uvicorn = web_server()
    from lton.gateway import workers  # noqa: PLC0415 - it imports what may be missing

    workers.check_workers(options)
    try:
        app = _build_application(options)  # even with workers, so that errors are reported once
    except ValueError as error:
        if options.config and str(error).startswith(("context:", "compress:")):
            raise UsageError(f"{options.config}: {error}") from None
        raise
    config = uvicorn.Config(
        app if options.workers == 1 else partial(_build_worker, _worker_options(options)),
        factory=options.workers > 1,
        workers=options.workers,
        log_level="warning",
        timeout_graceful_shutdown=options.grace,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_worker_healthcheck=workers.HANGS_S,
        server_header=False,
    )
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    host_and_port = options.host, options.port
    with closing(socket.create_server(host_and_port, family=family, backlog=2048)) as listener:
        address = _address_line(listener)
        print(f"http://{address}\n{write_exports(address)}", flush=True)
        if options.workers == 1:
            uvicorn.Server(config).run([listener])
        else:
            workers.run_workers(config, listener)
    return 0


def find_free_port() -> socket.socket:
    """Return a socket that listens on a free port of this machine."""
    return socket.create_server((_HERE, 0), backlog=2048)


def address_of_listener(listener: socket.socket) -> str:
    """Return the address at which clients reach a socket."""
    return f"http://{_address_line(listener)}"


@contextmanager
def serve_on_thread(settings: argparse.Namespace, listener: socket.socket) -> Iterator[Any]:
    """Run a gateway on a thread of this process and yield its metrics."""
    uvicorn = web_server()
    from lton.gateway.metrics import Metrics  # noqa: PLC0415 - it imports what may be missing
    from lton.gateway.serving import build_application  # noqa: PLC0415 - as its neighbour

    metrics = Metrics()
    config = uvicorn.Config(
        build_application(settings, metrics),
        log_level="error",  # another program uses the terminal
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


def _build_application(options: argparse.Namespace) -> Any:
    from lton.gateway.serving import build_application  # noqa: PLC0415 - it imports what may be missing

    app = build_application(options)
    gc.freeze()  # these objects stay, so they need not be scanned
    gc.set_threshold(*_COLLECTED)
    return app


def _worker_options(options: argparse.Namespace) -> argparse.Namespace:
    names = (name.replace("-", "_") for name in (*_SETTINGS, *_SWITCHES))
    settings = {name: getattr(options, name) for name in names}
    return argparse.Namespace(unused_tools=None, **settings)  # `lton wrap` has a single process


def _build_worker(options: argparse.Namespace) -> Any:
    from lton.gateway.workers import end_process_with_parent  # noqa: PLC0415 - as in `run`

    end_process_with_parent()
    return _build_application(options)


def _address_line(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def write_exports(address: str) -> str:
    """Return the shell commands that point clients at a gateway's address.

    With a custom address, Claude Code sends all tools at once, unless tool search is enabled.
    """
    for anywhere, here in (("0.0.0.0:", "127.0.0.1:"), ("[::]:", "[::1]:")):
        if address.startswith(anywhere):
            address = here + address.removeprefix(anywhere)
    anthropic = f"export ANTHROPIC_BASE_URL=http://{address} ENABLE_TOOL_SEARCH=true"
    return f"export OPENAI_BASE_URL=http://{address}/v1\n{anthropic}"
